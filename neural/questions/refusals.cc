#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "neural/questions/draft.h"

// Questions that cannot be answered, put together of parts (rules_refusals*.def): how one asks,
// what the language has no operation for, what people talk about, stories with a gap, and what
// nobody can make out. The rules nest; every number is drawn where it stands.

namespace txvm::neural::questions {
namespace {

struct Shape {
  std::string_view abstention, rule;
  unsigned weight;
};
// Of 1000: 340 unsupported, 260 unclear, 240 chat, 160 missing.
constexpr std::array kShapes = {Shape{"?unsupported", "refused_of_phrase", 110},
                                Shape{"?unsupported", "refused_of_order", 70},
                                Shape{"?unsupported", "refused_of_question", 40},
                                Shape{"?unsupported", "refused_of_data", 36},
                                Shape{"?unsupported", "refused_of_units", 24},
                                Shape{"?unsupported", "refused_of_calendar", 18},
                                Shape{"?unclear", "unclear_of_reference", 50},
                                Shape{"?unclear", "unclear_of_work", 50},
                                Shape{"?unclear", "unclear_of_fragment", 48},
                                Shape{"?unclear", "unclear_of_story", 34},
                                Shape{"?chat", "chat_of_topic", 60},
                                Shape{"?chat", "chat_of_writing", 34},
                                Shape{"?chat", "chat_of_fact", 30},
                                Shape{"?chat", "chat_of_words", 34},
                                Shape{"?missing", "missing_of_change", 58},
                                Shape{"?missing", "missing_of_operand", 50},
                                Shape{"?unsupported", "refused_of_shape", 24},
                                Shape{"?unsupported", "refused_of_chance", 18},
                                Shape{"?unclear", "unclear_of_cut", 42},
                                Shape{"?unclear", "unclear_of_clash", 36},
                                Shape{"?chat", "chat_of_scene", 50},
                                Shape{"?chat", "chat_of_number", 32},
                                Shape{"?missing", "missing_of_part", 52}};
constexpr std::size_t kSeenShapes = 16;

class Refuser {
 public:
  explicit Refuser(const Workshop& workshop) : workshop_(workshop), random_(workshop.random) {}

  Draft Make() {
    const Shape& shape =
        random_.PickByWeight(workshop_.OfSplit(std::span<const Shape>(kShapes), kSeenShapes));
    const std::string_view text = workshop_.PickText(shape.rule);
    Number(workshop_.expander.Expand(text));
    draft_.abstention = shape.abstention;
    draft_.schema =
        kFirstComposition + static_cast<int>(HashText(shape.rule) % kCompositionSchemas);
    constexpr int kPhrasings = 400;  // behind those of bare numbers
    draft_.phrasing = kFirstComposition + kPhrasings + static_cast<int>(&shape - kShapes.data());
    return std::move(draft_);
  }

 private:
  /// Puts numbers where %n and its like stand.
  void Number(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '%') {
        draft_.marked += text[at];
      } else if (const char kind = text[++at]; kind == 'l' || kind == 'L') {
        PutList(kind == 'l');
      } else {
        Put(kind);
      }
    }
  }

  /// %d money; %n an integer of any size, %v any number; %< one below that before it, if any;
  /// otherwise a class (numbers.h).
  void Put(char kind) {
    constexpr std::string_view kWhole = "mmmmmmttllh", kAny = "mmmmmtllzee", kMoney = "dmtl";
    const std::size_t variable = draft_.next_variable++;
    char of_class = kind;
    if (kind == '<') {
      of_class = 'm';
      if (variable > 0) {
        draft_.specification.Add(std::string(1, Letter(variable)) + " < " + Letter(variable - 1));
      }
    } else if (kind == 'n') {
      of_class = random_.Pick(std::span<const char>(kWhole));
    } else if (kind == 'v') {
      of_class = random_.Pick(std::span<const char>(kAny));
    } else if (kind == 'd') {
      of_class = random_.Pick(std::span<const char>(kMoney));
    }
    draft_.specification.classes[variable] = of_class;
    draft_.marked += kind == 'd' ? kMoneyMark : kNumberMark;
    draft_.marked += static_cast<char>('0' + variable);
  }
  static char Letter(std::size_t variable) { return static_cast<char>('a' + variable); }

  void PutList(bool may_be_fraction) {
    constexpr std::int64_t kFewest = 3, kMost = 7;
    constexpr std::string_view kIntegers = "mmmtl", kClasses = "mmmtze";
    const char of_class =
        random_.Pick(std::span<const char>(may_be_fraction ? kClasses : kIntegers));
    const auto length = random_.Between(kFewest, kMost);
    constexpr std::array<std::string_view, 3> kEnds = {", ", " and ", ", and "};
    const std::string_view end = random_.Pick(std::span<const std::string_view>(kEnds));
    for (std::int64_t i = 0; i < length; ++i) {
      if (i > 0) draft_.marked += i + 1 == length ? end : ", ";
      Put(of_class);
    }
  }

  const Workshop& workshop_;
  Random& random_;
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftRefusal(const Workshop& workshop) { return Refuser(workshop).Make(); }

}  // namespace txvm::neural::questions
