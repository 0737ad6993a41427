// Streams, files and folders.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <string>

#include "frontends/wasi/calls.h"

namespace txvm::frontends::wasi {
namespace {

using Kind = OpenFile::Kind;

// Types of files, as fdstat and filestat name them.
enum class FileType : std::uint8_t {
  kUnknown = 0,
  kCharacter = 2,
  kFolder = 3,
  kRegular = 4,
  kLink = 7,
};

// Rights a program may look for; txvm checks what it does, not these.
constexpr std::uint64_t kRightRead = 1u << 1;
constexpr std::uint64_t kRightWrite = 1u << 6;
constexpr std::uint64_t kRightReadNames = 1u << 14;  // in a folder
constexpr std::uint64_t kAllRights = (1u << 29) - 1;

constexpr std::uint64_t kFdstatBytes = 24;
constexpr std::uint64_t kFilestatBytes = 64;

FileType TypeOf(Kind kind) {
  switch (kind) {
    case Kind::kInput:
    case Kind::kOutput:
    case Kind::kErrors:
      return FileType::kCharacter;  // so that libraries write every line at once
    case Kind::kFolder:
      return FileType::kFolder;
    case Kind::kFile:
      return FileType::kRegular;
  }
  return FileType::kUnknown;
}

Errno FromReturn(int result) { return result == 0 ? Errno::kSuccess : FromSystem(errno); }

std::int64_t ReadSome(System& system, const OpenFile& file, std::span<std::uint8_t> bytes) {
  if (file.kind == Kind::kInput) {
    return system.options.streams.input ? system.options.streams.input(bytes) : 0;
  }
  const ssize_t count = read(file.system.number(), bytes.data(), bytes.size());
  return count < 0 ? -errno : count;
}

std::int64_t WriteSome(System& system, const OpenFile& file, std::span<const std::uint8_t> bytes) {
  if (file.kind == Kind::kFile) {
    const ssize_t count = write(file.system.number(), bytes.data(), bytes.size());
    return count < 0 ? -errno : count;
  }
  const WriteFunction& sink =
      file.kind == Kind::kOutput ? system.options.streams.output : system.options.streams.errors;
  return sink ? sink(bytes) : static_cast<std::int64_t>(bytes.size());
}

/// Moves bytes through every buffer until one is not used up. Writes how many to `count_at`.
template <typename Move>
Errno MoveAll(const Guest& guest, std::uint32_t buffers_at, std::uint32_t count,
              std::uint32_t count_at, const Move& move) {
  const Guest::Buffers buffers = guest.ReadBuffers(buffers_at, count);
  if (buffers.error != Errno::kSuccess) return buffers.error;
  if (!guest.Slice(count_at, sizeof(std::uint32_t))) return Errno::kFault;
  std::uint64_t total = 0;
  for (const std::span<std::uint8_t> part : buffers.parts) {
    if (part.empty()) continue;
    const std::int64_t moved = move(part);
    if (moved < 0 && total == 0) return FromSystem(static_cast<int>(-moved));
    if (moved <= 0) break;
    total += static_cast<std::uint64_t>(moved);
    if (static_cast<std::uint64_t>(moved) < part.size()) break;
  }
  guest.Write32(count_at, static_cast<std::uint32_t>(total));
  return Errno::kSuccess;
}

Errno WriteStatus(const System& system, const Guest& guest, std::uint32_t address,
                  const struct stat& status) {
  if (!guest.Slice(address, kFilestatBytes)) return Errno::kFault;
  const auto nanoseconds = [&](const timespec& time) -> std::uint64_t {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    if (!system.options.real_clock) return 0;
    return static_cast<std::uint64_t>(time.tv_sec) * kSecond +
           static_cast<std::uint64_t>(time.tv_nsec);
  };
  const FileType type = S_ISDIR(status.st_mode)   ? FileType::kFolder
                        : S_ISREG(status.st_mode) ? FileType::kRegular
                        : S_ISLNK(status.st_mode) ? FileType::kLink
                                                  : FileType::kUnknown;
  constexpr std::uint32_t kNode = 8, kType = 16, kLinks = 24, kSize = 32, kAccess = 40,
                          kModified = 48, kChanged = 56;
  guest.Write64(address, status.st_dev);
  guest.Write64(address + kNode, status.st_ino);
  guest.Write64(address + kType, static_cast<std::uint8_t>(type));
  guest.Write64(address + kLinks, status.st_nlink);
  guest.Write64(address + kSize, static_cast<std::uint64_t>(status.st_size));
  guest.Write64(address + kAccess, nanoseconds(status.st_atim));
  guest.Write64(address + kModified, nanoseconds(status.st_mtim));
  guest.Write64(address + kChanged, nanoseconds(status.st_ctim));
  return Errno::kSuccess;
}

/// A path parameter: address and length.
std::expected<std::string, Errno> NextPath(const Guest& guest, Params& params) {
  const std::uint32_t address = params.Next32(), count = params.Next32();
  if (count > kMostPathBytes) return std::unexpected(Errno::kNameTooLong);
  const auto bytes = guest.Slice(address, count);
  if (!bytes) return std::unexpected(Errno::kFault);
  return std::string(bytes->begin(), bytes->end());
}

/// Calls act(folder descriptor, name) at the path of the parameters (folder, path).
template <typename Act>
Errno AtPath(System& system, const Guest& guest, Params& params, std::uint32_t folder,
             const Act& act) {
  const auto path = NextPath(guest, params);
  if (!path) return path.error();
  const auto location = system.files.Locate(folder, *path);
  if (!location) return location.error();
  return FromReturn(act(location->folder.number(), location->name.c_str()));
}

}  // namespace

Errno FdClose(System& system, const Guest&, Params params) {
  return system.files.Close(params.Next32()) ? Errno::kSuccess : Errno::kBadFile;
}

Errno FdSync(System& system, const Guest&, Params params) {
  const OpenFile* file = system.files.Find(params.Next32());
  if (file == nullptr) return Errno::kBadFile;
  return file->kind == Kind::kFile ? FromReturn(fsync(file->system.number())) : Errno::kSuccess;
}

Errno FdFdstatGet(System& system, const Guest& guest, Params params) {
  const OpenFile* file = system.files.Find(params.Next32());
  if (file == nullptr) return Errno::kBadFile;
  const std::uint32_t address = params.Next32();
  if (!guest.Slice(address, kFdstatBytes)) return Errno::kFault;
  std::uint64_t rights = kAllRights;
  if (file->kind != Kind::kFolder) {
    rights &= ~kRightReadNames;  // to wasi-libc's fcntl, whoever has it may read
    if (!file->can_read) rights &= ~kRightRead;
    if (!file->can_write) rights &= ~kRightWrite;
  }
  if (TypeOf(file->kind) == FileType::kCharacter) rights &= kRightRead | kRightWrite;
  constexpr std::uint32_t kFlags = 2, kRights = 8, kInherited = 16;
  guest.Write64(address, 0);
  guest.Write8(address, static_cast<std::uint8_t>(TypeOf(file->kind)));
  guest.Write16(address + kFlags, file->flags);
  guest.Write64(address + kRights, rights);
  guest.Write64(address + kInherited, kAllRights);
  return Errno::kSuccess;
}

Errno FdFdstatSetFlags(System& system, const Guest&, Params params) {
  OpenFile* file = system.files.Find(params.Next32());
  if (file == nullptr) return Errno::kBadFile;
  const std::uint32_t flags = params.Next32();
  constexpr std::uint32_t kAppend = 1, kNonBlock = 4;
  if ((flags & ~(kAppend | kNonBlock)) != 0) return Errno::kNotSupported;
  if (file->kind == Kind::kFile &&
      fcntl(file->system.number(), F_SETFL, (flags & kAppend) != 0 ? O_APPEND : 0) != 0) {
    return FromSystem(errno);
  }
  file->flags = static_cast<std::uint16_t>(flags);
  return Errno::kSuccess;
}

Errno FdFilestatGet(System& system, const Guest& guest, Params params) {
  const OpenFile* file = system.files.Find(params.Next32());
  if (file == nullptr) return Errno::kBadFile;
  const std::uint32_t address = params.Next32();
  if (file->kind == Kind::kFile || file->kind == Kind::kFolder) {
    struct stat status = {};
    if (fstat(file->system.number(), &status) != 0) return FromSystem(errno);
    return WriteStatus(system, guest, address, status);
  }
  const Errno error = WriteStatus(system, guest, address, {});
  constexpr std::uint32_t kType = 16;
  if (error == Errno::kSuccess) {
    guest.Write8(address + kType, static_cast<std::uint8_t>(FileType::kCharacter));
  }
  return error;
}

Errno FdFilestatSetSize(System& system, const Guest&, Params params) {
  const OpenFile* file = system.files.Find(params.Next32());
  const std::uint64_t size = params.Next64();
  if (file == nullptr) return Errno::kBadFile;
  if (file->kind != Kind::kFile || size > std::numeric_limits<std::int64_t>::max()) {
    return Errno::kInvalid;
  }
  return FromReturn(ftruncate(file->system.number(), static_cast<off_t>(size)));
}

Errno FdPrestatGet(System& system, const Guest& guest, Params params) {
  const OpenFile* file = system.files.Find(params.Next32());
  if (file == nullptr || file->guest_name.empty()) return Errno::kBadFile;
  const std::uint32_t address = params.Next32();
  constexpr std::uint32_t kLength = 4;
  const bool in_memory = guest.Write32(address, 0) &&  // the only kind there is: a folder
                         guest.Write32(std::uint64_t{address} + kLength,
                                       static_cast<std::uint32_t>(file->guest_name.size()));
  return in_memory ? Errno::kSuccess : Errno::kFault;
}

Errno FdPrestatDirName(System& system, const Guest& guest, Params params) {
  const OpenFile* file = system.files.Find(params.Next32());
  if (file == nullptr || file->guest_name.empty()) return Errno::kBadFile;
  const std::uint32_t address = params.Next32(), count = params.Next32();
  if (count < file->guest_name.size()) return Errno::kNameTooLong;
  return guest.WriteText(address, file->guest_name) ? Errno::kSuccess : Errno::kFault;
}

Errno FdRead(System& system, const Guest& guest, Params params) {
  const OpenFile* file = system.files.Find(params.Next32());
  if (file == nullptr || !file->can_read) return Errno::kBadFile;
  if (file->kind == Kind::kFolder) return Errno::kIsDirectory;
  const std::uint32_t buffers = params.Next32(), count = params.Next32();
  return MoveAll(guest, buffers, count, params.Next32(),
                 [&](std::span<std::uint8_t> part) { return ReadSome(system, *file, part); });
}

Errno FdWrite(System& system, const Guest& guest, Params params) {
  const OpenFile* file = system.files.Find(params.Next32());
  if (file == nullptr || !file->can_write) return Errno::kBadFile;
  if (file->kind == Kind::kFolder) return Errno::kIsDirectory;
  const std::uint32_t buffers = params.Next32(), count = params.Next32();
  return MoveAll(guest, buffers, count, params.Next32(),
                 [&](std::span<std::uint8_t> part) { return WriteSome(system, *file, part); });
}

Errno FdSeek(System& system, const Guest& guest, Params params) {
  const OpenFile* file = system.files.Find(params.Next32());
  const auto offset = static_cast<std::int64_t>(params.Next64());
  const std::uint32_t whence = params.Next32(), address = params.Next32();
  if (file == nullptr) return Errno::kBadFile;
  if (file->kind != Kind::kFile) return Errno::kNoSeek;
  constexpr std::uint32_t kFromEnd = 2;  // 0: the start, 1: where it is; as the system's numbers
  if (whence > kFromEnd) return Errno::kInvalid;
  if (!guest.Slice(address, sizeof(std::uint64_t))) return Errno::kFault;
  const off_t place = lseek(file->system.number(), offset, static_cast<int>(whence));
  if (place < 0) return FromSystem(errno);
  guest.Write64(address, static_cast<std::uint64_t>(place));
  return Errno::kSuccess;
}

Errno FdTell(System& system, const Guest& guest, Params params) {
  const OpenFile* file = system.files.Find(params.Next32());
  if (file == nullptr) return Errno::kBadFile;
  if (file->kind != Kind::kFile) return Errno::kNoSeek;
  const off_t place = lseek(file->system.number(), 0, SEEK_CUR);
  if (place < 0) return FromSystem(errno);
  return guest.Write64(params.Next32(), static_cast<std::uint64_t>(place)) ? Errno::kSuccess
                                                                           : Errno::kFault;
}

Errno PathCreateDirectory(System& system, const Guest& guest, Params params) {
  const std::uint32_t folder = params.Next32();
  constexpr mode_t kNewFolderMode = 0777;  // less the umask
  return AtPath(system, guest, params, folder,
                [](int parent, const char* name) { return mkdirat(parent, name, kNewFolderMode); });
}

Errno PathRemoveDirectory(System& system, const Guest& guest, Params params) {
  const std::uint32_t folder = params.Next32();
  return AtPath(system, guest, params, folder,
                [](int parent, const char* name) { return unlinkat(parent, name, AT_REMOVEDIR); });
}

Errno PathUnlinkFile(System& system, const Guest& guest, Params params) {
  const std::uint32_t folder = params.Next32();
  return AtPath(system, guest, params, folder,
                [](int parent, const char* name) { return unlinkat(parent, name, 0); });
}

Errno PathFilestatGet(System& system, const Guest& guest, Params params) {
  const std::uint32_t folder = params.Next32();
  constexpr std::uint32_t kFollow = 1;
  const bool follow = (params.Next32() & kFollow) != 0;
  struct stat status = {};
  const Errno error =
      AtPath(system, guest, params, folder, [&status](int parent, const char* name) {
        return fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW);
      });
  if (error != Errno::kSuccess) return error;
  if (follow && S_ISLNK(status.st_mode)) return Errno::kLoop;  // as path_open has it
  return WriteStatus(system, guest, params.Next32(), status);
}

Errno PathOpen(System& system, const Guest& guest, Params params) {
  const std::uint32_t folder = params.Next32();
  params.Next32();  // whether to follow a symbolic link, which is never done
  const auto path = NextPath(guest, params);
  if (!path) return path.error();
  const std::uint32_t how = params.Next32();
  const std::uint64_t rights = params.Next64();
  params.Next64();  // rights of what is opened through it
  constexpr std::uint32_t kCreate = 1, kFolder = 2, kExclusive = 4, kTruncate = 8;
  OpenRequest request;
  request.create = (how & kCreate) != 0;
  request.must_be_folder = (how & kFolder) != 0;
  request.exclusive = (how & kExclusive) != 0;
  request.truncate = (how & kTruncate) != 0;
  request.read = (rights & kRightRead) != 0;
  request.write = !request.must_be_folder && (rights & kRightWrite) != 0;
  request.flags = static_cast<std::uint16_t>(params.Next32());
  const std::uint32_t number_at = params.Next32();
  if (!guest.Slice(number_at, sizeof(std::uint32_t))) return Errno::kFault;
  const auto opened = system.files.Open(folder, *path, request);
  if (!opened) return opened.error();
  guest.Write32(number_at, *opened);
  return Errno::kSuccess;
}

}  // namespace txvm::frontends::wasi
