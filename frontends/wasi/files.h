// The open files of a program, and the walk that keeps its paths inside the folders it was granted.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wasi/guest.h"
#include "frontends/wasi/wasi.h"

namespace txvm::frontends::wasi {

/// A file descriptor of the system, closed when it goes. Move-only.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  int number() const { return number_; }

 private:
  int number_ = -1;
};

/// What a program's descriptor stands for.
struct OpenFile {
  enum class Kind : std::uint8_t { kInput, kOutput, kErrors, kFolder, kFile };
  Kind kind = Kind::kFile;
  Descriptor system;       // of kFolder and kFile
  std::string guest_name;  // of a granted folder; else empty
  bool can_read = false, can_write = false;
  std::uint16_t flags = 0;  // as fd_fdstat_get reports them
};

inline constexpr std::size_t kMostFiles = 256;       // open at once, streams included
inline constexpr std::size_t kMostPathBytes = 4096;  // as PATH_MAX of Linux

/// What path_open was asked for.
struct OpenRequest {
  bool create = false, exclusive = false, truncate = false, must_be_folder = false;
  bool read = false, write = false;
  std::uint16_t flags = 0;
};

/// A place in a granted folder: a name without '/', in an open folder.
struct Location {
  Descriptor folder;
  std::string name;  // "." for the folder itself
};

/// The table of open files; 0, 1 and 2 are the standard streams.
class Files {
 public:
  /// Opens the granted folders as 3, 4, ... kIo when one cannot be opened.
  isa::Result<void> Grant(const std::vector<Directory>& directories);

  /// nullptr when `number` is not open.
  OpenFile* Find(std::uint32_t number);
  bool Close(std::uint32_t number) { return files_.erase(number) != 0; }

  /// Opens `path` below the open folder `folder`; the new descriptor's number. Only regular files
  /// and folders can be opened.
  std::expected<std::uint32_t, Errno> Open(std::uint32_t folder, std::string_view path,
                                           const OpenRequest& request);

  /// Walks to the folder that holds the last name of `path`. Neither "..", an absolute path nor a
  /// symbolic link leads out: the first two are kNotCapable above the granted folder, links are
  /// not followed at all (kLoop or kNotDirectory). A path that ends in "/" or "/." is
  /// kNotDirectory when what it names is there and is no folder.
  std::expected<Location, Errno> Locate(std::uint32_t folder, std::string_view path);

 private:
  std::expected<std::uint32_t, Errno> Add(OpenFile file);

  std::map<std::uint32_t, OpenFile> files_ = Standard();
  static std::map<std::uint32_t, OpenFile> Standard();
};

}  // namespace txvm::frontends::wasi
