#include "frontends/wat/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "frontends/wasm/reader.h"
#include "frontends/wat/encoder.h"
#include "isa/support/text.h"

namespace txvm::frontends::wat {

using isa::Error;
using isa::ErrorCode;
using isa::Result;

namespace {

using Errors = std::vector<Error>;

/// Turns places that are bytes of the encoded module into lines. Both ascend.
void PlaceInText(const std::vector<PlaceMark>& marks, const LineTable& lines, Module& module) {
  if (marks.empty()) return;
  std::size_t mark = 0;
  std::uint32_t line = lines.LineOf(marks[0].at);
  for (Function& function : module.functions) {
    if (function.place == 0) continue;  // an import, or a helper that no text has
    for (Instr& instr : function.body) {
      if (mark + 1 < marks.size() && marks[mark + 1].byte <= instr.place) {
        do {
          ++mark;
        } while (mark + 1 < marks.size() && marks[mark + 1].byte <= instr.place);
        line = lines.LineOf(marks[mark].at);
      }
      instr.place = line;
    }
  }
}

/// The place in the text of a byte of the module.
std::uint32_t TextPlace(const std::vector<PlaceMark>& marks, std::size_t byte) {
  const auto after = std::ranges::upper_bound(marks, byte, {}, &PlaceMark::byte);
  return after == marks.begin() ? 0 : (after - 1)->at;
}

constexpr std::string_view kMismatch = "type mismatch";

/// "; the stack before it: i32 of local.get at 3:5, f64 of f64.const at 4:5", the value on top
/// last. Reads the module again, which is at fault.
std::string StackText(const EncodedModule& encoded, const LineTable& lines, std::string_view text,
                      std::string_view file) {
  wasm::ReadOptions options;
  options.trace_operands = true;
  const auto again = wasm::ReadMadeModule(encoded.bytes, file, options);
  std::string out;
  if (again) return out;
  for (const wasm::FaultOperand& operand : again.error().operands) {
    const std::uint32_t at = TextPlace(encoded.marks, operand.at);
    const std::uint32_t line = lines.LineOf(at);
    const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    const std::size_t column = before == std::string_view::npos ? at + 1 : at - before;
    out += fmt::format("{}{} of {} at {}:{}", out.empty() ? "; the stack before it: " : ", ",
                       operand.type, isa::Printable(Lexer(text, at).Next().text), line, column);
  }
  return out;
}

/// Decodes and validates what the text was encoded as.
std::expected<Module, Errors> Decode(EncodedModule encoded, const LineTable& lines,
                                     std::string_view text, std::string_view file) {
  auto read = wasm::ReadMadeModule(encoded.bytes, file);
  if (!read) {
    TextFault fault{read.error().code, std::move(read.error().message),
                    TextPlace(encoded.marks, read.error().at)};
    if (fault.code == ErrorCode::kInvalid && fault.message.starts_with(kMismatch)) {
      fault.message += StackText(encoded, lines, text, file);
    }
    // The binary format calls some of a later proposal malformed; the text knows it.
    if (fault.message.find("not supported") != std::string::npos) {
      fault.code = ErrorCode::kUnsupported;
    }
    return std::unexpected(ErrorsOf({fault}, text, file));
  }
  encoded.bytes = {};
  Module module = *std::move(read);
  module.is_text = true;
  PlaceInText(encoded.marks, lines, module);
  const std::size_t count = std::min(module.functions.size(), encoded.function_names.size());
  for (std::size_t i = 0; i < count; ++i) {
    Function& function = module.functions[i];
    function.name = std::move(encoded.function_names[i]);
    function.place = lines.LineOf(encoded.function_places[i]);
  }
  return module;
}

Errors FaultsOf(TokenReader& reader, std::string_view file) {
  return ErrorsOf(reader.faults(), reader.text(), file);
}

/// The strings of (module binary ...) or (module quote ...), up to the ')'.
std::string Strings(TokenReader& reader) {
  std::string bytes;
  while (reader.At(TokenKind::kString)) bytes += reader.String("a string", false);
  return bytes;
}

/// A file with one module: what it holds.
struct File {
  enum class Kind : std::uint8_t { kFields, kBinary, kQuote };
  Kind kind = Kind::kFields;
  std::string bytes;  // of the last two kinds
  EncodedModule module;
};

std::expected<File, Errors> ReadFile(std::string_view text, std::string_view file, int depth) {
  constexpr int kMostQuotes = 8;
  if (auto ok = CheckText(text, file); !ok) return std::unexpected(Errors{ok.error()});
  TokenReader reader(text, 0);
  if (depth == 0 && reader.At(TokenKind::kEnd)) reader.Expected("a module");
  File out;
  const bool is_wrapped = reader.TakeForm("module");
  if (is_wrapped) {
    (void)reader.TakeWord("definition");
    if (reader.At(TokenKind::kName)) reader.Advance();
  }
  if (is_wrapped && reader.TakeWord("binary")) {
    out.kind = File::Kind::kBinary;
    out.bytes = Strings(reader);
  } else if (is_wrapped && depth < kMostQuotes && reader.TakeWord("quote")) {
    out.kind = File::Kind::kQuote;
    out.bytes = Strings(reader);
  } else {
    auto encoded = EncodeFields(reader);
    if (!encoded) return std::unexpected(ErrorsOf(encoded.error(), text, file));
    out.module = *std::move(encoded);
  }
  if (is_wrapped) reader.Close("the module");
  if (!reader.stopped() && (!reader.At(TokenKind::kEnd) || !reader.lexer().ok())) {
    reader.Expected("the end of the text after the module");
  }
  if (!reader.faults().empty()) return std::unexpected(FaultsOf(reader, file));
  return out;
}

std::expected<Module, Errors> ReadModuleText(std::string_view text, std::string_view file,
                                             int depth) {
  auto read = ReadFile(text, file, depth);
  if (!read) return std::unexpected(std::move(read).error());
  switch (read->kind) {
    case File::Kind::kFields:
      return Decode(std::move(read->module), LineTable(text), text, file);
    case File::Kind::kQuote:
      return ReadModuleText(read->bytes, file, depth + 1);
    case File::Kind::kBinary:
      break;
  }
  const std::string& bytes = read->bytes;
  auto module = wasm::ReadModule(
      std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), file);
  if (!module) return std::unexpected(Errors{module.error()});
  return *std::move(module);
}

}  // namespace

Result<void> CheckText(std::string_view text, std::string_view file) {
  if (text.size() > kMaxSourceBytes) {
    return std::unexpected(
        Error{ErrorCode::kLimit,
              fmt::format("the text has {} bytes; the limit is {}", text.size(), kMaxSourceBytes),
              {std::string(file), 0, 0},
              {}});
  }
  const std::size_t at = FirstMalformedByte(text);
  if (at == text.size()) return {};
  return std::unexpected(isa::ErrorAt(text, at, file, ErrorCode::kSyntax,
                                      fmt::format("malformed UTF-8 encoding: byte 0x{:02x}",
                                                  static_cast<unsigned char>(text[at]))));
}

std::expected<Module, Errors> ReadFields(TokenReader& reader, const LineTable& lines,
                                         std::string_view file) {
  auto encoded = EncodeFields(reader);
  if (!encoded) return std::unexpected(ErrorsOf(encoded.error(), reader.text(), file));
  return Decode(*std::move(encoded), lines, reader.text(), file);
}

Result<Module> ReadText(std::string_view text, std::string_view file) {
  auto module = ReadModuleText(text, file, 0);
  if (!module) return std::unexpected(std::move(module.error().front()));
  return *std::move(module);
}

Result<Module> ReadQuoted(std::string_view text, std::string_view file) {
  auto module = ReadModuleText(text, file, 1);
  if (!module) return std::unexpected(std::move(module.error().front()));
  return *std::move(module);
}

std::vector<Error> TextErrors(std::string_view text, std::string_view file) {
  auto module = ReadModuleText(text, file, 0);
  if (!module) return std::move(module).error();
  return {};
}

Result<std::vector<std::uint8_t>> EncodeText(std::string_view text, std::string_view file) {
  auto read = ReadFile(text, file, 0);
  if (!read) return std::unexpected(std::move(read.error().front()));
  if (read->kind == File::Kind::kQuote) return EncodeText(read->bytes, file);
  if (read->kind == File::Kind::kFields) return std::move(read->module.bytes);
  return std::vector<std::uint8_t>(read->bytes.begin(), read->bytes.end());
}

bool BeginsAsModule(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n", kOpen = "(;", kClose = ";)", kLine = ";;";
  std::size_t depth = 0;  // of block comments, which nest
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with(kOpen)) {
      ++depth;
      at += kOpen.size();
    } else if (depth != 0) {
      const bool ends = rest.starts_with(kClose);
      depth -= ends ? 1 : 0;
      at += ends ? kClose.size() : 1;
    } else if (rest.starts_with(kLine)) {
      at = std::min(text.find('\n', at), text.size());
    } else if (kSpace.contains(rest.front())) {
      ++at;
    } else {
      return rest.front() == '(';
    }
  }
  return false;
}

}  // namespace txvm::frontends::wat
