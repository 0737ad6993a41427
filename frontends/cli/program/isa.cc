// txvm isa: the opcode table, for people, scripts and docs/ISA.md.
#include <fmt/format.h>

#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "isa/describe.h"
#include "isa/opcode.h"
#include "isa/support/json_writer.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kIsaExamples =
    "  txvm isa              one line per opcode\n"
    "  txvm isa div_s rot    these opcodes\n"
    "  txvm isa --markdown   the whole of docs/ISA.md\n";

std::string Heading() {
  return fmt::format("{:>4}  {:<15} {:>5} {:>6}  {}\n", "code", "name", "pops", "pushes", "effect");
}

std::string Row(const isa::OpcodeInfo& info) {
  return fmt::format("{:>4}  {:<15} {:>5} {:>6}  {}\n", static_cast<int>(info.op), info.text,
                     info.pops, info.pushes, info.effect);
}

void WriteRow(const isa::OpcodeInfo& info, isa::JsonWriter& json) {
  json.BeginObject();
  json.Key("code").Uint(static_cast<std::uint64_t>(info.op));
  json.Key("name").String(info.text);
  json.Key("pops").Uint(info.pops);
  json.Key("pushes").Uint(info.pushes);
  json.Key("stack_reads").Uint(info.stack_reads);
  json.Key("local_reads").Uint(info.local_reads);
  json.Key("memory_reads").Uint(info.memory_reads);
  json.Key("memory_writes").Uint(info.memory_writes);
  json.Key("call_reads").Uint(info.call_reads);
  json.Key("effect").String(info.effect);
  json.EndObject();
}

isa::Result<std::vector<const isa::OpcodeInfo*>> Select(const std::vector<std::string>& names) {
  std::vector<const isa::OpcodeInfo*> rows;
  if (names.empty()) {
    for (const isa::OpcodeInfo& info : isa::kOpcodes) rows.push_back(&info);
  }
  for (const std::string& name : names) {
    const std::optional<isa::Opcode> op = isa::FindMnemonic(name);
    if (!op) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("'{}' is no opcode; see txvm isa", name));
    }
    rows.push_back(&isa::Info(*op));
  }
  return rows;
}

std::string Text(const std::vector<const isa::OpcodeInfo*>& rows, bool as_json) {
  if (!as_json) {
    std::string text = Heading();
    for (const isa::OpcodeInfo* info : rows) text += Row(*info);
    return text;
  }
  isa::JsonWriter json;
  json.BeginArray();
  for (const isa::OpcodeInfo* info : rows) WriteRow(*info, json);
  json.EndArray();
  return json.text() + "\n";
}

}  // namespace

int IsaCommand(const CommandLine& line, isa::Console& console) {
  std::vector<std::string> names;
  bool as_json = false;
  bool markdown = false;
  Arguments arguments("isa", "Describe the opcodes.", kIsaExamples);
  arguments.Rest("opcodes", "Mnemonics, in either case (default: all)", names);
  arguments.Flag("--json", "Print a JSON list", as_json);
  arguments.Flag("--markdown", "Print docs/ISA.md", markdown);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  if (markdown && (as_json || !names.empty())) {
    return FailWith({isa::ErrorCode::kUsage,
                     "--markdown prints all of docs/ISA.md: neither --json nor opcodes go with it",
                     {},
                     {}},
                    console);
  }
  if (markdown) {
    console.Out(isa::IsaMarkdown());
    return Value(ExitCode::kHalted);
  }
  const isa::Result<std::vector<const isa::OpcodeInfo*>> rows = Select(names);
  if (!rows) return FailWith(rows.error(), console);
  console.Out(Text(*rows, as_json));
  return Value(ExitCode::kHalted);
}

}  // namespace txvm::frontends::cli
