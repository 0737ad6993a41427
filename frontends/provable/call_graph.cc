#include "frontends/provable/call_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace txvm::frontends::provable {
namespace {

using isa::ErrorCode;
using isa::Result;

using Edges = std::map<std::uint32_t, std::vector<std::uint32_t>>;

/// Marks the functions on cycles: Tarjan's components without recursion, since call chains may be
/// long.
class Components {
 public:
  Components(const Edges& edges, std::set<std::uint32_t>& recursive)
      : edges_(edges), recursive_(recursive) {}

  void Visit(std::uint32_t root) {
    if (number_.contains(root)) return;
    Enter(root);
    while (!open_.empty()) {
      auto& [at, next] = open_.back();
      const std::vector<std::uint32_t>& callees = edges_.at(at);
      if (next < callees.size()) {
        const std::uint32_t callee = callees[next++];
        if (!number_.contains(callee)) {
          Enter(callee);
        } else if (on_path_.contains(callee)) {
          low_[at] = std::min(low_[at], number_[callee]);
          if (callee == at) recursive_.insert(at);
        }
        continue;
      }
      Leave();
    }
  }

 private:
  void Enter(std::uint32_t function) {
    const auto number = static_cast<std::uint32_t>(number_.size());
    number_[function] = low_[function] = number;
    path_.push_back(function);
    on_path_.insert(function);
    open_.emplace_back(function, 0);
  }

  void Leave() {
    const std::uint32_t done = open_.back().first;
    open_.pop_back();
    if (!open_.empty()) low_[open_.back().first] = std::min(low_[open_.back().first], low_[done]);
    if (low_[done] != number_[done]) return;
    const bool alone = path_.back() == done;
    for (std::uint32_t member = ~done; member != done;) {
      member = path_.back();
      path_.pop_back();
      on_path_.erase(member);
      if (!alone) recursive_.insert(member);
    }
  }

  const Edges& edges_;
  std::set<std::uint32_t>& recursive_;
  std::map<std::uint32_t, std::uint32_t> number_, low_;
  std::vector<std::uint32_t> path_;
  std::set<std::uint32_t> on_path_;
  std::vector<std::pair<std::uint32_t, std::size_t>> open_;  // function, next callee
};

}  // namespace

Result<TableContents> PlaceElements(const wat::Module& module) {
  TableContents tables(module.tables.size());
  for (std::size_t number = 0; number < module.elements.size(); ++number) {
    const wat::ElementSegment& segment = module.elements[number];
    const wat::ConstantExpr* offset = &segment.offset;
    while (offset->kind == wat::ConstantExpr::Kind::kGlobal) {
      offset = &module.globals[offset->value].init;
    }
    const std::uint64_t end = std::uint64_t{offset->value} + segment.functions.size();
    const std::uint64_t size = module.tables[segment.table].extent.initial;
    if (end > size) {
      return isa::Fail(ErrorCode::kInvalid,
                       fmt::format("element segment {} needs {} elements, table {} has {}", number,
                                   end, segment.table, size));
    }
    for (std::size_t i = 0; i < segment.functions.size(); ++i) {
      tables[segment.table][offset->value + static_cast<std::uint32_t>(i)] = segment.functions[i];
    }
  }
  return tables;
}

Result<CallGraph> BuildCallGraph(const wat::Module& module, const TableContents& tables,
                                 std::vector<std::uint32_t> todo) {
  CallGraph graph;
  Edges edges;
  while (!todo.empty()) {
    const std::uint32_t index = todo.back();
    todo.pop_back();
    if (graph.trees.contains(index)) continue;
    const wat::Function& function = module.functions[index];
    if (function.import) {
      std::string refusal = RefusalOf(module, function);
      if (!refusal.empty()) return isa::Fail(ErrorCode::kUnsupported, std::move(refusal));
      continue;
    }
    TXVM_TRY(Tree tree, BuildTree(module, function));
    std::vector<std::uint32_t> callees = tree.callees;
    std::set<std::pair<std::uint32_t, std::uint32_t>> kinds;  // of indirect calls
    for (const wat::Instr& call : tree.indirect_calls) kinds.emplace(call.a, call.b);
    graph.indirect.insert(kinds.begin(), kinds.end());
    for (const auto& [signature, table] : kinds) {
      for (const auto& [slot, callee] : tables[table]) {
        if (callee < module.functions.size() && module.functions[callee].signature == signature) {
          callees.push_back(callee);
        }
      }
    }
    std::ranges::sort(callees);
    callees.erase(std::ranges::unique(callees).begin(), callees.end());
    todo.insert(todo.end(), callees.begin(), callees.end());
    std::erase_if(callees, [&](std::uint32_t i) { return module.functions[i].import.has_value(); });
    edges.emplace(index, std::move(callees));
    graph.trees.emplace(index, std::move(tree));
  }
  Components components(edges, graph.recursive);
  for (const auto& [index, callees] : edges) components.Visit(index);
  return graph;
}

}  // namespace txvm::frontends::provable
