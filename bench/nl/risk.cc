#include "bench/nl/risk.h"

namespace txvm::bench::nl {

std::vector<Judged> Judge(const std::vector<Item>& items, const std::vector<Outcome>& outcomes) {
  std::vector<Judged> judged;
  for (std::size_t i = 0; i < items.size(); ++i) {
    judged.push_back(
        {outcomes[i].confidence, !outcomes[i].answer.empty(), IsRight(items[i], outcomes[i])});
  }
  return judged;
}

AtThreshold Apply(const std::vector<Judged>& items, double threshold) {
  AtThreshold at;
  for (const Judged& item : items) {
    const bool answers = item.is_answered && item.confidence >= threshold;
    at.covered.Count(answers);
    if (answers) at.right.Count(item.is_right);
  }
  return at;
}

}  // namespace txvm::bench::nl
