#include "bench/nl/contaminated.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "isa/support/file.h"
#include "neural/questions/contamination.h"
#include "neural/questions/random.h"

namespace txvm::bench::nl {
namespace {

namespace questions = neural::questions;

constexpr std::uint64_t kSampled = 500;  // examples that tell one stream from another

/// First line of a cache file: what its verdicts are about.
std::string KeyOf(const std::vector<std::string>& questions, const TrainingStream& stream,
                  const questions::Generator& generator) {
  std::uint64_t hash = 0;
  for (const std::string& question : questions) hash = questions::HashText(question, hash);
  const std::uint64_t step = std::max<std::uint64_t>(1, stream.examples / kSampled);
  for (std::uint64_t i = 0; i < stream.examples; i += step) {
    hash = questions::HashText(generator.Make(i).question, hash);
  }
  return fmt::format("{:016x} {} {}\n", hash, stream.examples, questions.size());
}

}  // namespace

isa::Result<std::vector<bool>> FindContaminated(const neural::questions::QuestionBank& bank,
                                                const std::vector<std::string>& questions,
                                                const TrainingStream& stream) {
  const questions::Generator generator(bank, GeneratorOf(stream));
  const std::string key = KeyOf(questions, stream, generator);
  if (!stream.cache.empty() && std::filesystem::exists(stream.cache)) {
    TXVM_TRY(const std::string cached, isa::ReadFile(stream.cache));
    if (cached.starts_with(key) && cached.size() == key.size() + questions.size() + 1) {
      std::vector<bool> verdicts;
      for (std::size_t i = 0; i < questions.size(); ++i) {
        verdicts.push_back(cached[key.size() + i] == '1');
      }
      return verdicts;
    }
  }
  questions::ContaminationIndex index(bank.lexicon());
  for (const std::string& question : questions) index.Add(question);
  std::vector<std::vector<bool>> found(stream.threads, std::vector<bool>(questions.size()));
  ForEachExample(generator, stream, "contamination",
                 [&](std::size_t worker, const std::string& question) {
                   for (const std::size_t id : index.Colliding(question)) found[worker][id] = true;
                 });
  std::string verdicts;
  for (std::size_t id = 0; id < questions.size(); ++id) {
    const bool is_found = std::ranges::any_of(found, [id](const auto& one) { return one[id]; });
    verdicts += is_found ? '1' : '0';
  }
  if (!stream.cache.empty()) {
    TXVM_CHECK_OK(isa::WriteFile(stream.cache, key + verdicts + "\n"));
  }
  std::vector<bool> result;
  for (const char verdict : verdicts) result.push_back(verdict == '1');
  return result;
}

}  // namespace txvm::bench::nl
