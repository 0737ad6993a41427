#include "weights/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "isa/support/sha256.h"
#include "isa/support/text.h"
#include "isa/verify.h"
#include "weights/bounds.h"
#include "weights/compiler.h"
#include "weights/reduce.h"

namespace txvm::weights {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Result;
namespace sf = state_field;
namespace mf = memory_field;

constexpr std::uint32_t kNibble = 16;
constexpr std::size_t kFetchLayers = 2;

/// The bytes of an instruction: op, aux (3), arg (4).
std::array<std::int32_t, mf::kValues> BytesOf(const isa::Instruction& instruction) {
  const MemoryRecord record = MakeCode(0, instruction);
  std::array<std::int32_t, mf::kValues> bytes;
  std::copy_n(record.begin() + mf::kValue, bytes.size(), bytes.begin());
  return bytes;
}

/// One-hot digits of ip.
struct Digits {
  std::vector<Wire> high;
  std::array<Wire, kNibble> mid, low;
};

Digits AddDigits(ModelBuilder& b, const WireWord& ip, std::size_t count) {
  const std::size_t blocks = (count + kByteSize - 1) / kByteSize;
  Digits digits;
  for (std::size_t i = 0; i < blocks; ++i) {
    digits.high.push_back(b.Lane(Indexed("ip.high", i), 0, 1));
  }
  for (std::size_t i = 0; i < kNibble; ++i) digits.mid[i] = b.Lane(Indexed("ip.mid", i), 0, 1);
  for (std::size_t i = 0; i < kNibble; ++i) digits.low[i] = b.Lane(Indexed("ip.low", i), 0, 1);
  // ByteFunctions gives f(x) - f(0), and the hinges of `high` below the same: f(0) is added here.
  b.Hinge(1, {{digits.high[0]}, {digits.mid[0]}, {digits.low[0]}});
  std::vector<ModelBuilder::ByteFunction> functions;
  for (std::uint32_t i = 0; i < kNibble; ++i) {
    ModelBuilder::ByteFunction mid{digits.mid[i], {}}, low{digits.low[i], {}};
    // A program shorter than a byte needs no digit past its end.
    for (std::uint32_t v = 0; v < std::min<std::size_t>(kByteSize, count); ++v) {
      mid.table[v] = v / kNibble == i ? 1 : 0;
      low.table[v] = v % kNibble == i ? 1 : 0;
    }
    functions.push_back(mid);
    functions.push_back(low);
  }
  b.ByteFunctions(ip[0], functions);
  // [x = j] = relu(x - j + 1) - 2 relu(x - j) + relu(x - j - 1); the bytes above put x past the
  // end.
  const Linear x = ip[1] + kByteSize * (Linear(ip[2]) + ip[3]);
  for (std::size_t v = 0; v <= blocks; ++v) {
    std::vector<Output> outputs;
    if (v > 0) outputs.push_back({digits.high[v - 1], 1});
    if (v < blocks) outputs.push_back({digits.high[v], v == 0 ? -1 : -2});
    if (v + 1 < blocks) outputs.push_back({digits.high[v + 1], 1});
    b.Unit(x - static_cast<std::int32_t>(v), 1, outputs);
  }
  return digits;
}

/// to += relu(gate) * the value of the low digit; values: (16,), 0 where there is no instruction.
void AddBlock(ModelBuilder& b, const Linear& gate, const Digits& digits,
              std::span<const std::int32_t> values, Wire to) {
  const auto same = [&](std::int32_t v) { return v == values[0]; };
  Linear value = 0;
  if (std::ranges::all_of(values, same)) {
    value = values[0];
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != 0) value += values[i] * Linear(digits.low[i]);
    }
  }
  if (!value.terms.empty() || value.constant != 0) b.Unit(gate, value, {{to}});
}

/// Where the fetch head reads and writes.
struct FetchLanes {
  std::size_t layer = 0, head = 0;
  std::array<std::uint32_t, kWordBytes> ip{}, key{};
  std::uint32_t flag = 0;
  std::array<std::uint32_t, mf::kValues> bytes{};
};

Result<FetchLanes> FindFetch(const Model& model) {
  FetchLanes found;
  const ModelHead* fetch = nullptr;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const std::vector<ModelHead>& heads = model.layers[l].heads;
    for (std::size_t h = 0; h < heads.size(); ++h) {
      if (heads[h].id != HeadId::kFetch) continue;
      fetch = &heads[h];
      found.layer = l;
      found.head = h;
    }
  }
  if (fetch == nullptr) return Fail(ErrorCode::kInvalid, "the model has no fetch head to fold");
  const std::string_view other = "the fetch head is not the compiled one: it cannot be folded";
  if (fetch->w_q.entries.size() != kWordBytes) return Fail(ErrorCode::kInvalid, std::string(other));
  for (std::uint32_t i = 0; i < kWordBytes; ++i) {
    const Entry& e = fetch->w_q.entries[i];
    if (e.row != i || e.weight != 1 || fetch->b_q[i] != 0) {
      return Fail(ErrorCode::kInvalid, std::string(other));
    }
    found.ip[i] = e.column;
  }
  std::map<std::uint32_t, std::size_t> field_of;  // by lane
  for (const Entry& e : model.w_embed.entries) field_of[e.row] = e.column - sf::kCount;
  std::map<std::size_t, std::uint32_t> written;  // memory field -> lane
  for (const Entry& out : fetch->w_o.entries) {
    for (const Entry& in : fetch->w_v.entries) {
      if (in.row == out.column && in.weight == 1 && out.weight == 1 &&
          field_of.contains(in.column)) {
        written[field_of[in.column]] = out.row;
      }
    }
  }
  if (written.size() != fetch->w_o.entries.size() ||
      written.size() != 1 + kWordBytes + mf::kValues) {
    return Fail(ErrorCode::kInvalid, std::string(other));
  }
  found.flag = written[mf::kSpace + static_cast<std::size_t>(Space::kCode)];
  for (std::size_t i = 0; i < kWordBytes; ++i) found.key[i] = written[mf::kKey + i];
  for (std::size_t i = 0; i < mf::kValues; ++i) found.bytes[i] = written[mf::kValue + i];
  return found;
}

/// The matrix with its columns (and rows) renamed, sorted, equal places added.
SparseMatrix Renamed(const SparseMatrix& matrix, std::uint32_t rows, std::uint32_t columns,
                     const auto& row_of, const auto& column_of) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t> sum;
  for (const Entry& e : matrix.entries) sum[{row_of(e.row), column_of(e.column)}] += e.weight;
  SparseMatrix result{rows, columns, {}};
  for (const auto& [place, weight] : sum) {
    if (weight != 0) result.entries.push_back({place.first, place.second, weight});
  }
  return result;
}

constexpr auto kSame = [](std::uint32_t index) { return index; };

/// Widens every matrix of `model` to its lanes, reading ip where the fetched key was read: the two
/// are equal where there is an instruction, and where there is none the flag alone says so.
void ReadIpForKey(Model& model, const FetchLanes& fetch) {
  const std::uint32_t width = model.d_model();
  const auto lane = [&](std::uint32_t column) {
    const auto at = std::ranges::find(fetch.key, column);
    return at == fetch.key.end() ? column
                                 : fetch.ip[static_cast<std::size_t>(at - fetch.key.begin())];
  };
  const auto read = [&](SparseMatrix& m) { m = Renamed(m, m.rows, width, kSame, lane); };
  for (ModelLayer& layer : model.layers) {
    for (ModelHead& head : layer.heads) {
      for (SparseMatrix* m : {&head.w_q, &head.w_k, &head.w_v}) read(*m);
      head.w_o.rows = width;
    }
    read(layer.ffn.w_gate);
    read(layer.ffn.w_up);
    layer.ffn.w_down.rows = width;
  }
  read(model.w_out);
  model.w_embed.rows = width;
}

/// The layers of `circuit` on the lanes of `model`: lane i of the circuit is places[i].
void Prepend(Model& model, const Model& circuit, const std::vector<std::uint32_t>& places) {
  const auto lane = [&](std::uint32_t i) { return places[i]; };
  std::vector<ModelLayer> layers;
  for (const ModelLayer& source : circuit.layers) {
    ModelLayer layer{{}, source.ffn};
    const std::uint32_t units = source.ffn.w_gate.rows, width = model.d_model();
    layer.ffn.w_gate = Renamed(source.ffn.w_gate, units, width, kSame, lane);
    layer.ffn.w_up = Renamed(source.ffn.w_up, units, width, kSame, lane);
    layer.ffn.w_down = Renamed(source.ffn.w_down, width, units, lane, kSame);
    layers.push_back(std::move(layer));
  }
  model.layers.insert(model.layers.begin(), layers.begin(), layers.end());
}

/// Narrows the declared ranges of the instruction's bytes and the decoder's signals to what the
/// program's instructions make of them; a program that Verify accepts is never malformed.
void NarrowRanges(Model& model, const FetchLanes& fetch, const isa::Program& program) {
  std::array<std::int32_t, mf::kValues> largest{};
  std::set<std::uint8_t> codes;
  for (const isa::Instruction& instruction : program.code) {
    const auto bytes = BytesOf(instruction);
    for (std::size_t i = 0; i < bytes.size(); ++i) largest[i] = std::max(largest[i], bytes[i]);
    codes.insert(instruction.code());
  }
  for (std::size_t i = 0; i < largest.size(); ++i) model.lanes[fetch.bytes[i]].high = largest[i];
  std::map<std::string, LaneInfo*> lanes;
  for (LaneInfo& lane : model.lanes) lanes[lane.name] = &lane;
  const auto narrow = [&](const char* name, auto value) {
    std::int32_t high = 0;
    for (const std::uint8_t op : codes) {
      const isa::OpcodeInfo* info = isa::FindInfo(op);
      if (info != nullptr) high = std::max(high, static_cast<std::int32_t>(value(*info)));
    }
    if (lanes.contains(name)) lanes[name]->high = high;
  };
  if (isa::Verify(program)) {
    for (const char* never : {"malformed", "bad.slot"}) {
      if (lanes.contains(never)) lanes[never]->high = 0;
    }
  }
#define IS(Name) (op.op == isa::Opcode::k##Name)
#define CLASS(Name) (op.op_class == isa::OpClass::Name)
#define TXVM_SIGNAL(name, high, value) \
  narrow(#name, [](const isa::OpcodeInfo& op) { return void(op), (value); });
#include "weights/signals.def"
#undef TXVM_SIGNAL
#undef CLASS
#undef IS
}

}  // namespace

void FetchUnits(ModelBuilder& b, const WireWord& ip, std::span<const isa::Instruction> code,
                const FetchOutputs& outputs) {
  TXVM_ASSERT(!code.empty());
  const Digits digits = AddDigits(b, ip, code.size());
  for (std::size_t first = 0; first < code.size(); first += kNibble) {
    const Linear gate =
        digits.high[first / kByteSize] + Linear(digits.mid[first / kNibble % kNibble]) - 1;
    const std::size_t count = std::min<std::size_t>(kNibble, code.size() - first);
    std::array<std::int32_t, kNibble> present{};
    std::array<std::array<std::int32_t, kNibble>, mf::kValues> bytes{};
    for (std::size_t i = 0; i < count; ++i) {
      present[i] = 1;
      const auto of = BytesOf(code[first + i]);
      for (std::size_t v = 0; v < of.size(); ++v) bytes[v][i] = of[v];
    }
    AddBlock(b, gate, digits, present, outputs.flag);
    for (std::size_t v = 0; v < bytes.size(); ++v) {
      AddBlock(b, gate, digits, bytes[v], outputs.bytes[v]);
    }
  }
}

Result<Model> FoldProgram(const Model& model, const isa::Program& program) {
  const std::size_t n = program.code.size();
  if (n == 0) return Fail(ErrorCode::kInvalid, "a program without instructions cannot be folded");
  if (n > kMaxFolded) {
    return Fail(ErrorCode::kLimit,
                fmt::format("the program has {} instructions, at most {} can be folded: beyond, a "
                            "row of the weights could reach 2^24",
                            n, kMaxFolded));
  }
  TXVM_TRY(const FetchLanes fetch, FindFetch(model));
  ModelBuilder b;
  WireWord ip;
  std::vector<std::uint32_t> places(fetch.ip.begin(), fetch.ip.end());
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    ip[i] = b.Embed(Indexed("ip", i), sf::kIp + i, kByteHigh);
  }
  FetchOutputs outputs;
  outputs.flag = b.Lane("flag", 0, 1);
  places.push_back(fetch.flag);
  for (std::size_t i = 0; i < outputs.bytes.size(); ++i) {
    outputs.bytes[i] = b.Lane(Indexed("byte", i), 0, kByteHigh);
    places.push_back(fetch.bytes[i]);
  }
  FetchUnits(b, ip, program.code, outputs);
  const Model circuit = std::move(b).Build();
  TXVM_ASSERT(circuit.layers.size() == kFetchLayers);

  Model folded = model;
  std::vector<ModelHead>& heads = folded.layers[fetch.layer].heads;
  heads.erase(heads.begin() + static_cast<std::ptrdiff_t>(fetch.head));
  for (std::size_t i = places.size(); i < circuit.lanes.size(); ++i) {
    places.push_back(folded.d_model());
    folded.lanes.push_back(circuit.lanes[i]);
  }
  ReadIpForKey(folded, fetch);
  Prepend(folded, circuit, places);
  NarrowRanges(folded, fetch, program);
  folded = Reduce(std::move(folded));
  folded.folded = FoldedCode{static_cast<std::uint32_t>(n), CodeSha256(program)};
  TXVM_CHECK_OK(CheckModel(folded));
  TXVM_CHECK_OK(CheckFloat32Exact(folded));
  return folded;
}

std::string CodeSha256(const isa::Program& program) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(program.code.size() * mf::kValues);
  for (const isa::Instruction& instruction : program.code) {
    for (const std::int32_t byte : BytesOf(instruction)) {
      bytes.push_back(static_cast<std::uint8_t>(byte));
    }
  }
  // NarrowRanges takes the checks of operands out for a program that Verify accepts: the same code
  // in one that it refuses, with fewer globals, say, needs them.
  if (!isa::Verify(program)) bytes.push_back(0);
  return isa::Sha256(bytes);
}

Result<void> CheckFoldedWith(const Model& model, const isa::Program& program) {
  if (!model.folded || model.folded->sha256 == CodeSha256(program)) return {};
  return Fail(ErrorCode::kInvalid,
              fmt::format("the weights are folded with another program, of {}",
                          isa::CountText(model.folded->instructions, "instruction")));
}

bool IsGenerated(const Model& model, const isa::Program& program) {
  const Model compiled = CompileModel();
  if (!model.folded) return model == compiled;
  const Result<Model> folded = FoldProgram(compiled, program);
  return folded && *folded == model;
}

std::vector<MemoryRecord> PrefixOf(const Model& model, const isa::Program& program) {
  if (!model.folded) return Tokenise(program);
  isa::Program data;
  data.globals = program.globals;
  data.data = program.data;
  std::vector<MemoryRecord> tokens = Tokenise(data);
  tokens.insert(tokens.begin(), MemoryRecord{});
  return tokens;
}

}  // namespace txvm::weights
