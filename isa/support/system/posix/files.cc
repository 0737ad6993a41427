// Declared in isa/support/file.h.
// Files whose age counts, and files that are replaced.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "isa/support/file.h"
#include "isa/support/output_file.h"

namespace txvm::isa {

Result<std::string> ReadSource(const std::string& path, const std::string& program_path) {
  constexpr std::string_view kEndings[] = {".wat", ".txa", ".c",   ".cc",  ".cpp",
                                           ".cxx", ".h",   ".tir", ".tasm"};
  constexpr std::size_t kMost = std::size_t{64} << 20;
  const bool is_source = std::ranges::any_of(
      kEndings, [&](std::string_view ending) { return path.ends_with(ending); });
  namespace fs = std::filesystem;
  std::error_code error;
  if (!is_source || !fs::is_regular_file(path, error)) {
    return Fail(ErrorCode::kIo, fmt::format("'{}' is no source text", path));
  }
  std::error_code no_program;
  const auto made = fs::last_write_time(program_path, no_program);
  if (no_program || fs::last_write_time(path, error) > made || error) {
    return Fail(ErrorCode::kIo, fmt::format("'{}' is newer than its program", path));
  }
  return ReadFile(path, kMost);
}

Result<void> ReplaceFile(const std::string& path, std::string_view bytes) {
  if (path == "-") return WriteFile(path, bytes);
  OutputFile file(path);
  file.Write(bytes);
  if (const int reason = file.Place(); reason != 0) {
    return FailIo(ErrorCode::kHost, "write", path, reason);
  }
  return {};
}

}  // namespace txvm::isa
