#include "tests/asm/random_program.h"

#include <fmt/format.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "asm/program_builder.h"
#include "asm/structured.h"

namespace txvm::assembler {
namespace {

using isa::Opcode;

constexpr std::uint32_t kFunctions = 3;
constexpr std::uint32_t kLocals = 6;  // 2 params, 2 free, 2 loop counters
constexpr std::uint32_t kGlobals = 2;
constexpr int kMaxDepth = 4;

constexpr std::array kBinary = {
    Opcode::kAdd, Opcode::kSub,  Opcode::kMul,  Opcode::kAnd,  Opcode::kOr,   Opcode::kXor,
    Opcode::kShl, Opcode::kShrS, Opcode::kShrU, Opcode::kRotl, Opcode::kRotr, Opcode::kEq,
    Opcode::kNe,  Opcode::kLtS,  Opcode::kLtU,  Opcode::kGtS,  Opcode::kGtU,  Opcode::kLeS,
    Opcode::kLeU, Opcode::kGeS,  Opcode::kGeU,  Opcode::kDivU, Opcode::kRemS, Opcode::kDivS};
constexpr std::array kUnary = {Opcode::kEqz,    Opcode::kEqz, Opcode::kEqz, Opcode::kClz,
                               Opcode::kPopcnt, Opcode::kNeg, Opcode::kAbs};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  FunctionCode Function(std::uint32_t index) {
    FunctionBuilder builder({fmt::format("f{}", index), 2, 1, kLocals, true});
    builder_ = &builder;
    index_ = index;
    Statements(6, 0);
    if (builder.reachable()) {
      while (builder.height() > 1) builder.Emit(Opcode::kPop);
      if (builder.height() == 0) Value();
    }
    builder.End();
    return std::move(builder).Finish().value();
  }

 private:
  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  bool Chance(std::uint32_t one_in) { return Below(one_in) == 0; }

  void Value() {
    switch (Below(5)) {
      case 0:
        return builder_->Emit(Opcode::kPush, Below(3));
      case 1:
        return builder_->Emit(Opcode::kPush, Chance(4) ? 0x80000000u : Below(100) - 50);
      case 2:
        return builder_->Emit(Opcode::kLocalGet, Below(kGlobals), 1);
      default:
        return builder_->Emit(Opcode::kLocalGet, Below(kLocals));
    }
  }

  void Expression() {
    Value();
    for (std::uint32_t i = Below(4); i > 0; --i) {
      if (Chance(2)) {
        builder_->Emit(kUnary[Below(kUnary.size())]);
      } else {
        Value();
        builder_->Emit(kBinary[Below(kBinary.size())]);
      }
    }
  }

  void Statements(std::uint32_t count, int depth) {
    for (std::uint32_t i = 0; i < count && builder_->reachable(); ++i) Statement(depth);
  }

  void Store() {
    Value();
    builder_->Emit(Opcode::kPush, 0xFFF);
    builder_->Emit(Opcode::kAnd);
    Expression();
    builder_->Emit(Chance(2) ? Opcode::kStore : Opcode::kStore8, Chance(30) ? 65'000 : Below(64));
  }

  void Load() {
    Expression();
    builder_->Emit(Opcode::kPush, 0xFFF);
    builder_->Emit(Opcode::kAnd);
    builder_->Emit(Chance(2) ? Opcode::kLoad : Opcode::kLoad8S, Below(64));
    builder_->Emit(Opcode::kLocalSet, 2 + Below(2));
  }

  // Stack noise below what follows, so that branches have something to unwind.
  void Noise() {
    Value();
    Value();
    constexpr std::array kOps = {Opcode::kSwap, Opcode::kOver, Opcode::kDup, Opcode::kNop};
    builder_->Emit(kOps[Below(kOps.size())]);
    if (Chance(2)) builder_->Emit(Opcode::kPop);
  }

  void Statement(int depth) {
    switch (Below(depth < kMaxDepth ? 14 : 8)) {
      case 0:
        Expression();
        return builder_->Emit(Opcode::kLocalSet, Below(4));
      case 1:
        Expression();
        builder_->Emit(Opcode::kLocalTee, Below(4));
        return Chance(2) ? builder_->Emit(Opcode::kPop) : builder_->Emit(Opcode::kLocalSet, 2);
      case 2:
        Expression();
        return builder_->Emit(Opcode::kLocalSet, Below(kGlobals), 1);
      case 3:
        return Store();
      case 4:
        return Load();
      case 5:
        return Noise();
      case 6:
        return Branch();
      case 7:
        if (index_ + 1 >= kFunctions) return Noise();
        Value();
        Value();
        return builder_->Call(index_ + 1, 2, 1);
      case 8:
      case 9:
        return If(depth);
      case 10:
        return CountedLoop(depth);
      case 11:
        return WhileLoop(depth);
      case 12:
        return Block(depth);
      default:
        return Table(depth);
    }
  }

  void Branch() {
    const auto levels = static_cast<std::uint32_t>(builder_->depth());
    const std::uint32_t target = Below(levels);
    if (IsLoop(target)) return;  // only the loops' own ends go back
    const bool returns = target + 1 == levels;
    if (returns) Value();
    Expression();
    if (Chance(3)) {
      builder_->Emit(Opcode::kPop);
      if (returns || Chance(2)) return builder_->Br(target);
      return;
    }
    builder_->BrIf(target);
    if (returns) builder_->Emit(Opcode::kPop);
  }

  bool IsLoop(std::uint32_t depth) const {
    return depth < loops_.size() && loops_[loops_.size() - 1 - depth];
  }

  void Open(BlockKind kind) {
    builder_->BeginBlock(kind, 0, 0);
    loops_.push_back(kind == BlockKind::kLoop);
  }

  // Drops what the block left on the stack. Blocks here take and leave nothing.
  void Level() {
    while (builder_->reachable() && builder_->height() > base_.back()) {
      builder_->Emit(Opcode::kPop);
    }
  }

  void Body(int depth) {
    base_.push_back(builder_->height());
    Statements(1 + Below(3), depth + 1);
    Level();
    base_.pop_back();
  }

  void If(int depth) {
    Expression();
    Open(BlockKind::kIf);
    Body(depth);
    if (Chance(2)) {
      builder_->Else();
      Body(depth);
    }
    Shut();
  }

  void Shut() {
    builder_->End();
    loops_.pop_back();
  }

  void CountedLoop(int depth) {
    const std::uint32_t counter = 4 + (depth & 1);
    builder_->Emit(Opcode::kPush, 1 + Below(4));
    builder_->Emit(Opcode::kLocalSet, counter);
    Open(BlockKind::kLoop);
    Body(depth);
    builder_->Emit(Opcode::kLocalGet, counter);
    builder_->Emit(Opcode::kPush, 1);
    builder_->Emit(Opcode::kSub);
    builder_->Emit(Opcode::kLocalTee, counter);
    builder_->BrIf(0);
    Shut();
  }

  // block; loop; condition; br_if 1; body; br 0; end; end
  void WhileLoop(int depth) {
    const std::uint32_t counter = 4 + (depth & 1);
    builder_->Emit(Opcode::kPush, Below(4));
    builder_->Emit(Opcode::kLocalSet, counter);
    Open(BlockKind::kBlock);
    Open(BlockKind::kLoop);
    builder_->Emit(Opcode::kLocalGet, counter);
    if (Chance(2)) {
      builder_->Emit(Opcode::kEqz);
    } else {
      builder_->Emit(Opcode::kPush, 1);
      builder_->Emit(Opcode::kLtS);
    }
    builder_->BrIf(1);
    Body(depth);
    builder_->Emit(Opcode::kLocalGet, counter);
    builder_->Emit(Opcode::kPush, 1);
    builder_->Emit(Opcode::kSub);
    builder_->Emit(Opcode::kLocalSet, counter);
    builder_->Br(0);
    Shut();
    Shut();
  }

  void Block(int depth) {
    Open(BlockKind::kBlock);
    Body(depth);
    Shut();
  }

  void Table(int depth) {
    const std::uint32_t arms = 1 + Below(5);
    for (std::uint32_t i = 0; i <= arms; ++i) Open(BlockKind::kBlock);
    Expression();
    std::vector<std::uint32_t> targets;
    for (std::uint32_t i = 0; i < arms; ++i) targets.push_back(Below(arms + 1));
    builder_->BrTable(targets, arms);
    for (std::uint32_t i = 0; i < arms; ++i) {
      Shut();
      Body(depth + 1);
      if (builder_->reachable()) builder_->Br(arms - 1 - i);
    }
    Shut();
  }

  std::mt19937_64 random_;
  FunctionBuilder* builder_ = nullptr;
  std::uint32_t index_ = 0;
  std::vector<bool> loops_;             // open blocks, outermost first: whether a loop
  std::vector<std::uint32_t> base_{0};  // heights of the open bodies
};

}  // namespace

isa::Program RandomProgram(std::uint64_t seed) {
  Generator generator(seed);
  ProgramBuilder builder;
  for (std::uint32_t i = 0; i < kFunctions; ++i) builder.AddFunction(generator.Function(i));
  builder.program().memory = isa::MemorySpec{1, 1};
  builder.program().globals.assign(kGlobals, 3);
  builder.Export("f", 0);
  return std::move(builder).Finish().value();
}

}  // namespace txvm::assembler
