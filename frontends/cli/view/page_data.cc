#include "frontends/cli/view/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "frontends/cli/run/call_values.h"
#include "frontends/cli/run/report.h"
#include "frontends/cli/view/page.h"
#include "isa/disassemble.h"
#include "isa/support/base64.h"
#include "isa/support/json_writer.h"
#include "isa/support/text.h"
#include "isa/value_text.h"
#include "weights/heads.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::size_t kMostSource = 400'000;     // bytes of source in a page
constexpr std::size_t kMostCode = 20'000;        // instructions; of more, functions that ran
constexpr std::size_t kMostMemory = 256u << 10;  // bytes of memory that the window does not touch
constexpr std::uint32_t kPiece = 64;             // bytes of memory that go together
constexpr std::size_t kMostLocals = 100'000;     // slots that are not 0

/// Writes the object that page/view.js reads; its head says what the members are.
class PageData {
 public:
  PageData(const Recording& recording, const Timeline& timeline, const SourceText& source,
           const PageSettings& settings)
      : recording_(recording),
        timeline_(timeline),
        program_(timeline.machine().program()),
        source_(source),
        settings_(settings) {}

  std::string Text() {
    json_.BeginObject();
    WriteRun();
    WriteCode();
    WriteFunctions();
    WriteTables();
    WriteSource();
    WriteBeginning();
    WriteSteps();
    if (settings_.layers != nullptr) {
      json_.Key("layers");
      WriteLayers(*settings_.layers, json_);
    }
    json_.EndObject();
    return json_.text();
  }

 private:
  void WriteRun();
  void WriteCode();
  void WriteFunctions();
  void WriteTables();
  void WriteSource();
  void WriteBeginning();
  void WriteLocals();
  void WriteMemory();
  void WriteSteps();
  std::set<std::uint32_t> TouchedPieces() const;

  const Recording& recording_;
  const Timeline& timeline_;
  const isa::Program& program_;
  const SourceText& source_;
  const PageSettings& settings_;
  isa::JsonWriter json_;
};

std::string EndOf(const Recording& recording, const Timeline& timeline) {
  const vm::RunResult* end = timeline.ended();
  if (end == nullptr || !recording.is_whole) {
    return fmt::format("followed for {}; it goes on", isa::Grouped(timeline.now(), "step"));
  }
  std::string text =
      fmt::format("{} after {}", vm::OutcomeWords(end->outcome), isa::Grouped(end->steps, "step"));
  if (end->outcome == vm::Outcome::kHalted) {
    const std::string values = ValuesText(ResultValues(timeline.result_types(), end->results));
    if (!values.empty()) text += ", results " + values;
  } else if (end->outcome == vm::Outcome::kExited) {
    text += fmt::format(" with {}", end->exit_code);
  } else if (end->trap) {
    text += fmt::format(": {}", isa::TrapText(end->trap->cause));
    if (!end->trap->detail.empty()) text += ", " + end->trap->detail;
  }
  return text;
}

void PageData::WriteRun() {
  json_.Key("title").String(settings_.title);
  json_.Key("engine").String(settings_.engine);
  json_.Key("first").Uint(recording_.first);
  json_.Key("open").Uint(settings_.open);
  json_.Key("total").Uint(timeline_.now());
  json_.Key("whole").Bool(recording_.is_whole);
  json_.Key("cut").Bool(recording_.is_cut);
  json_.Key("end").String(EndOf(recording_, timeline_));
}

// [op, aux, arg, line, text] of each instruction; 0 where it is left out.
void PageData::WriteCode() {
  const bool all = program_.code.size() <= kMostCode;
  std::vector<bool> ran(program_.code.size(), all);
  if (!all) {
    for (const RecordedStep& step : recording_.steps) {
      const isa::Function* function = program_.FunctionAt(step.ip);
      if (function == nullptr || ran[function->first]) continue;
      std::fill(ran.begin() + function->first, ran.begin() + function->last + 1, true);
    }
  }
  json_.Key("code").BeginArray();
  for (std::uint32_t ip = 0; ip < program_.code.size(); ++ip) {
    if (!ran[ip]) {
      json_.Uint(0);
      continue;
    }
    const isa::Instruction instruction = program_.code[ip];
    json_.BeginArray().Uint(instruction.code()).Uint(instruction.aux()).Uint(instruction.arg);
    json_.Uint(program_.LineAt(ip)).String(isa::InstructionText(program_, instruction)).EndArray();
  }
  json_.EndArray();
}

// [name, first, last, params, locals, [types], [steps before, within, after]].
void PageData::WriteFunctions() {
  json_.Key("functions").BeginArray();
  for (std::size_t i = 0; i < program_.functions.size(); ++i) {
    const isa::Function& function = program_.functions[i];
    const auto stub = std::ranges::find(program_.exports, function.first, &isa::Export::start);
    std::string name = function.name;
    if (name.empty()) {
      name =
          stub != program_.exports.end() ? "export " + stub->name : fmt::format("function {}", i);
    }
    json_.BeginArray().String(name).Uint(function.first).Uint(function.last);
    json_.Uint(function.params).Uint(function.locals).BeginArray();
    for (const isa::ValueType type : function.local_types) json_.String(isa::TypeText(type));
    const FunctionSteps& steps = recording_.functions[i];
    json_.EndArray().BeginArray().Uint(steps.before).Uint(steps.within).Uint(steps.after);
    json_.EndArray().EndArray();
  }
  json_.EndArray();
  json_.Key("imports").BeginArray();
  for (const isa::Import& import : program_.imports) json_.String(import.name);
  json_.EndArray();
}

// Reads of each opcode, and the heads: projections of opcodes.def and heads.def.
void PageData::WriteTables() {
  json_.Key("ops").BeginObject();
  for (unsigned code = 0; code < 256; ++code) {
    const isa::OpcodeInfo* op = isa::FindInfo(static_cast<std::uint8_t>(code));
    if (op == nullptr) continue;
    json_.Key(fmt::format("{}", code)).BeginArray().String(op->text);
    json_.Uint(op->stack_reads).Uint(op->local_reads).Uint(op->memory_reads).Uint(op->call_reads);
    json_.EndArray();
  }
  json_.EndObject();
  // [name, space, address lane, offset, column, nth]
  json_.Key("heads").BeginArray();
  for (const weights::HeadSpec& head : weights::kHeads) {
    json_.BeginArray().String(head.name).Uint(static_cast<unsigned>(head.space));
    json_.String(weights::LaneName(head.address)).Int(head.offset);
    json_.Uint(static_cast<unsigned>(head.column)).Uint(head.nth).EndArray();
  }
  json_.EndArray();
}

void PageData::WriteSource() {
  json_.Key("file").String(source_.lines() == 0 ? std::string() : program_.source);
  json_.Key("source").BeginArray();
  std::size_t bytes = 0;
  for (std::uint32_t line = 1; line <= source_.lines() && bytes < kMostSource; ++line) {
    json_.String(source_.Line(line));
    bytes += source_.Line(line).size();
  }
  json_.EndArray();
}

void PageData::WriteLocals() {
  // Runs [first slot, words...] of what is not 0.
  json_.Key("locals").BeginArray();
  std::size_t left = kMostLocals;
  for (const vm::SnapshotBlock& block : recording_.begin.locals) {
    const auto first = static_cast<std::uint32_t>(std::size_t{block.index} *
                                                  vm::kSnapshotBlockBytes / sizeof(isa::Word));
    const std::size_t words = (block.bytes->size() + sizeof(isa::Word) - 1) / sizeof(isa::Word);
    if (left < words) break;
    left -= words;
    json_.BeginArray().Uint(first);
    for (std::size_t i = 0; i < words; ++i) {
      isa::Word word = 0;
      for (std::size_t b = 0; b < sizeof(word) && i * sizeof(word) + b < block.bytes->size(); ++b) {
        word |= isa::Word{(*block.bytes)[i * sizeof(word) + b]} << (8 * b);
      }
      json_.Uint(word);
    }
    json_.EndArray();
  }
  json_.EndArray();
}

/// Pieces of memory that the window reads or writes.
std::set<std::uint32_t> PageData::TouchedPieces() const {
  std::set<std::uint32_t> pieces;
  for (const StepWrite& write : recording_.writes) {
    if (write.kind < WriteKind::kByte) continue;
    pieces.insert(write.address / kPiece);
    pieces.insert((write.address + 3) / kPiece);
  }
  // A load replaces its address by what it found: the address is the operand written before.
  std::vector<isa::Word> stack(recording_.begin.stack.size() + 1);
  std::ranges::copy(recording_.begin.stack, stack.begin() + 1);
  for (std::size_t i = 0; i + 1 < recording_.steps.size(); ++i) {
    const RecordedStep& step = recording_.steps[i];
    const isa::Instruction instruction =
        step.ip < program_.code.size() ? program_.code[step.ip] : isa::Instruction();
    const isa::OpcodeInfo* op = isa::FindInfo(instruction.code());
    if (op != nullptr && op->memory_reads != 0 && step.sp < stack.size()) {
      const std::uint64_t address = std::uint64_t{stack[step.sp]} + instruction.arg;
      pieces.insert(static_cast<std::uint32_t>(address / kPiece));
      pieces.insert(static_cast<std::uint32_t>((address + 3) / kPiece));
    }
    const RecordedStep& next = recording_.steps[i + 1];
    const std::size_t end =
        i + 2 < recording_.steps.size() ? recording_.steps[i + 2].writes : recording_.writes.size();
    for (std::size_t w = next.writes; w < end; ++w) {
      const StepWrite& write = recording_.writes[w];
      if (write.kind != WriteKind::kStack) continue;
      if (stack.size() <= write.address) stack.resize(std::size_t{write.address} + 1);
      stack[write.address] = write.value;
    }
  }
  return pieces;
}

// Pieces [number, bytes in base 64] of what is not 0: those that the window touches, then others
// while there is room. `hidden`: whether some were left out.
void PageData::WriteMemory() {
  const std::set<std::uint32_t> touched = TouchedPieces();
  std::size_t room = kMostMemory;
  bool hidden = false;
  json_.Key("memory").BeginArray();
  for (const vm::SnapshotBlock& block : recording_.begin.memory) {
    const auto base = static_cast<std::uint32_t>(block.index * vm::kSnapshotBlockBytes / kPiece);
    for (std::size_t at = 0; at < block.bytes->size(); at += kPiece) {
      const std::uint32_t piece = base + static_cast<std::uint32_t>(at / kPiece);
      std::span<const std::uint8_t> bytes = *block.bytes;
      bytes = bytes.subspan(at, std::min<std::size_t>(kPiece, bytes.size() - at));
      while (!bytes.empty() && bytes.back() == 0) bytes = bytes.first(bytes.size() - 1);
      if (bytes.empty()) continue;
      if (!touched.contains(piece)) {
        hidden = hidden || room < kPiece;
        if (room < kPiece) continue;
        room -= kPiece;
      }
      json_.BeginArray().Uint(piece).String(isa::Base64(bytes)).EndArray();
    }
  }
  json_.EndArray();
  json_.Key("hidden").Bool(hidden);
}

void PageData::WriteBeginning() {
  json_.Key("globals").Uint(program_.globals.size());
  json_.Key("stack").BeginArray();
  for (const isa::Word word : recording_.begin.stack) json_.Uint(word);
  json_.EndArray().Key("frames").BeginArray();
  for (const vm::Frame& frame : recording_.frames) {
    json_.Uint(frame.return_ip).Uint(frame.locals_base);
  }
  json_.EndArray();
  WriteLocals();
  WriteMemory();
}

// Columns, one number a state: ip and sp as differences. `calls`: [index, depth, base] and `pages`:
// [index, pages] where they change. `writes`: 0, or [kind, address, value, ...] of each state.
void PageData::WriteSteps() {
  const std::vector<RecordedStep>& steps = recording_.steps;
  const auto column = [&](std::string_view key, std::uint32_t RecordedStep::* field) {
    json_.Key(key).BeginArray();
    std::int64_t last = 0;
    for (const RecordedStep& step : steps) {
      json_.Int(std::int64_t{step.*field} - last);
      last = step.*field;
    }
    json_.EndArray();
  };
  column("ip", &RecordedStep::ip);
  column("sp", &RecordedStep::sp);
  json_.Key("calls").BeginArray();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i != 0 && steps[i].depth == steps[i - 1].depth &&
        steps[i].locals_base == steps[i - 1].locals_base) {
      continue;
    }
    json_.Uint(i).Uint(steps[i].depth).Uint(steps[i].locals_base);
  }
  json_.EndArray().Key("pages").BeginArray();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i == 0 || steps[i].pages != steps[i - 1].pages) json_.Uint(i).Uint(steps[i].pages);
  }
  json_.EndArray().Key("writes").BeginArray();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::size_t end = i + 1 < steps.size() ? steps[i + 1].writes : recording_.writes.size();
    if (steps[i].writes == end) {
      json_.Uint(0);
      continue;
    }
    json_.BeginArray();
    for (std::size_t w = steps[i].writes; w < end; ++w) {
      const StepWrite& write = recording_.writes[w];
      json_.Uint(static_cast<unsigned>(write.kind)).Uint(write.address).Uint(write.value);
    }
    json_.EndArray();
  }
  json_.EndArray();
}

std::string EscapedHtml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::string PageOf(const Recording& recording, const Timeline& timeline, const SourceText& source,
                   const PageSettings& settings) {
  // In JSON, '<' appears in strings alone; escaped, no text of the program ends the element.
  const std::string data =
      isa::Replaced(PageData(recording, timeline, source, settings).Text(), "<", "\\u003c");
  std::string page(PageFile("view/page/view.html"));
  page = isa::Replaced(page, "@STYLE@", PageFile("view/page/view.css"));
  page = isa::Replaced(page, "@STATE@", PageFile("view/page/state.js"));
  page = isa::Replaced(page, "@HEADS@", PageFile("view/page/heads.js"));
  page = isa::Replaced(page, "@LAYERS@", PageFile("view/page/layers.js"));
  page = isa::Replaced(page, "@SCRIPT@", PageFile("view/page/view.js"));
  page = isa::Replaced(page, "@TITLE@", EscapedHtml(settings.title));
  return isa::Replaced(page, "@DATA@", data);
}

}  // namespace txvm::frontends::cli
