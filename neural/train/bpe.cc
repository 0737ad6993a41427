#include "neural/train/bpe.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "isa/support/json.h"
#include "neural/llm/tokenizer.h"

namespace txvm::neural::train {
namespace {

using Pair = std::pair<std::string, std::string>;

struct Word {
  std::vector<std::string> pieces;
  std::uint64_t count = 0;
};

// Bytes of the UTF-8 character that begins here; 1 for what is none.
std::size_t CharacterBytes(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(bytes, text.size() - at);
}

std::vector<std::string> Characters(std::string_view word) {
  std::vector<std::string> characters;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t bytes = CharacterBytes(word, at);
    characters.emplace_back(word.substr(at, bytes));
    at += bytes;
  }
  return characters;
}

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

// How often each pair of neighbours occurs, kept while words change.
class PairTable {
 public:
  explicit PairTable(std::vector<Word> words) : words_(std::move(words)) {
    for (std::size_t i = 0; i < words_.size(); ++i) Add(i, +1);
  }

  /// The most frequent pair, the first in order among equals; false when none occurs twice.
  bool Best(Pair& pair) const {
    const auto best = std::ranges::max_element(
        counts_, [](const auto& a, const auto& b) { return a.second < b.second; });
    if (best == counts_.end() || best->second < 2) return false;
    pair = best->first;
    return true;
  }

  void Merge(const Pair& pair) {
    const std::set<std::size_t> where = places_[pair];
    for (const std::size_t i : where) {
      Add(i, -1);
      std::vector<std::string>& pieces = words_[i].pieces;
      for (std::size_t at = 0; at + 1 < pieces.size(); ++at) {
        if (pieces[at] != pair.first || pieces[at + 1] != pair.second) continue;
        pieces[at] += pieces[at + 1];
        pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      }
      Add(i, +1);
    }
  }

 private:
  void Add(std::size_t i, int sign) {
    const Word& word = words_[i];
    for (std::size_t at = 0; at + 1 < word.pieces.size(); ++at) {
      const Pair pair(word.pieces[at], word.pieces[at + 1]);
      std::uint64_t& count = counts_[pair];
      count = sign > 0 ? count + word.count : count - word.count;
      if (sign > 0) {
        places_[pair].insert(i);
      } else {
        places_[pair].erase(i);
      }
      if (count == 0) counts_.erase(pair);
    }
  }

  std::vector<Word> words_;
  std::map<Pair, std::uint64_t> counts_;
  std::map<Pair, std::set<std::size_t>> places_;
};

// Ids in the order of the vocabulary.
struct Vocabulary {
  std::vector<std::string> pieces;
  std::vector<std::pair<std::size_t, bool>> added;  // id, special
  std::vector<Pair> merges;
};

Vocabulary Reserved(const BpeOptions& options) {
  Vocabulary vocabulary;
  for (const char* control : {"<unk>", "<s>", "</s>"}) {
    vocabulary.added.emplace_back(vocabulary.pieces.size(), true);
    vocabulary.pieces.emplace_back(control);
  }
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.pieces.push_back(fmt::format("<0x{:02X}>", byte));
  }
  for (const std::string& added : options.added) {
    vocabulary.added.emplace_back(vocabulary.pieces.size(), false);
    vocabulary.pieces.push_back(added);
  }
  return vocabulary;
}

std::string AddedJson(const Vocabulary& vocabulary) {
  std::string json;
  for (const auto& [id, special] : vocabulary.added) {
    json += fmt::format(
        R"({}{{"id":{},"content":{},"single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":{}}})",
        json.empty() ? "" : ",", id, isa::JsonString(vocabulary.pieces[id]), special);
  }
  return json;
}

// The components that Llama's tokenizer.json names, without its post-processor.
std::string TokenizerJson(const Vocabulary& vocabulary) {
  std::string vocab, merges;
  for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id) {
    vocab += fmt::format("{}{}:{}", id == 0 ? "" : ",", isa::JsonString(vocabulary.pieces[id]), id);
  }
  for (const auto& [left, right] : vocabulary.merges) {
    merges += fmt::format("{}{}", merges.empty() ? "" : ",", isa::JsonString(left + " " + right));
  }
  return fmt::format(
      R"({{"version":"1.0","truncation":null,"padding":null,"added_tokens":[{0}],)"
      R"("normalizer":{{"type":"Sequence","normalizers":[{{"type":"Prepend","prepend":"{3}"}},)"
      R"({{"type":"Replace","pattern":{{"String":" "}},"content":"{3}"}}]}},)"
      R"("pre_tokenizer":null,"post_processor":null,)"
      R"("decoder":{{"type":"Sequence","decoders":[)"
      R"({{"type":"Replace","pattern":{{"String":"{3}"}},"content":" "}},{{"type":"ByteFallback"}},)"
      R"({{"type":"Fuse"}},{{"type":"Strip","content":" ","start":1,"stop":0}}]}},)"
      R"("model":{{"type":"BPE","dropout":null,"unk_token":"<unk>","continuing_subword_prefix":null,)"
      R"("end_of_word_suffix":null,"fuse_unk":true,"byte_fallback":true,"vocab":{{{1}}},"merges":[{2}]}}}})"
      "\n",
      AddedJson(vocabulary), vocab, merges, llm::kSpaceMark);
}

}  // namespace

void CountWords(std::string_view text, WordCounts& counts) {
  std::string word(llm::kSpaceMark);
  const auto flush = [&] {
    if (!word.empty()) ++counts[word];
    word.clear();
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ' ') {
      flush();
      word = llm::kSpaceMark;
    } else if (IsLetter(text[at])) {
      word += text[at];
    } else {
      // A sign keeps the space before it, and nothing joins it from the right.
      if (word != llm::kSpaceMark) flush();
      word += text[at];
      flush();
    }
  }
  flush();
}

isa::Result<std::string> TrainBpe(const WordCounts& words, const BpeOptions& options) {
  Vocabulary vocabulary = Reserved(options);
  std::set<std::string> known(vocabulary.pieces.begin(), vocabulary.pieces.end());
  const auto add = [&](const std::string& piece) {
    if (known.insert(piece).second) vocabulary.pieces.push_back(piece);
  };
  std::vector<Word> table;
  std::set<std::string> characters = {std::string(llm::kSpaceMark)};
  for (const auto& [text, count] : words) {
    table.push_back({Characters(text), count});
    characters.insert(table.back().pieces.begin(), table.back().pieces.end());
  }
  for (const std::string& character : characters) add(character);
  if (vocabulary.pieces.size() > options.vocabulary) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("a vocabulary of {} cannot hold the {} tokens it starts with",
                                 options.vocabulary, vocabulary.pieces.size()));
  }
  PairTable pairs(std::move(table));
  Pair best;
  while (vocabulary.pieces.size() < options.vocabulary && pairs.Best(best)) {
    pairs.Merge(best);
    vocabulary.merges.push_back(best);
    add(best.first + best.second);
  }
  return TokenizerJson(vocabulary);
}

}  // namespace txvm::neural::train
