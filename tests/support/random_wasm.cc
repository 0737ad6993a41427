// This file is long, since one class draws everything of a module: each draw decides what may
// follow it.
#include "tests/support/random_wasm.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "tests/support/wasm_numbers.h"
#include "tests/support/wasm_vectors.h"

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
constexpr std::string_view kReferences = "FE";

bool IsReferenceType(char type) { return kReferences.contains(type); }

std::string_view TypeText(char type) {
  return type == 'F' ? "funcref" : type == 'E' ? "externref" : TypeName(type);
}

struct TableShape {
  char type = 'F';
  std::uint32_t size = 0;  // at first: a power of two
};

/// Writes one module. INVARIANT: stack_ has the types of the operands, those of the innermost block
/// from base_ on, as validation counts them.
class Writer {
 public:
  /// `earlier`: modules to import from, named m0, m1, ...; the module made is the next of them.
  Writer(std::uint64_t seed, const RandomWasmOptions& options,
         std::span<const RandomModule> earlier, bool is_linked)
      : random_(seed), options_(options), earlier_(earlier), is_linked_(is_linked) {}
  RandomModule Run();

 private:
  std::uint32_t Below(std::size_t n) { return static_cast<std::uint32_t>(random_.Next() % n); }
  bool Chance(std::uint32_t percent) { return Below(100) < percent; }
  void Line(std::string_view text) { out_.text.append(text).append("\n"); }
  static std::string Number(std::size_t n) { return std::to_string(n); }
  char NumberType() {
    if (options_.vectors && Chance(45)) return 'v';
    return options_.numbers ? kNumbers[Below(kNumbers.size())] : 'i';
  }
  char Type() {
    if (options_.references && Chance(20)) return kReferences[Below(kReferences.size())];
    return NumberType();
  }
  std::string Types(std::uint32_t most) {
    std::string types(Below(most), 'i');
    for (char& type : types) type = Type();
    return types;
  }
  static std::string List(std::string_view what, std::string_view types);

  std::size_t height() const { return stack_.size() - base_; }
  char top() const { return stack_.back(); }
  std::string Reference(char type);
  std::string RandomValue(char type) {
    if (IsReferenceType(type)) return Reference(type);
    return ConstText(type, type == 'i' ? RandomWord(random_) : RandomNumber(type, random_));
  }
  void Push(char type) {
    Line(RandomValue(type));
    stack_ += type;
  }
  void Zeros(std::string_view types) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      Line(IsReferenceType(types[i]) ? NullText(types[i])
                                     : ConstText(types[i], types[i] == 'i' ? i : 0));
    }
  }
  static std::string NullText(char type) {
    return type == 'F' ? "ref.null func" : "ref.null extern";
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
  void Imports();
  void Globals();
  void MemoryAndData();
  void Tables(std::uint32_t own);
  void Element();
  void PassiveElements();
  void Function(std::uint32_t index);
  void Entry(std::uint32_t index);
  void Sequence(const std::string& results, std::uint32_t budget);
  bool Instruction(std::uint32_t budget);
  void Arithmetic();
  void Variable();
  void Address();
  void Memory();
  bool Vector();
  void Emit(const VectorOp& op);
  void Bulk();
  void Block(std::uint32_t budget);
  void LoopGuard();
  bool Branch();
  void BranchTable();
  void Call();
  void CallIndirect();
  std::uint32_t PickTable(char type);
  void Index(std::uint32_t size);
  void Count();
  void TableOp();
  void TableChange();
  void SegmentOp();
  void StateReader();
  void BytesReader();
  void TableReaders();
  void DeadCode(std::string_view results);
  template <typename Ops>
  const auto& PickOp(const Ops& ops);

  isa::SplitMix64 random_;
  RandomWasmOptions options_;
  std::span<const RandomModule> earlier_;
  bool is_linked_;
  RandomModule out_;
  std::vector<Shape> functions_;  // imported ones first
  std::uint32_t imported_ = 0;    // of functions_
  std::vector<Shape> types_;
  std::vector<std::string> labels_;  // what a branch to each open block takes, outermost first
  std::vector<TableShape> tables_;   // imported ones first
  std::uint32_t table_size_ = 8;
  std::string elements_;    // types of the element segments
  std::uint32_t data_ = 0;  // data segments
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
  for (const char type : types) text.append(" ").append(TypeText(type));
  return text + ")";
}

/// A function, or a null: no instruction makes another externref.
std::string Writer::Reference(char type) {
  if (type == 'E' || Chance(25)) return NullText(type);
  return "ref.func $f" + Number(Below(functions_.size()));
}

/// Pushes a value of a type: with numbers or references, often a local's.
void Writer::Supply(char type) {
  const std::size_t local = (options_.numbers || options_.references) && Chance(60)
                                ? locals_.find(type, Below(4))
                                : locals_.npos;
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
  if (options_.references && height() > 0 && IsReferenceType(top()) && Chance(70)) {
    Line("ref.is_null");
    return Apply(stack_.substr(stack_.size() - 1), "i");
  }
  if (Vector()) return;
  if (height() == 0 || top() == 'v') Supply(options_.vectors ? 'i' : Type());
  const NumericOp& op = PickOp(NumericOps());
  Need(op.operands);
  Line(op.text);
  Apply(op.operands, std::string_view(&op.result, 1));
  if (op.makes_nan) Line(op.result == 'f' ? "call $canon_f32" : "call $canon_f64");
}

void Writer::Emit(const VectorOp& op) {
  Need(op.operands);
  Line(op.text);
  Apply(op.operands, std::string_view(&op.result, op.result == 0 ? 0 : 1));
  if (op.nan != 0) Line(op.nan == 'f' ? "call $canon_f32x4" : "call $canon_f64x2");
}

/// A vector operation; false: the module has none, or something else is drawn.
bool Writer::Vector() {
  if (!options_.vectors || !Chance(75)) return false;
  if (Chance(25)) {
    Emit(RandomLaneOp(random_));
    return true;
  }
  if (out_.has_memory && Chance(25)) {
    const std::string offset = Chance(70) ? "" : " offset=" + Number(Below(64));
    const VectorOp access = RandomVectorAccess(random_, offset);
    Address();
    if (access.operands.size() > 1) Supply('v');
    Emit(access);
    return true;
  }
  Emit(VectorOps()[Below(VectorOps().size())]);
  return true;
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
  const bool is_inside = Chance(90);
  const std::uint32_t table = PickTable('F');
  if (is_inside) Line("i32.const " + Number(tables_[table].size - 1) + " i32.and");
  Line("call_indirect " + Number(table) + " (type $t" + Number(type) + ")");
  Apply(types_[type].params + "i", types_[type].results);
}

/// A table whose elements are of this type. REQUIRES: there is one.
std::uint32_t Writer::PickTable(char type) {
  std::vector<std::uint32_t> fit;
  for (std::uint32_t i = 0; i < tables_.size(); ++i) {
    if (tables_[i].type == type) fit.push_back(i);
  }
  return fit[Below(fit.size())];
}

/// Pushes an index, mostly one inside what has `size` items.
void Writer::Index(std::uint32_t size) {
  Supply('i');
  if (Chance(93)) Line("i32.const " + Number(size - 1) + " i32.and");
}

/// Pushes how many items to write: mostly few.
void Writer::Count() {
  Supply('i');
  Line(Chance(95) ? "i32.const 3 i32.and" : "i32.const -64 i32.or");
}

/// An instruction on a table, a reference, or a segment.
void Writer::TableOp() {
  const std::uint32_t kind = Below(10);
  if (kind >= 7) return SegmentOp();
  if (kind >= 4) return TableChange();
  const std::uint32_t table = Below(tables_.size());
  const auto [type, size] = tables_[table];
  if (kind == 0) {
    Line("table.size " + Number(table));
    stack_ += 'i';
    return;
  }
  Index(size);
  if (kind == 1) {
    Line("table.get " + Number(table));
    return Apply("i", {&type, 1});
  }
  Supply(type);
  Line("table.set " + Number(table));
  Drop(2);
}

void Writer::TableChange() {
  const std::uint32_t kind = Below(3), table = Below(tables_.size());
  const auto [type, size] = tables_[table];
  if (kind == 0) {
    Need({&type, 1});
    Supply('i');
    Line(Chance(95) ? "i32.const 1 i32.and" : "i32.const -1 i32.or");
    Line("table.grow " + Number(table));
    return Apply(std::string{type, 'i'}, "i");
  }
  Index(size);
  const std::uint32_t from = PickTable(type);
  if (kind == 1) {
    Supply(type);
  } else {
    Index(tables_[from].size);
  }
  Count();
  Line(kind == 1 ? "table.fill " + Number(table)
                 : "table.copy " + Number(table) + " " + Number(from));
  Drop(3);
}

/// table.init, memory.init, elem.drop or data.drop.
void Writer::SegmentOp() {
  const bool is_drop = Chance(12);
  if (out_.has_memory && data_ > 0 && Chance(40)) {
    const std::string segment = Number(Below(data_));
    if (is_drop) return Line("data.drop " + segment);
    Address();
    Index(16);
    Supply('i');
    Line(Chance(93) ? "i32.const 15 i32.and" : "i32.const -64 i32.or");
    Line("memory.init " + segment);
    return Drop(3);
  }
  const std::uint32_t segment = Below(elements_.size());
  if (is_drop) return Line("elem.drop " + Number(segment));
  if (std::ranges::find(tables_, elements_[segment], &TableShape::type) == tables_.end()) return;
  const std::uint32_t table = PickTable(elements_[segment]);
  Index(tables_[table].size);
  Index(4);
  Count();
  Line("table.init " + Number(table) + " " + Number(segment));
  Drop(3);
}

/// One instruction or construct; true when what follows cannot be reached.
bool Writer::Instruction(std::uint32_t budget) {
  if (options_.references && Chance(18)) {
    TableOp();
    return false;
  }
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
    const bool is_typed = Chance(20) || IsReferenceType(type);
    Line(is_typed ? "select" + List("result", {&type, 1}) : "select");
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
      Line(IsReferenceType(results[left])
               ? Reference(results[left])
               : ConstText(results[left], RandomNumber(results[left], random_)));
      ++left;
      continue;
    }
    for (; left > 0; --left) Line("drop");
    const char type = NumberType();
    Line(std::string(TypeName(type)) + (type == 'v' ? ".xor drop" : ".add drop"));
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
  Line("(func $f" + Number(index) +
       (is_linked_ ? " (export \"f" + Number(index) + "\")" : std::string()) +
       List("param", shape.params) + List("result", shape.results) + List("local", extra));
  if (options_.numbers) Line("(local $i i32) (local $l i64) (local $f f32) (local $d f64)");
  if (options_.vectors) Line("(local $v v128)");
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

/// An active segment of a table.
void Writer::Element() {
  const std::uint32_t drawn = Below(table_size_ / 2);
  const std::uint32_t table = Below(tables_.size());
  const auto [type, size] = tables_[table];
  const std::uint32_t offset = drawn % size;
  elements_ += type;
  const bool is_too_far = options_.references && Chance(3);
  const bool has_expressions = type == 'E' || (options_.references && Chance(40));
  Line("(elem (table " + Number(table) + ") (i32.const " + Number(is_too_far ? size - 1 : offset) +
       ") " + (has_expressions ? std::string(TypeText(type)) : "func"));
  for (std::uint32_t left = Below(size - offset + 1); left > 0; --left) {
    if (has_expressions) {
      Line("(" + Reference(type) + ")");
    } else {
      Line(has_imports_ && Chance(10) ? "$mix" : "$f" + Number(Below(functions_.size())));
    }
  }
  Line(")");
}

/// Passive segments, and one that declares every function, so that ref.func may name it.
void Writer::PassiveElements() {
  for (std::uint32_t segment = 1 + Below(3); segment > 0; --segment) {
    const char type = Chance(75) ? 'F' : 'E';
    elements_ += type;
    Line("(elem " + std::string(TypeText(type)));
    for (std::uint32_t left = Below(7); left > 0; --left) Line("(" + Reference(type) + ")");
    Line(")");
  }
  elements_ += 'F';
  Line("(elem declare func");
  for (std::uint32_t i = 0; i < functions_.size(); ++i) Line("$f" + Number(i));
  Line(")");
}

void Writer::Tables(std::uint32_t own) {
  const std::uint32_t more = options_.references ? Below(3) : 0;
  for (std::uint32_t t = 0; t < own + more; ++t) {
    TableShape shape = {.size = table_size_};
    if (options_.references && t > 0 && Chance(50)) shape.type = 'E';
    const std::string most =
        options_.references && Chance(98) ? " " + Number(table_size_ + Below(12)) : "";
    const std::string name =
        is_linked_ ? "(export \"t" + Number(tables_.size()) + "\") " : std::string();
    Line("(table " + name + Number(table_size_) + most + " " + std::string(TypeText(shape.type)) +
         ")");
    tables_.push_back(shape);
  }
  for (std::uint32_t segment = 1 + Below(3); segment > 0; --segment) {
    Element();
  }
  if (options_.references) PassiveElements();
}

/// Imports from earlier modules: the counters from the first, anything else from any.
void Writer::Imports() {
  const auto import = [](std::size_t from, std::string_view name) {
    return "(import \"m" + Number(from) + "\" \"" + std::string(name) + "\")";
  };
  const auto exported = [](char kind, std::size_t index) {
    return "(export \"" + std::string(1, kind) + Number(index) + "\") ";
  };
  for (std::size_t m = 0; m < earlier_.size(); ++m) {
    const RandomModule& from = earlier_[m];
    for (const RandomExport& function : from.functions) {
      if (Chance(40)) continue;
      Line("(func $f" + Number(functions_.size()) + " " + exported('f', functions_.size()) +
           import(m, function.name) + List("param", function.params) +
           List("result", function.results) + ")");
      functions_.push_back({function.params, function.results});
    }
    for (std::uint32_t g = 0; g < from.globals.size(); ++g) {
      if (g < kCounters ? m > 0 : Chance(50)) continue;
      Line("(global " + exported('g', out_.globals.size()) + import(m, "g" + Number(g)) + " (mut " +
           std::string(TypeText(from.globals[g])) + "))");
      out_.globals += from.globals[g];
    }
    for (std::uint32_t t = 0; t < from.tables.size(); ++t) {
      if (Chance(30)) continue;
      Line("(table " + exported('t', tables_.size()) + import(m, "t" + Number(t)) + " " +
           Number(from.table_sizes[t]) + " " + std::string(TypeText(from.tables[t])) + ")");
      tables_.push_back({from.tables[t], from.table_sizes[t]});
    }
    if (from.has_memory && !out_.has_memory && Chance(80)) {
      Line("(memory (export \"memory\") " + import(m, "memory") + (Chance(50) ? " 1 3)" : " 1)"));
      out_.has_memory = true;
    }
  }
  imported_ = static_cast<std::uint32_t>(functions_.size());
}

void Writer::Globals() {
  const std::string own = std::string(earlier_.empty() ? kCounters : 0, 'i') + Types(4);
  for (const char type : own) {
    const std::size_t i = out_.globals.size();
    const std::string value =
        IsReferenceType(type) ? Reference(type)
                              : ConstText(type, i < kCounters ? 50 : RandomNumber(type, random_));
    Line("(global (export \"g" + Number(i) + "\") (mut " + std::string(TypeText(type)) + ") (" +
         value + "))");
    out_.globals += type;
  }
}

void Writer::MemoryAndData() {
  const bool has_other = std::ranges::any_of(earlier_, &RandomModule::has_memory);
  if (!has_other && !out_.has_memory) {
    out_.has_memory = Chance(85);
    if (!out_.has_memory) return;
    Line(Chance(50) ? "(memory (export \"memory\") 1 3)" : "(memory (export \"memory\") 1 2)");
  }
  if (!out_.has_memory) return;
  for (std::uint32_t segment = Below(3); segment > 0; --segment) {
    const std::uint32_t offset = Below(5000);
    const bool is_too_far = options_.references && Chance(2);
    Line("(data (i32.const " + Number(is_too_far ? 65'535 : offset) + ") \"\\01\\80\\ff" +
         std::string(Below(40), 'z') + "\")");
    ++data_;
  }
  if (!options_.references) return;
  for (std::uint32_t segment = Below(3); segment > 0; --segment) {
    Line("(data \"\\02\\90" + std::string(Below(40), 'y') + "\")");
    ++data_;
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
  Imports();
}

/// "state" is a number made of the globals, the sizes of the tables, and where their first elements
/// are null.
void Writer::StateReader() {
  out_.readers.push_back({"state", "", "i"});
  Line("(func (export \"state\") (result i32) (local i32)");
  const auto mix = [this] { Line("i32.add i32.const 31 i32.mul local.set 0"); };
  for (std::size_t i = 0; i < out_.globals.size(); ++i) {
    const char type = out_.globals[i];
    Line("local.get 0 global.get " + Number(i));
    if (IsReferenceType(type)) Line("ref.is_null");
    if (type == 'f') Line("i32.reinterpret_f32");
    if (type == 'd') Line("i64.reinterpret_f64");
    if (IsWideType(type)) {
      Line("global.get " + Number(i) + (type == 'd' ? " i64.reinterpret_f64" : ""));
      Line("i64.const 32 i64.rotl i64.const 7 i64.mul i64.xor i32.wrap_i64");
    }
    mix();
  }
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    Line("local.get 0 table.size " + Number(t));
    mix();
    for (std::uint32_t slot = 0; slot < tables_[t].size; ++slot) {
      Line("local.get 0 i32.const " + Number(slot) + " table.get " + Number(t) + " ref.is_null");
      mix();
    }
  }
  Line("local.get 0)");
}

/// "bytes" is a number made of the size of the memory and its first bytes.
void Writer::BytesReader() {
  constexpr std::uint32_t kBytes = 5'120, kWords = 8;
  out_.readers.push_back({"bytes", "", "i"});
  Line("(func (export \"bytes\") (result i32) (local i32 i32) memory.size local.set 1 loop");
  for (std::uint32_t word = 0; word < kWords; ++word) {
    Line("local.get 1 i32.const 31 i32.mul local.get 0 i32.load offset=" + Number(4 * word) +
         " i32.add local.set 1");
  }
  Line("local.get 0 i32.const " + Number(4 * kWords) + " i32.add local.tee 0 i32.const " +
       Number(kBytes) + " i32.lt_u br_if 0 end local.get 1)");
}

/// "getN" reads an element of table N, "callN" calls it.
void Writer::TableReaders() {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const char type = tables_[t].type;
    if (is_linked_ || Chance(70)) {
      out_.readers.push_back({"get" + Number(t), "i", std::string(1, type)});
      Line("(func (export \"get" + Number(t) + "\") (param i32)" + List("result", {&type, 1}) +
           " local.get 0 table.get " + Number(t) + ")");
    }
    if (type != 'F') continue;
    const std::size_t callee = Below(types_.size());
    const Shape& shape = types_[callee];
    out_.readers.push_back({"call" + Number(t), "i", shape.results});
    Line("(func (export \"call" + Number(t) + "\") (param i32)" + List("result", shape.results));
    Line("i32.const 200 global.set 0 i32.const 60 global.set 1");
    Zeros(shape.params);
    Line("local.get 0 call_indirect " + Number(t) + " (type $t" + Number(callee) + "))");
  }
}

RandomModule Writer::Run() {
  std::vector<Shape> own;
  for (std::uint32_t i = 1 + Below(5); i > 0; --i) own.push_back({Types(4), Types(4)});
  for (std::uint32_t i = 1 + Below(3); i > 0; --i) types_.push_back({Types(3), Types(3)});
  types_.push_back(own[0]);  // so that some indirect calls succeed
  const bool has_two_tables = Chance(20);
  table_size_ = 4u << Below(3);
  Header();
  functions_.insert(functions_.end(), own.begin(), own.end());
  Globals();
  MemoryAndData();
  Tables(has_two_tables ? 2 : 1);
  for (std::uint32_t i = imported_; i < functions_.size(); ++i) Function(i);
  for (std::uint32_t i = imported_; i < functions_.size(); ++i) Entry(i);
  if (own[0].params.empty() && own[0].results.empty() && Chance(50)) {
    Line("(start $f" + Number(imported_) + ")");
  }
  if (options_.references) {
    TableReaders();
    if (is_linked_) StateReader();
    if (is_linked_ && out_.has_memory) BytesReader();
  }
  if (options_.numbers) {
    for (const std::string type : {"f32", "f64"}) {
      Line("(func $canon_" + type + " (param " + type + ") (result " + type +
           ") (select (local.get 0) (" + type + ".const nan) (" + type +
           ".eq (local.get 0) (local.get 0))))");
    }
  }
  if (options_.vectors) {
    for (const std::string shape : {"f32x4", "f64x2"}) {
      const std::string nan = shape == "f32x4" ? " nan nan nan nan" : " nan nan";
      Line("(func $canon_" + shape + " (param v128) (result v128) (v128.bitselect (local.get 0) " +
           "(v128.const " + shape + nan + ") (" + shape + ".eq (local.get 0) (local.get 0))))");
    }
  }
  Line(")");
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    out_.functions.push_back({"f" + Number(i), functions_[i].params, functions_[i].results});
  }
  if (has_imports_) out_.hosts = options_.numbers ? 3 : 2;
  for (const TableShape& table : tables_) {
    out_.tables += table.type;
    out_.table_sizes.push_back(table.size);
  }
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
  return Writer(seed, options, {}, false).Run();
}

std::vector<RandomModule> MakeLinkedWasm(std::uint64_t seed, const RandomWasmOptions& options) {
  isa::SplitMix64 seeds(seed);
  std::vector<RandomModule> modules;
  for (std::uint64_t left = 2 + seeds.Next() % 2; left > 0; --left) {
    modules.push_back(Writer(seeds.Next(), options, modules, true).Run());
  }
  return modules;
}

}  // namespace txvm::tests
