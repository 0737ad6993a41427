#include "weights/tokens.h"

#include <algorithm>
#include <map>

#include "isa/support/result.h"

namespace txvm::weights {
namespace {

constexpr std::uint32_t kByteBits = 8;
constexpr std::uint32_t kByteMask = 0xFF;

std::array<std::uint8_t, kWordBytes> Bytes(std::uint32_t word) {
  std::array<std::uint8_t, kWordBytes> bytes{};
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(word & kByteMask);
    word >>= kByteBits;
  }
  return bytes;
}

}  // namespace

std::uint32_t WordAt(std::span<const std::int32_t> fields) {
  std::uint32_t word = 0;
  for (std::size_t i = kWordBytes; i-- > 0;) {
    word = word << kByteBits | static_cast<std::uint32_t>(fields[i]);
  }
  return word;
}

void SetWord(std::span<std::int32_t> fields, std::uint32_t word) {
  std::ranges::copy(Bytes(word), fields.begin());
}

MemoryRecord MakeMemory(Space space, std::uint32_t address, std::span<const std::uint8_t> values) {
  TXVM_ASSERT(values.size() <= memory_field::kValues);
  MemoryRecord record{};
  record[memory_field::kSpace + static_cast<std::size_t>(space)] = 1;
  const auto digits = Bytes(address);
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    record[memory_field::kKey + i] = digits[i];
    record[memory_field::kSquare] += digits[i] * digits[i];
  }
  std::ranges::copy(values, record.begin() + memory_field::kValue);
  return record;
}

MemoryRecord MakeCell(Space space, std::uint32_t slot, std::uint32_t value) {
  return MakeMemory(space, slot, Bytes(value));
}

MemoryRecord MakeByte(std::uint32_t address, std::uint8_t value) {
  return MakeMemory(Space::kMemory, address, std::span(&value, 1));
}

MemoryRecord MakeCode(std::uint32_t ip, isa::Instruction instruction) {
  std::array<std::uint8_t, memory_field::kValues> values{};
  std::ranges::copy(Bytes(instruction.head), values.begin());
  std::ranges::copy(Bytes(instruction.arg), values.begin() + kWordBytes);
  return MakeMemory(Space::kCode, ip, values);
}

bool IsEmpty(const MemoryRecord& record) {
  return std::all_of(record.begin(), record.begin() + kSpaceCount,
                     [](std::int32_t flag) { return flag == 0; });
}

Space SpaceOf(const MemoryRecord& record) {
  const auto flag = std::find(record.begin(), record.begin() + kSpaceCount, 1);
  return static_cast<Space>(flag - record.begin());
}

std::vector<MemoryRecord> Tokenise(const isa::Program& program) {
  std::vector<MemoryRecord> tokens;
  for (std::uint32_t ip = 0; ip < program.code.size(); ++ip) {
    tokens.push_back(MakeCode(ip, program.code[ip]));
  }
  for (std::uint32_t i = 0; i < program.globals.size(); ++i) {
    if (program.globals[i] == 0) continue;
    tokens.push_back(MakeCell(Space::kLocals, i, program.globals[i]));
  }
  std::map<std::uint32_t, std::uint8_t> memory;  // later segments overwrite earlier ones
  for (const isa::DataSegment& segment : program.data) {
    for (std::uint32_t i = 0; i < segment.bytes.size(); ++i) {
      memory[segment.offset + i] = segment.bytes[i];
    }
  }
  for (const auto& [address, byte] : memory) {
    if (byte != 0) tokens.push_back(MakeByte(address, byte));
  }
  return tokens;
}

std::size_t PrefixTokens(const isa::Program& program) {
  std::size_t count = program.code.size() + program.globals.size();
  for (const isa::DataSegment& segment : program.data) count += segment.bytes.size();
  return count;
}

StateRecord InitialState(const isa::Program& program, const isa::Limits& limits,
                         std::uint32_t start, std::span<const std::uint32_t> args,
                         std::uint32_t pages) {
  const std::uint32_t largest = isa::LargestFrame(program);
  TXVM_ASSERT(largest <= limits.max_locals);
  StateRecord state{};
  const auto set = [&](std::size_t field, std::uint32_t word) {
    SetWord(std::span(state).subspan(field), word);
  };
  set(state_field::kIp, start);
  set(state_field::kSp, static_cast<std::uint32_t>(args.size()));
  set(state_field::kBase, static_cast<std::uint32_t>(program.globals.size()));
  set(state_field::kTop, args.empty() ? 0 : args.back());
  set(state_field::kPages, pages);  // the fourth byte is 0 and is overwritten by the next line
  set(state_field::kMaxSlots, limits.max_slots);
  set(state_field::kMaxDepth, limits.max_depth);
  set(state_field::kMaxBase, limits.max_locals - largest);
  set(state_field::kMaxLocals, limits.max_locals);
  set(state_field::kGlobals, static_cast<std::uint32_t>(program.globals.size()));
  set(state_field::kImports, static_cast<std::uint32_t>(program.imports.size()));
  return state;
}

std::vector<MemoryRecord> ArgumentTokens(std::span<const std::uint32_t> args) {
  std::vector<MemoryRecord> tokens;
  for (std::uint32_t i = 0; i < args.size(); ++i) {
    tokens.push_back(MakeCell(Space::kStack, i + 1, args[i]));
  }
  return tokens;
}

}  // namespace txvm::weights
