// Runs a module the ways a user can: every engine, with and without the peephole.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wat/load.h"
#include "isa/verify.h"
#include "vm/machine.h"

namespace txvm::frontends::wat {

/// "halted 1 2", "trapped integer divide by zero", ... of one export; signed results.
inline std::string Describe(const isa::Program& program, const vm::RunResult& result) {
  if (result.trap) {
    const std::string_view note = program.NoteAt(result.trap->ip);
    return fmt::format("trapped {}{}{}", isa::TrapText(result.trap->cause),
                       note.empty() ? "" : ": ", note);
  }
  std::string text(vm::OutcomeText(result.outcome));
  for (const vm::Word word : result.results) text += fmt::format(" {}", isa::Signed(word));
  return text;
}

/// Host functions the tests import: env.add3 (3 -> 1), env.swap (2 -> 2), env.fail (0 -> 0).
inline vm::Linker TestLinker() {
  vm::Linker linker;
  linker.Define("env", "add3", 3, 1, [](vm::HostContext&, auto args, auto results) {
    results[0] = args[0] + 10 * args[1] + 100 * args[2];
    return vm::HostStatus::Continue();
  });
  linker.Define("env", "swap", 2, 2, [](vm::HostContext&, auto args, auto results) {
    results[0] = args[1];
    results[1] = args[0];
    return vm::HostStatus::Continue();
  });
  linker.Define("env", "fail", 0, 0,
                [](vm::HostContext&, auto, auto) { return vm::HostStatus::Trap("asked to"); });
  return linker;
}

/// Runs `calls` in order on one instance and joins their outcomes with "; ".
inline std::string RunOn(const isa::Program& program, vm::EngineKind engine,
                         const std::vector<std::pair<std::string, std::vector<vm::Word>>>& calls) {
  const auto verified = isa::Verify(program);
  if (!verified) return "not verified: " + verified.error().ToString();
  auto machine = vm::Machine::Load(std::make_shared<const isa::Program>(program), TestLinker(),
                                   {.engine = engine, .limits = {}});
  if (!machine) return machine.error().ToString();
  std::string text;
  const vm::RunResult init = machine->RunInit();
  if (init.outcome != vm::Outcome::kHalted) text += "init " + Describe(program, init) + "; ";
  for (const auto& [name, args] : calls) {
    const isa::Export* entry = program.FindExport(name);
    if (entry == nullptr) return "no export " + name;
    const auto result = machine->Call(*entry, args);
    text += (result ? Describe(program, *result) : result.error().ToString()) + "; ";
  }
  if (!text.empty()) text.resize(text.size() - 2);
  return text;
}

/// The outcome of calls on a module, the same on every engine and lowering.
inline std::string RunCalls(
    std::string_view wat, const std::vector<std::pair<std::string, std::vector<vm::Word>>>& calls) {
  std::string first;
  for (const bool optimize : {true, false}) {
    const auto program = LoadWat(wat, "test.wat", {.optimize = optimize});
    if (!program) return program.error().ToString();
    for (const vm::EngineKind engine : {vm::EngineKind::kNative, vm::EngineKind::kAttention}) {
      const std::string text = RunOn(*program, engine, calls);
      if (first.empty()) first = text;
      EXPECT_EQ(text, first) << vm::EngineName(engine) << (optimize ? "" : " without peephole");
    }
  }
  return first;
}

/// RunCalls of the export "f".
inline std::string RunF(std::string_view wat, std::vector<vm::Word> args = {}) {
  return RunCalls(wat, {{"f", std::move(args)}});
}

}  // namespace txvm::frontends::wat
