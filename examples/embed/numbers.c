/* Numbers of every type across the border: 64-bit integers and doubles in, out, and through a host function. */
#include <stdio.h>
#include <string.h>
#include <txvm.h>

/* A double inside the program is two words, the low one first: here 1e-9. */
static const char* const kProgram =
    ".import scale \"host\" \"scale\" params=i64,f64 results=f64\n"
    ".func seconds params=i64 results=f64\n"
    "  PUSH 0xE826D695\n"
    "  PUSH 0x3E112E0B\n"
    "  CALL scale\n"
    ".end\n"
    ".export \"seconds\" seconds\n";

static txvm_host_status Scale(void* user, txvm_instance* caller, const txvm_value* args, txvm_value* results) {
  (void)user, (void)caller;
  results[0].of.f64 = (double)args[0].of.i64 * args[1].of.f64;
  return TXVM_HOST_CONTINUE;
}

static int Fail(txvm_error* error) {
  printf("%s\n", txvm_error_message(error));
  txvm_error_delete(error);
  return 1;
}

int main(void) {
  txvm_engine* engine = NULL;
  txvm_linker* linker = NULL;
  txvm_program* program = NULL;
  txvm_instance* instance = NULL;
  txvm_error* error = txvm_engine_new(NULL, &engine);
  if (!error) error = txvm_linker_new(engine, &linker);
  if (!error) error = txvm_linker_define_values(linker, "host", "scale", "ld:d", Scale, NULL, NULL);
  if (!error) error = txvm_program_load(engine, kProgram, strlen(kProgram), "numbers.txa", &program);
  if (!error) error = txvm_instance_new(program, linker, NULL, &instance);
  if (error) return Fail(error);

  printf("seconds is %s\n", txvm_export_signature(program, 0));
  txvm_value time = {TXVM_I64, {.i64 = 1500000000000}}, result;
  txvm_outcome outcome = {.size = sizeof outcome};
  error = txvm_call_values(instance, 0, &time, 1, &result, 1, &outcome);
  if (error) return Fail(error);
  printf("seconds(%lld) = %g\n", (long long)time.of.i64, result.of.f64);

  txvm_value wrong = {TXVM_F32, {.f32 = 1.5f}};
  error = txvm_call_values(instance, 0, &wrong, 1, &result, 1, &outcome);
  if (error) Fail(error);

  txvm_instance_delete(instance);
  txvm_program_delete(program);
  txvm_linker_delete(linker);
  txvm_engine_delete(engine);
  return 0;
}
