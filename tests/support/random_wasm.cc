#include "tests/support/random_wasm.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace txvm::tests {
namespace {

constexpr std::uint32_t kCounters = 2;  // globals 0 and 1: loop turns and calls left
constexpr std::uint32_t kMaxBlockDepth = 5;

constexpr auto kBinary = std::to_array<std::string_view>(
    {"add",  "sub",  "mul",   "div_s", "div_u", "rem_s", "rem_u", "and", "or",
     "xor",  "shl",  "shr_s", "shr_u", "rotl",  "rotr",  "eq",    "ne",  "lt_s",
     "lt_u", "gt_s", "gt_u",  "le_s",  "le_u",  "ge_s",  "ge_u",  "add", "sub"});
constexpr auto kUnary =
    std::to_array<std::string_view>({"eqz", "clz", "ctz", "popcnt", "extend8_s", "extend16_s"});
constexpr auto kLoads =
    std::to_array<std::string_view>({"load", "load8_u", "load8_s", "load16_u", "load16_s"});
constexpr auto kStores = std::to_array<std::string_view>({"store", "store8", "store16"});

struct Shape {
  std::uint32_t params = 0, results = 0;
};

/// Writes one module. Values on the stack are counted per block, as validation does.
class Writer {
 public:
  Writer(std::uint64_t seed, const RandomWasmOptions& options) : random_(seed), options_(options) {}
  RandomModule Run();

 private:
  std::uint32_t Below(std::uint32_t n) { return static_cast<std::uint32_t>(random_.Next() % n); }
  bool Chance(std::uint32_t percent) { return Below(100) < percent; }
  template <typename Array>
  std::string_view Pick(const Array& array) {
    return array[Below(static_cast<std::uint32_t>(array.size()))];
  }

  void Line(std::string_view text) { out_.text.append(text).append("\n"); }
  static std::string Number(std::uint32_t n) { return std::to_string(n); }
  void Const(std::uint32_t value) { Line("i32.const " + Number(value)); }
  void Push() {
    Const(RandomWord(random_));
    ++height_;
  }
  void Need(std::uint32_t n) {
    while (height_ < n) Push();
  }
  static std::string Types(std::string_view what, std::uint32_t n);

  void Header();
  void Tables();
  void Function(std::uint32_t index);
  void Entry(std::uint32_t index);
  void Sequence(std::uint32_t results, std::uint32_t budget);
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
  void DeadCode(std::uint32_t results);

  isa::SplitMix64 random_;
  RandomWasmOptions options_;
  RandomModule out_;
  std::vector<Shape> functions_;
  std::vector<Shape> types_;
  std::vector<std::uint32_t> labels_;  // arity of each open block, outermost first
  std::uint32_t tables_ = 1, table_size_ = 8;
  bool has_imports_ = false;
  std::uint32_t current_ = 0;  // function being written
  std::uint32_t locals_ = 0;
  std::uint32_t height_ = 0;  // in the innermost block
};

std::string Writer::Types(std::string_view what, std::uint32_t n) {
  if (n == 0) return "";
  std::string text = " (";
  text.append(what);
  for (std::uint32_t i = 0; i < n; ++i) text += " i32";
  return text + ")";
}

void Writer::Arithmetic() {
  if (Chance(25)) {
    Need(1);
    return Line("i32." + std::string(Pick(kUnary)));
  }
  Need(2);
  Line("i32." + std::string(Pick(kBinary)));
  --height_;
}

void Writer::Variable() {
  const bool is_global = out_.globals > kCounters && Chance(30);
  const std::string index = is_global ? Number(kCounters + Below(out_.globals - kCounters))
                                      : Number(Below(std::max(locals_, 1u)));
  if (!is_global && locals_ == 0) return Push();
  const std::string space = is_global ? "global" : "local";
  if (Chance(50)) {
    Line(space + ".get " + index);
    ++height_;
    return;
  }
  Need(1);
  if (!is_global && Chance(40)) return Line("local.tee " + index);
  Line(space + ".set " + index);
  --height_;
}

/// Leaves an address on top: mostly inside a page, sometimes anywhere.
void Writer::Address() {
  Need(1);
  if (Chance(93)) {
    Const(Chance(50) ? 0xFFF : 0xFFFC);
    Line("i32.and");
  }
}

/// A copy or fill of up to 255 bytes, or of more than any memory has.
void Writer::Bulk() {
  const bool is_copy = Chance(60);
  Address();
  Push();
  if (is_copy && Chance(93)) Line("i32.const 0xFFF i32.and");
  Push();
  Line(Chance(93) ? "i32.const 255 i32.and" : "i32.const -256 i32.or");
  Line(is_copy ? "memory.copy" : "memory.fill");
  height_ -= 3;
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
      ++height_;
      return;
    }
    Need(1);
    if (Chance(90)) {
      Const(1);
      Line("i32.and");
    }
    return Line("memory.grow");
  }
  if (Chance(50)) {
    Address();
    return Line("i32." + std::string(Pick(kLoads)) + offset);
  }
  Address();
  Push();
  if (Chance(50)) {  // a computed value instead of a constant
    Line("i32.const 7 i32.mul");
  }
  Line("i32." + std::string(Pick(kStores)) + offset);
  height_ -= 2;
}

/// Returns constants when the loop turns are used up; else counts one.
void Writer::LoopGuard() {
  Line("global.get 0 i32.eqz if");
  for (std::uint32_t i = 0; i < functions_[current_].results; ++i) Const(i);
  Line("return end global.get 0 i32.const 1 i32.sub global.set 0");
}

void Writer::Block(std::uint32_t budget) {
  const std::uint32_t kind = Below(3);
  const std::uint32_t params = std::min(Below(3), height_);
  const std::uint32_t results = Below(3);
  const std::string type = Types("param", params) + Types("result", results);
  if (kind == 2) {
    Variable();
    Need(params + 1);
    --height_;
  }
  const std::uint32_t outer = height_ - params;
  constexpr auto kKinds = std::to_array<std::string_view>({"block", "loop", "if"});
  Line(std::string(kKinds[kind]) + type);
  labels_.push_back(kind == 1 ? params : results);
  height_ = params;
  if (kind == 1) LoopGuard();
  Sequence(results, budget / 2);
  if (kind == 2 && (params != results || Chance(70))) {
    Line("else");
    height_ = params;
    Sequence(results, budget / 2);
  }
  Line("end");
  labels_.pop_back();
  height_ = outer + results;
}

void Writer::BranchTable() {
  const std::uint32_t depth = Below(static_cast<std::uint32_t>(labels_.size()));
  const std::uint32_t arity = labels_[labels_.size() - 1 - depth];
  std::string targets;
  for (std::uint32_t i = Below(7); i > 0; --i) {
    const std::uint32_t other = Below(static_cast<std::uint32_t>(labels_.size()));
    if (labels_[labels_.size() - 1 - other] == arity) targets += " " + Number(other);
  }
  Need(arity);
  Variable();
  Need(arity + 1);
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
  const std::uint32_t depth = Below(static_cast<std::uint32_t>(labels_.size()));
  const std::uint32_t arity = labels_[labels_.size() - 1 - depth];
  if (Chance(30)) {
    Need(arity);
    Line("br " + Number(depth));
    return true;
  }
  Need(arity);
  Variable();
  Need(arity + 1);
  Line("br_if " + Number(depth));
  --height_;
  return false;
}

void Writer::Call() {
  if (has_imports_ && Chance(25)) {
    const bool is_mix = Chance(50);
    Need(is_mix ? 2 : 1);
    Line(is_mix ? "call $mix" : "call $pair");
    height_ = is_mix ? height_ - 1 : height_ + 1;
    return;
  }
  const std::uint32_t index = Below(static_cast<std::uint32_t>(functions_.size()));
  Need(functions_[index].params);
  Line("call $f" + Number(index));
  height_ += functions_[index].results - functions_[index].params;
}

void Writer::CallIndirect() {
  const std::uint32_t type = Below(static_cast<std::uint32_t>(types_.size()));
  Need(types_[type].params);
  Variable();
  Need(types_[type].params + 1);
  if (Chance(90)) Line("i32.const " + Number(table_size_ - 1) + " i32.and");
  Line("call_indirect " + Number(Below(tables_)) + " (type $t" + Number(type) + ")");
  height_ += types_[type].results - types_[type].params - 1;
}

/// One instruction or construct; true when what follows cannot be reached.
bool Writer::Instruction(std::uint32_t budget) {
  const std::uint32_t roll = Below(100);
  if (roll < 12) {
    Push();
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
    Need(3);
    Line("select");
    height_ -= 2;
  } else {
    Need(1);
    Line("drop");
    --height_;
  }
  return false;
}

/// After a branch the stack is polymorphic: pops succeed, but nothing may be left over.
void Writer::DeadCode(std::uint32_t results) {
  std::uint32_t left = 0;
  for (std::uint32_t i = Below(4); i > 0; --i) {
    if (left < results && Chance(50)) {
      Const(RandomWord(random_));
      ++left;
    } else {
      Line("i32.add drop");
      left = left > 2 ? left - 2 : 0;
    }
  }
}

/// Instructions that leave exactly `results` values in the innermost block.
void Writer::Sequence(std::uint32_t results, std::uint32_t budget) {
  for (std::uint32_t i = 0; i < budget; ++i) {
    if (Instruction(budget)) return DeadCode(results);
    while (height_ > 12) {
      Line("drop");
      --height_;
    }
  }
  Need(results);
  for (; height_ > results; --height_) Line("drop");
}

void Writer::Function(std::uint32_t index) {
  current_ = index;
  const Shape& shape = functions_[index];
  const std::uint32_t extra = options_.locals + Below(4);
  Line("(func $f" + Number(index) + Types("param", shape.params) + Types("result", shape.results) +
       Types("local", extra));
  locals_ = shape.params + extra;
  Line("global.get 1 i32.eqz if");
  for (std::uint32_t i = 0; i < shape.results; ++i) Const(i);
  Line("return end global.get 1 i32.const 1 i32.sub global.set 1");
  labels_ = {shape.results};
  height_ = 0;
  Sequence(shape.results, 4 + Below(24));
  Line(")");
}

void Writer::Entry(std::uint32_t index) {
  const Shape& shape = functions_[index];
  RandomExport& item = out_.exports.emplace_back();
  item = {"e" + Number(index), shape.params, shape.results};
  Line("(func (export \"" + item.name + "\")" + Types("param", shape.params) +
       Types("result", shape.results));
  Line("i32.const 200 global.set 0 i32.const 60 global.set 1");
  for (std::uint32_t i = 0; i < shape.params; ++i) Line("local.get " + Number(i));
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
      Line(has_imports_ && Chance(10)
               ? "$mix"
               : "$f" + Number(Below(static_cast<std::uint32_t>(functions_.size()))));
    }
    Line(")");
  }
}

void Writer::Header() {
  Line("(module");
  has_imports_ = Chance(40) && options_.imports;
  for (std::uint32_t i = 0; i < types_.size(); ++i) {
    Line("(type $t" + Number(i) + " (func" + Types("param", types_[i].params) +
         Types("result", types_[i].results) + "))");
  }
  if (has_imports_) {
    Line("(import \"env\" \"mix\" (func $mix (param i32 i32) (result i32)))");
    Line("(import \"env\" \"pair\" (func $pair (param i32) (result i32 i32)))");
  }
  out_.globals = kCounters + Below(4);
  for (std::uint32_t i = 0; i < out_.globals; ++i) {
    Line("(global (export \"g" + Number(i) + "\") (mut i32) (i32.const " +
         Number(i < kCounters ? 50 : RandomWord(random_)) + "))");
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
  for (std::uint32_t i = 1 + Below(5); i > 0; --i) functions_.push_back({Below(4), Below(4)});
  for (std::uint32_t i = 1 + Below(3); i > 0; --i) types_.push_back({Below(3), Below(3)});
  types_.push_back(functions_[0]);  // so that some indirect calls succeed
  tables_ = Chance(20) ? 2 : 1;
  table_size_ = 4u << Below(3);
  Header();
  Tables();
  for (std::uint32_t i = 0; i < functions_.size(); ++i) Function(i);
  for (std::uint32_t i = 0; i < functions_.size(); ++i) Entry(i);
  if (functions_[0].params == 0 && functions_[0].results == 0 && Chance(50)) Line("(start $f0)");
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
