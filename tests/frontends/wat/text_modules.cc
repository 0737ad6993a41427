#include "tests/frontends/wat/text_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "frontends/wat/text_place.h"
#include "frontends/wat/token_reader.h"
#include "isa/support/file.h"

namespace txvm::tests {
namespace {

using frontends::wat::LineTable, frontends::wat::TokenKind, frontends::wat::TokenReader;

}  // namespace

std::vector<TextModule> ModulesOfScript(std::string_view script, std::string_view file) {
  std::vector<TextModule> modules;
  const LineTable lines(script);
  TokenReader reader(script, 0);
  while (!reader.At(TokenKind::kEnd)) {
    if (!reader.AtForm("module")) {
      reader.Advance();
      continue;
    }
    const std::uint32_t at = reader.token().at;
    reader.Advance();
    reader.Advance();
    TextModule module;
    module.place = fmt::format("{}:{}", file, lines.LineOf(at));
    (void)reader.TakeWord("definition");
    if (reader.At(TokenKind::kName)) reader.Advance();
    if (reader.TakeWord("quote")) {
      module.is_quoted = true;
      while (reader.At(TokenKind::kString)) module.text += reader.String("a string", false);
      modules.push_back(std::move(module));
      continue;
    }
    const bool is_binary = reader.AtWord("binary") || reader.AtWord("instance");
    const std::uint32_t inside = reader.token().at;
    reader.SkipToClose(at);
    if (reader.stopped() || is_binary) continue;
    const std::uint32_t end =
        reader.At(TokenKind::kEnd) ? static_cast<std::uint32_t>(script.size()) : reader.token().at;
    std::string_view text = script.substr(inside, end - inside);
    text = text.substr(0, text.rfind(')') + 1);
    module.text = "(module " + std::string(text);
    modules.push_back(std::move(module));
  }
  return modules;
}

std::vector<TextModule> SuiteTexts() {
  std::vector<std::filesystem::path> files;
  const char* given = std::getenv("TXVM_SHARED");
  const std::filesystem::path source(TXVM_SOURCE_DIR);
  const std::filesystem::path shared =
      given != nullptr ? std::filesystem::path(given) : source.parent_path() / "shared";
  for (const auto& folder : {source / "tests/wast", shared / "data/wasm-testsuite"}) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".wast") files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::vector<TextModule> modules;
  for (const std::filesystem::path& path : files) {
    const auto script = isa::ReadFile(path.string());
    if (!script) continue;
    for (TextModule& module : ModulesOfScript(*script, path.filename().string())) {
      modules.push_back(std::move(module));
    }
  }
  return modules;
}

}  // namespace txvm::tests
