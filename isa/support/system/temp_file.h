// A temporary file that its object removes.
#pragma once

#include <string>
#include <string_view>

#include "isa/support/result.h"

namespace txvm::isa {

/// A private file holding some bytes, removed by the destructor. Move-only.
class TempFile {
 public:
  /// In $TMPDIR or /tmp; kHost with the system's reason.
  static Result<TempFile> Create(std::string_view bytes, std::string_view extension);
  ~TempFile();
  TempFile(TempFile&& other) noexcept;
  TempFile& operator=(TempFile&& other) noexcept;
  const std::string& path() const { return path_; }

 private:
  TempFile() = default;
  std::string path_;
};

}  // namespace txvm::isa
