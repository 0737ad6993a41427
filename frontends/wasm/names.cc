#include "frontends/wasm/names.h"

#include <limits>

#include "frontends/wasm/cursor.h"

namespace txvm::frontends::wasm {

std::vector<FunctionName> ReadFunctionNames(std::span<const std::uint8_t> content,
                                            std::uint32_t functions) {
  constexpr std::uint8_t kFunctionNames = 1;
  constexpr std::size_t kEntryBytes = 2;
  std::optional<Fault> fault;
  Cursor cursor(content, 0, fault);
  std::vector<FunctionName> names;
  std::uint64_t next = 0;  // least index that may follow
  while (!cursor.AtEnd()) {
    const std::uint8_t id = cursor.Byte("a subsection");
    Cursor subsection = cursor.Take(cursor.U32("its size"), "a subsection");
    if (id != kFunctionNames) continue;
    const std::uint32_t count = subsection.Count("the number of names", kEntryBytes);
    for (std::uint32_t i = 0; i < count && subsection.ok(); ++i) {
      const std::uint32_t index = subsection.U32("a function index");
      const std::string_view name = subsection.Name("a name");
      if (index < next || index >= functions) return {};
      next = std::uint64_t{index} + 1;
      names.push_back({index, name});
    }
    if (!subsection.AtEnd()) return {};
  }
  if (fault) return {};
  return names;
}

std::optional<std::string> FindFunctionName(std::span<const std::uint8_t> sections,
                                            std::uint32_t function) {
  std::optional<Fault> fault;
  Cursor cursor(sections, 0, fault);
  while (!cursor.AtEnd()) {
    const std::uint8_t id = cursor.Byte("a section");
    const std::uint32_t size = cursor.U32("its size");
    Cursor section = cursor.Take(size, "a section");
    if (!cursor.ok()) break;
    if (id != 0 || section.Name("a name") != "name") continue;
    const auto content = section.Bytes(section.remaining(), "names");
    const auto names = ReadFunctionNames(content, std::numeric_limits<std::uint32_t>::max());
    for (const FunctionName& named : names) {
      if (named.function == function && !named.name.empty()) return std::string(named.name);
    }
  }
  return std::nullopt;
}

}  // namespace txvm::frontends::wasm
