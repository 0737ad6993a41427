#include "tests/support/test_hosts.h"

namespace txvm::support {
namespace {

using Args = std::span<const vm::Word>;
using Results = std::span<vm::Word>;
using vm::HostContext;
using vm::HostStatus;
using Outcome = ReferenceResult::Outcome;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kTrapOn = 3, kExitOn = 5, kFailOn = 6;
constexpr std::int32_t kExitCode = 7;

ReferenceHostAnswer Answer(Words results) {
  return {Outcome::kHalted, isa::Trap::kHost, 0, std::move(results)};
}

ReferenceHostAnswer StopIf(const Words& args, std::uint32_t when, Outcome outcome) {
  if (args[0] != when) return Answer({});
  return {outcome, isa::Trap::kHost, outcome == Outcome::kExited ? kExitCode : 0, {}};
}

}  // namespace

const std::vector<isa::Import>& TestImports() {
  static const std::vector<isa::Import> imports = {
      {"txvm", "memory.size", 0, 1}, {"txvm", "memory.grow", 1, 1}, {"test", "sums", 3, 2},
      {"test", "poke", 2, 0},        {"test", "trap_if", 1, 0},     {"test", "exit_if", 1, 0},
      {"test", "fail_if", 1, 0},     {"test", "five", 0, 5}};
  return imports;
}

vm::Linker TestLinker() {
  vm::Linker linker;
  linker.Define("test", "sums", 3, 2, [](HostContext&, Args args, Results results) {
    results[0] = args[0] + args[1] + args[2];
    results[1] = args[0] - args[1];
    return HostStatus::Continue();
  });
  linker.Define("test", "poke", 2, 0, [](HostContext& host, Args args, Results) {
    const std::span<std::uint8_t> bytes = host.memory.bytes();
    if (!bytes.empty()) bytes[args[0] % bytes.size()] = static_cast<std::uint8_t>(args[1]);
    return HostStatus::Continue();
  });
  linker.Define("test", "trap_if", 1, 0, [](HostContext&, Args args, Results) {
    return args[0] == kTrapOn ? HostStatus::Trap("asked for") : HostStatus::Continue();
  });
  linker.Define("test", "exit_if", 1, 0, [](HostContext&, Args args, Results) {
    return args[0] == kExitOn ? HostStatus::Exit(kExitCode) : HostStatus::Continue();
  });
  linker.Define("test", "fail_if", 1, 0, [](HostContext&, Args args, Results) {
    return args[0] == kFailOn ? HostStatus::Failed("asked for") : HostStatus::Continue();
  });
  linker.Define("test", "five", 0, 5, [](HostContext&, Args, Results results) {
    for (vm::Word i = 0; i < 5; ++i) results[i] = i + 1;
    return HostStatus::Continue();
  });
  return linker;
}

const ReferenceHosts& TestReferenceHosts() {
  static const ReferenceHosts hosts = {
      {{"test", "sums"},
       [](ReferenceMemory&, const Words& a) { return Answer({a[0] + a[1] + a[2], a[0] - a[1]}); }},
      {{"test", "poke"},
       [](ReferenceMemory& memory, const Words& a) {
         if (!memory.bytes.empty()) {
           memory.bytes[a[0] % memory.bytes.size()] = static_cast<std::uint8_t>(a[1]);
         }
         return Answer({});
       }},
      {{"test", "trap_if"},
       [](ReferenceMemory&, const Words& a) { return StopIf(a, kTrapOn, Outcome::kTrapped); }},
      {{"test", "exit_if"},
       [](ReferenceMemory&, const Words& a) { return StopIf(a, kExitOn, Outcome::kExited); }},
      {{"test", "fail_if"},
       [](ReferenceMemory&, const Words& a) { return StopIf(a, kFailOn, Outcome::kHostError); }},
      {{"test", "five"}, [](ReferenceMemory&, const Words&) { return Answer({1, 2, 3, 4, 5}); }}};
  return hosts;
}

}  // namespace txvm::support
