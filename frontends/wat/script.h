// A .wast script as a list of commands.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wasm/module.h"
#include "frontends/wat/wast.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// Which NaNs an expected float stands for.
enum class NanPattern : std::uint8_t {
  kNone,        // the value's own bits
  kCanonical,   // of its fraction, the top bit alone is set
  kArithmetic,  // of its fraction, the top bit is set
};

/// A value of a script. Those of an i32 or f32 are the low bits; a reference is 0 for null, else
/// what the script calls it plus one. An expected function that is not null stands for any.
struct ScriptValue {
  ValueType type = ValueType::kI32;
  std::uint64_t bits = 0;              // the two low words of a v128
  NanPattern nan = NanPattern::kNone;  // of an expected float
  std::uint64_t high = 0;              // the other two words of a v128
  // Of an expected v128 whose lanes are floats: f32 or f64, and what each lane is to be.
  ValueType lane_type = ValueType::kI32;
  std::array<NanPattern, 4> lane_nans = {};
};

inline constexpr std::uint64_t kAnyReference = ~std::uint64_t{0};  // (ref.func), (ref.extern)

/// Whether a value is what a script expects: of the same type, and the same bits or a NaN that fits
/// the pattern. A pattern takes either sign. `got` has no pattern.
bool Matches(const ScriptValue& expected, const ScriptValue& got);

/// (invoke $M "f" args) or (get $M "g").
struct ScriptAction {
  bool is_get = false;
  std::string module;  // its $name; empty: the latest module
  std::string name;
  std::vector<ScriptValue> args;
};

/// One command. Which members are meaningful depends on the kind.
struct ScriptCommand {
  WastKind kind = WastKind::kModule;
  bool is_register = false;  // then `name` is registered as `text`; not counted
  std::uint32_t line = 0;
  std::string name;                           // of a module, with '$'; may be empty
  std::optional<isa::Result<Module>> module;  // modules and the assertions about them
  ScriptAction action;                        // actions and the assertions about them
  std::vector<ScriptValue> expected;          // assert_return
  bool is_choice = false;                     // assert_return: any one of `expected` will do
  std::string text;                           // the trap or error the script names
};

/// Parses a script. The modules in it are read and validated; a module that is rejected is an error
/// inside its command, and so is one whose text is malformed. Values of types that the machine
/// lacks are of type kOther. Errors: kSyntax, kLimit.
isa::Result<std::vector<ScriptCommand>> ReadScript(std::string_view text, std::string_view file);

}  // namespace txvm::frontends::wat
