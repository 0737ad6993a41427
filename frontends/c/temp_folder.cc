#include "frontends/c/temp_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "isa/support/file.h"

namespace txvm::frontends::c {

isa::Result<TempFolder> TempFolder::Create() {
  const char* named = std::getenv("TMPDIR");
  const std::string_view folder = named == nullptr || *named == '\0' ? "/tmp" : named;
  std::string path = fmt::format("{}/txvm-XXXXXX", folder);
  if (mkdtemp(path.data()) == nullptr) {
    return isa::Fail(
        isa::ErrorCode::kHost,
        fmt::format("cannot create a temporary folder in {}: {}", folder, std::strerror(errno)));
  }
  TempFolder created;
  created.path_ = std::move(path);
  return created;
}

TempFolder::~TempFolder() {
  std::error_code ignored;  // nothing a destructor could do about it
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

TempFolder::TempFolder(TempFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempFolder& TempFolder::operator=(TempFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

std::string TempFolder::PathOf(std::string_view name) const {
  return fmt::format("{}/{}", path_, name);
}

isa::Result<void> TempFolder::Write(std::string_view name, std::string_view bytes) const {
  const std::string path = PathOf(name);
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  if (failed) {
    return isa::Fail(isa::ErrorCode::kHost,
                     fmt::format("cannot create the folder of {}: {}", path, failed.message()));
  }
  return isa::WriteFile(path, bytes);
}

}  // namespace txvm::frontends::c
