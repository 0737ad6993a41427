/* The headers are C: this calls through it, and the test of wrapper_test.cc calls this. */
#include "vm/txvm.h"
#include "vm/txvm_wasi.h"

#include <string.h>

static txvm_host_status Twice(void* user, txvm_instance* caller, const int32_t* args,
                              int32_t* results) {
  (void)caller;
  *(int*)user += 1;
  results[0] = 2 * args[0];
  return TXVM_HOST_CONTINUE;
}

/* The result of f(x) = twice(x) + 1, or -1 when anything fails. */
int txvm_test_from_c(int x, int* calls);
int txvm_test_from_c(int x, int* calls) {
  const char* text =
      ".import twice \"env\" \"twice\" params=1 results=1\n"
      ".func f params=1 results=1\n  CALL twice\n  PUSH 1\n  ADD\n.end\n.export \"f\" f\n";
  txvm_engine* engine = NULL;
  txvm_linker* linker = NULL;
  txvm_program* program = NULL;
  txvm_instance* instance = NULL;
  txvm_error* error = txvm_engine_new(NULL, &engine);
  if (!error) error = txvm_linker_new(engine, &linker);
  if (!error) error = txvm_linker_define(linker, "env", "twice", "i:i", Twice, calls, NULL);
  txvm_wasi_options wasi = {.size = sizeof wasi};
  if (!error) error = txvm_linker_define_wasi(linker, &wasi);
  if (!error) error = txvm_program_load(engine, text, strlen(text), "f.txa", &program);
  if (!error) error = txvm_instance_new(program, linker, NULL, &instance);
  uint32_t f = 0;
  if (!error) error = txvm_export_find(program, "f", &f);
  int32_t arg = x, result = -1;
  txvm_outcome outcome = {.size = sizeof outcome};
  if (!error) error = txvm_call(instance, f, &arg, 1, &result, 1, &outcome);
  if (error || outcome.stop != TXVM_HALTED) result = -1;
  txvm_error_delete(error);
  txvm_engine_delete(engine);
  txvm_linker_delete(linker);
  txvm_program_delete(program);
  txvm_instance_delete(instance);
  return result;
}
