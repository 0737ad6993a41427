// What txvm.mjs needs beside vm/txvm.h: callbacks that end in functions of JavaScript, and memory
// to hand structs over in.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "vm/txvm.h"

// txvm.mjs reads and writes these structs by their places: a change here is a change there.
static_assert(sizeof(void*) == 4);
static_assert(sizeof(txvm_outcome) == 48 && offsetof(txvm_outcome, steps) == 32);
static_assert(sizeof(txvm_value) == 24 && offsetof(txvm_value, of) == 8);
static_assert(sizeof(txvm_engine_options) == 20);
static_assert(sizeof(txvm_instance_options) == 28);
static_assert(sizeof(txvm_function) == 16);
static_assert(sizeof(txvm_trace_record) == 32);
static_assert(sizeof(txvm_head) == 64 && offsetof(txvm_head, query) == 24);
static_assert(sizeof(txvm_frame) == 16);
static_assert(sizeof(txvm_state) == 24 && offsetof(txvm_state, steps) == 16);
static_assert(sizeof(txvm_module) == 16);

#define TXVM_JS_IMPORT(name) \
  extern "C" __attribute__((import_module("txvm_js"), import_name(#name)))
#define TXVM_JS_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

/// The number by which txvm.mjs knows a function or an instance, as user data.
void* UserOf(std::uint32_t number) { return reinterpret_cast<void*>(std::uintptr_t{number}); }
std::uint32_t NumberOf(const void* user) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(user));
}

}  // namespace

/// Calls host function `number`: reads args, fills results, returns a txvm_host_status.
TXVM_JS_IMPORT(host)
std::uint32_t HostOfJs(std::uint32_t number, txvm_instance* caller, const txvm_value* args,
                       txvm_value* results);
/// Host function `number` is needed no longer.
TXVM_JS_IMPORT(drop) void DropOfJs(std::uint32_t number);
/// Whether the run of instance `number` goes on before the instruction at `ip`.
TXVM_JS_IMPORT(step) bool StepOfJs(std::uint32_t number, std::uint32_t ip, std::uint64_t steps);
/// Takes records of the run of instance `number`.
TXVM_JS_IMPORT(trace)
void TraceOfJs(std::uint32_t number, const txvm_trace_record* records, std::size_t count);
/// Takes a head of the run of instance `number`.
TXVM_JS_IMPORT(head) void HeadOfJs(std::uint32_t number, const txvm_head* head);

/// Memory for txvm.mjs; a refusal is 0.
TXVM_JS_EXPORT void* txvm_js_allocate(std::size_t bytes) { return std::malloc(bytes); }
TXVM_JS_EXPORT void txvm_js_release(void* memory) { std::free(memory); }

/// txvm_linker_define_values of a function that txvm.mjs knows as `number`.
TXVM_JS_EXPORT txvm_error* txvm_js_define(txvm_linker* linker, const char* module, const char* name,
                                          const char* signature, std::uint32_t number) {
  const auto call = [](void* user, txvm_instance* caller, const txvm_value* args,
                       txvm_value* results) {
    return static_cast<txvm_host_status>(HostOfJs(NumberOf(user), caller, args, results));
  };
  const auto drop = [](void* user) { DropOfJs(NumberOf(user)); };
  return txvm_linker_define_values(linker, module, name, signature, call, UserOf(number), drop);
}

/// txvm_watch_set for an instance that txvm.mjs knows as `number`.
TXVM_JS_EXPORT txvm_error* txvm_js_watch(txvm_instance* instance, std::uint32_t number, bool step,
                                         bool trace, bool head, bool digest, bool stats) {
  txvm_watch watch{};
  watch.size = sizeof(watch);
  watch.user = UserOf(number);
  if (step) {
    watch.step = [](void* user, txvm_instance*, std::uint32_t ip, std::uint64_t steps) {
      return StepOfJs(NumberOf(user), ip, steps);
    };
  }
  if (trace) {
    watch.trace = [](void* user, const txvm_trace_record* records, std::size_t count) {
      TraceOfJs(NumberOf(user), records, count);
    };
  }
  if (head) {
    watch.head = [](void* user, const txvm_head* read) { HeadOfJs(NumberOf(user), read); };
  }
  watch.digest = digest;
  watch.stats = stats;
  return txvm_watch_set(instance, &watch);
}
