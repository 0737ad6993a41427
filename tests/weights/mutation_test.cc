// Are the weights load-bearing? One weight at a time is negated or set to 0; some program must then
// end differently.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "tests/support/random_program.h"
#include "vm/engines/hull.h"
#include "vm/engines/hull_model.h"
#include "vm/load.h"

namespace txvm::vm {
namespace {

using isa::Instruction;
using isa::Opcode;

/// A program, how to start it, and how it ends with the weights as they are.
struct Probe {
  isa::Program program;
  isa::Limits limits;
  std::uint32_t start = 0;
  std::vector<Word> args;
  std::uint64_t fuel = 0;
  std::string ending;
};

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
  support::Random random(23);
  std::vector<std::pair<Word, Word>> counts, products, sums;
  for (Word byte = 0; byte < 256; ++byte) {
    counts.emplace_back(0x96A5C33D, byte);
    products.emplace_back(random.Word(), random.Word());
    products.emplace_back(random.Word(), random.Word() >> random.Below(32));
    sums.emplace_back(random.InterestingWord(), random.InterestingWord());
  }
  return {PairsProbe(Opcode::kShl, counts),   PairsProbe(Opcode::kRotr, counts),
          PairsProbe(Opcode::kMul, products), PairsProbe(Opcode::kAdd, sums),
          PairsProbe(Opcode::kLeS, sums),     PairsProbe(Opcode::kGtU, sums)};
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

/// Short programs of one instruction on edge operands, then random programs.
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
  probes.push_back(FarProbe());
  for (Probe& probe : probes) probe.ending = Ending(probe, CompiledHullModel());
  return probes;
}

struct Place {
  std::string matrix;
  std::vector<weights::Entry>* entries;
  std::size_t index;
};

std::vector<Place> EveryWeight(weights::Model& model) {
  std::vector<Place> places;
  const auto add = [&](const std::string& name, weights::SparseMatrix& matrix) {
    for (std::size_t i = 0; i < matrix.entries.size(); ++i) {
      places.push_back({name, &matrix.entries, i});
    }
  };
  for (weights::ModelLayer& layer : model.layers) {
    for (weights::ModelHead& head : layer.heads) {
      add("w_q", head.w_q);
      add("w_v", head.w_v);
      add("w_o", head.w_o);
    }
    add("w_gate", layer.ffn.w_gate);
    add("w_up", layer.ffn.w_up);
    add("w_down", layer.ffn.w_down);
  }
  add("w_out", model.w_out);
  return places;
}

// W_K is fixed by the digit form, which HullModel::Create refuses to leave: checked in hull_test.
// TXVM_MUTATIONS=2000 takes that many weights, each negated and set to 0.
TEST(Mutation, WeightsAreLoadBearing) {
  const char* count = std::getenv("TXVM_MUTATIONS");
  const std::uint64_t sample = count == nullptr ? 12 : std::strtoull(count, nullptr, 10);
  const std::vector<Probe> probes = MakeProbes();
  const weights::Model model = weights::CompileModel();
  support::Random random(1);
  std::uint64_t killed = 0, tried = 0;
  std::map<std::string, std::uint64_t> survivors;
  for (std::uint64_t i = 0; i < sample; ++i) {
    for (const bool negate : {true, false}) {
      weights::Model mutant = model;
      const std::vector<Place> places = EveryWeight(mutant);
      const support::Random before = random;
      const Place& place = places[random.Below(static_cast<std::uint32_t>(places.size()))];
      if (negate) random = before;  // the same weight again for the second change
      weights::Entry& entry = (*place.entries)[place.index];
      const weights::Entry original = entry;
      if (negate) entry.weight = -entry.weight;
      if (!negate)
        place.entries->erase(place.entries->begin() + static_cast<std::ptrdiff_t>(place.index));
      const auto hull = HullModel::Create(mutant, false);
      ++tried;
      bool found = !hull;
      for (std::size_t p = 0; p < probes.size() && !found; ++p) {
        found = Ending(probes[p], *hull) != probes[p].ending;
      }
      killed += found ? 1 : 0;
      if (found) continue;
      ++survivors[place.matrix];
      if (count != nullptr) {
        std::printf("survives: %s %s[%u, %u] = %d\n", negate ? "negated" : "zeroed",
                    place.matrix.c_str(), original.row, original.column, original.weight);
      }
    }
  }
  std::printf("%llu of %llu mutations change some program's ending\n",
              static_cast<unsigned long long>(killed), static_cast<unsigned long long>(tried));
  for (const auto& [matrix, n] : survivors) {
    std::printf("  %llu survivors in %s\n", static_cast<unsigned long long>(n), matrix.c_str());
  }
  EXPECT_GE(killed * 10, tried * 8);
}

}  // namespace
}  // namespace txvm::vm
