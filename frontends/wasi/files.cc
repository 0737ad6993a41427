#include "frontends/wasi/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>

namespace txvm::frontends::wasi {
namespace {

using std::unexpected;

constexpr mode_t kNewFileMode = 0666;  // less the umask
constexpr Rights kStreamRights = kRightFdFdstatSetFlags | kRightFdFilestatGet |
                                 kRightPollFdReadwrite | kRightFdSync | kRightFdDatasync;

std::unexpected<Errno> SystemError() { return unexpected(FromSystem(errno)); }

/// A folder as a place to walk on from. A symbolic link is kLoop or kNotDirectory.
std::expected<Descriptor, Errno> OpenFolder(int parent, const char* name) {
  const int number = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (number < 0) return SystemError();
  return Descriptor(number);
}

/// What the symbolic link `name` holds; nothing where it is none, or is not there.
std::optional<std::string> ReadLink(int parent, const char* name) {
  std::array<char, kMostPathBytes + 1> text;
  const ssize_t count = readlinkat(parent, name, text.data(), text.size());
  if (count < 0) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(count));
}

/// The names of a path, last first, so that the next one can be popped.
std::vector<std::string> NamesOf(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    if (!name.empty()) names.emplace_back(name);
  }
  std::ranges::reverse(names);
  return names;
}

/// kNotDirectory when something that is no folder has the name.
std::expected<void, Errno> CheckFolder(const Location& place) {
  struct stat status = {};
  const int found =
      fstatat(place.folder.number(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW);
  if (found == 0 && !S_ISDIR(status.st_mode)) return unexpected(Errno::kNotDirectory);
  return {};
}

/// One walk along a path. However deep it goes, it has few folders open.
/// INVARIANT: trail_ holds the last of the folders that names_ leads to, and is empty only at the
/// start.
class Walk {
 public:
  Walk(Descriptor start, std::string_view path, bool follow)
      : follow_(follow),
        names_folder_(path.ends_with('/')),
        pending_(NamesOf(path)),
        start_(std::move(start)) {}

  std::expected<Location, Errno> Go() {
    while (!pending_.empty()) {
      const std::string name = std::move(pending_.back());
      pending_.pop_back();
      if (name == ".") continue;
      if (name == "..") {
        if (names_.empty()) return unexpected(Errno::kNotCapable);
        if (const auto up = GoUp(); !up) return unexpected(up.error());
        continue;
      }
      const bool is_last = pending_.empty();
      if (is_last && !follow_) return Found(name);
      if (!is_last) {
        auto next = OpenFolder(Here().number(), name.c_str());
        if (next) {
          names_.push_back(name);
          Enter(*std::move(next));
          continue;
        }
        if (next.error() != Errno::kLoop && next.error() != Errno::kNotDirectory) {
          return unexpected(next.error());
        }
      }
      const auto link = ReadLink(Here().number(), name.c_str());
      if (!link && is_last) return Found(name);
      if (!link) return unexpected(Errno::kNotDirectory);
      if (const Errno error = Expand(*link); error != Errno::kSuccess) return unexpected(error);
    }
    return Found(".");
  }

 private:
  Descriptor& Here() { return trail_.empty() ? start_ : trail_.back(); }

  void Enter(Descriptor folder) {
    constexpr std::size_t kMostOpen = 64;  // far below what a process may have open
    trail_.push_back(std::move(folder));
    if (trail_.size() > kMostOpen) trail_.pop_front();
  }

  /// To the folder around this one; where it is not open any more, by its names from the start.
  std::expected<void, Errno> GoUp() {
    names_.pop_back();
    trail_.pop_back();
    if (!trail_.empty()) return {};
    for (const std::string& name : names_) {
      auto next = OpenFolder(Here().number(), name.c_str());
      if (!next) return unexpected(next.error());
      Enter(*std::move(next));
    }
    return {};
  }

  Errno Expand(const std::string& link) {
    if (++links_ > kMostLinks) return Errno::kLoop;
    if (link.empty()) return Errno::kNoEntry;
    if (link.front() == '/') return Errno::kNotCapable;
    if (pending_.empty() && link.ends_with('/')) names_folder_ = true;
    std::ranges::move(NamesOf(link), std::back_inserter(pending_));
    return Errno::kSuccess;
  }

  std::expected<Location, Errno> Found(std::string name) {
    std::string path;
    for (const std::string& folder : names_) path += folder + "/";
    path += name == "." ? "" : name;
    if (path.ends_with('/')) path.pop_back();
    Location place{std::move(Here()), std::move(name), names_folder_, std::move(path)};
    if (names_folder_) {
      if (const auto checked = CheckFolder(place); !checked) return unexpected(checked.error());
    }
    return place;
  }

  bool follow_ = false, names_folder_ = false;
  int links_ = 0;
  std::vector<std::string> pending_;  // last name first
  std::vector<std::string> names_;    // of the folders from the start to where the walk is
  Descriptor start_;
  std::deque<Descriptor> trail_;
};

int SystemFlags(const OpenRequest& request) {
  int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;  // a FIFO must not hang the open
  if (request.truncate) flags |= O_TRUNC;
  if (request.must_be_folder) flags |= O_DIRECTORY;
  if ((request.flags & kFlagAppend) != 0) flags |= O_APPEND;
  if ((request.flags & kFlagDsync) != 0) flags |= O_DSYNC;
  if ((request.flags & (kFlagSync | kFlagRsync)) != 0) flags |= O_SYNC;
  const bool write = !request.must_be_folder && (request.rights & kRightFdWrite) != 0;
  const bool read = (request.rights & kRightFdRead) != 0;
  return flags | (write ? (read ? O_RDWR : O_WRONLY) : O_RDONLY);
}

/// A descriptor of the system and whether the file is new.
struct SystemOpened {
  int number = -1;
  bool is_new = false;
};

/// Opens, and says whether that created the file. A number below 0: errno says why.
SystemOpened OpenAt(const Location& place, const OpenRequest& request) {
  const int flags = SystemFlags(request), folder = place.folder.number();
  const char* name = place.name.c_str();
  if (!request.create) return {openat(folder, name, flags), false};
  constexpr int kTries = 8;  // against somebody who creates and removes it meanwhile
  for (int i = 0; i < kTries; ++i) {
    const int made = openat(folder, name, flags | O_CREAT | O_EXCL, kNewFileMode);
    if (made >= 0 || errno != EEXIST || request.exclusive) return {made, made >= 0};
    const int found = openat(folder, name, flags);
    if (found >= 0 || errno != ENOENT) return {found, false};
  }
  return {};
}

Errno CheckOpen(const OpenFile& folder, const OpenRequest& request) {
  Rights needed = kRightPathOpen;
  if (request.create) needed |= kRightPathCreateFile;
  if (request.truncate) needed |= kRightPathFilestatSetSize;
  if (const Errno error = CheckRights(folder, needed); error != Errno::kSuccess) return error;
  const bool may_write = (folder.inherited & kRightFdWrite) != 0;
  const bool writes = !request.must_be_folder && (request.rights & kRightFdWrite) != 0;
  if (!writes || may_write) return Errno::kSuccess;
  return folder.read_only ? Errno::kNotPermitted : Errno::kNotCapable;
}

OpenFile MakeStream(OpenFile::Kind kind, FileType type, Rights rights) {
  OpenFile file;
  file.kind = kind;
  file.type = type;
  file.rights = kStreamRights | rights;
  return file;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}
Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

FileType TypeOfMode(std::uint32_t mode) {
  if (S_ISDIR(mode)) return FileType::kFolder;
  if (S_ISREG(mode)) return FileType::kRegular;
  if (S_ISLNK(mode)) return FileType::kLink;
  if (S_ISCHR(mode)) return FileType::kCharacterDevice;
  if (S_ISBLK(mode)) return FileType::kBlockDevice;
  if (S_ISSOCK(mode)) return FileType::kStreamSocket;
  return FileType::kUnknown;
}

Errno CheckRights(const OpenFile& file, Rights rights) {
  const Rights missing = rights & ~file.rights;
  if (missing == 0) return Errno::kSuccess;
  const bool is_refused_grant = file.read_only && (missing & kChangingRights) != 0;
  return is_refused_grant ? Errno::kNotPermitted : Errno::kNotCapable;
}

std::expected<std::vector<FolderEntry>, Errno> ListFolder(const OpenFile& folder) {
  struct stat own = {};
  if (fstat(folder.system.number(), &own) != 0) return SystemError();
  // A descriptor of its own: the reading place is then its own, too.
  const int number = openat(folder.system.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (number < 0) return SystemError();
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(number), closedir);
  if (!stream) {
    close(number);
    return SystemError();
  }
  std::vector<FolderEntry> entries;
  errno = 0;
  while (const dirent* entry = readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    constexpr int kModeShift = 12;  // of DT_ values, to the type bits of a mode
    entries.push_back({std::string(name), entry->d_ino,
                       TypeOfMode(static_cast<std::uint32_t>(entry->d_type) << kModeShift)});
  }
  if (errno != 0) return SystemError();
  std::ranges::sort(entries, {}, &FolderEntry::name);
  const FolderEntry self{".", own.st_ino, FileType::kFolder};
  const FolderEntry parent{"..", own.st_ino, FileType::kFolder};
  entries.insert(entries.begin(), {self, parent});
  return entries;
}

Files::Files(const Streams& streams, std::size_t most) : most_(most) {
  files_[0] = MakeStream(OpenFile::Kind::kInput, streams.types[0], kRightFdRead);
  files_[1] = MakeStream(OpenFile::Kind::kOutput, streams.types[1], kRightFdWrite);
  files_[2] = MakeStream(OpenFile::Kind::kErrors, streams.types[2], kRightFdWrite);
}

isa::Result<void> Files::Grant(const std::vector<Directory>& directories) {
  for (const Directory& directory : directories) {
    const int number = open(directory.host.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (number < 0) {
      return isa::Fail(isa::ErrorCode::kIo, fmt::format("cannot open the folder {}: {}",
                                                        directory.host, std::strerror(errno)));
    }
    OpenFile file;
    file.kind = OpenFile::Kind::kFolder;
    file.type = FileType::kFolder;
    file.system = Descriptor(number);
    file.guest_name = directory.guest;
    file.grant = directory.guest;
    file.read_only = directory.read_only;
    const Rights denied = directory.read_only ? kChangingRights : 0;
    file.rights = kFolderRights & ~denied;
    file.inherited = (kFolderRights | kFileRights) & ~denied;
    if (Add(std::move(file))) continue;
    return isa::Fail(isa::ErrorCode::kLimit,
                     fmt::format("{} folders are granted; with the streams at most {} files can be "
                                 "open at once",
                                 directories.size(), most_));
  }
  return {};
}

OpenFile* Files::Find(std::uint32_t number) {
  const auto found = files_.find(number);
  return found == files_.end() ? nullptr : &found->second;
}

bool Files::Renumber(std::uint32_t from, std::uint32_t to) {
  if (!files_.contains(from) || !files_.contains(to)) return false;
  if (from == to) return true;
  files_[to] = std::move(files_[from]);
  files_.erase(from);
  return true;
}

std::expected<std::uint32_t, Errno> Files::Add(OpenFile file) {
  if (files_.size() >= most_) return unexpected(Errno::kTooManyFiles);
  std::uint32_t number = 0;
  while (files_.contains(number)) ++number;
  files_[number] = std::move(file);
  return number;
}

std::expected<Location, Errno> Files::Locate(std::uint32_t folder, std::string_view path,
                                             bool follow) {
  const OpenFile* base = Find(folder);
  if (base == nullptr) return unexpected(Errno::kBadFile);
  if (base->kind != OpenFile::Kind::kFolder) return unexpected(Errno::kNotDirectory);
  if (path.empty()) return unexpected(Errno::kNoEntry);
  if (path.size() > kMostPathBytes) return unexpected(Errno::kNameTooLong);
  if (path.find('\0') != path.npos) return unexpected(Errno::kInvalid);
  if (path.front() == '/') return unexpected(Errno::kNotCapable);
  auto start = OpenFolder(base->system.number(), ".");
  if (!start) return unexpected(start.error());
  return Walk(*std::move(start), path, follow).Go();
}

std::expected<Opened, Errno> Files::Open(std::uint32_t folder, std::string_view path,
                                         const OpenRequest& request) {
  if (files_.size() >= most_) return unexpected(Errno::kTooManyFiles);  // before a file is made
  const bool follow = request.follow && !(request.create && request.exclusive);
  auto location = Locate(folder, path, follow);
  if (!location) return unexpected(location.error());
  const OpenFile& base = *Find(folder);
  if (const Errno error = CheckOpen(base, request); error != Errno::kSuccess) {
    return unexpected(error);
  }
  if (request.create && location->names_folder) return unexpected(Errno::kIsDirectory);  // as Linux
  const SystemOpened opened = OpenAt(*location, request);
  if (opened.number < 0) return SystemError();
  OpenFile file;
  file.system = Descriptor(opened.number);
  file.read_only = base.read_only;
  file.flags = request.flags;
  file.grant = base.grant;
  file.path = base.path;
  if (!base.path.empty() && !location->path.empty()) file.path += '/';
  file.path += location->path;
  struct stat status = {};
  if (fstat(opened.number, &status) != 0) return SystemError();
  file.type = TypeOfMode(status.st_mode);
  if (file.type == FileType::kFolder) {
    if (request.create) return unexpected(Errno::kIsDirectory);  // as Linux
    file.kind = OpenFile::Kind::kFolder;
    file.rights = base.inherited & kFolderRights;
    file.inherited = base.inherited;
  } else if (file.type == FileType::kRegular) {
    const Rights unasked = (kRightFdRead | kRightFdWrite) & ~request.rights;
    file.rights = base.inherited & kFileRights & ~unasked;
  } else {
    return unexpected(Errno::kNotSupported);
  }
  const auto number = Add(std::move(file));
  if (!number) return unexpected(number.error());
  return Opened{*number, opened.is_new};
}

std::expected<Descriptor, Errno> OpenAgain(const OpenFile& grant, const OpenFile& like) {
  auto start = OpenFolder(grant.system.number(), ".");
  if (!start || like.path.empty()) return start;
  auto place = Walk(*std::move(start), like.path, false).Go();
  if (!place) return unexpected(place.error());
  OpenRequest request;
  request.must_be_folder = like.kind == OpenFile::Kind::kFolder;
  request.rights = like.rights;
  request.flags = like.flags;
  const SystemOpened opened = OpenAt(*place, request);
  if (opened.number < 0) return SystemError();
  return Descriptor(opened.number);
}

}  // namespace txvm::frontends::wasi
