#include "frontends/cli/view/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "isa/limits.h"
#include "isa/support/shown_text.h"

namespace txvm::frontends::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kMostCells = 200'000;      // operands and frames of the first state
constexpr std::size_t kMostHostWrites = 1u << 18;  // words: a megabyte
constexpr std::uint32_t kMostChangedOperands = 3;  // ROT

/// Notes what each step changed, by comparing the state after it with a copy.
class Recorder {
 public:
  explicit Recorder(Recording& recording) : recording_(recording) {}

  void Begin(const vm::Machine& machine);
  /// Takes the state after one more step.
  void Take(const vm::Machine& machine);
  bool is_full() const { return host_writes_ > kMostHostWrites; }

 private:
  void TakeOperands(const vm::State& state, std::uint32_t changed);
  void TakeLocal(const vm::State& state, const RecordedStep& before, isa::Instruction instruction);
  void TakeStore(const vm::State& state, isa::Word address, isa::Instruction instruction,
                 WriteKind kind, std::uint32_t bytes);
  void TakeHostCall(const vm::LinearMemory& memory);
  void TakeBlock(const vm::SnapshotBlock* now, const vm::SnapshotBlock* old);
  void Write(WriteKind kind, std::uint32_t address, isa::Word value) {
    recording_.writes.push_back({kind, address, value});
  }
  isa::Word Operand(std::uint32_t sp, std::uint32_t below) const {
    return below < sp ? stack_[sp - below] : 0;
  }

  Recording& recording_;
  std::vector<isa::Word> stack_;                  // by slot
  std::vector<vm::SnapshotBlock> memory_;         // after the last host call
  std::map<std::uint32_t, std::uint8_t> stored_;  // bytes the program wrote since
  std::size_t host_writes_ = 0;
};

RecordedStep Registers(const vm::State& state, std::size_t writes) {
  return {state.ip, state.sp, state.depth, state.locals_base, state.memory.pages(), writes};
}

void Recorder::Begin(const vm::Machine& machine) {
  const vm::State& state = machine.state();
  recording_.begin = machine.TakeSnapshot().value();
  memory_ = recording_.begin.memory;
  recording_.steps.push_back(Registers(state, 0));
  stack_.assign(1, 0);
  for (std::uint32_t slot = 1; slot <= state.sp; ++slot) stack_.push_back(state.slots[slot]);
  for (std::uint32_t frame = 1; frame <= state.depth; ++frame) {
    recording_.frames.push_back(state.frames[frame]);
  }
}

void Recorder::TakeOperands(const vm::State& state, std::uint32_t changed) {
  if (stack_.size() <= state.sp) stack_.resize(std::size_t{state.sp} + 1);
  const std::uint32_t first = state.sp > changed ? state.sp - changed + 1 : 1;
  const std::uint32_t sp_before = recording_.steps.back().sp;
  for (std::uint32_t slot = first; slot <= state.sp; ++slot) {
    if (slot <= sp_before && stack_[slot] == state.slots[slot]) continue;
    stack_[slot] = state.slots[slot];
    Write(WriteKind::kStack, slot, stack_[slot]);
  }
}

void Recorder::TakeLocal(const vm::State& state, const RecordedStep& before,
                         isa::Instruction instruction) {
  const std::uint32_t slot = instruction.arg + (instruction.aux() == 1 ? 0 : before.locals_base);
  Write(WriteKind::kLocals, slot, state.locals[slot]);
}

void Recorder::TakeStore(const vm::State& state, isa::Word address, isa::Instruction instruction,
                         WriteKind kind, std::uint32_t bytes) {
  const std::uint64_t first = std::uint64_t{address} + instruction.arg;
  if (!state.memory.Contains(first, bytes)) return;  // trapped
  isa::Word value = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const std::uint8_t byte = state.memory.data()[first + i];
    value |= isa::Word{byte} << (8 * i);
    stored_[static_cast<std::uint32_t>(first + i)] = byte;
  }
  Write(kind, static_cast<std::uint32_t>(first), value);
}

/// Words in which the block differs from what it was and the program made of it.
void Recorder::TakeBlock(const vm::SnapshotBlock* now, const vm::SnapshotBlock* old) {
  const std::uint32_t index = now != nullptr ? now->index : old->index;
  const auto base = static_cast<std::uint32_t>(index * vm::kSnapshotBlockBytes);
  std::vector<std::uint8_t> was(vm::kSnapshotBlockBytes), is(vm::kSnapshotBlockBytes);
  if (old != nullptr) std::ranges::copy(*old->bytes, was.begin());
  if (now != nullptr) std::ranges::copy(*now->bytes, is.begin());
  for (auto it = stored_.lower_bound(base);
       it != stored_.end() && it->first - base < vm::kSnapshotBlockBytes; ++it) {
    was[it->first - base] = it->second;
  }
  for (std::uint32_t at = 0; at < vm::kSnapshotBlockBytes; at += sizeof(isa::Word)) {
    isa::Word value = 0;
    std::memcpy(&value, is.data() + at, sizeof(value));
    if (std::memcmp(was.data() + at, &value, sizeof(value)) == 0) continue;
    Write(WriteKind::kWord, base + at, value);
    ++host_writes_;
  }
}

void Recorder::TakeHostCall(const vm::LinearMemory& memory) {
  std::vector<vm::SnapshotBlock> now = vm::TakeBlocks(memory.data(), memory.size_bytes(), memory_);
  auto old = memory_.cbegin();
  const auto old_end = memory_.cend();
  for (const vm::SnapshotBlock& block : now) {
    for (; old != old_end && old->index < block.index; ++old) TakeBlock(nullptr, &*old);
    const bool is_there = old != old_end && old->index == block.index;
    if (!is_there || old->bytes != block.bytes) TakeBlock(&block, is_there ? &*old : nullptr);
    if (is_there) ++old;
  }
  for (; old != old_end; ++old) TakeBlock(nullptr, &*old);
  memory_ = std::move(now);
  stored_.clear();
}

void Recorder::Take(const vm::Machine& machine) {
  const vm::State& state = machine.state();
  const isa::Program& program = machine.program();
  const RecordedStep before = recording_.steps.back();
  const std::size_t writes = recording_.writes.size();
  std::uint32_t changed = kMostChangedOperands;
  if (before.ip < program.code.size()) {
    const isa::Instruction instruction = program.code[before.ip];
    const isa::Word address = Operand(before.sp, 1);
    switch (instruction.op()) {
      case isa::Opcode::kLocalSet:
      case isa::Opcode::kLocalTee:
        TakeLocal(state, before, instruction);
        break;
      case isa::Opcode::kStore:
        TakeStore(state, address, instruction, WriteKind::kWord, 4);
        break;
      case isa::Opcode::kStore16:
        TakeStore(state, address, instruction, WriteKind::kHalf, 2);
        break;
      case isa::Opcode::kStore8:
        TakeStore(state, address, instruction, WriteKind::kByte, 1);
        break;
      case isa::Opcode::kCall:
        if ((instruction.arg & isa::kHostCallBit) != 0) {
          changed =
              std::max(changed, program.imports[instruction.arg & ~isa::kHostCallBit].results);
          TakeHostCall(state.memory);
        }
        break;
      default:
        break;
    }
  }
  TakeOperands(state, changed);
  recording_.steps.push_back(Registers(state, writes));
}

class Walk {
 public:
  Walk(Timeline& timeline, const RecordingBounds& bounds, Recording& recording)
      : timeline_(timeline), bounds_(bounds), recording_(recording), start_(Clock::now()) {}

  isa::Result<void> Before();
  isa::Result<void> Within();
  void After();

 private:
  /// Goes to `target` or the end, with `step` after every step.
  template <typename Step>
  void Go(std::uint64_t target, std::uint64_t FunctionSteps::* part, const Step& step);
  void Count(std::uint64_t FunctionSteps::* part);
  bool IsLate() const { return bounds_.time && Clock::now() - start_ > *bounds_.time; }

  Timeline& timeline_;
  const RecordingBounds& bounds_;
  Recording& recording_;
  Clock::time_point start_;
  std::uint32_t ip_ = 0;  // of the step that is under way
  bool stopped_ = false;
};

void Walk::Count(std::uint64_t FunctionSteps::* part) {
  const isa::Program& program = timeline_.machine().program();
  const isa::Function* function = program.FunctionAt(ip_);
  const std::size_t index =
      function == nullptr ? 0 : static_cast<std::size_t>(function - program.functions.data());
  recording_.functions[index].*part += 1;
}

template <typename Step>
void Walk::Go(std::uint64_t target, std::uint64_t FunctionSteps::* part, const Step& step) {
  constexpr std::uint64_t kBetweenLooks = 4'096;  // at the clock
  const std::uint64_t begin = timeline_.now();
  std::uint64_t seen = begin;
  ip_ = timeline_.machine().ip();
  const auto take = [&] {
    Count(part);
    step();
    seen = timeline_.now();
    ip_ = timeline_.machine().ip();
  };
  const Timeline::Reason reason =
      timeline_.Forward(target, [&](std::uint32_t, std::uint64_t steps) {
        if (steps > seen) take();
        return part == &FunctionSteps::within && recording_.is_cut
                   ? true
                   : steps % kBetweenLooks == 0 && IsLate();
      });
  if (timeline_.now() > seen) take();
  stopped_ = reason == Timeline::Reason::kInterrupted ||
             (reason == Timeline::Reason::kStopTest && !recording_.is_cut) || IsLate();
}

isa::Result<void> Walk::Before() {
  if (bounds_.first > bounds_.most) {
    return isa::Fail(isa::ErrorCode::kLimit,
                     fmt::format("step {} lies after the fuel of {}", isa::Grouped(bounds_.first),
                                 isa::Grouped(bounds_.most, "step")));
  }
  if (bounds_.first > timeline_.now()) {
    Go(bounds_.first, &FunctionSteps::before, [] {});
  }
  if (timeline_.now() < bounds_.first) {
    if (timeline_.ended() != nullptr) {
      return isa::Fail(
          isa::ErrorCode::kUsage,
          fmt::format("there is no step {}: the run ends after {}", isa::Grouped(bounds_.first),
                      isa::Grouped(timeline_.now(), "step")));
    }
    return isa::Fail(
        isa::ErrorCode::kLimit,
        fmt::format("the run was stopped after {}, before step {}",
                    isa::Grouped(timeline_.now(), "step"), isa::Grouped(bounds_.first)));
  }
  const vm::State& state = timeline_.machine().state();
  if (state.sp > kMostCells || state.depth > kMostCells) {
    return isa::Fail(isa::ErrorCode::kLimit,
                     fmt::format("step {} has {} operands and {} frames, a page holds {} of each",
                                 isa::Grouped(bounds_.first), isa::Grouped(state.sp),
                                 isa::Grouped(state.depth), isa::Grouped(kMostCells)));
  }
  return {};
}

isa::Result<void> Walk::Within() {
  Recorder recorder(recording_);
  recording_.first = timeline_.now();
  recorder.Begin(timeline_.machine());
  if (timeline_.ended() != nullptr) return {};
  const std::uint64_t left = bounds_.most - recording_.first;
  Go(recording_.first + std::min(bounds_.steps, left), &FunctionSteps::within, [&] {
    recorder.Take(timeline_.machine());
    recording_.is_cut = recorder.is_full();
  });
  return {};
}

void Walk::After() {
  if (!stopped_ && timeline_.ended() == nullptr && timeline_.now() < bounds_.most) {
    Go(bounds_.most, &FunctionSteps::after, [] {});
  }
  recording_.is_whole = timeline_.ended() != nullptr;
}

}  // namespace

isa::Result<Recording> RecordRun(Timeline& timeline, const RecordingBounds& bounds) {
  Recording recording;
  recording.functions.resize(
      std::max<std::size_t>(timeline.machine().program().functions.size(), 1));
  Walk walk(timeline, bounds, recording);
  TXVM_CHECK_OK(walk.Before());
  TXVM_CHECK_OK(walk.Within());
  walk.After();
  return recording;
}

}  // namespace txvm::frontends::cli
