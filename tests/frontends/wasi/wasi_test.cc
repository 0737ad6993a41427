// Arguments, environment, clocks, random numbers, streams: what every command-line program asks.
#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <string>
#include <vector>

#include "tests/frontends/wasi/wasi_runner.h"

namespace txvm::tests {
namespace {

using frontends::wasi::Errno;
using frontends::wasi::FromSystem;
using frontends::wasi::Options;

TEST(Wasi, DefinesEveryFunctionOfPreviewOne) {
  vm::Linker linker;
  ASSERT_TRUE(frontends::wasi::Define(linker, {}));
  const auto words = [](std::string_view params) {
    std::uint32_t count = 0;
    for (const char type : params) count += type == 'I' ? 2 : 1;
    return count;
  };
  int count = 2;  // proc_exit, proc_raise
#define WASI_CALL(name, types, Handler)                                            \
  {                                                                                \
    const vm::HostBinding* binding = linker.Find(frontends::wasi::kModule, #name); \
    ASSERT_NE(binding, nullptr) << #name;                                          \
    EXPECT_EQ(binding->params, words(types)) << #name;                             \
    EXPECT_EQ(binding->results, 1u) << #name;                                      \
    ++count;                                                                       \
  }
#include "frontends/wasi/functions.def"
#undef WASI_CALL
  EXPECT_EQ(count, 46);  // the functions of wasi_snapshot_preview1, sock_accept among them
  EXPECT_EQ(linker.Find(frontends::wasi::kModule, "proc_exit")->results, 0u);
}

TEST(Wasi, NothingIsASocket) {
  WasiRunner runner;
  EXPECT_EQ(runner.Call("sock_shutdown", {0, 0}), Errno::kNotSocket);
  EXPECT_EQ(runner.Call("sock_shutdown", {9, 0}), Errno::kBadFile);
  EXPECT_EQ(runner.Call("sock_accept", {1, 0, 0}), Errno::kNotSocket);
  EXPECT_EQ(runner.Call("sched_yield", {}), Errno::kSuccess);
}

TEST(Wasi, ArgumentsAndEnvironment) {
  Options options;
  options.arguments = {"prog", "", "two words"};
  options.environment = {"A=1", "B="};
  WasiRunner runner(options);
  EXPECT_EQ(runner.Call("args_sizes_get", {0, 4}), Errno::kSuccess);
  EXPECT_EQ(runner.Read32(0), 3u);
  EXPECT_EQ(runner.Read32(4), 16u);
  EXPECT_EQ(runner.Call("args_get", {100, 200}), Errno::kSuccess);
  EXPECT_EQ(runner.Read32(100), 200u);
  EXPECT_EQ(runner.Read32(104), 205u);
  EXPECT_EQ(runner.Read32(108), 206u);
  EXPECT_EQ(runner.ReadText(200, 16), std::string("prog\0\0two words\0", 16));
  EXPECT_EQ(runner.Call("environ_sizes_get", {0, 4}), Errno::kSuccess);
  EXPECT_EQ(runner.Read32(0), 2u);
  EXPECT_EQ(runner.Call("environ_get", {100, 200}), Errno::kSuccess);
  EXPECT_EQ(runner.ReadText(200, 7), std::string("A=1\0B=\0", 7));
}

TEST(Wasi, VirtualClocksAreTheSameEveryTime) {
  for (int run = 0; run < 2; ++run) {
    WasiRunner runner;
    for (const std::uint64_t expected : {1'000'000u, 2'000'000u, 3'000'000u}) {
      EXPECT_EQ(runner.Call("clock_time_get", {expected % 2 == 0 ? 0u : 1u, 0, 0, 8}),
                Errno::kSuccess);
      EXPECT_EQ(runner.Read64(8), expected);
    }
    EXPECT_EQ(runner.Call("clock_res_get", {0, 8}), Errno::kSuccess);
    EXPECT_EQ(runner.Read64(8), 1'000'000u);
    EXPECT_EQ(runner.Call("clock_time_get", {4, 0, 0, 8}), Errno::kInvalid);
  }
}

TEST(Wasi, RealClocksAdvance) {
  Options options;
  options.real_clock = true;
  WasiRunner runner(options);
  EXPECT_EQ(runner.Call("clock_time_get", {0, 0, 0, 8}), Errno::kSuccess);
  EXPECT_GT(runner.Read64(8), 1'700'000'000'000'000'000u);  // later than 2023
  EXPECT_EQ(runner.Call("clock_time_get", {1, 0, 0, 16}), Errno::kSuccess);
  EXPECT_EQ(runner.Call("clock_time_get", {1, 0, 0, 24}), Errno::kSuccess);
  EXPECT_GE(runner.Read64(24), runner.Read64(16));
}

std::string RandomBytes(const Options& options) {
  WasiRunner runner(options);
  EXPECT_EQ(runner.Call("random_get", {100, 32}), Errno::kSuccess);
  return runner.ReadText(100, 32);
}

TEST(Wasi, RandomNumbersComeFromTheSeed) {
  Options one, two, real;
  two.random_seed = 2;
  real.real_random = true;
  EXPECT_EQ(RandomBytes(one), RandomBytes(one));
  EXPECT_NE(RandomBytes(one), RandomBytes(two));
  EXPECT_NE(RandomBytes(real), RandomBytes(real));
  const std::string bytes = RandomBytes(one);
  EXPECT_GT(std::set<char>(bytes.begin(), bytes.end()).size(), 20u);
}

TEST(Wasi, StreamsReadAndWrite) {
  std::string out, err;
  std::string_view input = "hello, world";
  Options options;
  options.streams.output = [&out](std::span<const std::uint8_t> bytes) {
    out.append(bytes.begin(), bytes.end());
    return static_cast<std::int64_t>(bytes.size());
  };
  options.streams.errors = [&err](std::span<const std::uint8_t> bytes) {
    err.append(bytes.begin(), bytes.begin() + 1);  // a short write
    return std::int64_t{1};
  };
  options.streams.input = [&input](std::span<std::uint8_t> bytes) {
    const std::size_t count = std::min({bytes.size(), input.size(), std::size_t{5}});
    std::copy_n(input.begin(), count, bytes.begin());
    input.remove_prefix(count);
    return static_cast<std::int64_t>(count);
  };
  WasiRunner runner(options);
  runner.WriteText(500, "abcdef");
  for (const auto& [at, value] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {0, 500}, {4, 3}, {8, 0}, {12, 0}, {16, 503}, {20, 3}}) {
    runner.Write32(at, value);
  }
  EXPECT_EQ(runner.Call("fd_write", {1, 0, 3, 40}), Errno::kSuccess);
  EXPECT_EQ(out, "abcdef");
  EXPECT_EQ(runner.Read32(40), 6u);
  EXPECT_EQ(runner.Call("fd_write", {2, 0, 3, 40}), Errno::kSuccess);
  EXPECT_EQ(err, "a");
  EXPECT_EQ(runner.Read32(40), 1u);
  EXPECT_EQ(runner.ReadFrom(0), "hello");
  EXPECT_EQ(runner.ReadFrom(0), ", wor");
  EXPECT_EQ(runner.ReadFrom(0), "ld");
  EXPECT_EQ(runner.ReadFrom(0), "");
  EXPECT_EQ(runner.Call("fd_write", {0, 0, 1, 40}), Errno::kBadFile);
  EXPECT_EQ(runner.Call("fd_read", {1, 0, 1, 40}), Errno::kBadFile);
  EXPECT_EQ(runner.Call("fd_seek", {1, 0, 0, 0, 40}), Errno::kNoSeek);
  EXPECT_EQ(runner.Call("fd_tell", {1, 40}), Errno::kNoSeek);
  EXPECT_EQ(runner.Call("fd_fdstat_get", {1, 40}), Errno::kSuccess);
  EXPECT_EQ(runner.ReadText(40, 1), std::string(1, '\0'));  // unknown, as a pipe: no terminal
  EXPECT_EQ(runner.Call("fd_close", {1}), Errno::kSuccess);
  EXPECT_EQ(runner.Call("fd_write", {1, 0, 3, 40}), Errno::kBadFile);
}

TEST(Wasi, FailuresOfStreamsAreErrorNumbers) {
  Options options;
  options.streams.output = [](std::span<const std::uint8_t>) { return std::int64_t{-EPIPE}; };
  options.streams.input = [](std::span<std::uint8_t>) { return std::int64_t{-EINTR}; };
  WasiRunner runner(options);
  EXPECT_EQ(runner.WriteTo(1, "x"), Errno::kPipe);
  EXPECT_EQ(runner.ReadFrom(0), "error 27");
  EXPECT_EQ(FromSystem(ENOENT), Errno::kNoEntry);
  EXPECT_EQ(FromSystem(12345), Errno::kIo);
}

TEST(Wasi, WithoutStreamsOutputIsDroppedAndInputEmpty) {
  WasiRunner runner;
  EXPECT_EQ(runner.WriteTo(1, "x"), Errno::kSuccess);
  EXPECT_EQ(runner.ReadFrom(0), "");
}

}  // namespace
}  // namespace txvm::tests
