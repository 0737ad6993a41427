#include "neural/llm/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <set>

#include "isa/support/text.h"

namespace txvm::neural::llm {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Result;

constexpr std::string_view kMagic = "GGUF";
constexpr std::uint32_t kOldest = 2, kNewest = 3;
constexpr int kMaxArrayDepth = 4;
constexpr std::uint32_t kMaxAlignment = 1u << 20;

std::unexpected<isa::Error> Corrupt(std::string_view what) {
  return Fail(ErrorCode::kCorrupt, fmt::format("GGUF: {}", what));
}

/// Bytes of a scalar; 0 for texts and arrays.
std::size_t ScalarBytes(GgufType type) {
  switch (type) {
    case GgufType::kU8:
    case GgufType::kI8:
    case GgufType::kBool:
      return 1;
    case GgufType::kU16:
    case GgufType::kI16:
      return 2;
    case GgufType::kU32:
    case GgufType::kI32:
    case GgufType::kF32:
      return 4;
    case GgufType::kU64:
    case GgufType::kI64:
    case GgufType::kF64:
      return 8;
    case GgufType::kText:
    case GgufType::kArray:
      return 0;
  }
  return 0;
}

template <typename T>
T Load(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

bool IsInteger(GgufType type) {
  return ScalarBytes(type) != 0 && type != GgufType::kF32 && type != GgufType::kF64 &&
         type != GgufType::kBool;
}

std::int64_t LoadInteger(GgufType type, const std::uint8_t* from) {
  switch (type) {
    case GgufType::kU8:
      return *from;
    case GgufType::kI8:
      return Load<std::int8_t>(from);
    case GgufType::kU16:
      return Load<std::uint16_t>(from);
    case GgufType::kI16:
      return Load<std::int16_t>(from);
    case GgufType::kU32:
      return Load<std::uint32_t>(from);
    case GgufType::kI32:
      return Load<std::int32_t>(from);
    default:
      return Load<std::int64_t>(from);  // U64 above 2^63 turns negative: refused by callers
  }
}

double LoadReal(GgufType type, const std::uint8_t* from) {
  if (type == GgufType::kF32) return Load<float>(from);
  if (type == GgufType::kF64) return Load<double>(from);
  return static_cast<double>(LoadInteger(type, from));
}

/// Reads from the front of the file; every length is checked before it is used.
class Cursor {
 public:
  explicit Cursor(std::span<const std::uint8_t> file) : file_(file) {}
  std::size_t at() const { return at_; }

  Result<std::span<const std::uint8_t>> Take(std::uint64_t size, std::string_view what) {
    if (size > file_.size() - at_) {
      return Corrupt(fmt::format("{} of {} bytes at byte {} leaves the file of {}", what, size, at_,
                                 file_.size()));
    }
    const auto taken = file_.subspan(at_, static_cast<std::size_t>(size));
    at_ += taken.size();
    return taken;
  }
  template <typename T>
  Result<T> Number(std::string_view what) {
    TXVM_TRY(const auto bytes, Take(sizeof(T), what));
    return Load<T>(bytes.data());
  }
  Result<std::string_view> Text(std::string_view what) {
    TXVM_TRY(const std::uint64_t size, Number<std::uint64_t>(what));
    TXVM_TRY(const auto bytes, Take(size, what));
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  Result<GgufType> Type() {
    TXVM_TRY(const std::uint32_t type, Number<std::uint32_t>("a value type"));
    if (type > static_cast<std::uint32_t>(GgufType::kF64)) {
      return Corrupt(fmt::format("value type {} at byte {}, at most 12", type, at_));
    }
    return static_cast<GgufType>(type);
  }

  Result<GgufValue> Value(GgufType type, int depth) {
    GgufValue value{type, type, 1, {}};
    if (type == GgufType::kArray) {
      if (depth >= kMaxArrayDepth) return Corrupt("arrays nested too deeply");
      TXVM_TRY(value.item, Type());
      TXVM_TRY(value.count, Number<std::uint64_t>("an array's length"));
    }
    const std::size_t start = at_;
    if (const std::size_t size = ScalarBytes(value.item); size != 0) {
      if (value.count > file_.size() / size) {
        return Corrupt(
            fmt::format("array of {} items at byte {} leaves the file", value.count, at_));
      }
      TXVM_TRY(value.raw, Take(value.count * size, "a value"));
      return value;
    }
    for (std::uint64_t i = 0; i < value.count; ++i) {
      if (value.item == GgufType::kText) {
        TXVM_CHECK_OK(Text("a text"));
      } else {
        TXVM_CHECK_OK(Value(GgufType::kArray, depth + 1));
      }
    }
    value.raw = file_.subspan(start, at_ - start);
    return value;
  }

 private:
  std::span<const std::uint8_t> file_;
  std::size_t at_ = 0;
};

/// A tensor as the header states it.
struct Stated {
  GgufTensor tensor;
  std::uint64_t offset = 0, size = 0;  // in the data
};

Result<Stated> ReadTensor(Cursor& cursor) {
  Stated stated;
  TXVM_TRY(stated.tensor.name, cursor.Text("a tensor name"));
  const std::string name = isa::Printable(stated.tensor.name);
  TXVM_TRY(const std::uint32_t rank, cursor.Number<std::uint32_t>("a rank"));
  if (rank > kMaxGgufRank) {
    return Corrupt(
        fmt::format("tensor '{}' has {} dimensions, at most {}", name, rank, kMaxGgufRank));
  }
  std::uint64_t elements = 1;
  for (std::uint32_t i = 0; i < rank; ++i) {
    TXVM_TRY(const std::uint64_t size, cursor.Number<std::uint64_t>("a dimension"));
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(elements, size, &product) || product > SIZE_MAX / 8) {
      return Corrupt(fmt::format("tensor '{}' has a shape beyond any file", name));
    }
    elements = product;
    stated.tensor.shape.insert(stated.tensor.shape.begin(), static_cast<std::size_t>(size));
  }
  TXVM_TRY(const std::uint32_t number, cursor.Number<std::uint32_t>("an element type"));
  const std::optional<Element> type = ElementOfGguf(number);
  if (!type) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("GGUF: tensor '{}' has unsupported element type {}", name, number));
  }
  stated.tensor.type = *type;
  const std::size_t row = stated.tensor.shape.empty() ? 1 : stated.tensor.shape.back();
  if (row % Info(*type).block != 0) {
    return Corrupt(fmt::format("tensor '{}' has rows of {} elements, {} needs a multiple of {}",
                               name, row, Info(*type).name, Info(*type).block));
  }
  stated.size = elements / Info(*type).block * Info(*type).bytes;
  TXVM_TRY(stated.offset, cursor.Number<std::uint64_t>("an offset"));
  return stated;
}

Result<void> CheckNames(const std::vector<Stated>& tensors) {
  std::set<std::string_view> names;
  for (const Stated& stated : tensors) {
    if (!names.insert(stated.tensor.name).second) {
      return Corrupt(fmt::format("tensor '{}' appears twice", isa::Printable(stated.tensor.name)));
    }
  }
  return {};
}

Result<void> PlaceTensors(std::vector<Stated>& tensors, std::span<const std::uint8_t> data,
                          std::uint32_t alignment) {
  std::vector<Stated*> order;
  for (Stated& stated : tensors) order.push_back(&stated);
  std::ranges::stable_sort(order, {}, &Stated::offset);
  std::uint64_t end = 0;
  for (Stated* stated : order) {
    const std::string name = isa::Printable(stated->tensor.name);
    if (stated->offset > data.size() || stated->size > data.size() - stated->offset) {
      return Corrupt(fmt::format("tensor '{}' at {} of {} bytes leaves the data of {}", name,
                                 stated->offset, stated->size, data.size()));
    }
    if (stated->offset % alignment != 0 || stated->offset < end) {
      return Corrupt(fmt::format("tensor '{}' at {} is misplaced: alignment {}, previous end {}",
                                 name, stated->offset, alignment, end));
    }
    end = stated->offset + stated->size;
    stated->tensor.bytes = data.subspan(static_cast<std::size_t>(stated->offset),
                                        static_cast<std::size_t>(stated->size));
  }
  return {};
}

Result<std::uint32_t> Alignment(const Gguf& gguf) {
  const GgufValue* value = gguf.Find("general.alignment");
  if (value == nullptr) return kGgufAlignment;
  const std::uint64_t alignment = value->Unsigned().value_or(0);
  if (!std::has_single_bit(alignment) || alignment > kMaxAlignment) {
    return Corrupt(
        fmt::format("general.alignment {} is no power of two up to {}", alignment, kMaxAlignment));
  }
  return static_cast<std::uint32_t>(alignment);
}

}  // namespace

std::optional<std::uint64_t> GgufValue::Unsigned() const {
  if (!IsInteger(type)) return std::nullopt;
  const std::int64_t value = LoadInteger(type, raw.data());
  if (value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

std::optional<double> GgufValue::Real() const {
  if (ScalarBytes(type) == 0 || type == GgufType::kBool) return std::nullopt;
  return LoadReal(type, raw.data());
}

std::optional<bool> GgufValue::Bool() const {
  if (type != GgufType::kBool) return std::nullopt;
  return raw[0] != 0;
}

std::optional<std::string_view> GgufValue::Text() const {
  constexpr std::size_t kLength = 8;
  if (type != GgufType::kText) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(raw.data()) + kLength,
                          raw.size() - kLength);
}

std::optional<std::vector<std::string_view>> GgufValue::Texts() const {
  if (type != GgufType::kArray || item != GgufType::kText) return std::nullopt;
  std::vector<std::string_view> texts;
  Cursor cursor(raw);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto text = cursor.Text("a text");  // checked when the file was read
    TXVM_ASSERT(text.has_value());
    texts.push_back(*text);
  }
  return texts;
}

std::optional<std::vector<double>> GgufValue::Reals() const {
  if (type != GgufType::kArray || ScalarBytes(item) == 0 || item == GgufType::kBool) {
    return std::nullopt;
  }
  std::vector<double> values;
  for (std::uint64_t i = 0; i < count; ++i) {
    values.push_back(LoadReal(item, raw.data() + i * ScalarBytes(item)));
  }
  return values;
}

std::optional<std::vector<std::int64_t>> GgufValue::Integers() const {
  if (type != GgufType::kArray || !IsInteger(item)) return std::nullopt;
  std::vector<std::int64_t> values;
  for (std::uint64_t i = 0; i < count; ++i) {
    values.push_back(LoadInteger(item, raw.data() + i * ScalarBytes(item)));
  }
  return values;
}

const GgufValue* Gguf::Find(std::string_view key) const {
  for (const auto& [name, value] : metadata) {
    if (name == key) return &value;
  }
  return nullptr;
}

Result<Gguf> ReadGguf(std::span<const std::uint8_t> file) {
  Cursor cursor(file);
  TXVM_TRY(const auto magic, cursor.Take(kMagic.size(), "the file's first word"));
  if (!std::ranges::equal(magic, kMagic, {}, {},
                          [](char c) { return static_cast<std::uint8_t>(c); })) {
    return Corrupt("the file does not begin with GGUF");
  }
  Gguf gguf;
  TXVM_TRY(gguf.version, cursor.Number<std::uint32_t>("the version"));
  if (const auto swapped = std::byteswap(gguf.version); swapped > 0 && swapped <= kNewest) {
    return Fail(ErrorCode::kUnsupported, "GGUF: a big-endian file, little-endian is supported");
  }
  if (gguf.version < kOldest || gguf.version > kNewest) {
    return Fail(ErrorCode::kUnsupported, fmt::format("GGUF: version {}, {} and {} are supported",
                                                     gguf.version, kOldest, kNewest));
  }
  TXVM_TRY(const std::uint64_t tensor_count, cursor.Number<std::uint64_t>("the tensor count"));
  TXVM_TRY(const std::uint64_t value_count, cursor.Number<std::uint64_t>("the metadata count"));
  for (std::uint64_t i = 0; i < value_count; ++i) {
    TXVM_TRY(const std::string_view key, cursor.Text("a key"));
    TXVM_TRY(const GgufType type, cursor.Type());
    TXVM_TRY(const GgufValue value, cursor.Value(type, 0));
    gguf.metadata.emplace_back(key, value);
  }
  std::vector<Stated> stated;
  for (std::uint64_t i = 0; i < tensor_count; ++i) {
    TXVM_TRY(Stated tensor, ReadTensor(cursor));
    stated.push_back(std::move(tensor));
  }
  TXVM_CHECK_OK(CheckNames(stated));
  TXVM_TRY(const std::uint32_t alignment, Alignment(gguf));
  const std::size_t data_at = (cursor.at() + alignment - 1) / alignment * alignment;
  if (data_at > file.size() && !stated.empty()) return Corrupt("the file ends before its data");
  TXVM_CHECK_OK(PlaceTensors(stated, file.subspan(std::min(data_at, file.size())), alignment));
  for (Stated& one : stated) gguf.tensors.push_back(std::move(one.tensor));
  return gguf;
}

// ---- writing

namespace {

template <typename T>
void Put(T value, std::string& to) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

void PutText(std::string_view text, std::string& to) {
  Put<std::uint64_t>(text.size(), to);
  to += text;
}

}  // namespace

void GgufHeader::Key(std::string_view key, GgufType type) {
  PutText(key, values_);
  Put(static_cast<std::uint32_t>(type), values_);
  ++count_;
}
void GgufHeader::ArrayOf(GgufType item, std::size_t count) {
  Put(static_cast<std::uint32_t>(item), values_);
  Put<std::uint64_t>(count, values_);
}
void GgufHeader::Add(std::string_view key, std::string_view text) {
  Key(key, GgufType::kText);
  PutText(text, values_);
}
void GgufHeader::Add(std::string_view key, std::uint32_t value) {
  Key(key, GgufType::kU32);
  Put(value, values_);
}
void GgufHeader::Add(std::string_view key, float value) {
  Key(key, GgufType::kF32);
  Put(value, values_);
}
void GgufHeader::Add(std::string_view key, bool value) {
  Key(key, GgufType::kBool);
  Put<std::uint8_t>(value ? 1 : 0, values_);
}
void GgufHeader::Add(std::string_view key, std::span<const std::string_view> texts) {
  Key(key, GgufType::kArray);
  ArrayOf(GgufType::kText, texts.size());
  for (const std::string_view text : texts) PutText(text, values_);
}
void GgufHeader::Add(std::string_view key, std::span<const float> values) {
  Key(key, GgufType::kArray);
  ArrayOf(GgufType::kF32, values.size());
  for (const float value : values) Put(value, values_);
}
void GgufHeader::Add(std::string_view key, std::span<const std::int32_t> values) {
  Key(key, GgufType::kArray);
  ArrayOf(GgufType::kI32, values.size());
  for (const std::int32_t value : values) Put(value, values_);
}

std::string GgufHeader::Bytes(std::span<const GgufTensor> tensors) const {
  std::string file(kMagic);
  Put(kNewest, file);
  Put<std::uint64_t>(tensors.size(), file);
  Put(count_, file);
  file += values_;
  std::uint64_t at = 0;
  for (const GgufTensor& tensor : tensors) {
    PutText(tensor.name, file);
    Put(static_cast<std::uint32_t>(tensor.shape.size()), file);
    for (std::size_t i = tensor.shape.size(); i-- > 0;) {
      Put<std::uint64_t>(tensor.shape[i], file);
    }
    Put(Info(tensor.type).gguf, file);
    Put(at, file);
    at += (tensor.bytes.size() + kGgufAlignment - 1) / kGgufAlignment * kGgufAlignment;
  }
  file.resize((file.size() + kGgufAlignment - 1) / kGgufAlignment * kGgufAlignment);
  return file;
}

}  // namespace txvm::neural::llm
