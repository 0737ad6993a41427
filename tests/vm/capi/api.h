// What the tests of the C interface share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vm/txvm.h"

namespace txvm::testing {

/// The message of an error, which it deletes; "" for none.
std::string Message(txvm_error* error);
/// Fails the test when a text does not have a part.
void ExpectHas(const std::string& text, const std::string& part);
/// Fails the test when there is an error.
void Ok(txvm_error* error);

template <auto kDelete>
struct Deleter {
  template <typename T>
  void operator()(T* handle) const {
    kDelete(handle);
  }
};
using EnginePtr = std::unique_ptr<txvm_engine, Deleter<txvm_engine_delete>>;
using ProgramPtr = std::unique_ptr<txvm_program, Deleter<txvm_program_delete>>;
using LinkerPtr = std::unique_ptr<txvm_linker, Deleter<txvm_linker_delete>>;
using InstancePtr = std::unique_ptr<txvm_instance, Deleter<txvm_instance_delete>>;

EnginePtr NewEngine(const char* name = nullptr);
ProgramPtr LoadText(txvm_engine* engine, const std::string& text, const char* name = "test.txa");
LinkerPtr NewLinker(txvm_engine* engine);
InstancePtr NewInstance(const txvm_program* program, const txvm_linker* linker = nullptr,
                        const txvm_instance_options* options = nullptr);
std::uint32_t Find(const txvm_program* program, const char* name);

/// An outcome ready to be filled in.
txvm_outcome NewOutcome();
/// Calls and returns how it ended; fails the test when the call is refused.
txvm_outcome Call(txvm_instance* instance, const char* name, const std::vector<std::int32_t>& args,
                  std::vector<std::int32_t>* results);

/// The engines that run programs of any length.
inline constexpr const char* kEngines[] = {"attention", "native"};

inline std::string EngineTestName(const ::testing::TestParamInfo<const char*>& info) {
  return info.param;
}
class OnEachEngine : public ::testing::TestWithParam<const char*> {};
#define TXVM_ON_EACH_ENGINE(Suite)                                                 \
  INSTANTIATE_TEST_SUITE_P(Engines, Suite, ::testing::ValuesIn(testing::kEngines), \
                           testing::EngineTestName)

}  // namespace txvm::testing
