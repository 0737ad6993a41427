#include "frontends/nl/reader/piece_mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontends/nl/numbers/characters.h"

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;

// No canonical text between two blanks is longer but numbers, which models write in parts.
constexpr std::size_t kLongestPiece = 64;

/// The characters of canonical text, blanks included, each once and sorted.
std::string Alphabet() {
  std::string all = " .0123456789\n";
  for (std::size_t id = 0; id < kTokenCount; ++id) {
    if (!IsSlot(TokenOf(id))) all += TokenText(TokenOf(id));
  }
  std::ranges::sort(all);
  const auto same = std::ranges::unique(all);
  all.erase(same.begin(), same.end());
  return all;
}

}  // namespace

isa::Result<CanonicalPieces> CanonicalPieces::Of(const llm::Tokenizer& tokenizer,
                                                 std::span<const llm::Token> stop) {
  const std::string alphabet = Alphabet();
  auto tables = std::make_shared<Tables>();
  tables->stop.assign(stop.begin(), stop.end());
  for (std::size_t i = 0; i < tokenizer.size(); ++i) {
    const auto id = static_cast<llm::Token>(i);
    if (tokenizer.spec().pieces[i].kind == llm::PieceKind::kUnused) continue;
    if (std::ranges::find(stop, id) != stop.end()) continue;
    std::string text = tokenizer.Bytes(id);
    if (text.empty() || text.size() > kLongestPiece) continue;
    if (text.find_first_not_of(alphabet) != std::string::npos) continue;
    tables->has_equality = tables->has_equality || text == "==" || text == " ==";
    tables->entries.push_back({std::move(text), id});
  }
  std::ranges::stable_sort(tables->entries, {}, &Entry::text);
  for (const char c : alphabet) {
    if (c == '\n') continue;  // ends a program, as other tokens do
    if (std::ranges::binary_search(tables->entries, std::string(1, c), {}, &Entry::text)) continue;
    return isa::Fail(isa::ErrorCode::kInvalid,
                     fmt::format("the tokenizer has no piece '{}': canonical programs cannot be "
                                 "written with it",
                                 c));
  }
  for (std::size_t i = 0; i < tables->entries.size(); ++i) {
    tables->by_id.emplace(tables->entries[i].id, i);
  }
  CanonicalPieces pieces;
  pieces.tables_ = std::move(tables);
  return pieces;
}

const std::string* CanonicalPieces::Find(llm::Token id) const {
  const auto found = tables_->by_id.find(id);
  return found == tables_->by_id.end() ? nullptr : &tables_->entries[found->second].text;
}

std::vector<Number> Magnitudes(const Lexed& question) {
  std::vector<Number> numbers = question.numbers;
  for (Number& number : numbers) {
    if (number.text.starts_with('-')) {
      number.text.erase(0, 1);
      ++number.begin;
    }
    const std::string text = ToText(number.value);
    if (!text.starts_with('-')) continue;
    // Only -2^255 has a magnitude that is no signed integer of 256 bits; it keeps its sign.
    const std::size_t slash = std::min(text.find('/'), text.size());
    if (const auto magnitude = ParseDecimal(text.substr(1, slash - 1))) {
      number.value.numerator = magnitude->numerator;
    }
  }
  return numbers;
}

PieceMask::PieceMask(CanonicalPieces pieces, std::vector<Number> numbers, GrammarOptions options)
    : pieces_(std::move(pieces)), numbers_(std::move(numbers)) {
  for (std::size_t id = 0; id < kTokenCount; ++id) {
    if (!IsSlot(TokenOf(id))) AddSpelling(TokenText(TokenOf(id)), TokenOf(id));
  }
  options.slots = std::min(numbers_.size(), kMaxSlots);
  for (std::size_t slot = 0; slot < options.slots; ++slot) {
    const Number& number = numbers_[slot];
    // ReadCanonical's choice: a literal, else the first slot of this value.
    const auto first = std::ranges::find(numbers_, number.value, &Number::value);
    Token token = SlotToken(static_cast<std::size_t>(first - numbers_.begin()));
    const auto small = ToInt64(number.value);
    if (small && *small >= 0) {
      token = LiteralToken(static_cast<std::uint64_t>(*small)).value_or(token);
    }
    // A text has no numbers with a sign: -2^255, which has no magnitude, cannot be written.
    if (ToText(number.value).starts_with('-')) continue;
    const auto written = ParseDecimal(number.text);
    if (written && *written == number.value) AddSpelling(number.text, token);
    if (IsInteger(number.value)) AddSpelling(ToText(number.value), token);
    if (const auto point = ToPoint(number.value)) AddSpelling(*point, token);
  }
  std::ranges::sort(spellings_, {}, &Spelling::text);
  auto node = std::make_shared<Node>(Node{CanonicalGrammar(options), {}, {}, {}});
  state_ = {std::move(node), 0, spellings_.size(), 0, false};
}

void PieceMask::AddSpelling(std::string_view text, Token token) {
  const bool known = std::ranges::any_of(
      spellings_, [&](const Spelling& spelling) { return spelling.text == text; });
  if (!known) spellings_.push_back({std::string(text), token});
}

const TokenSet& PieceMask::AllowedAt(Node& node) {
  if (!node.allowed) node.allowed = node.grammar.Allowed();
  return *node.allowed;
}

/// Whether one of the spellings still possible may come.
bool PieceMask::IsUseful(const State& state) const {
  const TokenSet& allowed = AllowedAt(*state.node);
  for (std::size_t i = state.low; i < state.high; ++i) {
    if (allowed[Id(spellings_[i].token)]) return true;
  }
  return false;
}

/// The spellings that go on with this character.
std::optional<PieceMask::State> PieceMask::Narrowed(const State& state, char c) const {
  const auto at = [&](const Spelling& spelling) {
    const bool ends = spelling.text.size() == state.depth;
    return ends ? -1 : static_cast<unsigned char>(spelling.text[state.depth]);
  };
  const auto begin = spellings_.begin();
  const auto range =
      std::ranges::equal_range(begin + static_cast<std::ptrdiff_t>(state.low),
                               begin + static_cast<std::ptrdiff_t>(state.high),
                               static_cast<int>(static_cast<unsigned char>(c)), {}, at);
  if (range.empty()) return std::nullopt;
  return State{state.node, static_cast<std::size_t>(range.begin() - begin),
               static_cast<std::size_t>(range.end() - begin), state.depth + 1, false};
}

/// Whether ReadCanonical takes the character into the same token: the longest number, word, sign.
bool PieceMask::MustGoOn(const State& state, char c) const {
  const char first = spellings_[state.low].text.front();
  if (IsDigit(first) || first == '.') return IsDigit(c) || c == '.';
  if (IsLetter(first) || first == '?') return IsLetter(c) || IsDigit(c);
  return Narrowed(state, c).has_value();
}

/// The token that the bytes so far spell, taken.
std::optional<PieceMask::State> PieceMask::Completed(const State& state) const {
  if (state.depth == 0) return state;
  const Spelling& spelling = spellings_[state.low];
  if (spelling.text.size() != state.depth) return std::nullopt;
  std::shared_ptr<Node>& next = state.node->next[spelling.token];
  if (!next) {
    auto node =
        std::make_shared<Node>(Node{state.node->grammar, state.node->taken, std::nullopt, {}});
    if (!node->grammar.Advance(spelling.token)) return std::nullopt;
    node->taken.push_back(spelling.token);
    next = std::move(node);
  }
  return State{next, 0, spellings_.size(), 0, false};
}

std::optional<PieceMask::State> PieceMask::Step(const State& state, char c) const {
  if (state.depth > 0 && MustGoOn(state, c)) {
    std::optional<State> next = Narrowed(state, c);
    return next && IsUseful(*next) ? next : std::nullopt;
  }
  if (c == '\n') return Ended(state);
  std::optional<State> whole = Completed(state);
  if (!whole) return std::nullopt;
  if (c == ' ') {
    if (whole->after_blank && !whole->node->grammar.finished()) return std::nullopt;
    whole->after_blank = true;
    return whole;
  }
  if (whole->node->grammar.finished()) return std::nullopt;
  std::optional<State> next = Narrowed(*whole, c);
  return next && IsUseful(*next) ? next : std::nullopt;
}

/// The program ended here, if it is one: kEnd taken unless "=" has been written.
std::optional<PieceMask::State> PieceMask::Ended(const State& state) const {
  std::optional<State> whole = Completed(state);
  if (!whole || whole->node->grammar.finished()) return whole;
  State equals = *Narrowed(*whole, '=');
  return Completed(equals);
}

/// A model that means "==" writes it as one piece if there is one: "=" is then the end.
PieceMask::State PieceMask::EndedAtEquals(State state) const {
  if (state.depth != 1 || spellings_[state.low].token != Token::kEnd) return state;
  const bool may_be_equality = AllowedAt(*state.node)[Id(Token::kEqual)];
  if (may_be_equality && !pieces_.has_equality()) return state;
  return Completed(state).value_or(state);
}

/// Entries low to high - 1 agree in their first `depth` bytes, which led to `state`.
void PieceMask::Walk(std::size_t low, std::size_t high, std::size_t depth, const State& state,
                     std::vector<llm::Token>& ids) const {
  const auto& entries = pieces_.entries();
  for (; low < high && entries[low].text.size() == depth; ++low) ids.push_back(entries[low].id);
  while (low < high) {
    const char c = entries[low].text[depth];
    const auto end = std::partition_point(
        entries.begin() + static_cast<std::ptrdiff_t>(low),
        entries.begin() + static_cast<std::ptrdiff_t>(high), [&](const auto& entry) {
          return static_cast<unsigned char>(entry.text[depth]) <= static_cast<unsigned char>(c);
        });
    const auto next_low = static_cast<std::size_t>(end - entries.begin());
    if (const auto next = Step(state, c)) Walk(low, next_low, depth + 1, *next, ids);
    low = next_low;
  }
}

std::vector<llm::Token> PieceMask::Allowed() const {
  std::vector<llm::Token> ids;
  if (finished()) return ids;
  Walk(0, pieces_.entries().size(), 0, state_, ids);
  if (Ended(state_)) ids.insert(ids.end(), pieces_.stop().begin(), pieces_.stop().end());
  return ids;
}

bool PieceMask::Advance(llm::Token id) {
  if (finished()) return false;
  std::optional<State> state = state_;
  const std::string* text = pieces_.Find(id);
  if (text != nullptr) {
    for (std::size_t i = 0; state && i < text->size(); ++i) state = Step(*state, (*text)[i]);
    if (state) state = EndedAtEquals(*std::move(state));
  } else {
    const bool stops = std::ranges::find(pieces_.stop(), id) != pieces_.stop().end();
    state = stops ? Ended(*state) : std::nullopt;
  }
  if (!state) return false;
  if (text != nullptr) text_ += *text;
  state_ = *std::move(state);
  return true;
}

}  // namespace txvm::frontends::nl
