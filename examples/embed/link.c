/* Two WebAssembly modules as one program: they share a memory and a mutable global, and call each other's functions. */
#include <stdio.h>
#include <string.h>
#include <txvm.h>

static const char* const kShelf =
    "(module (memory (export \"memory\") 1)"
    "  (global $used (export \"used\") (mut i32) (i32.const 0))"
    "  (func (export \"at\") (param i32) (result i32)"
    "    (i32.load (i32.mul (local.get 0) (i32.const 4)))))";

static const char* const kClerk =
    "(module (import \"shelf\" \"memory\" (memory 1))"
    "  (import \"shelf\" \"used\" (global $used (mut i32)))"
    "  (import \"shelf\" \"at\" (func $at (param i32) (result i32)))"
    "  (func (export \"put\") (param i32) (result i32)"
    "    (i32.store (i32.mul (global.get $used) (i32.const 4)) (local.get 0))"
    "    (global.set $used (i32.add (global.get $used) (i32.const 1)))"
    "    (call $at (i32.sub (global.get $used) (i32.const 1)))))";

static int Fail(txvm_error* error) {
  printf("%s\n", txvm_error_message(error));
  txvm_error_delete(error);
  return 1;
}

static int32_t Ask(txvm_instance* instance, const char* name, int32_t argument) {
  int32_t result = -1;
  uint32_t function = 0;
  txvm_outcome outcome = {.size = sizeof outcome};
  txvm_error* error = txvm_export_find(txvm_instance_program(instance), name, &function);
  if (!error) error = txvm_call(instance, function, &argument, 1, &result, 1, &outcome);
  if (error) Fail(error);
  return result;
}

int main(void) {
  const txvm_module modules[] = {{"shelf", "shelf.wat", kShelf, strlen(kShelf)},
                                 {"clerk", "clerk.wat", kClerk, strlen(kClerk)}};
  txvm_engine* engine = NULL;
  txvm_program* program = NULL;
  txvm_instance* instance = NULL;
  txvm_error* error = txvm_engine_new(NULL, &engine);
  if (!error) error = txvm_program_link(engine, modules, 2, &program);
  if (!error) error = txvm_instance_new(program, NULL, NULL, &instance);
  if (error) return Fail(error);

  printf("put(11) = %d\n", Ask(instance, "put", 11));
  printf("put(22) = %d\n", Ask(instance, "put", 22));
  printf("shelf.at(0) = %d, shelf.at(1) = %d\n", Ask(instance, "shelf.at", 0), Ask(instance, "shelf.at", 1));
  uint32_t used = 0;
  int32_t count = 0;
  error = txvm_global_find(program, "shelf.used", &used);
  if (!error) error = txvm_global_get(instance, used, &count);
  if (error) return Fail(error);
  printf("shelf.used is %d\n", count);

  txvm_program* wrong = NULL;
  const txvm_module strangers[] = {
      modules[0], {"main", "main.wat", "(module (import \"shelf\" \"at\" (func (param i64))))", 51}};
  error = txvm_program_link(engine, strangers, 2, &wrong);
  if (error) Fail(error);

  txvm_instance_delete(instance);
  txvm_program_delete(program);
  txvm_engine_delete(engine);
  return 0;
}
