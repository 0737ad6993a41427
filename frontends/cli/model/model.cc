// txvm model: describe, convert and run a language model.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>

#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/stop.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"
#include "neural/llm/adapter.h"
#include "neural/llm/bundle.h"
#include "neural/llm/generate.h"

namespace txvm::frontends::cli {
namespace {

namespace llm = neural::llm;

constexpr std::string_view kModelExamples =
    "  txvm model info TinyLlama-1.1B-Chat-v1.0/\n"
    "  txvm model convert tinyllama.Q4_K_M.gguf folder/ --type bf16\n"
    "  txvm model convert folder/ model.gguf --type q8_0\n"
    "  txvm model generate model.gguf --prompt \"Once upon a time\" --tokens 50\n"
    "  txvm model generate folder/ --chat --prompt \"What is a hull?\" --temperature 0.7\n";
constexpr std::uint64_t kDefaultTokens = 256, kMostTokens = 1u << 20, kMostThreads = 256;

struct Options {
  std::string action, input, output;
  std::string to, type, adapter;      // convert; adapter: generate too
  std::optional<std::string> prompt;  // generate
  std::string system, storage;
  std::uint64_t tokens = kDefaultTokens, top_k = 0, seed = 0, threads = 0;
  float temperature = 0, top_p = 1, min_p = 0, repeat_penalty = 1;
  bool chat = false;
};

std::unexpected<isa::Error> Usage(std::string message) {
  return isa::Fail(isa::ErrorCode::kUsage, std::move(message));
}

/// The element type of an option's text; nullopt for "".
isa::Result<std::optional<llm::Element>> ElementOf(std::string_view option, std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::optional<llm::Element> element = llm::ElementNamed(text);
  if (element && llm::CanEncode(*element)) return element;
  return Usage(fmt::format("{} is f32, f16, bf16 or q8_0, not '{}'", option, text));
}

isa::Result<llm::Bundle> Open(const Options& options) {
  TXVM_TRY(const std::optional<llm::Element> storage, ElementOf("--storage", options.storage));
  TXVM_TRY(llm::Bundle bundle, llm::OpenBundle(options.input, {storage}));
  if (!options.adapter.empty()) {
    TXVM_TRY(bundle.model, llm::WithAdapter(*bundle.model, options.adapter));
  }
  return bundle;
}

std::string_view NameOf(llm::Algorithm algorithm, bool byte_level) {
  switch (algorithm) {
    case llm::Algorithm::kScores:
      return "BPE by score";
    case llm::Algorithm::kRanks:
      return byte_level ? "BPE on bytes" : "BPE on characters";
    case llm::Algorithm::kUnigram:
      return "unigram";
  }
  return "";
}

std::string_view NameOf(std::string_view chat_template) {
  const std::optional<llm::ChatFamily> family = llm::FamilyOfTemplate(chat_template);
  if (!family) return chat_template.empty() ? "none" : "unknown";
  switch (*family) {
    case llm::ChatFamily::kZephyr:
      return "zephyr";
    case llm::ChatFamily::kLlama2:
      return "llama-2";
    case llm::ChatFamily::kMistral:
      return "mistral";
    case llm::ChatFamily::kMistral3:
      return "mistral-v3";
    case llm::ChatFamily::kChatMl:
      return "chatml";
    case llm::ChatFamily::kLlama3:
      return "llama-3";
  }
  return "";
}

/// "BF16 155, F32 45": how many matrices have which type, and their bytes.
std::pair<std::string, std::size_t> TypesOf(const llm::Model& model) {
  std::map<llm::Element, std::size_t> counts;
  std::size_t bytes = 0;
  const auto add = [&](const llm::Matrix& matrix) {
    ++counts[matrix.type];
    bytes += matrix.rows * matrix.row_bytes;
  };
  add(model.embedding);
  if (!model.config.tied) add(model.head);
  for (const llm::Layer& layer : model.layers) {
    for (const llm::Matrix* matrix :
         {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down}) {
      add(*matrix);
    }
  }
  std::string text;
  for (const auto& [type, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", llm::Info(type).name, count);
  }
  return {text, bytes};
}

isa::Result<int> Info(const Options& options, isa::Console& console) {
  TXVM_TRY(const llm::Bundle bundle, Open(options));
  const llm::Config& c = bundle.model->config;
  const auto [types, bytes] = TypesOf(*bundle.model);
  std::string text = fmt::format(
      "format       {}\nparameters   {}\nlayers       {}\nhidden       {}\nfeed forward {}\n"
      "heads        {} of {}, {} for keys and values\nvocabulary   {}, head {}\n"
      "positions    {}, rotation base {}, pairs {}\nmatrices     {}, {} bytes\n",
      bundle.format, isa::Grouped(llm::ParameterCount(c)), c.layers, c.hidden, c.feed_forward,
      c.heads, c.head_dim, c.kv_heads, c.vocab, c.tied ? "tied to the embedding" : "of its own",
      c.positions, c.rope_base,
      c.rope_layout == llm::RopeLayout::kPairs ? "2i and 2i + 1" : "i and i + half", types,
      isa::Grouped(bytes));
  if (bundle.tokenizer) {
    const llm::TokenizerSpec& spec = bundle.tokenizer->spec();
    text += fmt::format("tokenizer    {}, {} pieces, {} added\nchat         {}\n",
                        NameOf(spec.algorithm, spec.byte_level), spec.pieces.size(),
                        spec.added.size(), NameOf(bundle.chat_template));
  } else {
    text += "tokenizer    none\n";
  }
  console.Out(text);
  return Value(ExitCode::kHalted);
}

isa::Result<int> Convert(const Options& options, isa::Console& console) {
  if (options.output.empty()) return Usage("model convert needs a path to write to");
  std::string format = options.to;
  if (format.empty()) format = options.output.ends_with(".gguf") ? "gguf" : "safetensors";
  if (format != "gguf" && format != "safetensors") {
    return Usage(fmt::format("--to is gguf or safetensors, not '{}'", format));
  }
  TXVM_TRY(const std::optional<llm::Element> type, ElementOf("--type", options.type));
  TXVM_TRY(const llm::Bundle bundle, Open(options));
  const StopFlag stop;
  const auto saved = llm::SaveBundle(bundle, options.input, options.output, format == "gguf",
                                     {type, [&stop] { return stop.requested(); }});
  if (!saved && stop.requested()) {  // whatever the signal broke off
    console.Note("stopped before the model was written");
    return Value(ExitCode::kInterrupted);
  }
  TXVM_CHECK_OK(saved);
  // Into a pipe goes the model alone: it may be standard output.
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(options.output, error);
  if (std::filesystem::is_regular_file(status) || std::filesystem::is_directory(status)) {
    console.Out(fmt::format("{}\n", options.output));
  }
  return Value(ExitCode::kHalted);
}

isa::Result<std::vector<llm::Token>> PromptTokens(const Options& options,
                                                  const llm::Bundle& bundle) {
  if (!options.chat) return bundle.tokenizer->Encode(*options.prompt);
  const std::optional<llm::ChatFamily> family = llm::FamilyOfTemplate(bundle.chat_template);
  if (!family) {
    return isa::Fail(isa::ErrorCode::kUnsupported,
                     bundle.chat_template.empty()
                         ? "the model has no chat template"
                         : "the model's chat template is of no family txvm knows");
  }
  std::vector<llm::Message> messages;
  if (!options.system.empty()) messages.push_back({llm::Role::kSystem, options.system});
  messages.push_back({llm::Role::kUser, *options.prompt});
  return llm::EncodeChat(*bundle.tokenizer, *family, messages);
}

isa::Result<int> GenerateText(const Options& options, isa::Console& console) {
  TXVM_TRY(const llm::Bundle bundle, Open(options));
  if (!bundle.tokenizer) {
    return isa::Fail(isa::ErrorCode::kInvalid,
                     fmt::format("'{}' has no tokenizer to read the prompt with", options.input));
  }
  TXVM_TRY(const std::vector<llm::Token> prompt, PromptTokens(options, bundle));
  llm::Workers workers(options.threads == 0 ? llm::ProcessorCount() : options.threads);
  llm::Context context(bundle.model, workers, llm::Gemm::kLibrary);
  const auto start = std::chrono::steady_clock::now();
  TXVM_CHECK_OK(context.Feed(prompt));
  const auto read = std::chrono::steady_clock::now();
  llm::GenerateOptions generate;
  generate.most_tokens = options.tokens;
  generate.stop = llm::StopTokens(*bundle.tokenizer, bundle.model->config.eos);
  generate.sampler = {options.temperature, options.top_k,          options.top_p,
                      options.min_p,       options.repeat_penalty, options.seed};
  bool first = true;
  generate.on_token = [&](llm::Token token) {
    std::string bytes = bundle.tokenizer->Bytes(token);
    if (first && options.chat && bytes.starts_with(' ')) bytes.erase(0, 1);
    first = false;
    console.Out(bytes);
    return true;
  };
  TXVM_TRY(const llm::Generated generated, llm::Generate(context, generate));
  const auto end = std::chrono::steady_clock::now();
  console.Out("\n");
  const auto rate = [](std::size_t tokens, std::chrono::duration<double> time) {
    return static_cast<double>(tokens) / std::max(time.count(), 1e-9);
  };
  const std::string full =
      generated.reason == llm::StopReason::kPositions
          ? fmt::format(": the model's {} positions are full", bundle.model->config.positions)
          : "";
  console.Note(fmt::format("read {} at {:.1f}/s, wrote {} at {:.1f}/s{}",
                           isa::CountText(prompt.size(), "token"),
                           rate(prompt.size(), read - start), generated.tokens.size(),
                           rate(generated.tokens.size(), end - read), full));
  return Value(ExitCode::kHalted);
}

/// kUsage: what is given and would be ignored.
isa::Result<void> CheckOptions(const Options& options, const Arguments& arguments) {
  const bool converts = options.action == "convert", generates = options.action == "generate";
  if (!converts && !generates && options.action != "info") {
    return Usage(fmt::format("model does info, convert or generate, not '{}'", options.action));
  }
  if (!converts && !options.output.empty()) {
    return Usage(fmt::format("model {} takes no second path", options.action));
  }
  for (const auto& [name, applies] : {std::pair("--to", converts),
                                      {"--type", converts},
                                      {"--prompt", generates},
                                      {"--chat", generates},
                                      {"--system", generates},
                                      {"--tokens", generates},
                                      {"--temperature", generates},
                                      {"--top-k", generates},
                                      {"--top-p", generates},
                                      {"--min-p", generates},
                                      {"--repeat-penalty", generates},
                                      {"--seed", generates},
                                      {"--threads", generates}}) {
    if (!applies && arguments.Has(name)) {
      return Usage(fmt::format("model {} takes no {}", options.action, name));
    }
  }
  if (!options.system.empty() && !options.chat) {
    return Usage("--system is a message of a chat: it needs --chat");
  }
  for (const char* const name : {"--top-k", "--top-p", "--min-p", "--seed"}) {
    if (arguments.Has(name) && options.temperature == 0) {
      return Usage(fmt::format("{} is of draws: it needs --temperature", name));
    }
  }
  if (generates && !options.prompt) return Usage("model generate needs --prompt TEXT");
  return {};
}

isa::Result<int> Model(const Options& options, isa::Console& console) {
  if (options.action == "info") return Info(options, console);
  if (options.action == "convert") return Convert(options, console);
  return GenerateText(options, console);
}

/// A setter of a number in [least, most].
Setter Number(std::string_view name, float least, float most, float& value) {
  return [name, least, most, &value](std::string_view text) -> isa::Result<void> {
    float number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || rest != text.data() + text.size() ||
        !(number >= least && number <= most)) {
      return Usage(fmt::format("{} is a number from {} to {}, not '{}'", name, least, most, text));
    }
    value = number;
    return {};
  };
}

}  // namespace

int ModelCommand(const CommandLine& line, isa::Console& console) {
  constexpr float kMostTemperature = 100, kMostPenalty = 10;
  Options options;
  Arguments arguments("model", "Describe, convert or run a llama-architecture language model.",
                      kModelExamples);
  arguments.Positional("action", "info, convert or generate", options.action);
  arguments.Positional(
      "path", "A folder with config.json and safetensors, a tensor file in one, or a .gguf file",
      options.input);
  arguments.Positional("output", "Where convert writes", options.output, false);
  arguments.Text("--to", "FORMAT", "gguf or safetensors (default: by the output's name)",
                 options.to);
  arguments.Text("--type", "TYPE",
                 "Element type to write: f32, f16, bf16, q8_0 (default: as it is)", options.type);
  arguments.Text("--adapter", "DIR", "Apply a low-rank adapter in PEFT's or mlx's layout",
                 options.adapter);
  arguments.Option("--prompt", "TEXT", "What generate continues",
                   [&options](std::string_view text) -> isa::Result<void> {
                     options.prompt = text;
                     return {};
                   });
  arguments.Flag("--chat", "Put the prompt into the model's chat template", options.chat);
  arguments.Text("--system", "TEXT", "The system message of the chat", options.system);
  arguments.Count("--tokens", "N", "Most tokens to generate (default {})", options.tokens, 1,
                  kMostTokens);
  arguments.Option("--temperature", "T", "0 takes the best token, 1 draws as the model says",
                   Number("--temperature", 0, kMostTemperature, options.temperature));
  arguments.Count("--top-k", "N", "Draw from the N best tokens only", options.top_k, 0,
                  kMostTokens);
  arguments.Option("--top-p", "P", "Draw from the best tokens that make up P of the probability",
                   Number("--top-p", 0, 1, options.top_p));
  arguments.Option("--min-p", "P", "Draw from tokens at least P times as probable as the best",
                   Number("--min-p", 0, 1, options.min_p));
  arguments.Option("--repeat-penalty", "R",
                   "Divide the scores of tokens that the text has, 1 (default) to 10",
                   Number("--repeat-penalty", 1, kMostPenalty, options.repeat_penalty));
  arguments.Count("--seed", "N", "Of the draws (default {})", options.seed, 0, UINT64_MAX);
  arguments.Text("--storage", "TYPE", "Hold the weights as f32, f16, bf16 or q8_0",
                 options.storage);
  arguments.Count("--threads", "N", "Threads (default: all processors)", options.threads, 1,
                  kMostThreads);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<void> checked = CheckOptions(options, arguments);
  if (!checked) return FailWith(checked.error(), console);
  const isa::Result<int> code = Model(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
