#include "frontends/nl/lens/suffix.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/grammar.h"
#include "frontends/nl/language/lens_label.h"
#include "frontends/nl/language/parser.h"
#include "frontends/nl/language/printer.h"
#include "frontends/nl/lens/study.h"
#include "frontends/nl/lens/suffix_data.h"
#include "neural/llm/context.h"
#include "neural/train/random.h"

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;
namespace train = neural::train;

constexpr std::size_t kMostProgram = 24;  // tokens of a program after a prompt

bool IsComparison(Token token) { return token >= Token::kEqual && token <= Token::kGreaterEqual; }

// LensClasses and the comparisons: what may be routed to.
std::vector<Token> Operations() {
  const auto classes = LensClasses();
  std::vector<Token> operations(classes.begin(), classes.end());
  for (Token token = Token::kEqual; token <= Token::kGreaterEqual; token = TokenOf(Id(token) + 1)) {
    operations.push_back(token);
  }
  return operations;
}

// What a model does after a prompt.
struct Behaviour {
  llm::Token next = 0;
  double probability = 0, canonical = 0;
  Token lens = Token::kEnd;    // after the decision layer
  std::vector<Token> program;  // likeliest allowed, token by token
};

Token LikeliestAllowed(std::span<const float> logits, const TokenSet& allowed, const Codec& codec) {
  Token best = Token::kEnd;
  std::optional<float> highest;
  for (std::size_t id = 0; id < kTokenCount; ++id) {
    const float logit = logits[static_cast<std::size_t>(codec.IdOf(TokenOf(id)))];
    if (!allowed[id] || (highest && logit <= *highest)) continue;
    highest = logit;
    best = TokenOf(id);
  }
  return best;
}

isa::Result<Behaviour> After(const std::shared_ptr<const llm::Model>& model, llm::Workers& workers,
                             const Codec& codec, std::span<const llm::Token> prompt,
                             std::size_t slots) {
  Behaviour behaviour;
  TXVM_TRY(const auto rows, ResidualRows(model, workers, prompt));
  llm::Context context(model, workers);
  const std::vector<float> seen = context.Lens(rows[DecisionLayer(rows.size())]);
  behaviour.lens = ChooseOperation(seen, codec, Operations()).operation;
  TXVM_CHECK_OK(context.Feed(prompt));
  const std::vector<double> probabilities = Probabilities(context.logits());
  const auto next = std::ranges::max_element(probabilities) - probabilities.begin();
  behaviour.next = static_cast<llm::Token>(next);
  behaviour.probability = probabilities[static_cast<std::size_t>(next)];
  for (std::size_t id = 0; id < kTokenCount; ++id) {
    behaviour.canonical += probabilities[static_cast<std::size_t>(codec.IdOf(TokenOf(id)))];
  }
  CanonicalGrammar grammar({.slots = slots, .max_tokens = kMostProgram});
  while (!grammar.finished()) {
    const Token token = LikeliestAllowed(context.logits(), grammar.Allowed(), codec);
    behaviour.program.push_back(token);
    grammar.Advance(token);
    const llm::Token id = codec.IdOf(token);
    if (!grammar.finished()) TXVM_CHECK_OK(context.Feed(std::span(&id, 1)));
  }
  return behaviour;
}

isa::Result<SuffixRoute> MeasureRoute(const std::shared_ptr<const llm::Model>& model,
                                      const Codec& codec, std::string_view suffix,
                                      bool after_program, bool held_out) {
  llm::Workers workers(1);
  SuffixRoute sum;
  for (const SuffixBody& body : SuffixBodies()) {
    // Arithmetic has one meaning: nothing to route.
    if (body.held_out != held_out || body.value == body.claim) continue;
    TXVM_TRY(const auto prompt, SuffixPrompt(codec, body.text, suffix, after_program));
    TXVM_TRY(const Behaviour behaviour, After(model, workers, codec, prompt, 2));
    TXVM_TRY(const Ast ast, Parse(behaviour.program, 2));
    const std::optional<Token> first = FirstOperation(ast);
    ++sum.prompts;
    sum.canonical += behaviour.canonical;
    sum.value += first == body.value ? 1 : 0;
    sum.claim += first && IsComparison(*first) ? 1 : 0;
    sum.lens_value += behaviour.lens == body.value ? 1 : 0;
    sum.lens_claim += IsComparison(behaviour.lens) ? 1 : 0;
  }
  const double share = 1 / static_cast<double>(sum.prompts);
  for (double* part : {&sum.canonical, &sum.value, &sum.claim, &sum.lens_value, &sum.lens_claim}) {
    *part *= share;
  }
  return sum;
}

// A batch of an arm: half of it bodies, the other half, the larger one, ordinary questions.
isa::Result<std::vector<train::Sequence>> ArmBatch(const neural::questions::Generator& generator,
                                                   const ExampleEncoder& encoder, SuffixArm arm,
                                                   const SuffixOptions& options, std::uint64_t step,
                                                   std::size_t positions) {
  std::vector<SuffixBody> bodies = SuffixBodies();
  std::erase_if(bodies, [](const SuffixBody& body) { return body.held_out; });
  const std::size_t half = std::max<std::size_t>(1, options.batch / 2);
  const std::size_t others = options.batch - half;
  // All arms draw the same bodies and meanings.
  train::Random random(options.seed * 1'000'003 + step);
  std::vector<train::Sequence> batch;
  for (std::size_t i = 0; i < half; ++i) {
    const SuffixBody& body = bodies[random.Below(bodies.size())];
    const std::size_t meaning = random.Below(2);  // 0: value, 1: claim
    const std::size_t suffix = arm == SuffixArm::kSwapped ? 1 - meaning : meaning;
    const bool control = arm == SuffixArm::kControl;
    TXVM_TRY(auto prompt, SuffixPrompt(encoder.codec(), body.text,
                                       control ? std::string_view() : kSuffixes[suffix], control));
    batch.push_back(
        SuffixSequence(encoder.codec(), std::move(prompt), meaning == 0 ? body.value : body.claim));
  }
  TXVM_TRY(
      const std::vector<train::Sequence> ordinary,
      BatchOf(generator, encoder, kLensTrainingExamples + step * others, others, positions, true));
  batch.insert(batch.end(), ordinary.begin(), ordinary.end());
  return batch;
}

// The base after an arm's training; null when stopped.
isa::Result<std::shared_ptr<const llm::Model>> TrainArm(const neural::questions::QuestionBank& bank,
                                                        const TrainingBase& base,
                                                        const ExampleEncoder& encoder,
                                                        SuffixArm arm, const SuffixOptions& options,
                                                        const SuffixProgress& progress) {
  TXVM_TRY(const train::LoraLayout lora,
           train::LoraLayoutOf(train::TrainingLayout(base.config), train::LoraOptions()));
  train::AdamWOptions adam;
  adam.rate = options.rate;
  adam.steps = options.steps;
  adam.warmup = std::min<std::uint64_t>(20, options.steps / 10 + 1);
  adam.decay = 0;
  const train::DualLoss loss{DecisionLayer(base.config.layers)};
  train::LoraTrainer trainer(base.config, base.parameters, lora, loss, adam, options.seed,
                             options.threads);
  neural::questions::GeneratorOptions data;
  data.seed = options.seed;
  const neural::questions::Generator generator(bank, data);
  while (trainer.steps_done() < options.steps) {
    TXVM_TRY(
        const std::vector<train::Sequence> batch,
        ArmBatch(generator, encoder, arm, options, trainer.steps_done(), base.config.positions));
    const train::StepReport step = trainer.Step(batch);
    if (!progress(arm, trainer.steps_done(), options.steps, step)) return nullptr;
  }
  const auto model = llm::ModelOnParameters(base.config, base.parameters);
  return llm::ApplyAdapter(*model, trainer.adapter());
}

}  // namespace

std::vector<std::string> SuffixPrompts() {
  return {"15 > 10 =",
          "15 > 10 is",
          "15 > 10 ?",
          "15 10 =",
          "foo bar =",
          "=",
          "10 < 15 =",
          "2 + 2 =",
          "5 + 3 =",
          "10 - 7 =",
          "15 - 10 =",
          "10 > 15 =",
          "10 > 15 is",
          "5 > 5 =",
          "True =",
          "False =",
          "True is",
          "False is",
          "Is 15 greater than 10?",
          "Is 10 greater than 15?",
          "15 > 10:",
          "10 > 15:",
          "xyz =",
          "??? =",
          "abc def ="};
}

isa::Result<SuffixArmReport> MeasureSuffixes(const std::shared_ptr<const llm::Model>& model,
                                             const llm::Tokenizer& tokenizer, SuffixArm arm) {
  TXVM_TRY(const Codec codec, Codec::Of(tokenizer));
  SuffixArmReport report;
  report.arm = arm;
  for (std::size_t program = 0; program < 2; ++program) {
    for (std::size_t suffix = 0; suffix < 2; ++suffix) {
      for (std::size_t held_out = 0; held_out < 2; ++held_out) {
        TXVM_TRY(report.routes[program][suffix][held_out],
                 MeasureRoute(model, codec, kSuffixes[suffix], program == 1, held_out == 1));
      }
    }
  }
  llm::Workers workers(1);
  for (const std::string& text : SuffixPrompts()) {
    TXVM_TRY(const Lexed lexed, Lex(text));
    TXVM_TRY(const auto prompt, SuffixPrompt(codec, text, "", false));
    TXVM_TRY(const Behaviour behaviour, After(model, workers, codec, prompt, lexed.numbers.size()));
    // A model may have more logits than its tokenizer has pieces.
    const auto next = static_cast<std::size_t>(behaviour.next);
    const auto& pieces = tokenizer.spec().pieces;
    report.probes.push_back({next < pieces.size() ? pieces[next].text : fmt::format("<{}>", next),
                             behaviour.probability, TokensText(behaviour.program)});
  }
  return report;
}

isa::Result<std::vector<SuffixArmReport>> StudySuffixes(const neural::questions::QuestionBank& bank,
                                                        const llm::Bundle& base,
                                                        const SuffixOptions& options,
                                                        const SuffixProgress& progress) {
  if (!base.tokenizer) {
    return isa::Fail(isa::ErrorCode::kInvalid, "the base model has no tokenizer");
  }
  TXVM_TRY(const TrainingBase start, TrainingBaseOf(*base.model));
  TXVM_TRY(const ExampleEncoder encoder, ExampleEncoder::Make(*base.tokenizer));
  std::vector<SuffixArmReport> reports;
  for (const SuffixArm arm :
       {SuffixArm::kBefore, SuffixArm::kSuffix, SuffixArm::kSwapped, SuffixArm::kControl}) {
    std::shared_ptr<const llm::Model> model = base.model;
    if (arm != SuffixArm::kBefore) {
      TXVM_TRY(model, TrainArm(bank, start, encoder, arm, options, progress));
      if (model == nullptr) return std::vector<SuffixArmReport>();
    }
    TXVM_TRY(SuffixArmReport report, MeasureSuffixes(model, *base.tokenizer, arm));
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace txvm::frontends::nl
