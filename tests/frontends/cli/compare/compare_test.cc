// txvm compare: rows, agreement and disagreement; the latter of txvm bench too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "frontends/c/temp_folder.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/foreign/runtimes.h"
#include "tests/frontends/cli/cli_runner.h"
#include "vm/outcome.h"

namespace txvm::frontends::cli {
namespace {

using Json = nlohmann::ordered_json;

Json Compared(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "compare");
  arguments.insert(arguments.end(), {"--reps", "1", "--json"});
  const isa::ChildResult run = RunTxvm(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return Json::parse(run.out);
}

TEST(Compare, EveryEngineAndRuntimeHasARow) {
  const Json rows = Compared({"examples/fib.wat", "--invoke", "fib", "15"});
  std::vector<std::string> engines;
  for (const Json& row : rows) engines.push_back(row["engine"]);
  std::vector<std::string> expected;
  for (const vm::EngineKind engine : vm::AllEngines())
    expected.emplace_back(vm::EngineName(engine));
  for (const std::string_view runtime : foreign::ForeignRuntimes()) expected.emplace_back(runtime);
  EXPECT_EQ(engines, expected);
  for (const Json& row : rows) {
    if (!row["problem"].is_null()) {
      EXPECT_TRUE(row["results"].is_null() && row["seconds"].is_null() && row["ratio"].is_null());
      continue;
    }
    EXPECT_EQ(row["results"], Json({610})) << row;
    EXPECT_GT(row["seconds"].get<double>(), 0) << row;
    EXPECT_GT(row["ratio"].get<double>(), 0) << row;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool ran = i < vm::AllEngines().size() && rows[i]["engine"] != "transformer";
    EXPECT_EQ(rows[i]["steps"].is_null(), !ran) << rows[i];
    if (ran) {
      EXPECT_EQ(rows[i]["steps"], rows[0]["steps"]);
    }
    if (rows[i]["engine"] == "native") {
      EXPECT_EQ(rows[i]["ratio"], 1.0);
    }
    if (rows[i]["engine"] == "transformer") {
      EXPECT_EQ(rows[i]["problem"], "not run: more than 2,000 steps (--weights runs it)");
    }
  }
}

TEST(Compare, ShortRunsAreMadeByEveryEngine) {
  const Json rows = Compared({"examples/product.txa"});
  std::vector<std::string> engines;
  for (const Json& row : rows) {
    if (!row["steps"].is_null()) engines.push_back(row["engine"]);
  }
  std::vector<std::string> expected;
  for (const vm::EngineKind engine : vm::AllEngines())
    expected.emplace_back(vm::EngineName(engine));
  EXPECT_EQ(engines, expected);
}

TEST(Compare, WeightsRunWhateverItsLength) {
  const Json rows = Compared({"examples/fib.wat", "--invoke", "fib", "11", "--weights"});
  EXPECT_GT(rows[0]["steps"], 2'000);
  for (std::size_t i = 0; i < vm::AllEngines().size(); ++i) {
    EXPECT_EQ(rows[i]["steps"], rows[0]["steps"]);
  }
}

TEST(Compare, TrapsAgreeEverywhere) {
  for (const Json& row : Compared({"examples/trap.wat", "--invoke", "divide", "0"})) {
    if (row["problem"].is_null()) {
      EXPECT_EQ(row["answer"], "trap") << row;
    }
  }
}

TEST(Compare, NegativeArgumentsAndResultsAgreeEverywhere) {
  for (const Json& row : Compared({"examples/trap.wat", "--invoke", "divide", "-7"})) {
    if (row["problem"].is_null()) {
      EXPECT_EQ(row["answer"], "-14") << row;
    }
  }
}

// The row of a runtime that could run the program; nullptr where it is not installed.
const Json* RowOf(const Json& rows, std::string_view engine) {
  const auto row = std::ranges::find(rows, engine, [](const Json& r) { return r["engine"]; });
  return row == rows.end() || (*row)["problem"] == "not installed" ? nullptr : &*row;
}

TEST(Compare, ALibraryIsInitializedEverywhere) {
  const ScratchFile file(".wat", R"((module (global $g (mut i32) (i32.const 1))
    (func (export "_initialize") (global.set $g (i32.const 40)))
    (func (export "f") (param i32) (result i32) (i32.add (global.get $g) (local.get 0)))))");
  const Json rows = Compared({file.path(), "--invoke", "f", "2"});
  for (const Json& row : rows) {
    if (row["problem"].is_null()) {
      EXPECT_EQ(row["answer"], "42") << row;
    }
  }
  if (const Json* lua = RowOf(rows, "lua")) {
    EXPECT_EQ((*lua)["problem"], "has a function _initialize");
  }
}

TEST(Compare, SaysWhichRuntimesHaveNoWasi) {
  const ScratchFile file(".wat", R"((module
    (import "wasi_snapshot_preview1" "sched_yield" (func (result i32)))
    (func (export "f") (result i32) (call 0))))");
  const Json rows = Compared({file.path(), "--invoke", "f"});
  for (const char* engine : {"wasm-interp", "node"}) {
    const Json* row = RowOf(rows, engine);
    if (row == nullptr || isa::FindProgram("wat2wasm").empty()) continue;
    EXPECT_EQ((*row)["problem"],
              "runs no WASI programs here: this one imports wasi_snapshot_preview1");
  }
}

TEST(Compare, AnI64IsOneNumberEverywhere) {
  const ScratchFile file(".wat", R"((module
    (func (export "f") (param i64 i32) (result i32 i64 i64)
      (local.get 1)
      (i64.sub (i64.const 0) (local.get 0))
      (i64.add (local.get 0) (i64.const 0x8000000000000000)))))");
  const Json rows = Compared({file.path(), "--invoke", "f", "-4294967291", "7"});
  for (const Json& row : rows) {
    if (row["problem"].is_null()) {
      EXPECT_EQ(row["answer"], "7 4294967291 9223372032559808517") << row;
      EXPECT_EQ(row["results"], Json({7, 4294967291, "9223372032559808517"})) << row;
      EXPECT_EQ(row["types"], Json({"i32", "i64", "i64"})) << row;
    }
  }
  for (const char* engine : {"wasm-interp", "node"}) {
    const Json* row = RowOf(rows, engine);
    if (row == nullptr || isa::FindProgram("wat2wasm").empty()) continue;
    EXPECT_TRUE((*row)["problem"].is_null()) << *row;
  }
}

constexpr std::string_view kRecursion = R"((module
  (func $deep (export "deep") (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (i32.add (i32.const 1) (call $deep (i32.sub (local.get 0) (i32.const 1)))))
      (else (i32.const 0))))
  (func $endless (export "endless") (result i32) (i32.add (i32.const 1) (call $endless)))))";

TEST(Compare, AStackThatIsTooSmallIsNoAnswer) {
  const ScratchFile file(".wat", kRecursion);
  const Json rows = Compared({file.path(), "--invoke", "deep", "100000"});
  EXPECT_EQ(rows[0]["answer"], "100000");
  for (const char* engine : {"wasm-interp", "node"}) {
    const Json* row = RowOf(rows, engine);
    if (row == nullptr || isa::FindProgram("wat2wasm").empty()) continue;
    EXPECT_EQ((*row)["problem"], "its stack is too small") << *row;
  }
}

TEST(Compare, EndlessRecursionExhaustsEveryStack) {
  const ScratchFile file(".wat", kRecursion);
  for (const Json& row : Compared({file.path(), "--invoke", "endless", "--max-depth", "10000"})) {
    if (row["problem"].is_null()) {
      EXPECT_EQ(row["answer"], "trap") << row;
    }
  }
}

TEST(Compare, EnginesAndRuntimesMayBeChosen) {
  const Json rows =
      Compared({"examples/fib.wat", "--invoke", "fib", "15", "--engines", "lua,folded,native"});
  ASSERT_EQ(rows.size(), 3u);  // in the order of the table
  EXPECT_EQ(rows[0]["engine"], "native");
  EXPECT_EQ(rows[1]["engine"], "folded");
  EXPECT_EQ(rows[2]["engine"], "lua");
  for (const Json& row : rows) {
    if (row["problem"].is_null()) {
      EXPECT_GT(row["cpu_seconds"].get<double>(), 0) << row;
    }
  }
  const isa::ChildResult unknown = RunTxvm({"compare", "examples/fib.wat", "--engines", "nativ"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err,
            "txvm: error: --engines 'nativ' is unknown: attention, native, folded, hull, "
            "transformer, wasm-interp, wasm3, wasmtime, node, lua\n");
  const isa::ChildResult none = RunTxvm({"compare", "examples/fib.wat", "--engines", "lua"});
  EXPECT_EQ(none.err, "txvm: error: --engines names no engine of txvm to compare with\n");
}

// Reads standard input to its end, appends it to a file of a folder, and ends with its size: each
// run must find the folder as it was.
TEST(Compare, EveryRunFindsTheSameInputAndFolders) {
  const ScratchFile program(".wat", R"((module
    (import "wasi_snapshot_preview1" "path_open"
      (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_filestat_get" (func $stat (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "\00\01\00\00\07\00\00\00log")
    (func (export "_start")
      (drop (call $open (i32.const 3) (i32.const 0) (i32.const 8) (i32.const 3) (i32.const 1)
        (i64.const 2097252) (i64.const 0) (i32.const 1) (i32.const 16)))
      (loop $next
        (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 20)))
        (i32.store (i32.const 4) (i32.load (i32.const 20)))
        (drop (call $write (i32.load (i32.const 16)) (i32.const 0) (i32.const 1) (i32.const 24)))
        (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 24)))
        (i32.store (i32.const 4) (i32.const 7))
        (br_if $next (i32.load (i32.const 20))))
      (drop (call $stat (i32.load (i32.const 16)) (i32.const 64)))
      (call $exit (i32.load (i32.const 96))))))");
  const auto folder = c::TempFolder::Create();
  ASSERT_TRUE(folder && folder->Write("log", "12345"));
  const isa::ChildResult run = RunTxvm(
      {"compare", program.path(), "--dir", folder->PathOf(".") + ":box", "--reps", "2", "--json"},
      "twenty bytes of text");
  EXPECT_EQ(run.exit_code, 0) << run.err << run.out;
  for (const Json& row : Json::parse(run.out)) {
    if (!row["problem"].is_null()) continue;
    EXPECT_EQ(row["answer"], "exit 25") << row;
    if (!row["steps"].is_null()) {
      EXPECT_EQ(row["printed_bytes"], 20) << row;
    }
  }
  EXPECT_EQ(std::filesystem::file_size(folder->PathOf("log")), 5u);
}

TEST(Compare, ReadsStandardInputOnce) {
  std::ifstream file(TXVM_SOURCE_DIR "/examples/fib.wat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const isa::ChildResult run = RunTxvm(
      {"compare", "-", "-f", "wat", "--invoke", "fast", "30", "--reps", "1", "--json"}, text);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(Json::parse(run.out)[0]["results"], Json({832040}));
}

TEST(Compare, ProgramsThatAreNotWasmSaySo) {
  const Json rows = Compared({"examples/gcd.txa", "--invoke", "gcd", "48", "18"});
  EXPECT_EQ(rows[0]["results"], Json({6}));
  const auto interp =
      std::ranges::find(rows, "wasm-interp", [](const Json& r) { return r["engine"]; });
  const std::string problem = (*interp)["problem"];
  EXPECT_TRUE(problem == "not a WebAssembly program" || problem == "not installed") << problem;
}

TEST(Compare, OutOfFuelIsNothingToCompare) {
  const isa::ChildResult run =
      RunTxvm({"compare", "examples/fib.wat", "--invoke", "fib", "25", "--fuel", "1k"});
  EXPECT_EQ(run.exit_code, Value(ExitCode::kOutOfFuel));
  EXPECT_EQ(run.err, "txvm: out of fuel on attention: nothing to compare\n");
  EXPECT_NE(run.out.find("attention    out of fuel\n"), std::string::npos) << run.out;
}

TEST(Compare, OutOfFuelHasItsNameInJson) {
  const isa::ChildResult run =
      RunTxvm({"compare", "examples/fib.wat", "--invoke", "fib", "25", "--fuel", "1k", "--json"});
  EXPECT_EQ(Json::parse(run.out)[0]["problem"], "out_of_fuel");
}

// A runtime of our own making that lies: compare must notice.
TEST(Compare, ADifferentResultIsAMismatch) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "txvm-lying-runtime";
  std::filesystem::create_directories(folder);
  const std::filesystem::path liar = folder / "wasm-interp";
  std::ofstream(liar) << "#!/bin/sh\necho 'txvm_call() => i32:611'\n";
  std::filesystem::permissions(liar, std::filesystem::perms::owner_all);
  const std::string path = folder.string() + ":" + std::getenv("PATH");
  const isa::Result<isa::ChildResult> run =
      isa::RunChild({"/usr/bin/env", "-C", TXVM_SOURCE_DIR, "PATH=" + path, TXVM_BINARY, "compare",
                     "examples/fib.wat", "--invoke", "fib", "15", "--reps", "1"},
                    {}, 60);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(run);
  if (run->out.find("needs wat2wasm") != std::string::npos) GTEST_SKIP() << "wat2wasm is missing";
  EXPECT_EQ(run->exit_code, Value(ExitCode::kMismatch)) << run->out;
  EXPECT_EQ(run->err, "txvm: runtimes disagree: attention says 610, wasm-interp says 611\n");
}

TEST(Foreign, AnUnknownRuntimeIsNotInstalled) {
  EXPECT_EQ(foreign::RunForeign("no-such-runtime", {}, 1).problem, "not installed");
}

TEST(Foreign, SaysWhyNodeCannotLoadAModule) {
  if (isa::FindProgram("node").empty() || isa::FindProgram("wat2wasm").empty()) {
    GTEST_SKIP() << "node or wat2wasm is not installed";
  }
  foreign::ForeignCall call;
  const auto wasm =
      foreign::WasmOf(R"((module (import "elsewhere" "g" (func)) (func (export "f"))))", true, 60);
  ASSERT_TRUE(wasm) << wasm.error().message;
  call.wasm = *wasm;
  call.name = "f";
  const std::string problem = foreign::RunForeign("node", call, 60).problem;
  EXPECT_NE(problem.find("elsewhere"), std::string::npos) << problem;
}

// Neither wasm-interp's six digits nor node's text of a number takes anything from a float.
TEST(Foreign, FloatsGoInAndOutExactly) {
  const auto wasm = foreign::WasmOf(R"((module
    (func (export "f") (param f64 f32 i64) (result i64 f32 f64)
      (local.get 2) (local.get 1) (local.get 0))))",
                                    true, 60);
  if (!wasm) GTEST_SKIP() << wasm.error().message;
  const std::vector<isa::Value> values = {isa::Value::F64(-0.0), isa::Value::F32(1e-45f),
                                          isa::Value::I64(INT64_MIN)};
  foreign::ForeignCall call;
  call.wasm = *wasm;
  call.name = "f";
  call.args = isa::WordsOfValues(values);
  for (const char* runtime : {"wasm-interp", "node"}) {
    if (isa::FindProgram(runtime).empty()) continue;
    const foreign::ForeignAnswer answer = foreign::RunForeign(runtime, call, 60);
    EXPECT_EQ(answer.problem, "") << runtime;
    EXPECT_EQ(answer.results, (std::vector<isa::Value>{values[2], values[1], values[0]}))
        << runtime;
  }
}

TEST(Compare, ShowsTypedResultsOfLuaToo) {
  const ScratchFile file(".txa", R"(.func f params=f64,i64 results=i64,f64
LOCAL.SET 3
LOCAL.SET 2
LOCAL.SET 1
LOCAL.SET 0
LOCAL.GET 2
LOCAL.GET 3
LOCAL.GET 0
LOCAL.GET 1
.end
.export "f" f
)");
  for (const Json& row :
       Compared({file.path(), "--invoke", "f", "-nan:0x1", "-9007199254740993"})) {
    if (!row["problem"].is_null()) continue;
    EXPECT_EQ(row["answer"], "-9007199254740993 nan") << row;  // one answer for all NaNs
    EXPECT_EQ(row["results"], Json({"-9007199254740993", "-nan:0x1"})) << row;
  }
}

TEST(Foreign, AnEndlessProgramTimesOut) {
  if (isa::FindProgram("wasm-interp").empty() || isa::FindProgram("wat2wasm").empty()) {
    GTEST_SKIP() << "wabt's tools are not installed";
  }
  foreign::ForeignCall call;
  const auto wasm = foreign::WasmOf("(module (func (export \"f\") (loop (br 0))))", true, 60);
  ASSERT_TRUE(wasm) << wasm.error().message;
  call.wasm = *wasm;
  call.name = "f";
  EXPECT_EQ(foreign::RunForeign("wasm-interp", call, 0.3).problem, "timed out after 0.3 s");
}

TEST(Bench, AWrongResultEndsWithTheCodeOfADisagreement) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "txvm-own-benchmark";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "sum.wat")
      << "(module (func (export \"run\") (param i32 i32) (result i32) i32.const 1))";
  const isa::ChildResult run = RunTxvm({"bench", "--only", "sum", "--engines", "native", "--reps",
                                        "1", "--programs", folder.string()});
  std::filesystem::remove_all(folder);
  EXPECT_EQ(run.exit_code, Value(ExitCode::kMismatch)) << run.err;
  EXPECT_NE(run.err.find("native gives 1 where 274223616 is expected"), std::string::npos)
      << run.err;
}

}  // namespace
}  // namespace txvm::frontends::cli
