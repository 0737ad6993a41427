// txvm_fuzz_wasi [--calls N] [--round N] [--seed N]: random calls on a granted folder, beside the
// same calls of the system on a folder of its own. Errors, bytes read, names, sizes and link counts
// are equal, or it says where they differ and ends with 1.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "frontends/c/temp_folder.h"
#include "frontends/wasi/files.h"
#include "tests/frontends/wasi/wasi_runner.h"
#include "tests/support/random.h"

namespace txvm::tests {
namespace {

using frontends::wasi::Errno;
using frontends::wasi::FromSystem;
using vm::Word;

constexpr std::uint32_t kFirst = 1000, kSecond = 6000, kData = 12'000, kOut = 96;

/// One program's open files in both worlds.
struct Pair {
  std::uint32_t guest = 0;
  int system = -1;
};

/// What a call came to: an error, and what it gave.
struct Result {
  Errno error = Errno::kSuccess;
  std::string value;
  friend bool operator==(const Result&, const Result&) = default;
};

class Model {
 public:
  Model(const std::string& granted, const std::string& shadow, std::uint64_t seed)
      : runner_(Granting(granted)),
        shadow_(open(shadow.c_str(), O_RDONLY | O_DIRECTORY)),
        random_(seed) {}
  ~Model() {
    for (const Pair& pair : open_) close(pair.system);
    close(shadow_);
  }

  /// One random call in both worlds; whether they agree.
  bool Step() {
    using Call = bool (Model::*)();
    constexpr Call kCalls[] = {&Model::Open,   &Model::Open,     &Model::Write,  &Model::Write,
                               &Model::Pwrite, &Model::Pread,    &Model::Read,   &Model::Seek,
                               &Model::Mkdir,  &Model::Rename,   &Model::Link,   &Model::Symlink,
                               &Model::Unlink, &Model::Rmdir,    &Model::List,   &Model::Stat,
                               &Model::Close,  &Model::Readlink, &Model::SetSize};
    return (this->*kCalls[Below(std::size(kCalls))])();
  }

 private:
  static frontends::wasi::Options Granting(const std::string& folder) {
    frontends::wasi::Options options;
    options.directories = {{folder, "box", false}};
    return options;
  }

  std::uint32_t Below(std::size_t n) { return random_.Below(static_cast<std::uint32_t>(n)); }

  std::string Path() {
    constexpr const char* kNames[] = {"a", "b", "c", "d"};
    std::string path = kNames[Below(4)];
    for (std::uint64_t i = Below(3); i > 0; --i) path += std::string("/") + kNames[Below(4)];
    if (Below(12) == 0) path += "/.";
    if (Below(12) == 0) path = "./" + path;
    return path;
  }

  Word Put(std::uint32_t at, const std::string& text) {
    runner_.WriteText(at, text);
    return static_cast<Word>(text.size());
  }

  bool Same(const char* what, const std::string& on, const Result& guest, const Result& system) {
    if (guest == system) return true;
    std::printf("%s %s: error %d, '%s', the system's: error %d, '%s'\n", what, on.c_str(),
                static_cast<int>(guest.error), guest.value.c_str(), static_cast<int>(system.error),
                system.value.c_str());
    return false;
  }
  Result SystemResult(std::int64_t result) {
    return {result < 0 ? FromSystem(errno) : Errno::kSuccess, {}};
  }

  bool Open() {
    if (open_.size() > 40) return Close();
    const std::string path = Path();
    const std::uint32_t how =
        static_cast<std::uint32_t>(Below(4) == 0 ? Below(16) & ~2u : Below(2));
    const bool write = Below(2) == 0, follow = Below(2) == 0, append = Below(6) == 0;
    const Word size = Put(kFirst, path);
    const Errno error = runner_.Call(
        "path_open", {3, follow ? kFollow : 0, kFirst, size, how,
                      write ? kReadWrite | 36 : kRead | 36, 0, 0, 0, append ? 1u : 0u, kOut});
    int flags = (write ? O_RDWR : O_RDONLY) | O_NONBLOCK | (append ? O_APPEND : 0);
    if ((how & kCreate) != 0) flags |= O_CREAT;
    if ((how & kExclusive) != 0) flags |= O_EXCL;
    if ((how & kTruncate) != 0) flags |= O_TRUNC;
    if (!follow) flags |= O_NOFOLLOW;
    const bool lone_exclusive = (how & kExclusive) != 0 && (how & kCreate) == 0;
    if (lone_exclusive) flags &= ~O_EXCL;
    const int number = openat(shadow_, path.c_str(), flags, 0666);
    const Result system = SystemResult(number);
    if (error == Errno::kSuccess && number >= 0) {
      open_.push_back({runner_.Read32(kOut), number});
    } else if (number >= 0) {
      close(number);
    }
    return Same(
        "open",
        path + " " + std::to_string(how) + (write ? " w" : " r") + (follow ? " follow" : ""),
        {error, {}}, system);
  }

  template <typename Guest, typename System>
  bool OnFile(const char* what, const Guest& guest, const System& system) {
    if (open_.empty()) return true;
    const Pair& pair = open_[Below(open_.size())];
    struct stat status = {};
    if (fstat(pair.system, &status) != 0 || S_ISDIR(status.st_mode)) return true;
    return Same(what, std::to_string(pair.guest), guest(pair.guest), system(pair.system));
  }

  std::string Bytes() {
    std::string text(1 + Below(50), 'x');
    for (char& c : text) c = static_cast<char>('a' + Below(26));
    return text;
  }
  void Buffer(const std::string& text) {
    runner_.WriteText(kData, text);
    runner_.Write32(100, kData);
    runner_.Write32(104, static_cast<std::uint32_t>(text.size()));
  }

  bool Write() {
    const std::string text = Bytes();
    Buffer(text);
    return OnFile(
        "write",
        [&](std::uint32_t n) { return Result{runner_.Call("fd_write", {n, 100, 1, kOut}), {}}; },
        [&](int n) { return SystemResult(write(n, text.data(), text.size())); });
  }
  bool Pwrite() {
    const std::string text = Bytes();
    const std::uint32_t place = static_cast<std::uint32_t>(Below(200));
    Buffer(text);
    return OnFile(
        "pwrite",
        [&](std::uint32_t n) {
          return Result{runner_.Call("fd_pwrite", {n, 100, 1, place, 0, kOut}), {}};
        },
        [&](int n) {
          const int flags = fcntl(n, F_GETFL);
          fcntl(n, F_SETFL, flags & ~O_APPEND);
          const Result result = SystemResult(pwrite(n, text.data(), text.size(), place));
          fcntl(n, F_SETFL, flags);
          return result;
        });
  }
  Result GuestRead(Errno error) {
    return {error, error == Errno::kSuccess ? runner_.ReadText(kData, runner_.Read32(kOut)) : ""};
  }
  bool Read() {
    Buffer(std::string(60, '.'));
    return OnFile(
        "read",
        [&](std::uint32_t n) { return GuestRead(runner_.Call("fd_read", {n, 100, 1, kOut})); },
        [&](int n) {
          std::array<char, 60> bytes;
          const ssize_t count = read(n, bytes.data(), bytes.size());
          Result result = SystemResult(count);
          if (count > 0) result.value.assign(bytes.data(), static_cast<std::size_t>(count));
          return result;
        });
  }
  bool Pread() {
    const std::uint32_t place = static_cast<std::uint32_t>(Below(300));
    Buffer(std::string(60, '.'));
    return OnFile(
        "pread",
        [&](std::uint32_t n) {
          return GuestRead(runner_.Call("fd_pread", {n, 100, 1, place, 0, kOut}));
        },
        [&](int n) {
          std::array<char, 60> bytes;
          const ssize_t count = pread(n, bytes.data(), bytes.size(), place);
          Result result = SystemResult(count);
          if (count > 0) result.value.assign(bytes.data(), static_cast<std::size_t>(count));
          return result;
        });
  }
  bool Seek() {
    const auto offset = static_cast<std::int64_t>(Below(300)) - 100;
    const Word whence = static_cast<Word>(Below(3));
    return OnFile(
        "seek",
        [&](std::uint32_t n) {
          const auto bits = static_cast<std::uint64_t>(offset);
          const Errno error = runner_.Call(
              "fd_seek", {n, static_cast<Word>(bits), static_cast<Word>(bits >> 32), whence, kOut});
          return Result{error,
                        error == Errno::kSuccess ? std::to_string(runner_.Read64(kOut)) : ""};
        },
        [&](int n) {
          constexpr int kWhence[] = {SEEK_SET, SEEK_CUR, SEEK_END};
          const off_t place = lseek(n, offset, kWhence[whence]);
          Result result = SystemResult(place);
          if (place >= 0) result.value = std::to_string(place);
          return result;
        });
  }
  bool SetSize() {
    const Word size = static_cast<Word>(Below(300));
    return OnFile(
        "set_size",
        [&](std::uint32_t n) {
          return Result{runner_.Call("fd_filestat_set_size", {n, size, 0}), {}};
        },
        [&](int n) { return SystemResult(ftruncate(n, size)); });
  }

  bool OnPath(const char* what, const char* call, int (*act)(int, const char*)) {
    const std::string path = Path();
    const Word size = Put(kFirst, path);
    return Same(what, path, {runner_.Call(call, {3, kFirst, size}), {}},
                SystemResult(act(shadow_, path.c_str())));
  }
  bool Mkdir() {
    return OnPath("mkdir", "path_create_directory",
                  [](int folder, const char* path) { return mkdirat(folder, path, 0777); });
  }
  bool Unlink() {
    return OnPath("unlink", "path_unlink_file",
                  [](int folder, const char* path) { return unlinkat(folder, path, 0); });
  }
  bool Rmdir() {
    return OnPath("rmdir", "path_remove_directory", [](int folder, const char* path) {
      return unlinkat(folder, path, AT_REMOVEDIR);
    });
  }
  bool Rename() {
    const std::string from = Path(), to = Path();
    const Word a = Put(kFirst, from), b = Put(kSecond, to);
    return Same("rename", from + " " + to,
                {runner_.Call("path_rename", {3, kFirst, a, 3, kSecond, b}), {}},
                SystemResult(renameat(shadow_, from.c_str(), shadow_, to.c_str())));
  }
  bool Link() {
    const std::string from = Path(), to = Path();
    const Word a = Put(kFirst, from), b = Put(kSecond, to);
    return Same("link", from + " " + to,
                {runner_.Call("path_link", {3, 0, kFirst, a, 3, kSecond, b}), {}},
                SystemResult(linkat(shadow_, from.c_str(), shadow_, to.c_str(), 0)));
  }
  bool Symlink() {
    const std::string target = Path(), path = Path();
    const Word a = Put(kFirst, target), b = Put(kSecond, path);
    return Same("symlink", target + " " + path,
                {runner_.Call("path_symlink", {kFirst, a, 3, kSecond, b}), {}},
                SystemResult(symlinkat(target.c_str(), shadow_, path.c_str())));
  }
  bool Readlink() {
    const std::string path = Path();
    const Errno error =
        runner_.Call("path_readlink", {3, kFirst, Put(kFirst, path), kData, 60, kOut});
    std::array<char, 60> text;
    const ssize_t count = readlinkat(shadow_, path.c_str(), text.data(), text.size());
    Result system = SystemResult(count);
    if (count > 0) system.value.assign(text.data(), static_cast<std::size_t>(count));
    return Same("readlink", path, GuestRead(error), system);
  }
  bool Stat() {
    const std::string path = Path();
    const bool follow = Below(2) == 0;
    const Errno error = runner_.Call("path_filestat_get",
                                     {3, follow ? kFollow : 0, kFirst, Put(kFirst, path), kData});
    Result guest{error, {}};
    struct stat status = {};
    const int result = fstatat(shadow_, path.c_str(), &status, follow ? 0 : AT_SYMLINK_NOFOLLOW);
    Result system = SystemResult(result);
    if (error == Errno::kSuccess) {
      const bool is_folder = runner_.ReadText(kData + 16, 1) == "\3";
      guest.value = runner_.ReadText(kData + 16, 1) +
                    (is_folder ? "" : std::to_string(runner_.Read64(kData + 32))) + " " +
                    std::to_string(runner_.Read64(kData + 24));
    }
    if (result == 0) {
      const char type = static_cast<char>(frontends::wasi::TypeOfMode(status.st_mode));
      system.value = std::string(1, type) +
                     (S_ISDIR(status.st_mode) ? "" : std::to_string(status.st_size)) + " " +
                     std::to_string(status.st_nlink);
    }
    return Same("stat", path, guest, system);
  }
  bool List() {
    const std::string path = Below(3) == 0 ? "." : Path();
    const Errno opened =
        runner_.Call("path_open", {3, kFollow, kFirst, Put(kFirst, path), 2, 0, 0, 0, 0, 0, kOut});
    const int number = openat(shadow_, path.c_str(), O_RDONLY | O_DIRECTORY);
    if (!Same("open folder", path, {opened, {}}, SystemResult(number))) return false;
    if (number < 0) return true;
    const std::uint32_t guest_number = runner_.Read32(kOut);
    std::vector<std::string> names, system_names;
    const Errno error = runner_.Call("fd_readdir", {guest_number, kData, 20'000, 0, 0, kOut});
    const std::uint32_t end = kData + runner_.Read32(kOut);
    for (std::uint32_t at = kData; at < end;) {
      const std::uint32_t length = runner_.Read32(at + 16);
      names.push_back(runner_.ReadText(at + 24, length) + runner_.ReadText(at + 20, 1));
      at += 24 + length;
    }
    DIR* stream = fdopendir(number);
    while (const dirent* entry = readdir(stream)) {
      system_names.push_back(std::string(entry->d_name) +
                             static_cast<char>(frontends::wasi::TypeOfMode(DTTOIF(entry->d_type))));
    }
    closedir(stream);
    runner_.Call("fd_close", {guest_number});
    std::ranges::sort(names);
    std::ranges::sort(system_names);
    const auto joined = [](const std::vector<std::string>& all) {
      std::string text;
      for (const std::string& one : all) text += one + " ";
      return text;
    };
    return Same("readdir", path, {error, joined(names)}, {Errno::kSuccess, joined(system_names)});
  }
  bool Close() {
    if (open_.empty()) return true;
    const std::size_t which = Below(open_.size());
    const Pair pair = open_[which];
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
    return Same("close", std::to_string(pair.guest), {runner_.Call("fd_close", {pair.guest}), {}},
                SystemResult(close(pair.system)));
  }

  WasiRunner runner_;
  int shadow_ = -1;
  support::Random random_;
  std::vector<Pair> open_;
};

std::size_t OpenDescriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

/// `round`: calls of a sequence; then both begin with an empty folder again.
int Run(long calls, long round, std::uint64_t seed) {
  long done = 0;
  const std::size_t descriptors = OpenDescriptors();
  while (done < calls) {
    auto folder = frontends::c::TempFolder::Create();
    if (!folder) return 1;
    std::filesystem::create_directory(folder->PathOf("granted"));
    std::filesystem::create_directory(folder->PathOf("shadow"));
    Model model(folder->PathOf("granted"), folder->PathOf("shadow"), seed);
    for (long i = 0; i < round && done < calls; ++i, ++done) {
      if (model.Step()) continue;
      std::printf("seed %llu, call %ld\n", static_cast<unsigned long long>(seed), i);
      return 1;
    }
    ++seed;
  }
  if (OpenDescriptors() != descriptors) {
    std::printf("descriptors leaked: %zu before, %zu after\n", descriptors, OpenDescriptors());
    return 1;
  }
  std::printf("%ld calls, no difference\n", done);
  return 0;
}

}  // namespace
}  // namespace txvm::tests

int main(int argc, char** argv) {
  long calls = 10'000, round = 2'000;
  unsigned long long seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--calls") calls = std::atol(argv[i + 1]);
    if (std::string(argv[i]) == "--round") round = std::max(1L, std::atol(argv[i + 1]));
    if (std::string(argv[i]) == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return txvm::tests::Run(calls, round, seed);
}
