// Declared in isa/support/system/child_process.h.
#include "isa/support/system/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

extern char** environ;

namespace txvm::isa {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kChunkBytes = 1u << 16;
constexpr int kPollMilliseconds = 50;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double SecondsOf(const timeval& time) {
  constexpr double kMicrosecond = 1e-6;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicrosecond;
}

// Both ends of a pipe, closed when it goes. Close-on-exec, so that only dup2 hands an end on.
struct Pipe {
  std::array<int, 2> ends = {-1, -1};
  bool Open() { return pipe2(ends.data(), O_CLOEXEC) == 0; }
  void Close(std::size_t end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  ~Pipe() {
    Close(0);
    Close(1);
  }
};

struct Streams {
  Pipe in, out, err;
};

// 0 or the system's reason.
int Spawn(const std::vector<std::string>& command, Streams& streams, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, streams.in.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.out.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.err.ends[1], STDERR_FILENO);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const int reason =
      posix_spawn(&pid, command.front().c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return reason;
}

// One read of a readable end; closes it at the end of the stream.
void Drain(Pipe& pipe, std::string& into) {
  std::array<char, kChunkBytes> chunk;
  const ssize_t count = read(pipe.ends[0], chunk.data(), chunk.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) return pipe.Close(0);
  const auto bytes = static_cast<std::size_t>(count);
  if (into.size() < kMaxChildBytes) into.append(chunk.data(), bytes);
}

void Feed(Pipe& pipe, std::string_view& input) {
  const ssize_t count = write(pipe.ends[1], input.data(), input.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count < 0) return pipe.Close(1);
  input.remove_prefix(static_cast<std::size_t>(count));
  if (input.empty()) pipe.Close(1);
}

// When a child has to end.
struct Deadline {
  Clock::time_point start;
  double seconds;
  const StopTest& stop;
  bool IsOver() const { return SecondsSince(start) > seconds || (stop && stop()); }
};

// Moves bytes until both outputs end or the time is up.
void Pump(Streams& streams, std::string_view input, ChildResult& result, const Deadline& deadline) {
  if (input.empty()) streams.in.Close(1);
  while (streams.out.ends[0] >= 0 || streams.err.ends[0] >= 0) {
    if (deadline.IsOver()) {
      result.timed_out = true;
      return;
    }
    std::array<pollfd, 3> fds = {{{streams.out.ends[0], POLLIN, 0},
                                  {streams.err.ends[0], POLLIN, 0},
                                  {streams.in.ends[1], POLLOUT, 0}}};
    if (poll(fds.data(), fds.size(), kPollMilliseconds) <= 0) continue;
    if (fds[0].revents != 0) Drain(streams.out, result.out);
    if (fds[1].revents != 0) Drain(streams.err, result.err);
    if (fds[2].revents != 0) Feed(streams.in, input);
  }
}

// Waits for the child's end; kills it and its group first when its time is up.
// Errors: kHost when its end cannot be told, as where SIGCHLD is ignored.
Result<void> Reap(pid_t pid, const std::string& name, ChildResult& result,
                  const Deadline& deadline) {
  int status = 0;
  rusage usage = {};
  constexpr useconds_t kNap = 200;  // microseconds between looks at a child that closed its output
  while (!result.timed_out) {
    const pid_t ended = wait4(pid, &status, WNOHANG, &usage);
    if (ended == pid) break;
    if (ended < 0 && errno != EINTR) {
      return Fail(ErrorCode::kHost,
                  fmt::format("lost the process of {}: {}", name, std::strerror(errno)));
    }
    result.timed_out = deadline.IsOver();
    if (!result.timed_out) usleep(kNap);
  }
  result.seconds = SecondsSince(deadline.start);
  if (result.timed_out) {
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return {};
  }
  result.cpu_seconds = SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime);
  constexpr std::uint64_t kKibibyte = 1024;
  result.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * kKibibyte;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return {};
}

}  // namespace

std::string FindProgram(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    std::string candidate = fmt::format("{}/{}", folder, name);
    if (!folder.empty() && access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
  }
  return {};
}

Result<ChildResult> RunChild(const std::vector<std::string>& command, std::string_view input,
                             double seconds, const StopTest& stop) {
  Streams streams;
  if (!streams.in.Open() || !streams.out.Open() || !streams.err.Open()) {
    return Fail(ErrorCode::kHost, fmt::format("cannot open a pipe: {}", std::strerror(errno)));
  }
  fcntl(streams.in.ends[1], F_SETFL, O_NONBLOCK);
  const Deadline deadline{Clock::now(), seconds, stop};
  pid_t pid = 0;
  if (const int reason = Spawn(command, streams, pid); reason != 0) {
    return Fail(ErrorCode::kHost,
                fmt::format("cannot start {}: {}", command.front(), std::strerror(reason)));
  }
  streams.in.Close(0);
  streams.out.Close(1);
  streams.err.Close(1);
  // A child that ends without reading its input must not end this process.
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  ChildResult result;
  Pump(streams, input, result, deadline);
  const Result<void> reaped = Reap(pid, command.front(), result, deadline);
  sigaction(SIGPIPE, &before, nullptr);
  TXVM_CHECK_OK(reaped);
  return result;
}

}  // namespace txvm::isa
