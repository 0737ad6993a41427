#include "tests/frontends/wasm/compare_modules.h"

#include <fmt/format.h>

#include <cctype>

namespace txvm::tests {
namespace {

using namespace frontends::wat;

bool SameImport(const std::optional<ImportName>& a, const std::optional<ImportName>& b) {
  if (a.has_value() != b.has_value()) return false;
  return !a || (a->module == b->module && a->name == b->name);
}

bool SameConstant(const ConstantExpr& a, const ConstantExpr& b) {
  return a.kind == b.kind && a.value == b.value && a.high == b.high;
}

bool SameExtent(const Extent& a, const Extent& b) {
  return a.initial == b.initial && a.maximum == b.maximum;
}

/// WABT calls some vector instructions by the C++ name of their kind.
bool SameInstructionName(const std::string& own, const std::string& wabt) {
  return own == wabt || (!wabt.empty() && std::isupper(static_cast<unsigned char>(wabt[0])) != 0);
}

std::string Show(const Instr& instr) {
  return fmt::format("kind {} op {} a {} b {} at {}", static_cast<int>(instr.kind),
                     static_cast<int>(instr.op), instr.a, instr.b, instr.place);
}

/// INVARIANT: module-level lists have been compared before the bodies that refer to them.
std::string FunctionDifference(const Module& own, const Module& wabt, std::size_t number) {
  const Function &a = own.functions[number], &b = wabt.functions[number];
  if (a.name != b.name) return fmt::format("name '{}' and '{}'", a.name, b.name);
  if (a.signature != b.signature) return fmt::format("type {} and {}", a.signature, b.signature);
  if (!SameImport(a.import, b.import)) return "import";
  if (a.locals != b.locals) return "locals";
  if (a.labels != b.labels) return "labels";
  if (a.place != b.place) return fmt::format("place {} and {}", a.place, b.place);
  if (a.body.size() != b.body.size()) {
    return fmt::format("{} and {} instructions", a.body.size(), b.body.size());
  }
  for (std::size_t i = 0; i < a.body.size(); ++i) {
    const Instr &x = a.body[i], &y = b.body[i];
    const bool is_last = i + 1 == a.body.size();
    bool is_same = x.kind == y.kind && x.op == y.op && x.b == y.b;
    if (x.kind == InstrKind::kUnsupported && is_same) {
      is_same = SameInstructionName(own.unsupported[x.a], wabt.unsupported[y.a]);
    } else {
      is_same = is_same && x.a == y.a;
    }
    if (!is_same) return fmt::format("instruction {}: {} and {}", i, Show(x), Show(y));
    if (!is_last && x.place != y.place) {
      return fmt::format("place of instruction {}: {} and {}", i, x.place, y.place);
    }
  }
  return {};
}

template <typename List, typename Same>
std::string ListDifference(const char* what, const List& own, const List& wabt, const Same& same) {
  if (own.size() != wabt.size()) return fmt::format("{} and {} {}", own.size(), wabt.size(), what);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!same(own[i], wabt[i])) return fmt::format("{} number {}", what, i);
  }
  return {};
}

std::string DeclarationDifference(const Module& own, const Module& wabt) {
  std::string difference = ListDifference("types", own.signatures, wabt.signatures,
                                          [](const auto& a, const auto& b) { return a == b; });
  if (!difference.empty()) return difference;
  difference =
      ListDifference("globals", own.globals, wabt.globals, [](const auto& a, const auto& b) {
        return a.type == b.type && a.is_mutable == b.is_mutable && SameImport(a.import, b.import) &&
               SameConstant(a.init, b.init);
      });
  if (!difference.empty()) return difference;
  difference = ListDifference("tables", own.tables, wabt.tables, [](const auto& a, const auto& b) {
    return a.type == b.type && SameExtent(a.extent, b.extent) && SameImport(a.import, b.import);
  });
  if (!difference.empty()) return difference;
  difference =
      ListDifference("memories", own.memories, wabt.memories, [](const auto& a, const auto& b) {
        return SameExtent(a.extent, b.extent) && SameImport(a.import, b.import);
      });
  if (!difference.empty()) return difference;
  difference =
      ListDifference("elements", own.elements, wabt.elements, [](const auto& a, const auto& b) {
        return a.mode == b.mode && a.table == b.table && SameConstant(a.offset, b.offset) &&
               a.functions == b.functions;
      });
  if (!difference.empty()) return difference;
  difference = ListDifference("data", own.data, wabt.data, [](const auto& a, const auto& b) {
    return a.mode == b.mode && SameConstant(a.offset, b.offset) && a.bytes == b.bytes;
  });
  if (!difference.empty()) return difference;
  difference =
      ListDifference("exports", own.exports, wabt.exports, [](const auto& a, const auto& b) {
        return a.name == b.name && a.kind == b.kind && a.index == b.index;
      });
  if (!difference.empty()) return difference;
  return own.start == wabt.start ? std::string() : "start";
}

}  // namespace

std::string Difference(const Module& own, const Module& wabt) {
  if (own.file != wabt.file || own.is_text != wabt.is_text) return "file";
  if (std::string difference = DeclarationDifference(own, wabt); !difference.empty()) {
    return difference;
  }
  if (own.functions.size() != wabt.functions.size()) {
    return fmt::format("{} and {} functions", own.functions.size(), wabt.functions.size());
  }
  for (std::size_t i = 0; i < own.functions.size(); ++i) {
    const std::string difference = FunctionDifference(own, wabt, i);
    if (!difference.empty()) return fmt::format("function {}: {}", i, difference);
  }
  return {};
}

}  // namespace txvm::tests
