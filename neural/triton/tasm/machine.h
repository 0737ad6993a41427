// Runs Triton code: the semantics, the crash conditions and the exact heights of the nine tables.
//
// Goals: the same output, crash and heights as Triton VM v2 .. v7 (or with the Horner steps of
// later versions), bounded memory, tens of millions of instructions a second. Non-goals: proofs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/support/result.h"
#include "neural/triton/field/tip5.h"
#include "neural/triton/tasm/heights.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// Why a run stopped without `halt`: a row of crashes.def.
enum class TasmCrash : std::uint8_t {
#define TXVM_TASM_CRASH(Name, text, detail) k##Name,
#include "neural/triton/tasm/crashes.def"
#undef TXVM_TASM_CRASH
};

/// The short name of a crash, e.g. "not u32"; a row of crashes.def.
std::string_view TasmCrashText(TasmCrash crash);
/// One clause that explains it.
std::string_view TasmCrashDetail(TasmCrash crash);

/// Everything a program can read. Canonical elements throughout.
struct TasmInput {
  std::vector<std::uint64_t> input{};   // public, read by read_io, first element first
  std::vector<std::uint64_t> secret{};  // read by divine
  std::vector<Digest> digests{};        // read by merkle_step
  /// Initial RAM; a later entry for the same address wins. Other addresses hold 0 here, although a
  /// real prover may choose them.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ram{};
};

/// Limits and wishes for a run.
struct TasmOptions {
  static constexpr std::uint64_t kDefaultMaxCycles = 1'000'000'000;
  static constexpr std::size_t kDefaultMaxMemoryBytes = std::size_t{1} << 30;

  std::uint64_t max_cycles = kDefaultMaxCycles;  // cycle number max_cycles + 1 is a crash
  /// Bytes for the stack, the jump stack, RAM, output and the u32 table together; needing more is a
  /// crash.
  std::size_t max_memory_bytes = kDefaultMaxMemoryBytes;
  bool heights = true;    // false: no table heights, and no time spent on them
  bool keep_ram = false;  // true: TasmRun::ram is filled
  /// For fragments: replaces the initial stack, deepest element first; at least 16 elements.
  std::optional<std::vector<std::uint64_t>> initial_stack;
  bool end_is_halt = false;  // for fragments: reaching the end of the code is a valid stop
};

/// What a run did. A crash is a result, not an error.
struct TasmRun {
  std::optional<TasmCrash> crash;
  std::size_t stop_index = 0;  // the instruction that halted or crashed
  std::uint64_t cycles = 0;    // executed instructions, halt included, a crashing one not
  std::vector<std::uint64_t> output;
  std::vector<std::uint64_t> stack;  // at the stop, deepest element first
  std::size_t input_read = 0, secret_read = 0, digests_read = 0;
  TasmHeights heights;                    // when asked for; of a crashed run: up to the crash
  Seed6 seed6{};                          // the six-table view along the executed instructions
  std::vector<std::uint64_t> executions;  // per instruction, when heights were asked for
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ram;  // when kept, sorted by address
};

/// A program made ready to run: decoded, hashed. Immutable; one may serve many threads.
class TasmMachine {
 public:
  /// kInvalid as CheckTasmProgram. Cost: one Tip5 permutation per 10 program words.
  static isa::Result<TasmMachine> Load(const TasmProgram& program);

  /// Runs from the first instruction. kUsage when an element of `input` or of the initial stack is
  /// not canonical, or the initial stack is shorter than 16.
  isa::Result<TasmRun> Run(const TasmInput& input, const TasmOptions& options = {}) const;

  const Digest& digest() const { return digest_; }
  std::uint64_t words() const { return words_; }

 private:
  friend class TasmRunner;
  struct Step {
    std::uint8_t op;       // TasmOp, or kEnd
    std::uint32_t target;  // instruction index of a call
    std::uint64_t arg;
  };
  static constexpr std::uint8_t kEnd = 0xFF;  // sentinel after the last instruction

  std::vector<Step> steps_;
  std::uint64_t words_ = 0;
  Digest digest_{};
  CascadeSet attestation_;  // limbs looked up while the program is hashed
};

}  // namespace txvm::triton
