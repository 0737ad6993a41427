// A file as read-only memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "isa/support/result.h"

namespace txvm::neural::llm {

/// The bytes of a file, mapped: nothing is read before it is looked at, nothing is copied. The
/// file must not shrink while it is mapped.
class MappedFile {
 public:
  /// kIo names the file and the system's reason; directories and devices are refused.
  static isa::Result<std::shared_ptr<const MappedFile>> Open(const std::string& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::span<const std::uint8_t> bytes_;
};

/// An error about the contents of a file or folder, its path put in front unless that or the path
/// of a file in it is quoted there.
isa::Error In(const std::string& path, isa::Error error);

/// A whole small file as text. kIo as above; kLimit above `most` bytes.
isa::Result<std::string> ReadText(const std::string& path, std::size_t most);

/// Replaces a file's contents; it keeps the old ones when that fails. kHost names it and the
/// reason.
isa::Result<void> WriteWhole(const std::string& path, std::string_view bytes);

/// Makes sure that files can be written to the folder, and makes it if there is none. kHost names
/// it and the reason.
isa::Result<void> MakeFolder(const std::string& path);

}  // namespace txvm::neural::llm
