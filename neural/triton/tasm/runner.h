// One run of a TasmMachine: the state and the dispatch loop. Internal to machine.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "neural/triton/field/memory.h"
#include "neural/triton/field/tip5.h"
#include "neural/triton/tasm/machine.h"

namespace txvm::triton {

/// INVARIANT: top_ >= stack_.data() + 15 and top_ + kHeadroom < stack_.data() + stack_.size(), so
/// that every register exists and any instruction may push without a check.
class TasmRunner {
 public:
  TasmRunner(const TasmMachine& machine, const TasmInput& input, const TasmOptions& options);

  /// REQUIRES canonical input and an initial stack of at least 16. Call once.
  TasmRun Run();

 private:
  using Step = TasmMachine::Step;
  using Crash = TasmCrash;
  using Failure = std::optional<TasmCrash>;
  struct Frame {
    const Step* origin;       // where a return goes on
    const Step* destination;  // where a recurse goes on
  };
  /// The largest growth of the stack by one instruction (sponge_squeeze).
  static constexpr std::size_t kHeadroom = 10;

  template <bool kHeights>
  Failure Loop();
  bool SetUp();
  bool GrowStack();
  void FillHeights(TasmRun& run) const;

  // The instructions too long for the loop; none changes the stack's length but through `top`.
  Failure Divine(std::uint64_t*& top, std::size_t n);
  Failure ReadIo(std::uint64_t*& top, std::size_t n);
  Failure WriteIo(std::uint64_t*& top, std::size_t n);
  Failure ReadMem(std::uint64_t*& top, std::size_t n);
  Failure WriteMem(std::uint64_t*& top, std::size_t n);
  Failure Hash(std::uint64_t*& top);
  Failure Absorb(std::uint64_t*& top);
  Failure AbsorbMem(std::uint64_t* top);
  Failure Squeeze(std::uint64_t*& top);
  Failure MerkleStep(std::uint64_t* top, bool from_memory);
  void DotStep(std::uint64_t* top, bool base_field);
  void HornerStep(std::uint64_t* top, bool base_field);
  Failure DivMod(std::uint64_t* top);
  /// Records a row of the u32 table when heights are asked for.
  Failure AddU32(U32Kind kind, std::uint64_t lhs, std::uint64_t rhs) {
    if (!options_.heights) return {};
    if (u32_.Add(kind, lhs, static_cast<std::uint32_t>(rhs), budget_)) return {};
    return Crash::kMemoryLimit;
  }
  CascadeSet* Cascade() { return options_.heights ? &cascade_ : nullptr; }

  const TasmMachine& machine_;
  const TasmInput& input_;
  const TasmOptions& options_;
  MemoryBudget budget_;
  std::vector<std::uint64_t> stack_;
  std::uint64_t* top_ = nullptr;
  std::vector<Frame> jumps_;
  std::size_t ip_ = 0;
  std::uint64_t cycles_ = 0;
  std::size_t input_read_ = 0, secret_read_ = 0, digests_read_ = 0;
  std::vector<std::uint64_t> output_;
  TasmRam ram_;
  std::optional<Tip5> sponge_;
  CascadeSet cascade_;
  U32Set u32_;
  std::vector<std::uint64_t> executions_;
};

}  // namespace txvm::triton
