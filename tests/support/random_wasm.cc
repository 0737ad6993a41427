#include "tests/support/random_wasm.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "tests/support/wasm_numbers.h"

namespace txvm::tests {
namespace {

constexpr std::uint32_t kCounters = 2;  // globals 0 and 1: loop turns and calls left
constexpr std::uint32_t kMaxBlockDepth = 5;
constexpr std::size_t kMostOperands = 12;  // in a block, between two instructions

/// A function's type, in letters.
struct Shape {
  std::string params, results;
};

constexpr std::string_view kNumbers = "ilfd";

/// Writes one module. INVARIANT: stack_ has the types of the operands, those of the innermost block
/// from base_ on, as validation counts them.
class Writer {
 public:
  Writer(std::uint64_t seed, const RandomWasmOptions& options) : random_(seed), options_(options) {}
  RandomModule Run();

 private:
  std::uint32_t Below(std::size_t n) { return static_cast<std::uint32_t>(random_.Next() % n); }
  bool Chance(std::uint32_t percent) { return Below(100) < percent; }
  void Line(std::string_view text) { out_.text.append(text).append("\n"); }
  static std::string Number(std::size_t n) { return std::to_string(n); }
  char Type() { return options_.numbers ? kNumbers[Below(kNumbers.size())] : 'i'; }
  std::string Types(std::uint32_t most) {
    std::string types(Below(most), 'i');
    for (char& type : types) type = Type();
    return types;
  }
  static std::string List(std::string_view what, std::string_view types);

  std::size_t height() const { return stack_.size() - base_; }
  char top() const { return stack_.back(); }
  void Push(char type) {
    Line(ConstText(type, type == 'i' ? RandomWord(random_) : RandomNumber(type, random_)));
    stack_ += type;
  }
  void Zeros(std::string_view types) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      Line(ConstText(types[i], types[i] == 'i' ? i : 0));
    }
  }
  void Supply(char type);
  void Need(std::string_view types);
  void Drop(std::size_t n) { stack_.resize(stack_.size() - n); }
  /// The stack after `operands`, which lie on it, became `results`.
  void Apply(std::string_view operands, std::string_view results) {
    Drop(operands.size());
    stack_ += results;
  }

  void Header();
  void Tables();
  void Function(std::uint32_t index);
  void Entry(std::uint32_t index);
  void Sequence(const std::string& results, std::uint32_t budget);
  bool Instruction(std::uint32_t budget);
  void Arithmetic();
  void Variable();
  void Address();
  void Memory();
  void Bulk();
  void Block(std::uint32_t budget);
  void LoopGuard();
  bool Branch();
  void BranchTable();
  void Call();
  void CallIndirect();
  void DeadCode(std::string_view results);
  template <typename Ops>
  const auto& PickOp(const Ops& ops);

  isa::SplitMix64 random_;
  RandomWasmOptions options_;
  RandomModule out_;
  std::vector<Shape> functions_;
  std::vector<Shape> types_;
  std::vector<std::string> labels_;  // what a branch to each open block takes, outermost first
  std::uint32_t tables_ = 1, table_size_ = 8;
  bool has_imports_ = false;
  std::uint32_t current_ = 0;  // function being written
  std::string locals_;         // types of the locals of the current function, parameters first
  std::string stack_;
  std::size_t base_ = 0;
};

std::string Writer::List(std::string_view what, std::string_view types) {
  if (types.empty()) return "";
  std::string text = " (";
  text.append(what);
  for (const char type : types) text.append(" ").append(TypeName(type));
  return text + ")";
}

/// Pushes a value of a type: with numbers, often a local's.
void Writer::Supply(char type) {
  const std::size_t local =
      options_.numbers && Chance(60) ? locals_.find(type, Below(4)) : locals_.npos;
  if (local == locals_.npos) return Push(type);
  Line("local.get " + Number(local));
  stack_ += type;
}

/// Makes `types` the topmost operands, with as many of those that are there as fit.
void Writer::Need(std::string_view types) {
  std::size_t kept = std::min(height(), types.size());
  while (!std::string_view(stack_).ends_with(types.substr(0, kept))) --kept;
  for (const char type : types.substr(kept)) Supply(type);
}

/// One of `ops` on types this module has; with numbers, as a rule one that takes the top operand.
template <typename Ops>
const auto& Writer::PickOp(const Ops& ops) {
  const auto fits = [this](const auto& op) {
    if constexpr (requires { op.operands; }) {
      return options_.numbers ? op.operands.back() == top() || Below(20) == 0
                              : op.operands.back() == 'i' && op.result == 'i';
    } else {
      return options_.numbers || op.type == 'i';
    }
  };
  while (true) {
    const auto& op = ops[Below(ops.size())];
    const bool often_traps = op.text.find(".trunc_f") != op.text.npos;
    if (fits(op) && (!often_traps || Below(4) == 0)) return op;
  }
}

void Writer::Arithmetic() {
  if (height() == 0) Supply(Type());
  const NumericOp& op = PickOp(NumericOps());
  Need(op.operands);
  Line(op.text);
  Apply(op.operands, std::string_view(&op.result, 1));
  if (op.makes_nan) Line(op.result == 'f' ? "call $canon_f32" : "call $canon_f64");
}

void Writer::Variable() {
  const bool is_global = out_.globals.size() > kCounters && Chance(30);
  const std::string& types = is_global ? out_.globals : locals_;
  if (types.empty()) return Supply(Type());
  const std::uint32_t first = is_global ? kCounters : 0;
  const std::uint32_t index = first + Below(types.size() - first);
  const char type = types[index];
  const std::string space = is_global ? "global" : "local";
  if (Chance(50)) {
    Line(space + ".get " + Number(index));
    stack_ += type;
    return;
  }
  Need({&type, 1});
  if (!is_global && Chance(40)) return Line("local.tee " + Number(index));
  Line(space + ".set " + Number(index));
  Drop(1);
}

/// Leaves an address on top: mostly inside a page, sometimes anywhere.
void Writer::Address() {
  Need("i");
  if (Chance(93)) Line(Chance(50) ? "i32.const 0xFFF i32.and" : "i32.const 0xFFFC i32.and");
}

/// A copy or fill of up to 255 bytes, or of more than any memory has.
void Writer::Bulk() {
  const bool is_copy = Chance(60);
  Address();
  Push('i');
  if (is_copy && Chance(93)) Line("i32.const 0xFFF i32.and");
  Push('i');
  Line(Chance(93) ? "i32.const 255 i32.and" : "i32.const -256 i32.or");
  Line(is_copy ? "memory.copy" : "memory.fill");
  Drop(3);
}

void Writer::Memory() {
  if (!out_.has_memory) return Arithmetic();
  if (options_.bulk && Chance(25)) return Bulk();
  const std::string offset = Chance(60)   ? ""
                             : Chance(90) ? " offset=" + Number(Below(64))
                                          : " offset=" + Number(RandomWord(random_));
  if (Chance(12)) {
    if (Chance(50)) {
      Line("memory.size");
      stack_ += 'i';
      return;
    }
    Need("i");
    if (Chance(90)) Line("i32.const 1 i32.and");
    return Line("memory.grow");
  }
  if (Chance(50)) {
    Address();
    const MemoryOp& load = PickOp(MemoryLoads());
    Line(std::string(load.text) + offset);
    return Apply("i", {&load.type, 1});
  }
  const MemoryOp& store = PickOp(MemoryStores());
  if (options_.numbers && height() > 0 &&
      Chance(50)) {  // what was computed: swap it with an address
    Need({&store.type, 1});
    Line(std::string("local.set $") + store.type);
    Drop(1);
    Address();
    Line(std::string("local.get $") + store.type);
    stack_ += store.type;
  } else {
    Address();
    Supply(store.type);
    if (store.type == 'i' && Chance(50)) Line("i32.const 7 i32.mul");
  }
  Line(std::string(store.text) + offset);
  Drop(2);
}

/// Returns constants when the loop turns are used up; else counts one.
void Writer::LoopGuard() {
  Line("global.get 0 i32.eqz if");
  Zeros(functions_[current_].results);
  Line("return end global.get 0 i32.const 1 i32.sub global.set 0");
}

void Writer::Block(std::uint32_t budget) {
  const std::uint32_t kind = Below(3);
  const std::string results = Types(3);
  if (kind == 2) {
    Variable();
    Need("i");
    Drop(1);
  }
  const std::size_t count = std::min<std::size_t>(Below(3), height());
  const std::string params = stack_.substr(stack_.size() - count);
  const std::string type = List("param", params) + List("result", results);
  const std::size_t outer = base_;
  base_ = stack_.size() - count;
  constexpr auto kKinds = std::to_array<std::string_view>({"block", "loop", "if"});
  Line(std::string(kKinds[kind]) + type);
  labels_.push_back(kind == 1 ? params : results);
  if (kind == 1) LoopGuard();
  Sequence(results, budget / 2);
  if (kind == 2 && (params != results || Chance(70))) {
    Line("else");
    stack_ = stack_.substr(0, base_) + params;
    Sequence(results, budget / 2);
  }
  Line("end");
  labels_.pop_back();
  stack_ = stack_.substr(0, base_) + results;
  base_ = outer;
}

void Writer::BranchTable() {
  const std::uint32_t depth = Below(labels_.size());
  const std::string taken = labels_[labels_.size() - 1 - depth];
  std::string targets;
  for (std::uint32_t i = Below(7); i > 0; --i) {
    const std::uint32_t other = Below(labels_.size());
    if (labels_[labels_.size() - 1 - other] == taken) targets += " " + Number(other);
  }
  Need(taken);
  Variable();
  Need(taken + "i");
  Line("i32.const 7 i32.and br_table" + targets + " " + Number(depth));
}

/// True when what follows cannot be reached.
bool Writer::Branch() {
  if (Chance(6)) {
    Line("unreachable");
    return true;
  }
  if (Chance(15)) {
    Need(functions_[current_].results);
    Line("return");
    return true;
  }
  if (Chance(25)) {
    BranchTable();
    return true;
  }
  const std::uint32_t depth = Below(labels_.size());
  const std::string taken = labels_[labels_.size() - 1 - depth];
  if (Chance(30)) {
    Need(taken);
    Line("br " + Number(depth));
    return true;
  }
  Need(taken);
  Variable();
  Need(taken + "i");
  Line("br_if " + Number(depth));
  Drop(1);
  return false;
}

void Writer::Call() {
  if (has_imports_ && Chance(25)) {
    const std::uint32_t which = Below(options_.numbers ? 3 : 2);
    constexpr std::string_view kParams[] = {"ii", "i", "dfl"}, kResults[] = {"i", "ii", "lfd"};
    constexpr std::string_view kCalls[] = {"call $mix", "call $pair", "call $turn"};
    Need(kParams[which]);
    Line(kCalls[which]);
    return Apply(kParams[which], kResults[which]);
  }
  const std::uint32_t index = Below(functions_.size());
  Need(functions_[index].params);
  Line("call $f" + Number(index));
  Apply(functions_[index].params, functions_[index].results);
}

void Writer::CallIndirect() {
  const std::uint32_t type = Below(types_.size());
  Need(types_[type].params);
  Variable();
  Need(types_[type].params + "i");
  if (Chance(90)) Line("i32.const " + Number(table_size_ - 1) + " i32.and");
  Line("call_indirect " + Number(Below(tables_)) + " (type $t" + Number(type) + ")");
  Apply(types_[type].params + "i", types_[type].results);
}

/// One instruction or construct; true when what follows cannot be reached.
bool Writer::Instruction(std::uint32_t budget) {
  const std::uint32_t roll = Below(100);
  if (roll < 12) {
    Push(Type());
  } else if (roll < 38) {
    Arithmetic();
  } else if (roll < 56) {
    Variable();
  } else if (roll < 70) {
    Memory();
  } else if (roll < 82) {
    if (labels_.size() < kMaxBlockDepth && budget > 3) Block(budget);
  } else if (roll < 88) {
    return Branch();
  } else if (roll < 91) {
    Call();
  } else if (roll < 94) {
    CallIndirect();
  } else if (roll < 97) {
    const char type = height() > 0 ? top() : Type();
    Need(std::string(2, type) + "i");
    Line(Chance(20) ? "select" + List("result", {&type, 1}) : "select");
    Drop(2);
  } else {
    if (height() == 0) Push(Type());
    Line("drop");
    Drop(1);
  }
  return false;
}

/// After a branch the stack is polymorphic: pops succeed, but nothing may be left over.
void Writer::DeadCode(std::string_view results) {
  std::size_t left = 0;
  for (std::uint32_t i = Below(4); i > 0; --i) {
    if (left < results.size() && Chance(50)) {
      Line(ConstText(results[left], RandomNumber(results[left], random_)));
      ++left;
      continue;
    }
    for (; left > 0; --left) Line("drop");
    Line(std::string(TypeName(Type())) + ".add drop");
  }
  if (left != results.size()) {
    for (; left > 0; --left) Line("drop");
  }
}

/// Instructions that leave exactly `results` in the innermost block.
void Writer::Sequence(const std::string& results, std::uint32_t budget) {
  for (std::uint32_t i = 0; i < budget; ++i) {
    if (Instruction(budget)) return DeadCode(results);
    while (height() > kMostOperands) {
      Line("drop");
      Drop(1);
    }
  }
  std::size_t kept = std::min(height(), results.size());
  while (stack_.substr(base_, kept) != results.substr(0, kept)) --kept;
  for (; height() > kept; Drop(1)) Line("drop");
  for (const char type : results.substr(kept)) Supply(type);
}

void Writer::Function(std::uint32_t index) {
  current_ = index;
  const Shape& shape = functions_[index];
  std::string extra(options_.locals, 'i');
  extra += Types(4);
  Line("(func $f" + Number(index) + List("param", shape.params) + List("result", shape.results) +
       List("local", extra));
  if (options_.numbers) Line("(local $i i32) (local $l i64) (local $f f32) (local $d f64)");
  locals_ = shape.params + extra;
  Line("global.get 1 i32.eqz if");
  Zeros(shape.results);
  Line("return end global.get 1 i32.const 1 i32.sub global.set 1");
  labels_ = {shape.results};
  stack_.clear();
  base_ = 0;
  Sequence(shape.results, 4 + Below(24));
  Line(")");
}

void Writer::Entry(std::uint32_t index) {
  const Shape& shape = functions_[index];
  RandomExport& item = out_.exports.emplace_back();
  item = {"e" + Number(index), shape.params, shape.results};
  Line("(func (export \"" + item.name + "\")" + List("param", shape.params) +
       List("result", shape.results));
  Line("i32.const 200 global.set 0 i32.const 60 global.set 1");
  for (std::uint32_t i = 0; i < shape.params.size(); ++i) Line("local.get " + Number(i));
  Line("call $f" + Number(index) + ")");
}

void Writer::Tables() {
  for (std::uint32_t t = 0; t < tables_; ++t) {
    Line("(table " + Number(table_size_) + " funcref)");
  }
  for (std::uint32_t segment = 1 + Below(3); segment > 0; --segment) {
    const std::uint32_t offset = Below(table_size_ / 2);
    Line("(elem (table " + Number(Below(tables_)) + ") (i32.const " + Number(offset) + ") func");
    for (std::uint32_t left = Below(table_size_ - offset + 1); left > 0; --left) {
      Line(has_imports_ && Chance(10) ? "$mix" : "$f" + Number(Below(functions_.size())));
    }
    Line(")");
  }
}

void Writer::Header() {
  Line("(module");
  has_imports_ = Chance(40) && options_.imports;
  for (std::uint32_t i = 0; i < types_.size(); ++i) {
    Line("(type $t" + Number(i) + " (func" + List("param", types_[i].params) +
         List("result", types_[i].results) + "))");
  }
  if (has_imports_) {
    Line("(import \"env\" \"mix\" (func $mix (param i32 i32) (result i32)))");
    Line("(import \"env\" \"pair\" (func $pair (param i32) (result i32 i32)))");
    if (options_.numbers) {
      Line("(import \"env\" \"turn\" (func $turn (param f64 f32 i64) (result i64 f32 f64)))");
    }
  }
  out_.globals = std::string(kCounters, 'i') + Types(4);
  for (std::uint32_t i = 0; i < out_.globals.size(); ++i) {
    const char type = out_.globals[i];
    const std::uint64_t value = i < kCounters ? 50 : RandomNumber(type, random_);
    Line("(global (export \"g" + Number(i) + "\") (mut " + std::string(TypeName(type)) + ") (" +
         ConstText(type, value) + "))");
  }
  out_.has_memory = Chance(85);
  if (!out_.has_memory) return;
  Line(Chance(50) ? "(memory (export \"memory\") 1 3)" : "(memory (export \"memory\") 1 2)");
  for (std::uint32_t segment = Below(3); segment > 0; --segment) {
    Line("(data (i32.const " + Number(Below(5000)) + ") \"\\01\\80\\ff" +
         std::string(Below(40), 'z') + "\")");
  }
}

RandomModule Writer::Run() {
  for (std::uint32_t i = 1 + Below(5); i > 0; --i) functions_.push_back({Types(4), Types(4)});
  for (std::uint32_t i = 1 + Below(3); i > 0; --i) types_.push_back({Types(3), Types(3)});
  types_.push_back(functions_[0]);  // so that some indirect calls succeed
  tables_ = Chance(20) ? 2 : 1;
  table_size_ = 4u << Below(3);
  Header();
  Tables();
  for (std::uint32_t i = 0; i < functions_.size(); ++i) Function(i);
  for (std::uint32_t i = 0; i < functions_.size(); ++i) Entry(i);
  if (functions_[0].params.empty() && functions_[0].results.empty() && Chance(50)) {
    Line("(start $f0)");
  }
  if (options_.numbers) {
    for (const std::string type : {"f32", "f64"}) {
      Line("(func $canon_" + type + " (param " + type + ") (result " + type +
           ") (select (local.get 0) (" + type + ".const nan) (" + type +
           ".eq (local.get 0) (local.get 0))))");
    }
  }
  Line(")");
  return std::move(out_);
}

}  // namespace

std::uint32_t RandomWord(isa::SplitMix64& random) {
  const std::uint64_t bits = random.Next();
  const auto word = static_cast<std::uint32_t>(bits >> 32);
  switch (bits % 6) {
    case 0:
    case 1:
      return word % 9;
    case 2:
      return 0u - word % 9;
    case 3:
      return (1u << word % 32) - word / 32 % 2;
    case 4:
      return word % 70'000;
    default:
      return word;
  }
}

RandomModule MakeRandomWasm(std::uint64_t seed, const RandomWasmOptions& options) {
  return Writer(seed, options).Run();
}

}  // namespace txvm::tests
