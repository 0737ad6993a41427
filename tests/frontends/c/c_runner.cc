#include "tests/frontends/c/c_runner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "frontends/c/temp_folder.h"
#include "frontends/c/toolchain.h"
#include "isa/support/system/child_process.h"
#include "isa/support/file.h"
#include "isa/trap.h"
#include "isa/verify.h"

namespace txvm::tests {

using frontends::cli::FindProgram;

namespace {

constexpr double kNativeSeconds = 300;  // gcc -O2 on fifty programs, on a machine with other work

std::string EndOf(const isa::Program& program, const vm::RunResult& result) {
  if (result.trap) {
    const std::string_view note = program.NoteAt(result.trap->ip);
    return fmt::format("trapped {}{}{}", isa::TrapText(result.trap->cause),
                       note.empty() ? "" : ": ", note);
  }
  if (result.outcome == vm::Outcome::kExited) return fmt::format("exited {}", result.exit_code);
  return std::string(vm::OutcomeText(result.outcome));
}

frontends::wasi::WriteFunction WriteTo(std::string& text) {
  return [&text](std::span<const std::uint8_t> bytes) {
    text.append(bytes.begin(), bytes.end());
    return static_cast<std::int64_t>(bytes.size());
  };
}

}  // namespace

std::string MissingForC() {
  if (const auto tools = frontends::c::FindToolchain(); !tools) return tools.error().message;
  return FindProgram("gcc").empty() ? "no gcc on PATH to compare with" : "";
}

bool HasWasmOpt() { return !FindProgram("wasm-opt").empty(); }

std::shared_ptr<const isa::Program> Compile(std::string_view source,
                                            const frontends::c::CompileOptions& options) {
  frontends::c::Compilation compilation = frontends::c::CompileC("", source, "test.c", options);
  if (!compilation.program) {
    ADD_FAILURE() << compilation.program.error().ToString() << '\n' << compilation.diagnostics;
    return nullptr;
  }
  if (const auto verified = isa::Verify(*compilation.program); !verified) {
    ADD_FAILURE() << verified.error().ToString();
    return nullptr;
  }
  return std::make_shared<const isa::Program>(*std::move(compilation.program));
}

Outcome RunProgram(std::shared_ptr<const isa::Program> program, vm::EngineKind engine,
                   frontends::wasi::Options wasi, std::string_view input) {
  Outcome outcome;
  if (program == nullptr) return outcome;
  wasi.streams.output = WriteTo(outcome.out);
  wasi.streams.errors = WriteTo(outcome.err);
  wasi.streams.input = [&input](std::span<std::uint8_t> bytes) {
    const std::size_t count = std::min(bytes.size(), input.size());
    std::copy_n(input.begin(), count, bytes.begin());
    input.remove_prefix(count);
    return static_cast<std::int64_t>(count);
  };
  vm::Linker linker;
  if (const auto defined = frontends::wasi::Define(linker, std::move(wasi)); !defined) {
    outcome.end = defined.error().message;
    return outcome;
  }
  vm::MachineOptions options;
  options.engine = engine;
  auto machine = vm::Machine::Load(program, linker, options);
  if (!machine) {
    outcome.end = machine.error().message;
    return outcome;
  }
  const isa::Export* start = program->FindExport("_start");
  if (start == nullptr) {
    ADD_FAILURE() << "no _start";
    return outcome;
  }
  vm::RunOptions run;
  run.digest = true;
  const auto result = machine->Call(*start, {}, run);
  outcome.end = result ? EndOf(*program, *result) : result.error().message;
  if (result) {
    outcome.steps = result->steps;
    outcome.digest = result->digest.value_or(0);
  }
  return outcome;
}

Outcome RunOnBoth(const std::shared_ptr<const isa::Program>& program,
                  const frontends::wasi::Options& wasi, std::string_view input) {
  const Outcome native = RunProgram(program, vm::EngineKind::kNative, wasi, input);
  const Outcome attention = RunProgram(program, vm::EngineKind::kAttention, wasi, input);
  EXPECT_EQ(native.out, attention.out);
  EXPECT_EQ(native.err, attention.err);
  EXPECT_EQ(native.end, attention.end);
  EXPECT_EQ(native.steps, attention.steps);
  EXPECT_EQ(native.digest, attention.digest);
  return native;
}

Outcome RunNatively(std::string_view source, const std::vector<std::string>& arguments,
                    std::string_view input, const std::vector<std::string>& more_files,
                    int level) {
  Outcome outcome;
  const auto folder = frontends::c::TempFolder::Create();
  if (!folder || !folder->Write("native.c", source)) {
    ADD_FAILURE() << "cannot write the native source";
    return outcome;
  }
  std::vector<std::string> command = {FindProgram("gcc"),
                                      fmt::format("-O{}", level),
                                      "-ffp-contract=off",
                                      "-w",
                                      "-o",
                                      folder->PathOf("native"),
                                      folder->PathOf("native.c")};
  command.insert(command.end(), more_files.begin(), more_files.end());
  command.push_back("-lm");
  const auto compiled = frontends::cli::RunChild(command, "", kNativeSeconds);
  if (!compiled || compiled->exit_code != 0) {
    ADD_FAILURE() << "gcc refuses it: " << (compiled ? compiled->err : "");
    return outcome;
  }
  command = {folder->PathOf("native")};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto ran = frontends::cli::RunChild(command, input, kNativeSeconds);
  if (!ran || ran->timed_out || ran->signal != 0) {
    ADD_FAILURE() << "the native program failed";
    return outcome;
  }
  outcome.out = ran->out;
  outcome.err = ran->err;
  outcome.end = ran->exit_code == 0 ? "halted" : fmt::format("exited {}", ran->exit_code);
  return outcome;
}

void ExpectEqualOutput(const std::string& source, const std::string& input,
                       const std::vector<int>& levels) {
  const Outcome native = RunNatively(source, {}, input);
  for (const int level : levels) {
    frontends::c::CompileOptions options;
    options.level = level;
    const Outcome outcome = RunOnBoth(Compile(source, options), {}, input);
    EXPECT_EQ(outcome.out, native.out) << "-O" << level;
    EXPECT_EQ(outcome.err, native.err) << "-O" << level;
    EXPECT_EQ(outcome.end, native.end) << "-O" << level;
  }
}

std::string ReadText(const std::string& path) {
  auto text = frontends::cli::ReadFile(path);
  if (!text) ADD_FAILURE() << text.error().ToString();
  return text ? *std::move(text) : "";
}

}  // namespace txvm::tests
