// Are the weights load-bearing? One weight at a time is negated or set to 0; some program must then
// end differently.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "tests/weights/mutation_probes.h"
#include "vm/engines/hull.h"

namespace txvm::vm {
namespace {

struct Place {
  std::string matrix;
  std::size_t layer;
  std::vector<weights::Entry>* entries;
  std::size_t index;
};

std::vector<Place> EveryWeight(weights::Model& model) {
  std::vector<Place> places;
  std::size_t index = 0;
  const auto add = [&](const std::string& name, weights::SparseMatrix& matrix) {
    for (std::size_t i = 0; i < matrix.entries.size(); ++i) {
      places.push_back({name, index, &matrix.entries, i});
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
    ++index;
  }
  add("w_out", model.w_out);
  return places;
}

/// Where a weight is: its layer, the lane it reads, or the lane it writes.
std::string Describe(const Place& place, const weights::Entry& entry, const weights::Model& model) {
  const auto lane = [&](std::uint32_t i) { return model.lanes[i].name; };
  std::string text = "layer " + std::to_string(place.layer) + " " + place.matrix + " ";
  if (place.matrix == "w_gate" || place.matrix == "w_up") {
    const weights::FeedForward& ffn = model.layers[place.layer].ffn;
    const auto& biases = place.matrix == "w_gate" ? ffn.b_gate : ffn.b_up;
    text += "reads " + lane(entry.column) + " for";
    for (const weights::Entry& e : ffn.w_down.entries) {
      if (e.column == entry.row) text += " " + lane(e.row);
    }
    return text + ", weight " + std::to_string(entry.weight) + ", bias " +
           std::to_string(biases[entry.row]);
  }
  if (place.matrix == "w_down" || place.matrix == "w_o") {
    return text + "writes " + lane(entry.row) + ", weight " + std::to_string(entry.weight);
  }
  return text + "reads " + lane(entry.column) + " for row " + std::to_string(entry.row) +
         ", weight " + std::to_string(entry.weight);
}

// W_K is fixed by the digit form, which HullModel::Create refuses to leave: checked in hull_test.
// TXVM_MUTATIONS=2000 takes that many weights, each negated and set to 0; TXVM_MUTATION_SEED=1
// chooses them.
TEST(Mutation, WeightsAreLoadBearing) {
  const char* count = std::getenv("TXVM_MUTATIONS");
  const std::uint64_t sample = count == nullptr ? 8 : std::strtoull(count, nullptr, 10);
  const std::vector<Probe> probes = MakeProbes();
  const weights::Model model = weights::CompileModel();
  const char* seed = std::getenv("TXVM_MUTATION_SEED");
  support::Random random(seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10));
  constexpr int kPasses = 20'000;
  const std::uint64_t passes = PassDigest(CompiledHullModel(), kPasses);
  std::uint64_t killed = 0, tried = 0, in_passes = 0;
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
      if (PassDigest(*hull, kPasses) != passes) {
        ++in_passes;
        continue;
      }
      ++survivors[place.matrix];
      if (count != nullptr) {
        std::printf("survives %s: %s\n", negate ? "negated" : "removed",
                    Describe(place, original, model).c_str());
      }
    }
  }
  std::printf("%llu of %llu mutations change some program's ending\n",
              static_cast<unsigned long long>(killed), static_cast<unsigned long long>(tried));
  std::printf("%llu more change what a single pass yields from a state no probe reaches\n",
              static_cast<unsigned long long>(in_passes));
  for (const auto& [matrix, n] : survivors) {
    std::printf("  %llu survivors in %s\n", static_cast<unsigned long long>(n), matrix.c_str());
  }
  EXPECT_GE(killed * 10, tried * 8);
  if (sample >= 200) {
    EXPECT_GE((killed + in_passes) * 100, tried * 95);
  }
}

}  // namespace
}  // namespace txvm::vm
