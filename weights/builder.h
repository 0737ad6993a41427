// Wires circuits into layers: a circuit says what each gated unit reads and writes, the builder
// finds the first layer in which its inputs are ready.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weights/model.h"

namespace txvm::weights {

/// A residual lane while the model is being built.
struct Wire {
  std::uint32_t index = 0;
};

/// A sum of weighted lanes plus a constant.
struct Linear {
  std::vector<std::pair<std::uint32_t, std::int32_t>> terms;  // lane, weight
  std::int32_t constant = 0;

  Linear() = default;
  Linear(Wire wire) : terms{{wire.index, 1}} {}    // NOLINT: a lane is a sum of one
  Linear(std::int32_t value) : constant(value) {}  // NOLINT: so is a number

  Linear& operator+=(const Linear& other);
};
Linear operator+(Linear a, const Linear& b);
Linear operator-(const Linear& a, const Linear& b);
Linear operator*(std::int32_t scale, Linear a);

using WireWord = std::array<Wire, kWordBytes>;      // four byte lanes, lowest first
using LinearWord = std::array<Linear, kWordBytes>;  // four byte values, lowest first

/// "name.index".
std::string Indexed(std::string_view name, std::size_t index);

/// Where a unit adds relu(gate) * up, and with which weight.
struct Output {
  Wire wire;
  std::int32_t weight = 1;
};

/// What one head returns.
struct HeadWires {
  WireWord key;  // digits of the key that won
  Wire flag;     // 1: it belongs to the head's space
  std::vector<Wire> values;
};

/// INVARIANT: a lane is never written after it has been read, so every reader sees its final value.
class ModelBuilder {
 public:
  /// A lane fed by field `field` of the token record; ready before the first layer.
  Wire Embed(const std::string& name, std::size_t field, std::int32_t high);
  /// A lane to be written by units. low..high: its values when it is complete.
  Wire Lane(const std::string& name, std::int32_t low, std::int32_t high);
  WireWord LaneWord(const std::string& name);

  /// outputs += weight * relu(gate) * up.
  void Unit(const Linear& gate, const Linear& up, std::span<const Output> outputs);
  void Unit(const Linear& gate, const Linear& up, std::initializer_list<Output> outputs);
  /// outputs += weight * relu(gate).
  void Hinge(const Linear& gate, std::initializer_list<Output> outputs);
  /// outputs += weight * [y >= 0], for an integer y.
  void Step(const Linear& y, std::initializer_list<Output> outputs);
  /// A new flag lane: [y >= 0].
  Wire StepLane(const std::string& name, const Linear& y);
  /// A new lane in 0..high: relu(gate).
  Wire HingeLane(const std::string& name, const Linear& gate, std::int32_t high = 1);
  /// to[i] += relu(gate) * from[i], for the four bytes.
  void Select(const Linear& gate, const LinearWord& from, const WireWord& to);
  /// outputs += f(x) - f(0) for x in 0..255, by 255 shared hinges; 0 where x <= 0.
  struct ByteFunction {
    Wire wire;
    std::array<std::int32_t, 256> table;
  };
  void ByteFunctions(const Linear& x, std::span<const ByteFunction> functions);

  /// Memory lanes of a head's keys and values, set once before the first Head().
  struct MemoryWires {
    std::array<Wire, kSpaceCount> space;
    WireWord key;
    Wire square;
    std::array<Wire, memory_field::kValues> value;
  };
  void SetMemory(const MemoryWires& memory) { memory_ = memory; }
  /// A head that reads `values` bytes of the token of its space at `query`. With `check`, the key's
  /// digits and flag are returned too.
  HeadWires Head(HeadId id, const LinearWord& query, std::size_t values, bool check,
                 int not_before = 0);

  /// Row `field` of the output.
  void Emit(std::size_t field, const Linear& value);

  /// The layer of the first attention that can read `value`.
  int LayerAfter(const Linear& value) const;

  Model Build() &&;

 private:
  struct UnitSpec {
    Linear gate, up;
    std::vector<Output> outputs;
  };
  struct HeadSpecs {
    HeadId id;
    LinearWord query;
    std::vector<std::uint32_t> values;   // lanes read by W_V
    std::vector<std::uint32_t> outputs;  // lanes written by W_O
  };
  // Time: attention of layer n is 2n, its FFN 2n + 1; the embedding is before 0.
  int TimeAfter(const Linear& value, int parity) const;
  void Seal(const Linear& value);
  void Write(Wire wire, int time);
  ModelHead BuildHead(const HeadSpecs& spec) const;
  FeedForward BuildFeedForward(const std::vector<UnitSpec>& units) const;

  std::vector<LaneInfo> lanes_;
  std::vector<int> ready_;    // time of the last writer, -1 for embedded lanes
  std::vector<bool> sealed_;  // has been read
  std::vector<Entry> embed_;
  std::vector<std::vector<UnitSpec>> units_;   // by layer
  std::vector<std::vector<HeadSpecs>> heads_;  // by layer
  MemoryWires memory_{};
  std::vector<Entry> out_;
  std::vector<std::int32_t> b_out_ = std::vector<std::int32_t>(kOutputFields, 0);
};

}  // namespace txvm::weights
