#include "frontends/cli/ask/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "frontends/nl/language/codebook.h"
#include "frontends/nl/language/printer.h"
#include "isa/disassemble.h"
#include "isa/support/json_writer.h"
#include "isa/support/shown_text.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::size_t kMostHex = 64;      // bytes of a module that are shown
constexpr std::size_t kMostListed = 200;  // instructions that are shown

std::string Hex(std::span<const std::uint8_t> bytes, std::size_t most) {
  std::string text;
  for (const std::uint8_t byte : bytes.first(std::min(most, bytes.size()))) {
    text += fmt::format("{:02x}", byte);
  }
  return bytes.size() > most ? text + "..." : text;
}

void WriteId(isa::JsonWriter& json, const nl::BatchItem& item) {
  json.Key("id");
  if (!item.id) {
    json.Null();
  } else if (item.id_is_number) {
    json.Number(*item.id);
  } else {
    json.String(*item.id);
  }
}

/// The error in one line, after its line and column where it has them, or the file it is about.
std::string ReasonOf(const isa::Error& error) {
  const isa::Place& place = error.place;
  if (place.line == 0 && !place.file.empty()) return place.file + ": " + error.message;
  if (place.line == 0) return error.message;
  return fmt::format("{}:{}: {}", place.line, place.column, error.message);
}

std::string WidthText(const nl::AskReport& report, const nl::Lowered& lowered) {
  if (!lowered.wide) return "words: every intermediate is proved to be an i32";
  if (!lowered.values.obstacle) return "256-bit fractions, as asked";
  const nl::Node& node = report.ast->nodes[*lowered.values.obstacle];
  const bool is_leaf = nl::Info(node.kind).form == nl::NodeForm::kLeaf;
  const std::string what = is_leaf ? nl::TokenText(report.reading.tokens[node.place])
                                   : nl::TokenText(nl::Info(node.kind).token);
  return fmt::format("256-bit fractions: '{}' (token {}) is not proved to be an i32", what,
                     node.place + 1);
}

std::string CodesText(const nl::AskReport& report, std::span<const nl::Rational> numbers) {
  const auto codes = nl::EncodeIr(*report.ast, numbers);
  if (!codes) return codes.error().message;
  std::string text;
  for (const std::uint8_t code : *codes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", code, nl::IrName(code));
  }
  return text;
}

/// The instructions of compute itself, whose function is the first.
std::string ListingText(const isa::Program& program) {
  std::string text;
  const isa::Function& compute = program.functions.front();
  for (std::uint32_t ip = compute.first; ip <= compute.last; ++ip) {
    if (ip - compute.first == kMostListed) return text + "  ...\n";
    text += fmt::format("  {:>4}  {}\n", ip, isa::InstructionText(program, program.code[ip]));
  }
  return text;
}

}  // namespace

std::string AskJson(const nl::AskReport& report, const nl::BatchItem& item) {
  isa::JsonWriter json;
  json.BeginObject().Key("question").String(item.question);
  json.Key("answer").StringOrNull(report.AnswerText());
  json.Key("canonical").String(report.CanonicalText());
  json.Key("abstained").Bool(report.abstained());
  json.Key("reason").StringOrNull(report.Reason());
  json.Key("wide").Bool(report.answer && report.answer->wide);
  json.Key("steps").Uint(report.answer ? report.answer->steps : 0);
  json.Key("seconds").Number(report.seconds);
  json.Key("confidence");
  if (report.reading.confidence) {
    json.Number(*report.reading.confidence);
  } else {
    json.Null();
  }
  WriteId(json, item);
  return json.EndObject().text();
}

std::string AskErrorJson(const nl::BatchItem& item, const isa::Error& error) {
  isa::JsonWriter json;
  json.BeginObject().Key("question").String(item.question);
  json.Key("answer").Null().Key("canonical").Null();
  json.Key("abstained").Bool(true).Key("reason").String(ReasonOf(error));
  json.Key("wide").Bool(false).Key("steps").Uint(0).Key("seconds").Number(0);
  json.Key("confidence").Null();
  WriteId(json, item);
  return json.EndObject().text();
}

isa::Result<std::string> AskDetails(const nl::AskReport& report,
                                    const nl::EvaluateOptions& options) {
  std::string text = fmt::format("canonical  {}\n", nl::TokensText(report.reading.tokens));
  text += fmt::format("program    {}\n", report.CanonicalText());
  if (!report.ast) return text;
  const std::vector<nl::Rational> numbers = report.reading.Values();
  TXVM_TRY(const nl::Lowered lowered, nl::Lower(*report.ast, numbers, options.lower));
  TXVM_TRY(const isa::Program program, nl::ToProgram(lowered));
  text += fmt::format("numbers    {}\n", WidthText(report, lowered));
  text += fmt::format("codes      {}\n", CodesText(report, numbers));
  text += fmt::format("ir         {}\n", Hex(lowered.ir, kMostHex));
  text +=
      fmt::format("wasm       {} bytes: {}\n", lowered.wasm.size(), Hex(lowered.wasm, kMostHex));
  text += fmt::format("isa        {} instructions in {} functions; compute:\n{}",
                      program.code.size(), program.functions.size(), ListingText(program));
  if (report.answer) {
    text += fmt::format("steps      {} on {} in {}\n", isa::Grouped(report.answer->steps),
                        vm::EngineName(options.engine), isa::TimeText(report.answer->seconds));
  }
  return text;
}

std::string AnswerLine(const nl::AskReport& report) {
  const std::string answer = report.AnswerText();
  const auto point = nl::ToPoint(*report.answer->value);
  return point ? fmt::format("{} ({})", answer, *point) : answer;
}

}  // namespace txvm::frontends::cli
