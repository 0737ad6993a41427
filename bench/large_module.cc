#include "bench/large_module.h"

#include <string>

namespace txvm::bench {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Types of functions, by index: (i32 i32) -> i32, (i64) -> i64, (f64 f64) -> f64, () -> ().
constexpr std::uint32_t kTypes = 4;

/// SplitMix64.
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : state_(seed) {}
  std::uint32_t Below(std::uint32_t count) {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return static_cast<std::uint32_t>((((z ^ (z >> 31)) >> 32) * count) >> 32);
  }

 private:
  std::uint64_t state_;
};

void AppendLeb(Bytes& out, std::uint64_t value) {
  do {
    const auto low = static_cast<std::uint8_t>(value & 0x7F);
    value >>= 7;
    out.push_back(value == 0 ? low : low | 0x80);
  } while (value != 0);
}

void AppendSigned(Bytes& out, std::int64_t value) {
  while (true) {
    const auto low = static_cast<std::uint8_t>(value & 0x7F);
    value >>= 7;
    if ((value == 0 && (low & 0x40) == 0) || (value == -1 && (low & 0x40) != 0)) {
      return out.push_back(low);
    }
    out.push_back(low | 0x80);
  }
}

void Append(Bytes& out, const Bytes& more) { out.insert(out.end(), more.begin(), more.end()); }

void AppendSection(Bytes& out, std::uint8_t id, const Bytes& content) {
  out.push_back(id);
  AppendLeb(out, content.size());
  Append(out, content);
}

/// Writes one body of statements that leave the stack as it was.
class BodyWriter {
 public:
  BodyWriter(std::uint32_t type, std::uint32_t functions, Stream& random)
      : functions_(functions), random_(random) {
    params_ = type == 1 ? 1 : type == 3 ? 0 : 2;
    // Locals beyond the parameters: 6 of i32, 3 of i64, 3 of f64.
    out_ = {3, 6, 0x7F, 3, 0x7E, 3, 0x7C};
    const std::uint32_t statements = 8 + random.Below(60);
    for (std::uint32_t i = 0; i < statements; ++i) Statement(0);
    constexpr std::uint32_t kWords = 0, kLongs = 6, kFloats = 9;
    if (type == 0) Get(kWords);
    if (type == 1) Get(kLongs);
    if (type == 2) Get(kFloats);
    out_.push_back(0x0B);
  }
  const Bytes& bytes() const { return out_; }

 private:
  void Get(std::uint32_t local) { Index(0x20, params_ + local); }
  void Set(std::uint32_t local) { Index(0x21, params_ + local); }
  void Index(std::uint8_t op, std::uint32_t index) {
    out_.push_back(op);
    AppendLeb(out_, index);
  }
  std::uint32_t Word() { return random_.Below(6); }
  std::uint32_t Long() { return 6 + random_.Below(3); }
  std::uint32_t Float() { return 9 + random_.Below(3); }
  void Const() {
    out_.push_back(0x41);
    AppendSigned(
        out_,
        static_cast<std::int32_t>(random_.Below(random_.Below(4) == 0 ? 1u << 20 : 128)) - 64);
  }
  void Access(std::uint8_t op, std::uint8_t alignment) {
    out_.push_back(op);
    out_.push_back(alignment);
    AppendLeb(out_, random_.Below(random_.Below(4) == 0 ? 70'000 : 64));
  }

  void Statement(int depth) {
    switch (random_.Below(depth < 4 ? 12 : 9)) {
      case 0:  // a = b op c
      case 1:
        Get(Word());
        Get(Word());
        out_.push_back(static_cast<std::uint8_t>(0x6A + random_.Below(3)));
        return Set(Word());
      case 2:  // a = b op constant
        Get(Word());
        Const();
        out_.push_back(static_cast<std::uint8_t>(0x71 + random_.Below(6)));
        return Set(Word());
      case 3:
        Get(Word());
        Access(0x28, 2);
        return Set(Word());
      case 4:
        Get(Word());
        Get(Word());
        return Access(0x36, 2);
      case 5:  // i64
        Get(Long());
        Get(Long());
        out_.push_back(static_cast<std::uint8_t>(0x7C + random_.Below(3)));
        return Set(Long());
      case 6:  // f64
        Get(Float());
        Get(Word());
        Access(0x2B, 3);
        out_.push_back(static_cast<std::uint8_t>(0xA0 + random_.Below(4)));
        return Set(Float());
      case 7:
        return Call();
      case 8:
        Get(Word());
        Get(Word());
        Get(Word());
        out_.push_back(0x1B);
        return Set(Word());
      default:
        return Block(depth);
    }
  }

  void Call() {
    const std::uint32_t callee = random_.Below(functions_);
    const std::uint32_t type = callee % kTypes;
    if (random_.Below(8) == 0) {
      Get(Word());
      Get(Word());
      Get(Word());
      out_.insert(out_.end(), {0x11, 0, 0});
      return Set(Word());
    }
    if (type == 0) {
      Get(Word());
      Get(Word());
      Index(0x10, callee);
      return Set(Word());
    }
    if (type == 1) {
      Get(Long());
      Index(0x10, callee);
      return Set(Long());
    }
    if (type == 2) {
      Get(Float());
      Get(Float());
      Index(0x10, callee);
      return Set(Float());
    }
    Index(0x10, callee);
  }

  void Block(int depth) {
    const std::uint32_t kind = random_.Below(3);
    if (kind == 2) Get(Word());
    out_.push_back(static_cast<std::uint8_t>(0x02 + kind));
    out_.push_back(0x40);
    const std::uint32_t statements = 1 + random_.Below(5);
    for (std::uint32_t i = 0; i < statements; ++i) Statement(depth + 1);
    if (kind == 2 && random_.Below(2) == 0) {
      out_.push_back(0x05);
      Statement(depth + 1);
    } else {
      Get(Word());
      out_.push_back(0x45);
      Index(0x0D, random_.Below(static_cast<std::uint32_t>(depth) + 1));
    }
    out_.push_back(0x0B);
  }

  std::uint32_t functions_;
  Stream& random_;
  std::uint32_t params_ = 0;
  Bytes out_;
};

}  // namespace

std::vector<std::uint8_t> MakeLargeModule(std::size_t bytes, std::uint64_t seed) {
  constexpr std::size_t kBodyBytes = 970;  // as measured
  const std::size_t code_bytes = bytes - bytes / 10;
  const auto functions = static_cast<std::uint32_t>(code_bytes / kBodyBytes + kTypes);
  Stream random(seed);
  Bytes out = {0, 'a', 's', 'm', 1, 0, 0, 0};
  AppendSection(out, 1, {kTypes, 0x60, 2, 0x7F, 0x7F, 1, 0x7F, 0x60, 1, 0x7E, 1,
                         0x7E,   0x60, 2, 0x7C, 0x7C, 1, 0x7C, 0x60, 0, 0});
  Bytes types, code, names;
  AppendLeb(types, functions);
  AppendLeb(code, functions);
  AppendLeb(names, functions);
  for (std::uint32_t i = 0; i < functions; ++i) {
    types.push_back(static_cast<std::uint8_t>(i % kTypes));
    const BodyWriter body(i % kTypes, functions, random);
    AppendLeb(code, body.bytes().size());
    Append(code, body.bytes());
    const std::string name = "function_number_" + std::to_string(i);
    AppendLeb(names, i);
    AppendLeb(names, name.size());
    names.insert(names.end(), name.begin(), name.end());
  }
  AppendSection(out, 3, types);
  AppendSection(out, 4, {1, 0x70, 0, 16});
  AppendSection(out, 5, {1, 0, 16});
  AppendSection(out, 7, {1, 4, 'm', 'a', 'i', 'n', 0, 3});
  AppendSection(out, 9, {1, 0, 0x41, 0, 0x0B, 4, 0, 4, 8, 12});
  AppendSection(out, 10, code);
  Bytes data = {1, 0, 0x41, 0, 0x0B};
  const std::size_t data_bytes = bytes / 20;
  AppendLeb(data, data_bytes);
  for (std::size_t i = 0; i < data_bytes; ++i)
    data.push_back(static_cast<std::uint8_t>(random.Below(256)));
  AppendSection(out, 11, data);
  Bytes custom = {4, 'n', 'a', 'm', 'e', 1};
  AppendLeb(custom, names.size());
  Append(custom, names);
  AppendSection(out, 0, custom);
  return out;
}

}  // namespace txvm::bench
