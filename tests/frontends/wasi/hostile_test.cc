// Calls no honest program makes: pointers and counts outside memory, paths without end, folders
// that lead to themselves, descriptors that are closed or doubled.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
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

constexpr vm::Word kPastEverything = 0xFFFFFFFF;

/// A program with a folder that holds note.txt and sub/, and standard output that counts.
class WasiHostileFiles : public testing::Test {
 protected:
  void SetUp() override {
    auto created = frontends::c::TempFolder::Create();
    ASSERT_TRUE(created);
    folder_.emplace(*std::move(created));
    ASSERT_TRUE(folder_->Write("inside/note.txt", "a note"));
    ASSERT_TRUE(folder_->Write("inside/sub/x", "x"));
    Options options;
    options.directories = {{folder_->PathOf("inside"), "box"}};
    options.streams.output = [this](std::span<const std::uint8_t> bytes) {
      written_ += bytes.size();
      return static_cast<std::int64_t>(bytes.size());
    };
    runner_.emplace(options);
  }
  void Buffer(std::uint32_t at, std::uint32_t address, std::uint32_t size) {
    runner_->Write32(at, address);
    runner_->Write32(at + 4, size);
  }
  Errno Write(std::uint32_t number, std::uint32_t buffers, std::uint32_t count) {
    return runner_->Call("fd_write", {number, buffers, count, 400});
  }

  std::optional<frontends::c::TempFolder> folder_;
  std::optional<WasiRunner> runner_;
  std::size_t written_ = 0;
};

// A page of memory that is all one path, and paths that reach beyond it.
TEST_F(WasiHostileFiles, PathsOf64KiB) {
  const auto memory = runner_->memory().bytes();
  for (const char fill : {'a', '/', '.', '\0'}) {
    std::fill(memory.begin(), memory.end(), static_cast<std::uint8_t>(fill));
    for (const vm::Word size : {4'097u, 65'535u, kEnd}) {
      const std::vector<std::pair<const char*, std::vector<vm::Word>>> calls = {
          {"path_open", {3, 0, 0, size, 0, kRead, 0, 0, 0, 0, 0}},
          {"path_create_directory", {3, 0, size}},
          {"path_unlink_file", {3, 0, size}},
          {"path_remove_directory", {3, 0, size}},
          {"path_filestat_get", {3, 1, 0, size, 0}},
          {"path_filestat_set_times", {3, 0, 0, size, 0, 0, 0, 0, 0}},
          {"path_readlink", {3, 0, size, 0, 8, 0}},
          {"path_rename", {3, 0, size, 3, 0, size}},
          {"path_link", {3, 0, 0, size, 3, 0, size}},
          {"path_symlink", {0, size, 3, 0, size}}};
      for (const auto& [name, words] : calls) {
        EXPECT_EQ(runner_->Call(name, words), Errno::kNameTooLong) << name << " " << size;
      }
    }
  }
  for (const vm::Word size : {kEnd + 1, 0x8000'0000u, kPastEverything}) {
    EXPECT_NE(runner_->Call("path_unlink_file", {3, 100, size}), Errno::kSuccess);
  }
  EXPECT_EQ(runner_->Call("path_unlink_file", {3, kEnd - 10, 11}), Errno::kFault);
  EXPECT_EQ(runner_->Call("path_unlink_file", {3, kPastEverything, 2}), Errno::kFault);
  EXPECT_EQ(runner_->Call("path_unlink_file", {3, kPastEverything, 0}), Errno::kFault);
  EXPECT_EQ(runner_->Call("path_unlink_file", {3, 0, 0}), Errno::kNoEntry);
}

TEST_F(WasiHostileFiles, FoldersThatLeadToThemselves) {
  namespace fs = std::filesystem;
  const std::string inside = folder_->PathOf("inside");
  fs::create_symlink(".", inside + "/self");
  fs::create_symlink("b", inside + "/a");
  fs::create_symlink("a", inside + "/b");
  fs::create_symlink("../sub", inside + "/sub/loop");
  fs::create_symlink("grow/grow", inside + "/grow");
  const auto times = [](const std::string& part, int count) {
    std::string path;
    for (int i = 0; i < count; ++i) path += part;
    return path;
  };
  EXPECT_EQ(runner_->Open(times("self/", 40) + "note.txt").error, Errno::kSuccess);
  EXPECT_EQ(runner_->Open(times("self/", 41) + "note.txt").error, Errno::kLoop);
  EXPECT_EQ(runner_->Open(times("self/", 800) + "note.txt").error, Errno::kLoop);
  EXPECT_EQ(runner_->Open("sub/" + times("loop/", 40) + "x").error, Errno::kSuccess);
  EXPECT_EQ(runner_->Open("sub/" + times("loop/", 41) + "x").error, Errno::kLoop);
  for (const char* path : {"a", "a/x", "b/../note.txt", "grow", "grow/x"}) {
    EXPECT_EQ(runner_->Open(path, 0, kRead, kFollow).error, Errno::kLoop) << path;
    EXPECT_EQ(runner_->Open(path, kCreate, kReadWrite, kFollow).error, Errno::kLoop) << path;
  }
  // Listing them follows none.
  EXPECT_EQ(runner_->Call("fd_readdir", {3, 1000, 20'000, 0, 0, 400}), Errno::kSuccess);
  EXPECT_LT(runner_->Read32(400), 1000u);
}

/// While it lives, the process may have few files open.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t most) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = most;
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_ = {};
};

// Deeper than the process may have files open; back up again by names alone.
TEST_F(WasiHostileFiles, FoldersNestedHundredsOfTimes) {
  constexpr int kDepth = 500;
  const FewDescriptors few(150);
  std::uint32_t here = 3;
  // Each made in the one before, since a path of all their names is too long for the system.
  for (int i = 0; i < kDepth; ++i) {
    runner_->WriteText(1000, "d");
    ASSERT_EQ(runner_->Call("path_create_directory", {here, 1000, 1}), Errno::kSuccess) << i;
    ASSERT_EQ(runner_->Call("path_open", {here, 0, 1000, 1, kFolder, kRead, 0, 0, 0, 0, 400}),
              Errno::kSuccess);
    if (here != 3) {
      EXPECT_EQ(runner_->Call("fd_close", {here}), Errno::kSuccess);
    }
    here = runner_->Read32(400);
  }
  std::string down, up;
  for (int i = 0; i < kDepth; ++i) down += "d/";
  EXPECT_EQ(runner_->Open(down, kFolder).error, Errno::kSuccess);
  for (int i = 0; i < kDepth - 1; ++i) up += "../";
  EXPECT_EQ(runner_->Open(down + up + "d", kFolder).error, Errno::kSuccess);
  EXPECT_EQ(runner_->Open(down + up + "../note.txt").error, Errno::kSuccess);
  EXPECT_EQ(runner_->Open(down + up + "../../note.txt").error, Errno::kNotCapable);
}

TEST_F(WasiHostileFiles, DescriptorsThatAreClosedOrDoubled) {
  const auto a = runner_->Open("note.txt", 0, kReadWrite);
  ASSERT_EQ(a.error, Errno::kSuccess);
  EXPECT_EQ(runner_->Call("fd_close", {a.number}), Errno::kSuccess);
  const vm::Word n = a.number;
  Buffer(100, 1000, 4);
  const std::vector<std::pair<const char*, std::vector<vm::Word>>> calls = {
      {"fd_close", {n}},
      {"fd_read", {n, 100, 1, 400}},
      {"fd_write", {n, 100, 1, 400}},
      {"fd_pread", {n, 100, 1, 0, 0, 400}},
      {"fd_pwrite", {n, 100, 1, 0, 0, 400}},
      {"fd_seek", {n, 0, 0, 0, 400}},
      {"fd_tell", {n, 400}},
      {"fd_sync", {n}},
      {"fd_datasync", {n}},
      {"fd_advise", {n, 0, 0, 0, 0, 0}},
      {"fd_allocate", {n, 0, 0, 1, 0}},
      {"fd_fdstat_get", {n, 400}},
      {"fd_fdstat_set_flags", {n, 0}},
      {"fd_fdstat_set_rights", {n, 0, 0, 0, 0}},
      {"fd_filestat_get", {n, 400}},
      {"fd_filestat_set_size", {n, 0, 0}},
      {"fd_filestat_set_times", {n, 0, 0, 0, 0, 0}},
      {"fd_prestat_get", {n, 400}},
      {"fd_prestat_dir_name", {n, 400, 3}},
      {"fd_readdir", {n, 1000, 100, 0, 0, 400}},
      {"fd_renumber", {n, 3}},
      {"fd_renumber", {3, n}},
      {"path_open", {n, 0, 1000, 4, 0, kRead, 0, 0, 0, 0, 400}},
      {"sock_shutdown", {n, 0}}};
  runner_->WriteText(1000, "note");
  for (const auto& [name, words] : calls) {
    EXPECT_EQ(runner_->Call(name, words), Errno::kBadFile) << name;
  }
  // Two numbers for one file have a place each; one that takes another's number closes that.
  const auto b = runner_->Open("note.txt"), c = runner_->Open("note.txt");
  EXPECT_EQ(runner_->ReadFrom(b.number), "a note");
  EXPECT_EQ(runner_->Call("fd_renumber", {c.number, b.number}), Errno::kSuccess);
  EXPECT_EQ(runner_->ReadFrom(b.number), "a note");
  EXPECT_EQ(runner_->Call("fd_close", {c.number}), Errno::kBadFile);
  // The granted folder may be closed: then nothing opens.
  EXPECT_EQ(runner_->Call("fd_close", {3}), Errno::kSuccess);
  EXPECT_EQ(runner_->Open("note.txt").error, Errno::kBadFile);
  EXPECT_EQ(runner_->Call("fd_close", {kPastEverything}), Errno::kBadFile);
}

TEST_F(WasiHostileFiles, BuffersThatWrapAroundOrAreHuge) {
  for (const auto& [address, size] :
       std::vector<std::pair<std::uint32_t, std::uint32_t>>{{kPastEverything, 1},
                                                            {kPastEverything, 2},
                                                            {0xFFFFFFF0, 0x20},
                                                            {kEnd - 1, 2},
                                                            {1, kPastEverything},
                                                            {0x8000'0000, 0x8000'0000},
                                                            {kEnd + 1, 0}}) {
    Buffer(100, address, size);
    EXPECT_EQ(Write(1, 100, 1), Errno::kFault) << address << " " << size;
    EXPECT_EQ(runner_->Call("fd_read", {0, 100, 1, 400}), Errno::kFault) << address;
  }
  for (const std::uint32_t count : {0x8000'0000u, 0x2000'0000u, 0x2000'0001u, kPastEverything}) {
    EXPECT_EQ(Write(1, 0, count), Errno::kInvalid) << count;
    EXPECT_EQ(runner_->Call("fd_pread", {1, 0, count, 0, 0, 400}), Errno::kNoSeek);
  }
  // Counts that add up to 2^32 and more cannot be told; they would not fit into memory either.
  for (std::uint32_t i = 0; i < 1'024; ++i) Buffer(8'192 + 8 * i, 0, kEnd);
  EXPECT_EQ(Write(1, 8'192, 1'024), Errno::kSuccess);  // 2^26 bytes, the same again and again
  EXPECT_EQ(written_, std::size_t{1'024} * kEnd);
  EXPECT_EQ(runner_->Read32(400), 1'024u * kEnd);
}

TEST_F(WasiHostileFiles, UnalignedPointersAndEmptyBuffers) {
  runner_->WriteText(1001, "odd");
  Buffer(103, 1001, 3);  // the array itself, and where the count goes, at odd addresses
  EXPECT_EQ(runner_->Call("fd_write", {1, 103, 1, 401}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read32(401), 3u);
  EXPECT_EQ(runner_->Call("clock_time_get", {0, 0, 0, 403}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read64(403), 1'000'000u);
  EXPECT_EQ(runner_->Call("fd_fdstat_get", {1, 405}), Errno::kSuccess);
  EXPECT_EQ(Write(1, 100, 0), Errno::kSuccess);  // no buffer
  EXPECT_EQ(runner_->Read32(400), 0u);
  EXPECT_EQ(Write(1, kEnd, 0), Errno::kSuccess);
  Buffer(100, 0, 0);
  Buffer(108, kEnd, 0);  // empty, at the end
  EXPECT_EQ(Write(1, 100, 2), Errno::kSuccess);
  EXPECT_EQ(runner_->Call("fd_read", {0, 100, 2, 400}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read32(400), 0u);
  const auto file = runner_->Open("note.txt");
  EXPECT_EQ(runner_->Call("fd_read", {file.number, 100, 2, 400}), Errno::kSuccess);
  EXPECT_EQ(runner_->Call("fd_readdir", {3, 1000, 0, 0, 0, 400}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read32(400), 0u);
  runner_->WriteText(1000, "abc");
  EXPECT_EQ(runner_->Call("path_readlink", {3, 1000, 3, 1000, 0, 400}), Errno::kNoEntry);
  EXPECT_EQ(runner_->Call("random_get", {kEnd, 0}), Errno::kSuccess);
  EXPECT_EQ(written_, 3u);
}

// TXVM_WASI_NAMES: how many files (10^5 by hand).
TEST(WasiHostile, ALargeFolderIsListedWhole) {
  const char* asked = std::getenv("TXVM_WASI_NAMES");
  const long count = asked != nullptr ? std::atol(asked) : 3'000;
  auto folder = frontends::c::TempFolder::Create();
  ASSERT_TRUE(folder);
  std::filesystem::create_directory(folder->PathOf("inside"));
  for (long i = 0; i < count; ++i) {
    std::ofstream(folder->PathOf("inside/file" + std::to_string(i)));
  }
  Options options;
  options.directories = {{folder->PathOf("inside"), "box"}};
  WasiRunner runner(options);
  std::set<std::string> names;
  std::uint64_t cookie = 0;
  long calls = 0;
  for (std::uint32_t used = 4'096; used == 4'096; ++calls) {
    ASSERT_EQ(runner.Call("fd_readdir", {3, 1000, 4'096, static_cast<vm::Word>(cookie), 0, 400}),
              Errno::kSuccess);
    used = runner.Read32(400);
    for (std::uint32_t at = 1000; at + 24 <= 1000 + used;) {
      const std::uint32_t length = runner.Read32(at + 16);
      if (at + 24 + length > 1000 + used) break;
      cookie = runner.Read64(at);
      EXPECT_TRUE(names.insert(runner.ReadText(at + 24, length)).second);
      at += 24 + length;
    }
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(count) + 2);
  EXPECT_LT(calls, count / 80 + 3);
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
