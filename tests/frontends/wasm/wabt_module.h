// The steps between WABT's form of a module and txvm's, for the oracles.
#pragma once

#include <wabt/error.h>
#include <wabt/feature.h>
#include <wabt/ir.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/wasm/module.h"
#include "isa/support/result.h"
#include "tests/frontends/wasm/wabt_guard.h"

namespace txvm::frontends::wat {

/// The first of WABT's errors as one of ours. `text` is ignored for binary modules.
isa::Error FirstError(isa::ErrorCode code, const wabt::Errors& errors, std::string_view text,
                      std::string_view file, bool is_text);

/// Tries `read` in a child process when its source is risky or so large that a hostile one could
/// keep WABT busy for minutes (some of its steps are quadratic). Errors: kSyntax when the child
/// died, kLimit when it took too long, kHost when it was killed or could not be made.
isa::Result<void> TryFirst(TextRisk risk, std::size_t size, std::string_view file,
                           const std::function<void()>& read);

/// Validates a module and hands it over. Errors: kInvalid, kLimit (locals, values).
isa::Result<Module> ConvertModule(const wabt::Module& source, std::string_view text,
                                  std::string_view file, bool is_text);

/// What the text format may use: WABT's defaults, tail calls and extended constant expressions.
wabt::Features TextFeatures();

ValueType ConvertType(wabt::Type type);

/// The signatures of a module, each once, so that equal indices mean equal types.
class SignatureTable {
 public:
  explicit SignatureTable(std::vector<Signature>& signatures) : signatures_(signatures) {}
  std::uint32_t Intern(const wabt::FuncSignature& signature);

 private:
  using Key = std::pair<std::vector<ValueType>, std::vector<ValueType>>;
  std::vector<Signature>& signatures_;
  std::map<Key, std::uint32_t> indices_;
};

/// The names of instructions txvm lacks, each once.
class UnsupportedTable {
 public:
  explicit UnsupportedTable(std::vector<std::string>& names) : names_(names) {}
  std::uint32_t Intern(std::string_view name);

 private:
  std::vector<std::string>& names_;
  std::map<std::string, std::uint32_t, std::less<>> indices_;
};

/// What reading a body needs of its module.
struct BodyContext {
  const wabt::Module& source;
  SignatureTable& signatures;
  UnsupportedTable& unsupported;
  /// The index of a function of bulk_helpers.wat.
  std::function<std::uint32_t(std::string_view)> helper;
  bool is_text = true;
};

/// What makes a body invalid that WABT's validator lets pass.
struct BodyFault {
  wabt::Location loc;
  std::string message;
};

/// Flattens a function's expressions into out.body and out.labels, up to the first fault. No
/// recursion.
std::optional<BodyFault> ConvertBody(const wabt::Func& source, const BodyContext& context,
                                     Function& out);

/// The bits of a constant; 0 of one that is no number.
std::uint64_t BitsOf(const wabt::Const& value);

/// The words of a v128, the lowest lane first. REQUIRES: it is one.
std::array<std::uint32_t, 4> VectorOf(const wabt::Const& value);

/// The low and the high word of 64 bits.
struct WordPair {
  std::uint32_t low = 0, high = 0;
};
constexpr WordPair WordsOf(std::uint64_t value) {
  constexpr int kWordBits = 32;
  return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> kWordBits)};
}

/// Line or byte offset of a place.
std::uint32_t PlaceOf(const wabt::Location& loc, bool is_text);

}  // namespace txvm::frontends::wat
