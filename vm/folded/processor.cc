#include "vm/folded/processor.h"

#include <asmjit/core.h>

#include <cstdlib>

namespace txvm::vm::folded {

const Processor& ThisProcessor() {
  static const Processor processor = [] {
    if (std::getenv("TXVM_FOLDED_SSE2") != nullptr) return Processor{};
    const asmjit::CpuFeatures::X86& has = asmjit::CpuInfo::host().features().x86();
    return Processor{.sse4_1 = has.hasSSE4_1(),
                     .sse4_2 = has.hasSSSE3() && has.hasSSE4_1() && has.hasSSE4_2(),
                     .popcnt = has.hasPOPCNT(),
                     .lzcnt = has.hasLZCNT(),
                     .bmi = has.hasBMI(),
                     .bmi2 = has.hasBMI2()};
  }();
  return processor;
}

}  // namespace txvm::vm::folded
