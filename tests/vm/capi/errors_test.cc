// What the C interface says when it refuses, and what a run says when it ends badly.
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tests/vm/capi/api.h"

namespace txvm {
namespace {

using testing::Call;
using testing::Message;
using testing::Ok;

std::string LoadMessage(txvm_engine* engine, const std::string& bytes, const char* name) {
  txvm_program* program = nullptr;
  std::string message =
      Message(txvm_program_load(engine, bytes.data(), bytes.size(), name, &program));
  EXPECT_EQ(program, nullptr);
  return message;
}

constexpr const char* kCallsHost =
    ".import f \"env\" \"f\" params=2 results=1\n"
    ".func main results=1\n  PUSH 1\n  PUSH 2\n  CALL f\n.end\n.export \"main\" main\n";

std::string InstanceMessage(const txvm_program* program, const txvm_linker* linker,
                            const txvm_instance_options* options = nullptr) {
  txvm_instance* instance = nullptr;
  std::string message = Message(txvm_instance_new(program, linker, options, &instance));
  EXPECT_EQ(instance, nullptr);
  return message;
}

TEST(CApiErrors, TellMemoryThatTheSystemRefusesFromALimit) {
  const testing::EnginePtr engine = testing::NewEngine("native");
  const testing::ProgramPtr program =
      testing::LoadText(engine.get(), ".func main\n  NOP\n.end\n.export \"main\" main\n");
  txvm_instance_options options{};
  options.size = sizeof(options);
  options.max_slots = options.max_locals = options.max_depth = 1u << 30;
  constexpr int kMost = 100'000;  // 16 GiB each: an address space of 47 bits holds 8,000
  std::vector<testing::InstancePtr> instances;
  txvm_error* error = nullptr;
  for (int i = 0; error == nullptr && i < kMost; ++i) {
    txvm_instance* made = nullptr;
    error = txvm_instance_new(program.get(), nullptr, &options, &made);
    instances.emplace_back(made);
  }
  EXPECT_EQ(txvm_error_get_code(error), TXVM_ERROR_MEMORY);
  EXPECT_EQ(Message(error).find("the system refused to reserve "), 0u);
}

TEST(CApiErrors, NameTheMissingExportAndThoseThereAre) {
  const testing::EnginePtr engine = testing::NewEngine();
  const testing::ProgramPtr program = testing::LoadText(engine.get(), kCallsHost);
  std::uint32_t index = 0;
  EXPECT_EQ(Message(txvm_export_find(program.get(), "start", &index)),
            "no exported function 'start'; there is 'main'");
  EXPECT_EQ(Message(txvm_export_find(program.get(), "", &index)),
            "no exported function ''; there is 'main'");
  txvm_function function{};
  EXPECT_EQ(Message(txvm_export_get(program.get(), 1, &function)),
            "export 1 is out of range: the program has 1");
  EXPECT_EQ(Message(txvm_line_find(program.get(), 99, &index)),
            "line 99 of 'test.txa' has no instruction");
}

TEST(CApiErrors, AnExportMayHaveNoNameAtAll) {
  const testing::EnginePtr engine = testing::NewEngine();
  const testing::ProgramPtr program = testing::LoadText(
      engine.get(), "(module (func (export \"a\")) (func (export \"\")))", "empty.wat");
  std::uint32_t index = 0;
  Ok(txvm_export_find(program.get(), "", &index));
  EXPECT_EQ(index, 1u);
}

TEST(CApiErrors, NameTheUnknownImportAndTheWrongSignature) {
  const testing::EnginePtr engine = testing::NewEngine();
  const testing::ProgramPtr program = testing::LoadText(engine.get(), kCallsHost);
  EXPECT_EQ(InstanceMessage(program.get(), nullptr), "unknown import 'env.f'");
  const testing::LinkerPtr linker = testing::NewLinker(engine.get());
  const auto none = [](void*, txvm_instance*, const int32_t*, int32_t*) {
    return TXVM_HOST_CONTINUE;
  };
  Ok(txvm_linker_define(linker.get(), "env", "f", "i:", none, nullptr, nullptr));
  EXPECT_EQ(InstanceMessage(program.get(), linker.get()),
            "import 'env.f' takes 2 and returns 1 value, but the host function takes 1 and "
            "returns 0");
  const auto define = [&](const char* signature) {
    return Message(txvm_linker_define(linker.get(), "env", "f", signature, none, nullptr, nullptr));
  };
  EXPECT_EQ(define("ii"),
            "signature 'ii' of host function 'env.f' has no ':' between parameters and results");
  EXPECT_EQ(define("if:i"),
            "signature 'if:i' of host function 'env.f' has 'f' at 1: it is one 'i' (32-bit "
            "integer) for each parameter, ':', one for each result");
  EXPECT_EQ(define("i:i:i").find("signature 'i:i:i' of host function 'env.f' has ':' at 3"), 0u);
  EXPECT_EQ(Message(txvm_linker_define(linker.get(), "env", "f", ":", nullptr, nullptr, nullptr)),
            "function is NULL");
}

TEST(CApiErrors, NameTheCountsOfArgumentsAndResults) {
  const testing::EnginePtr engine = testing::NewEngine();
  const testing::ProgramPtr program = testing::LoadText(
      engine.get(), ".func add params=2 results=1\n  ADD\n.end\n.export \"add\" add\n");
  const testing::InstancePtr instance = testing::NewInstance(program.get());
  const std::int32_t args[3] = {1, 2, 3};
  std::int32_t results[2] = {};
  txvm_outcome outcome = testing::NewOutcome();
  const auto call = [&](std::size_t given, std::size_t wanted) {
    return Message(txvm_call(instance.get(), 0, args, given, results, wanted, &outcome));
  };
  EXPECT_EQ(call(1, 1), "function 'add' takes 2 arguments, but 1 was given");
  EXPECT_EQ(call(3, 1), "function 'add' takes 2 arguments, but 3 were given");
  EXPECT_EQ(call(2, 2), "function 'add' returns 1 result, but 2 were given");
  EXPECT_EQ(call(2, 1), "");
  EXPECT_EQ(Message(txvm_call(instance.get(), 7, args, 2, results, 1, &outcome)),
            "export 7 is out of range: the program has 1");
  EXPECT_EQ(Message(txvm_resume(instance.get(), results, 1, &outcome)),
            "there is nothing to resume: the last run was not out of fuel or interrupted");
  Ok(txvm_begin(instance.get(), 0, args, 2));
  EXPECT_EQ(Message(txvm_resume(instance.get(), results, 2, &outcome)),
            "the resumed call returns 1 result, but 2 were given");
}

TEST(CApiErrors, ComeFromNullPointersAndStructSizes) {
  txvm_engine_options options{};
  txvm_engine* made = nullptr;
  EXPECT_EQ(Message(txvm_engine_new(&options, &made)),
            "txvm_engine_options begins with size 0: set it to sizeof, 40 in this version");
  options.size = sizeof(options);
  options.engine = "steam";
  EXPECT_EQ(Message(txvm_engine_new(&options, &made)).find("engine 'steam' is unknown: there is "),
            0u);
  options.engine = nullptr;
  options.allocator.allocate = [](void*, std::size_t) -> void* { return nullptr; };
  EXPECT_EQ(Message(txvm_engine_new(&options, &made)), "allocator has allocate but no release");
  EXPECT_EQ(Message(txvm_engine_new(nullptr, nullptr)), "engine is NULL");
  EXPECT_EQ(txvm_host_trap(nullptr, "no ink"), TXVM_HOST_TRAP);
  EXPECT_EQ(txvm_host_fail(nullptr, "no ink"), TXVM_HOST_FAIL);
  EXPECT_EQ(txvm_host_exit(nullptr, 1), TXVM_HOST_EXIT);
  int place = 0;  // what was there before is not handed out
  auto* instance = reinterpret_cast<txvm_instance*>(&place);
  EXPECT_EQ(Message(txvm_instance_new(nullptr, nullptr, nullptr, &instance)), "program is NULL");
  EXPECT_EQ(instance, nullptr);
  auto* unmade = reinterpret_cast<txvm_program*>(&place);
  EXPECT_EQ(Message(txvm_program_load(nullptr, "", 0, nullptr, &unmade)), "engine is NULL");
  EXPECT_EQ(unmade, nullptr);

  struct Newer {
    txvm_instance_options known;
    std::uint64_t unknown;
  } newer{};
  newer.known.size = sizeof(newer);
  const testing::EnginePtr engine = testing::NewEngine();
  const testing::ProgramPtr program =
      testing::LoadText(engine.get(), ".func main\n  NOP\n.end\n.export \"main\" main\n");
  const testing::InstancePtr fine = testing::NewInstance(program.get(), nullptr, &newer.known);
  newer.unknown = 1;
  EXPECT_EQ(InstanceMessage(program.get(), nullptr, &newer.known),
            "txvm_instance_options has 48 bytes with fields this library does not know: it knows "
            "the first 40");
  txvm_outcome old{};  // from a time when outcomes had two fields
  old.size = offsetof(txvm_outcome, trap);
  old.steps = 77;
  Ok(txvm_call(fine.get(), 0, nullptr, 0, nullptr, 0, &old));
  EXPECT_EQ(old.stop, TXVM_HALTED);
  EXPECT_EQ(old.steps, 77u);
  EXPECT_EQ(Message(txvm_call(fine.get(), 0, nullptr, 0, nullptr, 0, nullptr)),
            "txvm_outcome is NULL");
}

TEST(CApiErrors, OfACallLeaveTheUnfinishedOneAsItWas) {
  const testing::EnginePtr engine = testing::NewEngine();
  const testing::ProgramPtr program =
      testing::LoadText(engine.get(),
                        ".func one results=1\n  PUSH 7\n.end\n.func none\n  NOP\n.end\n"
                        ".export \"one\" one\n.export \"none\" none\n");
  const testing::InstancePtr instance = testing::NewInstance(program.get());
  txvm_outcome outcome = testing::NewOutcome();
  const auto resumed = [&] {
    std::int32_t result = 0;
    Ok(txvm_fuel_set(instance.get(), TXVM_UNLIMITED_FUEL));
    Ok(txvm_resume(instance.get(), &result, 1, &outcome));
    return result;
  };
  Ok(txvm_begin(instance.get(), 0, nullptr, 0));
  EXPECT_EQ(Message(txvm_start(instance.get(), nullptr)), "txvm_outcome is NULL");
  EXPECT_EQ(resumed(), 7);
  Ok(txvm_begin(instance.get(), 0, nullptr, 0));
  EXPECT_EQ(Message(txvm_call(instance.get(), 1, nullptr, 0, nullptr, 0, nullptr)),
            "txvm_outcome is NULL");
  EXPECT_EQ(resumed(), 7);
}

TEST(CApiErrors, OfAStartThatIsNotThereAreNone) {
  const testing::EnginePtr engine = testing::NewEngine();
  const testing::ProgramPtr program =
      testing::LoadText(engine.get(), ".func one results=1\n  PUSH 7\n.end\n.export \"one\" one\n");
  const testing::InstancePtr instance = testing::NewInstance(program.get());
  txvm_outcome outcome = testing::NewOutcome();
  Ok(txvm_begin(instance.get(), 0, nullptr, 0));
  const std::uint64_t run = txvm_run_number(instance.get()) + 1;
  txvm_interrupt_run(instance.get(), run, TXVM_INTERRUPT_TIMEOUT);
  Ok(txvm_start(instance.get(), &outcome));
  EXPECT_EQ(outcome.stop, TXVM_HALTED);
  EXPECT_EQ(txvm_run_number(instance.get()), run);
  EXPECT_FALSE(txvm_resumable(instance.get()));
  std::int32_t result = 0;
  Ok(txvm_call(instance.get(), 0, nullptr, 0, &result, 1, &outcome));
  EXPECT_EQ(outcome.stop, TXVM_HALTED);
}

TEST(CApiErrors, OfTextsHaveTheirPlace) {
  const testing::EnginePtr engine = testing::NewEngine();
  txvm_program* program = nullptr;
  const std::string text = ".func main\n  SWPA\n.end\n";
  txvm_error* error =
      txvm_program_load(engine.get(), text.data(), text.size(), "rules.txa", &program);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(txvm_error_get_code(error), TXVM_ERROR_SYNTAX);
  EXPECT_EQ(txvm_error_line(error), 2u);
  EXPECT_EQ(txvm_error_column(error), 3u);
  EXPECT_EQ(std::string(txvm_error_report(error)).find("rules.txa:2:3: error: "), 0u);
  txvm_error_delete(error);
  EXPECT_NE(LoadMessage(engine.get(), "(module (func (export \"f\") i32.add))", "m.wat"), "");
  EXPECT_NE(LoadMessage(engine.get(), std::string("\0asm\1\0\0\0\xFF", 9), nullptr), "");
  EXPECT_NE(LoadMessage(engine.get(), "ADD\nHALT\n", nullptr), "");  // refused by the validator
  EXPECT_EQ(Message(txvm_program_load_file(engine.get(), "/no/such/file.txa", &program)),
            "cannot open '/no/such/file.txa': No such file or directory");
}

class Endings : public testing::OnEachEngine {};

// What a callback of C++ throws ends the call in an error: that is a run too, and has made its
// steps.
TEST_P(Endings, InAnErrorAreCountedAndTracedAsAnyRun) {
  const testing::EnginePtr engine = testing::NewEngine(GetParam());
  const testing::ProgramPtr program = testing::LoadText(engine.get(), kCallsHost);
  const testing::LinkerPtr linker = testing::NewLinker(engine.get());
  bool throws = false;
  const auto host = [](void* user, txvm_instance*, const int32_t*, int32_t*) {
    if (*static_cast<bool*>(user)) throw std::runtime_error("no such spell");
    return TXVM_HOST_CONTINUE;
  };
  Ok(txvm_linker_define(linker.get(), "env", "f", "ii:i", host, &throws, nullptr));
  const testing::InstancePtr instance = testing::NewInstance(program.get(), linker.get());
  std::vector<std::uint64_t> steps;
  txvm_watch watch{};
  watch.size = sizeof(watch);
  watch.user = &steps;
  watch.stats = true;
  watch.trace = [](void* user, const txvm_trace_record* records, std::size_t count) {
    auto* seen = static_cast<std::vector<std::uint64_t>*>(user);
    for (std::size_t i = 0; i < count; ++i) seen->push_back(records[i].step);
  };
  Ok(txvm_watch_set(instance.get(), &watch));
  std::vector<std::int32_t> results;
  EXPECT_EQ(Call(instance.get(), "main", {}, &results).stop, TXVM_HALTED);

  constexpr std::uint64_t kFuel = 100, kStepsToTheCall = 3;  // the call of main, two PUSH
  Ok(txvm_fuel_set(instance.get(), kFuel));
  steps.clear();
  throws = true;
  txvm_outcome outcome = testing::NewOutcome();
  EXPECT_EQ(Message(txvm_call(instance.get(), 0, nullptr, 0, results.data(), 1, &outcome)),
            "no such spell");
  EXPECT_EQ(txvm_fuel_get(instance.get()), kFuel - kStepsToTheCall);
  EXPECT_EQ(steps, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_STREQ(txvm_message(instance.get()), "");
  txvm_stats stats{};
  stats.size = sizeof(stats);
  EXPECT_EQ(Message(txvm_stats_get(instance.get(), &stats)),
            "the last run was not watched with stats");
  EXPECT_FALSE(txvm_resumable(instance.get()));
  throws = false;
  EXPECT_EQ(Call(instance.get(), "main", {}, &results).stop, TXVM_HALTED);
}

constexpr const char* kDeep = R"(
.memory 1 1
.func down params=1 results=1
  PUSH 1
  ADD
  CALL down
.end
.func tall results=1
  PUSH 1
  PUSH 2
  PUSH 3
  PUSH 4
  ADD
  ADD
  ADD
.end
.func load params=1 results=1
  I32.LOAD 4
.end
.export "down" down
.export "tall" tall
.export "load" load
)";

TEST_P(Endings, SayWhatWasExhausted) {
  const testing::EnginePtr engine = testing::NewEngine(GetParam());
  const testing::ProgramPtr program = testing::LoadText(engine.get(), kDeep);
  txvm_instance_options options{};
  options.size = sizeof(options);
  options.max_depth = 100;
  options.max_slots = 3;
  const testing::InstancePtr instance = testing::NewInstance(program.get(), nullptr, &options);
  std::vector<std::int32_t> results;
  const auto message = [&](const char* name, std::vector<std::int32_t> args) {
    Call(instance.get(), name, args, &results);
    const std::string text = txvm_message(instance.get());
    return text.substr(0, text.find(" (instruction"));
  };
  EXPECT_EQ(message("down", {0}),
            "trapped: call stack exhausted: call depth in 'down' at test.txa:6");
  EXPECT_EQ(txvm_backtrace(instance.get(), nullptr, 0), 101u);
  EXPECT_EQ(message("tall", {}),
            "trapped: call stack exhausted: operand slots in 'tall' at test.txa:12");
  EXPECT_EQ(message("load", {65'530}),
            "trapped: out of bounds memory access in 'load' at test.txa:18");
  Ok(txvm_fuel_set(instance.get(), 3));
  EXPECT_EQ(message("down", {0}), "out of fuel after 3 steps in 'down' at test.txa:6");
}

TXVM_ON_EACH_ENGINE(Endings);

TEST(Endings, LimitsCoverLoadingAndStarting) {
  const testing::EnginePtr engine = testing::NewEngine();
  const testing::ProgramPtr program = testing::LoadText(engine.get(), kDeep);
  txvm_instance_options options{};
  options.size = sizeof(options);
  const testing::ProgramPtr large = testing::LoadText(
      engine.get(), ".memory 5 9\n.func main\n  NOP\n.end\n.export \"main\" main\n");
  options.max_pages = 4;
  EXPECT_EQ(InstanceMessage(large.get(), nullptr, &options),
            "initial memory of 5 pages exceeds the limit of 4 pages");
  options.max_slots = 0xFFFFFFFF;
  EXPECT_EQ(InstanceMessage(program.get(), nullptr, &options),
            "max_slots 4294967295 is above 1073741824");
  const testing::ProgramPtr starts = testing::LoadText(
      engine.get(), "(module (func $s (loop (br 0))) (start $s) (func (export \"f\")))", "s.wat");
  const testing::InstancePtr instance = testing::NewInstance(starts.get());
  Ok(txvm_fuel_set(instance.get(), 10'000));
  txvm_outcome outcome = testing::NewOutcome();
  Ok(txvm_start(instance.get(), &outcome));
  EXPECT_EQ(outcome.stop, TXVM_OUT_OF_FUEL);
  EXPECT_EQ(outcome.steps, 10'000u);
}

}  // namespace
}  // namespace txvm
