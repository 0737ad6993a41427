#include "tests/vm/folded/mutants.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "isa/verify.h"
#include "tests/support/random.h"
#include "vm/folded/dead_values.h"
#include "vm/folded/folded_program.h"
#include "vm/folded/ir.h"
#include "vm/folded/machine_code.h"
#include "vm/folded/routine_map.h"

namespace txvm::vm {
namespace {

using folded::Block;
using folded::FunctionIr;
using folded::Node;
using folded::Op;
using folded::Value;
using isa::OpClass;
using isa::Opcode;

constexpr int kMutantPieces = 40;
constexpr unsigned kMostMutantSeconds = 60;  // for one program: a mutant may not end at all
// txvm_folded_test compares 20,000.
constexpr std::uint64_t kMostPrograms = 3'000;

enum class Change : std::uint8_t { kConstant, kOperand, kOpcode, kBranch, kSteps };
constexpr const char* kChangeNames[] = {"constant", "operand", "opcode", "branch", "steps"};

/// A function as the engine folds it.
FunctionIr FoldedFunctionOf(const isa::Program& program, std::uint32_t function) {
  const isa::PathFacts paths = isa::AnalyzePaths(program).value();
  const bool keeps_all = folded::ReadsOldLocals(program, paths);
  const folded::RoutineMap routines =
      keeps_all ? folded::RoutineMap() : folded::RoutineMap(program, folded::CanCompute);
  return folded::Lift(program, paths, function, keeps_all, &routines);
}

/// One change; for a rule, of every operation that has the same `op` and `opcode`.
struct Mutation {
  Change change = Change::kConstant;
  Op op = Op::kConst;
  Opcode opcode = Opcode::kNop;
  std::uint64_t delta = 0;     // kConstant: added; kSteps: added to the steps of the block
  Opcode to = Opcode::kNop;    // kOpcode
  std::uint32_t operand = 0;   // kOperand: a, b or c
  Value with = folded::kNone;  // kOperand: this value; for a rule, the other operand
  std::uint32_t function = 0, block = 0, node = 0;
};

Value* OperandOf(Node& node, std::uint32_t which) {
  return which == 0 ? &node.a : which == 1 ? &node.b : &node.c;
}

void CountAgain(Block& block, const FunctionIr& ir) {
  for (Node& node : block.nodes) node.uses = 0;
  folded::CountUses(block, ir.exits);
}

/// Whether the node has the change in it now.
bool ChangeNode(Block& block, Node& node, const Mutation& m, bool rule) {
  switch (m.change) {
    case Change::kConstant:
      if (m.op == Op::kConst && node.type == folded::Type::kWord) {
        node.imm = static_cast<isa::Word>(node.imm + m.delta);
      } else {
        node.imm += m.delta;
      }
      return true;
    case Change::kOperand: {
      Value* const operand = OperandOf(node, m.operand);
      const Value with = !rule ? m.with : m.operand == 0 ? node.b : node.a;
      if (*operand == folded::kNone || with == folded::kNone || with == *operand) return false;
      *operand = with;
      return true;
    }
    case Change::kOpcode:
      node.opcode = m.to;
      return true;
    case Change::kBranch:
    case Change::kSteps:
      break;
  }
  static_cast<void>(block);
  return false;
}

void ChangeBlock(Block& block, const Mutation& m) {
  if (m.change == Change::kBranch) std::swap(block.end.target, block.end.other);
  if (m.change == Change::kSteps) block.steps += static_cast<std::uint32_t>(m.delta);
}

void ApplyOnce(FunctionIr& ir, const Mutation& m) {
  if (ir.index != m.function) return;
  Block& block = ir.blocks[m.block];
  if (m.change == Change::kBranch || m.change == Change::kSteps) {
    ChangeBlock(block, m);
  } else {
    ChangeNode(block, block.nodes[m.node], m, false);
  }
  CountAgain(block, ir);
}

void ApplyEverywhere(FunctionIr& ir, const Mutation& m) {
  for (Block& block : ir.blocks) {
    if (m.change == Change::kBranch) {
      if (block.end.kind == folded::EndKind::kBranch) ChangeBlock(block, m);
      continue;
    }
    if (m.change == Change::kSteps) {
      ChangeBlock(block, m);
      continue;
    }
    for (Node& node : block.nodes) {
      if (node.op == m.op && node.opcode == m.opcode) ChangeNode(block, node, m, true);
    }
    CountAgain(block, ir);
  }
}

std::shared_ptr<const Prepared> Changed(const Work& work, const folded::IrHook& hook) {
  const auto prepared = Prepared::Create(work.program).value();
  const auto paths = prepared->tables().Get<isa::PathFacts>(TableKind::kPathFacts, 0, [&] {
    return std::make_shared<const isa::PathFacts>(isa::AnalyzePaths(*work.program).value());
  });
  prepared->tables().Get<folded::FoldedProgram>(TableKind::kFolded, 0, [&] {
    return folded::FoldedProgram::Create(prepared->program(), paths, hook);
  });
  return prepared;
}

/// Whether `notices` is true in a child process, or that crashes or does not end.
template <typename Notices>
bool InChild(const Notices& notices) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kMostMutantSeconds);
    _exit(notices() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status != 0;
}

bool FoundByItself(const Work& work, const Mutation& m, std::uint64_t seed) {
  return InChild([&] {
    const auto prepared = Changed(work, [&m](FunctionIr& ir) { ApplyOnce(ir, m); });
    return !PiecesDiffer(prepared, work, seed, kMutantPieces).empty();
  });
}

bool FoundAsRule(const std::vector<Work>& works, const Mutation& m, std::uint64_t seed) {
  return InChild([&] {
    const auto finds = [&](const Work& work) {
      alarm(kMostMutantSeconds);
      const auto prepared = Changed(work, [&m](FunctionIr& ir) { ApplyEverywhere(ir, m); });
      return !PiecesDiffer(prepared, work, seed, kMutantPieces).empty();
    };
    if (std::ranges::any_of(works, finds)) return true;
    for (std::uint64_t program = 1; program <= kMostPrograms; ++program) {
      if (finds(RandomWork(program))) return true;
    }
    return false;
  });
}

/// (instructions,) whether the native engine executes them.
std::vector<bool> Executed(const Work& work) {
  std::vector<bool> executed(work.program->code.size(), false);
  Machine machine = LoadWork(Prepared::Create(work.program).value(), work, EngineKind::kNative);
  RunOptions options;
  options.fuel = work.most_steps;
  options.trace = [&](std::span<const isa::TraceRecord> records) {
    for (const isa::TraceRecord& record : records) executed[record.ip] = true;
  };
  machine.RunInit(options);
  machine.CallStub(work.start, work.args, options);
  return executed;
}

bool IsWord(const Node& node) { return node.op == Op::kPure || node.op == Op::kDivide; }

/// Whether a constant is a part of the operation. The number of a variable is none.
bool HasConstant(const Node& node) {
  switch (node.op) {
    case Op::kVariable:
    case Op::kPure:
    case Op::kDivide:
    case Op::kCheckNonzero:
    case Op::kCheckQuotient:
    case Op::kWide:
    case Op::kCheckTruncation:
      return false;
    default:
      return true;
  }
}

/// Another opcode of the class and with as many operands.
std::optional<Opcode> OtherOpcode(const Node& node, support::Random& random) {
  std::vector<Opcode> others;
  const isa::OpcodeInfo& info = isa::Info(node.opcode);
  for (const isa::OpcodeInfo& row : isa::kOpcodes) {
    const bool alike = row.op_class == info.op_class && row.pops == info.pops &&
                       row.pushes == info.pushes && row.operand == info.operand &&
                       row.memory_reads == info.memory_reads &&
                       row.memory_writes == info.memory_writes;
    if (alike && row.op != node.opcode) others.push_back(row.op);
  }
  if (others.empty() || node.opcode == Opcode::kSelect) return std::nullopt;
  return others[random.Below(static_cast<std::uint32_t>(others.size()))];
}

std::optional<Mutation> ChangeOf(const Block& block, const Node& node, std::uint32_t index,
                                 support::Random& random) {
  Mutation m;
  m.op = node.op;
  m.opcode = node.opcode;
  m.node = index;
  const bool has_opcode = IsWord(node) || node.op == Op::kLoad;
  switch (random.Below(3)) {
    case 0:
      if (!HasConstant(node)) return std::nullopt;
      m.change = Change::kConstant;
      m.delta = random.OneIn(2) ? 1 : std::uint64_t{0} - 1;
      if (node.op != Op::kConst && node.imm == 0) m.delta = 1;
      return m;
    case 1: {
      m.change = Change::kOperand;
      m.operand = random.Below(3);
      Node copy = node;
      const Value old = *OperandOf(copy, m.operand);
      if (old == folded::kNone || index == 0) return std::nullopt;
      m.with = random.Below(index);
      const Node& other = block.nodes[m.with];
      const bool is_value = other.op != Op::kStore && other.op != Op::kGlobalSet &&
                            other.exit == folded::kNone && other.op != Op::kWideStore &&
                            other.type == block.nodes[old].type;
      if (m.with == old || !is_value) return std::nullopt;
      return m;
    }
    default: {
      if (!has_opcode) return std::nullopt;
      const std::optional<Opcode> to = OtherOpcode(node, random);
      if (!to) return std::nullopt;
      m.change = Change::kOpcode;
      m.to = *to;
      return m;
    }
  }
}

/// A mutation of something that the work executes; nullopt: this draw is none.
std::optional<Mutation> Draw(const Work& work, const std::vector<bool>& executed,
                             support::Random& random) {
  const auto f = random.Below(static_cast<std::uint32_t>(work.program->functions.size()));
  const FunctionIr ir = FoldedFunctionOf(*work.program, f);
  const auto b = random.Below(static_cast<std::uint32_t>(ir.blocks.size()));
  const Block& block = ir.blocks[b];
  if (!executed[block.first_ip] || !executed[block.last_ip]) return std::nullopt;
  std::optional<Mutation> m;
  constexpr std::uint32_t kBlocksEvery = 10;
  if (random.OneIn(kBlocksEvery) || block.nodes.empty()) {
    m.emplace();
    m->change = random.OneIn(2) ? Change::kBranch : Change::kSteps;
    m->delta = 1;
    if (m->change == Change::kBranch && block.end.kind != folded::EndKind::kBranch) {
      return std::nullopt;
    }
  } else {
    const auto n = random.Below(static_cast<std::uint32_t>(block.nodes.size()));
    const Node& node = block.nodes[n];
    const bool kept = node.uses != 0 || folded::HasEffect(node);
    if (!kept || node.ip == folded::kNone || !executed[node.ip]) return std::nullopt;
    m = ChangeOf(block, node, n, random);
  }
  if (!m) return std::nullopt;
  m->function = f;
  m->block = b;
  return m;
}

/// Why no run can tell the change from the original; empty: not known.
std::string WhyEquivalent(const Work& work, const Mutation& m) {
  FunctionIr ir = FoldedFunctionOf(*work.program, m.function);
  const FunctionIr before = ir;
  ApplyOnce(ir, m);
  const Block& block = ir.blocks[m.block];
  if (m.change == Change::kOperand || m.change == Change::kOpcode) {
    const Node& is = block.nodes[m.node];
    const Node& was = before.blocks[m.block].nodes[m.node];
    const auto same = [&](Value x, Value y) {
      if (x == y) return true;
      if (x == folded::kNone || y == folded::kNone) return false;
      const Node& p = block.nodes[x];
      const Node& q = block.nodes[y];
      return p.op == Op::kConst && q.op == Op::kConst && p.imm == q.imm;
    };
    if (is.opcode == was.opcode && same(is.a, was.a) && same(is.b, was.b) && same(is.c, was.c)) {
      return "the same constant";
    }
    if ((is.opcode == Opcode::kAnd || is.opcode == Opcode::kOr) && is.a == is.b &&
        is.opcode == was.opcode) {
      return {};
    }
  }
  if (m.change == Change::kBranch && block.end.target == block.end.other) return "one way";
  return {};
}

std::string TextOf(const Work& work, const Mutation& m) {
  const FunctionIr ir = FoldedFunctionOf(*work.program, m.function);
  const Block& block = ir.blocks[m.block];
  std::string text = fmt::format("{}: function {}, block {} ({}..{}), ", work.name, m.function,
                                 m.block, block.first_ip, block.last_ip);
  if (m.change == Change::kBranch || m.change == Change::kSteps) {
    return text + kChangeNames[static_cast<std::size_t>(m.change)];
  }
  const Node& node = block.nodes[m.node];
  text += fmt::format("v{} {} at {} (op {}, {} uses, imm {}), {}", m.node,
                      isa::Info(node.opcode == Opcode::kNop ? Opcode::kNop : node.opcode).text,
                      node.ip, static_cast<int>(node.op), node.uses, node.imm,
                      kChangeNames[static_cast<std::size_t>(m.change)]);
  if (m.change == Change::kConstant) text += m.delta == 1 ? " + 1" : " - 1";
  if (m.change == Change::kOperand) text += fmt::format(" {} is v{}", "abc"[m.operand], m.with);
  if (m.change == Change::kOpcode) text += fmt::format(" is {}", isa::Info(m.to).text);
  return text;
}

}  // namespace

std::string MutantsReport::Text() const {
  std::string text = fmt::format(
      "{} mutants: {} found by their program, {} found as a rule, {} equivalent, {} lost\n",
      mutants, by_itself, as_rule, equivalent, lost.size());
  for (const std::string& mutant : lost) text += "  lost: " + mutant + "\n";
  return text;
}

void TryMutants(const std::vector<Work>& works, std::uint64_t mutants, std::uint64_t seed,
                MutantsReport& report) {
  support::Random random(seed);
  std::vector<std::optional<std::vector<bool>>> executed(works.size());
  while (report.mutants < mutants) {
    const auto w = random.Below(static_cast<std::uint32_t>(works.size()));
    if (!executed[w]) executed[w] = Executed(works[w]);
    const std::optional<Mutation> m = Draw(works[w], *executed[w], random);
    if (!m) continue;
    ++report.mutants;
    if (!WhyEquivalent(works[w], *m).empty()) {
      ++report.equivalent;
    } else if (FoundByItself(works[w], *m, seed)) {
      ++report.by_itself;
    } else if (FoundAsRule(works, *m, seed)) {
      ++report.as_rule;
    } else {
      report.lost.push_back(TextOf(works[w], *m));
    }
  }
}

}  // namespace txvm::vm
