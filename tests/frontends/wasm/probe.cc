#include "tests/frontends/wasm/probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace txvm::frontends::wat {
namespace {

// What a child says before it ends. Its exit status is no witness: where SIGCHLD is ignored, or
// another thread waits for any child, nobody gets it.
constexpr char kDone = 'd';
constexpr char kSlow = 's';
// Where it says so: standard input, so that a signal handler finds it without a global.
constexpr int kReport = STDIN_FILENO;

void Report(char what) {
  while (write(kReport, &what, 1) < 0 && errno == EINTR) {
  }
}

extern "C" void ReportSlow(int) {
  Report(kSlow);
  _exit(1);
}

/// Both ends of a pipe, closed with it. Reading never waits.
struct ReportPipe {
  std::array<int, 2> ends = {-1, -1};
  bool Open() { return pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0; }
  /// What the child said; 0 when it said nothing. REQUIRES: it has ended.
  char Read() const {
    char what = 0;
    while (read(ends[0], &what, 1) < 0 && errno == EINTR) {
    }
    return what;
  }
  ~ReportPipe() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
};

[[noreturn]] void RunChild(const std::function<void()>& work, int report) {
  (void)dup2(report, kReport);
  const rlimit no_core{0, 0};
  // SIGXCPU comes first: SIGKILL is left for what the system kills.
  const rlimit seconds{kChildSeconds, kChildSeconds + 1};
  (void)setrlimit(RLIMIT_CORE, &no_core);
  (void)setrlimit(RLIMIT_CPU, &seconds);
  (void)std::signal(SIGABRT, SIG_DFL);
  (void)std::signal(SIGXCPU, ReportSlow);
  if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) {
    (void)dup2(nowhere, STDERR_FILENO);
    (void)dup2(nowhere, STDOUT_FILENO);
  }
  work();
  Report(kDone);
  _exit(0);
}

}  // namespace

isa::Result<ChildEnd> RunInChild(const std::function<void()>& work) {
  ReportPipe report;
  const pid_t child = report.Open() ? fork() : -1;
  if (child < 0) {
    return isa::Fail(
        isa::ErrorCode::kHost,
        fmt::format("cannot start a process to check the text in: {}", std::strerror(errno)));
  }
  if (child == 0) RunChild(work, report.ends[1]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }  // ECHILD: it has ended too
  const char said = report.Read();
  if (said == kDone) return ChildEnd::kReturned;
  if (said == kSlow) return ChildEnd::kTooSlow;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? ChildEnd::kKilled : ChildEnd::kDied;
}

}  // namespace txvm::frontends::wat
