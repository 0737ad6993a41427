// Modules of any nesting load on threads with little stack, as those of embeddings may be.
#include "frontends/wat/large_stack.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "frontends/wat/load.h"
#include "frontends/wat/reader.h"

namespace txvm::frontends::wat {
namespace {

/// Runs `work`, which throws nothing, on a thread with less stack than WABT takes for a deep
/// module.
void OnSmallThread(const std::function<void()>& work) {
  constexpr std::size_t kStackBytes = 256u << 10;
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStackBytes), 0);
  const auto run = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)),
            0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  ASSERT_EQ(pthread_attr_destroy(&attributes), 0);
}

/// A function as deep as kMaxNesting allows, after other fields of its module.
std::string Deep(std::string_view fields) {
  constexpr std::uint32_t kOutside = 4;  // levels that the module and the function are
  std::string text = "(module " + std::string(fields) + " (func (export \"f\") (result i32) ";
  for (std::uint32_t i = kOutside; i < kMaxNesting; ++i) text += "(block (result i32) ";
  text += "(i32.const 1)";
  for (std::uint32_t i = kOutside; i < kMaxNesting; ++i) text += ")";
  return text + "))";
}

TEST(LargeStack, DeepModulesLoadOnASmallThread) {
  OnSmallThread([] {
    const auto program = LoadWat(Deep(""), "deep.wat");
    EXPECT_TRUE(program) << program.error().ToString();
  });
}

// Such a segment is read in a child process first, which has but the stack of the thread that
// forks.
TEST(LargeStack, SoDoThoseThatAreTriedInAChild) {
  OnSmallThread([] {
    const auto program =
        LoadWat(Deep("(table 1 1 funcref) (func $a) (elem (i32.const 0) funcref (ref.func $a))"),
                "deep.wat");
    EXPECT_TRUE(program) << program.error().ToString();
  });
}

TEST(LargeStack, IsTheCallersWhereThatIsLargeEnough) {
  const std::thread::id caller = std::this_thread::get_id();
  std::thread::id worker;
  ASSERT_TRUE(RunOnLargeStack([&] { worker = std::this_thread::get_id(); }));
  EXPECT_EQ(worker, caller);
}

TEST(LargeStack, HandsOnWhatTheWorkThrows) {
  OnSmallThread([] {
    const std::thread::id caller = std::this_thread::get_id();
    EXPECT_THROW((void)RunOnLargeStack([&] {
                   EXPECT_NE(std::this_thread::get_id(), caller);
                   throw std::runtime_error("no memory");
                 }),
                 std::runtime_error);
  });
}

}  // namespace
}  // namespace txvm::frontends::wat
