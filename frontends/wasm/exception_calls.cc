#include "frontends/wasm/exception_calls.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "frontends/wasm/code_writer.h"

namespace txvm::frontends::wat {
namespace {

/// Who calls what; what an indirect call calls is the function count plus the index of its type.
struct Edge {
  std::uint32_t callee = 0, caller = 0;
  bool is_caught = false;  // by a catch_all around it
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

/// Walks bodies, and says of each instruction whether a catch_all is around it.
class HandledWalk {
 public:
  explicit HandledWalk(const Function& function)
      : function_(function), tries_(FindTries(function)), is_handled_{false} {}

  bool is_handled() const { return is_handled_.back(); }

  void Step(const Instr& instr) {
    switch (instr.kind) {
      case InstrKind::kBlock:
      case InstrKind::kLoop:
      case InstrKind::kIf:
        is_handled_.push_back(is_handled());
        return;
      case InstrKind::kTryTable: {
        const auto& clauses = function_.catches[instr.b];
        const bool has_all =
            std::ranges::any_of(clauses, [](const CatchClause& clause) { return !clause.tag; });
        is_handled_.push_back(has_all || is_handled());
        return;
      }
      case InstrKind::kTry: {
        const TryShape& shape = tries_[next_try_++];
        const bool outside =
            shape.delegate ? is_handled_[is_handled_.size() - 1 - *shape.delegate] : is_handled();
        is_handled_.push_back(shape.has_all || outside);
        return;
      }
      case InstrKind::kCatch:
      case InstrKind::kCatchAll:
        is_handled_.back() = is_handled_[is_handled_.size() - 2];
        return;
      case InstrKind::kDelegate:
      case InstrKind::kEnd:
        is_handled_.pop_back();
        return;
      default:
        return;
    }
  }

 private:
  const Function& function_;
  std::vector<TryShape> tries_;
  std::size_t next_try_ = 0;
  std::vector<bool> is_handled_;  // (open constructs,) for the code directly in each
};

bool IsThrow(const Instr& instr) {
  return instr.kind == InstrKind::kThrow || instr.kind == InstrKind::kThrowRef ||
         instr.kind == InstrKind::kRethrow;
}

bool CatchesAnything(const Module& module) {
  return std::ranges::any_of(module.functions, [](const Function& function) {
    return std::ranges::any_of(function.catches, [](const auto& list) { return !list.empty(); }) ||
           std::ranges::any_of(function.body, [](const Instr& instr) {
             return instr.kind == InstrKind::kCatch || instr.kind == InstrKind::kCatchAll;
           });
  });
}

std::vector<bool> FindElements(const Module& module) {
  std::vector<bool> is_element(module.functions.size());
  const auto list = [&is_element](std::uint32_t function) {
    if (function < is_element.size()) is_element[function] = true;  // else null or a global's
  };
  for (const ElementSegment& segment : module.elements) {
    std::ranges::for_each(segment.functions, list);
  }
  for (const Global& global : module.globals) {
    if (global.init.kind == ConstantExpr::Kind::kFunction) list(global.init.value);
  }
  for (const Table& table : module.tables) list(table.initial_element);
  for (const Function& function : module.functions) {
    for (const Instr& instr : function.body) {
      if (instr.kind == InstrKind::kRefFunc) list(instr.a);
    }
  }
  return is_element;
}

/// Follows calls backwards from those that are set; `follows` picks edges.
void Spread(const std::vector<Edge>& edges, const std::vector<bool>& is_element,
            const Module& module, const std::function<bool(const Edge&)>& follows,
            std::vector<bool>& set) {
  const auto first_type = static_cast<std::uint32_t>(is_element.size());
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < set.size(); ++i) {
    if (set[i]) open.push_back(i);
  }
  const auto add = [&](std::uint32_t item) {
    if (set[item]) return;
    set[item] = true;
    open.push_back(item);
  };
  while (!open.empty()) {
    const std::uint32_t item = open.back();
    open.pop_back();
    if (item < first_type && is_element[item]) add(first_type + module.functions[item].signature);
    if (item >= first_type) {  // what may be called by a type may be called by those above it
      const auto super = module.supertypes.find(item - first_type);
      if (super != module.supertypes.end()) add(first_type + super->second);
    }
    for (const Edge& edge : std::ranges::equal_range(edges, item, {}, &Edge::callee)) {
      if (follows(edge)) add(edge.caller);
    }
  }
}

}  // namespace

std::vector<TryShape> FindTries(const Function& function) {
  std::vector<TryShape> tries;
  constexpr std::size_t kNoTry = static_cast<std::size_t>(-1);
  std::vector<std::size_t> open = {kNoTry};  // the try of each open construct
  for (const Instr& instr : function.body) {
    switch (instr.kind) {
      case InstrKind::kTry:
        open.push_back(tries.size());
        tries.emplace_back();
        break;
      case InstrKind::kBlock:
      case InstrKind::kLoop:
      case InstrKind::kIf:
      case InstrKind::kTryTable:
        open.push_back(kNoTry);
        break;
      case InstrKind::kCatch:
        tries[open.back()].has_catch = true;
        break;
      case InstrKind::kCatchAll:
        tries[open.back()].has_catch = tries[open.back()].has_all = true;
        break;
      case InstrKind::kDelegate:
        tries[open.back()].delegate = instr.a;
        open.pop_back();
        break;
      case InstrKind::kRethrow:
        tries[open[open.size() - 1 - instr.a]].is_rethrown = true;
        break;
      case InstrKind::kEnd:
        open.pop_back();
        break;
      default:
        break;
    }
  }
  return tries;
}

bool Throwers::FromCall(const Instr& instr) const {
  if (instr.kind == InstrKind::kCall) return functions[instr.a];
  const bool is_of_type =
      instr.kind == InstrKind::kCallIndirect || instr.kind == InstrKind::kCallRef;
  return is_of_type && types[instr.a];
}

bool HostMayThrow(std::string_view import_module) { return !import_module.starts_with("wasi_"); }

Throwers FindThrowers(const Module& module) {
  const std::uint32_t first_type = CountOf(module.functions);
  const std::size_t items = first_type + module.signatures.size();
  Throwers out;
  out.imports_throw = CatchesAnything(module);
  std::vector<bool> throws(items), touched(items);
  std::vector<Edge> edges;
  for (std::uint32_t i = 0; i < first_type; ++i) {
    const Function& function = module.functions[i];
    if (function.import) {
      throws[i] = touched[i] = out.imports_throw && HostMayThrow(function.import->module);
      continue;
    }
    HandledWalk walk(function);
    for (const Instr& instr : function.body) {
      const bool is_caught = walk.is_handled();
      if (IsThrow(instr)) {
        touched[i] = true;
        if (!is_caught) throws[i] = true;
      } else if (instr.kind == InstrKind::kCall) {
        edges.push_back({instr.a, i, is_caught});
      } else if (instr.kind == InstrKind::kCallIndirect || instr.kind == InstrKind::kCallRef) {
        edges.push_back({first_type + instr.a, i, is_caught});
      } else if (instr.kind == InstrKind::kReturnCall) {
        edges.push_back({instr.a, i, false});
      } else if (instr.kind == InstrKind::kReturnCallIndirect ||
                 instr.kind == InstrKind::kReturnCallRef) {
        edges.push_back({first_type + instr.a, i, false});
      }
      walk.Step(instr);
    }
  }
  std::ranges::sort(edges);
  const auto rest = std::ranges::unique(edges);
  edges.erase(rest.begin(), rest.end());
  const std::vector<bool> is_element = FindElements(module);
  Spread(edges, is_element, module, [](const Edge& edge) { return !edge.is_caught; }, throws);
  Spread(edges, is_element, module, [](const Edge&) { return true; }, touched);
  const auto split = static_cast<std::ptrdiff_t>(first_type);
  out.functions.assign(throws.begin(), throws.begin() + split);
  out.types.assign(throws.begin() + split, throws.end());
  out.touched.assign(touched.begin(), touched.begin() + split);
  return out;
}

}  // namespace txvm::frontends::wat
