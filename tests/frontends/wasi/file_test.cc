// Files below the folders a program was granted, and nothing else.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "frontends/c/temp_folder.h"
#include "frontends/wasi/files.h"
#include "tests/frontends/wasi/wasi_runner.h"

namespace txvm::tests {
namespace {

namespace fs = std::filesystem;
using frontends::c::TempFolder;
using frontends::wasi::Errno;
using frontends::wasi::Options;

/// A folder with inside/{note.txt, sub/deep.txt} granted as "box", and secret.txt beside it.
class WasiFile : public testing::Test {
 protected:
  void SetUp() override {
    auto created = TempFolder::Create();
    ASSERT_TRUE(created);
    folder_.emplace(*std::move(created));
    ASSERT_TRUE(folder_->Write("inside/note.txt", "a note"));
    ASSERT_TRUE(folder_->Write("inside/sub/deep.txt", "deep"));
    ASSERT_TRUE(folder_->Write("secret.txt", "secret"));
    Options options;
    options.directories = {{folder_->PathOf("inside"), "box"}};
    runner_.emplace(options);
  }

  std::string ReadFile(std::string_view path) {
    const auto opened = runner_->Open(path);
    if (opened.error != Errno::kSuccess) {
      return "error " + std::to_string(static_cast<int>(opened.error));
    }
    return runner_->ReadFrom(opened.number);
  }
  Errno At(std::string_view call, std::string_view path) {
    runner_->WriteText(1000, path);
    return runner_->Call(call, {3, 1000, static_cast<vm::Word>(path.size())});
  }

  std::optional<TempFolder> folder_;
  std::optional<WasiRunner> runner_;
};

TEST_F(WasiFile, GrantedFoldersAreNamed) {
  EXPECT_EQ(runner_->Call("fd_prestat_get", {3, 0}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read64(0), std::uint64_t{3} << 32);
  EXPECT_EQ(runner_->Call("fd_prestat_dir_name", {3, 100, 3}), Errno::kSuccess);
  EXPECT_EQ(runner_->ReadText(100, 3), "box");
  EXPECT_EQ(runner_->Call("fd_prestat_dir_name", {3, 100, 2}), Errno::kNameTooLong);
  EXPECT_EQ(runner_->Call("fd_prestat_get", {4, 0}), Errno::kBadFile);
  EXPECT_EQ(runner_->Call("fd_prestat_get", {0, 0}), Errno::kBadFile);
}

TEST_F(WasiFile, ReadsWhatIsInside) {
  EXPECT_EQ(ReadFile("note.txt"), "a note");
  EXPECT_EQ(ReadFile("./sub//deep.txt"), "deep");
  EXPECT_EQ(ReadFile("sub/../note.txt"), "a note");
  EXPECT_EQ(ReadFile("sub/./../sub/deep.txt"), "deep");
  EXPECT_EQ(ReadFile("absent"), "error 44");
  EXPECT_EQ(ReadFile("note.txt/x"), "error 54");
}

TEST_F(WasiFile, NothingLeadsOut) {
  const std::string inside = folder_->PathOf("inside");
  fs::create_symlink("../secret.txt", inside + "/link");
  fs::create_symlink(folder_->PathOf("secret.txt"), inside + "/absolute");
  fs::create_symlink("..", inside + "/up");
  fs::create_symlink("sub", inside + "/harmless");
  for (const char* path : {"../secret.txt", "sub/../../secret.txt", "..", "sub/../..",
                           "/etc/passwd", "./../inside/note.txt"}) {
    EXPECT_EQ(ReadFile(path), "error 76") << path;
  }
  for (const char* path : {"link", "absolute"}) {
    EXPECT_EQ(ReadFile(path), "error 32") << path;
    EXPECT_EQ(runner_->Open(path, 0, kRead, kFollow).error, Errno::kNotCapable) << path;
  }
  EXPECT_EQ(ReadFile("up/secret.txt"), "error 76");
  EXPECT_EQ(ReadFile("harmless/deep.txt"), "deep");
  // A new file through a link would be one outside.
  EXPECT_EQ(runner_->Open("link", kCreate | kTruncate, kReadWrite).error, Errno::kLoop);
  EXPECT_EQ(runner_->Open("link", kCreate | kTruncate, kReadWrite, kFollow).error,
            Errno::kNotCapable);
  EXPECT_EQ(runner_->Open("../new.txt", kCreate, kReadWrite).error, Errno::kNotCapable);
  EXPECT_EQ(At("path_unlink_file", "../secret.txt"), Errno::kNotCapable);
  EXPECT_EQ(At("path_create_directory", "../new"), Errno::kNotCapable);
  EXPECT_TRUE(fs::exists(folder_->PathOf("secret.txt")));
  EXPECT_EQ(fs::file_size(folder_->PathOf("secret.txt")), 6u);
}

TEST_F(WasiFile, OddPathsAreRefused) {
  EXPECT_EQ(ReadFile(""), "error 44");
  EXPECT_EQ(ReadFile(std::string_view("no\0te", 5)), "error 28");
  EXPECT_EQ(ReadFile(std::string(300, 'x')), "error 37");
  std::string deep;
  for (int i = 0; i < 600; ++i) deep += "sub/../";
  EXPECT_EQ(ReadFile(deep.substr(0, 4095)), "error 31");  // a folder is no file, but it was found
  EXPECT_EQ(ReadFile(deep), "error 37");
  ASSERT_EQ(mkfifo(folder_->PathOf("inside/pipe").c_str(), 0600), 0);
  EXPECT_EQ(ReadFile("pipe"), "error 58");
}

TEST_F(WasiFile, WritesSeeksAndTruncates) {
  const auto file = runner_->Open("new.txt", kCreate | kExclusive, kReadWrite);
  ASSERT_EQ(file.error, Errno::kSuccess);
  EXPECT_EQ(runner_->Open("new.txt", kCreate | kExclusive, kReadWrite).error, Errno::kExists);
  EXPECT_EQ(runner_->WriteTo(file.number, "0123456789"), Errno::kSuccess);
  EXPECT_EQ(runner_->Call("fd_tell", {file.number, 0}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read64(0), 10u);
  EXPECT_EQ(runner_->Call("fd_seek", {file.number, 0xFFFFFFFD, 0xFFFFFFFF, 2, 0}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read64(0), 7u);
  EXPECT_EQ(runner_->ReadFrom(file.number), "789");
  EXPECT_EQ(runner_->Call("fd_seek", {file.number, 0xFFFFFFFF, 0xFFFFFFFF, 0, 0}), Errno::kInvalid);
  EXPECT_EQ(runner_->Call("fd_seek", {file.number, 0, 0, 3, 0}), Errno::kInvalid);
  EXPECT_EQ(runner_->Call("fd_filestat_set_size", {file.number, 4, 0}), Errno::kSuccess);
  EXPECT_EQ(runner_->Call("fd_filestat_get", {file.number, 0}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read64(32), 4u);
  EXPECT_EQ(runner_->ReadText(16, 1), "\4");   // a regular file
  EXPECT_EQ(runner_->Read64(48), 1'000'000u);  // changed at a time of the virtual clock
  EXPECT_EQ(runner_->Call("fd_close", {file.number}), Errno::kSuccess);
  EXPECT_EQ(ReadFile("new.txt"), "0123");
  EXPECT_EQ(runner_->WriteTo(runner_->Open("new.txt").number, "x"), Errno::kBadFile);
}

// wasi-libc answers fcntl(F_GETFL) by the rights to read a file or the names in a folder.
TEST_F(WasiFile, AFileHasTheRightsItWasOpenedWith) {
  constexpr std::uint32_t kWrite = 64, kReadNames = 1u << 14;
  for (const std::uint32_t rights : {kRead, kWrite, kReadWrite}) {
    const auto file = runner_->Open("note.txt", 0, rights);
    ASSERT_EQ(file.error, Errno::kSuccess);
    EXPECT_EQ(runner_->Call("fd_fdstat_get", {file.number, 0}), Errno::kSuccess);
    EXPECT_EQ(runner_->Read64(8) & (kReadWrite | kReadNames), rights);
  }
  const auto folder = runner_->Open("sub", kFolder, kRead);
  EXPECT_EQ(runner_->Call("fd_fdstat_get", {folder.number, 0}), Errno::kSuccess);
  EXPECT_EQ(runner_->Read64(8) & kReadNames, kReadNames);
}

TEST_F(WasiFile, FoldersAndRemoval) {
  EXPECT_EQ(At("path_create_directory", "made"), Errno::kSuccess);
  EXPECT_EQ(At("path_create_directory", "made"), Errno::kExists);
  EXPECT_EQ(runner_->Open("made", kFolder).error, Errno::kSuccess);
  EXPECT_EQ(runner_->Open("note.txt", kFolder).error, Errno::kNotDirectory);
  EXPECT_EQ(At("path_unlink_file", "note.txt"), Errno::kSuccess);
  EXPECT_EQ(At("path_remove_directory", "made"), Errno::kSuccess);
  EXPECT_EQ(At("path_remove_directory", "sub"), Errno::kNotEmpty);
  runner_->WriteText(1000, "sub");
  EXPECT_EQ(runner_->Call("path_filestat_get", {3, 0, 1000, 3, 0}), Errno::kSuccess);
  EXPECT_EQ(runner_->ReadText(16, 1), "\3");  // a folder
}

// stat follows links and lstat does not.
TEST_F(WasiFile, TheStatusOfALinkIsNotTakenForThatOfItsFile) {
  fs::create_symlink("note.txt", folder_->PathOf("inside/link"));
  runner_->WriteText(1000, "link");
  EXPECT_EQ(runner_->Call("path_filestat_get", {3, kFollow, 1000, 4, 0}), Errno::kSuccess);
  EXPECT_EQ(runner_->ReadText(16, 1), "\4");  // the regular file it leads to
  EXPECT_EQ(runner_->Call("path_filestat_get", {3, 0, 1000, 4, 0}), Errno::kSuccess);
  EXPECT_EQ(runner_->ReadText(16, 1), "\7");  // a symbolic link
  EXPECT_EQ(runner_->Read64(32), std::string_view("note.txt").size());
  runner_->WriteText(1000, "note.txt");
  EXPECT_EQ(runner_->Call("path_filestat_get", {3, kFollow, 1000, 8, 0}), Errno::kSuccess);
  EXPECT_EQ(runner_->ReadText(16, 1), "\4");  // a regular file
}

TEST_F(WasiFile, ASlashAtTheEndAsksForAFolder) {
  for (const char* path : {"note.txt/", "note.txt//", "note.txt/.", "sub/../note.txt/"}) {
    EXPECT_EQ(runner_->Open(path).error, Errno::kNotDirectory) << path;
    EXPECT_EQ(At("path_unlink_file", path), Errno::kNotDirectory) << path;
    runner_->WriteText(1000, path);
    const auto size = static_cast<vm::Word>(std::string_view(path).size());
    EXPECT_EQ(runner_->Call("path_filestat_get", {3, 0, 1000, size, 0}), Errno::kNotDirectory);
  }
  EXPECT_EQ(ReadFile("note.txt"), "a note");
  EXPECT_EQ(runner_->Open("absent/").error, Errno::kNoEntry);
  EXPECT_NE(runner_->Open("absent/", kCreate, kReadWrite).error, Errno::kSuccess);
  EXPECT_EQ(ReadFile("absent"), "error 44");
  EXPECT_EQ(runner_->Open("sub/", kFolder).error, Errno::kSuccess);
  EXPECT_EQ(runner_->Open("./").error, Errno::kSuccess);
  EXPECT_EQ(At("path_create_directory", "made/"), Errno::kSuccess);
  EXPECT_EQ(At("path_remove_directory", "made/"), Errno::kSuccess);
}

TEST_F(WasiFile, OpenFilesAreCounted) {
  std::size_t open = 4;  // streams and the granted folder
  while (runner_->Open("note.txt").error == Errno::kSuccess) ++open;
  EXPECT_EQ(open, frontends::wasi::Options{}.most_files);
  EXPECT_EQ(runner_->Open("note.txt").error, Errno::kTooManyFiles);
  EXPECT_EQ(runner_->Call("fd_close", {100}), Errno::kSuccess);
  EXPECT_EQ(runner_->Open("note.txt").number, 100u);
}

TEST(WasiNoFile, WithoutAFolderThereIsNoFile) {
  WasiRunner runner;
  EXPECT_EQ(runner.Call("fd_prestat_get", {3, 0}), Errno::kBadFile);
  EXPECT_EQ(runner.Open("/etc/passwd").error, Errno::kBadFile);
  EXPECT_EQ(runner.Open("note.txt").error, Errno::kBadFile);
}

TEST(WasiNoFile, AFolderThatIsNotThereIsNamed) {
  vm::Linker linker;
  Options options;
  options.directories = {{"/no/such/folder", "x"}};
  const auto defined = frontends::wasi::Define(linker, options);
  ASSERT_FALSE(defined);
  EXPECT_EQ(defined.error().code, isa::ErrorCode::kIo);
  EXPECT_EQ(defined.error().message,
            "cannot open the folder /no/such/folder: No such file or directory");
}

}  // namespace
}  // namespace txvm::tests
