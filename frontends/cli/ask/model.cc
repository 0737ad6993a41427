#include "frontends/cli/ask/model.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <utility>

#include "frontends/nl/reader/codec.h"
#include "frontends/nl/reader/default_model.h"
#include "frontends/nl/reader/model_reader.h"
#include "frontends/nl/reader/plain_reader.h"
#include "neural/llm/adapter.h"
#include "neural/llm/bundle.h"

namespace txvm::frontends::cli {
namespace {

namespace llm = neural::llm;
using isa::ErrorCode;
using isa::Fail;
using isa::Result;

Result<void> SetVariant(std::string_view text, AskModelOptions& options) {
  for (const auto variant : {nl::PromptVariant::kSeed, nl::PromptVariant::kTemplate}) {
    if (text == nl::VariantName(variant)) options.variant = variant;
  }
  if (options.variant && text == nl::VariantName(*options.variant)) return {};
  return Fail(ErrorCode::kUsage, fmt::format("--prompt is seed or template, not '{}'", text));
}

Result<void> SetPipeline(std::string_view text, AskModelOptions& options) {
  options.pipeline = nl::FindPipeline(text);
  if (options.pipeline) return {};
  return Fail(ErrorCode::kUsage,
              fmt::format("--pipeline is one of {}, not '{}'", nl::PipelineNames(), text));
}

Result<void> SetProbability(std::string_view option, std::string_view text,
                            std::optional<double>& to) {
  double value = -1;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || !(value >= 0 && value <= 1)) {
    return Fail(ErrorCode::kUsage,
                fmt::format("{} is a probability from 0 to 1, not '{}'", option, text));
  }
  to = value;
  return {};
}

/// The least confidence that is asked for, in one way or the other.
Result<std::optional<double>> ThresholdFor(const AskModelOptions& options) {
  if (!options.precision) return options.threshold;
  if (options.threshold || options.no_abstain) {
    return Fail(ErrorCode::kUsage,
                "--precision chooses the threshold: give no --threshold or --no-abstain beside it");
  }
  if (!options.path.empty() || !options.adapter.empty()) {
    return Fail(ErrorCode::kUsage,
                "--precision is known of the model that comes with txvm; other models take "
                "--threshold");
  }
  return nl::ThresholdOf(*options.precision);
}

template <typename Model>
nl::Reader ReaderOf(Model model) {
  const auto shared = std::make_shared<Model>(std::move(model));
  return [shared](std::string_view question) { return shared->Read(question); };
}

Result<AskReader> OpenSlotModel(const llm::Bundle& bundle, const AskModelOptions& options) {
  if (options.variant || options.pipeline) {
    return Fail(ErrorCode::kUsage,
                "--prompt and --pipeline are for chat models; this model was trained to read "
                "questions without examples");
  }
  TXVM_TRY(const std::optional<double> threshold, ThresholdFor(options));
  nl::ModelReaderOptions reading;
  reading.allow_abstention = !options.no_abstain;
  reading.least_confidence =
      threshold.value_or(options.path.empty() ? nl::kDefaultModelThreshold : 0);
  TXVM_TRY(nl::ModelReader reader, nl::ModelReader::Make(bundle.model, *bundle.tokenizer, reading));
  return AskReader{ReaderOf(std::move(reader)), "slot model"};
}

Result<AskReader> OpenChatModel(const llm::Bundle& bundle, const AskModelOptions& options) {
  TXVM_TRY(const std::optional<double> threshold, ThresholdFor(options));
  nl::ChatReaderOptions reading;
  reading.pipeline = options.pipeline.value_or(reading.pipeline);
  reading.variant = options.variant;
  reading.allow_abstention = !options.no_abstain;
  reading.least_confidence = threshold.value_or(reading.least_confidence);
  reading.threads = llm::ProcessorCount();
  TXVM_TRY(nl::ChatReader reader, nl::ChatReader::Make(bundle, reading));
  std::string what =
      fmt::format("chat model, prompt {}, pipeline {}", nl::VariantName(reader.variant()),
                  nl::Info(reader.pipeline()).name);
  return AskReader{ReaderOf(std::move(reader)), std::move(what)};
}

/// A model that an adapter has taught to read questions.
Result<AskReader> OpenPlainModel(const llm::Bundle& bundle, const AskModelOptions& options) {
  TXVM_TRY(const std::optional<double> threshold, ThresholdFor(options));
  if (options.variant || options.pipeline) {
    return Fail(ErrorCode::kUsage,
                "--prompt and --pipeline are for chat models without an adapter; with one, a model "
                "reads questions without examples");
  }
  nl::PlainReaderOptions reading;
  reading.allow_abstention = !options.no_abstain;
  reading.least_confidence = threshold.value_or(reading.least_confidence);
  reading.threads = llm::ProcessorCount();
  TXVM_TRY(nl::PlainReader reader, nl::PlainReader::Make(bundle, reading));
  return AskReader{ReaderOf(std::move(reader)), "language model with an adapter"};
}

}  // namespace

void DeclareModelOptions(Arguments& arguments, AskModelOptions& options) {
  const auto setter = [&options](auto set) {
    return [&options, set](std::string_view text) { return set(text, options); };
  };
  arguments.Text("--model", "PATH",
                 "Read questions with the model at PATH, such as a chat model, instead of the one "
                 "that comes with txvm",
                 options.path);
  arguments.Text("--adapter", "PATH",
                 "The model's adapter, as `txvm train adapter` writes it: it reads questions "
                 "without examples",
                 options.adapter);
  arguments.Option(
      "--pipeline", "KIND",
      fmt::format("Examples shown to a chat model: {} (default: auto)", nl::PipelineNames()),
      setter(SetPipeline));
  arguments.Option("--prompt", "FORM",
                   "Their form: template, the model's own, or seed, the original system's "
                   "(default: template if it is known)",
                   setter(SetVariant));
  arguments.Option(
      "--threshold", "P",
      fmt::format("Give no answer when a model's confidence is below P, 0..1 (default: "
                  "{} for the model that comes with txvm, 0 for others)",
                  nl::kDefaultModelThreshold),
      [&options](std::string_view text) {
        return SetProbability("--threshold", text, options.threshold);
      });
  arguments.Option("--precision", "P",
                   "Give an answer only where such answers are right with probability P, 0..1: 0.9 "
                   "is nine times in ten",
                   [&options](std::string_view text) {
                     return SetProbability("--precision", text, options.precision);
                   });
  arguments.Flag("--no-abstain", "The model's best program, however unsure it is",
                 options.no_abstain);
}

Result<AskReader> OpenAskModel(const AskModelOptions& options) {
  TXVM_TRY(llm::Bundle bundle,
           options.path.empty() ? nl::OpenDefaultModel() : llm::OpenBundle(options.path));
  if (!options.adapter.empty()) {
    TXVM_TRY(bundle.model, llm::WithAdapter(*bundle.model, options.adapter));
  }
  if (!bundle.tokenizer) {
    return Fail(ErrorCode::kInvalid,
                fmt::format("{} has no tokenizer.json or tokenizer.model", options.path));
  }
  const bool has_slots = bundle.tokenizer->Find(nl::kProgramPiece).has_value();
  if (has_slots) return OpenSlotModel(bundle, options);
  return options.adapter.empty() ? OpenChatModel(bundle, options) : OpenPlainModel(bundle, options);
}

}  // namespace txvm::frontends::cli
