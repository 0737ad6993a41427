#include "frontends/wasm/tail_calls.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "frontends/wasm/code_writer.h"

namespace txvm::frontends::wat {
namespace {

using isa::Opcode;

bool IsTailCall(const Instr& instr) {
  return instr.kind == InstrKind::kReturnCall || instr.kind == InstrKind::kReturnCallIndirect;
}

using Edges = std::vector<std::vector<std::uint32_t>>;

/// For each function, those it may call by a tail call.
Edges FindEdges(const Module& module) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> by_type;
  for (const ElementSegment& segment : module.elements) {
    if (segment.mode != SegmentMode::kActive) continue;
    for (const std::uint32_t element : segment.functions) {
      if (element >= module.functions.size() || module.functions[element].import) continue;
      by_type[{segment.table, module.functions[element].signature}].push_back(element);
    }
  }
  Edges edges(module.functions.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    std::vector<std::uint32_t>& out = edges[i];
    for (const Instr& instr : module.functions[i].body) {
      if (instr.kind == InstrKind::kReturnCall) {
        if (!module.functions[instr.a].import) out.push_back(instr.a);
      } else if (instr.kind == InstrKind::kReturnCallIndirect) {
        const auto found = by_type.find({instr.b, instr.a});
        if (found == by_type.end()) continue;
        out.insert(out.end(), found->second.begin(), found->second.end());
      }
    }
    std::ranges::sort(out);
    const auto rest = std::ranges::unique(out);
    out.erase(rest.begin(), rest.end());
  }
  return edges;
}

/// Finds the circles: the strongly connected components with an edge inside. Tarjan's algorithm
/// with a stack of its own.
class CircleFinder {
 public:
  explicit CircleFinder(const Edges& edges)
      : edges_(edges), number_(edges.size()), low_(edges.size()), is_open_(edges.size()) {}

  std::vector<std::vector<std::uint32_t>> Run() && {
    for (std::uint32_t i = 0; i < edges_.size(); ++i) {
      if (number_[i] == 0 && !edges_[i].empty()) Walk(i);
    }
    return std::move(circles_);
  }

 private:
  struct Visit {
    std::uint32_t function;
    std::size_t next = 0;  // of its edges
  };

  void Enter(std::uint32_t function) {
    number_[function] = low_[function] = ++count_;
    is_open_[function] = true;
    open_.push_back(function);
    visits_.push_back({function});
  }

  void Walk(std::uint32_t root) {
    Enter(root);
    while (!visits_.empty()) {
      const std::uint32_t from = visits_.back().function;
      if (visits_.back().next < edges_[from].size()) {
        const std::uint32_t to = edges_[from][visits_.back().next++];
        if (number_[to] == 0) {
          Enter(to);
        } else if (is_open_[to]) {
          low_[from] = std::min(low_[from], number_[to]);
        }
        continue;
      }
      visits_.pop_back();
      if (!visits_.empty()) {
        std::uint32_t& low = low_[visits_.back().function];
        low = std::min(low, low_[from]);
      }
      if (low_[from] == number_[from]) Close(from);
    }
  }

  void Close(std::uint32_t root) {
    std::vector<std::uint32_t> component;
    do {
      component.push_back(open_.back());
      is_open_[open_.back()] = false;
      open_.pop_back();
    } while (component.back() != root);
    if (component.size() == 1 && !std::ranges::binary_search(edges_[root], root)) return;
    std::ranges::sort(component);
    circles_.push_back(std::move(component));
  }

  const Edges& edges_;
  std::vector<std::uint32_t> number_, low_;
  std::vector<bool> is_open_;
  std::vector<std::uint32_t> open_;
  std::vector<Visit> visits_;
  std::uint32_t count_ = 0;
  std::vector<std::vector<std::uint32_t>> circles_;
};

/// Makes one function of a circle. Its parameters are the case and the words that every member's
/// parameters fit into.
class CircleMerger {
 public:
  CircleMerger(Module& module, const std::vector<std::uint32_t>& circle, WordSignatures& signatures)
      : module_(module),
        circle_(circle),
        signatures_(signatures),
        base_(module.functions[circle.front()].tail_case) {}

  /// Appends it to the module, and makes its members call it.
  void Run() &&;

 private:
  static constexpr std::uint32_t kCase = 0, kFirstWord = 1;

  std::uint32_t ParamsOf(std::uint32_t function) const {
    return CountOf(module_.SignatureOf(module_.functions[function]).params);
  }
  bool IsMember(std::uint32_t function) const {
    return module_.functions[function].tail_case - base_ < circle_.size();
  }
  void CountWords();
  void Dispatch();
  void Case(std::uint32_t number);
  void Add(Instr instr) { out_.body.push_back(instr); }
  void Local(Opcode op, std::uint32_t local, std::uint32_t place) {
    Add({InstrKind::kLocal, op, local, 0, place});
  }
  void TakeArguments(std::uint32_t count, std::uint32_t place);
  void TailCall(const Instr& instr, std::uint32_t loop);
  void TailCallIndirect(const Instr& instr, std::uint32_t loop);

  Module& module_;
  const std::vector<std::uint32_t>& circle_;
  WordSignatures& signatures_;
  std::uint32_t base_;       // the first case
  std::uint32_t words_ = 0;  // of arguments
  std::uint32_t index_ = 0;  // the local with the index of an indirect call
  Function out_;
};

void CircleMerger::CountWords() {
  std::uint32_t locals = 0;
  for (const std::uint32_t member : circle_) {
    const Function& function = module_.functions[member];
    words_ = std::max(words_, ParamsOf(member));
    locals = std::max(locals, CountOf(function.locals));
    for (const Instr& instr : function.body) {
      if (instr.kind != InstrKind::kReturnCallIndirect) continue;
      words_ = std::max(words_, CountOf(module_.signatures[instr.a].params));
    }
  }
  index_ = kFirstWord + words_ + locals;
  out_.locals.assign(locals + 1, ValueType::kI32);
}

/// Opens the loop and a block for each case, and branches by the case.
void CircleMerger::Dispatch() {
  const std::uint32_t results =
      CountOf(module_.SignatureOf(module_.functions[circle_.front()]).results);
  Add({InstrKind::kLoop, Opcode::kNop, signatures_.Of(0, results), 0, 0});
  for (std::size_t i = 0; i < circle_.size(); ++i) {
    Add({InstrKind::kBlock, Opcode::kNop, signatures_.Of(0, 0), 0, 0});
  }
  Local(Opcode::kLocalGet, kCase, 0);
  Add({InstrKind::kConst, Opcode::kNop, base_, 0, 0});
  Add({InstrKind::kOp, Opcode::kSub, 0, 0, 0});
  for (std::uint32_t i = 0; i < circle_.size(); ++i) out_.labels.push_back(i);
  Add({InstrKind::kBrTable, Opcode::kNop, 0, CountOf(circle_), 0});
}

void CircleMerger::TakeArguments(std::uint32_t count, std::uint32_t place) {
  for (std::uint32_t i = count; i-- > 0;) Local(Opcode::kLocalSet, kFirstWord + i, place);
}

/// `loop`: the label of the loop.
void CircleMerger::TailCall(const Instr& instr, std::uint32_t loop) {
  if (!IsMember(instr.a)) {
    Add({InstrKind::kCall, Opcode::kNop, instr.a, 0, instr.place});
    return Add({InstrKind::kReturn, Opcode::kNop, 0, 0, instr.place});
  }
  TakeArguments(ParamsOf(instr.a), instr.place);
  Add({InstrKind::kConst, Opcode::kNop, module_.functions[instr.a].tail_case, 0, instr.place});
  Local(Opcode::kLocalSet, kCase, instr.place);
  Add({InstrKind::kBr, Opcode::kNop, loop, 0, instr.place});
}

/// A callee that is no member is called.
void CircleMerger::TailCallIndirect(const Instr& instr, std::uint32_t loop) {
  const std::uint32_t place = instr.place;
  const std::uint32_t params = CountOf(module_.signatures[instr.a].params);
  Local(Opcode::kLocalSet, index_, place);
  TakeArguments(params, place);
  Local(Opcode::kLocalGet, index_, place);
  Add({InstrKind::kFindIndirect, Opcode::kNop, instr.a, instr.b, place});
  Local(Opcode::kLocalTee, kCase, place);
  Add({InstrKind::kConst, Opcode::kNop, base_, 0, place});
  Add({InstrKind::kOp, Opcode::kSub, 0, 0, place});
  Add({InstrKind::kConst, Opcode::kNop, CountOf(circle_), 0, place});
  Add({InstrKind::kOp, Opcode::kLtU, 0, 0, place});
  Add({InstrKind::kBrIf, Opcode::kNop, loop, 0, place});
  for (std::uint32_t i = 0; i < params; ++i) Local(Opcode::kLocalGet, kFirstWord + i, place);
  Local(Opcode::kLocalGet, index_, place);
  Add({InstrKind::kCallIndirect, Opcode::kNop, instr.a, instr.b, place});
  Add({InstrKind::kReturn, Opcode::kNop, 0, 0, place});
}

void CircleMerger::Case(std::uint32_t number) {
  const Function& source = module_.functions[circle_[number]];
  const std::uint32_t params = ParamsOf(circle_[number]);
  const std::uint32_t results = CountOf(module_.SignatureOf(source).results);
  const std::uint32_t first_label = CountOf(out_.labels);
  out_.labels.insert(out_.labels.end(), source.labels.begin(), source.labels.end());
  Add({InstrKind::kEnd, Opcode::kNop, 0, 0, 0});  // of the block that the dispatch leaves
  for (std::uint32_t i = 0; i < source.locals.size(); ++i) {
    Add({InstrKind::kConst, Opcode::kNop, 0, 0, 0});
    Local(Opcode::kLocalSet, kFirstWord + words_ + i, 0);
  }
  Add({InstrKind::kBlock, Opcode::kNop, signatures_.Of(0, results), 0, 0});
  std::uint32_t open = CountOf(circle_) - number;  // constructs inside the loop
  for (Instr instr : source.body) {
    switch (instr.kind) {
      case InstrKind::kBlock:
      case InstrKind::kLoop:
      case InstrKind::kIf:
        ++open;
        break;
      case InstrKind::kEnd:
        --open;
        break;
      case InstrKind::kLocal:
        instr.a = kFirstWord + (instr.a < params ? instr.a : words_ + instr.a - params);
        break;
      case InstrKind::kBrTable:
        instr.a += first_label;
        break;
      case InstrKind::kReturnCall:
        TailCall(instr, open);
        continue;
      case InstrKind::kReturnCallIndirect:
        TailCallIndirect(instr, open);
        continue;
      default:
        break;
    }
    Add(instr);
  }
  Add({InstrKind::kReturn, Opcode::kNop, 0, 0, 0});
}

void CircleMerger::Run() && {
  CountWords();
  Dispatch();
  for (std::uint32_t i = 0; i < circle_.size(); ++i) Case(i);
  Add({InstrKind::kEnd, Opcode::kNop, 0, 0, 0});  // of the loop
  Add({InstrKind::kEnd, Opcode::kNop, 0, 0, 0});
  const std::uint32_t results =
      CountOf(module_.SignatureOf(module_.functions[circle_.front()]).results);
  out_.name = module_.functions[circle_.front()].name + " and its tail calls";
  out_.signature = signatures_.Of(kFirstWord + words_, results);
  out_.place = module_.functions[circle_.front()].place;
  const std::uint32_t merged = CountOf(module_.functions);
  for (const std::uint32_t member : circle_) {
    Function& function = module_.functions[member];
    CodeWriter code;
    code.Const(function.tail_case);
    const std::uint32_t params = ParamsOf(member);
    for (std::uint32_t i = 0; i < words_; ++i) {
      if (i < params) {
        code.Get(i);
      } else {
        code.Const(0);
      }
    }
    code.Call(merged);
    function.body = std::move(code).Finish({}, 0).body;
    function.locals.clear();
    function.source_locals.clear();
    function.labels.clear();
  }
  module_.functions.push_back(std::move(out_));
}

/// Makes calls and returns of the tail calls that are left.
void CallAndReturn(Function& function) {
  if (std::ranges::none_of(function.body, IsTailCall)) return;
  std::vector<Instr> body;
  for (Instr instr : function.body) {
    const bool is_tail_call = IsTailCall(instr);
    if (is_tail_call) {
      instr.kind =
          instr.kind == InstrKind::kReturnCall ? InstrKind::kCall : InstrKind::kCallIndirect;
    }
    body.push_back(instr);
    if (is_tail_call) body.push_back({InstrKind::kReturn, Opcode::kNop, 0, 0, instr.place});
  }
  function.body = std::move(body);
}

}  // namespace

Module LowerTailCalls(Module module, bool merge) {
  const auto has_one = [](const Function& function) {
    return std::ranges::any_of(function.body, IsTailCall);
  };
  if (std::ranges::none_of(module.functions, has_one)) return module;
  if (merge) {
    const Edges edges = FindEdges(module);
    const auto circles = CircleFinder(edges).Run();
    std::uint32_t next = 1;
    for (const auto& circle : circles) {
      for (const std::uint32_t member : circle) module.functions[member].tail_case = next++;
    }
    WordSignatures signatures(module.signatures);
    for (const auto& circle : circles) CircleMerger(module, circle, signatures).Run();
  }
  for (Function& function : module.functions) CallAndReturn(function);
  return module;
}

}  // namespace txvm::frontends::wat
