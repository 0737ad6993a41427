// Declared in neural/llm/tokenizer.h. The text of a tokenizer.json, for byte-level vocabularies.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "isa/support/json.h"
#include "neural/llm/pre_tokenizer.h"
#include "neural/llm/tokenizer.h"

namespace txvm::neural::llm {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::JsonString;
using isa::Result;
using Kind = SplitStep::Kind;

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",\n    ") + part;
  return text;
}

/// The steps as pre-tokenizers, the byte alphabet last.
Result<std::string> PreTokenizerOf(const TokenizerSpec& spec) {
  std::vector<std::string> steps;
  bool by_gpt2 = false, prefixed = false;
  for (const SplitStep& step : spec.splits) {
    const bool is_last = &step == &spec.splits.back();
    const std::optional<std::string_view> pattern = PatternOfStep(step.kind);
    if (step.kind == Kind::kDigits || step.kind == Kind::kDigitRuns) {
      steps.push_back(fmt::format("{{\"type\": \"Digits\", \"individual_digits\": {}}}",
                                  step.kind == Kind::kDigits));
    } else if (step.kind == Kind::kGpt2 && is_last) {
      by_gpt2 = true;
    } else if (step.kind == Kind::kPrefixSpace) {
      prefixed = true;
    } else if (pattern && !prefixed) {
      steps.push_back(
          fmt::format("{{\"type\": \"Split\", \"pattern\": {{\"Regex\": {}}}, "
                      "\"behavior\": \"Isolated\", \"invert\": false}}",
                      JsonString(*pattern)));
    } else {
      return Fail(ErrorCode::kUnsupported,
                  "tokenizer.json: the way this byte-level tokenizer cuts text cannot be written");
    }
  }
  steps.push_back(
      fmt::format("{{\"type\": \"ByteLevel\", \"add_prefix_space\": {}, \"trim_offsets\": true, "
                  "\"use_regex\": {}}}",
                  prefixed, by_gpt2));
  return fmt::format("{{\"type\": \"Sequence\", \"pretokenizers\": [\n    {}]}}", Joined(steps));
}

std::string AddedOf(const TokenizerSpec& spec) {
  std::vector<std::string> tokens;
  for (const AddedToken& added : spec.added) {
    tokens.push_back(fmt::format(
        "{{\"id\": {}, \"content\": {}, \"single_word\": {}, \"lstrip\": {}, \"rstrip\": {}, "
        "\"normalized\": {}, \"special\": {}}}",
        added.id, JsonString(added.text), added.whole_word, added.strip_left, added.strip_right,
        added.normalized, added.special));
  }
  return Joined(tokens);
}

/// What is put around a text, as a template.
std::string PostProcessorOf(const TokenizerSpec& spec) {
  if (spec.before.empty() && spec.after.empty()) return "null";
  std::vector<std::string> items, tokens;
  const auto add = [&](const std::vector<Token>& list) {
    for (const Token id : list) {
      const std::string text = JsonString(spec.pieces[static_cast<std::size_t>(id)].text);
      items.push_back(fmt::format("{{\"SpecialToken\": {{\"id\": {}, \"type_id\": 0}}}}", text));
      std::string token =
          fmt::format("{0}: {{\"id\": {0}, \"ids\": [{1}], \"tokens\": [{0}]}}", text, id);
      if (std::ranges::find(tokens, token) == tokens.end()) tokens.push_back(std::move(token));
    }
  };
  add(spec.before);
  items.emplace_back("{\"Sequence\": {\"id\": \"A\", \"type_id\": 0}}");
  add(spec.after);
  return fmt::format(
      "{{\"type\": \"TemplateProcessing\", \"single\": [{}], \"pair\": [{}, {{\"Sequence\": "
      "{{\"id\": \"B\", \"type_id\": 1}}}}], \"special_tokens\": {{{}}}}}",
      Joined(items), Joined(items), Joined(tokens));
}

}  // namespace

Result<std::string> TokenizerJsonOf(const TokenizerSpec& spec) {
  if (!spec.byte_level || spec.algorithm != Algorithm::kRanks || !spec.normalization.empty()) {
    return Fail(ErrorCode::kUnsupported,
                "tokenizer.json is written for byte-level vocabularies that merges order");
  }
  TXVM_TRY(const std::string cutting, PreTokenizerOf(spec));
  std::vector<std::string> pieces, merges;
  for (std::size_t id = 0; id < spec.pieces.size(); ++id) {
    const Piece& piece = spec.pieces[id];
    if (piece.kind == PieceKind::kUnused || piece.text.empty()) continue;
    pieces.push_back(fmt::format("{}: {}", JsonString(piece.text), id));
  }
  for (const Merge& merge : spec.merges) {
    merges.push_back(
        JsonString(fmt::format("{} {}", spec.pieces[static_cast<std::size_t>(merge.left)].text,
                               spec.pieces[static_cast<std::size_t>(merge.right)].text)));
  }
  const std::string unknown =
      spec.unknown ? JsonString(spec.pieces[static_cast<std::size_t>(*spec.unknown)].text) : "null";
  return fmt::format(
      "{{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n"
      "  \"added_tokens\": [\n    {}],\n  \"normalizer\": null,\n  \"pre_tokenizer\": {},\n"
      "  \"post_processor\": {},\n"
      "  \"decoder\": {{\"type\": \"ByteLevel\", \"add_prefix_space\": true, \"trim_offsets\": "
      "true, \"use_regex\": true}},\n"
      "  \"model\": {{\n  \"type\": \"BPE\", \"dropout\": null, \"unk_token\": {},\n"
      "  \"continuing_subword_prefix\": null, \"end_of_word_suffix\": null,\n"
      "  \"fuse_unk\": {}, \"byte_fallback\": false, \"ignore_merges\": {},\n"
      "  \"vocab\": {{\n    {}}},\n  \"merges\": [\n    {}]\n  }}\n}}\n",
      AddedOf(spec), cutting, PostProcessorOf(spec), unknown, spec.fuse_unknown, spec.whole_pieces,
      Joined(pieces), Joined(merges));
}

}  // namespace txvm::neural::llm
