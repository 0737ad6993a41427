#include "tests/weights/mutation_probes.h"

#include <algorithm>

#include "vm/engines/hull.h"
#include "vm/load.h"

namespace txvm::vm {
namespace {

using isa::Instruction;
using isa::Opcode;
namespace sf = weights::state_field;

/// Every shift by every count, of words in which each bit is set and clear.
std::vector<Probe> ShiftProbes() {
  std::vector<Probe> probes;
  for (const Opcode op :
       {Opcode::kShl, Opcode::kShrU, Opcode::kShrS, Opcode::kRotl, Opcode::kRotr}) {
    for (const Word word : {0x96A5C33Du, 0x695A3CC2u}) {
      Probe probe;
      for (Word count = 0; count < 32; ++count) {
        probe.program.code.emplace_back(Opcode::kPush, word);
        probe.program.code.emplace_back(Opcode::kPush, count);
        probe.program.code.emplace_back(op);
        probe.program.code.emplace_back(Opcode::kPop);
      }
      probe.program.code.emplace_back(Opcode::kHalt);
      probe.fuel = 200;
      probes.push_back(std::move(probe));
    }
  }
  return probes;
}

/// `op` on each pair, the results dropped.
Probe PairsProbe(Opcode op, const std::vector<std::pair<Word, Word>>& pairs) {
  Probe probe;
  for (const auto& [a, b] : pairs) {
    probe.program.code.emplace_back(Opcode::kPush, a);
    probe.program.code.emplace_back(Opcode::kPush, b);
    probe.program.code.emplace_back(op);
    probe.program.code.emplace_back(Opcode::kPop);
  }
  probe.program.code.emplace_back(Opcode::kHalt);
  probe.fuel = probe.program.code.size();
  return probe;
}

/// Every byte as a shift count, and products and sums of every size.
std::vector<Probe> ValueProbes() {
  constexpr Word kEveryByte = 0x01010101;
  support::Random random(23);
  std::vector<std::pair<Word, Word>> counts, products, sums, large;
  for (Word byte = 0; byte < 256; ++byte) {
    counts.emplace_back(0x96A5C33D, byte);
    products.emplace_back(random.Word(), random.Word());
    products.emplace_back(random.Word(), random.Word() >> random.Below(32));
    sums.emplace_back(random.InterestingWord(), random.InterestingWord());
    large.emplace_back(byte * kEveryByte, ~Word{0});  // columns of every size
    large.emplace_back(random.Word() | 0xE0E0E0E0, random.Word() | 0xE0E0E0E0);
  }
  return {PairsProbe(Opcode::kShl, counts),   PairsProbe(Opcode::kRotr, counts),
          PairsProbe(Opcode::kMul, products), PairsProbe(Opcode::kMul, large),
          PairsProbe(Opcode::kAdd, sums),     PairsProbe(Opcode::kLeS, sums),
          PairsProbe(Opcode::kGtU, sums)};
}

/// Bit counts of every byte at every place, nothing below it.
Probe CountProbe(Opcode op) {
  Probe probe;
  for (Word v = 1; v < 256; ++v) {
    for (Word shift = 0; shift < 32; shift += 8) {
      const Word below = op == Opcode::kCtz ? 0xAAAAAA00 : 0x00AAAAAA;
      probe.program.code.emplace_back(Opcode::kPush, v << shift | (below << shift >> shift));
      probe.program.code.emplace_back(Opcode::kPush, v << shift);
      probe.program.code.emplace_back(op);
      probe.program.code.emplace_back(Opcode::kSwap);
      probe.program.code.emplace_back(op);
      probe.program.code.emplace_back(Opcode::kPop);
      probe.program.code.emplace_back(Opcode::kPop);
    }
  }
  probe.program.code.emplace_back(Opcode::kHalt);
  probe.fuel = probe.program.code.size();
  return probe;
}

/// Every opcode with operands it must not have.
std::vector<Probe> MalformedProbes() {
  std::vector<Probe> probes;
  for (const isa::OpcodeInfo& op : isa::kOpcodes) {
    for (const auto& [aux, arg] : {std::pair{1u, 0u}, {0u, 1u}, {2u, 0u}, {0u, 0x80000001u}}) {
      Probe probe;
      for (Word i = 0; i < 3; ++i) probe.program.code.emplace_back(Opcode::kPush, 1);
      probe.program.code.emplace_back(op.op, arg, aux);
      probe.program.code.emplace_back(Opcode::kHalt);
      probe.program.memory = isa::MemorySpec{1, 1};
      probe.fuel = 5;
      probes.push_back(std::move(probe));
    }
  }
  return probes;
}

/// Code, stack and memory addresses whose third byte is used.
Probe FarProbe() {
  constexpr std::size_t kFar = 70'000;
  Probe probe;
  probe.program.code.assign(kFar, Instruction(Opcode::kNop));
  probe.program.memory = isa::MemorySpec{2, 2};
  probe.args.assign(kFar, 7);
  probe.start = kFar;
  for (const Word value : {1u, 2u, 3u}) {
    probe.program.code.emplace_back(Opcode::kPush, kFar + value);
    probe.program.code.emplace_back(Opcode::kPush, 0x01020304 * value);
    probe.program.code.emplace_back(Opcode::kStore);
    probe.program.code.emplace_back(Opcode::kPush, kFar + value);
    probe.program.code.emplace_back(Opcode::kLoad);
    for (const Opcode op : {Opcode::kSwap, Opcode::kRot, Opcode::kSelect, Opcode::kPop}) {
      probe.program.code.emplace_back(op);
    }
  }
  probe.program.code.emplace_back(Opcode::kHalt);
  probe.fuel = 100;
  return probe;
}

}  // namespace

std::string Ending(const Probe& probe, std::shared_ptr<const HullModel> model) {
  const InterruptFlag interrupt(0);
  const isa::Verified verified{};
  const EngineContext context{probe.program, &verified, probe.limits, interrupt};
  const auto engine = MakeHullEngine(context, std::move(model));
  auto state = MakeState(probe.program, probe.limits);
  if (!state) return "no state";
  state->ip = probe.start;
  state->locals_base = static_cast<std::uint32_t>(probe.program.globals.size());
  for (const Word arg : probe.args) state->slots[++state->sp] = arg;
  Observer observer(true, {}, false);
  const Stop stop = engine->Run(*state, probe.fuel, &observer);
  std::string text = std::to_string(static_cast<int>(stop.kind)) + " " +
                     std::to_string(static_cast<int>(stop.cause)) + " " +
                     std::to_string(state->steps) + " " + std::to_string(state->digest) + " " +
                     std::to_string(state->ip) + " " + std::to_string(state->depth);
  for (std::uint64_t i = 0; i < state->memory.size_bytes(); i += 4'099) {
    text += static_cast<char>(state->memory.data()[i]);
  }
  return text;
}

std::vector<Probe> MakeProbes() {
  std::vector<Probe> probes = ShiftProbes();
  support::Random random(17);
  for (const isa::OpcodeInfo& op : isa::kOpcodes) {
    if (op.op_class == isa::OpClass::kFlow) continue;
    Probe probe;
    for (int i = 0; i < 24; ++i) {
      for (std::uint32_t n = 0; n < 3; ++n) {
        const bool address =
            op.op_class == isa::OpClass::kMemory && n == (op.memory_writes > 0 ? 1u : 2u);
        probe.program.code.emplace_back(Opcode::kPush,
                                        address ? random.Below(70'000) : random.InterestingWord());
      }
      const Word arg = op.operand == isa::Operand::kValue    ? random.InterestingWord()
                       : op.operand == isa::Operand::kLocal  ? random.Below(3)
                       : op.operand == isa::Operand::kOffset ? random.Below(4)
                                                             : 0;
      probe.program.code.emplace_back(op.op, arg);
    }
    probe.program.code.emplace_back(Opcode::kHalt);
    probe.program.memory = isa::MemorySpec{1, 1};
    probe.fuel = 100;
    probes.push_back(std::move(probe));
  }
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const support::RandomCase c = support::MakeRandomCase(seed);
    probes.push_back(
        {c.program, c.limits, c.start, c.args, std::min<std::uint64_t>(c.fuel, 300), {}});
  }
  for (Probe& probe : ValueProbes()) probes.push_back(std::move(probe));
  for (Probe& probe : MalformedProbes()) probes.push_back(std::move(probe));
  for (const Opcode op : {Opcode::kClz, Opcode::kCtz, Opcode::kPopcnt}) {
    probes.push_back(CountProbe(op));
  }
  probes.push_back(FarProbe());
  for (Probe& probe : probes) probe.ending = Ending(probe, CompiledHullModel());
  return probes;
}

namespace {

/// Bytes that are small, full, or anything.
std::int32_t RandomByte(support::Random& random, std::uint32_t style) {
  if (style == 0) return static_cast<std::int32_t>(random.Below(3));
  if (style == 1) return random.OneIn(2) ? 255 : static_cast<std::int32_t>(random.Below(2));
  return static_cast<std::int32_t>(random.Below(256));
}

/// Some words of a state are near others: limits reached, tables just long enough.
void Approach(weights::StateRecord& state, std::size_t field, Word word, support::Random& random) {
  if (random.OneIn(2)) return;
  weights::SetWord(std::span(state).subspan(field), word + random.Below(3) - 1);
}

weights::StateRecord RandomState(support::Random& random, const HullToken& fetched) {
  weights::StateRecord state{};
  for (std::size_t word = 0; word < sf::kCarried; word += 4) {
    const std::uint32_t style = random.Below(3);
    for (std::size_t i = word; i < std::min(word + 4, sf::kCarried); ++i) {
      state[i] = RandomByte(random, style);
    }
  }
  const auto word = [&](std::size_t field) {
    return weights::WordAt(std::span(state).subspan(field));
  };
  const auto value = [&](std::size_t first) {
    Word result = 0;
    for (std::size_t i = 4; i-- > 0;) result = result << 8 | fetched.value[first + i];
    return result;
  };
  state[sf::kMicro] = random.OneIn(4) ? static_cast<std::int32_t>(random.Below(34)) : 0;
  state[sf::kPages + 2] &= 1;
  const Word arg = value(4), aux = value(0) >> 8;
  Approach(state, sf::kMaxSlots, word(sf::kSp) + 1, random);
  Approach(state, sf::kMaxDepth, word(sf::kDepth) + 1, random);
  Approach(state, sf::kMaxBase, word(sf::kBase) + aux, random);
  Approach(state, sf::kMaxLocals, word(sf::kBase) + arg, random);
  Approach(state, sf::kGlobals, arg, random);
  Approach(state, sf::kImports, arg & ~isa::kHostCallBit, random);
  return state;
}

}  // namespace

std::uint64_t PassDigest(std::shared_ptr<const HullModel> model, int passes) {
  HullPass pass(std::move(model));
  support::Random random(41);
  std::uint64_t digest = 0;
  const auto mix = [&](std::int64_t v) {
    digest = (digest ^ static_cast<std::uint64_t>(v)) * 0x9E3779B97F4A7C15 + 1;
  };
  for (int i = 0; i < passes; ++i) {
    std::array<HullToken, weights::kHeadCount> tokens;
    for (HullToken& token : tokens) {
      const std::uint32_t style = random.Below(3);
      for (std::uint8_t& byte : token.value)
        byte = static_cast<std::uint8_t>(RandomByte(random, style));
    }
    std::array<std::uint8_t, 8>& code = tokens[0].value;
    code[0] = static_cast<std::uint8_t>(
        isa::kOpcodes[random.Below(static_cast<std::uint32_t>(isa::kOpcodes.size()))].op);
    const isa::OpcodeInfo* info = isa::FindInfo(code[0]);
    const bool allowed = !random.OneIn(8);  // what the opcode may have, mostly
    if (allowed && info->operand != isa::Operand::kCallee) {
      code[1] = info->operand == isa::Operand::kLocal ? code[1] & 1 : 0;
      code[2] = code[3] = 0;
    }
    if (allowed && info->operand == isa::Operand::kNone) std::fill_n(&code[4], 4, std::uint8_t{0});
    const weights::StateRecord state = RandomState(random, tokens[0]);
    std::array<bool, weights::kHeadCount> present;
    for (bool& found : present) found = !random.OneIn(8);
    pass.Run(state, [&](weights::HeadId id, weights::Space, std::int64_t q) {
      const std::size_t head = static_cast<std::size_t>(id);
      mix(q);
      for (std::size_t b = 0; b < 4; ++b) {
        tokens[head].key[b] = static_cast<std::uint8_t>(q >> (8 * b));
      }
      if (!present[head]) {  // a neighbour: one digit differs
        std::uint8_t& digit = tokens[head].key[random.Below(4)];
        digit = static_cast<std::uint8_t>(digit + random.Between(1, 255));
      }
      return static_cast<const HullToken*>(&tokens[head]);
    });
    for (const std::int32_t field : pass.State()) mix(field);
    for (std::size_t slot = 0; slot < weights::kWriteTokens; ++slot) {
      const HullPass::Write write = pass.WriteToken(slot);
      mix(write.present);
      mix(write.valid);
      if (!write.present) continue;
      for (const std::uint8_t byte : write.token.key) mix(byte);
      for (const std::uint8_t byte : write.token.value) mix(byte);
    }
  }
  return digest;
}

}  // namespace txvm::vm
