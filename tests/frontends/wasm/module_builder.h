// Writes binary modules byte by byte, for tests that need what no text can say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace txvm::tests {

using Bytes = std::vector<std::uint8_t>;

/// Appends a number in LEB128.
inline void AppendLeb(Bytes& out, std::uint64_t value) {
  do {
    const auto low = static_cast<std::uint8_t>(value & 0x7F);
    value >>= 7;
    out.push_back(value == 0 ? low : low | 0x80);
  } while (value != 0);
}

inline void Append(Bytes& out, const Bytes& more) {
  out.insert(out.end(), more.begin(), more.end());
}

/// `piece` so many times.
inline Bytes Repeat(const Bytes& piece, std::size_t times) {
  Bytes out;
  out.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) Append(out, piece);
  return out;
}

/// A count, and what it counts.
inline Bytes Counted(std::uint64_t count, const Bytes& items) {
  Bytes out;
  AppendLeb(out, count);
  Append(out, items);
  return out;
}

/// A module of the sections given so far.
class ModuleBuilder {
 public:
  ModuleBuilder& Section(std::uint8_t id, const Bytes& content) {
    bytes_.push_back(id);
    AppendLeb(bytes_, content.size());
    Append(bytes_, content);
    return *this;
  }
  /// A custom section.
  ModuleBuilder& Custom(std::string_view name, const Bytes& content) {
    Bytes section = Counted(name.size(), Bytes(name.begin(), name.end()));
    Append(section, content);
    return Section(0, section);
  }
  /// One type [] -> [], and functions of it.
  ModuleBuilder& Functions(std::size_t count) {
    Section(1, {1, 0x60, 0, 0});
    return Section(3, Counted(count, Bytes(count)));
  }
  /// The code section of functions with the same body: locals, instructions, end.
  ModuleBuilder& Code(std::size_t count, const Bytes& body) {
    return Section(10, Counted(count, Repeat(Counted(body.size(), body), count)));
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_ = {0, 'a', 's', 'm', 1, 0, 0, 0};
};

/// A module whose one function has these instructions between its locals (none) and its end.
inline Bytes WithCode(const Bytes& code) {
  Bytes body = {0};
  Append(body, code);
  body.push_back(0x0B);
  return ModuleBuilder().Functions(1).Code(1, body).bytes();
}

}  // namespace txvm::tests
