#include "frontends/nl/reader/chat_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "neural/llm/sampler.h"

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;
using isa::ErrorCode;
using isa::Fail;
using isa::Result;

// The likeliest allowed token, and the logarithm of its probability among all.
struct Choice {
  llm::Token token = 0;
  double log_probability = 0;
};

/// REQUIRES: `allowed` is not empty. kInvalid: scores that are no numbers.
Result<Choice> Choose(std::span<const float> logits, std::span<const llm::Token> allowed) {
  const llm::LogSoftmax log_softmax(logits);
  if (!log_softmax.valid()) {
    return Fail(ErrorCode::kInvalid, "the model's scores are no numbers");
  }
  Choice choice{allowed.front(), 0};
  float best = -std::numeric_limits<float>::infinity();
  for (const llm::Token id : allowed) {
    const float logit = logits[static_cast<std::size_t>(id)];
    if (!(logit > best)) continue;
    best = logit;
    choice.token = id;
  }
  choice.log_probability = log_softmax(best);
  return choice;
}

Result<PromptVariant> ChooseVariant(const ChatReaderOptions& options, bool has_family) {
  if (options.variant == PromptVariant::kTemplate && !has_family) {
    return Fail(ErrorCode::kUnsupported,
                "the model has no chat template of a known family (zephyr, llama-2, mistral, "
                "chatml, llama-3)");
  }
  return options.variant.value_or(has_family ? PromptVariant::kTemplate : PromptVariant::kSeed);
}

Result<void> RefuseSpecialTokens(const llm::Tokenizer& tokenizer, std::string_view question) {
  for (const llm::AddedToken& added : tokenizer.spec().added) {
    if (!added.special || added.text.empty() || !question.contains(added.text)) continue;
    return Fail(ErrorCode::kInvalid,
                fmt::format("the question contains '{}', the text of a special token", added.text));
  }
  return {};
}

}  // namespace

std::string_view VariantName(PromptVariant variant) {
  return variant == PromptVariant::kSeed ? "seed" : "template";
}

Result<ChatReader> ChatReader::Make(const llm::Bundle& bundle, const ChatReaderOptions& options) {
  if (!bundle.tokenizer) {
    return Fail(ErrorCode::kInvalid, "the model has no tokenizer to read questions with");
  }
  const bool has_family = llm::FamilyOfTemplate(bundle.chat_template).has_value();
  TXVM_TRY(const PromptVariant variant, ChooseVariant(options, has_family));
  const auto stop = llm::StopTokens(*bundle.tokenizer, bundle.model->config.eos);
  TXVM_TRY(CanonicalPieces pieces, CanonicalPieces::Of(*bundle.tokenizer, stop));
  return ChatReader(bundle, std::move(pieces), variant, options);
}

ChatReader::ChatReader(const llm::Bundle& bundle, CanonicalPieces pieces, PromptVariant variant,
                       const ChatReaderOptions& options)
    : model_(bundle.model),
      tokenizer_(*bundle.tokenizer),
      family_(llm::FamilyOfTemplate(bundle.chat_template)),
      pieces_(std::move(pieces)),
      variant_(variant),
      options_(options),
      workers_(std::make_unique<llm::Workers>(options.threads)) {}

Result<std::vector<llm::Token>> ChatReader::Prompt(std::string_view question) const {
  TXVM_CHECK_OK(RefuseSpecialTokens(tokenizer_, question));
  const std::vector<llm::Message> messages = Conversation(options_.pipeline, question);
  if (variant_ == PromptVariant::kTemplate) {
    return llm::EncodeChat(tokenizer_, *family_, messages);
  }
  const auto eos = tokenizer_.eos();
  const std::string end = eos ? tokenizer_.Bytes(*eos, true) : "</s>";
  std::vector<llm::Token> tokens =
      tokenizer_.Encode(SeedPromptText(messages, end), {.add_special = false});
  const auto& before = tokenizer_.spec().before;
  tokens.insert(tokens.begin(), before.begin(), before.end());
  return tokens;
}

Result<Reading> ChatReader::Read(std::string_view question) {
  TXVM_TRY(const Lexed lexed, Lex(question));
  TXVM_TRY(const std::vector<llm::Token> prompt, Prompt(question));
  llm::Context context = prefix_.Start(model_, *workers_, prompt);
  TXVM_CHECK_OK(context.Feed(std::span(prompt).subspan(context.tokens().size())));
  if (!std::exchange(prefix_is_known_, true)) prefix_.Remember(context);
  const PipelineInfo& info = Info(options_.pipeline);
  PieceMask mask(pieces_, Magnitudes(lexed),
                 {.max_tokens = info.most_tokens,
                  .allow_abstention = options_.allow_abstention && info.abstains});
  double log_probability = 0;
  while (true) {
    TXVM_TRY(const Choice choice, Choose(context.logits(), mask.Allowed()));
    log_probability += choice.log_probability;
    mask.Advance(choice.token);
    if (mask.finished()) break;
    TXVM_CHECK_OK(context.Feed(std::span(&choice.token, 1)));
  }
  Reading reading;
  reading.tokens = mask.tokens();
  reading.numbers = mask.numbers();
  reading.confidence = std::exp(log_probability);
  // Rank abstains below it.
  if (options_.allow_abstention) reading.least_confidence = options_.least_confidence;
  return reading;
}

}  // namespace txvm::frontends::nl
