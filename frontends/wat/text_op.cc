#include "frontends/wat/text_op.h"

#include <array>
#include <bit>
#include <cstddef>

#include "frontends/wasm/opcodes.h"
#include "frontends/wat/names.h"

namespace txvm::frontends::wat {
namespace {

constexpr std::uint8_t kReferences = 0xFB, kBulk = 0xFC, kVectors = 0xFD, kAtomics = 0xFE;

bool IsWithin(std::uint32_t code, std::uint32_t first, std::uint32_t last) {
  return code >= first && code <= last;
}

Form FormOfPlain(std::uint32_t code) {
  switch (code) {
    case 0x02:
    case 0x03:
      return Form::kBlock;
    case 0x04:
      return Form::kIf;
    case 0x05:
      return Form::kElse;
    case 0x06:
      return Form::kTry;
    case 0x07:
      return Form::kCatch;
    case 0x08:
      return Form::kTag;
    case 0x09:
    case 0x0C:
    case 0x0D:
    case 0xD5:
    case 0xD6:
      return Form::kLabel;
    case 0x0B:
      return Form::kEnd;
    case 0x0E:
      return Form::kLabels;
    case 0x10:
    case 0x12:
    case 0xD2:
      return Form::kFunction;
    case 0x11:
    case 0x13:
      return Form::kIndirect;
    case 0x14:
    case 0x15:
      return Form::kType;
    case 0x18:
      return Form::kDelegate;
    case 0x19:
      return Form::kCatchAll;
    case 0x1B:
    case 0x1C:
      return Form::kSelect;
    case 0x1F:
      return Form::kTryTable;
    case 0x20:
    case 0x21:
    case 0x22:
      return Form::kLocal;
    case 0x23:
    case 0x24:
      return Form::kGlobal;
    case 0x25:
    case 0x26:
      return Form::kTable;
    case 0x3F:
    case 0x40:
      return Form::kMemory;
    case 0x41:
      return Form::kI32;
    case 0x42:
      return Form::kI64;
    case 0x43:
      return Form::kF32;
    case 0x44:
      return Form::kF64;
    case 0xD0:
      return Form::kHeapType;
    default:
      return IsWithin(code, 0x28, 0x3E) ? Form::kAccess : Form::kPlain;
  }
}

Form FormOfReference(std::uint32_t code) {
  switch (code) {
    case 0x00:
    case 0x01:
    case 0x06:
    case 0x07:
    case 0x0B:
    case 0x0C:
    case 0x0D:
    case 0x0E:
    case 0x10:
      return Form::kType;
    case 0x02:
    case 0x03:
    case 0x04:
    case 0x05:
      return Form::kField;
    case 0x08:
      return Form::kTypeCount;
    case 0x09:
    case 0x12:
      return Form::kTypeData;
    case 0x0A:
    case 0x13:
      return Form::kTypeElement;
    case 0x11:
      return Form::kTwoTypes;
    case 0x14:
    case 0x16:
      return Form::kReference;
    case 0x18:
    case 0x19:
      return Form::kCast;
    default:
      return Form::kPlain;
  }
}

Form FormOfBulk(std::uint32_t code) {
  switch (code) {
    case 0x08:
      return Form::kMemoryInit;
    case 0x09:
      return Form::kData;
    case 0x0A:
      return Form::kTwoMemories;
    case 0x0B:
      return Form::kMemory;
    case 0x0C:
      return Form::kTableInit;
    case 0x0D:
      return Form::kElement;
    case 0x0E:
      return Form::kTwoTables;
    case 0x0F:
    case 0x10:
    case 0x11:
      return Form::kTable;
    default:
      return Form::kPlain;
  }
}

Form FormOfVector(std::uint32_t code) {
  if (code <= 0x0B || code == 0x5C || code == 0x5D) return Form::kAccess;
  if (code == 0x0C) return Form::kV128;
  if (code == 0x0D) return Form::kShuffle;
  if (IsWithin(code, 0x15, 0x22)) return Form::kLane;
  if (IsWithin(code, 0x54, 0x5B)) return Form::kAccessLane;
  return Form::kPlain;
}

Form FormOf(std::uint8_t prefix, std::uint32_t code) {
  switch (prefix) {
    case kReferences:
      return FormOfReference(code);
    case kBulk:
      return FormOfBulk(code);
    case kVectors:
      return FormOfVector(code);
    case kAtomics:
      return code == 0x03 ? Form::kFence : Form::kAccess;
    default:
      return FormOfPlain(code);
  }
}

/// log2 of the bytes that an atomic instruction moves, by its name.
std::uint8_t LogSizeOfAtomic(std::string_view name, std::uint32_t code) {
  constexpr std::uint8_t kByte = 0, kHalf = 1, kWord = 2, kLong = 3;
  if (code <= 0x02) return code == 0x02 ? kLong : kWord;
  const std::string_view rest = name.substr(name.find('.'));
  if (rest.find("16") != std::string_view::npos) return kHalf;
  if (rest.find("32") != std::string_view::npos) return kWord;
  if (rest.find('8') != std::string_view::npos) return kByte;
  return name.starts_with("i64") ? kLong : kWord;
}

/// The instructions by a hash of their name.
class Table {
 public:
  Table() {
    slots_.fill(kNone);
    ops_.reserve(wasm::kOpCount);
    for (const wasm::OpInfo& info : wasm::kOps) {
      // Their names are two words; the first of them has both codes.
      if (info.text.find(' ') != std::string_view::npos) continue;
      if (Find(info.text) != nullptr) continue;
      TextOp op{info.text, info.prefix, info.code, FormOf(info.prefix, info.code), 0};
      if (info.prefix == kAtomics) {
        op.log_size = LogSizeOfAtomic(info.text, info.code);
      } else if (info.size != 0) {
        op.log_size = static_cast<std::uint8_t>(std::countr_zero(unsigned{info.size}));
      }
      std::size_t slot = SlotOf(info.text, EndsOf(info.text));
      while (slots_[slot] != kNone) slot = (slot + 1) % kSlots;
      slots_[slot] = static_cast<std::uint16_t>(ops_.size());
      ops_.push_back(op);
      ends_.push_back(EndsOf(info.text));
      names_.push_back(info.text);
    }
  }

  const TextOp* Find(std::string_view name) const {
    const NameEnds ends = EndsOf(name);
    for (std::size_t slot = SlotOf(name, ends); slots_[slot] != kNone; slot = (slot + 1) % kSlots) {
      const TextOp& op = ops_[slots_[slot]];
      if (op.name.size() == name.size() && ends_[slots_[slot]] == ends &&
          (name.size() <= kNameEndsBytes || op.name == name)) {
        return &op;
      }
    }
    return nullptr;
  }
  const std::vector<std::string_view>& names() const { return names_; }

 private:
  static constexpr std::size_t kSlots = 4096;
  static constexpr std::uint16_t kNone = 0xFFFF;

  static std::size_t SlotOf(std::string_view name, const NameEnds& ends) {
    constexpr int kShift = 52;
    return HashName(name, ends) >> kShift;
  }

  std::array<std::uint16_t, kSlots> slots_{};
  std::vector<TextOp> ops_;
  std::vector<NameEnds> ends_;  // (ops,)
  std::vector<std::string_view> names_;
};

const Table& TheTable() {
  static const Table table;
  return table;
}

}  // namespace

const TextOp* FindTextOp(std::string_view name) { return TheTable().Find(name); }

const std::vector<std::string_view>& TextOpNames() { return TheTable().names(); }

std::string NewNameOf(std::string_view old) {
  struct Renamed {
    std::string_view old, now;
  };
  constexpr std::array kRenamed = std::to_array<Renamed>({{"get_local", "local.get"},
                                                          {"set_local", "local.set"},
                                                          {"tee_local", "local.tee"},
                                                          {"get_global", "global.get"},
                                                          {"set_global", "global.set"},
                                                          {"grow_memory", "memory.grow"},
                                                          {"current_memory", "memory.size"},
                                                          {"anyfunc", "funcref"}});
  for (const Renamed& renamed : kRenamed) {
    if (renamed.old == old) return std::string(renamed.now);
  }
  // A conversion: its source came last, after a slash, and saturating had a colon.
  constexpr std::string_view kSaturating = ":sat";
  const std::size_t slash = old.find('/');
  if (slash == old.npos) return {};
  std::string_view operation = old.substr(0, slash);
  const bool saturates = operation.ends_with(kSaturating);
  if (saturates) operation.remove_suffix(kSaturating.size());
  std::string_view sign;
  if (operation.ends_with("_s") || operation.ends_with("_u")) {
    sign = operation.substr(operation.size() - 2);
    operation.remove_suffix(sign.size());
  }
  std::string name(operation);
  name.append(saturates ? "_sat_" : "_").append(old.substr(slash + 1)).append(sign);
  return FindTextOp(name) == nullptr ? std::string() : name;
}

}  // namespace txvm::frontends::wat
