// What host functions answered, so that a run can be gone through again without asking them twice.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "isa/program.h"
#include "vm/host.h"
#include "vm/snapshot.h"

namespace txvm::frontends::cli {

/// A recording of host calls with a place in it. At its end, calls are made and recorded; before
/// it, they are answered from the recording. Not thread-safe.
class HostTape {
 public:
  /// The functions of `linker` that `program` imports, recorded on `tape`. What is not in `linker`
  /// (memory.size and memory.grow) depends on the instance alone and is not recorded.
  /// `changes`, if not empty: how many changes the functions have made outside, up to now.
  static vm::Linker Record(const std::shared_ptr<HostTape>& tape, const isa::Program& program,
                           const vm::Linker& linker, std::function<std::uint64_t()> changes = {});

  /// Calls up to the place, from the first.
  std::uint64_t place() const { return place_; }
  /// Whether the place is the end: what the functions changed outside is as of here.
  bool is_at_end() const { return place_ == first_ + calls_.size(); }
  /// Changes outside that calls after the place have made. They last, wherever the place goes.
  std::uint64_t changes_ahead() const;
  /// Goes to a place that was there before. REQUIRES: Forget has not passed it.
  void GoTo(std::uint64_t place) { place_ = place; }
  /// Forgets the calls before `place`.
  void Forget(std::uint64_t place);
  /// Memory of the recording.
  std::size_t bytes() const { return bytes_; }

 private:
  struct Call {
    vm::HostStatus status;
    std::vector<isa::Word> results;
    std::uint32_t pages = 0;               // afterwards
    std::uint64_t changes = 0;             // that it made outside
    std::vector<vm::SnapshotBlock> wrote;  // blocks of memory that changed, as they became
    std::vector<std::uint32_t> zeroed;     // indices of blocks that became zero
    std::size_t Bytes() const;
  };
  using Args = std::span<const isa::Word>;
  using Results = std::span<isa::Word>;

  vm::HostStatus Answer(const vm::HostFunction& function, bool writes, vm::HostContext& host,
                        Args args, Results results);
  vm::HostStatus Ask(const vm::HostFunction& function, bool writes, vm::HostContext& host,
                     Args args, Results results);

  std::function<std::uint64_t()> changes_;
  std::deque<Call> calls_;   // from the first_ on
  std::uint64_t first_ = 0;  // calls forgotten
  std::uint64_t place_ = 0;
  std::size_t bytes_ = 0;
  std::vector<vm::SnapshotBlock> memory_;  // after the last call that may write
};

}  // namespace txvm::frontends::cli
