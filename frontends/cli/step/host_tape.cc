#include "frontends/cli/step/host_tape.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace txvm::frontends::cli {
namespace {

/// Functions known to leave memory as it is: no need to look for what they changed.
bool MayWrite(const isa::Import& import) {
  return import.module != "spectest" &&
         !(import.module == "env" && (import.name == "print_i32" || import.name == "putchar"));
}

std::uint8_t* BlockOf(vm::LinearMemory& memory, std::uint32_t index) {
  return memory.data() + std::size_t{index} * vm::kSnapshotBlockBytes;
}

std::vector<vm::SnapshotBlock> BlocksOf(const vm::LinearMemory& memory,
                                        std::span<const vm::SnapshotBlock> previous) {
  return vm::TakeBlocks(memory.data(), memory.size_bytes(), previous);
}

}  // namespace

std::size_t HostTape::Call::Bytes() const {
  std::size_t bytes = sizeof(Call) + results.size() * sizeof(isa::Word) + status.message.size() +
                      zeroed.size() * sizeof(std::uint32_t);
  for (const vm::SnapshotBlock& block : wrote) bytes += sizeof(block) + block.bytes->size();
  return bytes;
}

vm::Linker HostTape::Record(const std::shared_ptr<HostTape>& tape, const isa::Program& program,
                            const vm::Linker& linker, std::function<std::uint64_t()> changes) {
  tape->changes_ = std::move(changes);
  vm::Linker recorded;
  for (const isa::Import& import : program.imports) {
    const vm::HostBinding* found = linker.Find(import.module, import.name);
    if (found == nullptr) continue;
    recorded.Define(import.module, import.name, found->params, found->results,
                    [tape, function = found->function, writes = MayWrite(import)](
                        vm::HostContext& host, Args args, Results results) {
                      return tape->Answer(function, writes, host, args, results);
                    });
  }
  return recorded;
}

vm::HostStatus HostTape::Answer(const vm::HostFunction& function, bool writes,
                                vm::HostContext& host, Args args, Results results) {
  if (place_ == first_ + calls_.size()) return Ask(function, writes, host, args, results);
  const Call& call = calls_[place_++ - first_];
  std::ranges::copy(call.results, results.begin());
  if (call.pages > host.memory.pages()) host.memory.Grow(call.pages - host.memory.pages());
  for (const std::uint32_t index : call.zeroed) {
    std::memset(BlockOf(host.memory, index), 0, vm::kSnapshotBlockBytes);
  }
  for (const vm::SnapshotBlock& block : call.wrote) {
    std::uint8_t* const to = BlockOf(host.memory, block.index);
    std::memcpy(to, block.bytes->data(), block.bytes->size());
    std::memset(to + block.bytes->size(), 0, vm::kSnapshotBlockBytes - block.bytes->size());
  }
  return call.status;
}

vm::HostStatus HostTape::Ask(const vm::HostFunction& function, bool writes, vm::HostContext& host,
                             Args args, Results results) {
  std::vector<vm::SnapshotBlock> before;
  if (writes) before = BlocksOf(host.memory, memory_);
  Call call;
  const std::uint64_t changes = changes_ ? changes_() : 0;
  call.status = function(host, args, results);
  if (changes_) call.changes = changes_() - changes;
  call.results.assign(results.begin(), results.end());
  call.pages = host.memory.pages();
  if (writes) {
    memory_ = BlocksOf(host.memory, before);
    std::size_t old = 0;  // blocks of `before` that are accounted for
    for (const vm::SnapshotBlock& block : memory_) {
      for (; old < before.size() && before[old].index < block.index; ++old) {
        call.zeroed.push_back(before[old].index);
      }
      const bool same = old < before.size() && before[old].index == block.index;
      if (!same || before[old].bytes != block.bytes) call.wrote.push_back(block);
      old += same ? 1 : 0;
    }
    for (; old < before.size(); ++old) call.zeroed.push_back(before[old].index);
  }
  bytes_ += call.Bytes();
  vm::HostStatus status = call.status;
  calls_.push_back(std::move(call));
  ++place_;
  return status;
}

std::uint64_t HostTape::changes_ahead() const {
  std::uint64_t changes = 0;
  for (std::uint64_t i = place_; i < first_ + calls_.size(); ++i) {
    changes += calls_[i - first_].changes;
  }
  return changes;
}

void HostTape::Forget(std::uint64_t place) {
  for (; first_ < place && !calls_.empty(); ++first_) {
    bytes_ -= calls_.front().Bytes();
    calls_.pop_front();
  }
}

}  // namespace txvm::frontends::cli
