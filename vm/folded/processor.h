// What the processor has beyond SSE2, which every x86-64 has.
#pragma once

namespace txvm::vm::folded {

/// Instructions that code may use.
struct Processor {
  bool sse4_1 = false;
  bool sse4_2 = false;  // and what came before it, SSSE3 and SSE4.1
  bool popcnt = false, lzcnt = false, bmi = false, bmi2 = false;
};

/// This processor, asked once; with TXVM_FOLDED_SSE2 set in the environment one that has none of
/// these, so that the code for old processors can be run on new ones. Thread-safe.
const Processor& ThisProcessor();

}  // namespace txvm::vm::folded
