#include "frontends/wasi/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace txvm::frontends::wasi {
namespace {

using std::unexpected;

constexpr mode_t kNewFileMode = 0666;  // less the umask

std::unexpected<Errno> SystemError() { return unexpected(FromSystem(errno)); }

std::expected<Descriptor, Errno> OpenFolder(int parent, const char* name) {
  const int number = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (number < 0) return SystemError();
  return Descriptor(number);
}

/// The next name of a path, and what follows it.
std::string_view TakeName(std::string_view& path) {
  const std::string_view name = path.substr(0, path.find('/'));
  path.remove_prefix(std::min(path.size(), name.size() + 1));
  while (path.starts_with('/')) path.remove_prefix(1);
  return name;
}

/// Whether a path can name a folder alone. The slash is not left to the system, which would follow
/// a symbolic link in front of it.
bool NamesFolder(std::string_view path) { return path.ends_with('/') || path.ends_with("/."); }

/// kNotDirectory when something that is no folder has the name.
std::expected<void, Errno> CheckFolder(const Location& place) {
  struct stat status = {};
  const int found =
      fstatat(place.folder.number(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW);
  if (found == 0 && !S_ISDIR(status.st_mode)) return unexpected(Errno::kNotDirectory);
  return {};
}

int SystemFlags(const OpenRequest& request) {
  int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;  // a FIFO must not hang the open
  if (request.create) flags |= O_CREAT;
  if (request.exclusive) flags |= O_EXCL;
  if (request.truncate) flags |= O_TRUNC;
  if (request.must_be_folder) flags |= O_DIRECTORY;
  constexpr std::uint16_t kAppend = 1;
  if ((request.flags & kAppend) != 0) flags |= O_APPEND;
  if (request.write) return flags | (request.read ? O_RDWR : O_WRONLY);
  return flags | O_RDONLY;
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

std::map<std::uint32_t, OpenFile> Files::Standard() {
  std::map<std::uint32_t, OpenFile> files;
  files[0] = {OpenFile::Kind::kInput, {}, {}, true, false, 0};
  files[1] = {OpenFile::Kind::kOutput, {}, {}, false, true, 0};
  files[2] = {OpenFile::Kind::kErrors, {}, {}, false, true, 0};
  return files;
}

isa::Result<void> Files::Grant(const std::vector<Directory>& directories) {
  for (const Directory& directory : directories) {
    const int number = open(directory.host.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (number < 0) {
      return isa::Fail(isa::ErrorCode::kIo, fmt::format("cannot open the folder {}: {}",
                                                        directory.host, std::strerror(errno)));
    }
    if (!Add({OpenFile::Kind::kFolder, Descriptor(number), directory.guest, true, true, 0})) {
      return isa::Fail(isa::ErrorCode::kLimit,
                       fmt::format("more than {} folders are granted", kMostFiles - files_.size()));
    }
  }
  return {};
}

OpenFile* Files::Find(std::uint32_t number) {
  const auto found = files_.find(number);
  return found == files_.end() ? nullptr : &found->second;
}

std::expected<std::uint32_t, Errno> Files::Add(OpenFile file) {
  if (files_.size() >= kMostFiles) return unexpected(Errno::kTooManyFiles);
  std::uint32_t number = 0;
  while (files_.contains(number)) ++number;
  files_[number] = std::move(file);
  return number;
}

std::expected<Location, Errno> Files::Locate(std::uint32_t folder, std::string_view path) {
  const OpenFile* base = Find(folder);
  if (base == nullptr) return unexpected(Errno::kBadFile);
  if (base->kind != OpenFile::Kind::kFolder) return unexpected(Errno::kNotDirectory);
  if (path.empty()) return unexpected(Errno::kNoEntry);
  if (path.size() > kMostPathBytes) return unexpected(Errno::kNameTooLong);
  if (path.find('\0') != path.npos) return unexpected(Errno::kInvalid);
  if (path.front() == '/') return unexpected(Errno::kNotCapable);
  const bool names_folder = NamesFolder(path);
  auto start = OpenFolder(base->system.number(), ".");
  if (!start) return unexpected(start.error());
  std::vector<Descriptor> trail;  // the folders from the granted one to where the walk is
  trail.push_back(*std::move(start));
  std::string last = ".";
  while (!path.empty()) {
    const std::string name(TakeName(path));
    if (name == ".") continue;
    if (last != ".") {  // the name before was no last one
      auto next = OpenFolder(trail.back().number(), last.c_str());
      if (!next) return unexpected(next.error());
      trail.push_back(*std::move(next));
      last = ".";
    }
    if (name != "..") {
      last = name;
      continue;
    }
    if (trail.size() == 1) return unexpected(Errno::kNotCapable);
    trail.pop_back();
  }
  Location place{std::move(trail.back()), std::move(last)};
  if (names_folder) {
    if (const auto checked = CheckFolder(place); !checked) return unexpected(checked.error());
  }
  return place;
}

std::expected<std::uint32_t, Errno> Files::Open(std::uint32_t folder, std::string_view path,
                                                const OpenRequest& request) {
  auto location = Locate(folder, path);
  if (!location) return unexpected(location.error());
  if (request.create && NamesFolder(path)) return unexpected(Errno::kIsDirectory);  // as Linux
  const int number =
      openat(location->folder.number(), location->name.c_str(), SystemFlags(request), kNewFileMode);
  if (number < 0) return SystemError();
  OpenFile file;
  file.system = Descriptor(number);
  file.can_read = request.read;
  file.can_write = request.write;
  file.flags = request.flags;
  struct stat status = {};
  if (fstat(number, &status) != 0) return SystemError();
  if (S_ISDIR(status.st_mode)) {
    file.kind = OpenFile::Kind::kFolder;
  } else if (!S_ISREG(status.st_mode)) {
    return unexpected(Errno::kNotSupported);
  }
  return Add(std::move(file));
}

}  // namespace txvm::frontends::wasi
