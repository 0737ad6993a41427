// txvm play: the same frames on every engine, pictures, windows where there is none, bad programs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "frontends/cli/support/exit_code.h"
#include "frontends/screen/film.h"
#include "isa/support/file.h"
#include "isa/support/system/child_process.h"
#include "isa/support/system/temp_file.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

isa::ChildResult Play(const std::string& line) { return RunTxvm(Words("play " + line)); }

std::string Temporary(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

bool HasClang() {
  return !isa::FindProgram("clang").empty() && !isa::FindProgram("wasm-ld").empty();
}

struct Film {
  const char* program;
  const char* options;
  const char* hash;
};

// The frames of the examples. They change when an example does.
constexpr Film kFilms[] = {
    {"examples/screen/life.wat", "--frames 30", "0b6c8f560763b007"},
    {"examples/screen/raycaster.c", "--frames 30", "75936be63a5dd79b"},
    {"examples/wasm4/stars.wat", "--frames 100 --keys 3", "e825f6d2d3bbdf69"},
    {"examples/wasm4/snake.c", "--frames 300 --keys 3", "946d0c24ee928011"},
};

TEST(Play, TheExamplesDrawTheSameFramesOnEveryEngine) {
  for (const Film& film : kFilms) {
    if (std::string_view(film.program).ends_with(".c") && !HasClang()) {
      GTEST_SKIP() << "clang and wasm-ld compile " << film.program << "; one of them is not here";
    }
    for (const char* engine : {"attention", "native", "folded"}) {
      const isa::ChildResult run =
          Play(fmt::format("{} {} --engine {}", film.program, film.options, engine));
      EXPECT_EQ(run.exit_code, 0) << run.err;
      EXPECT_TRUE(run.out.ends_with(fmt::format(" frames, hash {}\n", film.hash)))
          << film.program << " on " << engine << ": " << run.out;
    }
  }
}

TEST(Play, HashesAndStatisticsArePrinted) {
  const isa::ChildResult run =
      Play("examples/wasm4/stars.wat --frames 2 --hashes --stats -e native");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("1 ")) << run.out;
  EXPECT_NE(run.out.find("\n2 "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("\n2 frames, hash "), std::string::npos) << run.out;
  EXPECT_TRUE(run.err.starts_with("native: 2 frames in ")) << run.err;
}

TEST(Play, WritesAGifAndPngs) {
  if (!screen::GifWriter::CheckThere() || !screen::CheckPng()) {
    GTEST_SKIP() << "this build has no giflib or no libpng";
  }
  const std::string gif = Temporary("play.gif"), folder = Temporary("play_png");
  std::filesystem::create_directories(folder);
  const isa::ChildResult run =
      Play(fmt::format("examples/screen/life.wat --frames 6 --gif {} --png {}", gif, folder));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(isa::ReadFile(gif).value().starts_with("GIF89a"));
  EXPECT_TRUE(isa::ReadFile(folder + "/000006.png").value().starts_with("\x89PNG"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/000007.png"));
  std::filesystem::remove_all(folder);
  EXPECT_EQ(Play("examples/screen/life.wat --png /nowhere/at/all").err,
            "txvm: error: --png '/nowhere/at/all' is no folder: make it first\n");
  EXPECT_EQ(Play("examples/screen/life.wat --frames 1 --gif /nowhere/a.gif").exit_code,
            Value(ExitCode::kInternal));
}

TEST(Play, WithoutADisplayItSaysWhatToDo) {
  setenv("SDL_VIDEODRIVER", "nosuchdriver", 1);
  const isa::ChildResult run = Play("examples/screen/life.wat --window --frames 1");
  unsetenv("SDL_VIDEODRIVER");
  EXPECT_NE(run.exit_code, 0);
  EXPECT_NE(run.err.find("write frames to a file by --gif FILE or --png DIR"), std::string::npos)
      << run.err;
}

// SDL2 then takes a display that nobody sees, and the program would play on it for ever.
TEST(Play, AHiddenDisplayIsNone) {
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  const isa::ChildResult run = Play("examples/screen/life.wat --window --frames 1 --timeout 20s");
  if (run.exit_code == 0) GTEST_SKIP() << "this machine has a console with graphics";
  EXPECT_NE(run.err.find("write frames to a file by --gif FILE or --png DIR"), std::string::npos)
      << run.err;
}

#ifdef TXVM_HAS_SDL2
TEST(Play, AWindowShowsTheSameFrames) {
  const isa::ChildResult without =
      Play("examples/wasm4/stars.wat --frames 20 --rate 1000 --keys 3 --hashes -e native");
  setenv("SDL_VIDEODRIVER", "dummy", 1);  // SDL2's own display that nobody sees
  const isa::ChildResult with =
      Play("examples/wasm4/stars.wat --frames 20 --rate 1000 --keys 3 --hashes -e native --window");
  unsetenv("SDL_VIDEODRIVER");
  if (with.err.find("there is no SDL2") != std::string::npos) GTEST_SKIP() << with.err;
  EXPECT_EQ(with.exit_code, 0) << with.err;
  EXPECT_TRUE(without.out.starts_with(with.out) && !with.out.empty()) << with.out << with.err;
}
#endif

TEST(Play, RefusesWhatDrawsNothing) {
  const isa::ChildResult run = Play("examples/fib.wat");
  EXPECT_EQ(run.exit_code, Value(ExitCode::kUsage));
  EXPECT_EQ(run.err,
            "txvm: error: examples/fib.wat draws nothing: it neither imports screen.draw nor "
            "exports update, as cartridges do\n");
}

TEST(Play, RunNamesItForAProgramThatDraws) {
  EXPECT_EQ(RunTxvm({"run", "examples/screen/life.wat"}).err,
            "examples/screen/life.wat: error: unknown import 'screen.draw': txvm play runs "
            "programs that draw\n");
}

std::string ErrorOf(const std::string& module) {
  const ScratchFile file(".wat", module);
  const isa::ChildResult run = Play(file.path() + " --frames 3");
  EXPECT_NE(run.exit_code, 0);
  return run.err;
}

TEST(Play, FramesThatAreNoneTrap) {
  const auto draw = [](const std::string& arguments) {
    return ErrorOf(
        "(module (import \"screen\" \"draw\" (func $d (param i32 i32 i32))) (memory 1)"
        "(func (export \"main\") (call $d " +
        arguments + ")))");
  };
  EXPECT_NE(draw("(i32.const 0) (i32.const 0) (i32.const 5)").find("a side has 1 to 4096"),
            std::string::npos);
  EXPECT_NE(
      draw("(i32.const 65533) (i32.const 1) (i32.const 1)").find("out of bounds memory access"),
      std::string::npos);
  EXPECT_NE(
      draw("(i32.const -4) (i32.const 4096) (i32.const 4096)").find("out of bounds memory access"),
      std::string::npos);
}

TEST(Play, CartridgesThatBreakTheRulesAreNamed) {
  EXPECT_NE(ErrorOf("(module (memory 0) (func (export \"update\")))").find("65536 bytes"),
            std::string::npos);
  EXPECT_NE(ErrorOf("(module (import \"env\" \"memory\" (memory 1))"
                    "(import \"env\" \"text\" (func $t (param i32 i32 i32)))"
                    "(func (export \"update\")"
                    "(call $t (i32.const 70000) (i32.const 0) (i32.const 0))))")
                .find("env.text at 70000"),
            std::string::npos);
  EXPECT_NE(ErrorOf("(module (import \"env\" \"warp\" (func)) (memory 1)"
                    "(func (export \"update\")))")
                .find("env.warp"),
            std::string::npos);
}

TEST(Play, AnEndlessFrameEndsByItsFuel) {
  const ScratchFile file(".wat", "(module (memory 1) (func (export \"update\") (loop (br 0))))");
  const isa::ChildResult run = Play(file.path() + " --frames 3 --fuel 1M");
  EXPECT_EQ(run.exit_code, Value(ExitCode::kOutOfFuel));
  EXPECT_TRUE(run.out.starts_with("0 frames, ")) << run.out;
}

TEST(Play, ACartridgeTracesAndSaves) {
  const ScratchFile file(
      ".wat",
      "(module (import \"env\" \"memory\" (memory 1))"
      "(import \"env\" \"diskr\" (func $r (param i32 i32) (result i32)))"
      "(import \"env\" \"diskw\" (func $w (param i32 i32) (result i32)))"
      "(import \"env\" \"tracef\" (func $t (param i32 i32)))"
      "(import \"env\" \"blit\" (func $b (param i32 i32 i32 i32 i32)))"  // one parameter is missing
      "(data (i32.const 0x2000) \"%d%% of %s, %x, %c, %f\\00\") (data (i32.const 0x2100) "
      "\"it\\00\")"
      "(func (export \"start\") (drop (call $r (i32.const 0x3000) (i32.const 4))))"
      "(func (export \"update\")"
      "  (i32.store (i32.const 0x3000) (i32.add (i32.const 1) (i32.load (i32.const 0x3000))))"
      "  (drop (call $w (i32.const 0x3000) (i32.const 4)))"
      "  (call $b (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 1))"
      "  (i32.store (i32.const 0x3010) (i32.load (i32.const 0x3000)))"
      "  (i32.store (i32.const 0x3014) (i32.const 0x2100))"
      "  (i32.store (i32.const 0x3018) (i32.const 255))"
      "  (i32.store (i32.const 0x301c) (i32.const 65))"
      "  (f64.store (i32.const 0x3020) (f64.const 1.5))"
      "  (call $t (i32.const 0x2000) (i32.const 0x3010))))");
  const std::string disk = Temporary("play.disk");
  std::filesystem::remove(disk);
  const std::string line = fmt::format("{} --frames 2 --disk {}", file.path(), disk);
  EXPECT_EQ(Play(line).err, "txvm: 1% of it, ff, A, 1.5\ntxvm: 2% of it, ff, A, 1.5\n");
  EXPECT_EQ(Play(line).err, "txvm: 3% of it, ff, A, 1.5\ntxvm: 4% of it, ff, A, 1.5\n");
  EXPECT_EQ(isa::ReadFile(disk).value(), std::string("\4\0\0\0", 4));
}

}  // namespace
}  // namespace txvm::frontends::cli
