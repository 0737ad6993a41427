#include "frontends/nl/language/lower.h"

#include <fmt/format.h>

#include <utility>

#include "frontends/nl/language/lower_parts.h"
#include "frontends/wat/load.h"

namespace txvm::frontends::nl {

using isa::ErrorCode;
using isa::Result;

Result<Lowered> Lower(const Ast& ast, std::span<const Rational> numbers,
                      const LowerOptions& options) {
  if (ast.abstention) {
    return isa::Fail(ErrorCode::kUsage,
                     fmt::format("{} is no program to run", TokenText(*ast.abstention)));
  }
  for (const Node& node : ast.nodes) {
    if (node.kind != NodeKind::kSlot || node.value < numbers.size()) continue;
    return isa::Fail(ErrorCode::kUsage,
                     fmt::format("N{} has no number; {} given", node.value, numbers.size()));
  }
  Lowered out;
  out.values = FindWordValues(ast, numbers);
  out.wide = options.always_wide || !out.values.narrow();
  ModuleParts parts;
  if (out.wide) {
    parts = LowerWide(ast, numbers, options);
    out.result_at = *parts.result_at;
  } else {
    NarrowParts narrow = LowerNarrow(ast, numbers, out.values, options);
    parts = std::move(narrow.parts);
    out.loops = std::move(narrow.loops);
  }
  out.wasm = BuildModule(parts);
  out.ir = std::move(parts.compute.bytes);
  return out;
}

Result<isa::Program> ToProgram(const Lowered& lowered) {
  wat::LoadOptions options;
  // The peephole would compute 50 - 15 here; the machine is to do it. Wide values are in memory,
  // where it cannot.
  options.optimize = lowered.wide;
  return wat::LoadWasm(lowered.wasm, "canonical", options);
}

}  // namespace txvm::frontends::nl
