// The open files of a program, and the walk that keeps its paths inside the folders it was granted.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/wasi/guest.h"
#include "frontends/wasi/rights.h"
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

/// A name in a folder, as fd_readdir lists it.
struct FolderEntry {
  std::string name;
  std::uint64_t node = 0;
  FileType type = FileType::kUnknown;
};

/// What a program's descriptor stands for.
struct OpenFile {
  enum class Kind : std::uint8_t { kInput, kOutput, kErrors, kFolder, kFile };
  Kind kind = Kind::kFile;
  FileType type = FileType::kUnknown;
  Descriptor system;        // of kFolder and kFile
  std::string guest_name;   // of a granted folder; else empty
  std::string grant;        // of kFolder and kFile: the granted folder it was opened in
  std::string path;         // there; empty for the granted folder itself
  Rights rights = 0;        // what it may be used for
  Rights inherited = 0;     // of a folder: the most that what is opened through it may have
  bool read_only = false;   // granted so: a missing right is then "not permitted"
  std::uint16_t flags = 0;  // as fd_fdstat_get reports them
  /// Of a folder: its names when fd_readdir last began at the start.
  std::optional<std::vector<FolderEntry>> listing;
};

inline constexpr std::size_t kMostPathBytes = 4096;  // as PATH_MAX of Linux
inline constexpr int kMostLinks = 40;                // followed in one path, as Linux

/// Bits of fdflags.
inline constexpr std::uint16_t kFlagAppend = 1, kFlagDsync = 2, kFlagNonBlock = 4, kFlagRsync = 8,
                               kFlagSync = 16;

/// What path_open was asked for.
struct OpenRequest {
  bool create = false, exclusive = false, truncate = false, must_be_folder = false;
  bool follow = false;  // a symbolic link that the whole path names
  Rights rights = 0;
  std::uint16_t flags = 0;
};

/// A file that was opened, and whether that created it.
struct Opened {
  std::uint32_t number = 0;
  bool is_new = false;
};

/// A place below a granted folder: a name without '/', in an open folder.
struct Location {
  Descriptor folder;
  std::string name;           // "." for the folder itself
  bool names_folder = false;  // the path ended in "/"
  std::string path;  // of all of it from the folder where the walk began; empty: that folder
};

/// The table of open files; 0, 1 and 2 are the standard streams.
class Files {
 public:
  /// At most `most` files are open at once, streams included.
  Files(const Streams& streams, std::size_t most);

  /// Opens the granted folders as 3, 4, ... kIo when one cannot be opened; kLimit.
  isa::Result<void> Grant(const std::vector<Directory>& directories);

  /// nullptr when `number` is not open.
  OpenFile* Find(std::uint32_t number);
  bool Close(std::uint32_t number) { return files_.erase(number) != 0; }
  /// Gives `from` the number `to`, and closes what had it. False when one of them is not open.
  bool Renumber(std::uint32_t from, std::uint32_t to);

  /// Opens `path` below the open folder `folder`. Only regular files and folders can be opened.
  /// Errors: as of Locate; kNotCapable or kNotPermitted for a right that the folder lacks.
  std::expected<Opened, Errno> Open(std::uint32_t folder, std::string_view path,
                                    const OpenRequest& request);

  /// All open files by their numbers.
  const std::map<std::uint32_t, OpenFile>& all() const { return files_; }
  /// Empties the table and returns what was in it.
  std::map<std::uint32_t, OpenFile> TakeAll() { return std::exchange(files_, {}); }
  /// Gives an open file this number.
  void Put(std::uint32_t number, OpenFile file) { files_[number] = std::move(file); }

  /// Walks to the folder that holds the last name of `path`, component by component, each opened in
  /// the one before. Symbolic links on the way are followed; the last name only with `follow`. No
  /// path leads out of the granted folder: absolute paths and links, and ".." above the folder, are
  /// kNotCapable. Nobody who swaps a component for a link meanwhile changes that, because a link is
  /// never left to the system. More than kMostLinks links are kLoop. A path that ends in "/" is
  /// kNotDirectory when what it names is there and is no folder.
  std::expected<Location, Errno> Locate(std::uint32_t folder, std::string_view path, bool follow);

 private:
  std::expected<std::uint32_t, Errno> Add(OpenFile file);

  std::size_t most_;
  std::map<std::uint32_t, OpenFile> files_;
};

/// Opens like.path in the granted folder again, as `like` was opened: for reading, writing or as a
/// folder. The path's last name is no symbolic link. Errors as of Files::Locate, and the system's.
std::expected<Descriptor, Errno> OpenAgain(const OpenFile& grant, const OpenFile& like);

/// kSuccess where the file has all these rights.
Errno CheckRights(const OpenFile& file, Rights rights);

/// The type of a file by its mode, as stat gives it.
FileType TypeOfMode(std::uint32_t mode);

/// The names in an open folder: "." and ".." first, then the others in order of their bytes. ".."
/// is given the folder's own number, so that it says nothing of what lies outside.
std::expected<std::vector<FolderEntry>, Errno> ListFolder(const OpenFile& folder);

}  // namespace txvm::frontends::wasi
