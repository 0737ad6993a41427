// tokenizer_config.json: what a tokenizer.model does not say.
//
// Goals: the settings of Hugging Face's LlamaTokenizer that change tokens, and the chat template.
// Non-goals: pieces beyond those of the tokenizer.model, classes with other rules.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "neural/llm/tokenizer.h"
#include "weights/json.h"

namespace txvm::neural::llm {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Result;
using weights::Json;

/// The piece that a member names, as text or as an object with its "content"; none for null. `own`
/// when there is no such member or piece.
std::optional<Token> Named(const Json& config, std::string_view key, const TokenizerSpec& spec,
                           std::optional<Token> own) {
  const Json* value = config.Find(key);
  if (value == nullptr) return own;
  if (value->kind == Json::Kind::kNull) return std::nullopt;
  if (value->kind == Json::Kind::kObject) value = value->Find("content");
  if (value == nullptr || value->kind != Json::Kind::kString) return own;
  if (own && spec.pieces[static_cast<std::size_t>(*own)].text == value->text) return own;
  const auto piece = std::ranges::find(spec.pieces, value->text, &Piece::text);
  if (piece == spec.pieces.end()) return own;
  return static_cast<Token>(piece - spec.pieces.begin());
}

/// The spec's added tokens and those of "added_tokens_decoder" that are pieces, by id. A tokenizer
/// of this class does not look at "normalized" and "single_word".
std::vector<AddedToken> AddedOf(const Json& config, const TokenizerSpec& spec) {
  const Json* list = config.Find("added_tokens_decoder");
  if (list == nullptr) return spec.added;
  std::map<Token, AddedToken> by_id;
  for (const AddedToken& added : spec.added) by_id[added.id] = added;
  for (std::size_t i = 0; i < list->keys.size(); ++i) {
    const std::string& key = list->keys[i];
    AddedToken added;
    const char* end = key.data() + key.size();
    const auto [rest, error] = std::from_chars(key.data(), end, added.id);
    if (error != std::errc() || rest != end || added.id < 0) continue;
    if (static_cast<std::size_t>(added.id) >= spec.pieces.size()) continue;
    const Json* content = list->items[i].Find("content");
    added.text = spec.pieces[static_cast<std::size_t>(added.id)].text;
    if (content == nullptr || content->text != added.text || added.text.empty()) continue;
    added.special = list->items[i].Flag("special");
    added.strip_left = list->items[i].Flag("lstrip");
    added.strip_right = list->items[i].Flag("rstrip");
    by_id[added.id] = std::move(added);
  }
  std::vector<AddedToken> result;
  for (auto& [id, added] : by_id) result.push_back(std::move(added));
  return result;
}

std::string ConfigOf(const TokenizerSpec& spec, std::string_view chat_template) {
  const auto text = [&](std::optional<Token> token) {
    return token ? weights::JsonString(spec.pieces[static_cast<std::size_t>(*token)].text)
                 : std::string("null");
  };
  std::string added;
  for (const AddedToken& token : spec.added) {
    added += fmt::format(
        "{}\n    \"{}\": {{\"content\": {}, \"lstrip\": {}, \"normalized\": false, \"rstrip\": {}, "
        "\"single_word\": false, \"special\": {}}}",
        added.empty() ? "" : ",", token.id, weights::JsonString(token.text), token.strip_left,
        token.strip_right, token.special);
  }
  const std::string chat = chat_template.empty() ? ""
                                                 : fmt::format("  \"chat_template\": {},\n",
                                                               weights::JsonString(chat_template));
  // "legacy": a space is put before every text between added tokens, not before the first alone.
  return fmt::format(
      "{{\n  \"add_bos_token\": {},\n  \"add_eos_token\": {},\n"
      "  \"added_tokens_decoder\": {{{}\n  }},\n  \"bos_token\": {},\n{}  \"eos_token\": {},\n"
      "  \"legacy\": true,\n  \"tokenizer_class\": \"LlamaTokenizer\",\n  \"unk_token\": {}\n}}\n",
      !spec.before.empty(), !spec.after.empty(), added, text(spec.bos), chat, text(spec.eos),
      text(spec.unknown));
}

}  // namespace

Result<TokenizerSpec> WithTokenizerConfig(TokenizerSpec spec, std::string_view config) {
  TXVM_TRY(const Json root, weights::ParseJson(config, {.fractions = true}));
  spec.bos = Named(root, "bos_token", spec, spec.bos);
  spec.eos = Named(root, "eos_token", spec, spec.eos);
  spec.unknown = Named(root, "unk_token", spec, spec.unknown);
  spec.added = AddedOf(root, spec);
  spec.before.clear();
  spec.after.clear();
  if (spec.bos && root.Flag("add_bos_token", true)) spec.before = {*spec.bos};
  if (spec.eos && root.Flag("add_eos_token")) spec.after = {*spec.eos};
  return spec;
}

Result<TokenizerFiles> TokenizerFilesOf(const TokenizerSpec& spec, std::string_view chat_template) {
  TXVM_TRY(std::string model, SentencePieceFileOf(spec));
  TokenizerFiles files{std::move(model), ConfigOf(spec, chat_template)};
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
