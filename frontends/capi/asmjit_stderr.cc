// What asmjit's failed assertions are written to, inside the shared library (CMakeLists.txt).
#include <cstdio>

extern "C" {
extern std::FILE* asmjit_stderr;
std::FILE* asmjit_stderr = stderr;
}
