#include "neural/llm/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "isa/support/text.h"
#include "neural/llm/mapped_file.h"

namespace txvm::neural::llm {
namespace {

namespace fs = std::filesystem;
using isa::ErrorCode;
using isa::Fail;
using isa::Result;

constexpr std::string_view kTokenizerFiles[] = {"tokenizer.json",          "tokenizer.model",
                                                "tokenizer_config.json",   "added_tokens.json",
                                                "special_tokens_map.json", kChatTemplateFile};

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

/// Whether an added token has a role, stands around every text, or is a mark of the chat template.
bool IsNeeded(const AddedToken& added, const Bundle& bundle) {
  const TokenizerSpec& spec = bundle.tokenizer->spec();
  const auto has = [&](const std::vector<Token>& list) {
    return std::ranges::find(list, added.id) != list.end();
  };
  return added.id == spec.unknown || added.id == spec.bos || added.id == spec.eos ||
         has(spec.before) || has(spec.after) || bundle.chat_template.contains(added.text);
}

/// Leaves out added tokens beyond the model's rows that nothing needs, such as the padding of a
/// training. kInvalid: the tokenizer has other tokens there.
Result<void> FitTokenizer(Bundle& bundle) {
  const Piece none{"", 0, PieceKind::kUnused};
  const std::size_t vocab = bundle.model->config.vocab;
  if (!bundle.tokenizer || bundle.tokenizer->size() <= vocab) return {};
  TokenizerSpec spec = bundle.tokenizer->spec();
  const auto is_behind = [&](const AddedToken& added) {
    return static_cast<std::size_t>(added.id) >= vocab;
  };
  for (const AddedToken& added : spec.added) {
    if (!is_behind(added)) continue;
    spec.pieces[static_cast<std::size_t>(added.id)] = none;
    if (!IsNeeded(added, bundle)) continue;
    return Fail(ErrorCode::kInvalid,
                fmt::format("added token '{}' has id {}, the model has {} tokens",
                            isa::Printable(added.text), added.id, vocab));
  }
  for (std::size_t i = vocab; i < spec.pieces.size(); ++i) {
    if (spec.pieces[i] == none) continue;
    return Fail(ErrorCode::kInvalid, fmt::format("the tokenizer has {} tokens, the model {}",
                                                 spec.pieces.size(), vocab));
  }
  std::erase_if(spec.added, is_behind);
  spec.pieces.resize(vocab);
  TXVM_TRY(bundle.tokenizer, Tokenizer::Make(std::move(spec)));
  return {};
}

fs::path FolderOf(const std::string& source) {
  std::error_code error;
  const fs::path folder =
      fs::is_directory(source, error) ? fs::path(source) : fs::path(source).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

/// The tokenizer's files that a folder is to hold beside the weights.
struct TokenizerFolder {
  std::vector<FolderFile> written;
  std::set<std::string_view> names;  // of these, and of those that are there already
};

/// Made from a GGUF file's pieces, or copies of what the source's folder holds.
Result<TokenizerFolder> TokenizerFor(const Bundle& bundle, const std::string& source,
                                     const fs::path& to) {
  TokenizerFolder folder;
  if (bundle.format.starts_with("GGUF")) {
    if (!bundle.tokenizer) return folder;
    TXVM_TRY(TokenizerFiles made, TokenizerFilesOf(bundle.tokenizer->spec(), bundle.chat_template));
    const bool is_json = made.model.empty();
    const char* name = is_json ? "tokenizer.json" : "tokenizer.model";
    folder.written = {{name, is_json ? std::move(made.json) : std::move(made.model)},
                      {"tokenizer_config.json", std::move(made.config)}};
    folder.names = {name, "tokenizer_config.json"};
    return folder;
  }
  const fs::path from = FolderOf(source);
  for (const std::string_view name : kTokenizerFiles) {
    std::error_code error;
    if (!fs::exists(from / name, error)) continue;
    folder.names.insert(name);
    if (fs::equivalent(from / name, to / name, error)) continue;
    TXVM_TRY(std::string bytes, ReadText((from / name).string(), kMaxTokenizerBytes));
    folder.written.push_back({std::string(name), std::move(bytes)});
  }
  return folder;
}

std::unexpected<isa::Error> CannotRemove(const fs::path& path, const std::error_code& error) {
  return Fail(ErrorCode::kHost,
              fmt::format("cannot remove '{}': {}", path.string(), error.message()));
}

Result<void> SaveFolder(const Bundle& bundle, const std::string& source,
                        const std::string& directory, const SaveOptions& options) {
  // What can fail for the tokenizer's sake fails before anything is replaced.
  const fs::path to = directory;
  TXVM_TRY(const TokenizerFolder tokenizer, TokenizerFor(bundle, source, to));
  // Files of a model that was there before would be preferred to those of this one.
  std::vector<fs::path> foreign;
  std::error_code error;
  for (const std::string_view name : kTokenizerFiles) {
    if (tokenizer.names.contains(name)) continue;
    foreign.push_back(to / name);
    if (fs::is_directory(foreign.back(), error)) {
      return CannotRemove(foreign.back(), std::make_error_code(std::errc::is_a_directory));
    }
  }
  TXVM_CHECK_OK(SaveSafetensors(*bundle.model, directory, options, tokenizer.written));
  // An index of older parts is none of the file just written.
  fs::remove(to / "model.safetensors.index.json", error);
  for (const fs::path& path : foreign) {
    fs::remove(path, error);
    if (error) return CannotRemove(path, error);
  }
  return {};
}

Result<Bundle> BundleOf(const Checkpoint& checkpoint, const LoadOptions& options) {
  Bundle bundle;
  TXVM_TRY(bundle.model, BuildModel(checkpoint, options));
  bundle.format =
      checkpoint.gguf ? fmt::format("GGUF {}", checkpoint.gguf->version) : "safetensors";
  TXVM_CHECK_OK(ReadTokenizer(checkpoint, bundle));
  TXVM_CHECK_OK(FitTokenizer(bundle));
  return bundle;
}

}  // namespace

Result<Bundle> OpenBundle(const std::string& path, const LoadOptions& options) {
  TXVM_TRY(const Checkpoint checkpoint, OpenCheckpoint(path));
  auto bundle = BundleOf(checkpoint, options);
  if (!bundle) return std::unexpected(In(path, bundle.error()));
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
  TXVM_CHECK_OK(FitTokenizer(bundle));
  return bundle;
}

Result<void> SaveBundle(const Bundle& bundle, const std::string& source, const std::string& path,
                        bool gguf, const SaveOptions& options) {
  if (!gguf) return SaveFolder(bundle, source, path, options);
  const Config& config = bundle.model->config;
  auto tokenizer = bundle.tokenizer
                       ? GgufMetadata(WithPadding(bundle.tokenizer->spec(), config.vocab),
                                      bundle.chat_template, config.eos)
                       : GgufEndTokens(config.eos);
  if (!tokenizer) return std::unexpected(std::move(tokenizer).error());
  return SaveGguf(*bundle.model, *std::move(tokenizer), path, options);
}

}  // namespace txvm::neural::llm
