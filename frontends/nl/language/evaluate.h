// Canonical programs run: lower, load, call, read the answer or why there is none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/lower.h"
#include "frontends/nl/numbers/number.h"
#include "isa/support/result.h"
#include "vm/machine.h"

namespace txvm::frontends::nl {

inline constexpr std::uint64_t kDefaultFuel = 1'000'000'000;  // steps

enum class RefusalKind : std::uint8_t {
#define TXVM_REFUSAL(Name, number, reason) k##Name = number,
#include "frontends/nl/language/refusals.def"
#undef TXVM_REFUSAL
};
std::string_view RefusalReason(RefusalKind kind);

/// Why there is no answer.
struct Refusal {
  RefusalKind kind = RefusalKind::kNone;
  std::uint32_t token = 0;  // of the program: the operation it is about
  std::string text;         // one sentence with the operation, its values and the limit
  vm::InterruptReason interrupt = vm::InterruptReason::kNone;  // of kInterrupted
};

/// What came of a run. Exactly one of value and refusal is there.
struct Answer {
  std::optional<Rational> value;
  std::optional<Refusal> refusal;
  bool wide = false;
  std::uint64_t steps = 0;
  double seconds = 0;  // of the run alone
};

struct EvaluateOptions {
  vm::EngineKind engine = vm::EngineKind::kAttention;
  std::uint64_t fuel = kDefaultFuel;
  LowerOptions lower;
  /// Handed the machine before its run, so that a caller can interrupt it, and told when the run is
  /// over, before the machine is gone; may be empty.
  std::function<void(vm::Machine&)> started;
  std::function<void()> ended;
};

/// Runs a program with its numbers. Exact: the answer is the mathematical value, or a refusal.
/// A range whose terms alone exceed the fuel is refused without running; a run that is interrupted
/// is refused as kInterrupted. Errors: those of Lower; kInternal for what should not happen.
isa::Result<Answer> Evaluate(const Ast& ast, std::span<const Rational> numbers,
                             const EvaluateOptions& options = {});

/// The answer, or the refusal, that a stopped wide program left in its memory; `memory` holds
/// at least one page. Used by Evaluate and, for other runtimes, by tests.
Answer ReadWide(const Ast& ast, const Lowered& lowered, bool trapped,
                std::span<const std::uint8_t> memory);

}  // namespace txvm::frontends::nl
