#include "neural/triton/guide/weights_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <utility>

#include "isa/support/file.h"
#include "isa/support/json.h"
#include "isa/support/json_writer.h"
#include "neural/triton/guide/default_network.h"
#include "neural/triton/guide/guide.h"
#include "neural/triton/guide/learner.h"
#include "neural/triton/guide/network_file.h"

namespace txvm::triton::guide {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kEnding = ".safetensors";
constexpr std::size_t kHashDigits = 64;
constexpr std::uint64_t kMostEpochs = 24;
constexpr std::size_t kKnownBeam = 64;  // of the teacher of random fragments

bool IsName(std::string_view text) {
  return text.size() == kHashDigits && std::ranges::all_of(text, [](char letter) {
           return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
         });
}

isa::Result<void> MakeFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return {};
  return isa::FailIo(isa::ErrorCode::kHost, "cannot make the folder", folder, error.value());
}

std::string RecordLine(const TrainingRecord& record) {
  isa::JsonWriter json;
  json.BeginObject();
  json.Key("hash").String(record.hash);
  json.Key("promoted").Bool(record.promoted);
  json.Key("learnt").Uint(record.learnt);
  json.Key("held_out").Uint(record.held_out);
  json.Key("without").Uint(record.without);
  json.Key("before").Uint(record.before);
  json.Key("after").Uint(record.after);
  json.Key("random_before").Uint(record.random_before);
  json.Key("random_after").Uint(record.random_after);
  json.Key("seconds").Uint(record.seconds);
  json.EndObject();
  return json.text();
}

TrainingRecord RecordOf(const isa::Json& object) {
  const auto number = [&object](const char* key) {
    const isa::Json* value = object.Find(key);
    return value != nullptr && value->integer > 0 ? static_cast<std::uint64_t>(value->integer) : 0;
  };
  TrainingRecord record;
  if (const isa::Json* hash = object.Find("hash")) record.hash = hash->text;
  record.promoted = object.Flag("promoted");
  record.learnt = number("learnt");
  record.held_out = number("held_out");
  record.without = number("without");
  record.before = number("before");
  record.after = number("after");
  record.random_before = number("random_before");
  record.random_after = number("random_after");
  record.seconds = number("seconds");
  return record;
}

std::vector<float> FloatsOf(const Network& network) {
  std::vector<float> weights;
  for (const std::int32_t numerator : network.weights()) {
    weights.push_back(static_cast<float>(numerator) / static_cast<float>(kOne));
  }
  return weights;
}

bool HasSchedule(const Window& window) { return !window.schedule.empty(); }

}  // namespace

std::string HashText(const Network& network) {
  std::string text;
  for (const std::uint64_t element : HashOf(network)) text += fmt::format("{:016x}", element);
  return text;
}

std::string WeightsStore::PathOf(const std::string& name) const {
  return fmt::format("{}/weights/{}{}", folder_, name, kEnding);
}

isa::Result<std::optional<std::string>> WeightsStore::Current() const {
  const std::string path = folder_ + "/current";
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  TXVM_TRY(std::string name, isa::ReadFile(path));
  while (!name.empty() && name.back() == '\n') name.pop_back();
  if (name == "shipped") return std::nullopt;
  if (!IsName(name)) {
    return isa::Fail(
        isa::ErrorCode::kCorrupt,
        fmt::format("{} names no network: txvm tir weights --use shipped mends it", path));
  }
  return name;
}

isa::Result<Network> WeightsStore::Load() const {
  TXVM_TRY(const std::optional<std::string> name, Current());
  if (!name) return DefaultNetwork();
  const std::string path = PathOf(*name);
  TXVM_TRY(const std::string bytes, isa::ReadFile(path));
  auto network = ReadNetwork({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  if (!network) return isa::InFile(std::move(network).error(), path);
  if (HashText(*network) != *name) {
    return isa::Fail(isa::ErrorCode::kCorrupt,
                     fmt::format("{} holds another network than its name says", path));
  }
  return network;
}

std::vector<std::string> WeightsStore::Names() const {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_ + "/weights", error)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() == kEnding && IsName(stem)) names.push_back(stem);
  }
  std::ranges::sort(names);
  return names;
}

isa::Result<void> WeightsStore::Promote(const Network& network) const {
  TXVM_CHECK_OK(MakeFolder(folder_ + "/weights"));
  const std::string name = HashText(network);
  const std::vector<std::uint8_t> bytes = WriteNetwork(network);
  TXVM_CHECK_OK(isa::ReplaceFile(PathOf(name), std::string(bytes.begin(), bytes.end())));
  return isa::ReplaceFile(folder_ + "/current", name + "\n");
}

isa::Result<void> WeightsStore::Use(const std::string& name) const {
  std::vector<std::string> found;
  for (const std::string& kept : Names()) {
    if (!name.empty() && kept.starts_with(name)) found.push_back(kept);
  }
  if (name == "shipped") found = {name};
  if (found.size() != 1) {
    return isa::Fail(
        isa::ErrorCode::kUsage,
        fmt::format("{} networks begin with '{}'; see txvm tir weights", found.size(), name));
  }
  TXVM_CHECK_OK(MakeFolder(folder_));
  return isa::ReplaceFile(folder_ + "/current", found.front() + "\n");
}

isa::Result<void> WeightsStore::Record(const TrainingRecord& record) const {
  TXVM_CHECK_OK(MakeFolder(folder_));
  TXVM_TRY(isa::LineLog log, isa::LineLog::Open(folder_ + "/history.jsonl"));
  log.Add(RecordLine(record));
  return log.Check();
}

isa::Result<std::vector<TrainingRecord>> WeightsStore::History() const {
  std::vector<TrainingRecord> records;
  const std::string path = folder_ + "/history.jsonl";
  std::error_code error;
  if (!fs::exists(path, error)) return records;
  TXVM_TRY(const std::string text, isa::ReadFile(path));
  for (std::size_t start = 0, end = 0; (end = text.find('\n', start)) != std::string::npos;
       start = end + 1) {
    auto object = isa::ParseJson(std::string_view(text).substr(start, end - start));
    if (!object) return isa::InFile(std::move(object).error(), path);
    records.push_back(RecordOf(*object));
  }
  return records;
}

isa::Result<std::pair<Network, TrainingRecord>> LearnFromExperience(
    const ExperienceBuffer& buffer, const Network& start, const ExperienceOptions& options,
    neural::llm::Workers& workers) {
  const auto begin = Clock::now();
  const auto gone = [begin] {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin).count());
  };
  const std::vector<Window> learnt = buffer.Windows(false), held_out = buffer.Windows(true);
  std::vector<RunLessons> lessons = LessonsOf(learnt);
  if (lessons.empty() || std::ranges::none_of(held_out, HasSchedule)) {
    return isa::Fail(isa::ErrorCode::kInvalid,
                     "there is not enough to learn from: txvm tir optimize --learn adds what it "
                     "finds");
  }
  // Random fragments among the lessons keep what the network knows already.
  std::vector<Window> known = RandomWindows(2 * options.fragments, options.seed + 1);
  Teach(known, kKnownBeam, nullptr, workers);
  std::ranges::move(LessonsOf(known), std::back_inserter(lessons));
  LearnOptions learning;
  learning.seed = options.seed;
  learning.start = FloatsOf(start);
  learning.rate = 3e-4;
  learning.epochs = 1;  // it tells how long an epoch takes
  learning.progress = [&](std::size_t, const Score&) {
    return gone() <= options.seconds && (!options.progress || options.progress(gone()));
  };
  std::vector<float> weights = Learn(lessons, learning, workers);
  const std::uint64_t epoch = std::max<std::uint64_t>(gone(), 1);
  if (const std::uint64_t epochs = options.seconds / epoch; epochs > 1) {
    learning.epochs = std::min<std::uint64_t>(epochs - 1, kMostEpochs);
    weights = Learn(lessons, learning, workers);
  }
  TXVM_TRY(Network network, Network::Make(Numerators(weights)));

  const std::vector<Window> random = RandomWindows(options.fragments, options.seed);
  const auto left = [&](const std::vector<Window>& windows, const Network* with) {
    if (with == nullptr) return Try(windows, options.beam, nullptr, workers).after;
    const NetworkGuide guide(*with);
    return Try(windows, options.beam, &guide, workers).after;
  };
  TrainingRecord record;
  record.hash = HashText(network);
  record.learnt = learnt.size();
  record.held_out = held_out.size();
  record.without = left(held_out, nullptr);
  record.before = left(held_out, &start);
  record.after = left(held_out, &network);
  record.random_before = left(random, &start);
  record.random_after = left(random, &network);
  record.promoted = record.after < record.before && record.random_after <= record.random_before;
  record.seconds = gone();
  return std::pair(std::move(network), std::move(record));
}

}  // namespace txvm::triton::guide
