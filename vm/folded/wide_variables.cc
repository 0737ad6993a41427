#include "vm/folded/wide_variables.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "vm/folded/value_table.h"

namespace txvm::vm::folded {
namespace {

// What blocks do with a local and the one after it, taken as one value.
struct Votes {
  int longs = 0, doubles = 0, pairs = 0, singles = 0;
  int words = 0;  // uses of one word, of either local
};

bool Is(const Node& node, WideOp op) { return node.op == Op::kWide && node.wide == op; }

class Chooser {
 public:
  Chooser(const FunctionIr& ir, const std::vector<isa::ValueType>& known)
      : ir_(ir), known_(known), votes_(ir.locals + 1) {}

  // (variables,)
  std::vector<Type> Choose() {
    for (const Block& block : ir_.blocks) Count(block);
    std::vector<Type> types(ir_.variables, Type::kWord);
    std::uint32_t local = SetKnown(types);
    for (; local < ir_.locals; ++local) {
      const Votes& votes = votes_[local];
      const int whole = votes.longs + votes.doubles + votes.pairs;
      if (local + 1 < ir_.locals && whole > votes.words + votes_[local + 1].words &&
          whole >= WholeOf(local + 1)) {
        types[local] = votes.doubles > votes.longs ? Type::kDouble : Type::kLong;
        types[++local] = Type::kNothing;
      } else if (votes.singles > votes.words) {
        types[local] = Type::kSingle;
      }
    }
    return types;
  }

 private:
  // What the program says of its first locals; how many those are.
  std::uint32_t SetKnown(std::vector<Type>& types) const {
    std::uint32_t local = 0;
    for (const isa::ValueType type : known_) {
      if (type == isa::ValueType::kV128) {  // two longs
        if (local + 4 > ir_.locals) return local;
        types[local] = types[local + 2] = Type::kLong;
        types[local + 1] = types[local + 3] = Type::kNothing;
        local += 4;
        continue;
      }
      const bool is_pair = type == isa::ValueType::kI64 || type == isa::ValueType::kF64;
      if (local + (is_pair ? 2 : 1) > ir_.locals) return local;
      if (type == isa::ValueType::kF32) types[local] = Type::kSingle;
      if (is_pair) {
        types[local] = type == isa::ValueType::kI64 ? Type::kLong : Type::kDouble;
        types[++local] = Type::kNothing;
      }
      ++local;
    }
    return local;
  }

  int WholeOf(std::uint32_t local) const {
    const Votes& votes = votes_[local];
    return local + 1 < ir_.locals ? votes.longs + votes.doubles + votes.pairs : 0;
  }

  // The local that a value is, if it is one as it was before the block.
  std::optional<std::uint32_t> LocalOf(const Block& block, Value value) const {
    if (value == kNone) return std::nullopt;
    const Node& node = block.nodes[value];
    if (node.op != Op::kVariable || node.imm >= ir_.locals) return std::nullopt;
    return static_cast<std::uint32_t>(node.imm);
  }

  // The local whose pair with the next one a value is.
  std::optional<std::uint32_t> PairOf(const Block& block, Value value) const {
    const Node& node = block.nodes[value];
    if (!Is(node, WideOp::kPair)) return std::nullopt;
    const auto low = LocalOf(block, node.a), high = LocalOf(block, node.b);
    return low && high && *low + 1 == *high ? low : std::nullopt;
  }

  void Count(const Block& block) {
    for (const Node& node : block.nodes) {
      const bool is_pair =
          Is(node, WideOp::kPair) && PairOf(block, static_cast<Value>(&node - block.nodes.data()));
      for (const Value operand : {node.a, node.b, node.c}) {
        if (operand == kNone) continue;
        if (const auto pair = PairOf(block, operand)) {
          ++(Is(node, WideOp::kDoubleOfLong) ? votes_[*pair].doubles : votes_[*pair].longs);
        }
        const auto local = LocalOf(block, operand);
        if (!local || is_pair) continue;
        ++(Is(node, WideOp::kSingleOfWord) ? votes_[*local].singles : votes_[*local].words);
      }
    }
    CountAssigned(block);
  }

  void CountAssigned(const Block& block) {
    const auto& assigned = block.assigned;
    for (std::size_t i = 0; i < assigned.size(); ++i) {
      const auto [local, value] = assigned[i];
      if (local >= ir_.locals) continue;
      const Node& node = block.nodes[value];
      if (Is(node, WideOp::kWordOfSingle)) {
        ++votes_[local].singles;
        continue;
      }
      const bool next = i + 1 < assigned.size() && assigned[i + 1].first == local + 1;
      const Node* high = next ? &block.nodes[assigned[i + 1].second] : nullptr;
      if (high != nullptr && Is(node, WideOp::kLow) && Is(*high, WideOp::kHigh) &&
          node.a == high->a) {
        const Node& whole = block.nodes[node.a];
        Votes& votes = votes_[local];
        ++(Is(whole, WideOp::kLongOfDouble) ? votes.doubles
           : whole.op == Op::kWide          ? votes.longs
                                            : votes.pairs);
        ++i;
      } else if (node.op != Op::kConst && node.op != Op::kCell && node.op != Op::kLoad) {
        ++votes_[local].words;
      }
    }
  }

  const FunctionIr& ir_;
  const std::vector<isa::ValueType>& known_;
  std::vector<Votes> votes_;  // (locals + 1,)
};

// A block again, from the same values, with some variables as parts of wide ones.
class Rewriter {
 public:
  Rewriter(FunctionIr& ir, Block& block) : ir_(ir), old_(std::move(block)) {
    block_ = old_;
    block_.nodes.clear();
    block_.assigned.clear();
    table_.Start(block_);
    table_.FindLongs();
  }

  Block Rewrite() {
    for (const Node& node : old_.nodes) renamed_.push_back(Renamed(node));
    Assign();
    End& end = block_.end;
    end.condition = Condition(Of(end.condition));
    Rename(end.cells);
    Rename(end.locals);
    JoinLocals(end.locals);
    if (old_.check_exit != kNone) RenameExit(old_.check_exit);
    if (end.exit != kNone) RenameExit(end.exit);
    return std::move(block_);
  }

 private:
  using Stored = std::vector<std::pair<std::uint32_t, Value>>;

  Value Of(Value value) const { return value == kNone ? kNone : renamed_[value]; }
  void Rename(Stored& stored) const {
    for (auto& [where, value] : stored) value = Of(value);
  }
  void RenameExit(std::uint32_t index) {
    Exit& exit = ir_.exits[index];
    Rename(exit.cells);
    Rename(exit.locals);
    JoinLocals(exit.locals);
  }

  // Words of a wide variable, as parts of one value: then nobody has to compute them as words.
  void JoinLocals(Stored& stored) {
    for (std::size_t i = 0; i + 1 < stored.size(); ++i) {
      auto& [local, low] = stored[i];
      auto& [next, high] = stored[i + 1];
      const Type type = ir_.types[local];
      if (next != local + 1 || (type != Type::kLong && type != Type::kDouble)) continue;
      if (table_.ConstantOf(low) && table_.ConstantOf(high)) continue;
      if (const std::optional<Value> whole = table_.FreeLong(low, high)) {
        low = table_.Wide(WideOp::kLow, *whole);
        high = table_.Wide(WideOp::kHigh, *whole);
      }
    }
  }

  // A branch on x asks for x /= 0.
  Value Condition(Value value) {
    if (value == kNone) return kNone;
    const Value asked = table_.Pure(isa::Opcode::kNe, value, table_.Constant(0));
    return table_.At(asked).op == Op::kWide ? asked : value;
  }

  Value Word(std::uint32_t variable) {
    const Type type = ir_.types[variable];
    if (type == Type::kWord) return table_.Variable(variable);
    const std::uint32_t base = type == Type::kNothing ? variable - 1 : variable;
    const Value whole = Whole(base);
    if (type == Type::kSingle) return table_.Wide(WideOp::kWordOfSingle, whole);
    const Value bits =
        ir_.types[base] == Type::kDouble ? table_.Wide(WideOp::kLongOfDouble, whole) : whole;
    return table_.Wide(type == Type::kNothing ? WideOp::kHigh : WideOp::kLow, bits);
  }
  Value Whole(std::uint32_t base) {
    return table_.Numbered({.op = Op::kVariable, .type = ir_.types[base], .imm = base});
  }

  Value Renamed(Node node) {
    if (node.op == Op::kVariable) return Word(static_cast<std::uint32_t>(node.imm));
    if (node.op == Op::kConst) return table_.Constant(static_cast<isa::Word>(node.imm));
    node.a = Of(node.a);
    node.b = Of(node.b);
    node.c = Of(node.c);
    switch (node.op) {
      case Op::kPure:
        return table_.Pure(node.opcode, node.a, node.b, node.c);
      case Op::kWide:
        return table_.Wide(node.wide, node.a, node.b);
      case Op::kCell:
      case Op::kWideCell:
      case Op::kDivide:
      case Op::kVector:
      case Op::kLoad:
      case Op::kWideLoad:
        return table_.Numbered(node, node.version);
      default:
        break;
    }
    if (node.op == Op::kStore || node.op == Op::kWideStore) return RewrittenStore(node);
    if (node.exit != kNone) RenameExit(node.exit);
    return table_.Append(node);
  }

  Value RewrittenStore(Node node) {
    table_.MemoryIsAt(node.version);
    const auto last = [&] { return static_cast<Value>(block_.nodes.size() - 1); };
    if (node.op == Op::kStore && table_.StoreTwoWords(node)) return last();
    if (node.op == Op::kStore) node = table_.StoreOfSingle(node);
    return table_.Append(node);
  }

  // What a variable is after the block; nullopt: what it was before.
  std::optional<Value> Assigned(std::uint32_t variable) const {
    const auto found =
        std::ranges::find(old_.assigned, variable, [](const auto& pair) { return pair.first; });
    if (found == old_.assigned.end()) return std::nullopt;
    return Of(found->second);
  }

  void Assign() {
    for (std::uint32_t variable = 0; variable < ir_.variables; ++variable) {
      const Type type = ir_.types[variable];
      if (type == Type::kNothing) continue;
      const std::optional<Value> value = Assigned(variable);
      std::optional<Value> high;
      const bool is_pair = type == Type::kLong || type == Type::kDouble;
      if (is_pair) high = Assigned(variable + 1);
      if (!value && !high) continue;
      Value all = value ? *value : Word(variable);
      if (is_pair) all = table_.Wide(WideOp::kPair, all, high ? *high : Word(variable + 1));
      if (type == Type::kDouble) all = table_.Wide(WideOp::kDoubleOfLong, all);
      if (type == Type::kSingle) all = table_.Wide(WideOp::kSingleOfWord, all);
      const Node& node = table_.At(all);
      if (node.op == Op::kVariable && node.imm == variable) continue;
      block_.assigned.emplace_back(variable, all);
    }
  }

  FunctionIr& ir_;
  Block old_, block_;
  ValueTable table_;
  std::vector<Value> renamed_;  // (nodes of old_,)
};

}  // namespace

void WidenVariables(FunctionIr& ir, const std::vector<isa::ValueType>& known) {
  ir.types = Chooser(ir, known).Choose();
  const bool any = std::ranges::any_of(ir.types, [](Type type) { return type != Type::kWord; });
  if (!any) return;
  for (Block& block : ir.blocks) block = Rewriter(ir, block).Rewrite();
}

}  // namespace txvm::vm::folded
