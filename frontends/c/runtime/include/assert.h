#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
  ((condition) ? (void)0 : __assert_failed(#condition, __FILE__, __LINE__, __func__))
#endif
#ifndef TXVM_ASSERT_H
#define TXVM_ASSERT_H
_Noreturn void __assert_failed(const char* condition, const char* file, int line,
                               const char* function);
#if !defined(__cplusplus) && !defined(static_assert)
#define static_assert _Static_assert
#endif
#endif
