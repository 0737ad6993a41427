// WASI for embedders: txvm_wasi.h and txvm_wasi.hpp.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/vm/capi/api.h"
#include "vm/txvm_wasi.h"
#include "vm/txvm_wasi.hpp"

namespace txvm {
namespace {

using testing::Call;
using testing::ExpectHas;
using testing::LoadText;
using testing::Message;
using testing::NewEngine;
using testing::NewInstance;
using testing::NewLinker;
using testing::NewOutcome;
using testing::Ok;

// One export for each thing a program may ask; errno where it is not said otherwise.
constexpr const char* kProbe = R"((module
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $args_sizes (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_get" (func $args (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "environ_sizes_get"
    (func $environ_sizes (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "environ_get" (func $environ (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get"
    (func $clock (param i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_prestat_get" (func $prestat (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 512) "file.txt")
  (func (export "arguments") (result i32)
    (drop (call $args_sizes (i32.const 0) (i32.const 4)))
    (drop (call $args (i32.const 1024) (i32.const 2048)))
    (i32.load (i32.const 0)))
  (func (export "variables") (result i32)
    (drop (call $environ_sizes (i32.const 0) (i32.const 4)))
    (drop (call $environ (i32.const 1024) (i32.const 2048)))
    (i32.load (i32.const 0)))
  (func (export "milliseconds") (result i32)
    (drop (call $clock (i32.const 1) (i64.const 0) (i32.const 0)))
    (i32.wrap_i64 (i64.div_u (i64.load (i32.const 0)) (i64.const 1000000))))
  (func (export "random") (result i32)
    (drop (call $random (i32.const 0) (i32.const 4))) (i32.load (i32.const 0)))
  (func (export "prestat") (param i32) (result i32) (call $prestat (local.get 0) (i32.const 0)))
  ;; reads at most so many bytes to 4096; how many, or minus the errno
  (func $read_from (export "read") (param $fd i32) (param $count i32) (result i32)
    (local $error i32)
    (i32.store (i32.const 0) (i32.const 4096))
    (i32.store (i32.const 4) (local.get $count))
    (local.set $error (call $read (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8)))
    (if (result i32) (local.get $error)
      (then (i32.sub (i32.const 0) (local.get $error)))
      (else (i32.load (i32.const 8)))))
  ;; writes so many bytes from 4096; how many, or minus the errno
  (func $write_to (export "write") (param $fd i32) (param $count i32) (result i32)
    (local $error i32)
    (i32.store (i32.const 0) (i32.const 4096))
    (i32.store (i32.const 4) (local.get $count))
    (local.set $error (call $write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8)))
    (if (result i32) (local.get $error)
      (then (i32.sub (i32.const 0) (local.get $error)))
      (else (i32.load (i32.const 8)))))
  ;; opens file.txt to read (2) or write (64) with oflags; the descriptor, or minus the errno
  (func (export "open") (param $flags i32) (param $rights i32) (result i32)
    (local $error i32)
    (local.set $error (call $open (i32.const 3) (i32.const 0) (i32.const 512) (i32.const 8)
      (local.get $flags) (i64.extend_i32_u (local.get $rights)) (i64.const 0) (i32.const 0)
      (i32.const 8)))
    (if (result i32) (local.get $error)
      (then (i32.sub (i32.const 0) (local.get $error)))
      (else (i32.load (i32.const 8)))))
  (func (export "sleep") (param $seconds i32) (result i32)
    (memory.fill (i32.const 0) (i32.const 0) (i32.const 48))
    (i32.store (i32.const 16) (i32.const 1))
    (i64.store (i32.const 24)
      (i64.mul (i64.extend_i32_u (local.get $seconds)) (i64.const 1000000000)))
    (call $poll (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128)))
  (func (export "exit") (param i32) (call $exit (local.get 0)))
  ;; copies input to output, and exits with the number of bytes
  (func (export "_start")
    (local $count i32) (local $total i32)
    (loop $next
      (local.set $count (call $read_from (i32.const 0) (i32.const 7)))
      (if (i32.gt_s (local.get $count) (i32.const 0))
        (then
          (drop (call $write_to (i32.const 1) (local.get $count)))
          (local.set $total (i32.add (local.get $total) (local.get $count)))
          (br $next))))
    (if (local.get $total) (then (call $exit (local.get $total)))))))";

txvm_wasi_options NewOptions() {
  txvm_wasi_options options{};
  options.size = sizeof(options);
  return options;
}

/// A folder that goes with its object.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "txvm-wasi-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path() const { return path_; }
  void Put(const std::string& text) const { std::ofstream(path_ + "/file.txt") << text; }
  std::string Get() const {
    std::ifstream file(path_ + "/file.txt");
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

std::string OutputOf(const txvm_instance* instance, int stream) {
  std::size_t size = 0;
  const void* bytes = txvm_wasi_output(instance, stream, &size);
  return {static_cast<const char*>(bytes), size};
}

/// The probe with options, ready to be asked.
class Probe {
 public:
  explicit Probe(const txvm_wasi_options* options, const char* engine_name = "native")
      : engine_(NewEngine(engine_name)),
        program_(LoadText(engine_.get(), kProbe, "probe.wat")),
        linker_(NewLinker(engine_.get())) {
    Ok(txvm_linker_define_wasi(linker_.get(), options));
    instance_ = NewInstance(program_.get(), linker_.get());
  }
  std::int32_t Ask(const char* name, const std::vector<std::int32_t>& args = {}) {
    return AskOf(instance_.get(), name, args);
  }
  static std::int32_t AskOf(txvm_instance* instance, const char* name,
                            const std::vector<std::int32_t>& args = {}) {
    std::vector<std::int32_t> results(1);
    EXPECT_EQ(Call(instance, name, args, &results).stop, TXVM_HALTED) << txvm_message(instance);
    return results.at(0);
  }
  std::string Text(std::uint64_t offset, std::size_t count) {
    std::string text(count, ' ');
    Ok(txvm_memory_read(get(), offset, text.data(), count));
    return text;
  }
  void Write(const std::string& text) {
    Ok(txvm_memory_write(get(), 4096, text.data(), text.size()));
  }
  txvm_outcome Run() {
    txvm_outcome outcome = NewOutcome();
    Ok(txvm_wasi_run(get(), &outcome));
    return outcome;
  }
  std::string Output(int stream) { return OutputOf(get(), stream); }
  txvm_instance* get() { return instance_.get(); }
  txvm_linker* linker() { return linker_.get(); }
  txvm_program* program() { return program_.get(); }
  txvm_engine* engine() { return engine_.get(); }

 private:
  testing::EnginePtr engine_;
  testing::ProgramPtr program_;
  testing::LinkerPtr linker_;
  testing::InstancePtr instance_;
};

class Wasi : public testing::OnEachEngine {};

TEST_P(Wasi, NothingIsInherited) {
  Probe probe(nullptr, GetParam());
  EXPECT_EQ(probe.Ask("arguments"), 0);
  EXPECT_EQ(probe.Ask("variables"), 0);
  EXPECT_EQ(probe.Ask("prestat", {3}), 8);  // bad descriptor
  EXPECT_EQ(probe.Ask("read", {0, 10}), 0);
  EXPECT_EQ(probe.Ask("write", {1, 10}), 10);
  EXPECT_EQ(probe.Ask("milliseconds"), 1);
  EXPECT_EQ(probe.Ask("milliseconds"), 2);
  EXPECT_EQ(probe.Ask("sleep", {3600}), 0);
  EXPECT_EQ(probe.Ask("milliseconds"), 3'600'003);
  EXPECT_EQ(probe.Ask("random"), Probe(nullptr).Ask("random"));
  EXPECT_EQ(probe.Output(1), "");
}

TEST_P(Wasi, ArgumentsAndEnvironmentAreGiven) {
  const char* const arguments[] = {"probe", "--verbose", ""};
  const char* const environment[] = {"A=1", "EMPTY="};
  txvm_wasi_options options = NewOptions();
  options.arguments = arguments;
  options.argument_count = 3;
  options.environment = environment;
  options.environment_count = 2;
  options.random_seed = 7;
  Probe probe(&options, GetParam());
  EXPECT_EQ(probe.Ask("arguments"), 3);
  EXPECT_EQ(probe.Text(2048, 17), std::string("probe\0--verbose\0\0", 17));
  EXPECT_EQ(probe.Ask("variables"), 2);
  EXPECT_EQ(probe.Text(2048, 11), std::string("A=1\0EMPTY=\0", 11));
  EXPECT_NE(probe.Ask("random"), Probe(nullptr).Ask("random"));
}

TEST_P(Wasi, TheExitCodeIsAnOutcome) {
  txvm_wasi_options options = NewOptions();
  options.input = TXVM_WASI_BUFFER;
  options.input_bytes = "words and words";
  options.input_size = 15;
  options.output = TXVM_WASI_BUFFER;
  Probe probe(&options, GetParam());
  const txvm_outcome outcome = probe.Run();
  EXPECT_EQ(outcome.stop, TXVM_EXITED);
  EXPECT_EQ(outcome.exit_code, 15);
  EXPECT_STREQ(txvm_message(probe.get()), "exited with code 15");
  EXPECT_EQ(probe.Output(1), "words and words");
  txvm_wasi_clear(probe.get(), 1);
  EXPECT_EQ(probe.Output(1), "");
  EXPECT_EQ(probe.Run().stop, TXVM_HALTED);  // the input is at its end
}
TXVM_ON_EACH_ENGINE(Wasi);

TEST(WasiFiles, ADirectoryIsGrantedToReadOrToWrite) {
  const Folder folder;
  folder.Put("0123456789");
  const std::string path = folder.path();
  txvm_wasi_directory directory = {path.c_str(), "/data", false};
  txvm_wasi_options options = NewOptions();
  options.directories = &directory;
  options.directory_count = 1;
  Probe writer(&options);
  EXPECT_EQ(writer.Ask("prestat", {3}), 0);
  EXPECT_EQ(writer.Ask("open", {0, 64}), 4);
  writer.Write("abc");
  EXPECT_EQ(writer.Ask("write", {4, 3}), 3);
  EXPECT_EQ(folder.Get(), "abc3456789");
  directory.read_only = true;
  Probe reader(&options);
  EXPECT_EQ(reader.Ask("open", {0, 64}), -63);  // not permitted
  EXPECT_EQ(reader.Ask("open", {8, 2}), -63);   // O_TRUNC
  EXPECT_EQ(reader.Ask("open", {0, 2}), 4);
  EXPECT_EQ(reader.Ask("read", {4, 4}), 4);
  EXPECT_EQ(reader.Text(4096, 4), "abc3");
}

TEST(WasiFiles, LimitsHold) {
  const Folder folder;
  folder.Put("text");
  const std::string path = folder.path();
  const txvm_wasi_directory directory = {path.c_str(), nullptr, false};
  txvm_wasi_options options = NewOptions();
  options.directories = &directory;
  options.directory_count = 1;
  options.max_open_files = 5;  // streams, the folder, one file
  options.max_written = 10;
  options.output = TXVM_WASI_BUFFER;
  Probe probe(&options);
  EXPECT_EQ(probe.Ask("open", {0, 2}), 4);
  EXPECT_EQ(probe.Ask("open", {0, 2}), -33);  // too many files
  EXPECT_EQ(probe.Ask("write", {1, 8}), 8);
  EXPECT_EQ(probe.Ask("write", {1, 8}), 2);
  EXPECT_EQ(probe.Ask("write", {1, 8}), -51);  // no space
  EXPECT_EQ(probe.Output(1).size(), 10u);
  options.max_open_files = 3;
  ExpectHas(Message(txvm_linker_define_wasi(probe.linker(), &options)), "3");
}

TEST(WasiFiles, SnapshotsAndClonesHaveTheFilesAtTheirPlaces) {
  const Folder folder;
  folder.Put("0123456789");
  const std::string path = folder.path();
  const txvm_wasi_directory directory = {path.c_str(), "/data", false};
  txvm_wasi_options options = NewOptions();
  options.directories = &directory;
  options.directory_count = 1;
  options.output = TXVM_WASI_BUFFER;
  Probe probe(&options);
  ASSERT_EQ(probe.Ask("open", {0, 2}), 4);
  EXPECT_EQ(probe.Ask("read", {4, 3}), 3);
  EXPECT_EQ(probe.Ask("milliseconds"), 1);
  probe.Write("kept");
  EXPECT_EQ(probe.Ask("write", {1, 4}), 4);
  void* buffer = nullptr;
  std::size_t size = 0;
  Ok(txvm_snapshot_save(probe.get(), &buffer, &size));
  txvm_instance* clone = nullptr;
  Ok(txvm_instance_clone(probe.get(), &clone));
  const testing::InstancePtr owned(clone);
  EXPECT_EQ(probe.Ask("read", {4, 3}), 3);
  EXPECT_EQ(probe.Text(4096, 3), "345");
  // The clone goes on from where it was made, and keeps its own buffer.
  EXPECT_EQ(Probe::AskOf(clone, "read", {4, 4}), 4);
  char text[4];
  Ok(txvm_memory_read(clone, 4096, text, 4));
  EXPECT_EQ(std::string(text, 4), "3456");
  EXPECT_EQ(Probe::AskOf(clone, "milliseconds"), 2);
  EXPECT_EQ(Probe::AskOf(clone, "write", {1, 4}), 4);
  EXPECT_EQ(OutputOf(clone, 1), "kept3456");
  EXPECT_EQ(probe.Output(1), "kept");
  // A snapshot makes an instance what the first one was.
  Ok(txvm_snapshot_restore(probe.get(), buffer, size));
  EXPECT_STREQ(txvm_wasi_notes(probe.get()), "");
  EXPECT_EQ(probe.Ask("read", {4, 2}), 2);
  EXPECT_EQ(probe.Text(4096, 2), "34");
  EXPECT_EQ(probe.Ask("milliseconds"), 2);
  // What is gone is named, and its descriptor closed; a clone is refused.
  std::filesystem::remove(path + "/file.txt");
  txvm_instance* refused = nullptr;
  ExpectHas(Message(txvm_instance_clone(probe.get(), &refused)),
            "cannot have the files of the instance: descriptor 4 (/data/file.txt)");
  Ok(txvm_snapshot_restore(probe.get(), buffer, size));
  ExpectHas(txvm_wasi_notes(probe.get()), "descriptor 4 (/data/file.txt) is closed");
  EXPECT_EQ(probe.Ask("read", {4, 2}), -8);
  txvm_buffer_delete(probe.engine(), buffer, size);
}

TEST(WasiInstances, EachHasItsOwnClockAndStreams) {
  txvm_wasi_options options = NewOptions();
  options.input = TXVM_WASI_BUFFER;
  options.input_bytes = "abc";
  options.input_size = 3;
  options.output = TXVM_WASI_BUFFER;
  Probe probe(&options);
  EXPECT_EQ(probe.Ask("milliseconds"), 1);
  EXPECT_EQ(probe.Run().exit_code, 3);
  const auto other = NewInstance(probe.program(), probe.linker());
  EXPECT_EQ(Probe::AskOf(other.get(), "milliseconds"), 1);
  txvm_outcome outcome = NewOutcome();
  Ok(txvm_wasi_run(other.get(), &outcome));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(probe.Output(1), "abc");
}

TEST(WasiInstances, AFunctionOfTheLinkerGoesBefore) {
  Probe probe(nullptr);
  const auto fixed = [](void*, txvm_instance* caller, const std::int32_t* args,
                        std::int32_t* results) {
    const std::int32_t four = 4;  // as dice do
    txvm_error_delete(
        txvm_memory_write(caller, static_cast<std::uint32_t>(args[0]), &four, sizeof four));
    results[0] = 0;
    return TXVM_HOST_CONTINUE;
  };
  Ok(txvm_linker_define(probe.linker(), "wasi_snapshot_preview1", "random_get", "ii:i", fixed,
                        nullptr, nullptr));
  const auto instance = NewInstance(probe.program(), probe.linker());
  EXPECT_EQ(Probe::AskOf(instance.get(), "random"), 4);
}

TEST(WasiInstances, ProgramsWithoutWasiAreMadeAsBefore) {
  const auto engine = NewEngine("native");
  const auto linker = NewLinker(engine.get());
  Ok(txvm_linker_define_wasi(linker.get(), nullptr));
  const auto program =
      LoadText(engine.get(), ".func f results=1\n PUSH 3\n.end\n.export \"f\" f\n");
  const auto instance = NewInstance(program.get(), linker.get());
  EXPECT_EQ(Probe::AskOf(instance.get(), "f"), 3);
  std::size_t size = 1;
  EXPECT_EQ(txvm_wasi_output(instance.get(), 1, &size), nullptr);
  EXPECT_EQ(size, 0u);
  EXPECT_STREQ(txvm_wasi_notes(instance.get()), "");
  txvm_outcome outcome = NewOutcome();
  ExpectHas(Message(txvm_wasi_run(instance.get(), &outcome)), "no exported function '_start'");
  txvm_instance* clone = nullptr;
  Ok(txvm_instance_clone(instance.get(), &clone));
  EXPECT_EQ(Probe::AskOf(clone, "f"), 3);
  txvm_instance_delete(clone);
}

/// What the callbacks of C get.
struct Exchange {
  std::string input, output, errors;
  bool fails = false;
  int finalized = 0;
};

TEST(WasiStreams, CallbacksReadAndWrite) {
  Exchange exchange;
  exchange.input = "a longer line";
  txvm_wasi_options options = NewOptions();
  options.input = options.output = options.errors = TXVM_WASI_CALLBACK;
  options.user = &exchange;
  options.read = [](void* user, void* to, std::size_t count) -> std::int64_t {
    auto& self = *static_cast<Exchange*>(user);
    if (self.fails) return -1;
    const std::string piece = self.input.substr(0, count);
    piece.copy(static_cast<char*>(to), piece.size());
    self.input.erase(0, count);
    return static_cast<std::int64_t>(piece.size());
  };
  options.write = [](void* user, int stream, const void* from, std::size_t count) -> std::int64_t {
    auto& self = *static_cast<Exchange*>(user);
    if (self.fails) return -1;
    (stream == 1 ? self.output : self.errors).append(static_cast<const char*>(from), count);
    return static_cast<std::int64_t>(count);
  };
  options.finalizer = [](void* user) { ++static_cast<Exchange*>(user)->finalized; };
  {
    Probe probe(&options);
    EXPECT_EQ(probe.Run().exit_code, 13);
    EXPECT_EQ(exchange.output, "a longer line");
    EXPECT_EQ(probe.Ask("write", {2, 3}), 3);
    EXPECT_EQ(exchange.errors.size(), 3u);
    exchange.fails = true;
    EXPECT_EQ(probe.Ask("write", {1, 3}), -29);  // I/O error
    EXPECT_EQ(probe.Ask("read", {0, 3}), -29);
    Ok(txvm_linker_define_wasi(probe.linker(), nullptr));
    EXPECT_EQ(exchange.finalized, 0);  // the instance still has it
  }
  EXPECT_EQ(exchange.finalized, 1);
}

TEST(WasiStreams, StreamsOfTheProcessAreInheritedWhenAsked) {
  int input[2], output[2];
  ASSERT_EQ(pipe(input), 0);
  ASSERT_EQ(pipe(output), 0);
  ASSERT_EQ(write(input[1], "inherited", 9), 9);
  close(input[1]);
  const int own_input = dup(0), own_output = dup(1);
  txvm_wasi_options options = NewOptions();
  options.input = options.output = TXVM_WASI_INHERIT;
  Probe probe(&options);
  std::fflush(stdout);
  dup2(input[0], 0);
  dup2(output[1], 1);
  const txvm_outcome outcome = probe.Run();
  dup2(own_input, 0);
  dup2(own_output, 1);
  EXPECT_EQ(outcome.exit_code, 9);
  char text[16];
  EXPECT_EQ(std::string(text, static_cast<std::size_t>(read(output[0], text, sizeof text))),
            "inherited");
  for (const int one : {input[0], output[0], output[1], own_input, own_output}) close(one);
}

TEST(WasiStreams, AnInterruptEndsASleepOfTheRealClock) {
  txvm_wasi_options options = NewOptions();
  options.real_clock = true;
  Probe probe(&options);
  const auto before = std::chrono::steady_clock::now();
  std::thread watchdog([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    txvm_interrupt(probe.get(), TXVM_INTERRUPT_TIMEOUT);
  });
  std::vector<std::int32_t> results(1);
  const txvm_outcome outcome = Call(probe.get(), "sleep", {3600}, &results);
  watchdog.join();
  EXPECT_EQ(outcome.stop, TXVM_INTERRUPTED);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(60));
}

TEST(WasiOptions, WhatMakesNoSenseIsRefused) {
  const auto engine = NewEngine();
  const auto linker = NewLinker(engine.get());
  const auto refused = [&](const txvm_wasi_options& options) {
    return Message(txvm_linker_define_wasi(linker.get(), &options));
  };
  EXPECT_EQ(Message(txvm_linker_define_wasi(nullptr, nullptr)), "linker is NULL");
  txvm_wasi_options options = NewOptions();
  options.output = TXVM_WASI_CALLBACK;
  EXPECT_EQ(refused(options), "write is NULL");
  options = NewOptions();
  options.input = TXVM_WASI_CALLBACK;
  EXPECT_EQ(refused(options), "read is NULL");
  options.input = TXVM_WASI_BUFFER;
  options.input_size = 3;
  EXPECT_EQ(refused(options), "input_bytes is NULL");
  options = NewOptions();
  options.argument_count = 1;
  EXPECT_EQ(refused(options), "arguments is NULL");
  const char* const texts[] = {"A=1", "B"};
  options = NewOptions();
  options.environment = texts;
  options.environment_count = 2;
  EXPECT_EQ(refused(options), "environment variable 'B' is not NAME=VALUE");
  const txvm_wasi_directory nowhere = {"/nonexistent", nullptr, false};
  options = NewOptions();
  options.directories = &nowhere;
  options.directory_count = 1;
  EXPECT_EQ(refused(options), "cannot open the folder /nonexistent: No such file or directory");
  options.size = 3;
  EXPECT_NE(refused(options), "");
}

TEST(WasiWrapper, RunsCommandsWithStreams) {
  const Engine engine("native");
  const Program program = Program::FromBytes(engine, kProbe, "probe.wat");
  Linker linker(engine);
  txvm::Wasi wasi;
  wasi.input = "in and out";
  wasi.output = Keep{};
  DefineWasi(linker, wasi);
  Instance instance(program, linker);
  EXPECT_EQ(RunWasi(instance), 10);
  EXPECT_EQ(WasiOutput(instance), "in and out");
  EXPECT_EQ(WasiErrors(instance), "");

  std::string written;
  wasi.input = [left = std::string("from a function")](char* to, std::size_t count) mutable {
    const std::size_t taken = left.copy(to, count);
    left.erase(0, taken);
    return taken;
  };
  wasi.output = [&written](std::string_view bytes) { written += bytes; };
  DefineWasi(linker, wasi);
  Instance other(program, linker);
  EXPECT_EQ(RunWasi(other), 15);
  EXPECT_EQ(written, "from a function");
  EXPECT_EQ(RunWasi(other), 0);

  wasi.output = [](std::string_view) { throw 1; };
  DefineWasi(linker, wasi);
  Instance failing(program, linker);
  EXPECT_EQ(failing.Invoke("write", 1, 4), -29);
  Instance limited(program, linker);
  limited.SetFuel(20);
  EXPECT_THROW(RunWasi(limited), Stopped);
}

}  // namespace
}  // namespace txvm
