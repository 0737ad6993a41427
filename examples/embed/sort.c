/* A sort that asks the host for the order, and the host asks back: its function reads the items by an export. */
#include <stdio.h>
#include <string.h>
#include <txvm.h>

static const char* const kFruits[] = {"pear", "fig", "apple", "plum"};
enum { kCount = 4 };

static int Fail(txvm_error* error) {
  printf("%s\n", txvm_error_message(error));
  txvm_error_delete(error);
  return 1;
}

/* What the export `at` says of item i; less than 0 when it cannot be called. */
static int32_t ItemAt(txvm_instance* caller, int32_t i) {
  uint32_t at = 0;
  int32_t item = -1;
  txvm_outcome outcome = {.size = sizeof outcome};
  txvm_error* error = txvm_export_find(txvm_instance_program(caller), "at", &at);
  if (!error) error = txvm_host_call(caller, at, &i, 1, &item, 1, &outcome);
  if (error) Fail(error);
  return item;
}

static txvm_host_status Swapped(void* user, txvm_instance* caller, const int32_t* args, int32_t* results) {
  const int32_t first = ItemAt(caller, args[0]), second = ItemAt(caller, args[1]);
  (void)user;
  if (first < 0 || second < 0) return txvm_host_pass(caller);
  results[0] = strcmp(kFruits[first], kFruits[second]) > 0;
  return TXVM_HOST_CONTINUE;
}

int main(void) {
  txvm_engine* engine = NULL;
  txvm_linker* linker = NULL;
  txvm_program* program = NULL;
  txvm_instance* instance = NULL;
  uint32_t put = 0, at = 0, sort = 0;
  txvm_error* error = txvm_engine_new(NULL, &engine);
  if (!error) error = txvm_linker_new(engine, &linker);
  if (!error) error = txvm_linker_define(linker, "host", "swapped", "ii:i", Swapped, NULL, NULL);
  if (!error) error = txvm_program_load_file(engine, "sort.txa", &program);
  if (!error) error = txvm_export_find(program, "put", &put);
  if (!error) error = txvm_export_find(program, "at", &at);
  if (!error) error = txvm_export_find(program, "sort", &sort);
  if (!error) error = txvm_instance_new(program, linker, NULL, &instance);
  if (error) return Fail(error);

  txvm_outcome outcome = {.size = sizeof outcome};
  for (int32_t i = 0; i < kCount && !error; ++i) {
    const int32_t args[] = {i, i};
    error = txvm_call(instance, put, args, 2, NULL, 0, &outcome);
  }
  const int32_t count = kCount;
  if (!error) error = txvm_call(instance, sort, &count, 1, NULL, 0, &outcome);
  if (error) return Fail(error);
  printf("%s\n", outcome.stop == TXVM_HALTED ? "sorted:" : txvm_message(instance));
  for (int32_t i = 0; i < kCount; ++i) {
    int32_t item = 0;
    error = txvm_call(instance, at, &i, 1, &item, 1, &outcome);
    if (error) return Fail(error);
    printf("%s\n", kFruits[item]);
  }
  txvm_instance_delete(instance);
  txvm_program_delete(program);
  txvm_linker_delete(linker);
  txvm_engine_delete(engine);
  return 0;
}
