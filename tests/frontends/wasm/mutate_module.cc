#include "tests/frontends/wasm/mutate_module.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace txvm::tests {
namespace {

using Bytes = std::vector<std::uint8_t>;
using support::Random;

constexpr std::size_t kHeaderBytes = 8;
constexpr std::uint8_t kCodeId = 10;

struct Section {
  std::uint8_t id = 0;
  Bytes content;
};

void AppendLeb(Bytes& out, std::uint64_t value) {
  do {
    const auto low = static_cast<std::uint8_t>(value & 0x7F);
    value >>= 7;
    out.push_back(value == 0 ? low : low | 0x80);
  } while (value != 0);
}

/// The number at `at`, which moves beyond it; nullopt at the end.
std::optional<std::uint32_t> ReadLeb(const Bytes& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 35 && at < bytes.size(); shift += 7) {
    const std::uint8_t byte = bytes[at++];
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return static_cast<std::uint32_t>(value);
  }
  return std::nullopt;
}

/// The sections of a module that is well formed; what cannot be read is left out.
std::vector<Section> Split(const Bytes& bytes) {
  std::vector<Section> sections;
  std::size_t at = kHeaderBytes;
  while (at < bytes.size()) {
    Section section;
    section.id = bytes[at++];
    const auto size = ReadLeb(bytes, at);
    if (!size || *size > bytes.size() - at) break;
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    section.content.assign(first, first + *size);
    at += *size;
    sections.push_back(std::move(section));
  }
  return sections;
}

/// The bodies of a code section.
std::vector<Bytes> SplitBodies(const Bytes& content) {
  std::vector<Bytes> bodies;
  std::size_t at = 0;
  const auto count = ReadLeb(content, at);
  for (std::uint32_t i = 0; count && i < *count; ++i) {
    const auto size = ReadLeb(content, at);
    if (!size || *size > content.size() - at) break;
    const auto first = content.begin() + static_cast<std::ptrdiff_t>(at);
    bodies.emplace_back(first, first + *size);
    at += *size;
  }
  return bodies;
}

std::size_t Place(Random& random, std::size_t size) {
  return random.Below(static_cast<std::uint32_t>(size));
}

/// A byte that means something somewhere.
std::uint8_t InterestingByte(Random& random) {
  switch (random.Below(4)) {
    case 0:
      return static_cast<std::uint8_t>(random.Below(256));
    case 1:  // types and forms
      return random.OneOf<std::uint8_t>(
          {0x7F, 0x7E, 0x7D, 0x7C, 0x7B, 0x70, 0x6F, 0x60, 0x40, 0x00, 0x01, 0x80, 0xFF});
    case 2:  // control
      return random.OneOf<std::uint8_t>({0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x0B, 0x0C, 0x0D, 0x0E,
                                         0x0F, 0x10, 0x11, 0x1A, 0x1B, 0x1C, 0x20, 0x21, 0x22});
    default:
      return static_cast<std::uint8_t>(random.Below(8));
  }
}

Bytes Instruction(Random& random) {
  switch (random.Below(8)) {
    case 0:  // memory and references
      return {random.OneOf<std::uint8_t>({0x25, 0x26, 0x3F, 0x40, 0xD0, 0xD1, 0xD2}),
              InterestingByte(random)};
    case 1:
      return {0xFC, static_cast<std::uint8_t>(random.Below(20)),
              static_cast<std::uint8_t>(random.Below(3)),
              static_cast<std::uint8_t>(random.Below(3))};
    case 2: {  // vectors
      Bytes out = {0xFD};
      AppendLeb(out, random.Below(0x120));
      for (std::uint32_t i = random.Below(4); i > 0; --i) {
        out.push_back(static_cast<std::uint8_t>(random.Below(5)));
      }
      return out;
    }
    case 3:
      return {static_cast<std::uint8_t>(random.Between(0x28, 0x3E)),
              static_cast<std::uint8_t>(random.Below(5)),
              static_cast<std::uint8_t>(random.Below(256))};
    case 4:
      return {0x41, static_cast<std::uint8_t>(random.Below(256))};
    case 5:
      return {static_cast<std::uint8_t>(random.Between(0x45, 0xC4))};
    case 6:
      return {random.OneOf<std::uint8_t>({0x00, 0x01, 0x0B, 0x0F, 0x1A, 0x1B, 0x05})};
    default:
      return {random.OneOf<std::uint8_t>({0x0C, 0x0D, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24}),
              static_cast<std::uint8_t>(random.Below(6))};
  }
}

/// Writes the number at `at` in more bytes than it needs, or too many, or a larger one.
void EditLeb(Bytes& bytes, std::size_t at, Random& random) {
  std::size_t end = at;
  const std::uint32_t value = ReadLeb(bytes, end).value_or(0);
  Bytes leb;
  if (random.OneIn(2)) {
    AppendLeb(leb, random.InterestingWord());
  } else {
    AppendLeb(leb, value);
    for (std::uint32_t i = random.Below(10); i > 0; --i) {
      leb.back() |= 0x80;
      leb.push_back(random.OneIn(8) ? static_cast<std::uint8_t>(random.Below(128))
                                    : std::uint8_t{0});
    }
  }
  bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at),
              bytes.begin() + static_cast<std::ptrdiff_t>(std::max(end, at)));
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), leb.begin(), leb.end());
}

void EditBytes(Bytes& bytes, Random& random) {
  if (bytes.empty()) return bytes.push_back(InterestingByte(random));
  const std::size_t at = Place(random, bytes.size());
  const auto here = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random.Below(7)) {
    case 0:
      bytes[at] ^= static_cast<std::uint8_t>(1u << random.Below(8));
      return;
    case 1:
      bytes[at] = InterestingByte(random);
      return;
    case 2:
      bytes.insert(here, InterestingByte(random));
      return;
    case 3:
      bytes.erase(here);
      return;
    case 4:
      return EditLeb(bytes, at, random);
    case 5: {
      const Bytes instruction = Instruction(random);
      bytes.insert(here, instruction.begin(), instruction.end());
      return;
    }
    default: {
      const Bytes instruction = Instruction(random);
      for (std::size_t i = 0; i < instruction.size() && at + i < bytes.size(); ++i) {
        bytes[at + i] = instruction[i];
      }
    }
  }
}

void EditCode(Bytes& content, Random& random) {
  std::vector<Bytes> bodies = SplitBodies(content);
  if (bodies.empty()) return EditBytes(content, random);
  Bytes& body = bodies[Place(random, bodies.size())];
  if (random.OneIn(8)) {
    body = bodies[Place(random, bodies.size())];
  } else {
    EditBytes(body, random);
  }
  content.clear();
  AppendLeb(content, bodies.size());
  for (const Bytes& each : bodies) {
    AppendLeb(content, each.size());
    content.insert(content.end(), each.begin(), each.end());
  }
}

void EditSections(std::vector<Section>& sections, Random& random) {
  if (sections.empty()) return;
  const std::size_t at = Place(random, sections.size());
  const auto here = sections.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random.Below(32)) {
    case 0:
      std::swap(sections[at], sections[Place(random, sections.size())]);
      return;
    case 1:
      sections.insert(here, Section(sections[at]));
      return;
    case 2:
      sections.erase(here);
      return;
    case 3:
      sections[at].id = static_cast<std::uint8_t>(random.Below(15));
      return;
    case 4:
      sections.insert(here, {12, {static_cast<std::uint8_t>(random.Below(3))}});
      return;
    default:
      if (sections[at].id == kCodeId) return EditCode(sections[at].content, random);
      return EditBytes(sections[at].content, random);
  }
}

}  // namespace

std::vector<std::uint8_t> MutateModule(const std::vector<std::uint8_t>& seed,
                                       support::Random& random) {
  Bytes out = seed;
  const std::uint32_t faults = random.OneIn(2) ? 1 : random.Between(2, 4);
  if (random.OneIn(12) || seed.size() < kHeaderBytes) {  // no size is mended
    for (std::uint32_t i = 0; i < faults; ++i) EditBytes(out, random);
    if (random.OneIn(4)) out.resize(Place(random, out.size() + 1));
    return out;
  }
  std::vector<Section> sections = Split(seed);
  for (std::uint32_t i = 0; i < faults; ++i) EditSections(sections, random);
  out.resize(kHeaderBytes);
  for (const Section& section : sections) {
    out.push_back(section.id);
    AppendLeb(out, section.content.size());
    out.insert(out.end(), section.content.begin(), section.content.end());
  }
  return out;
}

}  // namespace txvm::tests
