// tokenizer.json of Hugging Face's tokenizers: components by name, a vocabulary, merges.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "isa/support/json.h"
#include "isa/support/text.h"
#include "neural/llm/pre_tokenizer.h"
#include "neural/llm/tokenizer.h"

namespace txvm::neural::llm {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Json;
using isa::Result;

constexpr std::size_t kMostHoles = 1u << 16;  // ids a vocabulary leaves out

std::unexpected<isa::Error> Unsupported(std::string_view component, std::string_view name) {
  return Fail(ErrorCode::kUnsupported, fmt::format("tokenizer.json: {} '{}' is not supported",
                                                   component, isa::Printable(name)));
}
std::unexpected<isa::Error> Corrupt(std::string_view what) {
  return Fail(ErrorCode::kCorrupt, fmt::format("tokenizer.json: {}", what));
}

const Json* Member(const Json& object, std::string_view key, Json::Kind kind) {
  const Json* member = object.Find(key);
  return member != nullptr && member->kind == kind ? member : nullptr;
}
std::string TextOf(const Json& object, std::string_view key) {
  const Json* member = Member(object, key, Json::Kind::kString);
  return member == nullptr ? "" : member->text;
}
bool IsNull(const Json* value) { return value == nullptr || value->kind == Json::Kind::kNull; }

/// The text of {"String": "..."}; nullopt for expressions.
std::optional<std::string> StringPattern(const Json& object) {
  const Json* pattern = object.Find("pattern");
  const Json* text = pattern == nullptr ? nullptr : Member(*pattern, "String", Json::Kind::kString);
  if (text == nullptr) return std::nullopt;
  return text->text;
}

Result<void> AddNormalizer(const Json* value, TokenizerSpec& spec) {
  if (IsNull(value)) return {};
  const std::string type = TextOf(*value, "type");
  if (type == "Sequence") {
    const Json* list = Member(*value, "normalizers", Json::Kind::kArray);
    if (list == nullptr) return Corrupt("a sequence of normalizers without list");
    for (const Json& item : list->items) TXVM_CHECK_OK(AddNormalizer(&item, spec));
    return {};
  }
  if (type == "Prepend") {
    spec.normalization.push_back({NormalStep::Kind::kPrepend, "", TextOf(*value, "prepend")});
    return {};
  }
  const std::optional<std::string> pattern = StringPattern(*value);
  if (type == "Replace" && pattern) {
    spec.normalization.push_back({NormalStep::Kind::kReplace, *pattern, TextOf(*value, "content")});
    return {};
  }
  return Unsupported("normalizer", type);
}

Result<void> AddMetaspace(const Json& value, TokenizerSpec& spec) {
  SplitStep step;
  step.kind = SplitStep::Kind::kMetaspace;
  if (TextOf(value, "replacement") != kSpaceMark) return Unsupported("Metaspace", "replacement");
  const std::string scheme = TextOf(value, "prepend_scheme");
  const bool always = scheme.empty() ? value.Flag("add_prefix_space", true) : scheme == "always";
  step.prepend = always              ? SplitStep::Prepend::kAlways
                 : scheme == "first" ? SplitStep::Prepend::kFirst
                                     : SplitStep::Prepend::kNever;
  step.split = value.Flag("split", true);
  spec.splits.push_back(step);
  return {};
}

Result<void> AddSplit(const Json& value, TokenizerSpec& spec) {
  const Json* pattern = value.Find("pattern");
  const std::string expression = pattern == nullptr ? "" : TextOf(*pattern, "Regex");
  const std::optional<SplitStep::Kind> kind = StepOfPattern(expression);
  if (!kind) return Unsupported("expression", expression);
  const std::string behavior = TextOf(value, "behavior");
  const bool inverted = value.Flag("invert");
  // The expressions match everywhere, so what is removed between matches is nothing.
  if (behavior != (inverted ? "Removed" : "Isolated")) return Unsupported("split", behavior);
  spec.splits.push_back({*kind, SplitStep::Prepend::kNever, false});
  return {};
}

Result<void> AddPreTokenizer(const Json* value, TokenizerSpec& spec) {
  if (IsNull(value)) return {};
  const std::string type = TextOf(*value, "type");
  if (spec.byte_level) return Unsupported("pre-tokenizer after ByteLevel", type);
  if (type == "Sequence") {
    const Json* list = Member(*value, "pretokenizers", Json::Kind::kArray);
    if (list == nullptr) return Corrupt("a sequence of pre-tokenizers without list");
    for (const Json& item : list->items) TXVM_CHECK_OK(AddPreTokenizer(&item, spec));
    return {};
  }
  const auto add = [&](SplitStep::Kind kind) {
    spec.splits.push_back({kind, SplitStep::Prepend::kNever, false});
  };
  if (type == "Metaspace") return AddMetaspace(*value, spec);
  if (type == "Split") return AddSplit(*value, spec);
  if (type == "Digits") {
    add(value->Flag("individual_digits") ? SplitStep::Kind::kDigits : SplitStep::Kind::kDigitRuns);
    return {};
  }
  if (type != "ByteLevel") return Unsupported("pre-tokenizer", type);
  if (value->Flag("add_prefix_space", true)) add(SplitStep::Kind::kPrefixSpace);
  if (value->Flag("use_regex", true)) add(SplitStep::Kind::kGpt2);
  spec.byte_level = true;
  return {};
}

using Ids = std::unordered_map<std::string_view, Token>;

Result<Token> IdOf(const Json& value, std::size_t most) {
  if (value.kind != Json::Kind::kInteger || value.integer < 0 ||
      static_cast<std::uint64_t>(value.integer) >= most) {
    return Corrupt(fmt::format("a token id of {}, below {}", value.integer, most));
  }
  return static_cast<Token>(value.integer);
}

void Place(Token id, std::string text, PieceKind kind, TokenizerSpec& spec) {
  const auto at = static_cast<std::size_t>(id);
  if (at >= spec.pieces.size()) spec.pieces.resize(at + 1, {"", 0, PieceKind::kUnused});
  spec.pieces[at] = {std::move(text), 0, kind};
}

Result<void> ReadVocabulary(const Json& vocabulary, std::size_t most, Ids& ids,
                            TokenizerSpec& spec) {
  for (std::size_t i = 0; i < vocabulary.items.size(); ++i) {
    TXVM_TRY(const Token id, IdOf(vocabulary.items[i], most));
    const std::string& text = vocabulary.keys[i];
    const bool byte = spec.byte_fallback && text.size() == 6 && text.starts_with("<0x");
    Place(id, text, byte ? PieceKind::kByte : PieceKind::kNormal, spec);
    ids[text] = id;
  }
  return {};
}

/// A merge is "left right" or ["left", "right"].
Result<void> ReadMerges(const Json& merges, const Ids& ids, TokenizerSpec& spec) {
  for (const Json& item : merges.items) {
    std::string left, right;
    if (item.kind == Json::Kind::kString) {
      const std::size_t space = item.text.find(' ');
      if (space != std::string::npos) {
        left = item.text.substr(0, space);
        right = item.text.substr(space + 1);
      }
    } else if (item.kind == Json::Kind::kArray && item.items.size() == 2) {
      left = item.items[0].text;
      right = item.items[1].text;
    }
    const auto a = ids.find(left), b = ids.find(right), whole = ids.find(left + right);
    if (a == ids.end() || b == ids.end() || whole == ids.end()) {
      return Corrupt(fmt::format("merge {} of '{}' and '{}' is not in the vocabulary",
                                 spec.merges.size(), isa::Printable(left), isa::Printable(right)));
    }
    spec.merges.push_back({a->second, b->second, whole->second});
  }
  return {};
}

Result<void> ReadModel(const Json& model, std::size_t added, Ids& ids, TokenizerSpec& spec) {
  const std::string type = TextOf(model, "type");
  if (!type.empty() && type != "BPE") return Unsupported("model", type);
  const Json* dropout = model.Find("dropout");
  if (!IsNull(dropout) && dropout->real != 0) return Unsupported("BPE option", "dropout");
  for (const std::string_view option : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!TextOf(model, option).empty()) return Unsupported("BPE option", option);
  }
  const Json* vocabulary = Member(model, "vocab", Json::Kind::kObject);
  const Json* merges = Member(model, "merges", Json::Kind::kArray);
  if (vocabulary == nullptr || merges == nullptr) return Corrupt("no BPE vocabulary or merges");
  spec.algorithm = Algorithm::kRanks;
  spec.byte_fallback = model.Flag("byte_fallback");
  spec.fuse_unknown = model.Flag("fuse_unk");
  spec.whole_pieces = model.Flag("ignore_merges");
  TXVM_CHECK_OK(
      ReadVocabulary(*vocabulary, vocabulary->items.size() + added + kMostHoles, ids, spec));
  TXVM_CHECK_OK(ReadMerges(*merges, ids, spec));
  const std::string unknown = TextOf(model, "unk_token");
  if (const auto found = ids.find(unknown); !unknown.empty() && found != ids.end()) {
    spec.unknown = found->second;
    spec.pieces[static_cast<std::size_t>(found->second)].kind = PieceKind::kUnknown;
  }
  return {};
}

Result<void> ReadAdded(const Json& list, std::size_t most, TokenizerSpec& spec) {
  for (const Json& item : list.items) {
    const Json* id = item.Find("id");
    if (id == nullptr) return Corrupt("an added token without id");
    AddedToken added;
    TXVM_TRY(added.id, IdOf(*id, most));
    added.text = TextOf(item, "content");
    if (added.text.empty()) continue;
    added.special = item.Flag("special");
    added.strip_left = item.Flag("lstrip");
    added.strip_right = item.Flag("rstrip");
    added.whole_word = item.Flag("single_word");
    added.normalized = item.Flag("normalized");
    const bool unknown = spec.unknown == added.id;
    Place(added.id, added.text,
          unknown         ? PieceKind::kUnknown
          : added.special ? PieceKind::kControl
                          : PieceKind::kUser,
          spec);
    spec.added.push_back(std::move(added));
  }
  return {};
}

/// The tokens a template puts around the text.
Result<void> ReadTemplate(const Json& value, const Ids& ids, TokenizerSpec& spec) {
  const Json* single = Member(value, "single", Json::Kind::kArray);
  if (single == nullptr) return Corrupt("a template without 'single'");
  bool after = false;
  for (const Json& item : single->items) {
    if (item.Find("Sequence") != nullptr) {
      after = true;
      continue;
    }
    const Json* special = item.Find("SpecialToken");
    const std::string name = special == nullptr ? "" : TextOf(*special, "id");
    const auto added = std::ranges::find(spec.added, name, &AddedToken::text);
    const auto found = ids.find(name);
    if (added == spec.added.end() && found == ids.end()) {
      return Corrupt(fmt::format("the template's token '{}' is none", isa::Printable(name)));
    }
    (after ? spec.after : spec.before)
        .push_back(added != spec.added.end() ? added->id : found->second);
  }
  return {};
}

Result<void> ReadPostProcessor(const Json* value, const Ids& ids, TokenizerSpec& spec) {
  if (IsNull(value)) return {};
  const std::string type = TextOf(*value, "type");
  if (type == "ByteLevel") return {};
  if (type == "TemplateProcessing") return ReadTemplate(*value, ids, spec);
  const Json* list = Member(*value, "processors", Json::Kind::kArray);
  if (type != "Sequence" || list == nullptr) return Unsupported("post-processor", type);
  for (const Json& item : list->items) TXVM_CHECK_OK(ReadPostProcessor(&item, ids, spec));
  return {};
}

/// Whether the decoder takes a space off the front.
bool StripsFirstSpace(const Json* value) {
  if (IsNull(value)) return false;
  const std::string type = TextOf(*value, "type");
  if (type == "Metaspace") {
    const std::string scheme = TextOf(*value, "prepend_scheme");
    return scheme.empty() ? value->Flag("add_prefix_space", true) : scheme != "never";
  }
  if (type == "Strip") {
    const Json* start = value->Find("start");
    return start != nullptr && start->integer > 0;
  }
  const Json* list = Member(*value, "decoders", Json::Kind::kArray);
  return list != nullptr &&
         std::ranges::any_of(list->items, [](const Json& item) { return StripsFirstSpace(&item); });
}

std::optional<Token> FindAdded(const TokenizerSpec& spec,
                               std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto added = std::ranges::find(spec.added, name, &AddedToken::text);
    if (added != spec.added.end()) return added->id;
  }
  return std::nullopt;
}

}  // namespace

Result<TokenizerSpec> SpecFromJson(std::string_view text) {
  TXVM_TRY(const Json root, isa::ParseJson(text, {.fractions = true}));
  const Json* model = Member(root, "model", Json::Kind::kObject);
  if (model == nullptr) return Corrupt("no model");
  const Json* added = Member(root, "added_tokens", Json::Kind::kArray);
  const std::size_t added_count = added == nullptr ? 0 : added->items.size();
  TokenizerSpec spec;
  Ids ids;
  TXVM_CHECK_OK(ReadModel(*model, added_count, ids, spec));
  if (added != nullptr) {
    TXVM_CHECK_OK(ReadAdded(*added, ids.size() + added_count + kMostHoles, spec));
  }
  TXVM_CHECK_OK(AddNormalizer(root.Find("normalizer"), spec));
  TXVM_CHECK_OK(AddPreTokenizer(root.Find("pre_tokenizer"), spec));
  TXVM_CHECK_OK(ReadPostProcessor(root.Find("post_processor"), ids, spec));
  spec.drop_first_space = StripsFirstSpace(root.Find("decoder"));
  spec.bos = FindAdded(spec, {"<s>", "<|begin_of_text|>", "<|im_start|>", "<bos>"});
  if (!spec.before.empty()) spec.bos = spec.before.front();
  spec.eos = FindAdded(
      spec, {"</s>", "<|eot_id|>", "<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<eos>"});
  return spec;
}

}  // namespace txvm::neural::llm
