#include "frontends/screen/picture.h"

#include <fmt/format.h>

#include "isa/support/random.h"

namespace txvm::frontends::screen {

std::uint64_t HashPicture(const Picture& picture) {
  constexpr std::uint64_t kBasis = 0xcbf29ce484222325, kPrime = 0x100000001b3;
  std::uint64_t hash = kBasis;
  hash = (hash ^ picture.width) * kPrime;
  hash = (hash ^ picture.height) * kPrime;
  for (const std::uint32_t pixel : picture.pixels) hash = (hash ^ pixel) * kPrime;
  return hash;
}

std::uint64_t HashFilm(std::uint64_t before, std::uint64_t frame) {
  return isa::MixBits(before + frame);
}

std::string HashText(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

}  // namespace txvm::frontends::screen
