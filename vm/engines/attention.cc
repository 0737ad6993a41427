// The dispatch loop of the attention engine, compiled once per Highway target.
//
// A step of this loop is: the fetch head scores the code tile of ip, the value row of the winning
// key is the next instruction; its handler evaluates the read heads its opcode's row in opcodes.def
// asks for. The top of the stack is carried in the state and written to its slot whenever it
// changes. Scores never wait for values: addresses are known early, so heads of several
// instructions are in flight at once, and throughput, not latency, decides the speed.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vm/engines/attention.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
//
#include "vm/engines/attention_loop-inl.h"
#include "vm/tensor/simd_target.h"

#if HWY_ONCE
namespace txvm::vm {

TXVM_SIMD_EXPORT(Target);

AttentionTarget ChooseAttentionTarget() { return TXVM_SIMD_DISPATCH(Target)(); }

}  // namespace txvm::vm
#endif  // HWY_ONCE
