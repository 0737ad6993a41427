#include "tests/frontends/wat/compare_text.h"

#include <array>
#include <cstdint>
#include <vector>

#include "frontends/wasm/reader.h"
#include "frontends/wat/reader.h"
#include "tests/frontends/wasm/compare_modules.h"
#include "tests/frontends/wasm/wabt_text.h"

namespace txvm::tests {
namespace {

using frontends::wat::Function, frontends::wat::Instr, frontends::wat::Module;

struct Known {
  std::string_view own, wabt, text, why;
};
constexpr auto kKnown = std::to_array<Known>({
#define KNOWN(own, wabt, text, why) {own, wabt, text, why},
#include "tests/frontends/wat/known_text_differences.def"
#undef KNOWN
});

void ForgetPlaces(Module& module) {
  for (Function& function : module.functions) {
    function.place = 0;
    for (Instr& instr : function.body) instr.place = 0;
  }
}

std::string BinaryDifference(const std::vector<std::uint8_t>& own,
                             const std::vector<std::uint8_t>& wabt) {
  auto a = frontends::wasm::ReadModule(own, "m");
  auto b = frontends::wasm::ReadModule(wabt, "m");
  if (!a) return "the own bytes: " + a.error().message;
  if (!b) return "WABT's bytes: " + b.error().message;
  ForgetPlaces(*a);
  ForgetPlaces(*b);
  return Difference(*a, *b);
}

}  // namespace

TextComparison CompareText(std::string_view text) {
  TextComparison out;
  const auto own = frontends::wat::ReadText(text, "m");
  const auto wabt = frontends::wat::ReadTextWithWabt(text, "m");
  out.own = own ? "accepted" : own.error().message;
  out.wabt = wabt ? "accepted" : wabt.error().message;
  if (!own) return out;
  const auto own_bytes = frontends::wat::EncodeText(text, "m");
  if (!wabt) {
    out.is_newer =
        own_bytes && !frontends::wasm::ReadModule(*own_bytes, "m", {.is_version_2 = true});
    return out;
  }
  const auto wabt_bytes = frontends::wat::EncodeWithWabt(text);
  out.is_same_bytes = own_bytes && *own_bytes == wabt_bytes;
  out.wabt = out.is_same_bytes ? std::string()
             : own_bytes       ? BinaryDifference(*own_bytes, wabt_bytes)
                               : "no bytes";
  return out;
}

bool IsKnownTextDifference(const TextComparison& comparison, std::string_view text) {
  if (comparison.is_newer) return true;  // WABT is asked to read 2.0
  for (const Known& known : kKnown) {
    if (comparison.own.starts_with(known.own) &&
        comparison.wabt.find(known.wabt) != std::string::npos &&
        text.find(known.text) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace txvm::tests
