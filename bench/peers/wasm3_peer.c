/* wasm3_peer PROG.wasm EXPORT TIMES ARG...: runs an export under wasm3, prints its result and the
 * processor nanoseconds of each run. peers.py builds it with a checkout of wasm3. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "wasm3.h"

static void Check(M3Result result) {
  if (result == m3Err_none) return;
  fprintf(stderr, "%s\n", result);
  exit(1);
}

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  static uint8_t bytes[1 << 24];
  const int times = argc > 3 ? atoi(argv[3]) : 0;
  FILE* file = argc > 3 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) return 2;
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  IM3Environment environment = m3_NewEnvironment();
  IM3Runtime runtime = m3_NewRuntime(environment, 1 << 20, NULL);
  IM3Module module;
  IM3Function function;
  Check(m3_ParseModule(environment, &module, bytes, (uint32_t)size));
  Check(m3_LoadModule(runtime, module));
  Check(m3_FindFunction(&function, runtime, argv[2]));
  for (int i = 0; i < times; ++i) {
    const double start = Now();
    Check(m3_CallArgv(function, (uint32_t)(argc - 4), (const char**)(argv + 4)));
    const double end = Now();
    uint32_t result = 0;
    Check(m3_GetResultsV(function, &result));
    printf("%u %.0f\n", result, end - start);
  }
  return 0;
}
