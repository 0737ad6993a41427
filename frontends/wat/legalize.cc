#include "frontends/wat/legalize.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontends/wat/helper_table.h"
#include "frontends/wat/legalize_body.h"
#include "frontends/wat/reader.h"

namespace txvm::frontends::wat {
namespace {

using isa::ErrorCode;
using isa::Result;

bool UsesI64(const std::vector<ValueType>& types) {
  return std::ranges::find(types, ValueType::kI64) != types.end();
}

std::vector<ValueType> Flatten(const std::vector<ValueType>& types) {
  std::vector<ValueType> words;
  for (const ValueType type : types) {
    const bool is_wide = type == ValueType::kI64;
    words.insert(words.end(), is_wide ? 2 : 1, is_wide ? ValueType::kI32 : type);
  }
  return words;
}

bool UsesI64(const Signature& signature) {
  return UsesI64(signature.params) || UsesI64(signature.results);
}

bool UsesI64(const Function& function) {
  return UsesI64(function.locals) || std::ranges::any_of(function.body, [](const Instr& instr) {
           return instr.kind == InstrKind::kWide || instr.kind == InstrKind::kWideConst;
         });
}

/// Whether anything is to be done: an i64, or an instruction txvm lacks.
bool NeedsWork(const Module& module) {
  if (!module.unsupported.empty()) return true;
  const WideUse use = I64UseOf(module);
  return use.in_code || use.in_interface;
}

/// Splits the i64 globals; returns where each one's low word went.
std::vector<std::uint32_t> SplitGlobals(const Module& module, Module& out) {
  std::vector<std::uint32_t> slots;
  for (const Global& global : module.globals) {
    slots.push_back(static_cast<std::uint32_t>(out.globals.size()));
    out.globals.push_back(global);
    if (global.type != ValueType::kI64) continue;
    Global& low = out.globals.back();
    low.type = ValueType::kI32;
    Global high = low;
    if (low.init.kind == ConstantExpr::Kind::kI64) {
      low.init = {ConstantExpr::Kind::kI32, global.init.value, 0};
      high.init = {ConstantExpr::Kind::kI32, global.init.high, 0};
    }
    out.globals.push_back(std::move(high));
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
    out.globals[slots[i]].init.value = slots[global.init.value];
    if (global.type == ValueType::kI64) {
      out.globals[slots[i] + 1].init.value = slots[global.init.value] + 1;
    }
  }
  for (Export& item : out.exports) {
    if (item.kind == ExportKind::kGlobal) item.index = slots[item.index];
  }
}

Result<std::vector<Signature>> FlattenSignatures(const std::vector<Signature>& signatures) {
  std::vector<Signature> flat;
  for (const Signature& signature : signatures) {
    flat.push_back({Flatten(signature.params), Flatten(signature.results)});
    const std::size_t count = std::max(flat.back().params.size(), flat.back().results.size());
    if (count <= kMaxValues) continue;
    return isa::Fail(ErrorCode::kLimit,
                     fmt::format("a type has {} parameters or results once its i64 are pairs of "
                                 "i32; the limit is {}",
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

}  // namespace

WideUse I64UseOf(const Module& module) {
  WideUse use;
  const auto is_wide = [](ValueType type) { return type == ValueType::kI64; };
  for (const Signature& signature : module.signatures) use.in_code |= UsesI64(signature);
  for (const Global& global : module.globals) use.in_code |= is_wide(global.type);
  for (const Function& function : module.functions) {
    use.in_code |= UsesI64(function);
    use.in_interface |= function.import && UsesI64(module.SignatureOf(function));
  }
  for (const Export& item : module.exports) {
    if (item.kind == ExportKind::kFunction) {
      use.in_interface |= UsesI64(module.SignatureOf(module.functions[item.index]));
    } else if (item.kind == ExportKind::kGlobal) {
      use.in_interface |= is_wide(module.globals[item.index].type);
    }
  }
  return use;
}

Result<Module> LegalizeI64(Module module) {
  if (!NeedsWork(module)) return module;
  HelperTable helpers("wide_helpers.wat", static_cast<std::uint32_t>(module.functions.size()));
  Module out = module;
  out.functions.clear();
  out.globals.clear();
  TXVM_TRY(out.signatures, FlattenSignatures(module.signatures));
  out.source_signatures = module.signatures;
  const std::vector<std::uint32_t> slots = SplitGlobals(module, out);
  RelocateConstants(module, slots, out);
  TextIndex unsupported(out.unsupported);
  const LegalizeContext context{
      module, slots, [&helpers](std::string_view name) { return helpers.IndexOf(name); },
      [&unsupported](std::string_view text) { return unsupported.Of(text); }};
  for (const Function& function : module.functions) {
    out.functions.push_back(function.import ? function : LegalizeBody(function, context));
    out.functions.back().source_locals = function.locals;
  }
  for (Function& helper : helpers.Take(out.signatures)) out.functions.push_back(std::move(helper));
  return out;
}

}  // namespace txvm::frontends::wat
