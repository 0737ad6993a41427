#include "tests/support/random_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "isa/opcode.h"
#include "isa/trap.h"
#include "tests/support/test_hosts.h"

namespace txvm::support {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::OpcodeInfo;

constexpr std::uint32_t kTallest = 12;  // operands after which a function gets rid of some
constexpr std::uint32_t kDeepest = 3;   // nested loops and ifs
constexpr std::uint32_t kMostFunctions = 5;
constexpr std::uint32_t kMostStatements = 14;

// Statements are lists of instructions that leave the heights on all their paths equal: what Verify
// asks for holds by construction.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  RandomCase Make() {
    MakeTables();
    const bool is_flat = random_.OneIn(4);
    const std::uint32_t count = is_flat ? 1 : random_.Between(1, kMostFunctions);
    for (std::uint32_t i = 0; i < count; ++i) signatures_.push_back(MakeSignature(is_flat));
    calls_only_later_ = random_.OneIn(2);
    const bool stubs_first = random_.OneIn(2);
    if (!is_flat && stubs_first) MakeStubs();
    for (current_ = 0; current_ < count; ++current_) MakeFunction();
    if (!is_flat && !stubs_first) MakeStubs();
    for (const auto& [ip, callee] : calls_) {
      program().code[ip].arg = program().functions[function_of_[callee]].first;
    }
    ChooseStart(is_flat);
    MakeLimits();
    Decorate();
    return std::move(case_);
  }

 private:
  struct Signature {
    std::uint32_t params = 0, results = 0;
    std::uint32_t free_locals = 0;  // locals after them count loops
    std::uint32_t locals() const { return free_locals + kDeepest; }
  };

  isa::Program& program() { return case_.program; }
  const Signature& self() const { return signatures_[current_]; }
  std::uint32_t Here() { return static_cast<std::uint32_t>(program().code.size()); }

  // ---------------------------------------------------------------------------------- the frame

  void MakeTables() {
    if (!random_.OneIn(8)) {
      const std::uint32_t initial = random_.OneOf({0u, 1u, 1u, 1u, 1u, 2u});
      program().memory = isa::MemorySpec{initial, initial + random_.Below(3)};
    }
    for (std::uint32_t i = random_.Below(4); i > 0; --i) {
      program().globals.push_back(random_.InterestingWord());
    }
    for (std::uint32_t i = random_.Below(3); i > 0 && MemoryBytes() > 0; --i) {
      isa::DataSegment segment;
      segment.bytes.resize(random_.Below(40));
      for (std::uint8_t& byte : segment.bytes) byte = static_cast<std::uint8_t>(random_.Word());
      const auto last = static_cast<std::uint32_t>(MemoryBytes() - segment.bytes.size());
      segment.offset = random_.OneOf({0u, last, random_.Below(64), random_.Below(last)});
      program().data.push_back(std::move(segment));
    }
    program().imports = TestImports();
    for (std::size_t i = program().imports.size(); i > 1; --i) {
      const std::uint32_t other = random_.Below(static_cast<std::uint32_t>(i));
      std::swap(program().imports[i - 1], program().imports[other]);
    }
    program().imports.resize(random_.Between(0, static_cast<std::uint32_t>(TestImports().size())));
  }

  std::uint64_t MemoryBytes() const {
    return case_.program.memory ? std::uint64_t{case_.program.memory->initial} * isa::kPageBytes
                                : 0;
  }

  Signature MakeSignature(bool is_flat) {
    Signature signature;
    signature.params = is_flat ? 0 : random_.Below(4);
    signature.results = is_flat ? 0 : random_.Below(3);
    signature.free_locals = signature.params + random_.Below(4);
    return signature;
  }

  void MakeStubs() {
    for (std::uint32_t i = 0; i < signatures_.size(); ++i) {
      const Signature& signature = signatures_[i];
      const std::uint32_t first = Here();
      calls_.emplace_back(first, i);
      Emit(Opcode::kCall);
      Emit(Opcode::kHalt);
      program().functions.push_back({first, first + 1, signature.params, signature.results, 0, ""});
      isa::Export& exported = program().exports.emplace_back(
          isa::Export{fmt::format("f{}", i), first, signature.params, signature.results});
      if (i % 2 == 0) continue;
      exported.param_types = TypesOfWords(signature.params);
      exported.result_types = TypesOfWords(signature.results);
    }
  }

  // Types of as many words. Without chance, so that typed programs are the ones of their seeds.
  static std::vector<isa::ValueType> TypesOfWords(std::uint32_t words) {
    using enum isa::ValueType;
    std::vector<isa::ValueType> types;
    if (words % 2 != 0) types.push_back(words == 1 ? kF32 : kI32);
    for (std::uint32_t i = 1; i < words; i += 2) types.push_back(i % 4 == 1 ? kF64 : kI64);
    return types;
  }

  void MakeFunction() {
    const std::uint32_t first = Here();
    height_ = self().params;
    if (random_.OneIn(2)) {
      for (std::uint32_t i = self().params; i-- > 0;) Emit(Opcode::kLocalSet, i);
    }
    statements_ = random_.Between(1, kMostStatements);
    Block(0);
    if (program().exports.empty() && signatures_.size() == 1 && !random_.OneIn(4)) {
      Emit(Opcode::kHalt);
    } else {
      Exit();
    }
    function_of_.push_back(static_cast<std::uint32_t>(program().functions.size()));
    program().functions.push_back({first, Here() - 1, self().params, self().results,
                                   self().locals(), "", TypesOfWords(self().params)});
  }

  void ChooseStart(bool is_flat) {
    if (is_flat) return;
    const auto count = static_cast<std::uint32_t>(program().exports.size());
    const isa::Export& chosen = program().exports[random_.Below(count)];
    case_.start = chosen.start;
    program().entry = chosen.start;
    for (std::uint32_t i = 0; i < chosen.params; ++i) {
      case_.args.push_back(random_.InterestingWord());
    }
    for (const isa::Export& exported : program().exports) {
      if (exported.params == 0 && random_.OneIn(4)) program().init = exported.start;
    }
  }

  void MakeLimits() {
    const auto args = static_cast<std::uint32_t>(case_.args.size());
    const auto globals = static_cast<std::uint32_t>(program().globals.size());
    const std::uint32_t pages = program().memory ? program().memory->initial : 0;
    case_.fuel = random_.OneOf({2'000u, 2'000u, 2'000u, 20'000u});
    case_.limits = {4'096, 512, 8'192, pages + 2};
    if (random_.OneIn(3)) case_.limits.max_slots = args + random_.Below(30);
    if (random_.OneIn(3)) case_.limits.max_depth = random_.Below(12);
    if (random_.OneIn(3)) {
      case_.limits.max_locals = globals + isa::LargestFrame(program()) + random_.Below(40);
    }
    if (random_.OneIn(3)) case_.limits.max_pages = pages + random_.Below(2);
  }

  // Names, lines, notes and the source: nothing a run depends on.
  void Decorate() {
    if (!random_.OneIn(4)) return;
    program().source = random_.OneOf({"", "prog.wat", "a \"b\"\n"});
    for (isa::Function& function : program().functions) {
      for (std::uint32_t i = random_.Below(6); i > 0; --i) {
        function.name += static_cast<char>(random_.OneOf({97u, 98u, 34u, 92u, random_.Below(256)}));
      }
    }
    for (std::uint32_t ip = 0; ip < Here(); ++ip) {
      if (random_.OneIn(5)) program().lines.push_back({ip, random_.Below(100)});
      if (random_.OneIn(20)) program().notes.push_back({ip, "note; \"x\""});
    }
  }

  // ---------------------------------------------------------------------------------- statements

  void Emit(Opcode op, std::uint32_t arg = 0, std::uint32_t aux = 0) {
    program().code.emplace_back(op, arg, aux);
    height_ = height_ + isa::Info(op).pushes - std::min<std::uint32_t>(isa::Info(op).pops, height_);
  }

  void Need(std::uint32_t operands) {
    while (height_ < operands) Emit(Opcode::kPush, random_.InterestingWord());
  }

  void Level(std::uint32_t height) {
    while (height_ > height) Emit(Opcode::kPop);
    while (height_ < height) Emit(Opcode::kPush, random_.InterestingWord());
  }

  void Block(std::uint32_t depth) {
    for (std::uint32_t i = random_.Between(1, 6); i > 0 && statements_ > 0; --i) {
      --statements_;
      Statement(depth);
      if (height_ > kTallest) Level(random_.Below(kTallest));
    }
  }

  void Statement(std::uint32_t depth) {
    switch (random_.Below(16)) {
      case 0:
        return depth < kDeepest ? If(depth) : Any();
      case 1:
        return depth < kDeepest ? Loop(depth) : Any();
      case 2:
        return Call();
      case 3:
        return HostCall();
      case 4:
        return random_.OneIn(2) ? CountedRecursion() : SharedJump();
      default:
        return Any();
    }
  }

  // One instruction of a random row, with what it needs.
  void Any() {
    const OpcodeInfo& row = isa::kOpcodes[random_.Below(isa::kOpcodes.size())];
    switch (row.operand) {
      case isa::Operand::kNone:
        if (row.op == Opcode::kHalt || row.op == Opcode::kReturn) return EarlyExit();
        Need(row.pops);
        if (row.op_class == isa::OpClass::kDivide) Divisor();
        return Emit(row.op);
      case isa::Operand::kValue:
        return Emit(row.op, random_.InterestingWord());
      case isa::Operand::kLocal:
        return Local(row);
      case isa::Operand::kOffset:
        return Access(row);
      case isa::Operand::kTarget:
        return If(kDeepest);
      case isa::Operand::kCallee:
        return Call();
      case isa::Operand::kCause:
        return EarlyExit();
    }
  }

  // Most divisors at hand are no zeros; the pairs that trap are made on purpose, now and then.
  void Divisor() {
    if (!random_.OneIn(6)) return;
    const bool overflows = random_.OneIn(2);
    Emit(Opcode::kPush, overflows ? 0x80000000 : random_.Word());
    Emit(Opcode::kPush, overflows ? 0xFFFFFFFF : random_.Below(2));
  }

  void Local(const OpcodeInfo& row) {
    const auto globals = static_cast<std::uint32_t>(program().globals.size());
    const bool is_global = globals > 0 && random_.OneIn(3);
    if (!is_global && self().free_locals == 0) return Emit(Opcode::kNop);
    Need(row.pops);
    Emit(row.op, random_.Below(is_global ? globals : self().free_locals), is_global ? 1 : 0);
  }

  // Most accesses are inside the memory, often at its edges; some just miss it.
  void Access(const OpcodeInfo& row) {
    const std::uint64_t size = MemoryBytes();
    std::uint32_t offset = random_.InterestingWord();
    if (size > 0 && !random_.OneIn(16)) {
      const std::uint32_t width = row.memory_reads + row.memory_writes;
      const auto last = static_cast<std::uint32_t>(size - width);
      const std::uint32_t address =
          random_.OneOf({random_.Below(64), random_.Below(64), random_.Below(last + 1),
                         last - random_.Below(20), last, last + (random_.OneIn(4) ? 1 : 0)});
      offset = random_.OneOf({0u, address, random_.Below(address + 1)});
      Emit(Opcode::kPush, address - offset);
    } else if (random_.OneIn(2)) {
      Emit(Opcode::kPush, random_.InterestingWord());
    } else {
      Need(1);
    }
    if (row.memory_writes > 0) Emit(Opcode::kPush, random_.InterestingWord());
    Emit(row.op, offset);
  }

  void Condition() {
    switch (random_.Below(4)) {
      case 0:
        Need(1);
        return Emit(Opcode::kDup);
      case 1:
        if (self().free_locals > 0) {
          return Emit(Opcode::kLocalGet, random_.Below(self().free_locals));
        }
        return Emit(Opcode::kPush, random_.Below(2));
      case 2:
        return Emit(Opcode::kPush, random_.Below(2));  // decided: Verify knows
      default:
        Need(2);
        return Emit(random_.OneOf({Opcode::kLtS, Opcode::kGeU, Opcode::kEq, Opcode::kNe}));
    }
  }

  // Jumps whose target is bound later.
  std::uint32_t ForwardJump(Opcode op) {
    const std::uint32_t ip = Here();
    Emit(op);
    return ip;
  }
  void Bind(std::uint32_t jump) { program().code[jump].arg = Here(); }

  // c -> ; JZ past one arm, or from one arm to the other and over it.
  void If(std::uint32_t depth) {
    Condition();
    const std::uint32_t skip = ForwardJump(random_.OneOf({Opcode::kJz, Opcode::kJnz}));
    const std::uint32_t height = height_;
    Arm(depth);
    if (random_.OneIn(2)) {
      Level(height);
      return Bind(skip);
    }
    const std::uint32_t after = random_.Below(kTallest);
    Level(after);
    const bool is_one = random_.OneIn(2);
    Emit(Opcode::kPush, is_one ? random_.Word() | 1 : 0);
    const std::uint32_t over = ForwardJump(is_one ? Opcode::kJnz : Opcode::kJz);
    Bind(skip);
    height_ = height;
    Arm(depth);
    Level(after);
    Bind(over);
  }

  void Arm(std::uint32_t depth) {
    if (depth < kDeepest) {
      Block(depth + 1);
    } else {
      Emit(Opcode::kPush, random_.InterestingWord());
    }
  }

  void Loop(std::uint32_t depth) {
    const std::uint32_t counter = self().free_locals + depth;
    Emit(Opcode::kPush, random_.OneIn(8) ? random_.Between(30, 200) : random_.Between(1, 5));
    Emit(Opcode::kLocalSet, counter);
    const std::uint32_t top = Here();
    const std::uint32_t height = height_;
    Block(depth + 1);
    Level(height);
    Emit(Opcode::kLocalGet, counter);
    Emit(Opcode::kPush, 1);
    Emit(Opcode::kSub);
    Emit(Opcode::kLocalTee, counter);
    Emit(Opcode::kJnz, top);
  }

  // c -> ; if c, the run or the function ends here, and what follows is not reached.
  void EarlyExit() {
    Condition();
    const std::uint32_t skip = ForwardJump(random_.OneOf({Opcode::kJz, Opcode::kJnz}));
    const std::uint32_t height = height_;
    if (random_.OneIn(2)) {
      Exit();
    } else if (random_.OneIn(3)) {
      Emit(Opcode::kHalt);
    } else {
      Emit(Opcode::kTrap, random_.Between(1, isa::kTrapCount));
    }
    if (random_.OneIn(8)) Emit(Opcode::kSelect);  // no path reaches it: any height will do
    Bind(skip);
    height_ = height;
    Emit(Opcode::kNop);
  }

  void Exit() {
    Level(self().results);
    Emit(Opcode::kReturn);
  }

  // A conditional jump whose condition is a constant on one path and not on the other.
  void SharedJump() {
    Condition();
    Emit(Opcode::kDup);
    const std::uint32_t to_jump = ForwardJump(Opcode::kJnz);
    Emit(Opcode::kPop);
    Emit(Opcode::kPush, random_.Below(2));
    Bind(to_jump);
    const std::uint32_t skip = ForwardJump(Opcode::kJz);
    const std::uint32_t height = height_;
    Any();
    Level(height);
    Bind(skip);
  }

  void EmitCall(std::uint32_t callee) {
    Need(signatures_[callee].params);
    calls_.emplace_back(Here(), callee);
    program().code.emplace_back(Opcode::kCall, 0, self().locals());
    height_ = height_ - signatures_[callee].params + signatures_[callee].results;
  }

  void Call() {
    const auto count = static_cast<std::uint32_t>(signatures_.size());
    if (!calls_only_later_) return EmitCall(random_.Below(count));
    if (current_ + 1 == count) return Emit(Opcode::kNop);
    EmitCall(random_.Between(current_ + 1, count - 1));
  }

  // A call of itself, as often as the low bits of a local say.
  void CountedRecursion() {
    if (self().params == 0) return Any();
    const std::uint32_t height = height_;
    Emit(Opcode::kLocalGet, self().params - 1);
    Emit(Opcode::kPush, random_.OneOf({1u, 7u, 15u}));
    Emit(Opcode::kAnd);
    Emit(Opcode::kLocalTee, self().params - 1);
    const std::uint32_t skip = ForwardJump(Opcode::kJz);
    Level(height + self().params - 1);
    Emit(Opcode::kLocalGet, self().params - 1);
    Emit(Opcode::kPush, 1);
    Emit(Opcode::kSub);
    EmitCall(current_);
    Level(height);
    Bind(skip);
  }

  void HostCall() {
    if (program().imports.empty()) return Any();
    const std::uint32_t index = random_.Below(static_cast<std::uint32_t>(program().imports.size()));
    const isa::Import& import = program().imports[index];
    Need(import.params);
    if (import.params == 1) Emit(Opcode::kPush, random_.Below(7));
    program().code.emplace_back(Opcode::kCall, isa::kHostCallBit | index);
    height_ = height_ - import.params + import.results;
  }

  Random random_;
  RandomCase case_;
  std::vector<Signature> signatures_;
  std::vector<std::uint32_t> function_of_;  // (signatures,) index in program().functions
  std::vector<std::pair<std::uint32_t, std::uint32_t>> calls_;  // ip, callee's signature
  bool calls_only_later_ = false;                               // no recursion
  std::uint32_t current_ = 0;                                   // signature being generated
  std::uint32_t height_ = 0;
  std::uint32_t statements_ = 0;  // still to make in this function
};

}  // namespace

RandomCase MakeRandomCase(std::uint64_t seed) { return Generator(seed).Make(); }

}  // namespace txvm::support
