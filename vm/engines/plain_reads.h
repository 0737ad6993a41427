// Plain loads: how the careful loop of the engines without attention reads.
#pragma once

#include <cstdint>
#include <cstring>

#include "isa/program.h"
#include "vm/state.h"

namespace txvm::vm {

/// Reads for CarefulLoop; see vm/engines/careful-inl.h.
struct PlainReads {
  const isa::Program& program;
  State& state;

  bool Fetch(std::uint32_t ip, isa::Instruction* instruction) const {
    if (ip >= program.code.size()) return false;
    *instruction = program.code[ip];
    return true;
  }
  Word Second(std::uint32_t sp) const { return state.slots[sp - 1]; }
  Word Third(std::uint32_t sp) const { return state.slots[sp - 2]; }
  Word Local(std::uint32_t slot) const { return state.locals[slot]; }
  Frame Call(std::uint32_t depth) const { return state.frames[depth]; }
  Word Memory(std::uint64_t address, unsigned bytes) const {
    Word value = 0;
    std::memcpy(&value, state.memory.data() + address, bytes);
    return value;
  }
  void WroteStack(std::uint32_t) const {}
  void WroteLocal(std::uint32_t) const {}
  void WroteCall(std::uint32_t) const {}
};

}  // namespace txvm::vm
