/* A program folded at build time: `txvm compile primes.wat --target c -o primes.c` made C text of
 * it, which is compiled and linked into this program. It runs as on any engine of txvm: the same
 * results, steps, fuel, traps and host calls, which the native engine beside it shows. */
#include <stdio.h>
#include <txvm.h>
#include <txvm_folded.h>

extern const txvm_folded_program primes_folded;

static txvm_host_status Prime(void* user, txvm_instance* caller, const int32_t* args,
                              int32_t* results) {
  (void)caller, (void)results;
  *(int32_t*)user += args[0];
  return TXVM_HOST_CONTINUE;
}

static int Fail(txvm_error* error) {
  printf("%s\n", txvm_error_message(error));
  txvm_error_delete(error);
  return 1;
}

/* Everything on one engine; `folded` attaches the C text. */
static int Run(const char* name, int folded) {
  int32_t sum = 0, result = 0, pieces = 1;
  const int32_t limit = 5000, shares[2] = {7, 0};
  txvm_engine_options options = {.size = sizeof options, .engine = name};
  txvm_outcome outcome = {.size = sizeof outcome};
  txvm_engine* engine = NULL;
  txvm_linker* linker = NULL;
  txvm_program* program = NULL;
  txvm_instance* instance = NULL;
  txvm_error* error = txvm_engine_new(&options, &engine);
  if (!error) error = txvm_linker_new(engine, &linker);
  if (!error) error = txvm_linker_define(linker, "host", "prime", "i:", Prime, &sum, NULL);
  /* The text brings its program: no other file is needed. */
  if (!error) {
    error = txvm_program_load(engine, primes_folded.program, primes_folded.program_size,
                              "primes.txp", &program);
  }
  if (!error && folded) error = txvm_program_attach_folded(program, &primes_folded);
  if (!error) error = txvm_instance_new(program, linker, NULL, &instance);
  if (!error) error = txvm_fuel_set(instance, 10000);
  if (!error) error = txvm_call(instance, 0, &limit, 1, &result, 1, &outcome);
  while (!error && outcome.stop == TXVM_OUT_OF_FUEL) {
    ++pieces;
    error = txvm_fuel_set(instance, 10000);
    if (!error) error = txvm_resume(instance, &result, 1, &outcome);
  }
  if (error) return Fail(error);
  printf("%s: %d primes, sum %d, in %llu steps and %d pieces\n", name, result, sum,
         (unsigned long long)outcome.steps, pieces);
  error = txvm_call(instance, 1, shares, 2, &result, 1, &outcome);
  if (error) return Fail(error);
  printf("%s: trap %d at instruction %u\n", name, (int)outcome.trap, outcome.ip);
  txvm_instance_delete(instance);
  txvm_program_delete(program);
  txvm_linker_delete(linker);
  txvm_engine_delete(engine);
  return 0;
}

int main(void) { return Run("folded", 1) || Run("native", 0); }
