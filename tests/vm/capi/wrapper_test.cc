// The C++ wrapper, and a caller written in C.
#include <gtest/gtest.h>

#include "vm/txvm.hpp"

extern "C" int txvm_test_from_c(int x, int* calls);

namespace {

TEST(FromC, ProgramsAreLoadedLinkedAndCalled) {
  int calls = 0;
  EXPECT_EQ(txvm_test_from_c(20, &calls), 41);
  EXPECT_EQ(calls, 1);
}

constexpr const char* kText = R"(
.memory 1 1
.import mix "env" "mix" params=2 results=1
.import log "env" "log" params=1 results=0
.func f params=2 results=1
  CALL mix
  DUP
  CALL log
.end
.func g
  PUSH 0
  PUSH 1
  DIV_U
  CALL log
  PUSH 1
  PUSH 0
  DIV_U
  POP
.end
.export "f" f
.export "g" g
)";

TEST(Wrapper, CallsInBothDirections) {
  txvm::Engine engine;
  txvm::Linker linker(engine);
  std::vector<int> logged;
  linker.Define("env", "mix", [](txvm::Caller caller, int a, int b) {
    caller.Write(0, "mixed", 5);
    return 10 * a + b;
  });
  linker.Define("env", "log", [&](int value) { logged.push_back(value); });
  txvm::Instance instance(txvm::Program::FromBytes(engine, kText), linker);
  EXPECT_EQ(instance.Invoke("f", 4, 2), 42);
  EXPECT_EQ(logged, std::vector<int>{42});
  EXPECT_EQ(instance.Memory().ReadString(0, 5), "mixed");
}

// Of functions without parameters too, which leave parts of the wrapper unused: no warning of it.
TEST(Wrapper, DefinesFunctionsWithoutParameters) {
  txvm::Engine engine("native");
  txvm::Linker linker(engine);
  int rung = 0;
  linker.Define("env", "ring", [&] { ++rung; });
  linker.Define("env", "count", [&](txvm::Caller) { return rung; });
  txvm::Instance instance(
      txvm::Program::FromBytes(engine,
                               ".import ring \"env\" \"ring\"\n"
                               ".import count \"env\" \"count\" results=1\n"
                               ".func f results=1\n  CALL ring\n  CALL count\n.end\n"
                               ".export \"f\" f\n"),
      linker);
  EXPECT_EQ(instance.Invoke("f"), 1);
}

// A length that a program passes is not trusted: what is out of range is not allocated either.
TEST(Wrapper, ReadsNoStringThatIsOutOfRange) {
  txvm::Engine engine("native");
  txvm::Instance instance(
      txvm::Program::FromBytes(engine, "(module (memory 1) (func (export \"f\")))", "m.wat"));
  constexpr std::size_t kHuge = std::size_t{1} << 62;
  const auto message = [&](const auto& read) -> std::string {
    try {
      read();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "nothing is thrown";
  };
  EXPECT_EQ(message([&] { (void)instance.Memory().ReadString(8, kHuge); }),
            "memory read of 4611686018427387904 bytes at 8 is outside the memory of 65536 bytes");
  EXPECT_EQ(instance.Memory().ReadString(65'536, 0), "");
}

TEST(Wrapper, ThrowsWhatTheInterfaceRefusesAndWhatDoesNotHalt) {
  txvm::Engine engine("native");
  txvm::Linker linker(engine);
  linker.Define("env", "mix", [](int, int) -> int { throw std::runtime_error("no mixing today"); });
  linker.Define("env", "log", [](int) { throw txvm::Exit{7}; });
  txvm::Instance instance(txvm::Program::FromBytes(engine, kText), linker);
  EXPECT_THROW(instance.Invoke("f", 1), txvm::Error);
  EXPECT_THROW(instance.Invoke("h"), txvm::Error);
  try {
    instance.Invoke("f", 1, 2);
    FAIL();
  } catch (const txvm::Stopped& stopped) {
    EXPECT_NE(std::string(stopped.what()).find("no mixing today"), std::string::npos);
    EXPECT_EQ(stopped.outcome.trap, TXVM_TRAP_HOST);
  }
  try {
    instance.Invoke("g");
    FAIL();
  } catch (const txvm::Stopped& stopped) {
    EXPECT_EQ(stopped.outcome.exit_code, 7);
  }
}

TEST(Wrapper, ResumesAfterFuel) {
  txvm::Engine engine;
  const txvm::Program program = txvm::Program::FromBytes(
      engine, ".func main results=1\n  PUSH 1\n  PUSH 2\n  ADD\n.end\n.export \"main\" main\n");
  txvm::Instance instance(program);
  instance.SetFuel(2);
  std::int32_t result = 0;
  EXPECT_EQ(instance.Call(program.Find("main"), nullptr, 0, &result, 1).stop, TXVM_OUT_OF_FUEL);
  EXPECT_EQ(instance.Fuel(), 0u);
  instance.SetFuel(10);
  EXPECT_EQ(instance.Resume(&result, 1).stop, TXVM_HALTED);
  EXPECT_EQ(result, 3);
}

}  // namespace
