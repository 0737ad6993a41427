// A folder that is gone when its object is.
#pragma once

#include <string>
#include <string_view>

#include "isa/support/result.h"

namespace txvm::frontends::c {

/// A private folder, removed with all it holds by the destructor. Move-only.
class TempFolder {
 public:
  /// In $TMPDIR or /tmp; kHost with the system's reason.
  static isa::Result<TempFolder> Create();
  ~TempFolder();
  TempFolder(TempFolder&& other) noexcept;
  TempFolder& operator=(TempFolder&& other) noexcept;

  /// The path of `name` in the folder.
  std::string PathOf(std::string_view name) const;
  /// Writes a file and the folders on its way. kHost with the system's reason.
  isa::Result<void> Write(std::string_view name, std::string_view bytes) const;

 private:
  TempFolder() = default;
  std::string path_;
};

}  // namespace txvm::frontends::c
