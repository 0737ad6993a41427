// What is known of the words on top of the stack as flags: enough to see that of
// `push 1 swap 1 skiz call then skiz call else` exactly one arm runs.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// The upper words of a stack, each as far as a branch can tell: 0, 1, not 0, or tied to another of
/// them. Two windows that say the same are equal. Plain data.
class FlagWindow {
 public:
  static constexpr std::size_t kWords = 6;

  enum class Kind : std::uint8_t {
    kAny,      // nothing is known
    kZero,     // 0
    kOne,      // 1
    kNonZero,  // not 0
    kTied,     // 0 exactly where all words tied to the same number are 0
    kOpposed,  // 1 where the words tied to the number are 0, else 0
  };
  struct Word {
    Kind kind = Kind::kAny;
    std::uint8_t tie = 0;  // of kTied and kOpposed
    auto operator<=>(const Word&) const = default;
  };

  auto operator<=>(const FlagWindow&) const = default;

  /// The window after a straight instruction that does not crash.
  FlagWindow After(const TasmInstruction& instruction) const;
  /// The window after a skiz that goes on at the next instruction (`taken`) or the one after that;
  /// nullopt where the word on top rules that out.
  std::optional<FlagWindow> AfterSkiz(bool taken) const;

 private:
  static constexpr std::uint8_t kFreshTie = kWords + 1;  // numbers of a window are below

  void Drop(std::size_t n);
  void Push(Word word);
  Word At(std::size_t i) const { return i < kWords ? words_[i] : Word{}; }
  void Resolve(Word word, bool non_zero);
  void Move(const TasmInstruction& instruction);
  void Normalize();
  static Word Equal(Word a, Word b);

  std::array<Word, kWords> words_{};  // the top first
};

}  // namespace txvm::triton
