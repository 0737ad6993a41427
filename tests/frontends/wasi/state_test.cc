// What the calls of a program came to, saved and restored: open files with their places, listings,
// clock, random numbers; and what is said of what cannot be restored.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "frontends/c/temp_folder.h"
#include "tests/frontends/wasi/wasi_runner.h"

namespace txvm::tests {
namespace {

namespace fs = std::filesystem;
using frontends::c::TempFolder;
using frontends::wasi::Errno;
using frontends::wasi::Options;
using Notes = std::vector<std::string>;

constexpr std::uint32_t kSeekRights = 36, kAppend = 1;

/// A folder "box" with note.txt, and two programs one after the other: the second goes on with what
/// the first saved.
class WasiState : public testing::Test {
 protected:
  void SetUp() override {
    auto created = TempFolder::Create();
    ASSERT_TRUE(created);
    folder_.emplace(*std::move(created));
    ASSERT_TRUE(folder_->Write("inside/note.txt", "a note of twenty byt"));
    options_.directories = {{Inside(""), "box"}};
    runner_.emplace(options_);
  }

  std::string Inside(const std::string& name) const { return folder_->PathOf("inside/" + name); }
  std::string Contents(const std::string& name) const {
    std::ifstream file(Inside(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::uint32_t Open(const std::string& name, std::uint32_t how = 0,
                     std::uint32_t rights = kReadWrite | kSeekRights, std::uint32_t flags = 0) {
    runner_->WriteText(1000, name);
    const Errno error = runner_->Call("path_open", {3, 0, 1000, static_cast<vm::Word>(name.size()),
                                                    how, rights, 0, 0, 0, flags, 96});
    EXPECT_EQ(error, Errno::kSuccess) << name;
    return runner_->Read32(96);
  }
  std::string Read(std::uint32_t number, std::uint32_t most) {
    runner_->Write32(100, 2000);
    runner_->Write32(104, most);
    const Errno error = runner_->Call("fd_read", {number, 100, 1, 96});
    if (error != Errno::kSuccess) return "error " + std::to_string(static_cast<int>(error));
    return runner_->ReadText(2000, runner_->Read32(96));
  }
  std::uint64_t Tell(std::uint32_t number) {
    EXPECT_EQ(runner_->Call("fd_tell", {number, 96}), Errno::kSuccess);
    return runner_->Read64(96);
  }
  std::uint64_t Time() {
    EXPECT_EQ(runner_->Call("clock_time_get", {0, 0, 0, 96}), Errno::kSuccess);
    return runner_->Read64(96);
  }
  std::string RandomBytes() {
    EXPECT_EQ(runner_->Call("random_get", {96, 16}), Errno::kSuccess);
    return runner_->ReadText(96, 16);
  }
  /// One fd_readdir from a cookie: the names that are whole, and the cookie to go on with.
  std::vector<std::string> List(std::uint32_t number, std::uint32_t size, std::uint64_t& cookie) {
    std::vector<std::string> names;
    EXPECT_EQ(
        runner_->Call("fd_readdir", {number, 3000, size, static_cast<vm::Word>(cookie), 0, 2996}),
        Errno::kSuccess);
    const std::uint32_t end = 3000 + runner_->Read32(2996);
    for (std::uint32_t at = 3000; at + 24 <= end;) {
      const std::uint32_t length = runner_->Read32(at + 16);
      if (at + 24 + length > end) break;
      cookie = runner_->Read64(at);
      names.push_back(runner_->ReadText(at + 24, length));
      at += 24 + length;
    }
    return names;
  }

  /// Another program goes on with the state; what is said about it.
  Notes GoOn(bool cuts_grown_files = false) {
    const std::string saved = runner_->state().Save();
    runner_.emplace(options_);
    const auto notes = runner_->state().Restore(saved, cuts_grown_files);
    EXPECT_TRUE(notes) << notes.error().message;
    return notes ? *notes : Notes{};
  }

  std::optional<TempFolder> folder_;
  Options options_;
  std::optional<WasiRunner> runner_;
};

TEST_F(WasiState, FilesGoOnAtTheirPlaces) {
  const std::uint32_t a = Open("note.txt"), b = Open("new.txt", kCreate);
  EXPECT_EQ(Read(a, 7), "a note ");
  EXPECT_EQ(runner_->WriteTo(b, "0123456789"), Errno::kSuccess);
  EXPECT_EQ(runner_->Call("fd_seek", {b, 4, 0, 0, 96}), Errno::kSuccess);
  EXPECT_EQ(GoOn(), Notes{});
  EXPECT_EQ(Read(a, 9), "of twenty");
  EXPECT_EQ(Tell(b), 4u);
  EXPECT_EQ(runner_->WriteTo(b, "XY"), Errno::kSuccess);
  EXPECT_EQ(Contents("new.txt"), "0123XY6789");
  EXPECT_EQ(Open("note.txt"), b + 1);  // the next free number
}

TEST_F(WasiState, FlagsRightsAndNumbersStay) {
  const std::uint32_t log = Open("log", kCreate, kReadWrite | kSeekRights, kAppend);
  EXPECT_EQ(runner_->WriteTo(log, "one "), Errno::kSuccess);
  EXPECT_EQ(runner_->Call("fd_seek", {log, 0, 0, 0, 96}), Errno::kSuccess);
  const std::uint32_t poor = Open("note.txt"), gone = Open("note.txt");
  EXPECT_EQ(runner_->Call("fd_fdstat_set_rights", {poor, kRead, 0, 0, 0}), Errno::kSuccess);
  EXPECT_EQ(runner_->Call("fd_close", {gone}), Errno::kSuccess);
  EXPECT_EQ(runner_->Call("fd_close", {2}), Errno::kSuccess);
  EXPECT_EQ(runner_->Call("fd_renumber", {poor, 1}), Errno::kSuccess);
  EXPECT_EQ(GoOn(), Notes{});
  EXPECT_EQ(runner_->WriteTo(log, "two"), Errno::kSuccess);
  EXPECT_EQ(Contents("log"), "one two");
  EXPECT_EQ(runner_->Call("fd_fdstat_get", {log, 200}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read32(202) & 0xFFFF, kAppend);
  EXPECT_EQ(Read(1, 6), "a note");
  EXPECT_EQ(runner_->WriteTo(1, "x"), Errno::kBadFile);
  EXPECT_EQ(runner_->Call("fd_tell", {1, 96}), Errno::kNotCapable);
  for (const std::uint32_t number : {2u, poor, gone}) {
    EXPECT_EQ(runner_->Call("fd_close", {number}), Errno::kBadFile) << number;
  }
}

TEST_F(WasiState, AListingGoesOnWithItsCookie) {
  for (int i = 10; i < 40; ++i) ASSERT_TRUE(folder_->Write("inside/f" + std::to_string(i), ""));
  std::uint64_t cookie = 0;
  std::vector<std::string> names = List(3, 200, cookie), rest;
  ASSERT_LT(names.size(), 10u);
  fs::remove(Inside("f20"));
  ASSERT_TRUE(folder_->Write("inside/a_new_one", ""));
  EXPECT_EQ(GoOn(), Notes{});
  do {
    rest = List(3, 200, cookie);
    names.insert(names.end(), rest.begin(), rest.end());
  } while (!rest.empty());
  std::vector<std::string> expected = {".", ".."};
  for (int i = 10; i < 40; ++i) expected.push_back("f" + std::to_string(i));
  expected.push_back("note.txt");
  EXPECT_EQ(names, expected);  // as it was when it began
  cookie = 0;
  EXPECT_EQ(List(3, 20'000, cookie).size(), expected.size());  // begun anew: one less, one more
}

TEST_F(WasiState, ClockAndRandomNumbersGoOn) {
  WasiRunner whole(options_);
  Time();
  RandomBytes();
  const std::uint32_t file = Open("new.txt", kCreate);
  EXPECT_EQ(GoOn(), Notes{});
  const std::string random = RandomBytes();
  EXPECT_EQ(Time(), 2'000'000u);
  EXPECT_EQ(whole.Call("random_get", {0, 32}), Errno::kSuccess);
  EXPECT_EQ(random, whole.ReadText(16, 16));
  EXPECT_EQ(runner_->Call("fd_filestat_get", {file, 200}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read64(248), 2'000'000u);  // the time of the file, by the virtual clock
}

TEST_F(WasiState, ArgumentsAndEnvironmentStayUnlessGivenAnew) {
  options_.arguments = {"prog", "one"};
  options_.environment = {"A=1"};
  runner_.emplace(options_);
  const std::string saved = runner_->state().Save();
  const auto arguments = [&](const Options& options) {
    WasiRunner again(options);
    EXPECT_TRUE(again.state().Restore(saved));
    EXPECT_EQ(again.Call("args_get", {0, 100}), Errno::kSuccess);
    EXPECT_EQ(again.Call("environ_get", {0, 200}), Errno::kSuccess);
    return again.ReadText(100, 8) + again.ReadText(200, 3);
  };
  options_.arguments = {"prog"};
  options_.environment = {};
  EXPECT_EQ(arguments(options_), std::string("prog\0oneA=1", 11));
  options_.arguments = {"prog", "two"};
  options_.environment = {"B=2"};
  EXPECT_EQ(arguments(options_), std::string("prog\0twoB=2", 11));
}

TEST_F(WasiState, RenamedFilesAreFound) {
  fs::create_directory(Inside("sub"));
  const std::uint32_t a = Open("note.txt"), b = Open("sub/deep", kCreate);
  EXPECT_EQ(Read(a, 2), "a ");
  EXPECT_EQ(runner_->WriteTo(b, "deep"), Errno::kSuccess);
  fs::rename(Inside("note.txt"), Inside("sub/other\xFF%\n"));  // not UTF-8 either
  fs::rename(Inside("sub"), Inside("sub2"));
  EXPECT_EQ(GoOn(), Notes{});
  EXPECT_EQ(Read(a, 4), "note");
  EXPECT_EQ(Tell(b), 4u);
}

TEST_F(WasiState, SaysWhichFilesItCannotOpen) {
  const std::uint32_t gone = Open("note.txt"), removed = Open("removed", kCreate),
                      replaced = Open("replaced", kCreate);
  fs::remove(Inside("removed"));
  const std::string saved = runner_->state().Save();
  fs::remove(Inside("note.txt"));
  fs::rename(Inside("replaced"), Inside("old"));  // the old one stays, or its node could come again
  ASSERT_TRUE(folder_->Write("inside/replaced", "another"));
  runner_.emplace(options_);
  const auto notes = runner_->state().Restore(saved);
  ASSERT_TRUE(notes);
  EXPECT_EQ(*notes, (Notes{"descriptor 4 (box/note.txt) is closed now: it cannot be opened again: "
                           "No such file or directory",
                           "descriptor 5 (box/removed) is closed now: it was removed while it was "
                           "open",
                           "descriptor 6 (box/replaced) is closed now: another file has its name "
                           "now"}));
  for (const std::uint32_t number : {gone, removed, replaced}) {
    EXPECT_EQ(runner_->Call("fd_close", {number}), Errno::kBadFile);
  }
}

TEST_F(WasiState, SaysWhichFilesAreShorterOrLonger) {
  const std::uint32_t file = Open("note.txt"), log = Open("log", kCreate, kReadWrite, kAppend);
  EXPECT_EQ(runner_->WriteTo(log, "1234"), Errno::kSuccess);
  EXPECT_EQ(Read(file, 10), "a note of ");
  const std::string saved = runner_->state().Save();
  fs::resize_file(Inside("note.txt"), 6);
  EXPECT_EQ(runner_->WriteTo(log, "567"), Errno::kSuccess);  // what a killed run wrote afterwards
  runner_.emplace(options_);
  auto notes = runner_->state().Restore(saved);
  ASSERT_TRUE(notes);
  EXPECT_EQ(*notes, (Notes{"descriptor 4 (box/note.txt) has 6 bytes, it had 20 at the snapshot",
                           "descriptor 5 (box/log) has 7 bytes, it had 4 at the snapshot"}));
  EXPECT_EQ(Read(file, 10), "");
  EXPECT_EQ(Contents("log"), "1234567");
  runner_.emplace(options_);
  notes = runner_->state().Restore(saved, /*cuts_grown_files=*/true);
  ASSERT_TRUE(notes);
  EXPECT_EQ(notes->back(), "descriptor 5 (box/log) was cut from 7 bytes, it had 4 at the snapshot");
  EXPECT_EQ(runner_->WriteTo(log, "567"), Errno::kSuccess);
  EXPECT_EQ(Contents("log"), "1234567");
  EXPECT_EQ(Contents("note.txt"), "a note");
}

TEST_F(WasiState, SaysWhatIsGrantedOtherwise) {
  ASSERT_TRUE(folder_->Write("second/x", "x"));
  Open("note.txt");
  const std::string saved = runner_->state().Save();
  const auto notes_with = [&](const Options& options) {
    runner_.emplace(options);
    const auto notes = runner_->state().Restore(saved);
    return notes ? *notes : Notes{notes.error().message};
  };
  Options other = options_;
  other.directories = {{folder_->PathOf("second"), "second"}};
  EXPECT_EQ(notes_with(other),
            (Notes{"folder second is not open: the run was not granted it",
                   "descriptor 3 (box) is closed now: its folder is not granted now",
                   "descriptor 4 (box/note.txt) is closed now: its folder is not granted now"}));
  EXPECT_EQ(runner_->Call("fd_prestat_get", {3, 0}), Errno::kBadFile);
  other = options_;
  other.directories[0].read_only = true;
  EXPECT_EQ(notes_with(other), (Notes{"descriptor 3 (box) can be read alone now",
                                      "descriptor 4 (box/note.txt) can be read alone now"}));
  EXPECT_EQ(Read(4, 6), "a note");
  EXPECT_EQ(runner_->WriteTo(4, "x"), Errno::kBadFile);
  other = options_;
  other.real_clock = other.real_random = true;
  EXPECT_EQ(notes_with(other),
            (Notes{"the run had the virtual clock, now it has the system's",
                   "the run had random numbers of a seed, now it has the system's"}));
}

TEST_F(WasiState, InputGoesToItsPlaceOrItIsSaid) {
  std::string_view text = "0123456789";
  std::size_t place = 0;
  options_.streams.input = [&](std::span<std::uint8_t> bytes) {
    const std::string_view rest = text.substr(place, bytes.size());
    std::ranges::copy(rest, bytes.begin());
    place += rest.size();
    return static_cast<std::int64_t>(rest.size());
  };
  runner_.emplace(options_);
  EXPECT_EQ(Read(0, 4), "0123");
  EXPECT_EQ(GoOn(), (Notes{"standard input goes on with what comes now: 4 bytes of it were read, "
                           "and it is no file that has a place there"}));
  place = 0;
  options_.streams.seek_input = [&](std::uint64_t to) {
    place = to;
    return true;
  };
  EXPECT_EQ(GoOn(), Notes{});
  EXPECT_EQ(Read(0, 4), "4567");
}

TEST_F(WasiState, TheBudgetOfWritesGoesOn) {
  options_.most_written = 10;
  runner_.emplace(options_);
  const std::uint32_t file = Open("new", kCreate);
  EXPECT_EQ(runner_->WriteTo(file, "12345678"), Errno::kSuccess);
  EXPECT_EQ(GoOn(), Notes{});
  EXPECT_EQ(runner_->WriteTo(file, "abc"), Errno::kSuccess);  // two of them
  EXPECT_EQ(Contents("new"), "12345678ab");
  options_.most_written = 5;  // less than was written already
  EXPECT_EQ(GoOn(), Notes{});
  EXPECT_EQ(runner_->WriteTo(file, "x"), Errno::kNoSpace);
  EXPECT_EQ(runner_->Call("fd_filestat_set_size", {file, 11, 0}), Errno::kNoSpace);
}

TEST_F(WasiState, ChangesOfFilesAreCounted) {
  EXPECT_EQ(runner_->state().changes(), 0u);
  const std::uint32_t file = Open("new", kCreate);
  EXPECT_EQ(runner_->WriteTo(file, "x"), Errno::kSuccess);
  EXPECT_EQ(runner_->WriteTo(1, "x"), Errno::kSuccess);  // no file
  EXPECT_EQ(Read(Open("note.txt"), 3), "a n");
  EXPECT_EQ(runner_->state().changes(), 2u);
  runner_->WriteText(1000, "new");
  EXPECT_EQ(runner_->Call("path_unlink_file", {3, 1000, 3}), Errno::kSuccess);
  EXPECT_EQ(runner_->Call("path_unlink_file", {3, 1000, 3}), Errno::kNoEntry);
  EXPECT_EQ(runner_->state().changes(), 3u);
}

// A snapshot may be damaged or made by somebody else.
TEST_F(WasiState, WhatNobodySavedIsRefusedOrExplained) {
  Open("note.txt");
  std::uint64_t cookie = 0;
  List(3, 200, cookie);
  const std::string saved = runner_->state().Save();
  const auto restore = [&](const std::string& text) {
    WasiRunner again(options_);
    return again.state().Restore(text).has_value();
  };
  EXPECT_TRUE(restore(saved));
  for (std::size_t size = 0; size < saved.size(); ++size) {
    EXPECT_FALSE(restore(saved.substr(0, size))) << size;
  }
  for (std::size_t at = 0; at < saved.size(); ++at) {
    for (const char c : {'9', '"', '}', '\0', '/', '%', '-'}) {
      std::string changed = saved;
      changed[at] = c;
      restore(changed);  // returns
    }
  }
  for (const char* text : {"", "[]", "{}", R"({"wasi": "1"})", R"({"wasi": 2})"}) {
    EXPECT_FALSE(restore(text)) << text;
  }
}

}  // namespace
}  // namespace txvm::tests
