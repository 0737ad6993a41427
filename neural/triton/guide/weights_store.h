// The networks that `txvm tir learn` has promoted, in the user's folder.
//
// FOLDER/weights/HASH.safetensors is a network, named by the Poseidon2 hash of its weights.
// FOLDER/current names the one in use. FOLDER/history.jsonl tells of each training. Files are
// replaced whole, a network before the name that points to it: a process that is killed leaves the
// last state.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/support/result.h"
#include "neural/llm/workers.h"
#include "neural/triton/guide/experience.h"
#include "neural/triton/guide/network.h"

namespace txvm::triton::guide {

/// 64 hexadecimal digits: the hash that names a network.
std::string HashText(const Network& network);

/// One training, as the history has it.
struct TrainingRecord {
  std::string hash;                      // of the network that was trained
  bool promoted = false;                 // it came into use
  std::size_t learnt = 0, held_out = 0;  // blocks
  std::size_t without = 0;               // instructions that held-out blocks keep without a guide
  std::size_t before = 0, after = 0;     // with the network that was in use; with the new one
  std::size_t random_before = 0, random_after = 0;  // the same of random fragments
  std::uint64_t seconds = 0;
};

/// A folder of networks.
class WeightsStore {
 public:
  explicit WeightsStore(std::string folder) : folder_(std::move(folder)) {}

  /// The name of the network in use; nullopt where it is the one that comes with txvm. Errors: kIo.
  isa::Result<std::optional<std::string>> Current() const;

  /// The network in use. Errors: kCorrupt when the file's weights do not have the hash that names
  /// it; kIo.
  isa::Result<Network> Load() const;

  /// The names of all networks, sorted.
  std::vector<std::string> Names() const;

  /// Keeps the network and puts it to use. Errors: kHost names the file and the reason.
  isa::Result<void> Promote(const Network& network) const;

  /// Puts a kept network to use, by its name or the beginning of it; "shipped" is the one that
  /// comes with txvm. Errors: kUsage when no name or more than one begins like that.
  isa::Result<void> Use(const std::string& name) const;

  /// Adds to the history; and all of it. Errors: kHost, kCorrupt.
  isa::Result<void> Record(const TrainingRecord& record) const;
  isa::Result<std::vector<TrainingRecord>> History() const;

 private:
  std::string PathOf(const std::string& name) const;

  std::string folder_;
};

/// How to learn from experience.
struct ExperienceOptions {
  std::uint64_t seed = 1;
  std::uint64_t seconds = 60;   // no epoch begins later
  std::size_t beam = 8;         // of the searches that measure
  std::size_t fragments = 200;  // random ones on which a new network must not be worse
  /// Called with the seconds gone; false stops. May be empty.
  std::function<bool(std::uint64_t)> progress;
};

/// Trains the network on the buffer's blocks, and measures both on those held out. `promoted` says
/// that the new one leaves fewer instructions there and no more of the random fragments; the caller
/// then promotes it. Errors: kInvalid when the buffer holds no shorter schedule to learn from, or
/// none to measure on.
isa::Result<std::pair<Network, TrainingRecord>> LearnFromExperience(
    const ExperienceBuffer& buffer, const Network& start, const ExperienceOptions& options,
    neural::llm::Workers& workers);

}  // namespace txvm::triton::guide
