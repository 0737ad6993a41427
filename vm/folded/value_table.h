// The values of one block: each computed once, constants beforehand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "vm/folded/ir.h"

namespace txvm::vm::folded {

/// Finds values again by what they are computed from: common subexpressions of a block.
class ValueTable {
 public:
  /// Begins with a block without nodes; it outlives the table's use.
  void Start(Block& block) {
    block_ = &block;
    numbers_.clear();
    longs_.clear();
    memory_version_ = 0;
  }
  /// Which state of the memory loads read now: one more with each store.
  std::uint64_t memory_version() const { return memory_version_; }
  void MemoryChanged() { ++memory_version_; }
  void MemoryIsAt(std::uint64_t version) { memory_version_ = version; }

  /// A node that is never the same as another.
  Value Append(const Node& node);
  /// The node of a value of the block.
  const Node& At(Value value) const { return block_->nodes[value]; }
  /// The node that equals this one, made if it is new. `version` tells loads apart that a store
  /// lies between.
  Value Numbered(const Node& node, std::uint64_t version = 0);
  /// From now on `node` of `version` is `value`.
  void Remember(const Node& node, std::uint64_t version, Value value);

  /// The value of a node that is there already.
  std::optional<Value> Known(const Node& node, std::uint64_t version) const;

  Value Constant(Word word);
  Value Variable(std::uint32_t variable);
  /// The value of a pure opcode: a constant, an operand, one that is there already, or a new one.
  Value Pure(isa::Opcode opcode, Value a, Value b = kNone, Value c = kNone);
  /// The value of an operation on more than words, the same way.
  Value Wide(WideOp op, Value a, Value b = kNone);
  /// From now on words that together are one long may become one.
  void FindLongs() { finds_longs_ = true; }
  /// The long of two words where it costs no more than they do: it is there already, known, or what
  /// an operation on such longs comes to (long_values.cc); nullopt: it is not.
  std::optional<Value> FreeLong(Value low, Value high);
  /// Appends a store of a word together with the one before it, where both words are one long;
  /// false: they are not, or something is between them.
  bool StoreTwoWords(const Node& store);
  /// A store of a word, as one of the single whose bits it is.
  Node StoreOfSingle(Node store) const;
  /// The same value, or one that is another NaN where this one is a NaN.
  Value AnyNan(Value value);
  /// The word of a value that is known; nullopt: it is not.
  std::optional<Word> ConstantOf(Value value) const;

 private:
  // Where a value can be found again: by everything it depends on.
  struct Key {
    Op op;
    isa::Opcode opcode;
    WideOp wide;
    Type type;
    Value a, b, c;
    std::uint64_t imm;
    std::uint64_t version;  // of the memory or of the globals
    friend bool operator==(const Key&, const Key&) = default;
  };

  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = 0x9E3779B97F4A7C15u;
      for (const std::uint64_t part :
           {std::uint64_t{static_cast<std::uint8_t>(key.op)},
            std::uint64_t{static_cast<std::uint8_t>(key.opcode)},
            std::uint64_t{static_cast<std::uint8_t>(key.wide)},
            std::uint64_t{static_cast<std::uint8_t>(key.type)}, std::uint64_t{key.a},
            std::uint64_t{key.b}, std::uint64_t{key.c}, key.imm, key.version}) {
        hash = (hash ^ part) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
      }
      return static_cast<std::size_t>(hash);
    }
  };

  static Key KeyOf(const Node& node, std::uint64_t version) {
    return {node.op, node.opcode, node.wide, node.type, node.a, node.b, node.c, node.imm, version};
  }
  std::optional<Value> Merge(const Node& node);
  std::optional<Value> SimplerWide(WideOp op, Value a, Value b);
  std::optional<Value> PairOf(Value low, Value high);
  std::optional<Value> FindLong(Value low, Value high);
  std::optional<Value> SumOf(Value low, Value high);
  std::optional<Value> DifferenceOf(Value low, Value high);
  std::optional<Value> BitsOf(Value low, Value high);
  std::optional<Value> ShiftOf(Value low, Value high);
  std::optional<Value> LongComparison(const Node& node);
  std::optional<Value> OrderOf(const Node& select);
  std::optional<Value> EqualityOf(Value bits, bool equal);
  std::optional<Value> DoubleOf(Value bits);
  std::optional<Value> SingleOf(Value bits);
  Value Long(Word low, Word high);
  std::optional<std::uint64_t> LongConstantOf(Value value) const;
  bool IsFlag(Value value) const;

  // A pair of words and what FreeLong made of it.
  struct PairHash {
    std::size_t operator()(std::uint64_t pair) const {
      return static_cast<std::size_t>((pair ^ pair >> 29) * 0x9E3779B97F4A7C15u);
    }
  };

  Block* block_ = nullptr;
  bool finds_longs_ = false;
  std::uint32_t depth_ = 0;  // of FreeLong
  std::unordered_map<std::uint64_t, std::optional<Value>, PairHash> longs_;
  std::uint64_t memory_version_ = 0;
  std::unordered_map<Key, Value, KeyHash> numbers_;
};

}  // namespace txvm::vm::folded
