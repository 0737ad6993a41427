// txvm step: its commands, driven through standard input, and time travel underneath.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "asm/assembler.h"
#include "frontends/cli/step/debugger.h"
#include "frontends/cli/step/host_tape.h"
#include "frontends/cli/step/timeline.h"
#include "tests/frontends/cli/cli_runner.h"
#include "vm/state.h"

namespace txvm::frontends::cli {
namespace {

/// What the commands print on `program`, after the first line, which says where the run begins.
std::string Session(const std::string& program, std::string commands) {
  for (char& c : commands) c = c == ';' ? '\n' : c;
  const isa::ChildResult child = RunTxvm(Words("step " + program), commands);
  EXPECT_EQ(child.exit_code, 0) << child.err;
  EXPECT_EQ(child.err, "");
  const std::size_t first = child.out.find('\n');
  return first == std::string::npos ? child.out : child.out.substr(first + 1);
}

std::string OnFib(const std::string& commands) {
  return Session("examples/fib.wat --invoke fib 5", commands);
}

std::string LastLine(const std::string& text) {
  const std::size_t end = text.rfind('\n', text.size() - 2);
  return text.substr(end == std::string::npos ? 0 : end + 1);
}

std::string CodeLine(std::string_view step, std::string_view ip, std::string_view rest) {
  std::string text = "step " + std::string(step);
  text.resize(14, ' ');
  text += "ip " + std::string(ip);
  text.resize(24, ' ');
  return text + std::string(rest) + "\n";
}

TEST(Step, WalksForwardAndBackOverTheSameStates) {
  const std::string forward = OnFib("step;step;step;step;step");
  std::istringstream lines(forward);
  std::vector<std::string> states;
  for (std::string line; std::getline(lines, line);) states.push_back(line + "\n");
  ASSERT_EQ(states.size(), 5u);
  EXPECT_EQ(OnFib("step 5;back;back;back;back"),
            states[4] + states[3] + states[2] + states[1] + states[0]);
  EXPECT_EQ(OnFib("goto 4;goto 2;goto 5"), states[3] + states[1] + states[4]);
}

TEST(Step, StopsAtBreakpointsInBothDirections) {
  const std::string stop = "breakpoint 1: fib\n";
  const std::string entry = "LOCAL.TEE 0            fib  stack 1: ";
  EXPECT_EQ(OnFib("break fib;continue;continue;reverse"),
            "breakpoint 1 at fib\n" + stop + CodeLine("1", "0", entry + "5") + stop +
                CodeLine("9", "0", entry + "4") + stop + CodeLine("1", "0", entry + "5"));
  EXPECT_EQ(LastLine(OnFib("br fib;c;delete 1;c")), "step 148      halted, results 5\n");
  EXPECT_EQ(LastLine(OnFib("c;rc")), LastLine(OnFib("c;restart"))) << "no breakpoint: the start";
}

TEST(Step, CallsOfImportsAreShownByName) {
  const std::string hello = "examples/hello.wat", call = " CALL env.putchar ";
  EXPECT_NE(RunTxvm({"trace", hello}).out.find(call), std::string::npos);
  EXPECT_NE(RunTxvm({"explain", hello}).out.find("] = CALL env.putchar\n"), std::string::npos);
  for (const char* const command : {"goto 7", "goto 6;code"}) {
    EXPECT_NE(Session(hello, command).find(call), std::string::npos) << command;
  }
  EXPECT_NE(Session(hello, "goto 7;attention").find("] = CALL env.putchar\n"), std::string::npos);
}

TEST(Step, BreaksAtInstructionsLinesOffsetsAndLabels) {
  EXPECT_EQ(OnFib("break 3;break fib+6;break :6"),
            "breakpoint 1 at fib+3 (examples/fib.wat:5)\n"
            "breakpoint 2 at fib+6 (examples/fib.wat:9)\n"
            "breakpoint 3 at fib+4 (examples/fib.wat:6)\n");
  EXPECT_EQ(LastLine(OnFib("break :6;continue")).find("step 37 "), 0u)
      << OnFib("break :6;continue");
  const ScratchFile labels(".txa",
                           "  PUSH 3\nagain:\n  PUSH 1\n  SUB\n  DUP\n  JNZ again\n  HALT\n");
  EXPECT_EQ(LastLine(Session(labels.path(), "break again;c;c")).find("step 5 "), 0u);
}

TEST(Step, StepsOverCallsAndOutOfThem) {
  const std::string over = LastLine(OnFib("break fib+9;c;delete all;next"));
  EXPECT_NE(over.find("ip 10 "), std::string::npos) << over;
  const std::string out = LastLine(OnFib("break fib;c;c;delete all;finish"));
  EXPECT_NE(out.find("ip 10 "), std::string::npos) << out;
}

TEST(Step, ShowsStackLocalsFramesSourceAndCode) {
  EXPECT_EQ(
      OnFib("goto 9;stack;locals 1;backtrace;globals").substr(LastLine(OnFib("goto 9")).size()),
      "1 operand\n  slot      1  4\n"
      "frame 1 in fib+9: 1 local at slot 0\n  local      0  5\n"
      "  #0     fib\n  #1     fib+9 (examples/fib.wat:9)\n  #2     export fib\n"
      "0 globals\n");
  const std::string code = OnFib("goto 2;code");
  EXPECT_NE(code.find("\n>      1  PUSH 2                   fib+1 (examples/fib.wat:5)\n"),
            std::string::npos)
      << code;
  const std::string source = OnFib("goto 2;source");
  EXPECT_NE(source.find("\n>     5  "), std::string::npos) << source;
}

constexpr std::string_view kStores = R"(.memory 1 1
.global 9
.func main results=1 locals=1
  PUSH 3
  LOCAL.SET 0
  loop next
    PUSH 16
    LOCAL.GET 0
    I32.STORE
    PUSH 64
    LOCAL.GET 0
    I32.STORE8
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if next
  end
  PUSH 16
  I32.LOAD
.end
.export "main" main
)";

TEST(Step, WatchesMemoryInBothDirections) {
  const ScratchFile program(".txa", kStores);
  const std::string all = Session(program.path(), "watch 16;c;memory 0x10 4;c;c;c;rc;memory 16 1");
  EXPECT_EQ(all.find("watch 1 of 4 bytes at address 16\nwatch 1: 4 bytes at address 16\n"), 0u)
      << all;
  EXPECT_NE(all.find("        10  03 00 00 00"), std::string::npos) << all;
  EXPECT_NE(all.find("halted, results 1\n"), std::string::npos) << all;
  EXPECT_EQ(LastLine(all).find("        10  01 "), 0u) << "the last change made it 1: " << all;
}

TEST(Step, ShowsWhatEveryHeadFindsInTheNextPass) {
  const std::string text = OnFib("goto 9;attention");
  EXPECT_NE(text.find("  Fetch       code   query          0 "), std::string::npos) << text;
  EXPECT_NE(text.find("code[0] = LOCAL.TEE 0\n"), std::string::npos);
  EXPECT_NE(text.find("call[2] = return to 10, locals_base 0\n"), std::string::npos);
  EXPECT_NE(text.find("writes  locals[1] = 4\n"), std::string::npos);
}

TEST(Step, HelpsWithOneCommandToo) {
  EXPECT_EQ(
      OnFib("help at"),
      "  attention at                show what every head asks for and finds in the next pass\n");
  EXPECT_EQ(OnFib("help nonsense"), "error: no command is called 'nonsense'; see help\n");
}

TEST(Step, NamesWhatMakesNoSenseAndGoesOn) {
  EXPECT_EQ(OnFib("nonsense"), "error: no command is called 'nonsense'; see help\n");
  EXPECT_EQ(OnFib("re"), "error: 're' may be reverse, restart\n");
  EXPECT_EQ(OnFib("back"), "error: there are 0 steps to go back, to step 0\n");
  EXPECT_EQ(OnFib("break"), "error: a place is missing: 12, fib, fib+3, :7 or a label\n");
  EXPECT_EQ(OnFib("break 99"),
            "error: instruction 99 is outside the program (it has 40 instructions)\n");
  EXPECT_EQ(OnFib("break nobody"), "error: no function, export or label is called 'nobody'\n");
  EXPECT_EQ(OnFib("break :999"), "error: no code comes from line ':999'\n");
  EXPECT_EQ(OnFib("delete 4"), "error: there is no breakpoint or watch 4\n");
  EXPECT_EQ(OnFib("locals 7"), "error: there are frames 0..0\n");
  EXPECT_EQ(OnFib("step x"),
            "error: the count wants a count such as 250, 10k, 10M or 2G, not 'x'\n");
  EXPECT_EQ(OnFib("globals 1"), "error: '1' is one argument too many\n");
  EXPECT_EQ(LastLine(OnFib("c;step")), "error: the run has ended; go back first\n");
  EXPECT_EQ(OnFib("# a comment;;"), "");
  EXPECT_EQ(OnFib("quit;step"), "");
}

TEST(Step, RefusesNumbersBeyondTheirLimits) {
  const std::string limits = " is no address (0..4294967295, or hex 0x0..0xffffffff)\n";
  EXPECT_EQ(OnFib("watch -1"), "error: '-1'" + limits);
  EXPECT_EQ(OnFib("watch 5000000000"), "error: '5000000000'" + limits);
  EXPECT_EQ(OnFib("memory x"), "error: 'x'" + limits);
  EXPECT_EQ(OnFib("watch 0 0;info").find("error: the count of bytes is 1..4096, not 0\n"), 0u);
  EXPECT_EQ(OnFib("watch 0 4097"), "error: the count of bytes is 1..4096, not 4097\n");
  EXPECT_EQ(OnFib("memory 0 0"), "error: the count of bytes is 1..1000000, not 0\n");
  EXPECT_EQ(OnFib("source 0"), "error: there are lines 1..22\n");
  EXPECT_EQ(OnFib("source 999"), "error: there are lines 1..22\n");
  EXPECT_EQ(OnFib("locals -1"),
            "error: the frame wants a count such as 250, 10k, 10M or 2G, not '-1'\n");
  EXPECT_EQ(OnFib("break :0"), "error: no code comes from line ':0'\n");
}

TEST(Step, ShowsHowARunEnded) {
  const std::string trapped = Session("examples/trap.wat -i divide 0", "c");
  EXPECT_NE(trapped.find("trapped\ntrap: "), std::string::npos) << trapped;
  const std::string again = Session("examples/trap.wat -i divide 0", "c;back;c");
  EXPECT_EQ(again.substr(again.size() - trapped.size()), trapped);
}

TEST(Step, PrintsWhatTheProgramPrintsOnce) {
  const std::string text = Session("examples/hello.wat", "c;goto 0;c;back 3;c");
  std::size_t hellos = 0;
  for (std::size_t at = text.find("Hello"); at != std::string::npos;
       at = text.find("Hello", at + 1)) {
    ++hellos;
  }
  EXPECT_EQ(hellos, 1u) << text;
}

TEST(Step, SavesASnapshotAndBeginsWithOne) {
  const ScratchFile snapshot(".txs", "");
  const std::string saved = OnFib("goto 20;snapshot " + snapshot.path() + ";step");
  EXPECT_NE(saved.find("snapshot at step 20 written to "), std::string::npos) << saved;
  EXPECT_EQ(Session("examples/fib.wat --from " + snapshot.path(), "step"), LastLine(saved));
  EXPECT_EQ(Session("examples/fib.wat --from " + snapshot.path(), "back"),
            "error: there are 0 steps to go back, to step 20\n");
}

/// The error of `txvm step LINE`, which does not begin.
std::string StepError(const std::string& line, int exit_code) {
  const isa::ChildResult child = RunTxvm(Words("step " + line), "(module)");
  EXPECT_EQ(child.exit_code, exit_code) << child.err;
  EXPECT_EQ(child.out, "");
  return child.err;
}

TEST(Step, BeginsWithASnapshotUnderItsLimitsUnlessGivenOthers) {
  const ScratchFile snapshot(".txs", "");
  RunTxvm(Words("run examples/fib.wat --invoke fib 15 --max-depth 20 --snapshot-at 50 --snapshot " +
                snapshot.path()));
  const std::string line = "examples/fib.wat --from " + snapshot.path();
  EXPECT_EQ(LastLine(Session(line, "c")), "step 19728    halted, results 610\n");
  EXPECT_EQ(StepError(line + " --max-depth 3", 7),
            "txvm: error: snapshot: its 7 call frames exceed the limit of 3\n");
  const std::string taken =
      "txvm: error: the snapshot is of a run under way, which takes neither --invoke nor "
      "arguments\n";
  EXPECT_EQ(StepError(line + " --invoke fib", 2), taken);
  EXPECT_EQ(StepError(line + " 15", 2), taken);
}

TEST(Step, TakesNothingButCommandsFromStandardInput) {
  const std::string rest = " cannot come from standard input, which gives the commands\n";
  EXPECT_EQ(StepError("-", 2), "txvm: error: the program" + rest);
  EXPECT_EQ(StepError("examples/fib.wat --from -", 2), "txvm: error: the snapshot" + rest);
}

TEST(Step, WritesSnapshotsToFilesAlone) {
  EXPECT_EQ(OnFib("snapshot -"), "error: standard output shows the run: name a file\n");
  EXPECT_EQ(OnFib("snapshot /nonexistent/a.txs"),
            "error: /nonexistent/a.txs: cannot write: No such file or directory\n");
}

TEST(Step, AStartFunctionThatDoesNotHaltIsReportedAsByRun) {
  const ScratchFile trap(".wat", R"((module (func $s (drop (i32.div_u (i32.const 1) (i32.const 0))))
  (start $s) (func (export "main"))))");
  const std::string error = StepError(trap.path(), 4);
  EXPECT_EQ(error.find("txvm: trap: integer divide by zero in function 's' at instruction "), 0u)
      << error;
  EXPECT_EQ(error, RunTxvm({"run", trap.path()}).err);
  const ScratchFile exits(".wat", R"((module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32))) (memory (export "memory") 1)
  (func $s (call $exit (i32.const 9))) (start $s) (func (export "main"))))");
  EXPECT_EQ(StepError(exits.path(), 9), "txvm: the program exited with 9 before its entry\n");
}

TEST(Step, ALibraryIsInitializedBeforeTheFirstStep) {
  const ScratchFile library(".wat", R"((module (global $g (mut i32) (i32.const 1))
  (func (export "_initialize") (global.set $g (i32.const 7)))
  (func (export "get") (result i32) (global.get $g))))");
  const isa::ChildResult child = RunTxvm({"step", library.path(), "--invoke", "get"}, "continue\n");
  EXPECT_NE(child.out.find("halted, results 7"), std::string::npos) << child.out;
  EXPECT_NE(child.out.find("step 0 "), std::string::npos) << child.out;
}

// --------------------------------------------------------------------------------- the timeline

std::shared_ptr<const isa::Program> Assembled(std::string_view text) {
  return std::make_shared<const isa::Program>(assembler::Assemble(text, "test.txa").value());
}

constexpr std::string_view kFillsMemory = R"(.memory 4 4
.func main results=1 locals=1
  PUSH 60000
  LOCAL.SET 0
  loop next
    LOCAL.GET 0
    PUSH 4
    MUL
    LOCAL.GET 0
    I32.STORE
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if next
  end
  LOCAL.GET 0
.end
.export "main" main
)";

Timeline TimelineOf(std::string_view text, Timeline::Bounds bounds,
                    vm::EngineKind engine = vm::EngineKind::kNative) {
  RunSettings settings;
  settings.engine = engine;
  settings.silent = true;
  return Timeline::Start(Assembled(text), settings, nullptr, bounds).value();
}

TEST(Timeline, HasEndedWhereTheStartFunctionDoesNotHaltInItsSteps) {
  constexpr std::string_view kEndless = R"(.func start
  loop
    br 0
  end
.end
.func main
.end
.export "main" main
.init start
)";
  const Timeline timeline = TimelineOf(kEndless, {.start_steps = 100});
  ASSERT_NE(timeline.ended(), nullptr);
  EXPECT_EQ(timeline.ended()->outcome, vm::Outcome::kOutOfFuel);
  EXPECT_EQ(timeline.ended()->steps, 100u);
}

TEST(Timeline, GoesToAnyStepOfALongRunWithTheRightDigest) {
  Timeline timeline = TimelineOf(kFillsMemory, {.interval = 1'000});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
  for (std::uint64_t step = 0; step < 400'000; step += 33'333) {
    EXPECT_TRUE(timeline.GoTo(step));
    seen.emplace_back(step, timeline.machine().state().digest);
  }
  EXPECT_EQ(timeline.Forward(isa::kUnlimitedFuel, {}), Timeline::Reason::kEnded);
  for (std::size_t i = seen.size(); i-- > 0;) {
    EXPECT_EQ(timeline.GoTo(seen[i].first).value(), Timeline::Reason::kArrived);
    EXPECT_EQ(timeline.now(), seen[i].first);
    EXPECT_EQ(timeline.machine().state().digest, seen[i].second) << seen[i].first;
  }
}

TEST(Timeline, SharesMemoryBetweenItsSnapshots) {
  Timeline timeline = TimelineOf(kFillsMemory, {.interval = 1'000});
  timeline.Forward(isa::kUnlimitedFuel, {});
  EXPECT_GT(timeline.snapshots(), 500u);
  EXPECT_LT(timeline.bytes(), std::size_t{6} << 20)
      << "each snapshot alone is up to 240 KB, all of them 70 MB";
}

TEST(Timeline, StaysWithinItsBoundsByForgettingTheStart) {
  Timeline timeline = TimelineOf(kFillsMemory, {.bytes = 200'000, .interval = 1'000});
  timeline.Forward(isa::kUnlimitedFuel, {});
  EXPECT_GT(timeline.earliest(), 0u);
  EXPECT_LE(timeline.snapshots(), 16u);
  EXPECT_TRUE(timeline.GoTo(timeline.earliest()));
  EXPECT_EQ(timeline.now(), timeline.earliest());
}

TEST(Timeline, ThinsOutBeforeItForgets) {
  Timeline timeline = TimelineOf(kFillsMemory, {.bytes = 1'500'000, .interval = 500});
  timeline.Forward(isa::kUnlimitedFuel, {});
  EXPECT_EQ(timeline.earliest(), 0u);
  EXPECT_LT(timeline.bytes(), 1'500'000u);
}

// ------------------------------------------------------------------------------------- the tape

TEST(HostTape, AnswersAgainWithoutAskingAndRestoresWhatTheHostWrote) {
  constexpr std::string_view kAsks = R"(.memory 1 3
.import ask "host" "ask" params=1 results=1
.func main results=1 locals=1
  PUSH 3
  LOCAL.SET 0
  loop next
    LOCAL.GET 0
    CALL ask
    POP
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if next
  end
  PUSH 70000
  I32.LOAD8_U
.end
.export "main" main
)";
  const auto program = Assembled(kAsks);
  int asked = 0;
  vm::Linker hosts;
  hosts.Define(
      "host", "ask", 1, 1,
      [&](vm::HostContext& host, std::span<const isa::Word> args, std::span<isa::Word> results) {
        ++asked;
        results[0] = static_cast<isa::Word>(100 + asked);
        if (args[0] == 3) host.memory.Grow(1);
        host.memory.data()[70'000] = static_cast<std::uint8_t>(asked == 2 ? 0 : asked);
        return vm::HostStatus::Continue();
      });
  const auto tape = std::make_shared<HostTape>();
  vm::Machine machine = vm::Machine::Load(program, HostTape::Record(tape, *program, hosts)).value();
  const vm::Snapshot start = machine.TakeSnapshot().value();
  vm::RunOptions run;
  run.digest = true;
  const vm::RunResult first = machine.CallStub(program->entry, {}, run);
  EXPECT_EQ(first.results, std::vector<isa::Word>{3});
  EXPECT_EQ(asked, 3);
  ASSERT_TRUE(machine.Restore(start).has_value());
  tape->GoTo(0);
  const vm::RunResult second = machine.CallStub(program->entry, {}, run);
  EXPECT_EQ(second.digest, first.digest);
  EXPECT_EQ(second.results, first.results);
  EXPECT_EQ(machine.memory().pages(), 2u);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(tape->place(), 3u);
}

}  // namespace
}  // namespace txvm::frontends::cli
