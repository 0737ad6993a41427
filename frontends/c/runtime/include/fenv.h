/* Rounding is to the nearest, and no exception is kept. */
#pragma once
#define FE_TONEAREST 0
#define FE_ALL_EXCEPT 0
typedef struct { int unused; } fenv_t;
typedef int fexcept_t;
#define FE_DFL_ENV ((const fenv_t*)0)
static inline int fegetround(void) { return FE_TONEAREST; }
static inline int fesetround(int mode) { return mode != FE_TONEAREST; }
static inline int feclearexcept(int exceptions) { return (void)exceptions, 0; }
static inline int fetestexcept(int exceptions) { return (void)exceptions, 0; }
static inline int feraiseexcept(int exceptions) { return (void)exceptions, 0; }
static inline int fegetexceptflag(fexcept_t* to, int exceptions) { return (void)exceptions, *to = 0, 0; }
static inline int fesetexceptflag(const fexcept_t* from, int exceptions) {
  return (void)from, (void)exceptions, 0;
}
static inline int fegetenv(fenv_t* to) { return (void)to, 0; }
static inline int fesetenv(const fenv_t* from) { return (void)from, 0; }
static inline int feholdexcept(fenv_t* to) { return (void)to, 0; }
static inline int feupdateenv(const fenv_t* from) { return (void)from, 0; }
