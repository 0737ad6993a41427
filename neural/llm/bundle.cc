#include "neural/llm/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "neural/llm/mapped_file.h"
#include "neural/llm/save.h"

namespace txvm::neural::llm {
namespace {

namespace fs = std::filesystem;
using isa::ErrorCode;
using isa::Fail;
using isa::Result;

constexpr std::string_view kTokenizerFiles[] = {"tokenizer.json", "tokenizer.model",
                                                "tokenizer_config.json"};

bool HasTokenizer(const std::string& directory) {
  std::error_code error;
  return fs::exists(fs::path(directory) / "tokenizer.json", error) ||
         fs::exists(fs::path(directory) / "tokenizer.model", error);
}

Result<void> ReadTokenizer(const Checkpoint& checkpoint, Bundle& bundle) {
  if (checkpoint.gguf) {
    const Gguf& gguf = *checkpoint.gguf;
    if (gguf.Find("tokenizer.ggml.tokens") == nullptr) return {};
    TXVM_TRY(TokenizerSpec spec, SpecFromGguf(gguf));
    TXVM_TRY(bundle.tokenizer, Tokenizer::Make(std::move(spec)));
    const GgufValue* value = gguf.Find("tokenizer.chat_template");
    if (value != nullptr) bundle.chat_template = value->Text().value_or("");
    return {};
  }
  if (!HasTokenizer(checkpoint.directory)) return {};
  TXVM_TRY(bundle.tokenizer, OpenTokenizer(checkpoint.directory));
  TXVM_TRY(bundle.chat_template, ReadChatTemplate(checkpoint.directory));
  return {};
}

Result<void> CheckSizes(const Bundle& bundle) {
  const std::size_t vocab = bundle.model->config.vocab;
  if (!bundle.tokenizer || bundle.tokenizer->size() <= vocab) return {};
  return Fail(ErrorCode::kInvalid, fmt::format("the tokenizer has {} tokens, the model {}",
                                               bundle.tokenizer->size(), vocab));
}

/// Copies what the source's folder holds, or writes the pieces of a GGUF file.
Result<void> SaveTokenizer(const Bundle& bundle, const std::string& source,
                           const std::string& directory) {
  std::error_code error;
  const fs::path folder =
      fs::is_directory(source, error) ? fs::path(source) : fs::path(source).parent_path();
  if (!bundle.format.starts_with("GGUF")) {
    for (const std::string_view name : kTokenizerFiles) {
      if (!fs::exists(folder / name, error)) continue;
      fs::copy_file(folder / name, fs::path(directory) / name, fs::copy_options::overwrite_existing,
                    error);
      if (error) {
        return Fail(ErrorCode::kHost,
                    fmt::format("cannot write '{}': {}", (fs::path(directory) / name).string(),
                                error.message()));
      }
    }
    return {};
  }
  if (!bundle.tokenizer) return {};
  TXVM_TRY(const std::string file, SentencePieceFileOf(bundle.tokenizer->spec()));
  return WriteWhole((fs::path(directory) / "tokenizer.model").string(), file);
}

}  // namespace

Result<Bundle> OpenBundle(const std::string& path, const LoadOptions& options) {
  TXVM_TRY(const Checkpoint checkpoint, OpenCheckpoint(path));
  Bundle bundle;
  TXVM_TRY(bundle.model, BuildModel(checkpoint, options));
  bundle.format =
      checkpoint.gguf ? fmt::format("GGUF {}", checkpoint.gguf->version) : "safetensors";
  TXVM_CHECK_OK(ReadTokenizer(checkpoint, bundle));
  TXVM_CHECK_OK(CheckSizes(bundle));
  return bundle;
}

Result<Bundle> BundleFromMemory(std::string_view config_json,
                                std::span<const std::uint8_t> safetensors,
                                std::string_view tokenizer_json) {
  TXVM_TRY(const Checkpoint checkpoint, CheckpointFromSafetensors(config_json, safetensors));
  Bundle bundle;
  TXVM_TRY(bundle.model, BuildModel(checkpoint));
  TXVM_TRY(TokenizerSpec spec, SpecFromJson(tokenizer_json));
  TXVM_TRY(bundle.tokenizer, Tokenizer::Make(std::move(spec)));
  bundle.format = "safetensors";
  TXVM_CHECK_OK(CheckSizes(bundle));
  return bundle;
}

Result<void> SaveBundle(const Bundle& bundle, const std::string& source, const std::string& path,
                        bool gguf, std::optional<Element> type) {
  const SaveOptions options{type};
  if (!gguf) {
    TXVM_CHECK_OK(SaveSafetensors(*bundle.model, path, options));
    return SaveTokenizer(bundle, source, path);
  }
  GgufHeader tokenizer;
  if (bundle.tokenizer) {
    TXVM_TRY(tokenizer, GgufMetadata(bundle.tokenizer->spec(), bundle.chat_template));
  }
  return SaveGguf(*bundle.model, std::move(tokenizer), path, options);
}

}  // namespace txvm::neural::llm
