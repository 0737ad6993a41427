#include "vm/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include "isa/support/system/touched_pages.h"
#include "isa/support/text.h"
#include "vm/snapshot_file.h"

namespace txvm::vm {
namespace {

using isa::ErrorCode;

static_assert(std::endian::native == std::endian::little, "blocks are bytes as they lie");

std::unexpected<isa::Error> Refuse(ErrorCode code, std::string message) {
  return isa::Fail(code, "snapshot: " + std::move(message));
}
std::unexpected<isa::Error> Corrupt(std::string message) {
  return Refuse(ErrorCode::kCorrupt, std::move(message));
}

// ---------------------------------------------------------------------------------------- blocks

std::uint64_t LocalsBytes(const isa::Limits& limits) {
  return std::uint64_t{limits.max_locals} * sizeof(Word);
}

/// The same of locals that are in memory.
std::size_t LocalsSize(const isa::Limits& limits) {
  return static_cast<std::size_t>(LocalsBytes(limits));
}

/// Bytes up to the last one that is not 0.
std::size_t UsedBytes(const std::uint8_t* data, std::size_t bytes) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  while (bytes >= kWord) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + bytes - kWord, kWord);
    if (word != 0) break;
    bytes -= kWord;
  }
  while (bytes > 0 && data[bytes - 1] == 0) --bytes;
  return bytes;
}

/// Calls `visit(index, bytes)` for every block of the array that is not all zero, in order.
template <typename Visit>
void ForEachBlock(const std::uint8_t* data, std::size_t size, const Visit& visit) {
  std::size_t next = 0;  // blocks before it are done: ranges need not begin on a block
  for (const isa::ByteRange& range : isa::TouchedRanges(data, size)) {
    for (std::size_t block = std::max(next, range.begin / kSnapshotBlockBytes);
         block * kSnapshotBlockBytes < range.end; ++block) {
      const std::size_t at = block * kSnapshotBlockBytes;
      const std::size_t used = UsedBytes(data + at, std::min(kSnapshotBlockBytes, size - at));
      if (used != 0) visit(static_cast<std::uint32_t>(block), std::span(data + at, used));
      next = block + 1;
    }
  }
}

/// Zeroes blocks first..end-1. Few are written over, many are given back to the system.
void ClearBlocks(std::uint8_t* data, std::size_t size, std::size_t first, std::size_t end) {
  constexpr std::size_t kMany = 64;
  const std::size_t from = first * kSnapshotBlockBytes;
  const std::size_t count = std::min(size, end * kSnapshotBlockBytes) - from;
  if (end - first >= kMany) {
    isa::ClearBytes(data + from, count);
  } else {
    std::memset(data + from, 0, count);
  }
}

/// Makes the array what the blocks say, in place: pages that stay in use are not given back.
void StoreBlocks(std::span<const SnapshotBlock> blocks, void* start, std::size_t size) {
  auto* const data = static_cast<std::uint8_t*>(start);
  std::size_t clear = 0, clear_end = 0;  // blocks to be zeroed, none when equal
  std::span<const SnapshotBlock> rest = blocks;
  std::size_t next = 0;  // blocks before it are done: ranges need not begin on a block
  for (const isa::ByteRange& range : isa::TouchedRanges(start, size)) {
    for (std::size_t block = std::max(next, range.begin / kSnapshotBlockBytes);
         block * kSnapshotBlockBytes < range.end; ++block) {
      next = block + 1;
      while (!rest.empty() && rest.front().index < block) rest = rest.subspan(1);
      if (!rest.empty() && rest.front().index == block) continue;
      if (block != clear_end) {
        if (clear != clear_end) ClearBlocks(data, size, clear, clear_end);
        clear = block;
      }
      clear_end = block + 1;
    }
  }
  if (clear != clear_end) ClearBlocks(data, size, clear, clear_end);
  for (const SnapshotBlock& block : blocks) {
    const std::size_t at = std::size_t{block.index} * kSnapshotBlockBytes;
    const std::size_t count = block.bytes->size();
    std::memcpy(data + at, block.bytes->data(), count);
    std::memset(data + at + count, 0, std::min(kSnapshotBlockBytes, size - at) - count);
  }
}

void CopyBlocks(const void* from, std::size_t size, void* to) {
  ForEachBlock(static_cast<const std::uint8_t*>(from), size,
               [&](std::uint32_t index, std::span<const std::uint8_t> bytes) {
                 std::memcpy(static_cast<std::uint8_t*>(to) + index * kSnapshotBlockBytes,
                             bytes.data(), bytes.size());
               });
}

isa::Result<void> CheckBlocks(std::string_view space, std::span<const SnapshotBlock> blocks,
                              std::uint64_t size) {
  const SnapshotBlock* before = nullptr;
  for (const SnapshotBlock& block : blocks) {
    if (before != nullptr && block.index <= before->index) {
      return Corrupt(fmt::format("block {} of {} does not come after block {}", block.index, space,
                                 before->index));
    }
    before = &block;
    const std::size_t bytes = block.bytes == nullptr ? 0 : block.bytes->size();
    if (bytes == 0 || bytes > kSnapshotBlockBytes) {
      return Corrupt(fmt::format("block {} of {} has {} bytes, expected 1..{}", block.index, space,
                                 bytes, kSnapshotBlockBytes));
    }
    if (const std::uint64_t end = std::uint64_t{block.index} * kSnapshotBlockBytes + bytes;
        end > size) {
      return Corrupt(fmt::format("block {} of {} ends at byte {}, {} has {} bytes", block.index,
                                 space, end, space, size));
    }
  }
  return {};
}

// ----------------------------------------------------------------------------------------- check

// The state of one snapshot against the paths of its program, frame by frame from the outermost.
class StateChecker {
 public:
  StateChecker(const Snapshot& snapshot, const SnapshotTarget& target)
      : snapshot_(snapshot),
        target_(target),
        program_(*target.program),
        largest_frame_(isa::LargestFrame(program_)),
        locals_base_(program_.globals.size()) {}

  isa::Result<SnapshotFrames> Check() {
    TXVM_CHECK_OK(CheckSizes());
    SnapshotFrames checked;
    checked.locals_base = static_cast<std::uint32_t>(locals_base_);
    if (!snapshot_.running) {
      TXVM_CHECK_OK(CheckAtRest());
      return checked;
    }
    checked.frames.reserve(snapshot_.frames.size());
    for (std::size_t i = 0; i < snapshot_.frames.size(); ++i) {
      checked.frames.push_back({snapshot_.frames[i], static_cast<std::uint32_t>(locals_base_)});
      TXVM_CHECK_OK(Enter(i));
    }
    checked.locals_base = static_cast<std::uint32_t>(locals_base_);
    TXVM_CHECK_OK(CheckInnermost());
    return checked;
  }

 private:
  isa::Result<void> CheckSizes() const {
    const auto within = [](std::size_t count, std::string_view what,
                           std::uint32_t limit) -> isa::Result<void> {
      if (count <= limit) return {};
      return Refuse(ErrorCode::kLimit,
                    fmt::format("its {} the limit of {}", isa::ExceedText(count, what), limit));
    };
    TXVM_CHECK_OK(within(snapshot_.stack.size(), "operand slot", target_.limits.max_slots));
    TXVM_CHECK_OK(within(snapshot_.frames.size(), "call frame", target_.limits.max_depth));
    TXVM_CHECK_OK(within(snapshot_.pages, "memory page", target_.max_pages));
    if (const std::uint32_t least = program_.memory ? program_.memory->initial : 0;
        snapshot_.pages < least) {
      return Corrupt(fmt::format("its memory has {}, the program starts with {}",
                                 isa::CountText(snapshot_.pages, "page"), least));
    }
    TXVM_CHECK_OK(CheckBlocks("locals", snapshot_.locals, LocalsBytes(target_.limits)));
    return CheckBlocks("memory", snapshot_.memory,
                       std::uint64_t{snapshot_.pages} * isa::kPageBytes);
  }

  isa::Result<void> CheckAtRest() const {
    if (snapshot_.stack.empty() && snapshot_.frames.empty() && snapshot_.ip == 0 &&
        snapshot_.steps == 0) {
      return {};
    }
    return Corrupt("it is of an instance at rest, yet holds part of an invocation");
  }

  /// Goes from the function that frame `i` returns to into the one it called.
  isa::Result<void> Enter(std::size_t i) {
    const std::uint32_t return_ip = snapshot_.frames[i];
    const std::uint32_t site = return_ip - 1;
    if (return_ip == 0 || site >= program_.code.size() || !IsProgramCall(program_.code[site])) {
      return Corrupt(fmt::format("frame {} returns to instruction {}, which follows no CALL", i + 1,
                                 return_ip));
    }
    if (target_.facts != nullptr) TXVM_CHECK_OK(CheckPlace(site, i + 1));
    locals_base_ += program_.code[site].aux();
    if (locals_base_ + largest_frame_ > target_.limits.max_locals) {
      return Refuse(ErrorCode::kLimit,
                    fmt::format("frame {} needs {}, the limit is {}", i + 1,
                                isa::CountText(locals_base_ + largest_frame_, "local slot"),
                                target_.limits.max_locals));
    }
    if (target_.facts == nullptr) return {};
    function_ = program_.FunctionAt(program_.code[site].arg);
    slots_base_ += target_.facts->height[site];
    slots_base_ -= function_->params;
    return {};
  }

  /// That a path of the function that is running leads to `ip`, of frame `frame` or, 0, of the run.
  isa::Result<void> CheckPlace(std::uint32_t ip, std::size_t frame) const {
    const auto what = [&] {
      return frame == 0 ? std::string("the run") : fmt::format("frame {}", frame);
    };
    if (target_.facts->height[ip] == isa::PathFacts::kUnreached) {
      return Corrupt(fmt::format("{} is at instruction {}, which no path reaches", what(), ip));
    }
    if (function_ == nullptr || (function_->first <= ip && ip <= function_->last)) return {};
    return Corrupt(
        fmt::format("{} is at instruction {}, outside the function that was called "
                    "({}..{})",
                    what(), ip, function_->first, function_->last));
  }

  /// Unverified programs are checked as they run: only the arrays' sizes matter.
  isa::Result<void> CheckInnermost() const {
    if (target_.facts == nullptr) return {};
    const std::uint32_t ip = snapshot_.ip;
    if (ip >= program_.code.size()) {
      return Corrupt(fmt::format("instruction {} is outside the program (it has {})", ip,
                                 isa::CountText(program_.code.size(), "instruction")));
    }
    TXVM_CHECK_OK(CheckPlace(ip, 0));
    const std::uint64_t expected = slots_base_ + target_.facts->height[ip];
    if (snapshot_.stack.size() != expected) {
      return Corrupt(fmt::format("it holds {} at instruction {}, expected {}",
                                 isa::CountText(snapshot_.stack.size(), "operand"), ip, expected));
    }
    if (target_.facts->after_push[ip] && snapshot_.stack.back() != program_.code[ip - 1].arg) {
      return Corrupt(
          fmt::format("its top operand at instruction {} is {}, the PUSH before it "
                      "pushes {}",
                      ip, snapshot_.stack.back(), program_.code[ip - 1].arg));
    }
    return {};
  }

  static bool IsProgramCall(const isa::Instruction& instruction) {
    return instruction.code() == static_cast<std::uint8_t>(isa::Opcode::kCall) &&
           (instruction.arg & isa::kHostCallBit) == 0;
  }

  const Snapshot& snapshot_;
  const SnapshotTarget& target_;
  const isa::Program& program_;
  std::uint64_t largest_frame_;
  std::uint64_t locals_base_;
  std::uint64_t slots_base_ = 0;             // operands below the running function's
  const isa::Function* function_ = nullptr;  // the running one; nullptr: any may have begun the run
};

isa::Result<void> CheckProgram(const Snapshot& snapshot, const SnapshotTarget& target) {
  if (snapshot.program == target.program) return {};
  const std::string of = snapshot.program ? ProgramHash(*snapshot.program) : snapshot.program_hash;
  const std::string here = ProgramHash(*target.program);
  if (of == here) return {};
  constexpr std::size_t kShown = 12;  // digits, as version control systems show them
  return Refuse(ErrorCode::kInvalid,
                fmt::format("it was taken of another program (SHA-256 {}..., this one's is {}...)",
                            of.substr(0, kShown), here.substr(0, kShown)));
}

}  // namespace

std::vector<SnapshotBlock> TakeBlocks(const void* start, std::size_t size,
                                      std::span<const SnapshotBlock> previous) {
  std::vector<SnapshotBlock> blocks;
  ForEachBlock(static_cast<const std::uint8_t*>(start), size,
               [&](std::uint32_t index, std::span<const std::uint8_t> bytes) {
                 while (!previous.empty() && previous.front().index < index) {
                   previous = previous.subspan(1);
                 }
                 if (!previous.empty() && previous.front().index == index &&
                     std::ranges::equal(*previous.front().bytes, bytes)) {
                   blocks.push_back(previous.front());
                   return;
                 }
                 blocks.push_back({index, std::make_shared<const std::vector<std::uint8_t>>(
                                              bytes.begin(), bytes.end())});
               });
  return blocks;
}

Snapshot TakeState(const State& state, const isa::Limits& limits, const Snapshot* previous) {
  Snapshot snapshot;
  snapshot.ip = state.ip;
  snapshot.steps = state.steps;
  snapshot.digest = state.digest;
  snapshot.stack.assign(state.slots.data() + 1, state.slots.data() + 1 + state.sp);
  snapshot.frames.reserve(state.depth);
  for (std::uint32_t depth = 1; depth <= state.depth; ++depth) {
    snapshot.frames.push_back(state.frames[depth].return_ip);
  }
  snapshot.pages = state.memory.pages();
  using Blocks = std::span<const SnapshotBlock>;
  snapshot.locals = TakeBlocks(state.locals.data(), LocalsSize(limits),
                               previous != nullptr ? Blocks(previous->locals) : Blocks());
  snapshot.memory = TakeBlocks(state.memory.data(), state.memory.bytes().size(),
                               previous != nullptr ? Blocks(previous->memory) : Blocks());
  return snapshot;
}

isa::Result<SnapshotFrames> CheckSnapshot(const Snapshot& snapshot, const SnapshotTarget& target) {
  TXVM_CHECK_OK(CheckProgram(snapshot, target));
  return StateChecker(snapshot, target).Check();
}

void StoreSnapshot(const Snapshot& snapshot, const SnapshotFrames& frames, State& state) {
  state.ip = snapshot.ip;
  state.sp = static_cast<std::uint32_t>(snapshot.stack.size());
  state.locals_base = frames.locals_base;
  state.depth = static_cast<std::uint32_t>(frames.frames.size());
  state.steps = snapshot.steps;
  state.digest = snapshot.digest;
  std::ranges::copy(snapshot.stack, state.slots.data() + 1);
  std::ranges::copy(frames.frames, state.frames.data() + 1);
  StoreBlocks(snapshot.locals, state.locals.data(), state.locals.size() * sizeof(Word));
  state.memory.Resize(snapshot.pages);
  StoreBlocks(snapshot.memory, state.memory.data(), state.memory.bytes().size());
}

void CopyState(const State& from, const isa::Limits& limits, State& to) {
  to.ip = from.ip;
  to.sp = from.sp;
  to.locals_base = from.locals_base;
  to.depth = from.depth;
  to.steps = from.steps;
  to.digest = from.digest;
  std::copy_n(from.slots.data() + 1, from.sp, to.slots.data() + 1);
  std::copy_n(from.frames.data() + 1, from.depth, to.frames.data() + 1);
  CopyBlocks(from.locals.data(), LocalsSize(limits), to.locals.data());
  to.memory.Resize(from.memory.pages());
  CopyBlocks(from.memory.data(), from.memory.bytes().size(), to.memory.data());
}

std::uint64_t SnapshotTokens(const Snapshot& snapshot, const isa::Program& program) {
  const auto is_set = [](auto value) { return value != 0; };
  std::uint64_t tokens = program.code.size() + snapshot.frames.size();
  tokens += static_cast<std::uint64_t>(std::ranges::count_if(snapshot.stack, is_set));
  for (const SnapshotBlock& block : snapshot.memory) {
    tokens += static_cast<std::uint64_t>(std::ranges::count_if(*block.bytes, is_set));
  }
  for (const SnapshotBlock& block : snapshot.locals) {
    std::vector<std::uint8_t> bytes = *block.bytes;
    bytes.resize((bytes.size() + sizeof(Word) - 1) / sizeof(Word) * sizeof(Word));
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(Word)) {
      Word word = 0;
      std::memcpy(&word, &bytes[at], sizeof(Word));
      tokens += word != 0 ? 1 : 0;
    }
  }
  return tokens;
}

}  // namespace txvm::vm
