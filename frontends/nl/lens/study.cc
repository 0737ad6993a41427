#include "frontends/nl/lens/study.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "frontends/nl/language/lens_label.h"
#include "frontends/nl/lens/lens.h"
#include "frontends/nl/reader/ask.h"
#include "frontends/nl/reader/model_reader.h"
#include "neural/llm/context.h"
#include "neural/llm/workers.h"

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;

constexpr std::size_t kChunkItems = 16;  // of a thread at a time

// What the lens sees after one block of one item.
struct Sight {
  LensChoice choice;
  bool first = false;  // the label is the likeliest token
  double label = 0;    // probability
};

// One item read; rows (layers, hidden).
struct Seen {
  std::vector<std::vector<float>> rows;
  std::vector<Sight> sights;
};

// One item answered.
struct Answered {
  bool exact = false, same_program = false;
  std::optional<Token> label;  // of the model's program
};

std::size_t ClassIndex(Token token) {
  const auto classes = LensClasses();
  return static_cast<std::size_t>(std::ranges::find(classes, token) - classes.begin());
}

// Calls work(begin, end, own workers) for ranges of the items on `threads` threads; the first
// error, by range, is returned.
template <typename Work>
isa::Result<void> ForItems(std::size_t items, std::size_t threads, const Work& work) {
  llm::Workers workers(std::max<std::size_t>(1, threads));
  const std::size_t chunks = (items + kChunkItems - 1) / kChunkItems;
  std::vector<isa::Result<void>> results(chunks);
  workers.Run(chunks, [&](std::size_t chunk) {
    llm::Workers alone(1);
    results[chunk] = work(chunk * kChunkItems, std::min(items, (chunk + 1) * kChunkItems), alone);
  });
  for (isa::Result<void>& result : results) TXVM_CHECK_OK(std::move(result));
  return {};
}

isa::Result<std::vector<Seen>> See(const std::shared_ptr<const llm::Model>& model,
                                   const Codec& codec, std::span<const LensItem> items,
                                   std::size_t threads, bool with_sights) {
  std::vector<Seen> all(items.size());
  const auto see = [&](std::size_t begin, std::size_t end,
                       llm::Workers& workers) -> isa::Result<void> {
    const llm::Context context(model, workers);
    for (std::size_t i = begin; i < end; ++i) {
      TXVM_TRY(const Lexed lexed, Lex(items[i].question));
      TXVM_TRY(all[i].rows, ResidualRows(model, workers, codec.Prompt(lexed)));
      if (!with_sights) continue;
      const auto label = static_cast<std::size_t>(codec.IdOf(items[i].label));
      for (const std::vector<float>& row : all[i].rows) {
        const std::vector<float> logits = context.Lens(row);
        const bool first =
            std::ranges::max_element(logits) - logits.begin() == static_cast<std::ptrdiff_t>(label);
        all[i].sights.push_back(
            {ChooseOperation(logits, codec, LensClasses()), first, Probabilities(logits)[label]});
      }
    }
    return {};
  };
  TXVM_CHECK_OK(ForItems(items.size(), threads, see));
  return all;
}

isa::Result<std::vector<Answered>> AnswerAll(const std::shared_ptr<const llm::Model>& model,
                                             const llm::Tokenizer& tokenizer,
                                             std::span<const LensItem> items, std::size_t threads) {
  std::vector<Answered> all(items.size());
  const auto answer = [&](std::size_t begin, std::size_t end, llm::Workers&) -> isa::Result<void> {
    TXVM_TRY(ModelReader reader, ModelReader::Make(model, tokenizer));
    for (std::size_t i = begin; i < end; ++i) {
      TXVM_TRY(const AskReport report, Ask(items[i].question, [&](std::string_view question) {
                 return reader.Read(question);
               }));
      all[i].exact = !report.abstained() && report.AnswerText() == items[i].answer;
      all[i].same_program = report.reading.tokens == items[i].program;
      if (report.ast) all[i].label = LensLabel(*report.ast);
    }
    return {};
  };
  TXVM_CHECK_OK(ForItems(items.size(), threads, answer));
  return all;
}

ProbeData LayerData(std::span<const Seen> seen, std::span<const LensItem> items,
                    std::size_t layer) {
  ProbeData data;
  data.width = seen.front().rows[layer].size();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::vector<float>& row = seen[i].rows[layer];
    data.rows.insert(data.rows.end(), row.begin(), row.end());
    data.classes.push_back(ClassIndex(items[i].label));
  }
  return data;
}

LensScore ScoreLayer(std::span<const Seen> seen, std::span<const Answered> answered,
                     std::span<const LensItem> items, std::size_t layer) {
  LensScore score;
  const double share = 1 / static_cast<double>(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Sight& sight = seen[i].sights[layer];
    if (sight.choice.operation == items[i].label) score.accuracy += share;
    if (sight.first) score.first += share;
    if (answered[i].label == sight.choice.operation) score.agreement += share;
    score.label += share * sight.label;
  }
  return score;
}

}  // namespace

isa::Result<std::vector<LensItem>> LensItems(const neural::questions::Generator& generator,
                                             const ExampleEncoder& encoder, std::uint64_t first,
                                             std::size_t count, std::size_t positions) {
  std::vector<LensItem> items;
  std::uint64_t too_long = 0, unlabelled = 0;
  for (std::uint64_t index = first; items.size() < count; ++index) {
    neural::questions::Example example = generator.Make(index);
    TXVM_TRY(std::vector<Token> program, ProgramTokens(example.canonical));
    TXVM_TRY(const std::optional<Token> label, LensLabel(program));
    if (!label) {
      // A family may have none that the lens could show.
      TXVM_CHECK_OK(CheckSomeServe(++unlabelled, "has an operation for the lens"));
      continue;
    }
    unlabelled = 0;
    TXVM_TRY(const neural::train::Sequence sequence, encoder.Encode(example));
    if (sequence.tokens.size() > positions) {
      TXVM_CHECK_OK(CheckSomeFit(++too_long, positions));
      continue;
    }
    too_long = 0;
    items.push_back(
        {std::move(example.question), std::move(program), std::move(example.answer), *label});
  }
  return items;
}

isa::Result<LensTable> StudyLens(const neural::questions::QuestionBank& bank,
                                 const std::shared_ptr<const llm::Model>& model,
                                 const llm::Tokenizer& tokenizer, const LensStudyOptions& options) {
  neural::questions::GeneratorOptions data;
  data.seed = options.seed;
  data.family = options.family;
  data.mixes_from = neural::questions::LastMixAlone();
  const neural::questions::Generator generator(bank, data);
  TXVM_TRY(const ExampleEncoder encoder, ExampleEncoder::Make(tokenizer));
  const std::size_t positions = model->config.positions;
  TXVM_TRY(const std::vector<LensItem> items,
           LensItems(generator, encoder, kLensFreshExamples, options.items, positions));
  TXVM_TRY(const std::vector<Seen> seen, See(model, encoder.codec(), items, options.threads, true));
  TXVM_TRY(const std::vector<Answered> answered,
           AnswerAll(model, tokenizer, items, options.threads));
  TXVM_TRY(const std::vector<LensItem> lessons,
           LensItems(generator, encoder, kProbeExamples, options.probe_items, positions));
  TXVM_TRY(const std::vector<Seen> learnt,
           See(model, encoder.codec(), lessons, options.threads, false));
  LensTable table;
  table.decision = DecisionLayer(model->config.layers);
  table.items = items.size();
  table.layers.resize(model->config.layers);
  llm::Workers workers(std::max<std::size_t>(1, options.threads));
  workers.Run(table.layers.size(), [&](std::size_t layer) {
    table.layers[layer] = ScoreLayer(seen, answered, items, layer);
    if (lessons.empty()) return;
    const LinearProbe probe(LayerData(learnt, lessons, layer), LensClasses().size());
    const ProbeData fresh = LayerData(seen, items, layer);
    table.layers[layer].probe = ShareOfEqual(probe.Classify(fresh), fresh.classes);
  });
  for (const Answered& one : answered) {
    table.exact += one.exact ? 1 / static_cast<double>(items.size()) : 0;
    table.program += one.same_program ? 1 / static_cast<double>(items.size()) : 0;
  }
  return table;
}

}  // namespace txvm::frontends::nl
