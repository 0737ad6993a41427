// What every run of a comparison finds again.
#include "frontends/cli/compare/replay.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace txvm::frontends::cli {
namespace {

namespace fs = std::filesystem;

std::string Take(const wasi::ReadFunction& read, std::size_t count) {
  std::string bytes(count, '\0');
  const std::int64_t got = read({reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
  if (got < 0) return "error " + std::to_string(-got);
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

TEST(ReplayedInput, GivesEveryRunTheSamePieces) {
  std::string text = "abcdefgh";
  int reads = 0;
  const ReplayedInput input([&](std::span<std::uint8_t> bytes) {
    ++reads;  // as a slow pipe: three bytes at a time
    const std::size_t count = std::min({bytes.size(), text.size(), std::size_t{3}});
    std::copy_n(text.begin(), count, bytes.begin());
    text.erase(0, count);
    return static_cast<std::int64_t>(count);
  });
  for (int run = 0; run < 3; ++run) {
    const wasi::ReadFunction read = input.FromStart();
    EXPECT_EQ(Take(read, 2), "ab");
    EXPECT_EQ(Take(read, 5), "cdefg");
    EXPECT_EQ(Take(read, 0), "");
    EXPECT_EQ(Take(read, 5), "h");
    EXPECT_EQ(Take(read, 5), "");
  }
  EXPECT_EQ(input.Read(), "abcdefgh");
  EXPECT_EQ(reads, 4);  // the last found the end
}

TEST(ReplayedInput, AFailureIsNotTheEnd) {
  bool fails = true;
  const ReplayedInput input([&](std::span<std::uint8_t> bytes) -> std::int64_t {
    if (std::exchange(fails, false)) return -EINTR;
    bytes[0] = 'x';
    return 1;
  });
  const wasi::ReadFunction read = input.FromStart();
  EXPECT_EQ(Take(read, 2), "error 4");
  EXPECT_EQ(Take(read, 2), "xx");
}

TEST(Printed, TellsOutputsApart) {
  const auto print = [](std::string_view text) {
    Printed printed;
    KeepPrinted(printed)({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    return printed;
  };
  EXPECT_EQ(print("abc"), print("abc"));
  EXPECT_NE(print("abc"), print("abd"));
  EXPECT_NE(print(""), print("a"));
  EXPECT_EQ(print("abc").bytes, 3u);
}

TEST(FolderCopies, AreWhatTheFoldersAreAndGoWithThem) {
  const auto folder = c::TempFolder::Create();
  ASSERT_TRUE(folder && folder->Write("box/sub/note", "a note") && folder->Write("ro/x", "x"));
  fs::create_symlink("sub/note", folder->PathOf("box/link"));
  fs::create_symlink("/nowhere", folder->PathOf("box/dangling"));
  ASSERT_EQ(mkfifo(folder->PathOf("box/pipe").c_str(), 0600), 0);
  fs::permissions(folder->PathOf("box/sub/note"), fs::perms::owner_read);
  std::string copy;
  {
    const auto copies = FolderCopies::Make(
        {{folder->PathOf("box"), "box"}, {folder->PathOf("ro"), "ro", /*read_only=*/true}});
    ASSERT_TRUE(copies) << copies.error().message;
    ASSERT_EQ(copies->directories().size(), 2u);
    EXPECT_EQ(copies->directories()[1].host, folder->PathOf("ro"));
    EXPECT_EQ(copies->directories()[0].guest, "box");
    copy = copies->directories()[0].host;
    EXPECT_NE(copy, folder->PathOf("box"));
    std::ifstream note(copy + "/link");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(note), {}), "a note");
    EXPECT_EQ(fs::status(copy + "/sub/note").permissions(), fs::perms::owner_read);
    EXPECT_TRUE(fs::is_symlink(copy + "/dangling"));
    EXPECT_FALSE(fs::exists(copy + "/pipe"));
    std::ofstream(copy + "/new") << "new";
  }
  EXPECT_FALSE(fs::exists(copy));
  EXPECT_FALSE(fs::exists(folder->PathOf("box/new")));
  const auto absent = FolderCopies::Make({{"/no/such/folder", "x"}});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, isa::ErrorCode::kIo);
  EXPECT_EQ(absent.error().message,
            "cannot copy /no/such/folder for a run: No such file or directory");
}

}  // namespace
}  // namespace txvm::frontends::cli
