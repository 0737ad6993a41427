#include "frontends/wat/probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace txvm::frontends::wat {
namespace {

[[noreturn]] void RunChild(const std::function<void()>& work) {
  const rlimit no_core{0, 0};
  const rlimit seconds{kChildSeconds, kChildSeconds};
  (void)setrlimit(RLIMIT_CORE, &no_core);
  (void)setrlimit(RLIMIT_CPU, &seconds);
  (void)std::signal(SIGABRT, SIG_DFL);
  if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) {
    (void)dup2(nowhere, STDERR_FILENO);
    (void)dup2(nowhere, STDOUT_FILENO);
  }
  work();
  _exit(0);
}

}  // namespace

isa::Result<ChildEnd> RunInChild(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child < 0) {
    return isa::Fail(
        isa::ErrorCode::kInternal,
        fmt::format("cannot start a process to check the text in: {}", std::strerror(errno)));
  }
  if (child == 0) RunChild(work);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno == EINTR) continue;
    return isa::Fail(
        isa::ErrorCode::kInternal,
        fmt::format("lost the process that checked the text: {}", std::strerror(errno)));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ChildEnd::kReturned;
  const bool is_slow =
      WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
  return is_slow ? ChildEnd::kTooSlow : ChildEnd::kDied;
}

}  // namespace txvm::frontends::wat
