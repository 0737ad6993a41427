// The program txvm.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "frontends/cli/support/commands.h"

namespace {

/// Where the caller closed standard streams, the files that are opened next would take their
/// numbers, and a program's output would go to them. Reading and writing fail as before.
void HoldStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  HoldStandardStreams();
  (void)std::signal(SIGCHLD, SIG_DFL);  // a parent may have had it ignored: no child to wait for
  std::vector<std::string> arguments(argv, argv + argc);
  if (!arguments.empty()) arguments.erase(arguments.begin());  // the program's own name
  txvm::isa::Console console;
  return txvm::frontends::cli::Main(arguments, console);
}
