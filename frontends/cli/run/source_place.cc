#include "frontends/cli/run/source_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "isa/support/file.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"

namespace txvm::frontends::cli {
namespace {

constexpr int kDecimal = 10, kHex = 16;

std::unexpected<isa::Error> Refuse(std::string message) {
  return isa::Fail(isa::ErrorCode::kUsage, std::move(message));
}

std::optional<std::uint32_t> Number(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? kHex : kDecimal);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::uint32_t> CodeOfLine(const isa::Program& program, std::uint32_t line) {
  std::vector<std::uint32_t> ips;
  for (const isa::LineMark& mark : program.lines) {
    if (mark.line == line) ips.push_back(mark.ip);
  }
  return ips;
}

/// The code of the first line from `line` on that has any.
std::vector<std::uint32_t> CodeFromLine(const isa::Program& program, std::uint32_t line) {
  std::uint32_t nearest = 0;
  for (const isa::LineMark& mark : program.lines) {
    if (mark.line >= line && (nearest == 0 || mark.line < nearest)) nearest = mark.line;
  }
  return nearest == 0 ? std::vector<std::uint32_t>() : CodeOfLine(program, nearest);
}

isa::Result<std::uint32_t> Inside(const isa::Program& program, std::uint64_t ip) {
  if (ip < program.code.size()) return static_cast<std::uint32_t>(ip);
  return Refuse(fmt::format("instruction {} is outside the program (it has {})", ip,
                            isa::CountText(program.code.size(), "instruction")));
}

}  // namespace

SourceText::SourceText(const isa::Program& program, const std::string& path) {
  if (program.source.empty() || program.source.starts_with('<')) return;
  const isa::Result<std::string> text = isa::ReadSource(program.source, path);
  if (!text || text->find('\0') != std::string::npos) return;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines_.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

std::string_view SourceText::Line(std::uint32_t number) const {
  return number == 0 || number > lines_.size() ? std::string_view() : lines_[number - 1];
}

std::uint32_t SourceText::FindLabel(std::string_view label) const {
  for (std::uint32_t i = 0; i < lines_.size(); ++i) {
    const std::string_view line = lines_[i];
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    const std::string_view word = line.substr(begin);
    if (word.size() > label.size() && word.starts_with(label) && word[label.size()] == ':') {
      return i + 1;
    }
  }
  return 0;
}

isa::Result<std::vector<std::uint32_t>> FindPlace(const isa::Program& program,
                                                  const SourceText& source, std::string_view text) {
  using Ips = std::vector<std::uint32_t>;
  if (const std::optional<std::uint32_t> ip = Number(text)) {
    TXVM_TRY(const std::uint32_t inside, Inside(program, *ip));
    return Ips{inside};
  }
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    const std::optional<std::uint32_t> line = Number(text.substr(colon + 1));
    Ips ips = line && *line != 0 ? CodeOfLine(program, *line) : Ips();  // 0: of no line
    if (ips.empty()) return Refuse(fmt::format("no code comes from line '{}'", text));
    return ips;
  }
  const std::size_t plus = text.rfind('+');
  const std::string_view name = text.substr(0, plus);
  std::uint32_t offset = 0;
  if (plus != std::string_view::npos) {
    const std::optional<std::uint32_t> given = Number(text.substr(plus + 1));
    if (!given) return Refuse(fmt::format("'{}' is no number after '+'", text.substr(plus + 1)));
    offset = *given;
  }
  const auto function = std::ranges::find(program.functions, name, &isa::Function::name);
  if (!name.empty() && function != program.functions.end()) {
    TXVM_TRY(const std::uint32_t inside, Inside(program, std::uint64_t{function->first} + offset));
    return Ips{inside};
  }
  if (const isa::Export* found = program.FindExport(name)) {
    TXVM_TRY(const std::uint32_t inside, Inside(program, std::uint64_t{found->start} + offset));
    return Ips{inside};
  }
  if (const std::uint32_t line = source.FindLabel(name); line != 0) {
    const Ips ips = CodeFromLine(program, line);
    if (!ips.empty()) {
      TXVM_TRY(const std::uint32_t inside, Inside(program, std::uint64_t{ips.front()} + offset));
      return Ips{inside};
    }
  }
  return Refuse(fmt::format("no function, export or label is called '{}'", name));
}

std::string PlaceText(const isa::Program& program, std::uint32_t ip) {
  const isa::Function* function = program.FunctionAt(ip);
  if (function == nullptr) return fmt::format("instruction {}", ip);
  if (function->name.empty()) {  // an export's stub, or a program of one function
    const auto found = std::ranges::find(program.exports, function->first, &isa::Export::start);
    return found == program.exports.end() ? fmt::format("instruction {}", ip)
                                          : "export " + isa::Printable(found->name);
  }
  const std::string name = isa::Printable(function->name);
  return ip == function->first ? name : fmt::format("{}+{}", name, ip - function->first);
}

std::string SourceLine(const isa::Program& program, std::uint32_t ip) {
  const std::uint32_t line = program.LineAt(ip);
  if (line == 0) return {};
  return program.source.empty() ? fmt::format("line {}", line)
                                : fmt::format("{}:{}", isa::ShownText(program.source), line);
}

std::string PlaceAndLine(const isa::Program& program, std::uint32_t ip) {
  const std::string text = PlaceText(program, ip), line = SourceLine(program, ip);
  return line.empty() ? text : text + fmt::format(" ({})", line);
}

}  // namespace txvm::frontends::cli
