// How the end of a child process is told, whatever this process does with SIGCHLD.
#include "frontends/wat/probe.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>

#include "frontends/wat/load.h"
#include "frontends/wat/reader.h"

namespace txvm::frontends::wat {
namespace {

/// SIGCHLD ignored, as some embedders and parents have it: no child leaves a status to wait for.
class SigchldIgnored {
 public:
  SigchldIgnored() : before_(std::signal(SIGCHLD, SIG_IGN)) {}
  ~SigchldIgnored() { (void)std::signal(SIGCHLD, before_); }
  SigchldIgnored(const SigchldIgnored&) = delete;
  SigchldIgnored& operator=(const SigchldIgnored&) = delete;

 private:
  void (*before_)(int);
};

ChildEnd EndOf(const std::function<void()>& work) {
  const isa::Result<ChildEnd> end = RunInChild(work);
  EXPECT_TRUE(end) << end.error().message;
  return end.value_or(ChildEnd::kDied);
}

TEST(Probe, TellsAReturnFromADeath) {
  EXPECT_EQ(EndOf([] {}), ChildEnd::kReturned);
  EXPECT_EQ(EndOf([] { std::abort(); }), ChildEnd::kDied);
  EXPECT_EQ(EndOf([] { std::_Exit(0); }), ChildEnd::kDied);
}

TEST(Probe, TellsTheSameWhereSigchldIsIgnored) {
  const SigchldIgnored ignored;
  EXPECT_EQ(EndOf([] {}), ChildEnd::kReturned);
  EXPECT_EQ(EndOf([] { std::abort(); }), ChildEnd::kDied);
  EXPECT_EQ(EndOf([] { (void)std::raise(SIGXCPU); }), ChildEnd::kTooSlow);
}

// The system kills a process that takes too much memory: that is not slowness.
TEST(Probe, TellsAKillFromSlowness) {
  EXPECT_EQ(EndOf([] { (void)std::raise(SIGKILL); }), ChildEnd::kKilled);
  EXPECT_EQ(EndOf([] { (void)std::raise(SIGXCPU); }), ChildEnd::kTooSlow);
}

TEST(Probe, TheChildHasASecondToSayThatItIsSlow) {
  EXPECT_EQ(EndOf([] {
              rlimit seconds{};
              (void)getrlimit(RLIMIT_CPU, &seconds);
              if (seconds.rlim_cur != kChildSeconds || seconds.rlim_max != kChildSeconds + 1) {
                std::abort();
              }
            }),
            ChildEnd::kReturned);
}

TEST(Probe, LargeModulesAreReadWhereSigchldIsIgnored) {
  const SigchldIgnored ignored;
  const std::string text = "(module (func (export \"f\")))" + std::string(kMaxTrustedBytes, ' ');
  const auto program = LoadWat(text, "large.wat");
  EXPECT_TRUE(program) << program.error().ToString();
}

// The pipe a child tells its end through takes two file descriptors.
TEST(Probe, SaysThatTheSystemRefusesAChild) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const isa::Result<ChildEnd> end = RunInChild([] {});
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, isa::ErrorCode::kHost);
  EXPECT_EQ(end.error().message,
            "cannot start a process to check the text in: Too many open files");
}

}  // namespace
}  // namespace txvm::frontends::wat
