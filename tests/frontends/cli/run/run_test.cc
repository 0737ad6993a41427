// txvm run: outcomes, exit codes, the JSON object, stdin, traces.
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "frontends/cli/support/exit_code.h"
#include "isa/support/file.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kForever = "again: PUSH 1\n JNZ again\n";
constexpr std::string_view kEight = "PUSH 3\nPUSH 5\nADD\nHALT\n";

std::vector<std::string> KeysOf(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(Run, PrintsOneResultPerLine) {
  const ScratchFile file(".txa", "PUSH 7\nPUSH -1\nHALT\n");
  const isa::ChildResult run = RunTxvm({"run", file.path()});
  EXPECT_EQ(run.out, "7\n-1\n");
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.exit_code, 0);
}

TEST(Run, PrintsTheDigestThatTheSpecificationStates) {
  const ScratchFile file(".txa", kEight);
  for (const char* engine : {"attention", "native"}) {
    const isa::ChildResult run = RunTxvm({file.path(), "--trace-digest", "-e", engine});
    EXPECT_EQ(run.out, "8\ndigest 13e1978966cc965b\n") << engine;
  }
}

TEST(Run, JsonHasItsKeysInOrderAndNullsForWhatWasNotAsked) {
  const ScratchFile file(".txa", kEight);
  const isa::ChildResult run = RunTxvm({file.path(), "--json"});
  const Json json = Json::parse(run.out);
  EXPECT_EQ(KeysOf(json),
            Words("outcome trap results steps engine seconds trace_digest heads keys live "
                  "exit_code interrupt host_error types"));
  EXPECT_EQ(json["types"], Json({"i32"}));
  EXPECT_EQ(json["outcome"], "halted");
  EXPECT_EQ(json["results"], Json({8}));
  EXPECT_EQ(json["steps"], 4);
  EXPECT_EQ(json["engine"], "attention");
  EXPECT_GT(json["seconds"].get<double>(), 0);
  for (const char* key :
       {"trap", "trace_digest", "heads", "keys", "live", "exit_code", "interrupt", "host_error"}) {
    EXPECT_TRUE(json[key].is_null()) << key;
  }
  EXPECT_EQ(std::ranges::count(run.out, '\n'), 1) << "one line and nothing else";
}

TEST(Run, JsonStatsCountOneFetchHeadPerStep) {
  const isa::ChildResult run =
      RunTxvm({"examples/fib.wat", "--invoke", "fib", "9", "--stats", "--json"});
  const Json json = Json::parse(run.out);
  EXPECT_EQ(KeysOf(json["heads"]), Words("code stack locals memory call"));
  EXPECT_EQ(KeysOf(json["keys"]), KeysOf(json["heads"]));
  EXPECT_EQ(json["heads"]["code"], json["steps"]);
  EXPECT_GE(json["keys"]["code"], json["heads"]["code"]);
  EXPECT_EQ(run.err, "");
}

TEST(Run, JsonTrapNamesCauseInstructionFunctionAndLine) {
  const isa::ChildResult run = RunTxvm({"examples/trap.wat", "-i", "divide", "0", "--json"});
  const Json trap = Json::parse(run.out)["trap"];
  EXPECT_EQ(KeysOf(trap), Words("cause detail ip function line"));
  EXPECT_EQ(trap["cause"], "integer divide by zero");
  EXPECT_EQ(trap["function"], "divide");
  EXPECT_EQ(trap["line"], 7);
  EXPECT_TRUE(Json::parse(run.out)["results"].empty());
  EXPECT_EQ(run.exit_code, Value(ExitCode::kTrap));
}

TEST(Run, JsonStaysValidWhateverTheNames) {
  const ScratchFile file(".txa",
                         ".func \"a\\ff\\00\\22\\5c\" \nTRAP Unreachable\n.end\n"
                         ".export \"main\" \"a\\ff\\00\\22\\5c\"\n");
  const isa::ChildResult run = RunTxvm({file.path(), "--json"});
  ASSERT_TRUE(Json::accept(run.out)) << run.out << run.err;
  EXPECT_EQ(Json::parse(run.out)["trap"]["function"], std::string("a\xEF\xBF\xBD\0\"\\", 7));
}

TEST(Run, ASegmentOutOfBoundsIsReportedWithItsFile) {
  const ScratchFile data(".wat", "(module (memory 1) (data (i32.const 65535) \"ab\"))");
  const isa::ChildResult run = RunTxvm({"run", data.path()});
  EXPECT_EQ(run.exit_code, Value(ExitCode::kBadInput));
  EXPECT_EQ(run.err, data.path() +
                         ": error: data segment 0 of 2 bytes at offset 65535 does not "
                         "fit into the memory of 65536 bytes\n");
  const ScratchFile table(".wat", "(module (table 1 funcref) (func $f) (elem (i32.const 1) $f))");
  EXPECT_TRUE(RunTxvm({"run", table.path()}).err.starts_with(table.path() + ": error: "));
}

// What the validator says of a program comes before the choice of an entry.
TEST(Run, AnInvalidProgramIsReportedWithItsFile) {
  const ScratchFile twice(".txa",
                          ".flat\n.func \"f\"\nHALT\n.end\n"
                          ".export \"a\" 0\n.export \"b\" 0\n.export \"a\" 0\n");
  const std::string message =
      twice.path() + ": error: export \"a\" is defined twice: exports 0 and 2 have its name\n";
  for (const char* const command :
       {"run", "trace", "step", "compare", "verify", "asm", "explain"}) {
    const isa::ChildResult refused = RunTxvm({command, twice.path()});
    EXPECT_EQ(refused.exit_code, Value(ExitCode::kBadInput)) << command;
    EXPECT_EQ(refused.err, message) << command;
  }
}

// Its line may be another by then.
TEST(Run, ATrapShowsNoLineOfASourceThatIsNewerThanTheProgram) {
  namespace fs = std::filesystem;
  const ScratchFile source(".txa", "NOP\nTRAP Unreachable\n"), program(".txp", "");
  ASSERT_EQ(RunTxvm({"compile", source.path(), "-o", program.path()}).exit_code, 0);
  const std::string where = "at instruction 1 (" + source.path() + ":2)";
  const std::string line = "\n  TRAP Unreachable\n  ^\n";
  for (const char* command : {"run", "trace"}) {
    const auto error = [&] { return RunTxvm({command, program.path()}).err; };
    const auto made = fs::last_write_time(program.path());
    fs::last_write_time(source.path(), made);
    EXPECT_TRUE(error().ends_with(where + line)) << error();
    fs::last_write_time(source.path(), made + std::chrono::seconds(1));
    EXPECT_TRUE(error().ends_with(where + "\n")) << error();
    EXPECT_TRUE(RunTxvm({command, source.path()}).err.ends_with(where + line));
  }
  EXPECT_EQ(RunTxvm({"step", program.path()}, "source 1\n").out.find("NOP\n"), std::string::npos);
}

TEST(Run, ATraceHasNoDigestOfWhatRanBeforeTheEntry) {
  const ScratchFile start(".wat", "(module (start 0) (func unreachable) (func (export \"main\")))");
  const std::string out = RunTxvm({"trace", start.path()}).out;
  EXPECT_TRUE(out.ends_with("\ntrapped after 2 steps, before the entry\n")) << out;
}

TEST(Run, NamesOfAProgramCommandNoTerminal) {
  const std::string name = "\\1b[2J" + std::string(100, 'x');
  const std::string shown = "\\1b[2J" + std::string(60, 'x') + "...";  // 64 bytes of it
  const ScratchFile trap(".txa", ".func \"" + name +
                                     "\"\n.note \"\\1b[2J\"\nTRAP Unreachable\n.end\n"
                                     ".export \"main\" \"" +
                                     name + "\"\n");
  const isa::ChildResult run = RunTxvm({"run", trap.path()});
  EXPECT_TRUE(run.err.starts_with("txvm: trap: unreachable (\\1b[2J) in function '" + shown +
                                  "' at instruction 0 ("))
      << run.err;
  EXPECT_NE(RunTxvm({"trace", trap.path()}).out.find("  " + shown + ":"), std::string::npos);
  const std::string step = RunTxvm({"step", trap.path()}, "step\nbacktrace\ncode\nc\n").out;
  EXPECT_NE(step.find("  " + shown + " ("), std::string::npos) << step;
  EXPECT_EQ(step.find('\x1b'), std::string::npos) << step;
  const ScratchFile import(".txa", ".import f \"" + name + "\" \"\\0a\"\nCALL f\nHALT\n");
  EXPECT_EQ(RunTxvm({"run", import.path()}).err,
            import.path() + ": error: unknown import '" + shown + ".\\0a'\n");
  const ScratchFile none(".txa", ".func f params=1\nPOP\n.end\n.export \"" + name + "\" f\n");
  const std::string names = "; there is '" + shown + "'\n";
  EXPECT_TRUE(RunTxvm({"run", none.path()}).err.ends_with(names));
}

TEST(Run, LinksModulesThatShareAMemoryATableAndGlobals) {
  const ScratchFile library(".wat", R"((module
      (memory (export "memory") 1)
      (table (export "table") 2 funcref)
      (global (export "count") (mut i32) (i32.const 40))
      (func (export "call") (param i32) (result i32)
        (call_indirect (result i32) (local.get 0)))
      (data (i32.const 8) "\05")))");
  const ScratchFile program(".wat", R"((module
      (memory (import "lib" "memory") 1)
      (table (import "lib" "table") 2 funcref)
      (global $count (import "lib" "count") (mut i32))
      (func $call (import "lib" "call") (param i32) (result i32))
      (func $add (result i32)
        (global.set $count (i32.add (global.get $count) (i32.load8_u (i32.const 8))))
        (global.get $count))
      (elem (i32.const 1) $add)
      (func (export "main") (result i32) (drop (call $call (i32.const 1)))
        (call $call (i32.const 1)))))");
  for (const char* engine : {"native", "attention"}) {
    const isa::ChildResult run =
        RunTxvm({"run", program.path(), "--link", "lib=" + library.path(), "--engine", engine});
    EXPECT_EQ(run.out, "50\n") << run.err;
  }
  const isa::ChildResult alone = RunTxvm({"run", program.path(), "--strict-imports"});
  EXPECT_NE(alone.err.find("memory \"lib\" \"memory\" is imported"), std::string::npos)
      << alone.err;
  EXPECT_NE(RunTxvm({"run", library.path(), "--link", "lib"}).err.find("is not NAME=FILE"),
            std::string::npos);
  const isa::ChildResult wrong =
      RunTxvm({"run", program.path(), "--link", "lib=" + program.path()});
  EXPECT_NE(wrong.err.find("\"lib\" \"count\" is imported by library \"lib\", which is linked "
                           "before \"lib\" is; libraries cannot share in a circle"),
            std::string::npos)
      << wrong.err;
}

TEST(Run, UnknownImportsMayTrapWhenTheyAreCalled) {
  const ScratchFile program(".txa",
                            ".import f \"env\" \"launch\" params=1 results=1\n"
                            ".func calls params=1 results=1\nCALL f\n.end\n"
                            ".func spares params=1 results=1\nPUSH 1\nADD\n.end\n"
                            ".export \"calls\" calls\n.export \"spares\" spares\n");
  const isa::ChildResult spared =
      RunTxvm({"run", program.path(), "--unknown-imports", "trap", "--invoke", "spares", "41"});
  EXPECT_EQ(spared.exit_code, 0) << spared.err;
  const isa::ChildResult called =
      RunTxvm({"run", program.path(), "--unknown-imports", "trap", "--invoke", "calls", "41"});
  EXPECT_NE(called.err.find("call of the unknown import 'env.launch'"), std::string::npos)
      << called.err;
  EXPECT_NE(called.exit_code, 0);
  const isa::ChildResult refused = RunTxvm({"run", program.path(), "--invoke", "spares", "41"});
  EXPECT_NE(refused.err.find("unknown import 'env.launch'"), std::string::npos) << refused.err;
}

// A terminal gives its end once for each time that Ctrl-D is pressed.
TEST(Run, TakesOneEndOfInputOfATerminal) {
  const int keyboard = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(keyboard, 0);
  ASSERT_EQ(grantpt(keyboard), 0);
  ASSERT_EQ(unlockpt(keyboard), 0);
  const std::string terminal = ptsname(keyboard);
  const int held = open(terminal.c_str(), O_RDWR | O_NOCTTY);  // or what is typed is lost
  const std::string typed = std::string(kEight) + "\x04";
  ASSERT_EQ(write(keyboard, typed.data(), typed.size()), std::ssize(typed));
  const auto run = isa::RunChild(
      {"/bin/sh", "-c", "exec " TXVM_BINARY " run - --format txa < " + terminal}, {}, 10);
  close(held);
  close(keyboard);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->out, "8\n") << run->err;
}

TEST(Run, ReadsEveryFormatFromStandardInput) {
  EXPECT_EQ(RunTxvm({"run", "-", "--format", "txa"}, kEight).out, "8\n");
  EXPECT_EQ(RunTxvm({"-", "-f", "wat"},
                    "(module (func (export \"main\") (result i32)"
                    " (i32.const 5)))")
                .out,
            "5\n");
  const ScratchFile text(".txa", kEight), program(".txp", "");
  ASSERT_EQ(RunTxvm({"asm", text.path(), "-o", program.path()}).exit_code, 0);
  EXPECT_EQ(RunTxvm({"run", "-"}, program.Read()).out, "8\n") << "found out by the magic number";
}

TEST(Run, ExitCodesTellOutcomesApart) {
  const ScratchFile forever(".txa", kForever);
  const auto code = [&](std::vector<std::string> arguments) {
    return RunTxvm(arguments).exit_code;
  };
  EXPECT_EQ(code({"examples/hello.wat"}), Value(ExitCode::kHalted));
  EXPECT_EQ(code({"run"}), Value(ExitCode::kUsage));
  EXPECT_EQ(code({"run", "nope.wat"}), Value(ExitCode::kBadInput));
  EXPECT_EQ(code({"examples/trap.wat", "-i", "divide", "0"}), Value(ExitCode::kTrap));
  EXPECT_EQ(code({forever.path(), "--fuel", "1M"}), Value(ExitCode::kOutOfFuel));
  EXPECT_EQ(code({forever.path(), "--timeout", "50ms"}), Value(ExitCode::kTimeout));
  EXPECT_EQ(code({"examples/hello.wat", "--max-pages", "0"}), Value(ExitCode::kLimit));
  EXPECT_EQ(code({"wast", "tests/frontends/cli/data/failing.wast"}), Value(ExitCode::kMismatch));
  EXPECT_EQ(code({"tests/frontends/cli/data/exit.wat"}), 42);
  EXPECT_EQ(code({"examples/hello.wat", "--trace", "/no/such/folder/t"}),
            Value(ExitCode::kInternal));
}

// The entry of a flat program is no export, so that Machine::Call is not there to count.
TEST(Run, ArgumentsForAnEntryThatTakesNoneAreRefused) {
  const ScratchFile file(".txa", "PUSH 1\nHALT\n");
  for (const std::vector<std::string>& command :
       {Words("run"), Words("run --json"), Words("trace"), Words("step"), Words("compare")}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {file.path(), "3"});
    const isa::ChildResult run = RunTxvm(arguments);
    EXPECT_EQ(run.exit_code, Value(ExitCode::kUsage)) << command[0];
    EXPECT_EQ(run.out, "") << command[0];
    EXPECT_NE(run.err.find("the entry takes 0 arguments, but 1 was given"), std::string::npos)
        << command[0] << ": " << run.err;
  }
}

TEST(Run, TrapsInGeneratedCodeNameTheCallerThatHasALine) {
  const ScratchFile division(".wat", R"((module
    (func (export "f") (param i32) (result i32)
      (i32.wrap_i64 (i64.div_u (i64.const 5) (i64.extend_i32_u (local.get 0)))))))");
  const ScratchFile dispatch(".wat", R"((module (table 1 funcref) (type $t (func))
    (func (export "f") (param i32)
      (call_indirect (type $t) (local.get 0)))))");
  for (const ScratchFile* file : {&division, &dispatch}) {
    const isa::ChildResult run = RunTxvm({file->path(), "-i", "f", "0"});
    EXPECT_EQ(run.exit_code, Value(ExitCode::kTrap));
    EXPECT_NE(run.err.find("called from 'f' (" + file->path() + ":3)"), std::string::npos)
        << run.err;
  }
}

// A constant or local in front of an i64 instruction is lowered together with it.
TEST(Run, TrapsOfI64NameTheLineOfTheInstruction) {
  const ScratchFile program(".wat", R"((module (memory 1)
    (func (export "store_const") i32.const 65536
      i64.const 5
      i64.store)
    (func (export "store_local") (param i64) i32.const 65530
      local.get 0
      i64.store)))");
  const isa::ChildResult constant = RunTxvm({program.path(), "-i", "store_const"});
  EXPECT_NE(constant.err.find("(" + program.path() + ":4)"), std::string::npos) << constant.err;
  const isa::ChildResult local = RunTxvm({program.path(), "-i", "store_local", "8589934593"});
  EXPECT_NE(local.err.find("(" + program.path() + ":7)"), std::string::npos) << local.err;
}

// What a program writes to its standard error, and what txvm says of a run, stand where they were
// written when one file takes both streams.
TEST(Run, StreamsKeepTheirOrderInOneFile) {
  const ScratchFile program(".wat", R"((module
    (import "wasi_snapshot_preview1" "fd_write"
      (func $write (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "\10\00\00\00\02\00\00\00")
    (data (i32.const 16) "a\n")
    (func $to (param i32) (drop (call $write (local.get 0) (i32.const 0) (i32.const 1)
      (i32.const 8))))
    (func (export "_start") (call $to (i32.const 1))
      (i32.store8 (i32.const 16) (i32.const 0x62)) (call $to (i32.const 2))
      (i32.store8 (i32.const 16) (i32.const 0x63)) (call $to (i32.const 1)) unreachable)))");
  constexpr double kMinute = 60;
  const auto run = isa::RunChild(
      {"/bin/sh", "-c", "exec " TXVM_BINARY " run " + program.path() + " 2>&1"}, "", kMinute);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->out.starts_with("a\nb\nc\ntxvm: trap: unreachable")) << run->out;
}

TEST(Run, TrapsOfBulkMemoryNameTheLineOfTheInstruction) {
  const ScratchFile program(".wat", R"((module (memory 1)
    (func (export "copy") (param i32)
      (memory.copy (i32.const 0) (local.get 0)
        (i32.const 8)))
    (func (export "fill") (param i32) local.get 0
      i32.const 5
      i32.const 8
      memory.fill)))");
  const isa::ChildResult copy = RunTxvm({program.path(), "-i", "copy", "65529"});
  EXPECT_NE(copy.err.find("out of bounds memory access (called from 'copy' (" + program.path() +
                          ":3)) in function 'memory.copy'"),
            std::string::npos)
      << copy.err;
  const isa::ChildResult fill = RunTxvm({program.path(), "-i", "fill", "65529"});
  EXPECT_NE(fill.err.find("(" + program.path() + ":8)"), std::string::npos) << fill.err;
  EXPECT_EQ(RunTxvm({program.path(), "-i", "fill", "65528"}).exit_code, 0);
}

TEST(Run, AnExitCodeThatNoProcessCanHaveIsAFailure) {
  const ScratchFile program(".wat", R"((module
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (memory (export "memory") 1)
    (func (export "_start") (call $exit (i32.const 256)))))");
  const isa::ChildResult run = RunTxvm({program.path()});
  EXPECT_EQ(run.exit_code, Value(ExitCode::kInternal));
  EXPECT_NE(run.err.find("the program exited with 256"), std::string::npos) << run.err;
}

TEST(Run, AStartFunctionThatTrapsLeavesNoDigest) {
  const ScratchFile program(".wat", "(module (func $s unreachable) (start $s))");
  const isa::ChildResult run = RunTxvm({program.path(), "--trace-digest"});
  EXPECT_EQ(run.exit_code, Value(ExitCode::kTrap));
  EXPECT_EQ(run.out, "");
}

// What a program says of its source is not trusted: only texts of programs are shown.
TEST(Run, ShowsNoFileButSources) {
  const ScratchFile secret(".secret", "first\n  hidden\n"), program(".txp", "");
  const ScratchFile text(".txa", "PUSH 1\nPUSH 0\nDIV_S\nHALT\n");
  ASSERT_EQ(RunTxvm({"asm", text.path(), "-o", program.path()}).exit_code, 0);
  EXPECT_NE(RunTxvm({program.path()}).err.find("DIV_S\n"), std::string::npos);
  EXPECT_FALSE(isa::ReadSource(secret.path(), program.path()));
  EXPECT_FALSE(isa::ReadSource("/dev/stdin", program.path()));
  EXPECT_FALSE(isa::ReadSource("-", program.path()));
}

TEST(Run, SaysWhenStandardOutputIsLost) {
  const isa::Result<isa::ChildResult> run =
      isa::RunChild({"/bin/sh", "-c", "exec " TXVM_BINARY " isa > /dev/full"}, {}, 60);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->exit_code, Value(ExitCode::kInternal));
  EXPECT_EQ(run->err, "txvm: error: cannot write to standard output\n");
}

TEST(Run, TraceFileHasOneLinePerStep) {
  const ScratchFile program(".txa", kEight), trace(".tsv", "");
  ASSERT_EQ(RunTxvm({program.path(), "--trace", trace.path()}).exit_code, 0);
  EXPECT_EQ(trace.Read(),
            "step\tip\top\taux\targ\tsp\ttop\n"
            "1\t0\tPUSH\t0\t3\t1\t3\n"
            "2\t1\tPUSH\t0\t5\t2\t5\n"
            "3\t2\tADD\t0\t0\t1\t8\n"
            "4\t3\tHALT\t0\t0\t1\t8\n");
}

TEST(Run, ATraceThatCannotBeWrittenTakesNothingElse) {
  const ScratchFile program(".txa", kEight);
  const isa::ChildResult run = RunTxvm({program.path(), "--trace", "/dev/full"});
  EXPECT_EQ(run.out, "8\n");
  EXPECT_EQ(run.err, "/dev/full: error: cannot write the trace: No space left on device\n");
  EXPECT_EQ(run.exit_code, Value(ExitCode::kInternal));
}

TEST(Run, FuelCoversTheStartFunctionToo) {
  const std::string program = "tests/frontends/cli/data/start.txa";
  const Json whole = Json::parse(RunTxvm({program, "--json"}).out);
  const std::uint64_t steps = whole["steps"];
  const auto with = [&](std::uint64_t fuel) {
    return RunTxvm({program, "--fuel", std::to_string(fuel)}).exit_code;
  };
  EXPECT_EQ(with(steps), Value(ExitCode::kOutOfFuel)) << "the start function used some of it";
  EXPECT_EQ(with(steps + 100), 0);
}

// `get` adds to 1, plus 10 in the start function, times 3 in _initialize.
constexpr std::string_view kLibrary = R"((module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32))) (memory (export "memory") 1)
  (global $g (mut i32) (i32.const 1))
  (func $s (global.set $g (i32.add (global.get $g) (i32.const 10)))) (start $s)
  (func (export "_initialize") (global.set $g (i32.mul (global.get $g) (i32.const 3))))
  (func (export "get") (param i32) (result i32) (i32.add (global.get $g) (local.get 0))))
)";

TEST(Run, InitializesALibraryBeforeItsExports) {
  const ScratchFile library(".wat", kLibrary);
  EXPECT_EQ(RunTxvm({library.path(), "--invoke", "get", "1"}).out, "34\n");
  const ScratchFile snapshot(".txs", "");
  EXPECT_EQ(RunTxvm({library.path(), "-i", "_initialize", "--snapshot", snapshot.path()}).exit_code,
            0);
  EXPECT_EQ(RunTxvm({"resume", snapshot.path(), library.path(), "-i", "get", "1"}).out, "34\n");
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text(kLibrary);
    text.replace(text.find(from), from.size(), to);
    const ScratchFile changed(".wat", text);
    const isa::ChildResult run = RunTxvm({changed.path(), "--invoke", "get", "1", "--fuel", "100"});
    return fmt::format("{}{}", run.out, run.exit_code);
  };
  EXPECT_EQ(with("(func (export \"_init", "(func (export \"_start\")) (func (export \"_init"),
            "12\n0");
  EXPECT_EQ(with("_initialize\")", "_initialize\") (result i32) (i32.const 7)"), "12\n0");
  EXPECT_EQ(with("_initialize\")", "_initialize\") (loop (br 0))"), "5") << "out of fuel";
  EXPECT_EQ(with("_initialize\")", "_initialize\") (call $exit (i32.const 9))"), "9");
}

TEST(Run, NeedsLittleMemoryForATrivialProgram) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's own memory would be measured";
#endif
  constexpr std::uint64_t kMost = 20u << 20;
  constexpr std::uint64_t kKibibyte = 1024;
  rusage own{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &own), 0);
  if (static_cast<std::uint64_t>(own.ru_maxrss) * kKibibyte >= kMost) {
    GTEST_SKIP() << "the tests before took that much: the system counts what a process had when it "
                    "started another to that one, too";
  }
  const ScratchFile file(".txa", kEight);
  EXPECT_LT(RunTxvm({file.path()}).peak_bytes, kMost);
  EXPECT_LT(RunTxvm({"examples/fib.wat", "-i", "fib", "5"}).peak_bytes, kMost);
}

// Tables of pointers are written to before main: 90,000 of the generator's took a third of the time
// of a trivial program.
TEST(Run, FewPointersAreRelocatedAtTheStart) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's own tables would be counted";
#endif
  constexpr std::size_t kMost = 20'000;
  const isa::Result<std::string> bytes = isa::ReadFile(TXVM_BINARY);
  ASSERT_TRUE(bytes);
  const auto at = [&bytes]<typename T>(std::size_t offset, T value) {
    std::memcpy(&value, bytes->data() + offset, sizeof value);
    return value;
  };
  const auto header = at(0, Elf64_Ehdr{});
  std::size_t relocations = 0;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto section = at(header.e_shoff + i * header.e_shentsize, Elf64_Shdr{});
    if (section.sh_type == SHT_RELA) relocations += section.sh_size / sizeof(Elf64_Rela);
  }
  EXPECT_LT(relocations, kMost);
}

TEST(Run, VersionNamesTheEngines) {
  const isa::ChildResult version = RunTxvm({"--version"});
  EXPECT_TRUE(version.out.starts_with("txvm ")) << version.out;
  EXPECT_NE(version.out.find("engine attention"), std::string::npos);
  EXPECT_NE(version.out.find("engine native"), std::string::npos);
}

}  // namespace
}  // namespace txvm::frontends::cli
