// Calls on what a path names.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <expected>
#include <string>

#include "frontends/wasi/calls.h"
#include "frontends/wasi/status.h"

namespace txvm::frontends::wasi {
namespace {

constexpr std::uint32_t kFollow = 1;  // of lookupflags

/// A text parameter: address and length.
std::expected<std::string, Errno> NextPath(const Guest& guest, Params& params) {
  const std::uint32_t address = params.Next32(), count = params.Next32();
  if (count > kMostPathBytes) return std::unexpected(Errno::kNameTooLong);
  const auto bytes = guest.Slice(address, count);
  if (!bytes) return std::unexpected(Errno::kFault);
  return std::string(bytes->begin(), bytes->end());
}

/// The place of a path below `folder`, which has to have these rights.
std::expected<Location, Errno> Place(System& system, std::uint32_t folder,
                                     const std::expected<std::string, Errno>& path, Rights rights,
                                     bool follow = false) {
  if (!path) return std::unexpected(path.error());
  auto location = system.files.Locate(folder, *path, follow);
  if (!location) return location;
  const Errno error = CheckRights(*system.files.Find(folder), rights);
  if (error != Errno::kSuccess) return std::unexpected(error);
  return location;
}

/// Notes the creation of what is at the place.
void TouchNew(System& system, const Location& place) {
  struct stat status = {};
  if (fstatat(place.folder.number(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    system.Touch(status, true);
  }
}

/// Whether something has the name.
bool IsThere(const Location& place) {
  return faccessat(place.folder.number(), place.name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/// For what makes a name that no folder will have: "name/" is right for folders alone.
Errno CheckNewName(const Location& place) {
  if (!place.names_folder) return Errno::kSuccess;
  return IsThere(place) ? Errno::kExists : Errno::kNoEntry;
}

Errno Remove(System& system, const Guest& guest, Params params, Rights right, int flags) {
  const std::uint32_t folder = params.Next32();
  const auto place = Place(system, folder, NextPath(guest, params), right);
  if (!place) return place.error();
  return system.Changed(FromReturn(unlinkat(place->folder.number(), place->name.c_str(), flags)));
}

}  // namespace

Errno PathCreateDirectory(System& system, const Guest& guest, Params params) {
  const std::uint32_t folder = params.Next32();
  const auto place = Place(system, folder, NextPath(guest, params), kRightPathCreateDirectory);
  if (!place) return place.error();
  constexpr mode_t kNewFolderMode = 0777;  // less the umask
  const Errno error =
      FromReturn(mkdirat(place->folder.number(), place->name.c_str(), kNewFolderMode));
  if (error == Errno::kSuccess) TouchNew(system, *place);
  return system.Changed(error);
}

Errno PathRemoveDirectory(System& system, const Guest& guest, Params params) {
  return Remove(system, guest, params, kRightPathRemoveDirectory, AT_REMOVEDIR);
}

Errno PathUnlinkFile(System& system, const Guest& guest, Params params) {
  return Remove(system, guest, params, kRightPathUnlinkFile, 0);
}

Errno PathFilestatGet(System& system, const Guest& guest, Params params) {
  const std::uint32_t folder = params.Next32();
  const bool follow = (params.Next32() & kFollow) != 0;
  const auto place = Place(system, folder, NextPath(guest, params), kRightPathFilestatGet, follow);
  if (!place) return place.error();
  struct stat status = {};
  if (fstatat(place->folder.number(), place->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return FromSystem(errno);
  }
  return WriteStatus(system, guest, params.Next32(), status);
}

Errno PathFilestatSetTimes(System& system, const Guest& guest, Params params) {
  const std::uint32_t folder = params.Next32();
  const bool follow = (params.Next32() & kFollow) != 0;
  const auto place =
      Place(system, folder, NextPath(guest, params), kRightPathFilestatSetTimes, follow);
  if (!place) return place.error();
  const auto times = ReadTimes(system, params);
  if (!times) return times.error();
  struct stat status = {};
  const int parent = place->folder.number();
  const char* name = place->name.c_str();
  if (utimensat(parent, name, times->system, AT_SYMLINK_NOFOLLOW) != 0 ||
      fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return FromSystem(errno);
  }
  KeepTimes(system, status, *times);
  return system.Changed(Errno::kSuccess);
}

Errno PathLink(System& system, const Guest& guest, Params params) {
  const std::uint32_t old_folder = params.Next32();
  if ((params.Next32() & kFollow) != 0) return Errno::kInvalid;  // as wasmtime
  const auto from = Place(system, old_folder, NextPath(guest, params), kRightPathLinkSource);
  const std::uint32_t new_folder = params.Next32();
  const auto to = Place(system, new_folder, NextPath(guest, params), kRightPathLinkTarget);
  if (!from) return from.error();
  if (!IsThere(*from)) return Errno::kNoEntry;  // told before what is wrong with the other path
  if (!to) return to.error();
  if (const Errno error = CheckNewName(*to); error != Errno::kSuccess) return error;
  return system.Changed(FromReturn(
      linkat(from->folder.number(), from->name.c_str(), to->folder.number(), to->name.c_str(), 0)));
}

Errno PathRename(System& system, const Guest& guest, Params params) {
  const std::uint32_t old_folder = params.Next32();
  const auto from = Place(system, old_folder, NextPath(guest, params), kRightPathRenameSource);
  const std::uint32_t new_folder = params.Next32();
  const auto to = Place(system, new_folder, NextPath(guest, params), kRightPathRenameTarget);
  if (!from) return from.error();
  if (!to) return to.error();
  if (to->names_folder && !from->names_folder) {  // "name/" is right for a folder alone
    struct stat status = {};
    const int found =
        fstatat(from->folder.number(), from->name.c_str(), &status, AT_SYMLINK_NOFOLLOW);
    if (found == 0 && !S_ISDIR(status.st_mode)) return Errno::kNotDirectory;
  }
  return system.Changed(FromReturn(
      renameat(from->folder.number(), from->name.c_str(), to->folder.number(), to->name.c_str())));
}

Errno PathSymlink(System& system, const Guest& guest, Params params) {
  const auto target = NextPath(guest, params);
  if (!target) return target.error();
  const std::uint32_t folder = params.Next32();
  const auto place = Place(system, folder, NextPath(guest, params), kRightPathSymlink);
  if (!place) return place.error();
  if (target->starts_with('/')) return Errno::kNotPermitted;  // as wasmtime: it would lead out
  if (target->find('\0') != target->npos) return Errno::kInvalid;
  if (const Errno error = CheckNewName(*place); error != Errno::kSuccess) return error;
  const Errno error =
      FromReturn(symlinkat(target->c_str(), place->folder.number(), place->name.c_str()));
  if (error == Errno::kSuccess) TouchNew(system, *place);
  return system.Changed(error);
}

Errno PathReadlink(System& system, const Guest& guest, Params params) {
  const std::uint32_t folder = params.Next32();
  const auto place = Place(system, folder, NextPath(guest, params), kRightPathReadlink);
  if (!place) return place.error();
  const std::uint32_t buffer_at = params.Next32(), size = params.Next32(),
                      used_at = params.Next32();
  const auto buffer = guest.Slice(buffer_at, size);
  if (!buffer || !guest.Slice(used_at, sizeof(std::uint32_t))) return Errno::kFault;
  std::array<char, kMostPathBytes> text;
  const ssize_t count =
      readlinkat(place->folder.number(), place->name.c_str(), text.data(), text.size());
  if (count < 0) return FromSystem(errno);
  const std::size_t used = std::min(static_cast<std::size_t>(count), buffer->size());
  std::copy_n(text.begin(), used, buffer->begin());
  guest.Write32(used_at, static_cast<std::uint32_t>(used));
  return Errno::kSuccess;
}

Errno PathOpen(System& system, const Guest& guest, Params params) {
  const std::uint32_t folder = params.Next32();
  OpenRequest request;
  request.follow = (params.Next32() & kFollow) != 0;
  const auto path = NextPath(guest, params);
  if (!path) return path.error();
  const std::uint32_t how = params.Next32();
  request.rights = params.Next64();
  params.Next64();  // the rights of what is opened through it: those of the folder
  constexpr std::uint32_t kCreate = 1, kFolder = 2, kExclusive = 4, kTruncate = 8;
  request.create = (how & kCreate) != 0;
  request.must_be_folder = (how & kFolder) != 0;
  request.exclusive = (how & kExclusive) != 0;
  request.truncate = (how & kTruncate) != 0;
  if (request.create && request.must_be_folder) return Errno::kInvalid;  // as wasmtime
  request.flags = static_cast<std::uint16_t>(params.Next32());
  const std::uint32_t number_at = params.Next32();
  if (!guest.Slice(number_at, sizeof(std::uint32_t))) return Errno::kFault;
  const auto opened = system.files.Open(folder, *path, request);
  if (!opened) return opened.error();
  if (opened->is_new || request.truncate) {
    system.Changed(Errno::kSuccess);
    system.Touch(system.files.Find(opened->number)->system.number(), opened->is_new);
  }
  guest.Write32(number_at, opened->number);
  return Errno::kSuccess;
}

}  // namespace txvm::frontends::wasi
