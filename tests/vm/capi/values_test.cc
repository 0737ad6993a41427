// Typed values of the C interface and its C++ wrapper: signatures, calls, host functions, refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/vm/capi/api.h"
#include "vm/txvm.hpp"

namespace txvm::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// swap turns its arguments round; half and wide pass theirs to the host.
constexpr const char* kText = R"(
.import host_half "env" "half" params=f64 results=f64
.import host_wide "env" "wide" params=i64,f32 results=i64
.func swap params=i64,f64,f32 results=f32,i64,f64
  LOCAL.SET 4
  LOCAL.SET 3
  LOCAL.SET 2
  LOCAL.SET 1
  LOCAL.SET 0
  LOCAL.GET 4
  LOCAL.GET 0
  LOCAL.GET 1
  LOCAL.GET 2
  LOCAL.GET 3
.end
.func half params=f64 results=f64
  CALL host_half
.end
.func wide params=i64,f32 results=i64
  CALL host_wide
.end
.func words params=2 results=1
  ADD
.end
.func single params=f32 results=f32
.end
.func turn params=v128,i32 results=i32,v128
  LOCAL.SET 4
  LOCAL.SET 3
  LOCAL.SET 2
  LOCAL.SET 1
  LOCAL.SET 0
  LOCAL.GET 4
  LOCAL.GET 0
  LOCAL.GET 1
  LOCAL.GET 2
  LOCAL.GET 3
.end
.export "swap" swap
.export "half" half
.export "wide" wide
.export "words" words
.export "single" single
.export "turn" turn
)";

txvm_value I64(std::int64_t number) { return ToValue(number); }
txvm_value F32(float number) { return ToValue(number); }
txvm_value F64(double number) { return ToValue(number); }

txvm_host_status Half(void*, txvm_instance*, const txvm_value* args, txvm_value* results) {
  EXPECT_EQ(args[0].type, TXVM_F64);
  EXPECT_EQ(results[0].type, TXVM_F64);
  results[0].of.f64 = args[0].of.f64 / 2;
  return TXVM_HOST_CONTINUE;
}

txvm_host_status Wide(void*, txvm_instance*, const txvm_value* args, txvm_value* results) {
  results[0].of.i64 = args[0].of.i64 + static_cast<std::int64_t>(args[1].of.f32);
  return TXVM_HOST_CONTINUE;
}

txvm_host_status WrongType(void*, txvm_instance*, const txvm_value*, txvm_value* results) {
  results[0].type = TXVM_F32;
  return TXVM_HOST_CONTINUE;
}

txvm_error* Define(txvm_linker* linker, const char* name, const char* signature,
                   txvm_host_value_function function) {
  return txvm_linker_define_values(linker, "env", name, signature, function, nullptr, nullptr);
}

class Values : public OnEachEngine {
 protected:
  Values() : engine_(NewEngine(GetParam())), program_(LoadText(engine_.get(), kText)) {
    LinkerPtr linker = NewLinker(engine_.get());
    Ok(Define(linker.get(), "half", "d:d", Half));
    Ok(Define(linker.get(), "wide", "lf:l", Wide));
    instance_ = NewInstance(program_.get(), linker.get());
  }
  std::string Call(const char* name, const std::vector<txvm_value>& args,
                   std::vector<txvm_value>& results) {
    txvm_outcome outcome = NewOutcome();
    return Message(txvm_call_values(instance_.get(), Find(program_.get(), name), args.data(),
                                    args.size(), results.data(), results.size(), &outcome));
  }
  EnginePtr engine_;
  ProgramPtr program_;
  InstancePtr instance_;
};
TXVM_ON_EACH_ENGINE(Values);

TEST_P(Values, SignaturesAreLetters) {
  const txvm_program* program = program_.get();
  EXPECT_STREQ(txvm_export_signature(program, Find(program, "swap")), "ldf:fld");
  EXPECT_STREQ(txvm_export_signature(program, Find(program, "words")), "ii:i");
  EXPECT_STREQ(txvm_import_signature(program, 1), "lf:l");
  EXPECT_STREQ(txvm_export_signature(program, Find(program, "turn")), "vi:iv");
  EXPECT_EQ(txvm_export_signature(program, 6), nullptr);
  EXPECT_EQ(txvm_import_signature(program, 2), nullptr);
  EXPECT_EQ(txvm_export_signature(nullptr, 0), nullptr);
  txvm_function function{};
  Ok(txvm_export_get(program, Find(program, "swap"), &function));
  EXPECT_EQ(function.params, 5u);
  EXPECT_EQ(function.results, 4u + 1);
}

TEST_P(Values, GoInAndOutExactly) {
  for (const std::int64_t wide : {std::int64_t{0}, INT64_MIN, INT64_MAX, std::int64_t{-1}}) {
    for (const double number : {0.0, -0.0, 5e-324, -kInfinity, 1e308}) {
      std::vector<txvm_value> results(3);
      ASSERT_EQ(Call("swap", {I64(wide), F64(number), F32(1e-45f)}, results), "");
      EXPECT_EQ(results[0].type, TXVM_F32);
      EXPECT_EQ(results[0].of.f32, 1e-45f);
      EXPECT_EQ(results[1].type, TXVM_I64);
      EXPECT_EQ(results[1].of.i64, wide);
      EXPECT_EQ(results[2].type, TXVM_F64);
      EXPECT_EQ(results[2].of.f64, number);
      EXPECT_EQ(std::signbit(results[2].of.f64), std::signbit(number));
    }
  }
}

TEST_P(Values, OfVectorsAreFourLanes) {
  const Vector lanes = {1, -2, INT32_MIN, 0x01020304};
  std::vector<txvm_value> results(2);
  ASSERT_EQ(Call("turn", {ToValue(lanes), ToValue(9)}, results), "");
  EXPECT_EQ(FromValue<std::int32_t>(results[0]), 9);
  EXPECT_EQ(results[1].type, TXVM_V128);
  EXPECT_EQ(FromValue<Vector>(results[1]), lanes);
  EXPECT_EQ(Call("turn", {ToValue(9), ToValue(9)}, results),
            "argument 1 is i32, expected v128: turn(v128, i32) -> (i32, v128)");
}

TEST_P(Values, KeepTheMantissaOfANan) {
  txvm_value nan = F64(0);
  nan.of.i64 = 0x7FF0000000000001;
  std::vector<txvm_value> results(3);
  ASSERT_EQ(Call("swap", {I64(0), nan, F32(0)}, results), "");
  EXPECT_EQ(results[2].of.i64, 0x7FF0000000000001);
}

TEST_P(Values, ReachHostFunctionsAndComeBack) {
  std::vector<txvm_value> results(1);
  ASSERT_EQ(Call("half", {F64(0.3)}, results), "");
  EXPECT_EQ(results[0].of.f64, 0.15);
  ASSERT_EQ(Call("wide", {I64(INT64_MIN), F32(7.5f)}, results), "");
  EXPECT_EQ(results[0].of.i64, INT64_MIN + 7);
}

TEST_P(Values, OfUntypedFunctionsAreWords) {
  std::vector<txvm_value> results(1);
  ASSERT_EQ(Call("words", {ToValue(INT32_MAX), ToValue(1)}, results), "");
  EXPECT_EQ(results[0].type, TXVM_I32);
  EXPECT_EQ(results[0].of.i32, INT32_MIN);
}

TEST_P(Values, OfATypedFunctionCanBePassedAsWords) {
  std::int32_t half[] = {0, 0x40040000}, result[2];  // 2.5
  txvm_outcome outcome = NewOutcome();
  Ok(txvm_call(instance_.get(), Find(program_.get(), "half"), half, 2, result, 2, &outcome));
  EXPECT_EQ(result[0], 0);
  EXPECT_EQ(result[1], 0x3FF40000);  // 1.25
}

TEST_P(Values, AreRefusedWithTheSignature) {
  std::vector<txvm_value> one(1), none;
  EXPECT_EQ(Call("half", {}, one),
            "function 'half' takes 1 argument, but 0 were given: half(f64) -> f64");
  EXPECT_EQ(Call("half", {F64(1), F64(2)}, one),
            "function 'half' takes 1 argument, but 2 were given: half(f64) -> f64");
  EXPECT_EQ(Call("half", {F64(1)}, none),
            "function 'half' returns 1 result, but 0 were given: half(f64) -> f64");
  EXPECT_EQ(Call("half", {I64(1)}, one), "argument 1 is i64, expected f64: half(f64) -> f64");
  EXPECT_EQ(Call("wide", {I64(1), F64(2)}, one),
            "argument 2 is f64, expected f32: wide(i64, f32) -> i64");
  txvm_value wrong = I64(1);
  const int code = 77;
  std::memcpy(&wrong.type, &code, sizeof code);
  EXPECT_EQ(Call("half", {wrong}, one),
            "argument 1 is of type 77, which there is not, expected f64: half(f64) -> f64");
  txvm_outcome outcome = NewOutcome();
  EXPECT_EQ(Message(txvm_call_values(instance_.get(), 99, nullptr, 0, nullptr, 0, &outcome)),
            "export 99 is out of range: the program has 6");
  EXPECT_EQ(Message(txvm_call_values(nullptr, 0, nullptr, 0, nullptr, 0, &outcome)),
            "instance is NULL");
  EXPECT_EQ(Message(txvm_call_values(instance_.get(), 0, nullptr, 1, nullptr, 0, &outcome)),
            "args is NULL");
}

TEST_P(Values, AreResumedAndStepped) {
  const std::uint32_t swap = Find(program_.get(), "swap");
  const std::vector<txvm_value> args = {I64(-5), F64(0.25), F32(3)};
  Ok(txvm_begin_values(instance_.get(), swap, args.data(), args.size()));
  std::vector<txvm_value> results(3);
  txvm_outcome outcome = NewOutcome();
  Ok(txvm_step_values(instance_.get(), 4, results.data(), 3, &outcome));
  EXPECT_EQ(outcome.interrupt, TXVM_INTERRUPT_STEP);
  EXPECT_EQ(Message(txvm_resume_values(instance_.get(), results.data(), 2, &outcome)),
            "the resumed call returns 3 results, but 2 were given");
  Ok(txvm_resume_values(instance_.get(), results.data(), 3, &outcome));
  EXPECT_EQ(outcome.stop, TXVM_HALTED);
  EXPECT_EQ(outcome.result_count, 5u);
  EXPECT_EQ(results[1].of.i64, -5);
  EXPECT_EQ(results[2].of.f64, 0.25);
  EXPECT_EQ(Message(txvm_resume_values(instance_.get(), nullptr, 0, &outcome)),
            "there is nothing to resume: the last run was not out of fuel or interrupted");
}

TEST_P(Values, AreKnownAfterASnapshotIsRestored) {
  const std::vector<txvm_value> args = {I64(-5), F64(0.25), F32(3)};
  Ok(txvm_begin_values(instance_.get(), Find(program_.get(), "swap"), args.data(), args.size()));
  txvm_outcome outcome = NewOutcome();
  std::vector<txvm_value> results(3);
  Ok(txvm_step_values(instance_.get(), 4, results.data(), 3, &outcome));
  txvm_instance* clone = nullptr;
  Ok(txvm_instance_clone(instance_.get(), &clone));
  const InstancePtr owned(clone);
  Ok(txvm_resume_values(clone, results.data(), 3, &outcome));
  EXPECT_EQ(results[2].of.f64, 0.25);
}

TEST_P(Values, OfHostFunctionsHaveTheirTypes) {
  LinkerPtr linker = NewLinker(engine_.get());
  Ok(Define(linker.get(), "half", "d:d", WrongType));
  Ok(Define(linker.get(), "wide", "lf:l", Wide));
  const InstancePtr instance = NewInstance(program_.get(), linker.get());
  const txvm_value arg = F64(1);
  txvm_value result{};
  txvm_outcome outcome = NewOutcome();
  Ok(txvm_call_values(instance.get(), Find(program_.get(), "half"), &arg, 1, &result, 1, &outcome));
  EXPECT_EQ(outcome.stop, TXVM_HOST_FAILED);
  EXPECT_STREQ(txvm_message(instance.get()),
               "host function failed: host function 'env.half' gave its result 1 another type than "
               "f64 in 'half' at test.txa:17 (instruction 11)");
}

TEST_P(Values, OfImportsAndHostFunctionsMustAgree) {
  LinkerPtr linker = NewLinker(engine_.get());
  Ok(Define(linker.get(), "wide", "lf:l", Wide));
  Ok(Define(linker.get(), "half", "l:l", Half));
  txvm_instance* made = nullptr;
  EXPECT_EQ(Message(txvm_instance_new(program_.get(), linker.get(), nullptr, &made)),
            "import env.half(f64) -> f64, but the host function is (i64) -> i64");
  EXPECT_EQ(Message(Define(linker.get(), "half", "dx:d", Half)),
            "signature 'dx:d' of host function 'env.half' has 'x' at 1: it is a letter for each "
            "parameter, ':', one for each result; i is i32, l i64, f f32, d f64");
  EXPECT_EQ(Message(Define(linker.get(), "half", "d", Half)),
            "signature 'd' of host function 'env.half' has no ':' between parameters and results");
  EXPECT_EQ(Message(Define(linker.get(), "half", "d::d", Half)).substr(0, 53),
            "signature 'd::d' of host function 'env.half' has ':' ");
  EXPECT_EQ(Message(Define(linker.get(), "half", "d:d", nullptr)), "function is NULL");
}

// ---- the wrapper ----

TEST_P(Values, OfCppAreItsNumbers) {
  Engine engine(GetParam());
  Linker linker(engine);
  linker.Define("env", "half", [](double number) { return number / 2; });
  linker.Define("env", "wide", [](std::int64_t wide, float number) {
    return wide + static_cast<std::int64_t>(number);
  });
  Instance instance(Program::FromBytes(engine, kText), linker);
  EXPECT_EQ(instance.Call<double>("half", 0.3), 0.15);
  EXPECT_EQ(instance.Call<double>("half", 3), 1.5);
  EXPECT_EQ(instance.Call<double>("half", 0.5f), 0.25);
  EXPECT_EQ(instance.Call<std::int64_t>("wide", std::uint64_t{1} << 63, 1.0f), INT64_MIN + 1);
  EXPECT_EQ(instance.Call<std::uint64_t>("wide", -2, 1.0f), UINT64_MAX);
  EXPECT_EQ((instance.Call<std::tuple<float, std::int64_t, double>>("swap", 7, -0.0, 2.5f)),
            std::tuple(2.5f, std::int64_t{7}, -0.0));
  EXPECT_EQ(instance.Call<double>("single", 0.1f), double{0.1f});
  EXPECT_EQ(instance.Call<std::uint32_t>("words", 4'000'000'000u, 5), 4'000'000'005u);
  EXPECT_EQ(instance.Invoke("words", 2, 3), 5);
}

TEST_P(Values, OfCppThatDoNotFitAreErrors) {
  Engine engine(GetParam());
  Linker linker(engine);
  linker.Define("env", "half", [](double number) { return number; });
  linker.Define("env", "wide", [](std::int64_t wide, float) { return wide; });
  Instance instance(Program::FromBytes(engine, kText), linker);
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), TXVM_ERROR_USAGE);
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message([&] { instance.Call<double>("half"); }),
            "function 'half' takes 1 argument, but 0 were given: half(f64) -> f64");
  EXPECT_EQ(message([&] { instance.Call<double>("half", 1, 2); }),
            "function 'half' takes 1 argument, but 2 were given: half(f64) -> f64");
  EXPECT_EQ(message([&] { instance.Call<float>("single", 0.1); }),
            "argument 1 is f64, expected f32: single(f32) -> f32");
  EXPECT_EQ(message([&] { instance.Call<float>("half", 0.1); }),
            "the function's results are 'd', which the call does not ask for");
  EXPECT_EQ(message([&] { instance.Call<void>("half", 0.1); }),
            "the function's results are 'd', which the call does not ask for");
  EXPECT_EQ(message([&] { instance.Call<int>("wide", 1, 0.1f); }),
            "the function's results are 'l', which the call does not ask for");
}

}  // namespace
}  // namespace txvm::testing
