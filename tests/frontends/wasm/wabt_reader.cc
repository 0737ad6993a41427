#include "tests/frontends/wasm/wabt_reader.h"

#include <wabt/binary-reader-ir.h>
#include <wabt/binary-reader.h>
#include <wabt/ir.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/frontends/wasm/large_stack.h"
#include "tests/frontends/wasm/wabt_guard.h"
#include "tests/frontends/wasm/wabt_module.h"

namespace txvm::tests {
namespace {

using frontends::wat::BinaryPlaces, frontends::wat::Function, frontends::wat::Instr,
    frontends::wat::Module;
using isa::Result;

Result<std::unique_ptr<wabt::Module>> ReadBytes(std::span<const std::uint8_t> bytes,
                                                std::string_view file) {
  auto module = std::make_unique<wabt::Module>();
  wabt::Errors errors;
  wabt::ReadBinaryOptions options;
  options.read_debug_names = true;
  const std::string name(file);
  if (wabt::Failed(wabt::ReadBinaryIr(name.c_str(), bytes.data(), bytes.size(), options, &errors,
                                      module.get()))) {
    return std::unexpected(
        frontends::wat::FirstError(isa::ErrorCode::kSyntax, errors, {}, file, /*is_text=*/false));
  }
  return module;
}

// WebAssembly says that a fault in a custom section is no fault of the module. WABT can be told so,
// but still refuses some, and keeps half of what it read. Under names that it does not know, it
// skips them all.
Result<std::unique_ptr<wabt::Module>> ReadBinaryModule(std::span<const std::uint8_t> bytes,
                                                       const BinaryPlaces& places,
                                                       std::string_view file) {
  constexpr std::uint8_t kUnknownName = '?', kFirstOfMany = 0x80;  // bytes of a UTF-8 letter
  auto module = ReadBytes(bytes, file);
  if (module || places.custom_names.empty()) return module;
  std::vector<std::uint8_t> masked(bytes.begin(), bytes.end());
  for (const std::uint32_t at : places.custom_names) {
    if (masked[at] < kFirstOfMany) masked[at] = kUnknownName;
  }
  return ReadBytes(masked, file);
}

/// WABT places an instruction of a binary module where it ends.
void PlaceAtStarts(const std::vector<std::uint32_t>& starts, Module& module) {
  for (Function& function : module.functions) {
    for (Instr& instr : function.body) {
      const auto next = std::ranges::lower_bound(starts, instr.place);
      if (next != starts.begin()) instr.place = *std::prev(next);
    }
  }
}

Result<Module> ReadHere(std::span<const std::uint8_t> bytes, std::string_view file) {
  TXVM_TRY(const BinaryPlaces places, frontends::wat::GuardBinary(bytes, file));
  TXVM_TRY(const auto module, ReadBinaryModule(bytes, places, file));
  TXVM_TRY(Module out, frontends::wat::ConvertModule(*module, {}, file, /*is_text=*/false));
  PlaceAtStarts(places.instructions, out);
  return out;
}

}  // namespace

Result<Module> ReadWithWabt(std::span<const std::uint8_t> bytes, std::string_view file) {
  return frontends::wat::OnLargeStack([&] { return ReadHere(bytes, file); });
}

}  // namespace txvm::tests
