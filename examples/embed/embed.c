/* The least a C program needs: load a program, define what it may call, call it, say why it failed. */
#include <stdio.h>
#include <string.h>
#include <txvm.h>

static const char* const kProgram =
    ".import show \"host\" \"show\" params=1 results=0\n"
    ".func average params=2 results=1\n"
    "  ADD\n"
    "  PUSH 2\n"
    "  DIV_S\n"
    "  DUP\n"
    "  CALL show\n"
    ".end\n"
    ".func per params=2 results=1\n"
    "  DIV_S\n"
    ".end\n"
    ".export \"average\" average\n"
    ".export \"per\" per\n";

static txvm_host_status Show(void* user, txvm_instance* caller, const int32_t* args, int32_t* results) {
  (void)user, (void)caller, (void)results;
  printf("the program says %d\n", args[0]);
  return TXVM_HOST_CONTINUE;
}

static int Fail(txvm_error* error) {
  fprintf(stderr, "%s\n", txvm_error_report(error));
  txvm_error_delete(error);
  return 1;
}

static void Call(txvm_instance* instance, const char* name, int32_t a, int32_t b) {
  uint32_t function = 0;
  int32_t result = 0;
  txvm_outcome outcome = {.size = sizeof outcome};
  txvm_error* error = txvm_export_find(txvm_instance_program(instance), name, &function);
  if (!error) error = txvm_call(instance, function, (int32_t[]){a, b}, 2, &result, 1, &outcome);
  if (error) {
    Fail(error);
  } else if (outcome.stop == TXVM_HALTED) {
    printf("%s(%d, %d) = %d in %llu steps\n", name, a, b, result, (unsigned long long)outcome.steps);
  } else {
    printf("%s(%d, %d) %s\n", name, a, b, txvm_message(instance));
  }
}

int main(void) {
  txvm_engine* engine = NULL;
  txvm_linker* linker = NULL;
  txvm_program* program = NULL;
  txvm_instance* instance = NULL;
  txvm_error* error = txvm_engine_new(NULL, &engine);
  if (!error) error = txvm_linker_new(engine, &linker);
  if (!error) error = txvm_linker_define(linker, "host", "show", "i:", Show, NULL, NULL);
  if (!error) error = txvm_program_load(engine, kProgram, strlen(kProgram), "embed.txa", &program);
  if (!error) error = txvm_instance_new(program, linker, NULL, &instance);
  if (error) return Fail(error);
  Call(instance, "average", 3, 9);
  Call(instance, "per", 7, 0);
  Call(instance, "median", 1, 2);
  txvm_instance_delete(instance);
  txvm_program_delete(program);
  txvm_linker_delete(linker);
  txvm_engine_delete(engine);
  return 0;
}
