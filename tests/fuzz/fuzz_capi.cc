// libFuzzer: sequences of calls of the C interface. Bytes are read as an index of a call and its
// arguments; objects are made, used in any order, cut by fuel, interrupted, cloned and deleted.
// Every error must have a message, and nothing may crash, leak or go on without end.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/support/result.h"
#include "vm/txvm.h"

namespace {

constexpr const char* kTexts[] = {
    ".func main\n  NOP\n.end\n.export \"main\" main\n",
    ".memory 1 3\n.global 7\n"
    ".import host \"env\" \"host\" params=2 results=1\n"
    ".import grow \"txvm\" \"memory.grow\" params=1 results=1\n"
    ".func f params=2 results=1 locals=3\n  CALL host\n  LOCAL.TEE 2\n  GLOBAL.SET 0\n"
    "  loop\n    LOCAL.GET 2\n    PUSH 1\n    SUB\n    LOCAL.TEE 2\n    br_if 0\n  end\n"
    "  GLOBAL.GET 0\n  I32.LOAD\n.end\n"
    ".func g params=1 results=1\n  CALL grow\n.end\n"
    ".func h params=2 results=2\n  SWAP\n  DUP\n  PUSH 3\n  DIV_S\n  CALL g\n  POP\n.end\n"
    ".func r params=1 results=1\n  PUSH 1\n  ADD\n  CALL r\n.end\n"
    ".export \"f\" f\n.export \"g\" g\n.export \"h\" h\n.export \"r\" r\n",
};
constexpr const char* kNames[] = {"main", "f", "g", "h", "r", "", "env", "host"};
constexpr const char* kSignatures[] = {":", "i:i", "ii:i", "ii", "x:y", "iii:iii"};
constexpr std::uint64_t kMostFuel = 5'000;

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  std::uint32_t Byte() { return empty() ? 0 : data_[at_++]; }
  std::uint32_t Word() {
    std::uint32_t value = Byte();
    if (value >= 0xF0) value = value << 24 | Byte() << 16 | Byte();  // now and then a large one
    return value;
  }
  template <typename T, std::size_t n>
  const T& OneOf(const T (&choices)[n]) {
    return choices[Byte() % n];
  }
  std::string_view Rest(std::size_t most) {
    const std::size_t count = std::min(most, size_ - std::min(at_, size_));
    const std::string_view text(reinterpret_cast<const char*>(data_) + std::min(at_, size_), count);
    at_ += count;
    return text;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

// The objects of one input. A slot may be empty: then its calls get NULL.
struct Objects {
  txvm_engine* engine = nullptr;
  std::array<txvm_program*, 2> programs{};
  std::array<txvm_linker*, 2> linkers{};
  std::array<txvm_instance*, 3> instances{};
  std::array<std::int32_t, 4> args{}, results{};
};

void Use(txvm_error* error) {
  if (error == nullptr) return;
  TXVM_ASSERT(*txvm_error_message(error) != '\0' && *txvm_error_report(error) != '\0');
  TXVM_ASSERT(txvm_error_get_code(error) != TXVM_ERROR_INTERNAL);
  txvm_error_delete(error);
}

txvm_host_status Host(void* user, txvm_instance* caller, const int32_t* args, int32_t* results) {
  const auto mode = reinterpret_cast<std::uintptr_t>(user);
  txvm_frame frames[3];
  txvm_backtrace(caller, frames, 3);
  Use(txvm_memory_write(caller, static_cast<std::uint32_t>(args[0]), args, 4));
  Use(txvm_call(caller, 0, nullptr, 0, nullptr, 0, nullptr));
  if (mode % 8 == 1) txvm_interrupt(caller, TXVM_INTERRUPT_SIGNAL);
  if (mode % 8 == 2) return txvm_host_trap(caller, "told to");
  if (mode % 8 == 3) return txvm_host_exit(caller, args[1]);
  if (mode % 8 == 4) return txvm_host_fail(caller, "told to");
  if (mode % 8 == 5) Use(txvm_memory_grow(caller, 1, nullptr));
  results[0] = args[0] & 63;
  return TXVM_HOST_CONTINUE;
}

void MakeObjects(Objects& o, Bytes& in) {
  const std::uint32_t slot = in.Byte();
  switch (in.Byte() % 4) {
    case 0: {
      txvm_program*& program = o.programs[slot % o.programs.size()];
      txvm_program_delete(program);
      const std::string_view text = in.Byte() % 4 == 0 ? in.Rest(200) : in.OneOf(kTexts);
      Use(txvm_program_load(o.engine, text.data(), text.size(), "fuzz.txa", &program));
      return;
    }
    case 1: {
      txvm_linker*& linker = o.linkers[slot % o.linkers.size()];
      if (linker == nullptr) Use(txvm_linker_new(o.engine, &linker));
      Use(txvm_linker_define(linker, in.OneOf(kNames), in.OneOf(kNames), in.OneOf(kSignatures),
                             Host, reinterpret_cast<void*>(std::uintptr_t{in.Byte()}), nullptr));
      Use(txvm_linker_define(linker, "env", "host", "ii:i", Host,
                             reinterpret_cast<void*>(std::uintptr_t{in.Byte()}), nullptr));
      return;
    }
    case 2: {
      txvm_instance*& instance = o.instances[slot % o.instances.size()];
      txvm_instance_delete(instance);
      txvm_instance_options options{};
      options.size = sizeof(options);
      options.max_slots = 1 + in.Byte() * 4;
      options.max_depth = 1 + in.Byte();
      options.max_locals = 64 + in.Byte();
      options.max_pages = in.Byte() % 4;
      Use(txvm_instance_new(o.programs[in.Byte() % 2], o.linkers[in.Byte() % 2], &options,
                            &instance));
      if (instance != nullptr) Use(txvm_fuel_set(instance, in.Word() % kMostFuel));
      return;
    }
    default:
      switch (slot % 3) {
        case 0:
          txvm_program_delete(std::exchange(o.programs[in.Byte() % 2], nullptr));
          return;
        case 1:
          txvm_linker_delete(std::exchange(o.linkers[in.Byte() % 2], nullptr));
          return;
        default:
          txvm_instance_delete(std::exchange(o.instances[in.Byte() % 3], nullptr));
      }
  }
}

void RunInstance(Objects& o, Bytes& in, txvm_instance* instance) {
  txvm_outcome outcome{};
  outcome.size = in.Byte() % 8 == 0 ? in.Byte() % (sizeof(outcome) + 1) : sizeof(outcome);
  const std::size_t arg_count = in.Byte() % 4, result_count = in.Byte() % 3;
  for (std::size_t i = 0; i < arg_count; ++i) o.args[i] = static_cast<std::int32_t>(in.Word());
  const std::uint32_t function = in.Byte() % 8 == 7 ? TXVM_ENTRY : in.Byte() % 5;
  // Without fuel nothing ends a loop.
  if (txvm_fuel_get(instance) > kMostFuel) Use(txvm_fuel_set(instance, kMostFuel));
  switch (in.Byte() % 5) {
    case 0:
      return Use(txvm_start(instance, &outcome));
    case 1:
      return Use(txvm_call(instance, function, o.args.data(), arg_count, o.results.data(),
                           result_count, &outcome));
    case 2:
      return Use(txvm_begin(instance, function, o.args.data(), arg_count));
    case 3:
      return Use(txvm_step(instance, in.Word(), o.results.data(), result_count, &outcome));
    default:
      return Use(txvm_resume(instance, o.results.data(), result_count, &outcome));
  }
}

void Watch(Bytes& in, txvm_instance* instance) {
  txvm_watch watch{};
  watch.size = sizeof(watch);
  const std::uint32_t bits = in.Byte();
  watch.digest = (bits & 1) != 0;
  watch.stats = (bits & 2) != 0;
  if ((bits & 4) != 0) watch.trace = [](void*, const txvm_trace_record*, std::size_t) {};
  if ((bits & 8) != 0) watch.head = [](void*, const txvm_head*) {};
  if ((bits & 16) != 0) {
    watch.step = [](void*, txvm_instance*, uint32_t ip, uint64_t steps) {
      return ip % 3 != 0 || steps % 5 != 0;
    };
  }
  Use(txvm_watch_set(instance, (bits & 32) != 0 ? nullptr : &watch));
}

void LookAt(Objects& o, Bytes& in, txvm_instance* instance) {
  switch (in.Byte() % 12) {
    case 0:
      return Use(txvm_memory_read(instance, in.Word(), o.args.data(), in.Byte() % 17));
    case 1:
      return Use(txvm_memory_write(instance, in.Word(), o.args.data(), in.Byte() % 17));
    case 2:
      return Use(txvm_memory_grow(instance, in.Byte() % 4, nullptr));
    case 3:
      return Use(txvm_global_get(instance, in.Byte() % 3, o.args.data()));
    case 4:
      return Use(txvm_global_set(instance, in.Byte() % 3, static_cast<std::int32_t>(in.Word())));
    case 5:
      return Use(txvm_breakpoint_set(instance, in.Byte(), in.Byte() % 2 == 0));
    case 6: {
      std::vector<txvm_frame> frames(in.Byte() % 8);
      txvm_backtrace(instance, frames.data(), frames.size());
      TXVM_ASSERT(std::strlen(txvm_message(instance)) < 10'000);
      return;
    }
    case 7: {
      txvm_stats stats{};
      stats.size = sizeof(stats);
      return Use(txvm_stats_get(instance, &stats));
    }
    case 10:
      if (instance == o.instances[2]) return;  // it would be deleted for its own clone
      txvm_instance_delete(std::exchange(o.instances[2], nullptr));
      return Use(txvm_instance_clone(instance, &o.instances[2]));
    case 11: {
      void* buffer = nullptr;
      std::size_t size = 0;
      Use(txvm_snapshot_save(instance, &buffer, &size));
      if (buffer != nullptr && in.Byte() % 4 == 0) {
        static_cast<std::uint8_t*>(buffer)[in.Word() % size] ^= 1;
      }
      Use(txvm_snapshot_restore(o.instances[in.Byte() % 3], buffer, size));
      return txvm_buffer_delete(o.engine, buffer, size);
    }
    case 8:
      return txvm_interrupt_run(instance, txvm_run_number(instance) + in.Byte() % 3,
                                TXVM_INTERRUPT_TIMEOUT);
    default:
      return Watch(in, instance);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes in(data, size);
  Objects o;
  txvm_engine_options options{};
  options.size = sizeof(options);
  options.engine = in.Byte() % 2 == 0 ? "native" : "attention";
  Use(txvm_engine_new(&options, &o.engine));
  constexpr int kMostCalls = 200;
  for (int calls = 0; calls < kMostCalls && !in.empty(); ++calls) {
    txvm_instance* const instance = o.instances[in.Byte() % o.instances.size()];
    switch (in.Byte() % 3) {
      case 0:
        MakeObjects(o, in);
        break;
      case 1:
        RunInstance(o, in, instance);
        break;
      default:
        LookAt(o, in, instance);
    }
  }
  for (txvm_instance* instance : o.instances) txvm_instance_delete(instance);
  for (txvm_program* program : o.programs) txvm_program_delete(program);
  for (txvm_linker* linker : o.linkers) txvm_linker_delete(linker);
  txvm_engine_delete(o.engine);
  return 0;
}
