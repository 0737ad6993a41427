#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "vm/memory/linear_memory.h"
#include "vm/memory/tile_keys.h"

namespace txvm::vm {
namespace {

TEST(Reservation, IsZeroAndStartsOnItsLine) {
  Reservation<std::uint32_t> array =
      Reservation<std::uint32_t>::Create(1'000'000, PageOffset::kLocals).value();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 4096,
            static_cast<std::size_t>(PageOffset::kLocals) * 64);
  EXPECT_EQ(array[999'999], 0u);
  array[3] = 7;
  const Reservation<std::uint32_t> moved = std::move(array);
  EXPECT_EQ(moved[3], 7u);
}

TEST(Reservation, RefusesWhatTheSystemCannotGive) {
  const auto refused = Reservation<std::uint64_t>::Create(std::size_t{1} << 58);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, isa::ErrorCode::kMemory);
}

TEST(LinearMemory, GrowsWithinItsMaximumAndKeepsItsPlace) {
  LinearMemory memory = LinearMemory::Create(1, 3).value();
  std::uint8_t* const start = memory.data();
  start[10] = 9;
  EXPECT_EQ(memory.Grow(0), 1u);
  EXPECT_EQ(memory.Grow(2), 1u);
  EXPECT_EQ(memory.Grow(1), 0xFFFFFFFFu);
  EXPECT_EQ(memory.pages(), 3u);
  EXPECT_EQ(memory.data(), start);
  EXPECT_EQ(memory.data()[10], 9);
  EXPECT_EQ(memory.data()[3 * isa::kPageBytes - 1], 0);
}

TEST(LinearMemory, ContainsHasNoWrapAround) {
  const LinearMemory memory = LinearMemory::Create(1, 1).value();
  EXPECT_TRUE(memory.Contains(65'532, 4));
  EXPECT_FALSE(memory.Contains(65'533, 4));
  EXPECT_TRUE(memory.Contains(65'536, 0));
  EXPECT_FALSE(memory.Contains(0xFFFFFFFFFFFFFFFF, 2));
  EXPECT_FALSE(LinearMemory::Create(0, 0).value().Contains(0, 1));
}

TEST(LinearMemory, ReservesTheWholeSpaceWithoutCommittingIt) {
  LinearMemory memory = LinearMemory::Create(isa::kMaxPages, isa::kMaxPages).value();
  memory.data()[0xFFFFFFFF] = 1;
  EXPECT_EQ(memory.size_bytes(), std::uint64_t{1} << 32);
}

// In a process of its own, for the limit stays: what it may reserve in all. Where a limit has no
// effect (qemu-user, AddressSanitizer), 2.
int MemoryWithin(std::uint64_t more_bytes) {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  statm >> pages;
  const rlimit limit = {
      static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more_bytes,
      RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
  if (Reservation<std::uint8_t>::Create(std::uint64_t{1} << 33)) return 2;
  auto memory = LinearMemory::Create(1, isa::kMaxPages);
  if (!memory) return 1;
  const std::uint32_t allowed = memory->max_pages();
  const std::uint64_t bytes = std::uint64_t{allowed} * isa::kPageBytes;
  if (bytes >= more_bytes || bytes < more_bytes / 2) return 1;
  if (memory->Grow(isa::kMaxPages) != 0xFFFFFFFF || memory->fell_short()) return 1;
  if (memory->Grow(allowed) != 0xFFFFFFFF || !memory->fell_short()) return 1;
  if (memory->Grow(allowed - 1) != 1 || memory->pages() != allowed) return 1;
  memory->data()[bytes - 1] = 1;
  if (memory->ShortageText().find("--max-pages") == std::string::npos) return 1;
  return LinearMemory::Create(isa::kMaxPages, isa::kMaxPages).has_value() ? 1 : 0;
}

TEST(LinearMemoryDeathTest, IsAsLargeAsTheSystemAllows) {
  const auto works_or_has_no_limit = [](int status) {
    return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2);
  };
  EXPECT_EXIT(std::exit(MemoryWithin(std::uint64_t{1} << 30)), works_or_has_no_limit, "");
  EXPECT_EXIT(std::exit(MemoryWithin(std::uint64_t{3} << 30)), works_or_has_no_limit, "");
}

KeyTile Tile16() {
  KeyTile tile;
  for (int k = 0; k < 16; ++k) tile.push_back(static_cast<std::int16_t>(2 * k));
  for (int k = 0; k < 16; ++k) tile.push_back(static_cast<std::int16_t>(-k * k));
  return tile;
}

TEST(TileKeys, WritesTilesAsFarAsTheSpaceReaches) {
  TileKeys keys = TileKeys::Create(10'000, Tile16(), PageOffset::kStackKeys).value();
  EXPECT_EQ(keys.ready(), 0u);
  keys.Ensure(5);
  const std::uint64_t ready = keys.ready();
  EXPECT_GE(ready, 16u);
  EXPECT_LT(ready, 10'000u);
  keys.Ensure(10'000);
  const std::span<const std::int16_t> tile = keys.Tile(9'999);  // 9,999 = 16 * 624 + 15
  EXPECT_EQ(tile[15], 30);
  EXPECT_EQ(tile[16 + 15], -225);
}

TEST(SharedKeys, ShareOnePageUntilATileIsAltered) {
  SharedKeys keys = SharedKeys::Create(1 << 20, Tile16()).value();
  const SharedKeys::View view = keys.view();
  EXPECT_EQ(view.Page(0), view.Page(99 * SharedKeys::kPageAddresses));
  keys.Tile(99 * SharedKeys::kPageAddresses + 17)[1] = 1234;
  EXPECT_NE(view.Page(0), view.Page(99 * SharedKeys::kPageAddresses));
  EXPECT_EQ(view.Page(99 * SharedKeys::kPageAddresses)[32 + 1], 1234);  // second tile, key 1
  EXPECT_EQ(view.Page(0)[32 + 1], 2);
}

}  // namespace
}  // namespace txvm::vm
