// txvm dap: a debug adapter on standard input and output.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

#include "frontends/cli/dap/channel.h"
#include "frontends/cli/dap/session.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kDapExamples =
    "  txvm dap        an editor starts it: docs/DEBUGGER.md has a launch.json\n";

/// Standard input and output as they were, for the protocol; the program that is debugged finds an
/// empty input, and what it prints comes out of `printed`.
struct Descriptors {
  int in = -1, out = -1, printed = -1;
};

isa::Result<Descriptors> TakeStandardStreams() {
  Descriptors taken;
  std::array<int, 2> pipe_ends{};
  const int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
  taken.in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  taken.out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (empty < 0 || taken.in < 0 || taken.out < 0 || pipe2(pipe_ends.data(), O_CLOEXEC) != 0 ||
      dup2(empty, STDIN_FILENO) < 0 || dup2(pipe_ends[1], STDOUT_FILENO) < 0) {
    return isa::Fail(isa::ErrorCode::kHost, "standard input or output cannot be duplicated");
  }
  close(empty);
  close(pipe_ends[1]);
  taken.printed = pipe_ends[0];
  return taken;
}

/// What the program prints, as output events.
class Output {
 public:
  Output(int from, Channel& channel) : from_(from), channel_(channel) {}

  /// Sends what comes, until the other end is closed.
  void Forward() {
    while (true) {
      pollfd waiting{from_, POLLIN, 0};
      if (poll(&waiting, 1, -1) < 0 && errno == EINTR) continue;
      const std::lock_guard lock(sending_);
      std::array<char, 4096> bytes;
      const ssize_t count = read(from_, bytes.data(), bytes.size());
      if (count <= 0) return;
      const std::string text(bytes.data(), static_cast<std::size_t>(count));
      channel_.Event("output", {{"category", "stdout"}, {"output", text}});
    }
  }
  /// Returns when all that was printed is sent: an editor shows no more after the end.
  void Drain() {
    using namespace std::chrono_literals;
    std::fflush(stdout);
    while (true) {
      {
        const std::lock_guard lock(sending_);
        int left = 0;
        if (ioctl(from_, FIONREAD, &left) != 0 || left == 0) return;
      }
      std::this_thread::sleep_for(1ms);
    }
  }

 private:
  int from_;
  Channel& channel_;
  std::mutex sending_;
};

/// Requests that were read and not answered yet.
struct Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<nlohmann::json> waiting;
  bool is_closed = false;
};

/// Reads requests into the queue. One that ends a walk says so at once.
void ReadRequests(Channel& channel, Queue& queue, std::atomic<bool>& stop_wanted) {
  while (true) {
    std::optional<nlohmann::json> request = channel.Read();
    const std::lock_guard lock(queue.mutex);
    if (!request) {
      queue.is_closed = true;
      stop_wanted = true;
      queue.changed.notify_one();
      return;
    }
    const std::string command = request->value("command", "");
    if (command == "pause" || command == "disconnect" || command == "terminate") {
      stop_wanted = true;
    }
    queue.waiting.push_back(*std::move(request));
    queue.changed.notify_one();
  }
}

int Serve(Channel& channel, Output& output) {
  // Static, as the channel is: the thread that reads may outlive a session by the end of the
  // process.
  static Queue queue;
  static std::atomic<bool> stop_wanted = false;
  std::thread reader([&channel] { ReadRequests(channel, queue, stop_wanted); });
  DapSession session(channel, stop_wanted, [&output] { output.Drain(); });
  bool is_over = false;
  while (!is_over) {
    nlohmann::json request;
    {
      std::unique_lock lock(queue.mutex);
      queue.changed.wait(lock, [&] { return queue.is_closed || !queue.waiting.empty(); });
      if (queue.waiting.empty()) break;
      request = std::move(queue.waiting.front());
      queue.waiting.pop_front();
      stop_wanted = queue.is_closed;
    }
    is_over = !session.Handle(request);
  }
  // After a disconnect a client may keep its end open: nothing more is read then.
  if (is_over) reader.detach();
  if (reader.joinable()) reader.join();
  return Value(ExitCode::kHalted);
}

}  // namespace

int DapCommand(const CommandLine& line, isa::Console& console) {
  Arguments arguments("dap",
                      "Debug programs from an editor: a server of the Debug Adapter Protocol on "
                      "standard input and output.",
                      kDapExamples);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<Descriptors> taken = TakeStandardStreams();
  if (!taken) return FailWith(taken.error(), console);
  static Channel channel(taken->in, taken->out);
  Output output(taken->printed, channel);
  std::thread forwarder([&] { output.Forward(); });
  const int code = Serve(channel, output);
  std::fflush(stdout);
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(null, STDOUT_FILENO);  // the pipe's last end: what was printed is sent, then it is over
  close(null);
  forwarder.join();
  if (channel.problem().empty()) return code;
  return FailWith({isa::ErrorCode::kCorrupt, "standard input: " + channel.problem(), {}, {}},
                  console);
}

}  // namespace txvm::frontends::cli
