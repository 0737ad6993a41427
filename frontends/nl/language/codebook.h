// The original code book as an encoding of small canonical programs: a sequence of codes and up to
// four numbers stand for a WebAssembly body. docs/CANONICAL.md lists what was wrong with it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/code.h"
#include "frontends/nl/numbers/number.h"
#include "isa/support/result.h"

namespace txvm::frontends::nl {

enum class IrCode : std::uint8_t {
#define TXVM_IR(code, Name, what) k##Name = code,
#include "frontends/nl/language/codebook.def"
#undef TXVM_IR
};

inline constexpr std::size_t kCodebookSize = 64;
inline constexpr std::size_t kIrSlots = 4;  // numbers a sequence can name

/// "SLOT_0", "I32_ADD", ... as the row's Name; empty for a code without a name.
std::string_view IrName(std::uint8_t code);

/// The codes of a program, kStart first and kEnd last: arithmetic, comparisons, negatives and
/// magnitudes of N0..N3 and the constants 0, 1, 2 and 10; two temporaries; one choice, or one range
/// with plain bounds, as the whole program.
/// Errors: kUnsupported for what the code book cannot say, or what needs more than words.
isa::Result<std::vector<std::uint8_t>> EncodeIr(const Ast& ast, std::span<const Rational> numbers);

/// A body and the locals it uses.
struct IrBody {
  Code code;
  std::uint32_t locals = 0;
};

/// The body that codes stand for. Its arithmetic is that of i32.
/// Errors: kInvalid, with the position: an unknown code, a missing kStart or kEnd, a slot without a
/// number, a branch outside a loop, an end that closes nothing, something left open. That the
/// operands are there is for WebAssembly's validation to say.
isa::Result<IrBody> DecodeIr(std::span<const std::uint8_t> codes,
                             std::span<const std::int32_t> numbers);

/// The body as a module that exports "compute".
Bytes IrModule(IrBody body);

}  // namespace txvm::frontends::nl
