#include "vm/engines/hull_history.h"

#include <algorithm>
#include <cstring>

#include "isa/support/system/touched_pages.h"

namespace txvm::vm {
namespace {

using weights::Space;

static_assert(std::endian::native == std::endian::little, "token bytes are words as they lie");

std::uint32_t KeyOf(const HullToken& token) {
  std::uint32_t key = 0;
  std::memcpy(&key, token.key.data(), sizeof(key));
  return key;
}

std::uint64_t ValueOf(const HullToken& token) {
  std::uint64_t value = 0;
  std::memcpy(&value, token.value.data(), sizeof(value));
  return value;
}

HullToken MakeToken(Space space, std::uint32_t key, std::uint64_t value) {
  HullToken token;
  std::memcpy(token.key.data(), &key, sizeof(key));
  std::memcpy(token.value.data(), &value, sizeof(value));
  token.space = static_cast<std::uint8_t>(space);
  return token;
}

constexpr std::uint32_t kWordBits = 32;

std::uint64_t Pack(std::uint32_t low, std::uint32_t high) {
  return low | static_cast<std::uint64_t>(high) << kWordBits;
}

}  // namespace

void HullHistory::Append(const HullToken& token) {
  Of(static_cast<Space>(token.space)).Insert(KeyOf(token), tokens_.size());
  tokens_.push_back(token);
}

const HullToken* HullHistory::Winner(Space space, std::int64_t address) const {
  const std::optional<std::uint64_t> token = Of(space).Query(address);
  return token ? &tokens_[static_cast<std::size_t>(*token)] : nullptr;
}

std::uint64_t HullHistory::Latest(Space space, std::uint32_t address) const {
  const HullToken* token = Winner(space, address);
  return token != nullptr && KeyOf(*token) == address ? ValueOf(*token) : 0;
}

void HullHistory::AbsorbValue(Space space, std::uint32_t address, std::uint64_t value) {
  if (Latest(space, address) != value) Append(MakeToken(space, address, value));
}

void HullHistory::AbsorbMemory(const LinearMemory& memory) {
  if (memory_.size() < memory.pages()) memory_.resize(memory.pages());
  // A page the system never gave out is zero, and the tokens say so unless they have bytes of it.
  std::vector<bool> written(memory.pages(), false);
  for (const isa::ByteRange& range : isa::TouchedRanges(memory.data(), memory.bytes().size())) {
    const std::size_t last = (range.end - 1) / isa::kPageBytes;
    for (std::size_t page = range.begin / isa::kPageBytes; page <= last; ++page) {
      written[page] = true;
    }
  }
  for (std::size_t page = 0; page < written.size(); ++page) {
    if (!written[page] && memory_[page] == nullptr) continue;
    AbsorbPage(page, memory.data() + page * isa::kPageBytes);
  }
}

void HullHistory::AbsorbPage(std::size_t page, const std::uint8_t* bytes) {
  const std::size_t first = page * isa::kPageBytes;
  if (memory_[page] == nullptr) memory_[page] = std::make_unique<Page>();
  Page& known = *memory_[page];
  if (std::memcmp(bytes, known.data(), known.size()) == 0) return;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] == bytes[i]) continue;
    known[i] = bytes[i];
    Append(MakeToken(Space::kMemory, static_cast<std::uint32_t>(first + i), known[i]));
  }
}

std::uint8_t& HullHistory::MemoryByte(std::uint32_t address) {
  std::unique_ptr<Page>& page = memory_[address / isa::kPageBytes];
  if (page == nullptr) page = std::make_unique<Page>();
  return (*page)[address % isa::kPageBytes];
}

void HullHistory::Absorb(const isa::Program& program, const State& state) {
  std::uint32_t locals = static_cast<std::uint32_t>(program.globals.size());
  if (!started_) {
    for (std::uint32_t ip = 0; code_ && ip < program.code.size(); ++ip) {
      const isa::Instruction& instruction = program.code[ip];
      Append(MakeToken(Space::kCode, ip, Pack(instruction.head, instruction.arg)));
    }
    // A state that was restored, not started: frames, those that ended too, left locals.
    for (const isa::ByteRange& range :
         isa::TouchedRanges(state.locals.data(), state.locals.size() * sizeof(Word))) {
      for (std::size_t slot = range.begin / sizeof(Word); slot < range.end / sizeof(Word); ++slot) {
        AbsorbValue(Space::kLocals, static_cast<std::uint32_t>(slot), state.locals[slot]);
      }
    }
    locals = 0;
    started_ = true;
  }
  for (std::uint32_t slot = 1; slot <= state.sp; ++slot) {
    AbsorbValue(Space::kStack, slot, state.slots[slot]);
  }
  for (std::uint32_t slot = 0; slot < locals; ++slot) {
    AbsorbValue(Space::kLocals, slot, state.locals[slot]);
  }
  for (std::uint32_t depth = 1; depth <= state.depth; ++depth) {
    const Frame& frame = state.frames[depth];
    AbsorbValue(Space::kCall, depth, Pack(frame.return_ip, frame.locals_base));
  }
  AbsorbMemory(state.memory);
}

bool HullHistory::Store(const HullToken& token, State& state) {
  const std::uint32_t key = KeyOf(token);
  const std::uint64_t value = ValueOf(token);
  switch (static_cast<Space>(token.space)) {
    case Space::kStack:
      if (key >= state.slots.size()) return false;
      state.slots[key] = static_cast<Word>(value);
      break;
    case Space::kLocals:
      if (key >= state.locals.size()) return false;
      state.locals[key] = static_cast<Word>(value);
      break;
    case Space::kMemory:
      if (!state.memory.Contains(key, 1)) return false;
      MemoryByte(key) = token.value[0];
      state.memory.data()[key] = token.value[0];
      break;
    case Space::kCall:
      if (key >= state.frames.size()) return false;
      state.frames[key] = {static_cast<std::uint32_t>(value),
                           static_cast<std::uint32_t>(value >> kWordBits)};
      break;
    case Space::kCode:
      return false;
  }
  Append(token);
  return true;
}

}  // namespace txvm::vm
