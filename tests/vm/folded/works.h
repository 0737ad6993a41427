// Programs to run on the folded engine, with what to call in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/limits.h"
#include "isa/program.h"
#include "vm/machine.h"
#include "vm/prepared.h"

namespace txvm::vm {

/// One invocation of a program.
struct Work {
  std::string name;
  std::shared_ptr<const isa::Program> program;
  std::uint32_t start = 0;
  std::vector<Word> args;
  isa::Limits limits;
  std::uint64_t most_steps = 0;  // after these it is stopped for good
};

/// The eight workloads of bench/programs and its three float programs. `small`: some 10,000 steps
/// each, else some millions.
std::vector<Work> Workloads(bool small);

/// A program of tests/support/random_program.h.
Work RandomWork(std::uint64_t seed);

/// An instance, with the host functions of the random programs.
Machine LoadWork(const std::shared_ptr<const Prepared>& prepared, const Work& work,
                 EngineKind engine);

/// The first difference between `prepared` on the folded engine and `work` on the native one, in
/// one piece and in `pieces` pieces of random fuel; empty: none. REQUIRES: the same program.
std::string PiecesDiffer(const std::shared_ptr<const Prepared>& prepared, const Work& work,
                         std::uint64_t seed, int pieces);

}  // namespace txvm::vm
