// Calls on open files, folders and streams.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <expected>
#include <limits>
#include <utility>

#include "frontends/wasi/calls.h"
#include "frontends/wasi/status.h"

namespace txvm::frontends::wasi {
namespace {

using Kind = OpenFile::Kind;

constexpr std::uint64_t kFdstatBytes = 24;
constexpr std::uint64_t kDirentBytes = 24;
constexpr std::uint64_t kMostOffset = std::numeric_limits<std::int64_t>::max();

/// The open file of this number with these rights.
std::expected<OpenFile*, Errno> FileWith(System& system, std::uint32_t number, Rights rights) {
  OpenFile* file = system.files.Find(number);
  if (file == nullptr) return std::unexpected(Errno::kBadFile);
  if (const Errno error = CheckRights(*file, rights); error != Errno::kSuccess) {
    return std::unexpected(error);
  }
  return file;
}

/// A file for data: folders are kIsDirectory, files without the right kBadFile, as POSIX has it,
/// unless the program gave the right up.
std::expected<OpenFile*, Errno> DataFile(System& system, std::uint32_t number, Rights rights) {
  OpenFile* file = system.files.Find(number);
  if (file == nullptr) return std::unexpected(Errno::kBadFile);
  if (file->kind == Kind::kFolder) return std::unexpected(Errno::kIsDirectory);
  constexpr Rights kModes = kRightFdRead | kRightFdWrite;
  if ((rights & kModes & ~file->rights) != 0) return std::unexpected(Errno::kBadFile);
  if (const Errno error = CheckRights(*file, rights); error != Errno::kSuccess) {
    return std::unexpected(error);
  }
  return file;
}

std::int64_t ReadSome(System& system, const OpenFile& file, std::span<std::uint8_t> bytes) {
  if (file.kind == Kind::kInput) {
    if (!system.options.streams.input) return 0;
    const std::int64_t count = system.options.streams.input(bytes);
    if (count > 0) system.input_read += static_cast<std::uint64_t>(count);
    return count;
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

/// Writes within the budget of options.most_written; a budget that is used up is -ENOSPC.
template <typename Write>
std::int64_t WriteWithin(System& system, std::span<const std::uint8_t> bytes, const Write& write) {
  const std::uint64_t allowed = system.TakeBudget(bytes.size());
  if (allowed == 0 && !bytes.empty()) return -ENOSPC;
  const std::int64_t done = write(bytes.first(allowed));
  system.written -= allowed - static_cast<std::uint64_t>(std::max<std::int64_t>(done, 0));
  return done;
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
    const std::int64_t moved = move(part, total);
    if (moved < 0 && total == 0) return FromSystem(static_cast<int>(-moved));
    if (moved <= 0) break;
    total += static_cast<std::uint64_t>(moved);
    if (static_cast<std::uint64_t>(moved) < part.size()) break;
  }
  guest.Write32(count_at, static_cast<std::uint32_t>(total));
  return Errno::kSuccess;
}

/// Writes at a place whatever the append flag, as POSIX has it; Linux would append.
std::int64_t WriteAt(const OpenFile& file, std::span<const std::uint8_t> bytes,
                     std::uint64_t place) {
  const int number = file.system.number();
  const bool appends = (file.flags & kFlagAppend) != 0;
  const int flags = appends ? fcntl(number, F_GETFL) : 0;
  if (appends && fcntl(number, F_SETFL, flags & ~O_APPEND) != 0) return -errno;
  const ssize_t count = pwrite(number, bytes.data(), bytes.size(), static_cast<off_t>(place));
  const int error = errno;
  if (appends && fcntl(number, F_SETFL, flags) != 0) return -errno;
  return count < 0 ? -error : count;
}

/// A file that can be sought in, with these rights.
std::expected<OpenFile*, Errno> SeekableFile(System& system, std::uint32_t number, Rights rights) {
  OpenFile* file = system.files.Find(number);
  if (file == nullptr) return std::unexpected(Errno::kBadFile);
  if (file->kind == Kind::kFolder) return std::unexpected(Errno::kIsDirectory);
  if (file->kind != Kind::kFile) return std::unexpected(Errno::kNoSeek);
  return DataFile(system, number, rights);
}

/// The numbers of `whence` of the system, by the guest's.
std::optional<int> SystemWhence(const Guest& guest, std::uint32_t whence) {
  constexpr std::array kPreview1 = {SEEK_SET, SEEK_CUR, SEEK_END};
  constexpr std::array kUnstable = {SEEK_CUR, SEEK_END, SEEK_SET};
  if (whence >= kPreview1.size()) return std::nullopt;
  return guest.is_unstable() ? kUnstable[whence] : kPreview1[whence];
}

}  // namespace

Errno FdClose(System& system, const Guest&, Params params) {
  return system.files.Close(params.Next32()) ? Errno::kSuccess : Errno::kBadFile;
}

Errno FdSync(System& system, const Guest&, Params params) {
  const auto file = FileWith(system, params.Next32(), kRightFdSync);
  if (!file) return file.error();
  return (*file)->kind == Kind::kFile ? FromReturn(fsync((*file)->system.number()))
                                      : Errno::kSuccess;
}

Errno FdDatasync(System& system, const Guest&, Params params) {
  const auto file = FileWith(system, params.Next32(), kRightFdDatasync);
  if (!file) return file.error();
  return (*file)->kind == Kind::kFile ? FromReturn(fdatasync((*file)->system.number()))
                                      : Errno::kSuccess;
}

Errno FdAdvise(System& system, const Guest&, Params params) {
  const std::uint32_t number = params.Next32();
  const std::uint64_t offset = params.Next64(), length = params.Next64();
  const std::uint32_t advice = params.Next32();
  OpenFile* file = system.files.Find(number);
  if (file == nullptr || file->kind == Kind::kFolder) return Errno::kBadFile;
  if (file->kind != Kind::kFile) return Errno::kNoSeek;
  if (const Errno error = CheckRights(*file, kRightFdAdvise); error != Errno::kSuccess) {
    return error;
  }
  constexpr std::array kAdvice = {POSIX_FADV_NORMAL,   POSIX_FADV_SEQUENTIAL, POSIX_FADV_RANDOM,
                                  POSIX_FADV_WILLNEED, POSIX_FADV_DONTNEED,   POSIX_FADV_NOREUSE};
  if (advice >= kAdvice.size() || offset > kMostOffset || length > kMostOffset) {
    return Errno::kInvalid;
  }
  return FromSystem(posix_fadvise(file->system.number(), static_cast<off_t>(offset),
                                  static_cast<off_t>(length), kAdvice[advice]));
}

Errno FdAllocate(System& system, const Guest&, Params params) {
  const auto file = DataFile(system, params.Next32(), kRightFdAllocate);
  const std::uint64_t offset = params.Next64(), length = params.Next64();
  if (!file) return file.error();
  if ((*file)->kind != Kind::kFile) return Errno::kNoSeek;
  if (length == 0 || offset > kMostOffset || length > kMostOffset - offset) return Errno::kInvalid;
  struct stat status = {};
  const int number = (*file)->system.number();
  if (fstat(number, &status) != 0) return FromSystem(errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t growth = std::max(offset + length, size) - size;
  if (growth > system.BudgetLeft()) return Errno::kNoSpace;
  const int error = posix_fallocate(number, static_cast<off_t>(offset), static_cast<off_t>(length));
  if (error == 0) {
    system.TakeBudget(growth);
    system.Touch(number, false);
  }
  return system.Changed(FromSystem(error));
}

Errno FdFdstatGet(System& system, const Guest& guest, Params params) {
  const OpenFile* file = system.files.Find(params.Next32());
  if (file == nullptr) return Errno::kBadFile;
  const std::uint32_t address = params.Next32();
  if (!guest.Slice(address, kFdstatBytes)) return Errno::kFault;
  constexpr std::uint32_t kFlags = 2, kRights = 8, kInherited = 16;
  guest.Write64(address, 0);
  guest.Write8(address, static_cast<std::uint8_t>(file->type));
  guest.Write16(address + kFlags, file->flags);
  guest.Write64(address + kRights, file->rights);
  guest.Write64(address + kInherited, file->inherited);
  return Errno::kSuccess;
}

Errno FdFdstatSetFlags(System& system, const Guest&, Params params) {
  const auto file = FileWith(system, params.Next32(), kRightFdFdstatSetFlags);
  if (!file) return file.error();
  const std::uint32_t flags = params.Next32();
  constexpr std::uint32_t kChangeable = kFlagAppend | kFlagNonBlock;
  constexpr std::uint32_t kKnown = kChangeable | kFlagDsync | kFlagRsync | kFlagSync;
  if ((flags & ~kKnown) != 0) return Errno::kInvalid;
  // Whether writes wait for the disk is settled when a file is opened.
  if (((flags ^ (*file)->flags) & ~kChangeable) != 0) return Errno::kNotSupported;
  if ((*file)->kind == Kind::kFile) {
    const int number = (*file)->system.number();
    const int others = fcntl(number, F_GETFL) & ~O_APPEND;
    if (fcntl(number, F_SETFL, others | ((flags & kFlagAppend) != 0 ? O_APPEND : 0)) != 0) {
      return FromSystem(errno);
    }
  }
  (*file)->flags = static_cast<std::uint16_t>(flags);
  return Errno::kSuccess;
}

Errno FdFdstatSetRights(System& system, const Guest&, Params params) {
  OpenFile* file = system.files.Find(params.Next32());
  const Rights rights = params.Next64(), inherited = params.Next64();
  if (file == nullptr) return Errno::kBadFile;
  if ((rights & ~file->rights) != 0 || (inherited & ~file->inherited) != 0) {
    return Errno::kNotCapable;
  }
  file->rights = rights;
  file->inherited = inherited;
  return Errno::kSuccess;
}

Errno FdFilestatGet(System& system, const Guest& guest, Params params) {
  const auto file = FileWith(system, params.Next32(), kRightFdFilestatGet);
  if (!file) return file.error();
  const std::uint32_t address = params.Next32();
  struct stat status = {};
  const bool is_stream = (*file)->kind != Kind::kFile && (*file)->kind != Kind::kFolder;
  if (!is_stream && fstat((*file)->system.number(), &status) != 0) return FromSystem(errno);
  const Errno error = WriteStatus(system, guest, address, status);
  constexpr std::uint32_t kType = 16;
  if (error == Errno::kSuccess && is_stream) {
    guest.Write8(address + kType, static_cast<std::uint8_t>((*file)->type));
  }
  return error;
}

Errno FdFilestatSetSize(System& system, const Guest&, Params params) {
  const auto file = DataFile(system, params.Next32(), kRightFdFilestatSetSize);
  const std::uint64_t size = params.Next64();
  if (!file) return file.error();
  if ((*file)->kind != Kind::kFile || size > kMostOffset) return Errno::kInvalid;
  struct stat status = {};
  const int number = (*file)->system.number();
  if (fstat(number, &status) != 0) return FromSystem(errno);
  const auto old_size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t growth = std::max(size, old_size) - old_size;
  if (growth > system.BudgetLeft()) return Errno::kNoSpace;
  if (ftruncate(number, static_cast<off_t>(size)) != 0) return FromSystem(errno);
  system.TakeBudget(growth);
  system.Touch(number, false);
  return system.Changed(Errno::kSuccess);
}

Errno FdFilestatSetTimes(System& system, const Guest&, Params params) {
  const auto file = FileWith(system, params.Next32(), kRightFdFilestatSetTimes);
  const auto times = ReadTimes(system, params);
  if (!file) return file.error();
  if (!times) return times.error();
  const int number = (*file)->system.number();
  struct stat status = {};
  // A granted folder is open as a place alone; its own name reaches it.
  const int result = (*file)->kind == Kind::kFolder ? utimensat(number, ".", times->system, 0)
                                                    : futimens(number, times->system);
  if (result != 0 || fstat(number, &status) != 0) return FromSystem(errno);
  KeepTimes(system, status, *times);
  return system.Changed(Errno::kSuccess);
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
  const auto file = DataFile(system, params.Next32(), kRightFdRead);
  if (!file) return file.error();
  const std::uint32_t buffers = params.Next32(), count = params.Next32();
  return MoveAll(
      guest, buffers, count, params.Next32(),
      [&](std::span<std::uint8_t> part, std::uint64_t) { return ReadSome(system, **file, part); });
}

Errno FdPread(System& system, const Guest& guest, Params params) {
  const auto file = SeekableFile(system, params.Next32(), kRightFdRead | kRightFdSeek);
  const std::uint32_t buffers = params.Next32(), count = params.Next32();
  const std::uint64_t place = params.Next64();
  if (!file) return file.error();
  if (place > kMostOffset) return Errno::kInvalid;
  return MoveAll(guest, buffers, count, params.Next32(),
                 [&](std::span<std::uint8_t> part, std::uint64_t done) -> std::int64_t {
                   const ssize_t moved = pread((*file)->system.number(), part.data(), part.size(),
                                               static_cast<off_t>(place + done));
                   return moved < 0 ? -errno : moved;
                 });
}

Errno FdWrite(System& system, const Guest& guest, Params params) {
  const auto file = DataFile(system, params.Next32(), kRightFdWrite);
  if (!file) return file.error();
  const std::uint32_t buffers = params.Next32(), count = params.Next32();
  const auto write_part = [&](std::span<const std::uint8_t> bytes) {
    return WriteSome(system, **file, bytes);
  };
  const Errno error = MoveAll(guest, buffers, count, params.Next32(),
                              [&](std::span<const std::uint8_t> part, std::uint64_t) {
                                return WriteWithin(system, part, write_part);
                              });
  if ((*file)->kind != Kind::kFile) return error;
  system.Touch((*file)->system.number(), false);
  return system.Changed(error);
}

Errno FdPwrite(System& system, const Guest& guest, Params params) {
  const auto file = SeekableFile(system, params.Next32(), kRightFdWrite | kRightFdSeek);
  const std::uint32_t buffers = params.Next32(), count = params.Next32();
  const std::uint64_t place = params.Next64();
  if (!file) return file.error();
  if (place > kMostOffset) return Errno::kInvalid;
  const Errno error =
      MoveAll(guest, buffers, count, params.Next32(),
              [&](std::span<const std::uint8_t> part, std::uint64_t done) {
                return WriteWithin(system, part, [&](std::span<const std::uint8_t> bytes) {
                  return WriteAt(**file, bytes, place + done);
                });
              });
  system.Touch((*file)->system.number(), false);
  return system.Changed(error);
}

Errno FdReaddir(System& system, const Guest& guest, Params params) {
  const std::uint32_t number = params.Next32();
  const std::uint32_t buffer_at = params.Next32(), size = params.Next32();
  const std::uint64_t cookie = params.Next64();
  const std::uint32_t used_at = params.Next32();
  OpenFile* file = system.files.Find(number);
  if (file == nullptr) return Errno::kBadFile;
  if (file->kind != Kind::kFolder) return Errno::kNotDirectory;
  if (const Errno error = CheckRights(*file, kRightFdReaddir); error != Errno::kSuccess) {
    return error;
  }
  if (!guest.Slice(buffer_at, size) || !guest.Slice(used_at, sizeof(std::uint32_t))) {
    return Errno::kFault;
  }
  if (cookie == 0 || !file->listing) {
    auto listing = ListFolder(*file);
    if (!listing) return listing.error();
    file->listing = *std::move(listing);
  }
  // The entry after which the buffer is full is cut; the program asks for it again.
  const std::vector<FolderEntry>& entries = *file->listing;
  std::uint64_t used = 0;
  const auto put = [&](std::span<const std::uint8_t> bytes) {
    const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), size - used));
    const auto target = guest.Slice(buffer_at + used, room);
    std::ranges::copy(bytes.first(room), target->begin());
    used += room;
  };
  for (std::uint64_t i = cookie; i < entries.size() && used < size; ++i) {
    const FolderEntry& entry = entries[i];
    constexpr std::uint32_t kNode = 8, kLength = 16, kType = 20;
    std::array<std::uint8_t, kDirentBytes> head = {};
    const Guest head_guest(head);
    head_guest.Write64(0, i + 1);
    head_guest.Write64(kNode, entry.node);
    head_guest.Write32(kLength, static_cast<std::uint32_t>(entry.name.size()));
    head_guest.Write8(kType, static_cast<std::uint8_t>(entry.type));
    put(head);
    put({reinterpret_cast<const std::uint8_t*>(entry.name.data()), entry.name.size()});
  }
  guest.Write32(used_at, static_cast<std::uint32_t>(used));
  return Errno::kSuccess;
}

Errno FdRenumber(System& system, const Guest&, Params params) {
  const std::uint32_t from = params.Next32(), to = params.Next32();
  return system.files.Renumber(from, to) ? Errno::kSuccess : Errno::kBadFile;
}

Errno FdSeek(System& system, const Guest& guest, Params params) {
  const std::uint32_t number = params.Next32();
  const auto offset = static_cast<std::int64_t>(params.Next64());
  const auto whence = SystemWhence(guest, params.Next32());
  const std::uint32_t address = params.Next32();
  // Where it is, without moving, may be asked with the right to tell alone.
  const bool tells = offset == 0 && whence == SEEK_CUR;
  const auto file = SeekableFile(system, number, tells ? kRightFdTell : kRightFdSeek);
  if (!file) return file.error();
  if (!whence) return Errno::kInvalid;
  if (!guest.Slice(address, sizeof(std::uint64_t))) return Errno::kFault;
  const off_t place = lseek((*file)->system.number(), offset, *whence);
  if (place < 0) return FromSystem(errno);
  guest.Write64(address, static_cast<std::uint64_t>(place));
  return Errno::kSuccess;
}

Errno FdTell(System& system, const Guest& guest, Params params) {
  const auto file = SeekableFile(system, params.Next32(), kRightFdTell);
  if (!file) return file.error();
  const off_t place = lseek((*file)->system.number(), 0, SEEK_CUR);
  if (place < 0) return FromSystem(errno);
  return guest.Write64(params.Next32(), static_cast<std::uint64_t>(place)) ? Errno::kSuccess
                                                                           : Errno::kFault;
}

}  // namespace txvm::frontends::wasi
