#include "vm/engines/hull_envelope.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/random.h"

namespace txvm::vm {
namespace {

__extension__ using Wide = __int128;  // a score takes 66 bits

/// Exact exhaustive attention: the latest of the best 2-D keys.
class Scan {
 public:
  void Insert(std::int64_t address, std::uint64_t token) { keys_.push_back({address, token}); }
  std::int64_t BestAddress(std::int64_t q) const {
    Wide best = 0;
    std::int64_t address = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const Wide k = keys_[i].first;
      const Wide score = 2 * k * q - k * k;
      if (i == 0 || score >= best) {
        best = score;
        address = keys_[i].first;
      }
    }
    return address;
  }
  std::uint64_t Latest(std::int64_t address) const {
    std::uint64_t token = 0;
    for (const auto& [k, t] : keys_) token = k == address ? t : token;
    return token;
  }
  bool Has(std::int64_t address) const {
    for (const auto& key : keys_) {
      if (key.first == address) return true;
    }
    return false;
  }

 private:
  std::vector<std::pair<std::int64_t, std::uint64_t>> keys_;
};

TEST(Envelope, EmptyHasNoWinner) { EXPECT_FALSE(Envelope().Query(0)); }

TEST(Envelope, AgreesWithExhaustiveAttention) {
  constexpr int kRounds = 20;
  constexpr int kWrites = 600;  // several blocks
  for (int round = 0; round < kRounds; ++round) {
    support::Random random(static_cast<std::uint64_t>(round));
    const std::uint32_t range = round % 2 == 0 ? 300 : 0xFFFFFFFF;
    Envelope envelope;
    Scan scan;
    std::vector<std::int64_t> written;
    for (std::uint64_t token = 1; token <= kWrites; ++token) {
      const std::int64_t address = random.Below(range);
      envelope.Insert(address, token);
      scan.Insert(address, token);
      written.push_back(address);
      const std::int64_t near = written[random.Below(static_cast<std::uint32_t>(written.size()))];
      for (const std::int64_t q : {near, near + 1, near - 1, std::int64_t{random.Below(range)}}) {
        const std::uint64_t winner = *envelope.Query(q);
        // Present: the latest write to it. Absent: some nearest address, whose key differs.
        if (scan.Has(q)) {
          ASSERT_EQ(winner, scan.Latest(q));
        } else {
          const std::int64_t best = scan.BestAddress(q);
          const std::int64_t distance = std::abs(written[winner - 1] - q);
          ASSERT_EQ(distance, std::abs(best - q));
          ASSERT_NE(distance, 0);
        }
      }
    }
  }
}

TEST(Envelope, HoldsEveryAddressOnce) {
  Envelope envelope;
  for (std::uint64_t token = 0; token < 5'000; ++token) {
    envelope.Insert(static_cast<std::int64_t>(token % 1'000), token);
  }
  EXPECT_EQ(envelope.size(), 1'000u);
  for (std::int64_t q = 0; q < 1'000; ++q) {
    EXPECT_EQ(envelope.Query(q), 4'000u + static_cast<std::uint64_t>(q));
  }
}

TEST(Envelope, AddressesOfTheWholeWordAreExact) {
  Envelope envelope;
  std::uint64_t token = 0;
  std::map<std::int64_t, std::uint64_t> latest;
  for (const std::int64_t base :
       {std::int64_t{0}, std::int64_t{1'024}, std::int64_t{4'096}, std::int64_t{65'536},
        std::int64_t{131'072}, std::int64_t{16'777'216}, std::int64_t{94'906'266},
        std::int64_t{0xFFFFFFFF}}) {
    for (std::int64_t offset = -2; offset <= 2; ++offset) {
      for (int repeat = 0; repeat < 2; ++repeat) {
        envelope.Insert(base + offset, token);
        latest[base + offset] = token++;
      }
    }
  }
  for (const auto& [address, expected] : latest) EXPECT_EQ(envelope.Query(address), expected);
}

}  // namespace
}  // namespace txvm::vm
