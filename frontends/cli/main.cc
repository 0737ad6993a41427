// The program txvm.
#include <csignal>
#include <string>
#include <vector>

#include "frontends/cli/support/commands.h"

int main(int argc, char** argv) {
  (void)std::signal(SIGCHLD, SIG_DFL);  // a parent may have had it ignored: no child to wait for
  std::vector<std::string> arguments(argv, argv + argc);
  if (!arguments.empty()) arguments.erase(arguments.begin());  // the program's own name
  txvm::isa::Console console;
  return txvm::frontends::cli::Main(arguments, console);
}
