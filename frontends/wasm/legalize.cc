#include "frontends/wasm/legalize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/wasm/addresses.h"
#include "frontends/wasm/helper_table.h"
#include "frontends/wasm/legalize_body.h"
#include "frontends/wasm/references.h"

namespace txvm::frontends::wat {
namespace {

using isa::ErrorCode;
using isa::Result;

bool IsFloat(ValueType type) { return type == ValueType::kF32 || type == ValueType::kF64; }

bool IsI64(ValueType type) { return type == ValueType::kI64; }

bool IsVector(ValueType type) { return type == ValueType::kV128; }

bool HasType(const std::vector<ValueType>& types, bool (*is)(ValueType)) {
  return std::ranges::any_of(types, is);
}

/// Whether the function makes or holds references to exceptions, which become an i64 or a v128.
bool UsesExnRef(const Function& function) {
  return std::ranges::any_of(function.catches, [](const std::vector<CatchClause>& list) {
    return std::ranges::any_of(list, &CatchClause::has_reference);
  });
}

bool HasType(const Signature& signature, bool (*is)(ValueType)) {
  return HasType(signature.params, is) || HasType(signature.results, is);
}

bool IsFloatInstr(const Instr& instr) {
  return instr.kind == InstrKind::kFloat || instr.kind == InstrKind::kF32Const ||
         instr.kind == InstrKind::kF64Const;
}

bool IsWideInstr(const Instr& instr) {
  return instr.kind == InstrKind::kWide || instr.kind == InstrKind::kWideConst ||
         instr.kind == InstrKind::kAtomic;
}

bool IsVectorInstr(const Instr& instr) {
  return instr.kind == InstrKind::kVector || instr.kind == InstrKind::kV128Const ||
         instr.kind == InstrKind::kShuffle;
}

std::vector<ValueType> Flatten(const std::vector<ValueType>& types) {
  std::vector<ValueType> words;
  for (const ValueType type : types) {
    words.insert(words.end(), WordsIn(type), IsNumber(type) ? ValueType::kI32 : type);
  }
  return words;
}

/// Whether anything is to be done: an i64, a float, a vector, or an instruction txvm lacks.
bool NeedsWork(const Module& module) {
  if (!module.unsupported.empty() || !module.regroups.empty()) return true;
  const WideUse use = WideUseOf(module);
  return use.in_code || use.in_interface || use.has_floats || use.has_vectors;
}

/// Makes words of the globals; returns where each one's low word went.
std::vector<std::uint32_t> SplitGlobals(const Module& module, Module& out) {
  std::vector<std::uint32_t> slots;
  for (const Global& global : module.globals) {
    slots.push_back(static_cast<std::uint32_t>(out.globals.size()));
    out.globals.push_back(global);
    if (!IsNumber(global.type)) continue;
    Global& low = out.globals.back();
    low.type = ValueType::kI32;
    const std::array<std::uint32_t, 4> words = {global.init.value, global.init.high,
                                                global.init.upper[0], global.init.upper[1]};
    const bool is_known = global.init.kind == ConstantExpr::Kind::kPair ||
                          global.init.kind == ConstantExpr::Kind::kVector;
    const std::size_t first = out.globals.size() - 1;
    const std::uint32_t count = WordsIn(global.type);
    if (count == 1) continue;
    const Global word = low;  // push_back moves it
    for (std::uint32_t i = 1; i < count; ++i) out.globals.push_back(word);
    for (std::uint32_t i = 0; is_known && i < count; ++i) {
      out.globals[first + i].init = {.kind = ConstantExpr::Kind::kWord, .value = words[i]};
    }
  }
  return slots;
}

/// Makes the initialisers that read a global read it where it went.
void RelocateConstants(const Module& module, const std::vector<std::uint32_t>& slots, Module& out) {
  const auto relocate = [&slots](ConstantExpr& expr) {
    if (expr.kind == ConstantExpr::Kind::kGlobal) expr.value = slots[expr.value];
  };
  for (ElementSegment& segment : out.elements) relocate(segment.offset);
  for (DataSegment& segment : out.data) relocate(segment.offset);
  for (std::size_t i = 0; i < module.globals.size(); ++i) {
    const Global& global = module.globals[i];
    if (global.init.kind != ConstantExpr::Kind::kGlobal) continue;
    for (std::uint32_t word = 0; word < WordsIn(global.type); ++word) {
      out.globals[slots[i] + word].init.value = slots[global.init.value] + word;
    }
  }
  for (MemoryRange& range : out.memory_ranges) range.size_global = slots[range.size_global];
  for (Export& item : out.exports) {
    if (item.kind == ExportKind::kGlobal) item.index = slots[item.index];
  }
}

/// Where the globals of exceptions went; of a tag without values there may be none.
void Relocate(const std::vector<std::uint32_t>& slots, ExceptionCells& cells) {
  cells.pending = slots[cells.pending];
  cells.uncaught = slots[cells.uncaught];
  for (std::uint32_t& global : cells.values) {
    if (global < slots.size()) global = slots[global];
  }
}

Result<std::vector<Signature>> FlattenSignatures(const std::vector<Signature>& signatures) {
  std::vector<Signature> flat;
  for (const Signature& signature : signatures) {
    flat.push_back({Flatten(signature.params), Flatten(signature.results)});
    const std::size_t count = std::max(flat.back().params.size(), flat.back().results.size());
    if (count <= kMaxValues) continue;
    return isa::Fail(
        ErrorCode::kLimit,
        fmt::format("a type has {} parameters or results once its i64, f64 and v128 are "
                    "words; the limit is {}",
                    count, kMaxValues));
  }
  return flat;
}

/// Finds texts in a list, and adds those it lacks. Cost O(log size); `texts` must outlive it, and
/// nobody else may add to it.
class TextIndex {
 public:
  explicit TextIndex(std::vector<std::string>& texts) : texts_(texts) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      known_.try_emplace(texts[i], static_cast<std::uint32_t>(i));
    }
  }

  std::uint32_t Of(std::string_view text) {
    const auto [found, is_new] =
        known_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.emplace_back(text);
    return found->second;
  }

 private:
  std::vector<std::string>& texts_;
  std::map<std::string, std::uint32_t> known_;
};

/// The functions of wide_helpers.wat that a module uses. Their module is read when the first is
/// used.
class WideHelpers {
 public:
  /// `first`: the index of the first helper function in the module.
  explicit WideHelpers(std::uint32_t first) : first_(first) {}

  std::uint32_t IndexOf(std::string_view text) {
    if (!table_) table_.emplace("wide_helpers", first_);
    return table_->IndexOf(text);
  }

  /// Appends the functions that were used to `module`.
  void Append(Module& module) {
    if (!table_) return;
    for (Function& helper : table_->Take(module.signatures)) {
      module.functions.push_back(std::move(helper));
    }
  }

 private:
  std::uint32_t first_;
  std::optional<HelperTable> table_;
};

}  // namespace

WideUse WideUseOf(const Module& module) {
  WideUse use;
  for (const Signature& signature : module.signatures) {
    use.in_code |= HasType(signature, IsI64);
    use.has_floats |= HasType(signature, IsFloat);
    use.has_vectors |= HasType(signature, IsVector);
  }
  for (const Global& global : module.globals) {
    use.in_code |= IsI64(global.type);
    use.has_floats |= IsFloat(global.type);
    use.has_vectors |= IsVector(global.type);
  }
  for (const Function& function : module.functions) {
    use.in_code |= UsesExnRef(function);
    use.in_code |=
        HasType(function.locals, IsI64) || std::ranges::any_of(function.body, IsWideInstr);
    use.has_floats |=
        HasType(function.locals, IsFloat) || std::ranges::any_of(function.body, IsFloatInstr);
    use.has_vectors |=
        HasType(function.locals, IsVector) || std::ranges::any_of(function.body, IsVectorInstr);
    use.in_interface |= function.import && HasType(module.SignatureOf(function), IsI64);
  }
  for (const Export& item : module.exports) {
    if (item.kind == ExportKind::kFunction) {
      use.in_interface |= HasType(module.SignatureOf(module.functions[item.index]), IsI64);
    } else if (item.kind == ExportKind::kGlobal) {
      use.in_interface |= IsI64(module.globals[item.index].type);
    }
  }
  return use;
}

Result<Module> Legalize(Module module) {
  TXVM_TRY(module, LowerAddresses(std::move(module)));
  TXVM_TRY(module, LowerReferences(std::move(module)));
  if (!NeedsWork(module)) return module;
  WideHelpers helpers(static_cast<std::uint32_t>(module.functions.size()));
  Module out = module;
  out.functions.clear();
  out.globals.clear();
  TXVM_TRY(out.signatures, FlattenSignatures(module.signatures));
  out.source_signatures = module.signatures;
  const std::vector<std::uint32_t> slots = SplitGlobals(module, out);
  RelocateConstants(module, slots, out);
  if (out.exceptions) Relocate(slots, *out.exceptions);
  TextIndex unsupported(out.unsupported);
  const LegalizeContext context{
      module, slots, [&helpers](std::string_view text) { return helpers.IndexOf(text); },
      [&unsupported](std::string_view text) { return unsupported.Of(text); }};
  for (const Function& function : module.functions) {
    out.functions.push_back(function.import ? function : LegalizeBody(function, context));
    out.functions.back().source_locals = function.locals;
  }
  helpers.Append(out);
  return out;
}

}  // namespace txvm::frontends::wat
