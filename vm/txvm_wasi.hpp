// WASI preview 1 for programs that another program runs: vm/txvm_wasi.h for C++17, header only.
//
//   txvm::Wasi wasi;
//   wasi.arguments = {"sort", "-r"};
//   wasi.input = "pear\napple\n";
//   txvm::DefineWasi(linker, wasi);
//   txvm::Instance instance(program, linker);
//   int code = txvm::RunWasi(instance);
//   std::string text = txvm::WasiOutput(instance);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "txvm.hpp"
#include "txvm_wasi.h"

namespace txvm {

/// A stream of this process.
struct Inherit {};
/// Output that is kept for WasiOutput and WasiErrors.
struct Keep {};

/// What a program finds; by default nothing at all.
struct Wasi {
  struct Directory {
    std::string host, guest;  // guest empty: as host
    bool read_only = false;
  };
  /// Fills the buffer and returns how many bytes; 0 at the end. What it throws is an I/O error.
  using Read = std::function<std::size_t(char* to, std::size_t count)>;
  /// Takes all bytes. What it throws is an I/O error.
  using Write = std::function<void(std::string_view bytes)>;

  std::vector<std::string> arguments;    // the program's name first
  std::vector<std::string> environment;  // "NAME=VALUE"
  std::vector<Directory> directories;
  bool real_clock = false, real_random = false;
  std::uint64_t random_seed = 0;
  std::uint32_t max_open_files = 0;                                // 0: 256
  std::uint64_t max_written = 0;                                   // 0: no limit
  std::variant<std::monostate, Inherit, std::string, Read> input;  // a string: its bytes
  std::variant<std::monostate, Inherit, Keep, Write> output, errors;
};

namespace detail {

/// The callbacks of a Wasi, which the linker and its instances own.
struct WasiCallbacks {
  Wasi::Read read;
  Wasi::Write write[2];
};

template <typename... Kinds>
txvm_wasi_stream StreamKind(const std::variant<Kinds...>& stream) {
  return static_cast<txvm_wasi_stream>(stream.index());  // the order of the enum
}

inline std::int64_t ReadWasi(void* user, void* to, std::size_t count) {
  try {
    return static_cast<std::int64_t>(
        static_cast<WasiCallbacks*>(user)->read(static_cast<char*>(to), count));
  } catch (...) {
    return -1;
  }
}

inline std::int64_t WriteWasi(void* user, int stream, const void* from, std::size_t count) {
  try {
    static_cast<WasiCallbacks*>(user)->write[stream - 1]({static_cast<const char*>(from), count});
    return static_cast<std::int64_t>(count);
  } catch (...) {
    return -1;
  }
}

inline std::vector<const char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

inline std::string WrittenTo(const Instance& instance, int stream) {
  std::size_t size = 0;
  const void* bytes = txvm_wasi_output(instance.get(), stream, &size);
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

}  // namespace detail

/// Defines WASI for instances that are made with the linker from now on; each has its own files,
/// clock and streams. Throws Error when a directory cannot be opened.
inline void DefineWasi(const Linker& linker, const Wasi& wasi) {
  auto callbacks = std::make_unique<detail::WasiCallbacks>();
  txvm_wasi_options options{};
  options.size = sizeof(options);
  const std::vector<const char*> arguments = detail::Pointers(wasi.arguments);
  const std::vector<const char*> environment = detail::Pointers(wasi.environment);
  std::vector<txvm_wasi_directory> directories;
  for (const Wasi::Directory& one : wasi.directories) {
    directories.push_back(
        {one.host.c_str(), one.guest.empty() ? nullptr : one.guest.c_str(), one.read_only});
  }
  options.arguments = arguments.data();
  options.argument_count = arguments.size();
  options.environment = environment.data();
  options.environment_count = environment.size();
  options.directories = directories.data();
  options.directory_count = directories.size();
  options.real_clock = wasi.real_clock;
  options.real_random = wasi.real_random;
  options.random_seed = wasi.random_seed;
  options.max_open_files = wasi.max_open_files;
  options.max_written = wasi.max_written;
  options.input = detail::StreamKind(wasi.input);
  options.output = detail::StreamKind(wasi.output);
  options.errors = detail::StreamKind(wasi.errors);
  if (const auto* bytes = std::get_if<std::string>(&wasi.input)) {
    options.input_bytes = bytes->data();
    options.input_size = bytes->size();
  }
  if (const auto* read = std::get_if<Wasi::Read>(&wasi.input)) callbacks->read = *read;
  if (const auto* write = std::get_if<Wasi::Write>(&wasi.output)) callbacks->write[0] = *write;
  if (const auto* write = std::get_if<Wasi::Write>(&wasi.errors)) callbacks->write[1] = *write;
  options.read = detail::ReadWasi;
  options.write = detail::WriteWasi;
  options.user = callbacks.get();
  options.finalizer = [](void* user) { delete static_cast<detail::WasiCallbacks*>(user); };
  Check(txvm_linker_define_wasi(linker.get(), &options));
  static_cast<void>(callbacks.release());
}

/// Runs the program as a command (txvm_wasi_run) and returns its exit code, 0 when it just returns.
/// Throws Stopped when it traps, runs out of fuel, is interrupted or its host fails.
inline int RunWasi(Instance& instance) {
  txvm_outcome outcome{};
  outcome.size = sizeof(outcome);
  Check(txvm_wasi_run(instance.get(), &outcome));
  if (outcome.stop == TXVM_HALTED) return 0;
  if (outcome.stop == TXVM_EXITED) return outcome.exit_code;
  throw Stopped(instance.Message(), outcome);
}

/// What the program has written to a stream that is kept.
inline std::string WasiOutput(const Instance& instance) { return detail::WrittenTo(instance, 1); }
inline std::string WasiErrors(const Instance& instance) { return detail::WrittenTo(instance, 2); }

}  // namespace txvm
