#include "frontends/c/toolchain.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "isa/support/system/child_process.h"

namespace txvm::frontends::c {
namespace {

constexpr double kVersionSeconds = 10;  // clang prints its version in milliseconds

struct Clang {
  std::string path;
  int version = 0;
};

/// The major version of the clang at `path`; 0 when it does not tell.
int VersionOf(const std::string& path) {
  const auto child = isa::RunChild({path, "-dumpversion"}, "", kVersionSeconds);
  if (!child || child->exit_code != 0) return 0;
  int version = 0;
  const std::string& text = child->out;
  return std::from_chars(text.data(), text.data() + text.size(), version).ec == std::errc()
             ? version
             : 0;
}

/// The first clang that is new enough; `seen` says what was found instead.
std::optional<Clang> FindClang(std::string& seen) {
  if (const std::string path = isa::FindProgram("clang"); !path.empty()) {
    const int version = VersionOf(path);
    if (version >= kOldestClang) return Clang{path, version};
    seen = version == 0 ? fmt::format("{} does not run", path)
                        : fmt::format("{} is version {}", path, version);
  }
  for (int version = kNewestClang; version >= kOldestClang; --version) {
    const std::string path = isa::FindProgram(fmt::format("clang-{}", version));
    if (!path.empty()) return Clang{path, version};
  }
  return std::nullopt;
}

std::string FindLinker(int version) {
  if (std::string path = isa::FindProgram(fmt::format("wasm-ld-{}", version)); !path.empty()) {
    return path;
  }
  if (std::string path = isa::FindProgram("wasm-ld"); !path.empty()) return path;
  for (int other = kNewestClang; other >= kOldestClang; --other) {
    if (std::string path = isa::FindProgram(fmt::format("wasm-ld-{}", other)); !path.empty()) {
      return path;
    }
  }
  return {};
}

}  // namespace

isa::Result<Toolchain> FindToolchain() {
  std::string seen;
  const std::optional<Clang> clang = FindClang(seen);
  if (!clang) {
    return isa::Fail(
        isa::ErrorCode::kHost,
        fmt::format("C needs clang {} or later, and PATH has none (looked for clang "
                    "and clang-{} to clang-{}{}{}). Install it with its linker: "
                    "apt-get install clang lld",
                    kOldestClang, kNewestClang, kOldestClang, seen.empty() ? "" : "; ", seen));
  }
  Toolchain tools;
  tools.clang = clang->path;
  tools.linker = FindLinker(clang->version);
  if (tools.linker.empty()) {
    return isa::Fail(isa::ErrorCode::kHost,
                     fmt::format("C needs wasm-ld, and PATH has none (looked for wasm-ld-{0} and "
                                 "wasm-ld, for {1}). Install it: apt-get install lld-{0}, or lld",
                                 clang->version, clang->path));
  }
  tools.wasm_opt = isa::FindProgram("wasm-opt");
  return tools;
}

}  // namespace txvm::frontends::c
