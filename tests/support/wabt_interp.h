// WABT's interpreter as an oracle. Plain C++17: WABT's interpreter headers compile as nothing
// newer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace txvm::tests {

/// The binary form of a module in text form; empty when it does not parse.
std::vector<std::uint8_t> WabtBinary(const std::string& text);

/// How a call ended.
struct WabtOutcome {
  bool trapped = false;
  std::string message;                 // WABT's words for the trap
  std::vector<std::uint32_t> results;  // words, first deepest; an i64 or f64 is two, low first
};

/// The word of a function that another instance defines.
inline constexpr std::uint32_t kOtherFunction = 0xFFFFFFFE;

/// An instance of a module. It may import env.mix (a, b -> 31a + b), env.pair (a -> a + 1, a ^ 5)
/// and env.turn (f64 f32 i64 -> i64 f32 f64, its arguments in reverse).
/// References are words here: 0 is null, a function its index in the instance plus one, and any
/// other number an externref of its own.
class WabtInstance {
 public:
  /// Instantiates and runs the start function. Never null; ok() says whether it worked. What is
  /// imported from m0, m1, ... are exports of `earlier`, which must be ok().
  static std::unique_ptr<WabtInstance> Load(
      const std::vector<std::uint8_t>& binary,
      const std::vector<std::unique_ptr<WabtInstance>>& earlier = {});
  ~WabtInstance();

  bool ok() const;
  /// Why it is not ok: the message of a trap in the start function, or what is wrong with the
  /// module.
  const std::string& error() const;

  /// Calls an exported function, with the words of its arguments. REQUIRES: ok(), the
  /// export exists and takes args.size() words.
  WabtOutcome Call(const std::string& name, const std::vector<std::uint32_t>& args);
  /// The bits of an exported global, or its word. REQUIRES: it is no v128.
  std::uint64_t Global(const std::string& name);
  /// The words of an exported global, low first.
  std::vector<std::uint32_t> GlobalWords(const std::string& name);
  /// The exported memory's bytes, valid until the next call. nullptr when there is none.
  const std::uint8_t* MemoryData();
  std::size_t MemorySize();

 private:
  struct Impl;
  WabtInstance();
  std::unique_ptr<Impl> impl_;
};

}  // namespace txvm::tests
