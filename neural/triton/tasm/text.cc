#include "neural/triton/tasm/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "isa/support/edit_distance.h"
#include "isa/support/text.h"
#include "neural/triton/field/field_text.h"
#include "neural/triton/tasm/released_hint.h"

namespace txvm::triton {
namespace {

using isa::ErrorCode;

// Words that cannot name a label; `break` can. The last is reserved by Triton VM.
constexpr std::array<std::string_view, 3> kKeywords = {"hint", "error_id", "error_message"};

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
// Bytes of multi-byte UTF-8 characters count as letters.
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsWordByte(char c) { return IsLetter(c) || IsDigit(c) || c == '-'; }

// The mnemonic one edit away from `word`, or empty.
std::string_view Suggest(std::string_view word, TasmIsa isa) {
  for (const TasmOpInfo& info : kTasmOps) {
    if (IsInIsa(info.op, isa) && isa::TypingSlips(word, info.text, 1) <= 1) return info.text;
  }
  return {};
}

class Assembler {
 public:
  Assembler(std::string_view text, TasmIsa isa, std::string_view file, TasmDialect dialect)
      : text_(text), file_(file), dialect_(dialect) {
    program_.isa = isa;
  }

  // program := { label ":" | instruction | hint | "break" | "error_id" integer }
  isa::Result<TasmProgram> Run() {
    TXVM_CHECK_OK(SkipBlank());
    while (at_ < text_.size()) {
      TXVM_CHECK_OK(ParseItem());
      TXVM_CHECK_OK(SkipBlank());
    }
    TXVM_CHECK_OK(ResolveCalls());
    return std::move(program_);
  }

 private:
  struct Call {
    std::size_t index;   // of the instruction
    std::size_t offset;  // of the label in the text
    std::string_view name;
  };
  using Status = isa::Result<void>;

  std::unexpected<isa::Error> FailAt(std::size_t offset, std::string message,
                                     ErrorCode code = ErrorCode::kSyntax) const {
    return std::unexpected(
        isa::ErrorAt(text_, std::min(offset, text_.size()), file_, code, std::move(message)));
  }

  // blank := white space | "//" to the end of the line | "/*" ... "*/"
  Status SkipBlank() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (IsSpace(rest.front())) {
        if (rest.front() == '\n') ++line_;
        ++at_;
      } else if (rest.starts_with("//")) {
        const std::size_t end = std::min(text_.find_first_of("\n\r", at_), text_.size());
        if (IsStrict() && end == at_ + 2) {
          return FailAt(at_, "released versions of Triton VM refuse an empty // comment");
        }
        at_ = end;
      } else if (rest.starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return FailAt(at_, "a /* comment is not closed");
        line_ += static_cast<std::uint32_t>(std::ranges::count(text_.substr(at_, end - at_), '\n'));
        at_ = end + 2;
      } else {
        break;
      }
    }
    return {};
  }

  bool IsStrict() const { return dialect_ == TasmDialect::kReleased; }

  // A token must be followed by a blank or the end.
  bool AtBlank() const {
    if (at_ >= text_.size() || IsSpace(text_[at_])) return true;
    const std::string_view rest = text_.substr(at_);
    return rest.starts_with("//") || rest.starts_with("/*");
  }

  template <typename Predicate>
  std::string_view TakeWhile(Predicate accepts) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && accepts(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  static std::string Quote(std::string_view word) {
    constexpr std::size_t kMaxShown = 40;
    if (word.size() <= kMaxShown) return fmt::format("'{}'", word);
    return fmt::format("'{}...'", word.substr(0, kMaxShown));
  }

  Status ParseItem() {
    const std::size_t begin = at_;
    if (!IsLetter(text_[at_])) {
      return FailAt(at_, "expected a label, an instruction or the end of the text");
    }
    const std::string_view word = TakeWhile(IsWordByte);
    const std::size_t after = at_;
    std::size_t colon = at_;
    while (colon < text_.size() && IsSpace(text_[colon])) ++colon;
    if (colon < text_.size() && text_[colon] == ':') {
      line_ +=
          static_cast<std::uint32_t>(std::ranges::count(text_.substr(after, colon - after), '\n'));
      at_ = colon + 1;
      return DefineLabel(word, begin);
    }
    if (word == "break" && AtBlank()) return EndItem();
    if (word == "hint" && AtBlank()) return ParseHint();
    if (word == "error_id" && AtBlank()) return ParseErrorId(begin);
    const std::optional<TasmOp> op = FindTasmMnemonic(word, program_.isa);
    if (!op) return FailUnknown(word, begin);
    if (!AtBlank()) return FailAt(at_, fmt::format("expected a space after {}", word));
    return ParseInstruction(*op);
  }

  Status EndItem() {
    accepts_error_id_ = false;
    return {};
  }

  Status FailUnknown(std::string_view word, std::size_t begin) const {
    const TasmIsa other = program_.isa == TasmIsa::kDot ? TasmIsa::kHorner : TasmIsa::kDot;
    if (FindTasmMnemonic(word, other)) {
      return FailAt(begin, fmt::format("{} belongs to the {} instruction set", word,
                                       other == TasmIsa::kDot ? "v2 .. v9 (dot)" : "horner"));
    }
    const std::string_view hint = Suggest(word, program_.isa);
    return FailAt(begin, fmt::format("unknown instruction {}{}", Quote(word),
                                     hint.empty() ? "" : fmt::format(" (did you mean {}?)", hint)));
  }

  Status DefineLabel(std::string_view name, std::size_t begin) {
    if (FindTasmMnemonic(name, program_.isa) ||
        std::ranges::find(kKeywords, name) != kKeywords.end()) {
      return FailAt(begin, fmt::format("a label cannot be named {}, a word of the language", name));
    }
    if (!label_ids_.emplace(name, program_.labels.size()).second) {
      return FailAt(begin, fmt::format("label {} is defined twice", Quote(name)));
    }
    program_.labels.push_back({std::string(name), program_.code.size()});
    return EndItem();
  }

  Status ParseInstruction(TasmOp op) {
    const std::uint32_t line = line_;
    std::uint64_t arg = 0;
    if (Info(op).arg != TasmArg::kNone) {
      TXVM_CHECK_OK(SkipBlank());
      TXVM_TRY(arg, ParseArgument(op));
      if (!AtBlank()) {
        return FailAt(at_, fmt::format("expected a space after the argument of {}", Info(op).text));
      }
    }
    if (program_.code.size() == kMaxTasmInstructions) {
      return FailAt(at_, fmt::format("more than {} instructions", kMaxTasmInstructions),
                    ErrorCode::kLimit);
    }
    program_.code.push_back({op, arg});
    program_.lines.push_back(line);
    accepts_error_id_ = Info(op).op_class == TasmClass::kAssert;
    return {};
  }

  isa::Result<std::uint64_t> ParseArgument(TasmOp op) {
    const std::size_t begin = at_;
    const TasmOpInfo& info = Info(op);
    if (info.arg == TasmArg::kLabel) {
      const std::string_view name =
          at_ < text_.size() && IsLetter(text_[at_]) ? TakeWhile(IsWordByte) : std::string_view();
      if (name.empty()) return FailAt(begin, "call needs the name of a label");
      calls_.push_back({program_.code.size(), begin, name});
      return 0;
    }
    const std::string_view token =
        TakeWhile([](char c) { return IsDigit(c) || c == '-' || c == '+'; });
    if (info.arg == TasmArg::kElement) {
      const std::optional<std::uint64_t> element = ParseElement(token);
      if (element) return *element;
      return FailAt(begin, fmt::format("{} needs an integer a with -p < a < p, p = 2^64 - 2^32 + 1",
                                       info.text));
    }
    const bool is_count = info.arg == TasmArg::kCount;
    const std::uint64_t limit = is_count ? kTasmMaxCount : kTasmRegisters - 1;
    for (std::uint64_t n = is_count ? 1 : 0; n <= limit; ++n) {
      if (token == fmt::format("{}", n)) return n;
    }
    return FailAt(
        begin, fmt::format("{} needs {}", info.text,
                           is_count ? "a number of words, 1 .. 5" : "a stack register, 0 .. 15"));
  }

  // error := "error_id" integer, directly after an assert or assert_vector
  Status ParseErrorId(std::size_t begin) {
    if (!accepts_error_id_) {
      return FailAt(begin, "error_id must directly follow assert or assert_vector");
    }
    TXVM_CHECK_OK(SkipBlank());
    const std::size_t number = at_;
    const std::string_view token =
        TakeWhile([](char c) { return IsDigit(c) || c == '-' || c == '+'; });
    if (!IsInt128(token) || !AtBlank()) {
      return FailAt(number, "error_id needs an integer of at most 128 bits");
    }
    program_.error_ids.push_back({program_.code.size() - 1, std::string(token)});
    return EndItem();
  }

  bool Take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  // hint := "hint" name [":" type] "=" "stack" "[" index [".." index] "]"; checked and dropped
  Status ParseHint() {
    TXVM_CHECK_OK(SkipBlank());
    if (IsStrict()) return ParseReleasedHint();
    auto is_name_byte = [](char c) {
      return (IsLetter(c) && !(c >= 'A' && c <= 'Z')) || IsDigit(c);
    };
    if (at_ >= text_.size() || IsDigit(text_[at_]) || TakeWhile(is_name_byte).empty()) {
      return FailAt(at_, "a hint needs the name of a variable, in lower case");
    }
    TXVM_CHECK_OK(SkipBlank());
    if (Take(":")) {
      TXVM_CHECK_OK(SkipBlank());
      TXVM_CHECK_OK(ParseHintType());
    }
    for (const std::string_view token : {"=", "stack", "["}) {
      TXVM_CHECK_OK(SkipBlank());
      if (!Take(token)) return FailAt(at_, fmt::format("a hint needs '{}' here", token));
    }
    TXVM_CHECK_OK(SkipBlank());
    const std::size_t range = at_;
    const std::string_view first = TakeWhile(IsDigit);
    TXVM_CHECK_OK(SkipBlank());
    if (Take("..")) {
      TXVM_CHECK_OK(SkipBlank());
      const std::optional<std::uint64_t> from = ParseElement(first);
      const std::optional<std::uint64_t> to = ParseElement(TakeWhile(IsDigit));
      if (!from || !to || *to <= *from) return FailAt(range, "a hint's range must not be empty");
      TXVM_CHECK_OK(SkipBlank());
    }
    if (first.empty()) return FailAt(range, "a hint needs a stack position");
    if (!Take("]")) return FailAt(at_, "a hint needs ']' here");
    return EndItem();
  }

  Status ParseReleasedHint() {
    const HintEnd end = ReadReleasedHint(text_, at_);
    if (!end.error.empty()) return FailAt(end.at, end.error);
    line_ += static_cast<std::uint32_t>(std::ranges::count(text_.substr(at_, end.at - at_), '\n'));
    at_ = end.at;
    return EndItem();
  }

  // type := {"*"} name ["<" [type {"," type}] ">"], read without recursion
  Status ParseHintType() {
    const std::size_t begin = at_;
    std::size_t depth = 0;
    std::size_t names = 0;
    while (at_ < text_.size() && text_[at_] != '=') {
      const char c = text_[at_];
      if (IsLetter(c)) {
        TakeWhile([](char b) { return IsLetter(b) || IsDigit(b); });
        ++names;
      } else if (c == '<' || c == '>') {
        if (c == '>' && depth == 0) break;
        c == '<' ? ++depth : --depth;
        ++at_;
      } else if (c == '*' || (c == ',' && depth > 0)) {
        ++at_;
      } else {
        return FailAt(at_, "a hint's type is malformed");
      }
      TXVM_CHECK_OK(SkipBlank());
    }
    if (names == 0 || depth != 0) return FailAt(begin, "a hint's type is malformed");
    return {};
  }

  Status ResolveCalls() {
    for (const Call& call : calls_) {
      const auto label = label_ids_.find(call.name);
      if (label == label_ids_.end()) {
        return FailAt(call.offset, fmt::format("label {} is not defined", Quote(call.name)));
      }
      program_.code[call.index].arg = label->second;
    }
    return {};
  }

  std::string_view text_;
  std::string_view file_;
  TasmDialect dialect_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  bool accepts_error_id_ = false;
  TasmProgram program_;
  std::vector<Call> calls_;
  std::unordered_map<std::string_view, std::size_t> label_ids_;  // views into text_
};

}  // namespace

isa::Result<TasmProgram> AssembleTasm(std::string_view text, TasmIsa isa, std::string_view file,
                                      TasmDialect dialect) {
  return Assembler(text, isa, file, dialect).Run();
}

std::string TasmInstructionText(const TasmProgram& program, std::size_t index) {
  const TasmInstruction& instruction = program.code[index];
  const TasmOpInfo& info = Info(instruction.op);
  if (info.arg == TasmArg::kNone) return std::string(info.text);
  if (info.arg == TasmArg::kLabel) {
    return fmt::format("{} {}", info.text, program.labels[instruction.arg].name);
  }
  if (info.arg == TasmArg::kElement) {
    return fmt::format("{} {}", info.text, ElementText(instruction.arg));
  }
  return fmt::format("{} {}", info.text, instruction.arg);
}

std::string DisassembleTasm(const TasmProgram& program) {
  std::vector<std::vector<std::size_t>> labels_at(program.code.size() + 1);
  for (std::size_t i = 0; i < program.labels.size(); ++i) {
    labels_at[program.labels[i].index].push_back(i);
  }
  std::string text;
  std::size_t next_error_id = 0;
  for (std::size_t i = 0; i <= program.code.size(); ++i) {
    for (const std::size_t label : labels_at[i]) text += program.labels[label].name + ":\n";
    if (i == program.code.size()) break;
    text += "    " + TasmInstructionText(program, i);
    if (next_error_id < program.error_ids.size() && program.error_ids[next_error_id].index == i) {
      text += " error_id " + program.error_ids[next_error_id++].id;
    }
    text += '\n';
  }
  return text;
}

}  // namespace txvm::triton
