// txvm in another program: vm/txvm.h for C++17, header only. Objects own their handles, errors are
// exceptions (txvm::Error), host functions are callables whose signature is read off their type.
//
//   txvm::Engine engine;
//   txvm::Linker linker(engine);
//   linker.Define("env", "log", [](int value) { std::cout << value << '\n'; });
//   txvm::Instance instance(txvm::Program::FromFile(engine, "rules.txa"), linker);
//   int damage = instance.Invoke("damage", 7, 3);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "txvm.h"

namespace txvm {

/// What a function of the interface refused, with the report that names the place.
class Error : public std::runtime_error {
 public:
  explicit Error(const txvm_error* error)
      : std::runtime_error(txvm_error_message(error)),
        report_(txvm_error_report(error)),
        code_(txvm_error_get_code(error)) {}
  txvm_error_code code() const { return code_; }
  const std::string& report() const { return report_; }

 private:
  std::string report_;
  txvm_error_code code_;
};

/// A run that was to halt did not; what() says how it ended, and where.
class Stopped : public std::runtime_error {
 public:
  Stopped(const std::string& message, const txvm_outcome& ended)
      : std::runtime_error(message), outcome(ended) {}
  txvm_outcome outcome;
};

/// Throws Error when there is one.
inline void Check(txvm_error* error) {
  if (error == nullptr) return;
  const std::unique_ptr<txvm_error, decltype(&txvm_error_delete)> owned(error, txvm_error_delete);
  throw Error(error);
}

template <auto kDelete>
struct Deleter {
  template <typename T>
  void operator()(T* handle) const {
    kDelete(handle);
  }
};

class Engine {
 public:
  /// "attention", "native", "hull" or "transformer".
  explicit Engine(const char* name = "attention", txvm_allocator allocator = {}) {
    txvm_engine_options options{};
    options.size = sizeof(options);
    options.engine = name;
    options.allocator = allocator;
    txvm_engine* made = nullptr;
    Check(txvm_engine_new(&options, &made));
    handle_.reset(made);
  }
  txvm_engine* get() const { return handle_.get(); }

 private:
  std::unique_ptr<txvm_engine, Deleter<txvm_engine_delete>> handle_;
};

class Program {
 public:
  static Program FromFile(const Engine& engine, const std::string& path) {
    txvm_program* made = nullptr;
    Check(txvm_program_load_file(engine.get(), path.c_str(), &made));
    return Program(made);
  }
  /// .txp, .txa, and with libtxvm.a .wasm and .wat; the name's ending says .wat.
  static Program FromBytes(const Engine& engine, std::string_view bytes,
                           const std::string& name = "program.txa") {
    txvm_program* made = nullptr;
    Check(txvm_program_load(engine.get(), bytes.data(), bytes.size(), name.c_str(), &made));
    return Program(made);
  }
  /// The number of an export, for calls that do not look names up.
  std::uint32_t Find(const std::string& name) const {
    std::uint32_t index = 0;
    Check(txvm_export_find(get(), name.c_str(), &index));
    return index;
  }
  std::uint32_t FindGlobal(const std::string& name) const {
    std::uint32_t index = 0;
    Check(txvm_global_find(get(), name.c_str(), &index));
    return index;
  }
  txvm_program* get() const { return handle_.get(); }

 private:
  explicit Program(txvm_program* made) : handle_(made) {}
  std::unique_ptr<txvm_program, Deleter<txvm_program_delete>> handle_;
};

/// The instance a host function was called by, without owning it.
class Caller {
 public:
  explicit Caller(txvm_instance* instance) : instance_(instance) {}
  void Read(std::uint64_t offset, void* to, std::size_t count) const {
    Check(txvm_memory_read(instance_, offset, to, count));
  }
  void Write(std::uint64_t offset, const void* from, std::size_t count) const {
    Check(txvm_memory_write(instance_, offset, from, count));
  }
  std::string ReadString(std::uint64_t offset, std::size_t count) const {
    // The length may come from the program: what is out of range throws before it is allocated.
    const std::uint64_t size = txvm_memory_size(instance_);
    if (offset > size || count > size - offset) Read(offset, nullptr, count);
    std::string text(count, '\0');
    Read(offset, text.data(), count);
    return text;
  }
  txvm_instance* get() const { return instance_; }

 private:
  txvm_instance* instance_;
};

/// Thrown by a host function: ends the run as exited with this code.
struct Exit {
  std::int32_t code = 0;
};

class Linker {
 public:
  explicit Linker(const Engine& engine) {
    txvm_linker* made = nullptr;
    Check(txvm_linker_new(engine.get(), &made));
    handle_.reset(made);
  }
  /// Defines module.name. The callable takes 32-bit integers, before them a Caller if it likes, and
  /// returns void or one integer. What it throws ends the run: Exit as exited, all else as a trap.
  template <typename Callable>
  void Define(const std::string& module, const std::string& name, Callable callable) {
    DefineAs(module, name, std::function(std::move(callable)));
  }
  txvm_linker* get() const { return handle_.get(); }

 private:
  template <typename R, typename... Args>
  void DefineAs(const std::string& module, const std::string& name, std::function<R(Args...)> f) {
    constexpr bool kTakesCaller = (std::is_same_v<std::decay_t<Args>, Caller> || ...);
    constexpr std::size_t kParams = sizeof...(Args) - (kTakesCaller ? 1 : 0);
    const std::string signature = std::string(kParams, 'i') + (std::is_void_v<R> ? ":" : ":i");
    auto owned = std::make_unique<std::function<R(Args...)>>(std::move(f));
    Check(txvm_linker_define(
        handle_.get(), module.c_str(), name.c_str(), signature.c_str(), &Trampoline<R, Args...>,
        owned.get(), [](void* user) { delete static_cast<std::function<R(Args...)>*>(user); }));
    static_cast<void>(owned.release());
  }
  template <typename T>
  static decltype(auto) Take(txvm_instance* caller, const std::int32_t*& next) {
    if constexpr (std::is_same_v<std::decay_t<T>, Caller>) {
      return Caller(caller);
    } else {
      return static_cast<std::decay_t<T>>(*next++);
    }
  }
  template <typename R, typename... Args>
  static txvm_host_status Trampoline(void* user, txvm_instance* caller,
                                     [[maybe_unused]] const std::int32_t* args,
                                     [[maybe_unused]] std::int32_t* results) {
    try {
      const auto& f = *static_cast<std::function<R(Args...)>*>(user);
      std::tuple<std::decay_t<Args>...> values{Take<Args>(caller, args)...};  // left to right
      if constexpr (std::is_void_v<R>) {
        std::apply(f, values);
      } else {
        results[0] = static_cast<std::int32_t>(std::apply(f, values));
      }
      return TXVM_HOST_CONTINUE;
    } catch (const Exit& exit) {
      return txvm_host_exit(caller, exit.code);
    } catch (const std::exception& error) {
      return txvm_host_trap(caller, error.what());
    } catch (...) {
      return txvm_host_trap(caller, "unknown exception");
    }
  }
  std::unique_ptr<txvm_linker, Deleter<txvm_linker_delete>> handle_;
};

/// Limits of an instance; 0 is the default of txvm_instance_options.
struct Limits {
  std::uint32_t max_slots = 0, max_depth = 0, max_locals = 0, max_pages = 0;
};

class Instance {
 public:
  /// Runs the start function too, if the program has one, with `fuel`.
  Instance(const Program& program, const Linker& linker, const Limits& limits = {},
           std::uint64_t fuel = TXVM_UNLIMITED_FUEL) {
    Make(program, linker.get(), limits, fuel);
  }
  explicit Instance(const Program& program, const Limits& limits = {},
                    std::uint64_t fuel = TXVM_UNLIMITED_FUEL) {
    Make(program, nullptr, limits, fuel);
  }

  /// Calls an export; throws Stopped unless it halts, Error when the argument count is wrong. The
  /// function returns one result, or none: then this returns 0.
  template <typename... Ints>
  std::int32_t Invoke(const std::string& name, Ints... args) {
    std::uint32_t index = 0;
    Check(txvm_export_find(program_, name.c_str(), &index));
    txvm_function function{};
    Check(txvm_export_get(program_, index, &function));
    const std::array<std::int32_t, sizeof...(Ints) + 1> values{static_cast<std::int32_t>(args)...};
    std::vector<std::int32_t> results(function.results);
    Expect(Call(index, values.data(), sizeof...(Ints), results.data(), results.size()));
    return results.empty() ? 0 : results.front();
  }
  /// Any ending is fine; see txvm_call.
  txvm_outcome Call(std::uint32_t function, const std::int32_t* args, std::size_t arg_count,
                    std::int32_t* results, std::size_t result_count) {
    txvm_outcome outcome = NewOutcome();
    Check(txvm_call(get(), function, args, arg_count, results, result_count, &outcome));
    return outcome;
  }
  txvm_outcome Resume(std::int32_t* results, std::size_t result_count) {
    txvm_outcome outcome = NewOutcome();
    Check(txvm_resume(get(), results, result_count, &outcome));
    return outcome;
  }
  void SetFuel(std::uint64_t fuel) { Check(txvm_fuel_set(get(), fuel)); }
  std::uint64_t Fuel() const { return txvm_fuel_get(get()); }
  /// From any thread; see txvm_interrupt.
  void Interrupt() { txvm_interrupt(get(), TXVM_INTERRUPT_TIMEOUT); }
  Caller Memory() const { return Caller(get()); }
  std::int32_t Global(std::uint32_t index) const {
    std::int32_t value = 0;
    Check(txvm_global_get(get(), index, &value));
    return value;
  }
  void SetGlobal(std::uint32_t index, std::int32_t value) {
    Check(txvm_global_set(get(), index, value));
  }
  std::string Message() const { return txvm_message(get()); }
  std::vector<txvm_frame> Backtrace() const {
    std::vector<txvm_frame> frames(txvm_backtrace(get(), nullptr, 0));
    txvm_backtrace(get(), frames.data(), frames.size());
    return frames;
  }
  txvm_instance* get() const { return handle_.get(); }

 private:
  static txvm_outcome NewOutcome() {
    txvm_outcome outcome{};
    outcome.size = sizeof(outcome);
    return outcome;
  }
  void Expect(const txvm_outcome& outcome) const {
    if (outcome.stop != TXVM_HALTED) throw Stopped(Message(), outcome);
  }
  void Make(const Program& program, const txvm_linker* linker, const Limits& limits,
            std::uint64_t fuel) {
    txvm_instance_options options{};
    options.size = sizeof(options);
    options.max_slots = limits.max_slots;
    options.max_depth = limits.max_depth;
    options.max_locals = limits.max_locals;
    options.max_pages = limits.max_pages;
    txvm_instance* made = nullptr;
    Check(txvm_instance_new(program.get(), linker, &options, &made));
    handle_.reset(made);
    program_ = txvm_instance_program(made);
    SetFuel(fuel);
    txvm_outcome outcome = NewOutcome();
    Check(txvm_start(made, &outcome));
    Expect(outcome);
  }
  std::unique_ptr<txvm_instance, Deleter<txvm_instance_delete>> handle_;
  const txvm_program* program_ = nullptr;  // the instance's
};

}  // namespace txvm
