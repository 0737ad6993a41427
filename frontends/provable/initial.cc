#include "frontends/provable/initial.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "isa/support/text.h"

namespace txvm::frontends::provable {
namespace {

using isa::ErrorCode;
using triton::TirCode;

constexpr std::uint32_t kWordBytes = 4;
constexpr std::uint32_t kByteBits = 8;
constexpr std::uint32_t kBatch = 5;  // words that write_mem takes

/// Zeros from address 0 on.
Code ZeroMemory(Context& context, std::uint64_t words) {
  Code code;
  const std::uint64_t rounds = words / kRoundWords;
  if (rounds > 0) {
    const std::string name = context.functions.Fresh("clear");
    code.Push(0);
    code.Push(rounds);
    code.Append(context.functions.Loop(name, ZeroRound()));
    code.Call(name);
    code.Pop(2);
  }
  code.Append(ZeroCells(rounds * kRoundWords, words % kRoundWords));
  return code;
}

/// Words that the data segments leave at the start, by address; the others are 0.
std::map<std::uint64_t, std::uint32_t> DataWords(const Context& context) {
  std::map<std::uint64_t, std::uint32_t> words;
  for (const wat::DataSegment& segment : context.module.data) {
    std::uint64_t address = context.ValueOf(segment.offset);
    for (const std::uint8_t byte : segment.bytes) {
      const auto shift = static_cast<std::uint32_t>(address % kWordBytes) * kByteBits;
      std::uint32_t& word = words[address / kWordBytes];
      word = (word & ~(std::uint32_t{0xFF} << shift)) | std::uint32_t{byte} << shift;
      ++address;
    }
  }
  std::erase_if(words, [](const auto& item) { return item.second == 0; });
  return words;
}

Code StoreData(const Context& context) {
  Code code;
  const auto words = DataWords(context);
  for (auto at = words.begin(); at != words.end();) {
    const std::uint64_t first = at->first;
    std::vector<std::uint32_t> run;
    for (; at != words.end() && at->first == first + run.size() && run.size() < kBatch; ++at) {
      run.push_back(at->second);
    }
    for (std::size_t i = run.size(); i-- > 0;) code.Push(run[i]);
    code.StoreMany(first, static_cast<std::uint32_t>(run.size()));
  }
  return code;
}

void StoreCell(Code& code, std::uint64_t cell, std::uint64_t value, bool assume_zero) {
  if (value == 0 && assume_zero) return;
  code.Push(value);
  code.Store(cell);
}

}  // namespace

isa::Result<void> CheckData(Context& context) {
  const Layout& layout = context.layout;
  for (std::size_t i = 0; i < context.module.data.size(); ++i) {
    const wat::DataSegment& segment = context.module.data[i];
    const std::uint64_t end = std::uint64_t{context.ValueOf(segment.offset)} + segment.bytes.size();
    const std::uint64_t size = std::uint64_t{layout.pages} * isa::kPageBytes;
    if (end > size) {
      return isa::Fail(
          ErrorCode::kInvalid,
          fmt::format("data segment {} ends at byte {}, the memory has {}", i, end, size));
    }
    const std::uint64_t words = (end + kWordBytes - 1) / kWordBytes;
    if (!segment.bytes.empty() && words > layout.memory_words) {
      return isa::Fail(ErrorCode::kLimit,
                       fmt::format("data segment {} needs {} of memory, --memory-words allows {}",
                                   i, isa::CountText(words, "word"), layout.memory_words));
    }
    context.Spend(segment.bytes.size() / kWordBytes);
  }
  return {};
}

Code InitialRam(Context& context, const std::map<std::uint32_t, Frame>& frames, bool assume_zero) {
  const Layout& layout = context.layout;
  Code code;
  if (!context.Spend(layout.globals.size())) return code;
  if (!assume_zero) code.Append(ZeroMemory(context, layout.ready_words));
  code.Append(StoreData(context));
  if (layout.memory_grows) {
    StoreCell(code, layout.pages_cell, layout.pages, assume_zero);
    StoreCell(code, layout.limit_cell, std::uint64_t{layout.pages} * kPageWords, assume_zero);
  }
  if (layout.ready_cell != 0) {
    const std::uint64_t limit = std::uint64_t{layout.pages} * kPageWords;
    StoreCell(code, layout.ready_cell, std::min(layout.ready_words, limit) - 1, false);
  }
  if (layout.save_cell != 0) StoreCell(code, layout.save_cell, kSaveStack, assume_zero);
  for (std::uint32_t i = 0; i < layout.globals.size(); ++i) {
    if (context.ConstantGlobal(i)) continue;
    StoreCell(code, layout.globals[i], context.ValueOf(context.module.globals[i].init),
              assume_zero);
  }
  if (!assume_zero) {
    for (const auto& [index, frame] : frames) {
      if (frame.saves) code.Append(ZeroCells(frame.cells, frame.cell_count));
    }
    code.Append(ZeroCells(layout.carry, layout.carry_cells));
  }
  return code;
}

}  // namespace txvm::frontends::provable
