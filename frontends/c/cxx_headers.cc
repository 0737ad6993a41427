#include "frontends/c/cxx_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "frontends/c/runtime.h"

namespace txvm::frontends::c {
namespace {

constexpr std::string_view kHeaders = "runtime/include/";
// C++ has other headers of these names, or none.
constexpr std::array<std::string_view, 2> kOfCAlone = {"complex.h", "tgmath.h"};
// What <cNAME> includes; some of them are clang's.
constexpr std::array<std::string_view, 20> kNames = {
    "assert", "ctype",  "errno",  "fenv",   "float",  "inttypes", "limits",
    "locale", "math",   "setjmp", "signal", "stdarg", "stddef",   "stdint",
    "stdio",  "stdlib", "string", "time",   "wchar",  "wctype"};

constexpr std::string_view kOwn = "runtime/cxx/";  // headers of C++ alone

/// What a header includes stays outside of the namespace.
std::string InStd(std::string_view text) {
  std::string includes, rest;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    (text.starts_with("#include") ? includes : rest) += text.substr(0, end);
    text.remove_prefix(end);
  }
  return fmt::format(
      "#pragma once\n{}namespace std {{ extern \"C\" {{\n{}\n}} }}\nusing namespace std;\n",
      includes, rest);
}

}  // namespace

bool IsCxx(std::string_view path) {
  constexpr std::array<std::string_view, 3> kEndings = {".cc", ".cpp", ".cxx"};
  return std::ranges::any_of(kEndings,
                             [path](std::string_view ending) { return path.ends_with(ending); });
}

isa::Result<void> WriteCxxHeaders(const TempFolder& folder, std::string_view to) {
  for (std::string_view file : kRuntimeFiles) {
    if (!file.starts_with(kHeaders)) continue;
    const std::string_view text = RuntimeText(file);
    file.remove_prefix(kHeaders.size());
    if (std::ranges::find(kOfCAlone, file) != kOfCAlone.end()) continue;
    TXVM_CHECK_OK(folder.Write(fmt::format("{}/{}", to, file), InStd(text)));
  }
  for (const std::string_view name : kNames) {
    TXVM_CHECK_OK(folder.Write(fmt::format("{}/c{}", to, name),
                               fmt::format("#include <{}.h>\nnamespace std {{}}\n", name)));
  }
  for (const std::string_view file : kRuntimeFiles) {
    if (!file.starts_with(kOwn)) continue;
    TXVM_CHECK_OK(
        folder.Write(fmt::format("{}/{}", to, file.substr(kOwn.size())), RuntimeText(file)));
  }
  return {};
}

}  // namespace txvm::frontends::c
