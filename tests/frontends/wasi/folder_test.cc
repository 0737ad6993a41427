// What changes folders: names, links, times, rights, and walks that somebody disturbs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "frontends/c/temp_folder.h"
#include "frontends/wasi/files.h"
#include "tests/frontends/wasi/wasi_runner.h"

namespace txvm::tests {
namespace {

namespace fs = std::filesystem;
using frontends::c::TempFolder;
using frontends::wasi::Errno;
using frontends::wasi::Options;
using vm::Word;

constexpr std::uint32_t kFirst = 1000, kSecond = 2000;  // where paths are put

/// A folder granted as descriptor 3, with a secret beside it.
class WasiFolder : public testing::Test {
 protected:
  void SetUp() override {
    auto created = TempFolder::Create();
    ASSERT_TRUE(created);
    folder_.emplace(*std::move(created));
    ASSERT_TRUE(folder_->Write("inside/note.txt", "a note"));
    ASSERT_TRUE(folder_->Write("secret.txt", "secret"));
    options_.directories = {{folder_->PathOf("inside"), "box", false}};
    runner_.emplace(options_);
  }
  void Restart() { runner_.emplace(options_); }

  Word Put(std::uint32_t at, std::string_view path) {
    runner_->WriteText(at, path);
    return static_cast<Word>(path.size());
  }
  Errno Symlink(std::string_view target, std::string_view path) {
    const Word a = Put(kFirst, target), b = Put(kSecond, path);
    return runner_->Call("path_symlink", {kFirst, a, 3, kSecond, b});
  }
  Errno Rename(std::string_view from, std::string_view to) {
    const Word a = Put(kFirst, from), b = Put(kSecond, to);
    return runner_->Call("path_rename", {3, kFirst, a, 3, kSecond, b});
  }
  Errno Link(std::string_view from, std::string_view to, Word lookup = 0) {
    const Word a = Put(kFirst, from), b = Put(kSecond, to);
    return runner_->Call("path_link", {3, lookup, kFirst, a, 3, kSecond, b});
  }
  Errno At(std::string_view call, std::string_view path) {
    return runner_->Call(call, {3, kFirst, Put(kFirst, path)});
  }
  std::string ReadFile(std::string_view path) {
    const auto opened = runner_->Open(path, 0, kRead, kFollow);
    if (opened.error != Errno::kSuccess) {
      return "error " + std::to_string(static_cast<int>(opened.error));
    }
    std::string text = runner_->ReadFrom(opened.number);
    EXPECT_EQ(runner_->Call("fd_close", {opened.number}), Errno::kSuccess);
    return text;
  }
  /// The names of a folder through a buffer of `size` bytes.
  std::vector<std::string> Names(std::uint32_t number, std::uint32_t size) {
    std::vector<std::string> names;
    std::uint64_t cookie = 0;
    while (true) {
      const Errno error = runner_->Call(
          "fd_readdir",
          {number, 3000, size, static_cast<Word>(cookie), static_cast<Word>(cookie >> 32), 2996});
      EXPECT_EQ(error, Errno::kSuccess);
      const std::uint32_t used = runner_->Read32(2996);
      std::uint32_t at = 3000;
      while (at + 24 <= 3000 + used) {
        const std::uint32_t length = runner_->Read32(at + 16);
        if (at + 24 + length > 3000 + used) break;
        cookie = runner_->Read64(at);
        names.push_back(runner_->ReadText(at + 24, length));
        at += 24 + length;
      }
      if (used < size) return names;
    }
  }

  std::optional<TempFolder> folder_;
  Options options_;
  std::optional<WasiRunner> runner_;
};

TEST_F(WasiFolder, RenamesLinksAndReadsLinks) {
  EXPECT_EQ(Rename("note.txt", "other.txt"), Errno::kSuccess);
  EXPECT_EQ(ReadFile("note.txt"), "error 44");
  EXPECT_EQ(ReadFile("other.txt"), "a note");
  EXPECT_EQ(Link("other.txt", "second.txt"), Errno::kSuccess);
  EXPECT_EQ(Link("other.txt", "second.txt"), Errno::kExists);
  EXPECT_EQ(Link("other.txt", "third", kFollow), Errno::kInvalid);
  EXPECT_EQ(ReadFile("second.txt"), "a note");
  EXPECT_EQ(Symlink("second.txt", "soft"), Errno::kSuccess);
  EXPECT_EQ(ReadFile("soft"), "a note");
  const Word size = Put(kFirst, "soft");
  EXPECT_EQ(runner_->Call("path_readlink", {3, kFirst, size, 100, 50, 96}), Errno::kSuccess);
  EXPECT_EQ(runner_->ReadText(100, runner_->Read32(96)), "second.txt");
  EXPECT_EQ(runner_->Call("path_readlink", {3, kFirst, size, 100, 3, 96}), Errno::kSuccess);
  EXPECT_EQ(runner_->ReadText(100, runner_->Read32(96)), "sec");
  EXPECT_EQ(runner_->Call("path_readlink", {3, kFirst, Put(kFirst, "other.txt"), 100, 3, 96}),
            Errno::kInvalid);
  EXPECT_EQ(Rename("other.txt", "../out.txt"), Errno::kNotCapable);
  EXPECT_EQ(Link("other.txt", "../out.txt"), Errno::kNotCapable);
  EXPECT_EQ(Symlink("x", "../out.txt"), Errno::kNotCapable);
  EXPECT_EQ(Symlink("/etc/passwd", "absolute"), Errno::kNotPermitted);
  EXPECT_EQ(Symlink("x", "new/"), Errno::kNoEntry);
}

TEST_F(WasiFolder, LinksAreFollowedInsideAlone) {
  EXPECT_EQ(At("path_create_directory", "sub"), Errno::kSuccess);
  EXPECT_EQ(Symlink("../note.txt", "sub/up"), Errno::kSuccess);
  EXPECT_EQ(ReadFile("sub/up"), "a note");
  EXPECT_EQ(Symlink("../secret.txt", "out"), Errno::kSuccess);
  EXPECT_EQ(ReadFile("out"), "error 76");
  EXPECT_EQ(Symlink("sub/../../secret.txt", "out2"), Errno::kSuccess);
  EXPECT_EQ(ReadFile("out2"), "error 76");
  EXPECT_EQ(Symlink("loop", "loop"), Errno::kSuccess);
  EXPECT_EQ(ReadFile("loop"), "error 32");
  EXPECT_EQ(ReadFile("loop/x"), "error 32");
  EXPECT_EQ(Symlink("fresh.txt", "dangling"), Errno::kSuccess);
  const auto made = runner_->Open("dangling", kCreate, kReadWrite, kFollow);
  EXPECT_EQ(made.error, Errno::kSuccess);
  EXPECT_TRUE(fs::exists(folder_->PathOf("inside/fresh.txt")));
  // Forty links are followed, as Linux does, and no more.
  std::string last = "note.txt";
  for (int i = 1; i <= 41; ++i) {
    const std::string name = "hop" + std::to_string(i);
    ASSERT_EQ(Symlink(last, name), Errno::kSuccess);
    last = name;
  }
  EXPECT_EQ(ReadFile("hop40"), "a note");
  EXPECT_EQ(ReadFile("hop41"), "error 32");
}

TEST_F(WasiFolder, ListsNamesThroughSmallBuffers) {
  std::vector<std::string> expected = {".", "..", "note.txt"};
  for (int i = 0; i < 60; ++i) {
    const std::string name =
        std::string(static_cast<std::size_t>(i % 20 + 1), 'a') + std::to_string(100 + i);
    ASSERT_TRUE(folder_->Write("inside/" + name, ""));
    expected.push_back(name);
  }
  std::sort(expected.begin() + 2, expected.end());
  for (const std::uint32_t size : {64u, 100u, 256u, 20'000u}) {
    EXPECT_EQ(Names(3, size), expected) << size;
  }
  EXPECT_EQ(runner_->Call("fd_readdir", {3, 3000, 100, 0xFFFFFFFF, 0xFFFFFFFF, 96}),
            Errno::kSuccess);
  EXPECT_EQ(runner_->Read32(96), 0u);
  EXPECT_EQ(runner_->Call("fd_readdir", {3, 65'530, 100, 0, 0, 96}), Errno::kFault);
  const auto file = runner_->Open("note.txt");
  EXPECT_EQ(runner_->Call("fd_readdir", {file.number, 3000, 100, 0, 0, 96}), Errno::kNotDirectory);
}

TEST_F(WasiFolder, AReadOnlyGrantChangesNothing) {
  options_.directories[0].read_only = true;
  ASSERT_TRUE(folder_->Write("inside/sub/x", "x"));
  Restart();
  EXPECT_EQ(ReadFile("note.txt"), "a note");
  EXPECT_EQ(Names(3, 1000).size(), 4u);
  EXPECT_EQ(runner_->Open("new.txt", kCreate, kReadWrite).error, Errno::kNotPermitted);
  EXPECT_EQ(runner_->Open("note.txt", 0, kReadWrite).error, Errno::kNotPermitted);
  EXPECT_EQ(runner_->Open("note.txt", kTruncate, kRead).error, Errno::kNotPermitted);
  for (const char* call : {"path_create_directory", "path_unlink_file", "path_remove_directory"}) {
    EXPECT_EQ(At(call, "note.txt"), Errno::kNotPermitted) << call;
  }
  EXPECT_EQ(Rename("note.txt", "b"), Errno::kNotPermitted);
  EXPECT_EQ(Link("note.txt", "b"), Errno::kNotPermitted);
  EXPECT_EQ(Symlink("note.txt", "b"), Errno::kNotPermitted);
  const auto sub = runner_->Open("sub", kFolder);
  ASSERT_EQ(sub.error, Errno::kSuccess);
  const Word size = Put(kFirst, "x");
  EXPECT_EQ(runner_->Call("path_unlink_file", {sub.number, kFirst, size}), Errno::kNotPermitted);
  const Word note = Put(kFirst, "note.txt");
  EXPECT_EQ(runner_->Call("path_filestat_set_times", {3, 0, kFirst, note, 0, 0, 0, 0, 8}),
            Errno::kNotPermitted);
  EXPECT_EQ(ReadFile("note.txt"), "a note");
}

TEST_F(WasiFolder, PlacesAreReadAndWrittenWithoutMoving) {
  constexpr std::uint16_t kAppend = 1;
  const Word size = Put(kFirst, "log");
  ASSERT_EQ(runner_->Call("path_open",
                          {3, 0, kFirst, size, kCreate, kReadWrite | 36, 0, 0, 0, kAppend, 96}),
            Errno::kSuccess);
  const std::uint32_t number = runner_->Read32(96);
  EXPECT_EQ(runner_->WriteTo(number, "abcdef"), Errno::kSuccess);
  runner_->WriteText(500, "XY");
  runner_->Write32(100, 500);
  runner_->Write32(104, 2);
  EXPECT_EQ(runner_->Call("fd_pwrite", {number, 100, 1, 1, 0, 96}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read32(96), 2u);
  EXPECT_EQ(ReadFile("log"), "aXYdef");  // POSIX: at the place, whatever the append flag
  EXPECT_EQ(runner_->WriteTo(number, "g"), Errno::kSuccess);
  EXPECT_EQ(ReadFile("log"), "aXYdefg");
  runner_->Write32(104, 3);
  EXPECT_EQ(runner_->Call("fd_pread", {number, 100, 1, 2, 0, 96}), Errno::kSuccess);
  EXPECT_EQ(runner_->ReadText(500, 3), "Yde");
  EXPECT_EQ(runner_->Call("fd_pread", {number, 100, 1, 0, 0x80000000, 96}), Errno::kInvalid);
  EXPECT_EQ(runner_->Call("fd_pread", {1, 100, 1, 0, 0, 96}), Errno::kNoSeek);
  EXPECT_EQ(runner_->Call("fd_pread", {3, 100, 1, 0, 0, 96}), Errno::kIsDirectory);
}

TEST_F(WasiFolder, TimesAreWhatTheProgramGave) {
  const Word size = Put(kFirst, "note.txt");
  EXPECT_EQ(runner_->Call("path_filestat_set_times", {3, 0, kFirst, size, 5, 0, 7, 1, 1 | 4}),
            Errno::kSuccess);
  EXPECT_EQ(runner_->Call("path_filestat_get", {3, 0, kFirst, size, 0}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read64(40), 5u);
  EXPECT_EQ(runner_->Read64(48), (1ull << 32) + 7);
  for (const Word flags : {3u, 12u, 16u}) {
    EXPECT_EQ(runner_->Call("path_filestat_set_times", {3, 0, kFirst, size, 5, 0, 7, 1, flags}),
              Errno::kInvalid);
  }
  struct stat status = {};
  ASSERT_EQ(stat(folder_->PathOf("inside/note.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mtim.tv_sec, 4);  // 2^32 + 7 ns
}

TEST_F(WasiFolder, DescriptorsAreRenumberedAndLoseRights) {
  const auto a = runner_->Open("note.txt", 0, kReadWrite);
  const auto b = runner_->Open("note.txt", 0, kRead);
  EXPECT_EQ(runner_->Call("fd_renumber", {a.number, b.number}), Errno::kSuccess);
  EXPECT_EQ(runner_->Call("fd_close", {a.number}), Errno::kBadFile);
  EXPECT_EQ(runner_->Call("fd_renumber", {b.number, 77}), Errno::kBadFile);
  EXPECT_EQ(runner_->Call("fd_renumber", {b.number, b.number}), Errno::kSuccess);
  EXPECT_EQ(runner_->Call("fd_fdstat_set_rights", {b.number, kRead, 0, 0, 0}), Errno::kSuccess);
  EXPECT_EQ(runner_->WriteTo(b.number, "x"), Errno::kBadFile);
  EXPECT_EQ(runner_->Call("fd_tell", {b.number, 0}), Errno::kNotCapable);
  EXPECT_EQ(runner_->Call("fd_fdstat_set_rights", {b.number, kReadWrite, 0, 0, 0}),
            Errno::kNotCapable);
  EXPECT_EQ(runner_->ReadFrom(b.number), "a note");
  EXPECT_EQ(runner_->Call("fd_renumber", {b.number, 1}), Errno::kSuccess);  // standard output
  EXPECT_EQ(runner_->Call("fd_renumber", {3, 4}), Errno::kBadFile);
}

TEST_F(WasiFolder, WhatIsWrittenIsCounted) {
  options_.most_written = 10;
  Restart();
  const auto file = runner_->Open("new", kCreate, kReadWrite);
  EXPECT_EQ(runner_->WriteTo(file.number, "123456"), Errno::kSuccess);
  EXPECT_EQ(runner_->Call("fd_allocate", {file.number, 0, 0, 11, 0}), Errno::kNoSpace);
  EXPECT_EQ(runner_->Call("fd_filestat_set_size", {file.number, 11, 0}), Errno::kNoSpace);
  EXPECT_EQ(runner_->WriteTo(file.number, "1234"), Errno::kSuccess);
  EXPECT_EQ(runner_->WriteTo(file.number, "x"), Errno::kNoSpace);
  EXPECT_EQ(runner_->WriteTo(1, "x"), Errno::kNoSpace);
  EXPECT_EQ(fs::file_size(folder_->PathOf("inside/new")), 10u);
}

TEST_F(WasiFolder, TheOlderModuleHasItsOwnNumbers) {
  WasiRunner older(options_, frontends::wasi::kUnstableModule);
  const auto file = older.Open("note.txt", 0, kReadWrite);
  ASSERT_EQ(file.error, Errno::kSuccess);
  constexpr Word kEnd = 1, kStart = 2, kCurrent = 0;
  EXPECT_EQ(older.Call("fd_seek", {file.number, 0, 0, kEnd, 0}), Errno::kSuccess);
  EXPECT_EQ(older.Read64(0), 6u);
  EXPECT_EQ(older.Call("fd_seek", {file.number, 2, 0, kStart, 0}), Errno::kSuccess);
  EXPECT_EQ(older.Call("fd_seek", {file.number, 1, 0, kCurrent, 0}), Errno::kSuccess);
  EXPECT_EQ(older.Read64(0), 3u);
  EXPECT_EQ(older.Call("fd_filestat_get", {file.number, 0}), Errno::kSuccess);
  EXPECT_EQ(older.ReadText(16, 1), "\4");
  EXPECT_EQ(older.Read32(20), 1u);  // links
  EXPECT_EQ(older.Read64(24), 6u);  // size
}

TEST_F(WasiFolder, SleepingCostsNoTimeOnTheVirtualClock) {
  runner_->Write32(16, 1);  // the monotonic clock, in a subscription at 0
  runner_->Write32(24, 0);
  runner_->Write32(28, 0x10000);  // 2^48 ns: three days
  EXPECT_EQ(runner_->Call("poll_oneoff", {0, 200, 1, 300}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read32(300), 1u);
  EXPECT_EQ(runner_->Call("clock_time_get", {1, 0, 0, 400}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read64(400), (1ull << 48) + 1'000'000);
  // A file is ready before the clock; a descriptor that is not open is its event's error.
  runner_->Write32(48 + 8, 1);
  runner_->Write32(48 + 16, runner_->Open("note.txt").number);
  runner_->Write32(96 + 8, 2);
  runner_->Write32(96 + 16, 99);
  EXPECT_EQ(runner_->Call("poll_oneoff", {0, 200, 3, 300}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read32(300), 2u);
  EXPECT_EQ(runner_->Read64(200 + 16), 6u);  // bytes to read
  EXPECT_EQ(runner_->Read32(232 + 8) & 0xFFFF, static_cast<std::uint32_t>(Errno::kBadFile));
  EXPECT_EQ(runner_->Call("poll_oneoff", {0, 200, 0, 300}), Errno::kInvalid);
  EXPECT_EQ(runner_->Call("poll_oneoff", {0, 200, 5000, 300}), Errno::kInvalid);
  EXPECT_EQ(runner_->Call("poll_oneoff", {65'520, 200, 1, 300}), Errno::kFault);
}

// Somebody outside swaps a folder for a link that leads out, all the time. TXVM_WASI_SWAPS: how
// many looks (10^6 and more by hand).
TEST_F(WasiFolder, NoSwapLeadsOut) {
  const char* asked = std::getenv("TXVM_WASI_SWAPS");
  const long tries = asked != nullptr ? std::atol(asked) : 20'000;
  const std::string inside = folder_->PathOf("inside");
  ASSERT_TRUE(folder_->Write("outside/data", "SECRET"));
  fs::create_directory(inside + "/a");
  ASSERT_TRUE(folder_->Write("inside/a/data", "inner"));
  fs::create_symlink("../outside", inside + "/b");
  std::atomic<bool> stop = false;
  std::thread swapper([&] {
    while (!stop) {
      syscall(SYS_renameat2, AT_FDCWD, (inside + "/a").c_str(), AT_FDCWD, (inside + "/b").c_str(),
              2u /* RENAME_EXCHANGE */);
    }
  });
  long inner = 0, refused = 0;
  for (long i = 0; i < tries; ++i) {
    const std::string text = ReadFile("a/data");
    inner += text == "inner" ? 1 : 0;
    refused += text.starts_with("error ") ? 1 : 0;
    if (text == "SECRET") ADD_FAILURE() << "led out at try " << i;
  }
  stop = true;
  swapper.join();
  EXPECT_EQ(inner + refused, tries);
  EXPECT_GT(inner, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace txvm::tests
