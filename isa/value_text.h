// Values as people write and read them, without loss: ValueText and ReadValue are inverse.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "isa/program.h"
#include "isa/support/result.h"
#include "isa/value_type.h"

namespace txvm::isa {

/// The value that all of `text` is; nullopt when it is none of this type or outside of its range.
///   integers  decimal or 0x hex, an optional sign; -2^31..2^32-1 or -2^63..2^64-1
///   floats    decimal (2.5, 1e-3, .5) or hex (0x1.8p3), an optional sign, rounded to the nearest
///             value, ties to even; one that rounds beyond the largest number is outside of the
///             range, one too small is 0. inf; nan (the quiet one), nan:0x1 (these mantissa bits,
///             not 0), each with an optional sign
///   vectors   their lanes, the lowest first: v128:i32x4:1,2,3,4; the shape may be i8x16, i16x8,
///             i32x4, i64x2, f32x4 or f64x2, and "v128:" may be missing
/// Cost O(text).
std::optional<Value> ReadValue(ValueType type, std::string_view text);

/// ReadValue of argument number `position` (from 1); kUsage names the position, the text, the type
/// and its range.
Result<Value> ParseValue(std::size_t position, ValueType type, std::string_view text);

/// An integer as a signed decimal. A float as the shortest decimal that reads back as the same
/// value, with an exponent where that is shorter: 0.1, -0, 100000, 1e+30, 5e-324; inf, -inf; nan,
/// -nan, and any other NaN with its mantissa bits, nan:0x200000. A vector as v128:i32x4: and four
/// signed decimals. Deterministic, without locale.
std::string ValueText(const Value& value);

/// "f(i64, f64) -> f32", "g() -> (i32, i32)", "h()". A function whose types are not known has
/// words: "k(word) -> word". The name is made safe to print; it may be empty.
std::string SignatureText(const Export& function);
/// The same for an import, named "module.name".
std::string SignatureText(const Import& function);

}  // namespace txvm::isa
