// Expands TXVM_PURE_<class>_<pops>(Name) for every opcode whose result is a function of its
// operands alone, in table order. Define the rows wanted before including; rows not defined expand
// to nothing. No include guard: included once per use.
// clang-format off
#ifndef TXVM_PURE_kArith_1
#define TXVM_PURE_kArith_1(Name)
#endif
#ifndef TXVM_PURE_kArith_2
#define TXVM_PURE_kArith_2(Name)
#endif
#ifndef TXVM_PURE_kCompare_1
#define TXVM_PURE_kCompare_1(Name)
#endif
#ifndef TXVM_PURE_kCompare_2
#define TXVM_PURE_kCompare_2(Name)
#endif
#ifndef TXVM_PURE_kBits_1
#define TXVM_PURE_kBits_1(Name)
#endif
#ifndef TXVM_PURE_kBits_2
#define TXVM_PURE_kBits_2(Name)
#endif
#ifndef TXVM_PURE_kShift_2
#define TXVM_PURE_kShift_2(Name)
#endif
#define TXVM_PURE_kMove_0(Name)
#define TXVM_PURE_kMove_1(Name)
#define TXVM_PURE_kMove_2(Name)
#define TXVM_PURE_kMove_3(Name)
#define TXVM_PURE_kDivide_2(Name)
#define TXVM_PURE_kMemory_0(Name)
#define TXVM_PURE_kMemory_1(Name)
#define TXVM_PURE_kMemory_2(Name)
#define TXVM_PURE_kFlow_0(Name)
#define TXVM_PURE_kFlow_1(Name)
#define TXVM_OP(code, Name, text, arg, pop, psh, sr, lr, mr, mw, cr, op_class, effect) TXVM_PURE_##op_class##_##pop(Name)
#include "isa/opcodes.def"
#undef TXVM_OP
#undef TXVM_PURE_kArith_1
#undef TXVM_PURE_kArith_2
#undef TXVM_PURE_kCompare_1
#undef TXVM_PURE_kCompare_2
#undef TXVM_PURE_kBits_1
#undef TXVM_PURE_kBits_2
#undef TXVM_PURE_kShift_2
#undef TXVM_PURE_kMove_0
#undef TXVM_PURE_kMove_1
#undef TXVM_PURE_kMove_2
#undef TXVM_PURE_kMove_3
#undef TXVM_PURE_kDivide_2
#undef TXVM_PURE_kMemory_0
#undef TXVM_PURE_kMemory_1
#undef TXVM_PURE_kMemory_2
#undef TXVM_PURE_kFlow_0
#undef TXVM_PURE_kFlow_1
// clang-format on
