// tokenizer_config.json and its older companions: what a tokenizer.model does not say.
//
// Goals: the settings of Hugging Face's LlamaTokenizer that change tokens. Non-goals: classes with
// other rules.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "isa/support/json.h"
#include "isa/support/text.h"
#include "neural/llm/mapped_file.h"
#include "neural/llm/tokenizer.h"

namespace txvm::neural::llm {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Json;
using isa::Result;

constexpr std::string_view kConfig = "tokenizer_config.json";

/// The text of a member that names a token, as it is or as the "content" of an object.
std::optional<std::string> NameIn(const Json& value) {
  const Json* text = value.kind == Json::Kind::kObject ? value.Find("content") : &value;
  if (text == nullptr || text->kind != Json::Kind::kString) return std::nullopt;
  return text->text;
}

/// The token that a member names; none for null. `own` when there is no such member or token.
std::optional<Token> Named(const Json& config, std::string_view key, const TokenizerSpec& spec,
                           std::optional<Token> own) {
  const Json* value = config.Find(key);
  if (value == nullptr) return own;
  if (value->kind == Json::Kind::kNull) return std::nullopt;
  const std::optional<std::string> name = NameIn(*value);
  if (!name) return own;
  if (own && spec.pieces[static_cast<std::size_t>(*own)].text == *name) return own;
  const auto added = std::ranges::find(spec.added, *name, &AddedToken::text);
  if (added != spec.added.end()) return added->id;
  const auto piece = std::ranges::find(spec.pieces, *name, &Piece::text);
  if (piece == spec.pieces.end()) return own;
  return static_cast<Token>(piece - spec.pieces.begin());
}

using TokensById = std::map<Token, AddedToken>;

/// "added_tokens_decoder". A tokenizer of this class does not look at "normalized" and
/// "single_word".
Result<TokensById> TokensOfDecoder(const Json& list) {
  TokensById tokens;
  for (std::size_t i = 0; i < list.keys.size(); ++i) {
    const std::string& key = list.keys[i];
    AddedToken added;
    const char* end = key.data() + key.size();
    const auto [rest, error] = std::from_chars(key.data(), end, added.id);
    if (error != std::errc() || rest != end || added.id < 0) {
      return Fail(ErrorCode::kInvalid,
                  fmt::format("added_tokens_decoder: '{}' is no token id", isa::Printable(key)));
    }
    const Json* content = list.items[i].Find("content");
    if (content == nullptr || content->text.empty()) continue;
    added.text = content->text;
    added.special = list.items[i].Flag("special");
    added.strip_left = list.items[i].Flag("lstrip");
    added.strip_right = list.items[i].Flag("rstrip");
    tokens[added.id] = std::move(added);
  }
  return tokens;
}

/// The texts that a tokenizer_config.json or special_tokens_map.json gives a role.
void CollectSpecial(const Json& roles, std::set<std::string>& special) {
  for (const std::string_view key : {"bos_token", "eos_token", "unk_token", "sep_token",
                                     "pad_token", "cls_token", "mask_token"}) {
    const Json* value = roles.Find(key);
    const auto name = value == nullptr ? std::nullopt : NameIn(*value);
    if (name) special.insert(*name);
  }
  const Json* others = roles.Find("additional_special_tokens");
  if (others == nullptr) return;
  for (const Json& item : others->items) {
    if (const auto name = NameIn(item)) special.insert(*name);
  }
}

/// An added_tokens.json: ids by text. Special are those that have a role.
Result<TokensById> TokensOfOldFile(const Json& ids, const std::set<std::string>& special) {
  TokensById tokens;
  for (std::size_t i = 0; i < ids.keys.size(); ++i) {
    const Json& id = ids.items[i];
    const std::string& text = ids.keys[i];
    if (id.kind != Json::Kind::kInteger || id.integer < 0 ||
        static_cast<std::uint64_t>(id.integer) >= kMaxVocab) {
      return Fail(ErrorCode::kInvalid, fmt::format("added token '{}' has no id from 0 to {}",
                                                   isa::Printable(text), kMaxVocab - 1));
    }
    if (text.empty()) continue;
    const auto token = static_cast<Token>(id.integer);
    tokens[token] = {text, token, special.contains(text), false, false, false, false};
  }
  return tokens;
}

/// Adds tokens to the spec. Those with ids after the pieces become pieces, one after the other;
/// a text other than its piece's is looked for beside it, and is what the token decodes to.
Result<void> Add(TokensById tokens, TokenizerSpec& spec) {
  for (const auto& [id, added] : tokens) {
    const auto at = static_cast<std::size_t>(id);
    if (at > spec.pieces.size()) {
      return Fail(ErrorCode::kInvalid,
                  fmt::format("added token '{}' has id {}, but those below it end with {}",
                              isa::Printable(added.text), id, spec.pieces.size() - 1));
    }
    if (at < spec.pieces.size()) continue;
    spec.pieces.push_back({added.text, 0, added.special ? PieceKind::kControl : PieceKind::kUser});
  }
  for (AddedToken& added : spec.added) tokens.try_emplace(added.id, std::move(added));
  spec.added.clear();
  for (auto& [id, added] : tokens) spec.added.push_back(std::move(added));
  return {};
}

/// "legacy" and "add_prefix_space": where a space is put before a text. Without the former it is
/// before every text between added tokens, as the tokenizer.model has it; with false, before the
/// first alone and only if that has none, and nothing else that the tokenizer.model says of spaces
/// holds: then transformers makes a Metaspace of it.
void SetPrefix(const Json& config, TokenizerSpec& spec) {
  const bool prefix = config.Flag("add_prefix_space", true);
  const bool legacy = config.Flag("legacy", true);
  if (!legacy) {
    using Prepend = SplitStep::Prepend;
    spec.normalization.clear();
    spec.splits = {
        {SplitStep::Kind::kMetaspace, prefix ? Prepend::kFirst : Prepend::kNever, false}};
    spec.drop_first_space = prefix;
  } else if (!prefix) {
    std::erase_if(spec.normalization,
                  [](const NormalStep& step) { return step.kind == NormalStep::Kind::kPrepend; });
    spec.drop_first_space = false;
  }
}

/// What a tokenizer_config.json says.
Result<TokenizerSpec> Configured(TokenizerSpec spec, const Json& config) {
  if (const Json* list = config.Find("added_tokens_decoder")) {
    TXVM_TRY(TokensById tokens, TokensOfDecoder(*list));
    TXVM_CHECK_OK(Add(std::move(tokens), spec));
  }
  SetPrefix(config, spec);
  spec.bos = Named(config, "bos_token", spec, spec.bos);
  spec.eos = Named(config, "eos_token", spec, spec.eos);
  spec.unknown = Named(config, "unk_token", spec, spec.unknown);
  spec.before.clear();
  spec.after.clear();
  if (spec.bos && config.Flag("add_bos_token", true)) spec.before = {*spec.bos};
  if (spec.eos && config.Flag("add_eos_token")) spec.after = {*spec.eos};
  return spec;
}

std::string InFolder(const std::string& directory, std::string_view name) {
  return (std::filesystem::path(directory) / name).string();
}

/// A file of the folder; nullopt: there is none.
Result<std::optional<Json>> JsonIn(const std::string& directory, std::string_view name) {
  const std::string path = InFolder(directory, name);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  TXVM_TRY(const std::string text, ReadText(path, kMaxTokenizerBytes));
  auto json = isa::ParseJson(text, {.fractions = true});
  if (!json) return std::unexpected(In(path, json.error()));
  return *std::move(json);
}

std::string ConfigOf(const TokenizerSpec& spec, std::string_view chat_template) {
  const auto text = [&](std::optional<Token> token) {
    return token ? isa::JsonString(spec.pieces[static_cast<std::size_t>(*token)].text)
                 : std::string("null");
  };
  std::string added;
  for (const AddedToken& token : spec.added) {
    added += fmt::format(
        "{}\n    \"{}\": {{\"content\": {}, \"lstrip\": {}, \"normalized\": false, \"rstrip\": {}, "
        "\"single_word\": false, \"special\": {}}}",
        added.empty() ? "" : ",", token.id, isa::JsonString(token.text), token.strip_left,
        token.strip_right, token.special);
  }
  const std::string chat = chat_template.empty() ? ""
                                                 : fmt::format("  \"chat_template\": {},\n",
                                                               isa::JsonString(chat_template));
  // "legacy": a space is put before every text between added tokens, not before the first alone.
  return fmt::format(
      "{{\n  \"add_bos_token\": {},\n  \"add_eos_token\": {},\n"
      "  \"added_tokens_decoder\": {{{}\n  }},\n  \"bos_token\": {},\n{}  \"eos_token\": {},\n"
      "  \"legacy\": true,\n  \"tokenizer_class\": \"{}\",\n  \"unk_token\": {}\n}}\n",
      !spec.before.empty(), !spec.after.empty(), added, text(spec.bos), chat, text(spec.eos),
      spec.byte_level ? "PreTrainedTokenizerFast" : "LlamaTokenizer", text(spec.unknown));
}

}  // namespace

Result<TokenizerSpec> WithTokenizerConfig(TokenizerSpec spec, std::string_view config) {
  TXVM_TRY(const Json root, isa::ParseJson(config, {.fractions = true}));
  return Configured(std::move(spec), root);
}

Result<TokenizerSpec> WithFolderSettings(TokenizerSpec spec, const std::string& directory) {
  constexpr std::string_view kOld = "added_tokens.json";
  TXVM_TRY(const std::optional<Json> config, JsonIn(directory, kConfig));
  if (!config || config->Find("added_tokens_decoder") == nullptr) {
    TXVM_TRY(const std::optional<Json> ids, JsonIn(directory, kOld));
    TXVM_TRY(const std::optional<Json> roles, JsonIn(directory, "special_tokens_map.json"));
    std::set<std::string> special;
    for (const std::optional<Json>* from : {&config, &roles}) {
      if (*from) CollectSpecial(**from, special);
    }
    if (ids) {
      auto tokens = TokensOfOldFile(*ids, special);
      const auto added = tokens ? Add(*std::move(tokens), spec) : std::unexpected(tokens.error());
      if (!added) return std::unexpected(In(InFolder(directory, kOld), added.error()));
    }
  }
  if (!config) return spec;
  auto configured = Configured(std::move(spec), *config);
  if (!configured) return std::unexpected(In(InFolder(directory, kConfig), configured.error()));
  return configured;
}

Result<TokenizerSpec> WithFolderRoles(TokenizerSpec spec, const std::string& directory) {
  TXVM_TRY(const std::optional<Json> config, JsonIn(directory, kConfig));
  if (!config) return spec;
  if (spec.before.empty()) spec.bos = Named(*config, "bos_token", spec, spec.bos);
  spec.eos = Named(*config, "eos_token", spec, spec.eos);
  return spec;
}

namespace {

/// What a tokenizer.json can say of a spec.
TokenizerSpec InJson(TokenizerSpec spec) {
  for (Piece& piece : spec.pieces) {
    piece.score = 0;
    if (piece.kind == PieceKind::kUnused) piece.text.clear();
  }
  while (!spec.pieces.empty() && spec.pieces.back().text.empty()) spec.pieces.pop_back();
  return spec;
}

Result<TokenizerFiles> JsonFilesOf(const TokenizerSpec& spec, std::string_view chat_template) {
  TXVM_TRY(std::string json, TokenizerJsonOf(spec));
  TXVM_TRY(TokenizerSpec read, SpecFromJson(json));
  read.bos = spec.bos;  // of tokenizer_config.json
  read.eos = spec.eos;
  if (InJson(std::move(read)) == InJson(spec)) {
    return TokenizerFiles{{}, std::move(json), ConfigOf(spec, chat_template)};
  }
  return Fail(ErrorCode::kUnsupported,
              "tokenizer.json cannot express this tokenizer: read back, it is another");
}

}  // namespace

Result<TokenizerFiles> TokenizerFilesOf(const TokenizerSpec& spec, std::string_view chat_template) {
  if (spec.byte_level) return JsonFilesOf(spec, chat_template);
  TXVM_TRY(std::string model, SentencePieceFileOf(spec));
  TokenizerFiles files{std::move(model), {}, ConfigOf(spec, chat_template)};
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(files.model.data()),
                        files.model.size());
  TXVM_TRY(TokenizerSpec read, SpecFromSentencePiece(bytes));
  TXVM_TRY(read, WithTokenizerConfig(std::move(read), files.config));
  if (read == spec) return files;
  return Fail(ErrorCode::kUnsupported,
              "tokenizer.model and tokenizer_config.json cannot express this tokenizer: read back, "
              "they are another");
}

}  // namespace txvm::neural::llm
