#include "tests/neural/llm/tokenizer_files.h"

#include <fmt/format.h>

#include <cstring>

#include "isa/support/json.h"
#include "neural/llm/pre_tokenizer.h"

namespace txvm::neural::llm {
namespace {

std::string Field(int name, const std::string& bytes) {
  return std::string{static_cast<char>(name << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}
std::string PieceField(const std::string& text, float score, int kind) {
  std::string number(4, '\0');
  std::memcpy(number.data(), &score, 4);
  return Field(1, Field(1, text) + "\x15" + number + "\x18" + static_cast<char>(kind));
}

std::string Vocabulary(bool bytes) {
  std::string text;
  int id = 0;
  const auto add = [&](const std::string& piece) {
    text += fmt::format("{}{}: {}", id == 0 ? "" : ", ", isa::JsonString(piece), id);
    ++id;
  };
  for (unsigned byte = 0; byte < 256; ++byte) {
    add(bytes ? ByteAlphabet()[byte] : fmt::format("<0x{:02X}>", byte));
  }
  add(bytes ? "reserved" : "<unk>");
  if (!bytes) {
    for (const std::string letter : {"a", "b", "c", "1", "2", "\xE2\x96\x81"}) add(letter);
  }
  for (const std::string piece : {"ab", "cab"}) add(piece);
  if (!bytes)
    add("\xE2\x96\x81"
        "ab");
  return text;
}

std::string Json(bool bytes) {
  const std::string end = bytes ? "<|end|>" : "</s>";
  return fmt::format(
      R"({{"version": "1.0", "added_tokens": [{{"id": {}, "content": "{}", "special": true, )"
      R"("lstrip": false, "rstrip": false, "single_word": false, "normalized": false}}], )"
      R"("normalizer": {}, "pre_tokenizer": {}, "post_processor": null, "decoder": {}, )"
      R"("model": {{"type": "BPE", "dropout": null, "unk_token": {}, "fuse_unk": true, )"
      R"("byte_fallback": {}, "vocab": {{{}}}, "merges": [{}]}}}})",
      bytes ? 256 : 256 + 12, end,
      bytes ? "null"
            : R"({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, )"
              R"({"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]})",
      bytes ? R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": true})" : "null",
      bytes ? R"({"type": "ByteLevel"})" : R"({"type": "Strip", "content": " ", "start": 1})",
      bytes ? "null" : "\"<unk>\"", !bytes, Vocabulary(bytes),
      bytes ? R"("a b", ["c", "ab"])" : R"("a b", "c ab", "▁ ab")");
}

}  // namespace

std::string SentencePieceFile() {
  std::string file = PieceField("<unk>", 0, 2) + PieceField("<s>", 0, 3) + PieceField("</s>", 0, 3);
  for (int byte = 0; byte < 256; ++byte) file += PieceField(fmt::format("<0x{:02X}>", byte), 0, 6);
  file += PieceField("ab", 0, 1) + PieceField("cab", -1, 1) +
          PieceField(
              "\xE2\x96\x81"
              "ab",
              -2, 1);
  for (const std::string letter : {"a", "b", "c", "1", "2", "\xE2\x96\x81"}) {
    file += PieceField(letter, -100, 1);
  }
  file += Field(2, std::string("\x18\x02\x98\x02\x01", 5));  // BPE, byte_fallback
  return file + Field(3, std::string("\x18\x01\x20\x00\x28\x01", 6));
}

const std::string kByteTokenizer = Json(true), kCharacterTokenizer = Json(false);

}  // namespace txvm::neural::llm
