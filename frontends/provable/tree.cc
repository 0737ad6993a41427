#include "frontends/provable/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "isa/opcode.h"
#include "isa/support/text.h"

namespace txvm::frontends::provable {
namespace {

using isa::ErrorCode;
using isa::Opcode;
using isa::Result;
using wat::Instr;
using wat::InstrKind;

constexpr std::uint64_t kLoopWeight = 8;
constexpr std::uint32_t kMostWeightedLoops = 8;  // 8^8 times the number of uses fits easily

/// A host function that becomes public output.
struct HostFunction {
  std::string_view module, name;
  std::size_t params, results;
};
constexpr auto kHostFunctions = std::to_array<HostFunction>({
    {"env", "print_i32", 1, 0},
    {"env", "putchar", 1, 1},
    {"spectest", "print", 0, 0},
    {"spectest", "print_i32", 1, 0},
});

std::uint32_t Count(const auto& container) { return static_cast<std::uint32_t>(container.size()); }

void SortUnique(std::vector<std::uint32_t>& values) {
  std::ranges::sort(values);
  const auto rest = std::ranges::unique(values);
  values.erase(rest.begin(), rest.end());
}

/// Reads the flat body once. INVARIANT: open_ holds the function and the open constructs, outermost
/// first; height_ counts the function's operands while live_.
class Builder {
 public:
  Builder(const wat::Module& module, const wat::Function& function)
      : module_(module), function_(function) {}

  Result<Tree> Run();

 private:
  /// A construct whose end has not come yet.
  struct Open {
    Node node;
    std::uint32_t base = 0;    // operands below its parameters
    bool arm_targets = false;  // the current arm branches to the construct's own label
  };

  Result<void> Take(std::uint32_t index);
  void SkipDead(const Instr& instr);
  Result<void> Begin(const Instr& instr, Node::Kind kind);
  void Else();
  void End();
  void CloseArm();
  void Branch(Node::Kind kind, std::uint32_t label);
  void BranchTable(const Instr& instr);
  void Target(std::uint32_t depth);
  void Trap();
  Result<void> Plain(std::uint32_t index);
  void UseLocal(const Instr& instr);
  Result<void> Check(const Instr& instr) const;

  std::uint32_t depth() const { return Count(open_) - 1; }
  Node::Arm& arm() { return open_.back().node.arms.back(); }
  std::vector<Node>& sequence() { return arm().nodes; }
  Node& Add(Node::Kind kind);
  std::uint32_t PlaceOf(const Instr& instr) const {
    return instr.place != 0 ? instr.place : function_.place;
  }

  const wat::Module& module_;
  const wat::Function& function_;
  Tree tree_;
  std::vector<Open> open_;
  std::uint32_t height_ = 0;
  std::uint32_t loops_ = 0;       // open ones
  bool live_ = true;              // control gets here
  std::uint32_t dead_depth_ = 0;  // constructs opened in dead code
};

Node& Builder::Add(Node::Kind kind) {
  Node& node = sequence().emplace_back();
  node.kind = kind;
  node.height = height_;
  return node;
}

Result<Tree> Builder::Run() {
  const wat::Signature& signature = module_.SignatureOf(function_);
  if (!wat::IsI32Only(signature)) {  // an i64 is two words by now
    return std::unexpected(
        ErrorAt(module_, ErrorCode::kUnsupported, function_.place,
                fmt::format("function '{}' takes or returns values that are no numbers",
                            isa::Printable(NameOf(module_, function_)))));
  }
  tree_.locals.resize(signature.params.size() + function_.locals.size());
  Open& open = open_.emplace_back();
  open.node.kind = Node::Kind::kBlock;
  open.node.arms.emplace_back();
  open.node.results = Count(signature.results);
  tree_.most_carried = open.node.results;
  for (std::uint32_t i = 0; i < Count(function_.body) && !open_.empty(); ++i) {
    TXVM_CHECK_OK(Take(i));
  }
  SortUnique(tree_.callees);
  return std::move(tree_);
}

/// Dead code is skipped up to the `else` or `end` of the construct it stands in.
void Builder::SkipDead(const Instr& instr) {
  switch (instr.kind) {
    case InstrKind::kBlock:
    case InstrKind::kLoop:
    case InstrKind::kIf:
      ++dead_depth_;
      return;
    case InstrKind::kElse:
      if (dead_depth_ == 0) Else();
      return;
    case InstrKind::kEnd:
      if (dead_depth_ == 0) return End();
      --dead_depth_;
      return;
    default:
      return;
  }
}

Result<void> Builder::Take(std::uint32_t index) {
  const Instr& instr = function_.body[index];
  if (!live_) {
    SkipDead(instr);
    return {};
  }
  switch (instr.kind) {
    case InstrKind::kBlock:
      return Begin(instr, Node::Kind::kBlock);
    case InstrKind::kLoop:
      return Begin(instr, Node::Kind::kLoop);
    case InstrKind::kIf:
      return Begin(instr, Node::Kind::kIf);
    case InstrKind::kElse:
      Else();
      return {};
    case InstrKind::kEnd:
      End();
      return {};
    case InstrKind::kBr:
      Branch(Node::Kind::kBranch, instr.a);
      return {};
    case InstrKind::kBrIf:
      Branch(Node::Kind::kBranchIf, instr.a);
      return {};
    case InstrKind::kBrTable:
      BranchTable(instr);
      return {};
    case InstrKind::kReturn:
      Branch(Node::Kind::kBranch, depth());
      return {};
    case InstrKind::kUnreachable:
      Trap();
      return {};
    default:
      return Plain(index);
  }
}

Result<void> Builder::Begin(const Instr& instr, Node::Kind kind) {
  const wat::Signature& signature = module_.signatures[instr.a];
  if (!wat::IsI32Only(signature)) {
    return std::unexpected(ErrorAt(module_, ErrorCode::kUnsupported, PlaceOf(instr),
                                   "a block takes or leaves values that are no numbers"));
  }
  if (open_.size() > kMaxNesting) {
    return std::unexpected(ErrorAt(module_, ErrorCode::kLimit, PlaceOf(instr),
                                   fmt::format("constructs nest deeper than {}", kMaxNesting)));
  }
  Open open;
  open.node.kind = kind;
  open.node.arms.emplace_back();
  open.node.height = height_;
  open.node.depth = Count(open_);
  open.node.params = Count(signature.params);
  open.node.results = Count(signature.results);
  if (kind == Node::Kind::kIf) --height_;
  if (kind == Node::Kind::kLoop) ++loops_;
  open.base = height_ - open.node.params;
  tree_.most_carried = std::max({tree_.most_carried, open.node.params, open.node.results});
  open_.push_back(std::move(open));
  return {};
}

/// Notes whether control comes out of the arm that ends here.
void Builder::CloseArm() {
  Open& open = open_.back();
  SortUnique(arm().leaves);
  arm().falls = live_ || (open.arm_targets && open.node.kind != Node::Kind::kLoop);
  open.node.falls |= arm().falls;
  open.node.leaves.insert(open.node.leaves.end(), arm().leaves.begin(), arm().leaves.end());
  open.arm_targets = false;
}

void Builder::Else() {
  CloseArm();
  Open& open = open_.back();
  open.node.arms.emplace_back();
  height_ = open.base + open.node.params;
  live_ = true;
}

void Builder::End() {
  CloseArm();
  Open open = std::move(open_.back());
  open_.pop_back();
  Node& node = open.node;
  if (node.kind == Node::Kind::kIf && node.arms.size() == 1) {
    node.arms.emplace_back().falls = true;
    node.falls = true;
  }
  if (node.kind == Node::Kind::kLoop) --loops_;
  SortUnique(node.leaves);
  live_ = node.falls;
  height_ = open.base + node.results;
  if (open_.empty()) {
    tree_.nodes = std::move(node.arms.front().nodes);
    tree_.falls = node.falls;
    return;
  }
  for (const std::uint32_t leaf : node.leaves) Target(leaf);
  sequence().push_back(std::move(node));
}

/// A branch of the innermost construct to the label at `target`.
void Builder::Target(std::uint32_t target) {
  Open& open = open_.back();
  if (target == depth()) {
    open.node.targeted = true;
    open.arm_targets = true;
  } else {
    arm().leaves.push_back(target);
  }
}

void Builder::Branch(Node::Kind kind, std::uint32_t label) {
  const std::uint32_t target = depth() - label;
  Add(kind).depth = target;
  Target(target);
  if (kind == Node::Kind::kBranchIf) {
    --height_;
  } else {
    live_ = false;
  }
}

void Builder::BranchTable(const Instr& instr) {
  Node& node = Add(Node::Kind::kBranchTable);
  node.first = instr.a;
  node.count = instr.b;
  node.depth = depth();
  const auto labels = std::span(function_.labels).subspan(instr.a, instr.b);
  for (const std::uint32_t label : labels) Target(depth() - label);
  live_ = false;
}

void Builder::Trap() {
  Add(Node::Kind::kTrap);
  live_ = false;
}

/// Whether what is refused has its name from a type that is no number.
bool IsOfAnotherType(std::string_view what) {
  constexpr auto kParts = std::to_array<std::string_view>(
      {"v128", "i8x16", "i16x8", "i32x4", "i64x2", "f32x4", "f64x2", " of type "});
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return what.find(part) != std::string_view::npos; });
}

Result<void> Builder::Check(const Instr& instr) const {
  std::string what;
  bool is_type = true;  // it is a type that is refused
  switch (instr.kind) {
    case InstrKind::kOp:
    case InstrKind::kAccess:
    case InstrKind::kConst:
    case InstrKind::kExtend:
    case InstrKind::kLocal:
    case InstrKind::kGlobalGet:
    case InstrKind::kGlobalSet:
    case InstrKind::kMemorySize:
    case InstrKind::kMemoryGrow:
      return {};
    case InstrKind::kCall: {
      const wat::Function& callee = module_.functions[instr.a];
      if (!wat::IsI32Only(module_.SignatureOf(callee))) {
        what = fmt::format("call of '{}', whose type is not of numbers only,",
                           isa::Printable(NameOf(module_, callee)));
        break;
      }
      std::string refusal = callee.import ? RefusalOf(module_, callee) : std::string();
      if (refusal.empty()) return {};
      return std::unexpected(
          ErrorAt(module_, ErrorCode::kUnsupported, PlaceOf(instr), std::move(refusal)));
    }
    case InstrKind::kCallIndirect:
      if (wat::IsI32Only(module_.signatures[instr.a])) return {};
      what = "call_indirect of a type that is not of numbers only";
      break;
    case InstrKind::kUnsupported:
    case InstrKind::kMissing:
      what = module_.unsupported[instr.a];
      is_type = IsOfAnotherType(what);
      break;
    default:
      what = "an instruction on numbers that are not words yet";
      break;
  }
  return std::unexpected(ErrorAt(module_, ErrorCode::kUnsupported, PlaceOf(instr),
                                 fmt::format("{} cannot become provable code{}", what,
                                             is_type ? ": i32, i64, f32 and f64 can" : "")));
}

void Builder::UseLocal(const Instr& instr) {
  LocalUse& use = tree_.locals[instr.a];
  std::uint64_t weight = 1;
  for (std::uint32_t i = 0; i < std::min(loops_, kMostWeightedLoops); ++i) weight *= kLoopWeight;
  use.weight += weight;
  const std::uint32_t above = instr.op == Opcode::kLocalTee ? height_ + 1 : height_;
  use.reach = std::max(use.reach, above);
}

Result<void> Builder::Plain(std::uint32_t index) {
  const Instr& instr = function_.body[index];
  TXVM_CHECK_OK(Check(instr));
  std::vector<Node>& nodes = sequence();
  if (nodes.empty() || nodes.back().kind != Node::Kind::kRun) Add(Node::Kind::kRun).first = index;
  ++nodes.back().count;
  if (instr.kind == InstrKind::kLocal) UseLocal(instr);
  if (instr.kind == InstrKind::kCall) tree_.callees.push_back(instr.a);
  if (instr.kind == InstrKind::kCallIndirect) tree_.indirect_calls.push_back(instr);
  if (instr.kind == InstrKind::kMemoryGrow) tree_.grows_memory = true;
  const Effect effect = EffectOf(module_, instr);
  height_ = height_ - effect.pops + effect.pushes;
  return {};
}

}  // namespace

std::string NameOf(const wat::Module& module, const wat::Function& function) {
  if (!function.name.empty()) return function.name;
  const auto index = static_cast<std::uint32_t>(&function - module.functions.data());
  for (const wat::Export& item : module.exports) {
    if (item.kind == wat::ExportKind::kFunction && item.index == index) return item.name;
  }
  return {};
}

std::string RefusalOf(const wat::Module& module, const wat::Function& import) {
  const wat::Signature& signature = module.SignatureOf(import);
  std::string known;
  for (const HostFunction& host : kHostFunctions) {
    if (host.module == import.import->module && host.name == import.import->name &&
        host.params == signature.params.size() && host.results == signature.results.size()) {
      return {};
    }
    known += fmt::format("{}{}.{}", known.empty() ? "" : ", ", host.module, host.name);
  }
  return fmt::format("import {}.{} with {} and {} cannot become provable code; what can: {}",
                     isa::Printable(import.import->module), isa::Printable(import.import->name),
                     isa::CountText(signature.params.size(), "parameter"),
                     isa::CountText(signature.results.size(), "result"), known);
}

isa::Error ErrorAt(const wat::Module& module, ErrorCode code, std::uint32_t place,
                   std::string message) {
  isa::Error error{code, std::move(message), {module.file, 0, 0}, {}};
  if (module.is_text) {
    error.place.line = place;
  } else if (place != 0) {
    error.message += fmt::format(" (at byte {})", place);
  }
  return error;
}

Effect EffectOf(const wat::Module& module, const Instr& instr) {
  switch (instr.kind) {
    case InstrKind::kOp:
    case InstrKind::kAccess:
    case InstrKind::kLocal:
      return {isa::Info(instr.op).pops, isa::Info(instr.op).pushes};
    case InstrKind::kConst:
    case InstrKind::kGlobalGet:
    case InstrKind::kMemorySize:
      return {0, 1};
    case InstrKind::kGlobalSet:
      return {1, 0};
    case InstrKind::kExtend:
    case InstrKind::kMemoryGrow:
      return {1, 1};
    case InstrKind::kCall: {
      const wat::Signature& signature = module.SignatureOf(module.functions[instr.a]);
      return {Count(signature.params), Count(signature.results)};
    }
    case InstrKind::kCallIndirect: {
      const wat::Signature& signature = module.signatures[instr.a];
      return {Count(signature.params) + 1, Count(signature.results)};
    }
    default:
      return {};
  }
}

Result<Tree> BuildTree(const wat::Module& module, const wat::Function& function) {
  return Builder(module, function).Run();
}

}  // namespace txvm::frontends::provable
