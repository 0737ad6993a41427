// Calls no honest program makes: pointers and counts outside memory.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/c/temp_folder.h"
#include "tests/frontends/wasi/wasi_runner.h"
#include "tests/support/random.h"

namespace txvm::tests {
namespace {

using frontends::wasi::Errno;
using frontends::wasi::Options;

constexpr std::uint32_t kEnd = 65'536;  // of the one page

TEST(WasiHostile, BuffersOutsideMemoryAreFaults) {
  std::string out;
  Options options;
  options.streams.output = [&out](std::span<const std::uint8_t> bytes) {
    out.append(bytes.begin(), bytes.end());
    return static_cast<std::int64_t>(bytes.size());
  };
  WasiRunner runner(options);
  EXPECT_EQ(runner.Call("fd_write", {1, kEnd - 4, 1, 0}), Errno::kFault);
  EXPECT_EQ(runner.Call("fd_write", {1, 0xFFFFFFF8, 2, 0}), Errno::kFault);
  runner.Write32(0, kEnd - 1);
  runner.Write32(4, 2);
  EXPECT_EQ(runner.Call("fd_write", {1, 0, 1, 100}), Errno::kFault);
  runner.Write32(0, 16);
  runner.Write32(4, 0xFFFFFFFF);
  EXPECT_EQ(runner.Call("fd_write", {1, 0, 1, 100}), Errno::kFault);
  // A good buffer before a bad one is not written, nor one whose count has no place.
  runner.Write32(4, 4);
  runner.Write32(8, kEnd);
  runner.Write32(12, 1);
  EXPECT_EQ(runner.Call("fd_write", {1, 0, 2, 100}), Errno::kFault);
  EXPECT_EQ(runner.Call("fd_write", {1, 0, 1, kEnd - 3}), Errno::kFault);
  EXPECT_EQ(out, "");
}

TEST(WasiHostile, CountsAreBounded) {
  WasiRunner runner;
  EXPECT_EQ(runner.Call("fd_write", {1, 0, 0xFFFFFFFF, 0}), Errno::kInvalid);
  EXPECT_EQ(runner.Call("fd_read", {0, 0, 1'025, 0}), Errno::kInvalid);
  EXPECT_EQ(runner.Call("random_get", {0, 0xFFFFFFFF}), Errno::kFault);
  EXPECT_EQ(runner.Call("random_get", {kEnd, 0}), Errno::kSuccess);
  EXPECT_EQ(runner.Call("random_get", {kEnd + 1, 0}), Errno::kFault);
}

TEST(WasiHostile, EveryPointerIsChecked) {
  Options options;
  options.arguments = {"a"};
  options.environment = {"A=1"};
  WasiRunner runner(options);
  for (const std::uint32_t bad : {kEnd - 1, kEnd, 0xFFFFFFFF}) {
    EXPECT_EQ(runner.Call("args_sizes_get", {bad, 0}), Errno::kFault);
    EXPECT_EQ(runner.Call("args_sizes_get", {0, bad}), Errno::kFault);
    EXPECT_EQ(runner.Call("args_get", {bad, 0}), Errno::kFault);
    EXPECT_EQ(runner.Call("args_get", {0, bad}), Errno::kFault);
    EXPECT_EQ(runner.Call("environ_get", {bad, 0}), Errno::kFault);
    EXPECT_EQ(runner.Call("environ_sizes_get", {0, bad}), Errno::kFault);
    EXPECT_EQ(runner.Call("clock_time_get", {0, 0, 0, bad}), Errno::kFault);
    EXPECT_EQ(runner.Call("clock_res_get", {0, bad}), Errno::kFault);
    EXPECT_EQ(runner.Call("random_get", {bad, 4}), Errno::kFault);
    EXPECT_EQ(runner.Call("fd_fdstat_get", {1, bad}), Errno::kFault);
    EXPECT_EQ(runner.Call("fd_filestat_get", {1, bad}), Errno::kFault);
  }
}

// Whatever the words, a call returns, and every address of memory stays readable. The sanitized
// build sees what goes beyond.
TEST(WasiHostile, RandomCallsReturn) {
  auto folder = frontends::c::TempFolder::Create();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(folder->Write("inside/note.txt", "a note"));
  Options options;
  options.arguments = {"prog", "x"};
  options.environment = {"A=1"};
  options.directories = {{folder->PathOf("inside"), "box"}};
  WasiRunner runner(options);
  struct Call {
    const char* name;
    const char* params;
  };
  const std::vector<Call> calls = {
#define WASI_CALL(name, params, Handler) {#name, params},
#include "frontends/wasi/functions.def"
#undef WASI_CALL
  };
  support::Random random(7);
  const auto word = [&random]() -> vm::Word {
    switch (random.Below(4)) {
      case 0:
        return random.Below(8);  // a descriptor, a flag
      case 1:
        return random.Below(kEnd);
      case 2:
        return kEnd - random.Below(70);
      default:
        return random.InterestingWord();
    }
  };
  runner.WriteText(0, "note.txt");
  constexpr int kCalls = 20'000;
  std::vector<int> seen(100);
  for (int i = 0; i < kCalls; ++i) {
    const Call& call = calls[random.Below(static_cast<std::uint32_t>(calls.size()))];
    std::vector<vm::Word> words;
    for (const char* type = call.params; *type != '\0'; ++type) {
      words.push_back(word());
      if (*type == 'I') words.push_back(word());
    }
    const auto error = static_cast<std::size_t>(runner.Call(call.name, words));
    ASSERT_LT(error, seen.size()) << call.name;
    ++seen[error];
  }
  for (const Errno error : {Errno::kSuccess, Errno::kBadFile, Errno::kFault, Errno::kInvalid}) {
    EXPECT_GT(seen[static_cast<std::size_t>(error)], 0) << static_cast<int>(error);
  }
  EXPECT_EQ(runner.memory().size_bytes(), kEnd);
}

}  // namespace
}  // namespace txvm::tests
