// txvm in another program: vm/txvm.h for C++17, header only. Objects own their handles, errors are
// exceptions (txvm::Error), host functions are callables whose signature is read off their type.
//
//   txvm::Engine engine;
//   txvm::Linker linker(engine);
//   linker.Define("env", "log", [](int value) { std::cout << value << '\n'; });
//   txvm::Instance instance(txvm::Program::FromFile(engine, "rules.txa"), linker);
//   int damage = instance.Invoke("damage", 7, 3);
//   double area = instance.Call<double>("area", 2.5, std::int64_t{7});
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
  Error(const std::string& message, txvm_error_code code)
      : std::runtime_error(message), report_(message), code_(code) {}
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

/// A call that a host function made of its caller did not halt. A host function that lets it
/// through passes the trap on.
class CallerStopped : public Stopped {
 public:
  CallerStopped(const std::string& message, const txvm_outcome& ended, txvm_instance* instance)
      : Stopped(message, ended), caller(instance) {}
  txvm_instance* caller;
};

/// An exception of a program. Thrown by a host function, it is thrown in the program, by the name
/// of its tag; one that comes out of a call is found by Instance::Exception and Caller::Exception.
class Thrown : public std::runtime_error {
 public:
  Thrown(const std::string& tag_name, std::vector<txvm_value> of)
      : std::runtime_error("exception of " + tag_name), tag(tag_name), values(std::move(of)) {}
  std::string tag;
  std::vector<txvm_value> values;  // ToValue makes them
};

/// Throws Error when there is one.
inline void Check(txvm_error* error) {
  if (error == nullptr) return;
  const std::unique_ptr<txvm_error, decltype(&txvm_error_delete)> owned(error, txvm_error_delete);
  throw Error(error);
}

/// A v128 by its i32 lanes, the lowest first.
using Vector = std::array<std::int32_t, 4>;

/// How numbers of C++ are values of a program: integers of at most 32 bits are i32, of 64 bits i64,
/// float is f32 and double f64; a Vector is v128.
template <typename T>
constexpr txvm_type TypeOf() {
  if constexpr (std::is_same_v<T, Vector>) {
    return TXVM_V128;
  } else {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "a program has numbers alone");
    if constexpr (std::is_floating_point_v<T>) {
      static_assert(sizeof(T) <= sizeof(double), "there is no type for long double");
      return sizeof(T) == sizeof(float) ? TXVM_F32 : TXVM_F64;
    } else {
      return sizeof(T) <= sizeof(std::int32_t) ? TXVM_I32 : TXVM_I64;
    }
  }
}
constexpr char LetterOf(txvm_type type) {
  return type == TXVM_I32   ? 'i'
         : type == TXVM_I64 ? 'l'
         : type == TXVM_F32 ? 'f'
         : type == TXVM_F64 ? 'd'
                            : 'v';
}
template <typename T>
txvm_value ToValue(T number) {
  txvm_value value{};
  value.type = TypeOf<T>();
  if constexpr (TypeOf<T>() == TXVM_I32) value.of.i32 = static_cast<std::int32_t>(number);
  if constexpr (TypeOf<T>() == TXVM_I64) value.of.i64 = static_cast<std::int64_t>(number);
  if constexpr (TypeOf<T>() == TXVM_F32) value.of.f32 = number;
  if constexpr (TypeOf<T>() == TXVM_F64) value.of.f64 = number;
  if constexpr (TypeOf<T>() == TXVM_V128) {
    for (std::size_t i = 0; i < number.size(); ++i) value.of.v128[i] = number[i];
  }
  return value;
}
/// REQUIRES: value.type == TypeOf<T>().
template <typename T>
T FromValue(const txvm_value& value) {
  if constexpr (TypeOf<T>() == TXVM_I32) return static_cast<T>(value.of.i32);
  if constexpr (TypeOf<T>() == TXVM_I64) return static_cast<T>(value.of.i64);
  if constexpr (TypeOf<T>() == TXVM_F32) return value.of.f32;
  if constexpr (TypeOf<T>() == TXVM_F64) return value.of.f64;
  if constexpr (TypeOf<T>() == TXVM_V128) {
    return {value.of.v128[0], value.of.v128[1], value.of.v128[2], value.of.v128[3]};
  }
}
/// A number as a parameter of the type that a letter names: what loses nothing is converted, an
/// integer of at most 32 bits to i64 or f64 and a float to f64; else it keeps its own type.
template <typename T>
txvm_value ToParameter(char letter, T number) {
  constexpr bool kIsSmall = TypeOf<T>() == TXVM_I32;
  if constexpr (kIsSmall) {
    if (letter == 'l') return ToValue(static_cast<std::int64_t>(number));
    if (letter == 'd') return ToValue(static_cast<double>(number));
  }
  if constexpr (TypeOf<T>() == TXVM_F32) {
    if (letter == 'd') return ToValue(static_cast<double>(number));
  }
  return ToValue(number);
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
  /// "attention", "native", "folded", "hull" or "transformer".
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

/// A WebAssembly module to be linked with others; without bytes its file is read.
struct Module {
  std::string name;  // what the modules after it import from it as
  std::string file;  // empty: name
  std::string_view bytes = {};
};

class Program {
 public:
  static Program FromFile(const Engine& engine, const std::string& path) {
    txvm_program* made = nullptr;
    Check(txvm_program_load_file(engine.get(), path.c_str(), &made));
    return Program(made);
  }
  /// .txp, .txa, .wasm and .wat, as txvm_program_load finds out.
  static Program FromBytes(const Engine& engine, std::string_view bytes,
                           const std::string& name = "program.txa") {
    txvm_program* made = nullptr;
    Check(txvm_program_load(engine.get(), bytes.data(), bytes.size(), name.c_str(), &made));
    return Program(made);
  }
  /// Several modules as one program, the last of them; see txvm_program_link. The exports of the
  /// others are "NAME.export".
  static Program Link(const Engine& engine, const std::vector<Module>& modules) {
    std::vector<txvm_module> given;
    for (const Module& module : modules) {
      given.push_back({module.name.c_str(), module.file.empty() ? nullptr : module.file.c_str(),
                       module.bytes.data(), module.bytes.size()});
    }
    txvm_program* made = nullptr;
    Check(txvm_program_link(engine.get(), given.data(), given.size(), &made));
    return Program(made);
  }
  /// The same, and memories, tables and globals that are still imported are made: "env.memory=
  /// memory:17"; see txvm_program_link_importing.
  static Program Link(const Engine& engine, const std::vector<Module>& modules,
                      const std::vector<std::string>& imports) {
    std::vector<txvm_module> given;
    for (const Module& module : modules) {
      given.push_back({module.name.c_str(), module.file.empty() ? nullptr : module.file.c_str(),
                       module.bytes.data(), module.bytes.size()});
    }
    std::vector<const char*> texts;
    for (const std::string& text : imports) texts.push_back(text.c_str());
    txvm_program* made = nullptr;
    Check(txvm_program_link_importing(engine.get(), given.data(), given.size(), texts.data(),
                                      texts.size(), &made));
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
  /// Calls an export of the caller, as Instance::Call does, as a part of its run (txvm_host_call);
  /// throws CallerStopped unless it halts.
  template <typename R, typename... Args>
  R Call(const std::string& name, Args... args) const;
  template <typename R, typename... Args>
  R Call(std::uint32_t function, Args... args) const;
  /// The exception that came out of the last call; throws Error when none has.
  Thrown Exception() const;
  txvm_instance* get() const { return instance_; }

 private:
  txvm_instance* instance_;
};

inline Thrown Caller::Exception() const {
  std::uint32_t tag = 0;
  std::size_t count = 0;
  Check(txvm_exception_get(instance_, &tag, nullptr, 0, &count));
  std::vector<txvm_value> values(count);
  Check(txvm_exception_get(instance_, &tag, values.data(), count, &count));
  return Thrown(txvm_tag_name(txvm_instance_program(instance_), tag), std::move(values));
}

class Instance;

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
  /// Defines module.name. The callable takes numbers (TypeOf says which are i32, i64, f32 and f64),
  /// before them a Caller if it likes, and returns void or one number. What it throws ends the run:
  /// Exit as exited, all else as a trap.
  template <typename Callable>
  void Define(const std::string& module, const std::string& name, Callable callable) {
    DefineAs(module, name, std::function(std::move(callable)));
  }
  /// Defines every function that a living instance exports as module.NAME; see
  /// txvm_linker_define_instance.
  void DefineInstance(const std::string& module, const Instance& instance);
  txvm_linker* get() const { return handle_.get(); }

 private:
  template <typename R, typename... Args>
  void DefineAs(const std::string& module, const std::string& name, std::function<R(Args...)> f) {
    std::string signature;
    (AddLetter<std::decay_t<Args>>(signature), ...);
    signature += ':';
    if constexpr (!std::is_void_v<R>) signature += LetterOf(TypeOf<std::decay_t<R>>());
    const bool is_i32 = signature.find_first_of("lfd") == std::string::npos;
    auto owned = std::make_unique<std::function<R(Args...)>>(std::move(f));
    const auto finalizer = [](void* user) { delete static_cast<std::function<R(Args...)>*>(user); };
    const char* const at[] = {module.c_str(), name.c_str(), signature.c_str()};
    // Words are all that an i32 needs, and fit imports of any types.
    Check(is_i32 ? txvm_linker_define(handle_.get(), at[0], at[1], at[2],
                                      &Trampoline<std::int32_t, R, Args...>, owned.get(), finalizer)
                 : txvm_linker_define_values(handle_.get(), at[0], at[1], at[2],
                                             &Trampoline<txvm_value, R, Args...>, owned.get(),
                                             finalizer));
    static_cast<void>(owned.release());
  }
  template <typename T>
  static void AddLetter(std::string& signature) {
    if constexpr (!std::is_same_v<T, Caller>) signature += LetterOf(TypeOf<T>());
  }
  template <typename T, typename Cell>
  static decltype(auto) Take(txvm_instance* caller, const Cell*& next) {
    if constexpr (std::is_same_v<std::decay_t<T>, Caller>) {
      return Caller(caller);
    } else if constexpr (std::is_same_v<Cell, txvm_value>) {
      return FromValue<std::decay_t<T>>(*next++);
    } else {
      return static_cast<std::decay_t<T>>(*next++);
    }
  }
  /// Cell: std::int32_t for words, or txvm_value.
  template <typename Cell, typename R, typename... Args>
  static txvm_host_status Trampoline(void* user, txvm_instance* caller,
                                     [[maybe_unused]] const Cell* args,
                                     [[maybe_unused]] Cell* results) {
    try {
      const auto& f = *static_cast<std::function<R(Args...)>*>(user);
      std::tuple<std::decay_t<Args>...> values{Take<Args>(caller, args)...};  // left to right
      if constexpr (std::is_void_v<R>) {
        std::apply(f, values);
      } else if constexpr (std::is_same_v<Cell, txvm_value>) {
        results[0] = ToValue(std::apply(f, values));
      } else {
        results[0] = static_cast<std::int32_t>(std::apply(f, values));
      }
      return TXVM_HOST_CONTINUE;
    } catch (const Exit& exit) {
      return txvm_host_exit(caller, exit.code);
    } catch (const CallerStopped& stopped) {
      return stopped.caller == caller ? txvm_host_pass(caller)
                                      : txvm_host_trap(caller, stopped.what());
    } catch (const Thrown& thrown) {
      std::uint32_t tag = 0;
      const txvm_program* const program = txvm_instance_program(caller);
      txvm_error* const error = txvm_tag_find(program, thrown.tag.c_str(), &tag);
      if (error == nullptr) {
        return txvm_host_throw(caller, tag, thrown.values.data(), thrown.values.size());
      }
      const txvm_host_status status = txvm_host_fail(caller, txvm_error_message(error));
      txvm_error_delete(error);
      return status;
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
  /// Calls an export with numbers of its types; throws Stopped unless it halts, Error when types or
  /// counts do not fit. R is void, a number (an integer of the result's size, float for f32, double
  /// for f64 or f32), or a std::tuple of such for several results. ToParameter says which arguments
  /// are converted.
  template <typename R, typename... Args>
  R Call(const std::string& name, Args... args) {
    std::uint32_t index = 0;
    Check(txvm_export_find(program_, name.c_str(), &index));
    return Call<R>(index, args...);
  }
  template <typename R, typename... Args>
  R Call(std::uint32_t function, Args... args) {
    return CallBy<R>(
        txvm_call_values, get(), [this](const txvm_outcome& outcome) { Expect(outcome); }, function,
        args...);
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
  /// The exception that came out of the last call; throws Error when none has.
  Thrown Exception() const { return Memory().Exception(); }
  std::string Message() const { return txvm_message(get()); }
  std::vector<txvm_frame> Backtrace() const {
    std::vector<txvm_frame> frames(txvm_backtrace(get(), nullptr, 0));
    txvm_backtrace(get(), frames.data(), frames.size());
    return frames;
  }
  txvm_instance* get() const { return handle_.get(); }

 private:
  friend class Caller;
  /// `expect(outcome)` throws unless it halted.
  template <typename R, typename Expected, typename... Args>
  static R CallBy(decltype(&txvm_call_values) call, txvm_instance* instance, Expected expect,
                  std::uint32_t function, Args... args) {
    const char* const known = txvm_export_signature(txvm_instance_program(instance), function);
    const std::string signature = known == nullptr ? ":" : known;
    const std::size_t colon = signature.find(':');
    std::size_t next = 0;
    // A letter more than there are keeps the argument's type; the call refuses the count.
    [[maybe_unused]] const auto letter = [&] { return next < colon ? signature[next++] : ' '; };
    const std::array<txvm_value, sizeof...(Args) + 1> values{ToParameter(letter(), args)...};
    std::vector<txvm_value> results(signature.size() - colon - 1);
    CheckResults<R>(signature.substr(colon + 1));
    txvm_outcome outcome = NewOutcome();
    Check(call(instance, function, values.data(), sizeof...(Args), results.data(), results.size(),
               &outcome));
    expect(outcome);
    if constexpr (!std::is_void_v<R>) return ResultsAs(results, static_cast<R*>(nullptr));
  }
  template <typename T>
  static bool Fits(char letter) {
    return letter == LetterOf(TypeOf<T>()) || (letter == 'f' && TypeOf<T>() == TXVM_F64);
  }
  template <typename... Ts>
  static bool FitAll(const std::string& letters, const std::tuple<Ts...>*) {
    std::size_t next = 0;
    return letters.size() == sizeof...(Ts) && (Fits<Ts>(letters[next++]) && ...);
  }
  template <typename R>
  static void CheckResults(const std::string& letters) {
    bool fits = letters.empty();
    if constexpr (std::is_arithmetic_v<R> || std::is_enum_v<R>) {
      fits = letters.size() == 1 && Fits<R>(letters[0]);
    } else if constexpr (!std::is_void_v<R>) {
      fits = FitAll(letters, static_cast<const R*>(nullptr));
    }
    if (!fits) {
      throw Error("the function's results are '" + letters + "', which the call does not ask for",
                  TXVM_ERROR_USAGE);
    }
  }
  template <typename T>
  static T ResultAs(const txvm_value& value) {
    if constexpr (TypeOf<T>() == TXVM_F64) {
      if (value.type == TXVM_F32) return static_cast<T>(value.of.f32);
    }
    return FromValue<T>(value);
  }
  template <typename T>
  static T ResultsAs(const std::vector<txvm_value>& values, const T*) {
    return ResultAs<T>(values[0]);
  }
  template <typename... Ts>
  static std::tuple<Ts...> ResultsAs(const std::vector<txvm_value>& values,
                                     const std::tuple<Ts...>* which) {
    return ResultsAt(values, which, std::index_sequence_for<Ts...>());
  }
  template <typename... Ts, std::size_t... kAt>
  static std::tuple<Ts...> ResultsAt(const std::vector<txvm_value>& values,
                                     const std::tuple<Ts...>*, std::index_sequence<kAt...>) {
    return {ResultAs<Ts>(values[kAt])...};
  }
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

inline void Linker::DefineInstance(const std::string& module, const Instance& instance) {
  Check(txvm_linker_define_instance(get(), module.c_str(), instance.get()));
}

template <typename R, typename... Args>
R Caller::Call(const std::string& name, Args... args) const {
  std::uint32_t index = 0;
  Check(txvm_export_find(txvm_instance_program(instance_), name.c_str(), &index));
  return Call<R>(index, args...);
}

template <typename R, typename... Args>
R Caller::Call(std::uint32_t function, Args... args) const {
  const auto expect = [this](const txvm_outcome& outcome) {
    if (outcome.stop == TXVM_HALTED) return;
    throw CallerStopped(txvm_message(instance_), outcome, instance_);
  };
  return Instance::CallBy<R>(txvm_host_call_values, instance_, expect, function, args...);
}

}  // namespace txvm
