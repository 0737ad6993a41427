// txvm view: the page it writes, and the states that a real browser reconstructs from it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "frontends/cli/run/host_functions.h"
#include "frontends/cli/support/exit_code.h"
#include "isa/support/file.h"
#include "isa/support/random.h"
#include "tests/frontends/cli/cli_runner.h"
#include "tests/support/random_wasm.h"
#include "vm/snapshot.h"
#include "vm/state.h"

namespace txvm::frontends::cli {
namespace {

namespace fs = std::filesystem;

std::string Browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    if (std::string path = isa::FindProgram(name); !path.empty()) return path;
  }
  return {};
}

/// The document after the page's scripts have run.
std::string DocumentOf(const std::string& browser, const std::string& path,
                       const std::string& hash) {
  const std::string profile = path + ".profile";
  const isa::Result<isa::ChildResult> child =
      isa::RunChild({browser, "--headless", "--no-sandbox", "--disable-gpu",
                     "--user-data-dir=" + profile, "--dump-dom", "file://" + path + "#" + hash},
                    {}, 120);
  std::error_code ignored;
  fs::remove_all(profile, ignored);
  EXPECT_TRUE(child) << child.error().message;
  return child ? child->out : std::string();
}

std::string Between(const std::string& text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string::npos) return {};
  const std::size_t end = text.find(after, begin + before.size());
  return text.substr(begin + before.size(), end - begin - before.size());
}

struct Call {
  std::string line;  // of `txvm view`, without the output
  std::vector<std::uint64_t> steps;
};

/// What engines say: the state after N steps in the words of page/state.js, and the heads of the
/// step after it.
class Oracle {
 public:
  explicit Oracle(const std::string& line) {
    const std::vector<std::string> words = Words(line);
    settings_.path = fs::path(TXVM_SOURCE_DIR) / words[0];
    settings_.silent = true;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "--invoke") {
        settings_.invoke = words[++i];
      } else if (words[i] == "--from" || words[i] == "--steps") {
        ++i;
      } else {
        settings_.arguments.push_back(words[i]);
      }
    }
    program_ = LoadInput(settings_.path, settings_.input).value();
  }

  std::string StateText(std::uint64_t steps, std::vector<vm::HeadReading>* heads) const {
    const HostSet host = HostFunctions(settings_).value();
    vm::Machine machine = vm::Machine::Load(program_, host.linker, {}).value();
    const isa::Export* entry = vm::ChooseEntry(*program_, settings_.invoke).value();
    const std::vector<isa::Word> words = EntryWords(*program_, entry, settings_).value();
    vm::RunOptions run;
    run.fuel = steps;
    machine.RunInit();
    entry != nullptr ? machine.Call(*entry, words, run).value()
                     : machine.CallStub(program_->entry, words, run);
    std::string text = Text(machine);
    if (heads != nullptr && machine.resumable()) {
      run.fuel = 1;
      run.heads = [&](const vm::HeadReading& reading) { heads->push_back(reading); };
      machine.Resume(run);
    }
    return text;
  }

 private:
  static std::string Text(const vm::Machine& machine) {
    const vm::State& state = machine.state();
    std::vector<std::string> stack, frames;
    for (std::uint32_t slot = 1; slot <= state.sp; ++slot) {
      stack.push_back(fmt::format("{}", state.slots[slot]));
    }
    for (std::uint32_t d = 1; d <= state.depth; ++d) {
      frames.push_back(
          fmt::format("{}/{}", state.frames[d].return_ip, state.frames[d].locals_base));
    }
    const auto fold = [](std::uint32_t hash, std::uint32_t word) {
      return (hash ^ word) * 16'777'619u;
    };
    std::uint32_t locals = 2'166'136'261u, memory = locals;
    const vm::Snapshot snapshot = vm::TakeState(state, {}, nullptr);
    for (const vm::SnapshotBlock& block : snapshot.locals) {
      const auto first = static_cast<std::uint32_t>(block.index * vm::kSnapshotBlockBytes / 4);
      for (std::uint32_t slot = first; slot < first + (block.bytes->size() + 3) / 4; ++slot) {
        if (const isa::Word word = state.locals[slot]; word != 0) {
          locals = fold(fold(locals, slot), word);
        }
      }
    }
    for (std::uint32_t at = 0; at < state.memory.size_bytes(); ++at) {
      if (const std::uint8_t byte = state.memory.data()[at]; byte != 0) {
        memory = fold(fold(memory, at), byte);
      }
    }
    return fmt::format(
        "state {}: ip {} sp {} depth {} base {} pages {} stack {} frames {} locals {} memory {}",
        state.steps, state.ip, state.sp, state.depth, state.locals_base, state.memory.pages(),
        fmt::join(stack, ","), fmt::join(frames, ","), locals, memory);
  }

  RunSettings settings_;
  std::shared_ptr<const isa::Program> program_;
};

void PrintTo(const Call& call, std::ostream* out) { *out << call.line; }

/// The page of a run, walked through in the browser, against the engine.
void ExpectSameStates(const Call& call, const std::string& browser) {
  const ScratchFile page(".html", "");
  std::vector<std::string> words = Words("view " + call.line);
  words.insert(words.end(), {"-o", page.path()});
  const isa::ChildResult run = RunTxvm(words);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string hash = fmt::format("selftest={}", fmt::join(call.steps, ","));
  const std::string said =
      Between(DocumentOf(browser, page.path(), hash), "<pre id=\"selftest\">", "</pre>");
  EXPECT_TRUE(said.starts_with("selftest passed: ")) << said;
  const Oracle oracle(call.line);
  std::vector<vm::HeadReading> heads;
  for (const std::uint64_t step : call.steps) {
    heads.clear();
    const std::string state = oracle.StateText(step, &heads);
    EXPECT_NE(said.find(state + "\n"), std::string::npos) << state << "\nis not in\n" << said;
  }
  EXPECT_FALSE(heads.empty());
  for (const vm::HeadReading& head : heads) {
    std::string text = fmt::format("head {} query {}", weights::Spec(head.head).name, head.query);
    if (head.winner == static_cast<std::int64_t>(head.query)) {
      text += fmt::format(" winner {}", head.winner);
    }
    EXPECT_NE(said.find(text), std::string::npos) << text << "\nis not in\n" << said;
  }
}

class ViewInBrowser : public ::testing::TestWithParam<Call> {};

TEST_P(ViewInBrowser, WalksBothWaysThroughTheStatesOfTheEngine) {
  const std::string browser = Browser();
  if (browser.empty()) GTEST_SKIP() << "there is no chromium on PATH";
  ExpectSameStates(GetParam(), browser);
}

// Memory that host functions write, and its growth.
TEST(View, HostFunctionsAreSteps) {
  const std::string browser = Browser();
  if (browser.empty()) GTEST_SKIP() << "there is no chromium on PATH";
  const ScratchFile program(".wat", R"((module
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (memory (export "memory") 1 3)
  (data (i32.const 60) "between two pieces")
  (func (export "_start") (local $i i32)
    (loop $again
      (drop (call $random (i32.add (i32.const 50) (local.get $i)) (i32.const 37)))
      (i32.store (i32.const 60) (local.get $i))
      (i32.store16 offset=4090 (local.get $i) (i32.const 0x10203))
      (drop (memory.grow (i32.const 1)))
      (memory.fill (i32.const 48) (i32.const 0) (local.get $i))
      (local.set $i (i32.add (local.get $i) (i32.const 3)))
      (br_if $again (i32.lt_u (local.get $i) (i32.const 20)))))))");
  ExpectSameStates({program.path(), {5, 10, 20, 60, 100, 140}}, browser);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, ViewInBrowser,
    ::testing::Values(Call{"examples/fib.wat --invoke fib 9", {0, 1, 9, 100, 333}},
                      Call{"examples/hello.wat", {0, 50, 120, 7}},
                      Call{"examples/gcd.txa --invoke gcd 1071 462", {0, 3, 10}},
                      Call{"tests/golden/programs/hungarian.wat --invoke jobs --from 3000",
                           {200, 3000, 4321}},
                      Call{"examples/sudoku.wat --invoke solution --from 123456",
                           {118'456, 120'000, 123'456, 128'000}}));

// One page with the page's own machine (state.js) and the runs of many pages: a browser that starts
// 200 times takes minutes.
class ManyRuns {
 public:
  /// Adds what `txvm view` wrote, and steps to look at.
  void Add(const std::string& page, const std::vector<std::uint64_t>& steps) {
    if (!runs_.empty()) runs_ += ",\n";
    runs_ += fmt::format("{{data: {}, steps: [{}]}}", Between(page, "id=\"run\">", "</script>"),
                         fmt::join(steps, ","));
  }
  std::string Page() const {
    const fs::path state = fs::path(TXVM_SOURCE_DIR) / "frontends/cli/view/page/state.js";
    return fmt::format(
        "<!doctype html><meta charset=utf-8><pre id=\"selftest\"></pre><script>{}\n"
        "const texts = [];\n"
        "[{}].forEach(({{data, steps}}, i) => {{\n"
        "  const run = new Run(data);\n"
        "  for (const step of steps) {{ run.go(step - data.first); texts.push(`${{i}} "
        "${{run.text()}}`); }}\n"
        "}});\n"
        "document.getElementById('selftest').textContent = texts.join('\\n') + '\\n';</script>",
        isa::ReadFile(state.string()).value(), runs_);
  }

 private:
  std::string runs_;
};

// The state after N steps is the engine's, whichever way it was reached: forward or back.
TEST(View, RandomProgramsHaveTheStatesOfTheEngine) {
  constexpr int kPrograms = 200, kStates = 5;
  const std::string browser = Browser();
  if (browser.empty()) GTEST_SKIP() << "there is no chromium on PATH";
  isa::Random random(20'261'128);
  ManyRuns runs;
  std::vector<std::string> expected;
  std::set<std::string> ends;
  std::vector<std::string> lines_run;
  const ScratchFile page(".html", "");
  for (std::uint64_t seed = 1; lines_run.size() < kPrograms; ++seed) {
    const tests::RandomModule module =
        tests::MakeRandomWasm(seed, {.imports = false, .bulk = true, .numbers = true});
    const auto entry = std::ranges::find_if(module.exports, [](const tests::RandomExport& e) {
      return e.params.find_first_not_of("ilfd") == std::string::npos;
    });
    if (entry == module.exports.end()) continue;
    const ScratchFile file(".wat", module.text);
    std::string line = fmt::format("{} --invoke {}", file.path(), entry->name);
    for (std::size_t i = 0; i < entry->params.size(); ++i)
      line += fmt::format(" {}", random.Below(1000));
    std::vector<std::string> words = Words("view --fuel 3000 " + line);
    words.insert(words.end(), {"-o", page.path()});
    const isa::ChildResult run = RunTxvm(words);
    // A start function that traps, or needs more than the fuel, has no step to show.
    if (run.exit_code != 0) continue;
    const std::string text = page.Read();
    const nlohmann::json data = nlohmann::json::parse(Between(text, "id=\"run\">", "</script>"));
    ends.insert(data["end"].get<std::string>().substr(0, 4));
    const std::uint64_t last = data["ip"].size() - 1;
    std::vector<std::uint64_t> steps = {last};
    while (steps.size() < kStates) steps.push_back(random.Below(last + 1));
    const Oracle oracle(line);
    for (const std::uint64_t step : steps) {
      expected.push_back(fmt::format("{} {}", lines_run.size(), oracle.StateText(step, nullptr)));
    }
    runs.Add(text, steps);
    lines_run.push_back(line);
  }
  EXPECT_GE(ends.size(), 2u);  // halts and traps
  const ScratchFile all(".html", runs.Page());
  const std::string said =
      Between(DocumentOf(browser, all.path(), ""), "<pre id=\"selftest\">", "</pre>");
  std::istringstream lines(said);
  for (const std::string& state : expected) {
    std::string shown;
    std::getline(lines, shown);
    ASSERT_EQ(shown, state) << lines_run[static_cast<std::size_t>(std::stoi(state))];
  }
}

TEST(View, TenThousandStepsFitInThreeMegabytesWithoutNetwork) {
  const ScratchFile page(".html", "");
  const isa::ChildResult run = RunTxvm(
      {"view", "examples/sudoku.wat", "--invoke", "solution", "--fuel", "200k", "-o", page.path()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string text = page.Read();
  EXPECT_LT(text.size(), 3'000'000u);
  for (const char* outside : {"http://", "https://", "src=", "@import", "url(h", "<link"}) {
    EXPECT_EQ(text.find(outside), std::string::npos) << outside;
  }
  const nlohmann::json data = nlohmann::json::parse(Between(text, "id=\"run\">", "</script>"));
  EXPECT_EQ(data["ip"].size(), 10'001u);
  EXPECT_EQ(data["writes"].size(), 10'001u);
  EXPECT_EQ(data["total"], 200'000u);
  EXPECT_FALSE(data["whole"]);
  std::uint64_t counted = 0;
  for (const auto& function : data["functions"]) {
    for (const auto& part : function[6]) counted += part.get<std::uint64_t>();
  }
  EXPECT_EQ(counted, 200'000u);
}

/// The units that are open in each layer, by `txvm explain`: a line for each pass.
std::vector<std::vector<std::size_t>> UnitsByExplain(const std::string& program) {
  std::vector<std::vector<std::size_t>> passes;
  std::istringstream lines(RunTxvm({"explain", program}).out);
  constexpr std::string_view kHead = "units   open by layer: ";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kHead)) continue;
    std::istringstream numbers(line.substr(kHead.size()));
    passes.emplace_back(std::istream_iterator<std::size_t>(numbers),
                        std::istream_iterator<std::size_t>());
  }
  return passes;
}

TEST(View, OnTheTransformerItShowsWhatEachLayerDid) {
  const std::string program = "examples/product.txa";
  const ScratchFile page(".html", "");
  const isa::ChildResult run =
      RunTxvm({"view", program, "--engine", "transformer", "-o", page.path()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json data =
      nlohmann::json::parse(Between(page.Read(), "id=\"run\">", "</script>"));
  const nlohmann::json& layers = data["layers"];
  const std::vector<std::vector<std::size_t>> expected = UnitsByExplain(program);
  ASSERT_EQ(layers["steps"].size(), 4u);
  ASSERT_EQ(expected.size(), 4u);
  for (std::size_t step = 0; step < 4; ++step) {
    std::vector<std::size_t> open;
    for (std::size_t layer = 1; layer < layers["steps"][step].size(); ++layer) {
      open.push_back(layers["steps"][step][layer][2].size());
    }
    EXPECT_EQ(open, expected[step]) << step;
  }
  // MUL is the third step: its signal is lit.
  const auto& lanes = layers["lanes"];
  const auto multiply = std::ranges::find(lanes, nlohmann::json("multiply")) - lanes.begin();
  const nlohmann::json& written = layers["steps"][2][2][1];
  EXPECT_NE(std::ranges::find(written, nlohmann::json(multiply)), written.end());
  const std::string browser = Browser();
  if (browser.empty()) GTEST_SKIP() << "there is no chromium on PATH";
  const std::string shown = DocumentOf(browser, page.path(), "step=2&selftest");
  EXPECT_NE(shown.find("selftest passed"), std::string::npos);
  EXPECT_NE(shown.find("class=\"layer\" data-layer=\"9\""), std::string::npos);
  EXPECT_NE(shown.find("of 1327 units are open"), std::string::npos);
}

TEST(View, WithoutLayersItSaysWhy) {
  const ScratchFile program(".wat",
                            "(module (func $s) (start $s) (func (export \"main\") (nop) (nop)))");
  const ScratchFile page(".html", "");
  const isa::ChildResult run =
      RunTxvm({"view", program.path(), "--engine", "hull", "-o", page.path()});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.err.find("the page has no layers: its start function"), std::string::npos)
      << run.err;
}

// A program's texts are part of the page: none ends the element that holds them.
TEST(View, TextsOfAProgramStayTexts) {
  const ScratchFile program(
      ".wat", "(module (func (export \"</script><script>alert(1)</script>\")\n  (nop)))\n");
  const ScratchFile page(".html", "");
  const isa::ChildResult run = RunTxvm({"view", program.path(), "-o", page.path()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(page.Read().find("<script>alert"), std::string::npos);
}

void ExpectError(const std::string& line, ExitCode code, const std::string& said) {
  const isa::ChildResult run = RunTxvm(Words("view " + line));
  EXPECT_EQ(run.exit_code, Value(code)) << line;
  EXPECT_NE(run.err.find(said), std::string::npos) << run.err;
}

TEST(View, RefusesInOneSentence) {
  const std::string fib = "examples/fib.wat --invoke fib 3 ";
  ExpectError(fib, ExitCode::kUsage, "-o says where the page goes");
  ExpectError(fib + "-o /tmp/x.html --from 1000000", ExitCode::kUsage,
              "there is no step 995,000: the run ends after");
  ExpectError(fib + "-o /tmp/x.html --from 100", ExitCode::kUsage, "there is no step 100: ");
  ExpectError(fib + "-o /nowhere/x.html", ExitCode::kInternal, "/nowhere/x.html");
  ExpectError(fib + "-o /tmp/x.html --fuel 0", ExitCode::kUsage, "the run has no step to show");
  ExpectError(fib + "-o /tmp/x.html --fuel 10 --from 100k", ExitCode::kLimit, "after the fuel");
}

}  // namespace
}  // namespace txvm::frontends::cli
