// A plugin with callbacks and a memory limit: it reads the host's lines into its own memory, and what it may have of
// that is the host's decision. What it does wrong ends its call, not the host.
#include <iostream>
#include <string>
#include <txvm.hpp>

// Runs the plugin over `lines` lines in at most `max_pages` pages.
void Run(const txvm::Engine& engine, const txvm::Program& program, int lines, unsigned max_pages) {
  int next = 0;
  std::size_t checked = 0;
  txvm::Linker linker(engine);
  linker.Define("host", "read_line", [&](txvm::Caller plugin, int address, int room) {
    if (next == lines) return -1;
    std::string line = "line " + std::to_string(next++) + std::string(1'000, '.');
    line.resize(std::min(line.size(), static_cast<std::size_t>(room)));
    plugin.Write(static_cast<std::uint32_t>(address), line.data(), line.size());
    return static_cast<int>(line.size());
  });
  linker.Define("host", "write_line", [&](txvm::Caller plugin, int address, int length) {
    const std::string line = plugin.ReadString(static_cast<std::uint32_t>(address), static_cast<std::size_t>(length));
    checked += line.rfind("line ", 0) == 0 ? 1 : 0;
  });
  txvm::Limits limits;
  limits.max_pages = max_pages;
  txvm::Instance plugin(program, linker, limits);
  const int bytes = plugin.Invoke("collect");
  std::cout << lines << " lines in at most " << max_pages << " pages: ";
  if (bytes < 0) {
    std::cout << "the plugin says it has not enough memory after " << checked << " lines\n";
  } else {
    const auto pages = txvm_memory_size(plugin.get()) / 65'536;
    std::cout << bytes << " bytes in " << pages << (pages == 1 ? " page, " : " pages, ") << checked
              << " lines checked\n";
  }
  try {
    plugin.Invoke("peek", -1);
  } catch (const txvm::Stopped& stopped) {
    std::cout << "  peek(-1) " << stopped.what() << "\n";
  }
  try {
    plugin.Memory().ReadString(std::uint64_t{max_pages} * 65'536, 1);
  } catch (const txvm::Error& error) {
    std::cout << "  the host's own " << error.what() << "\n";
  }
}

int main(int argc, char** argv) {
  try {
    txvm::Engine engine;
    const txvm::Program program = txvm::Program::FromFile(engine, argc > 1 ? argv[1] : "plugin.txa");
    Run(engine, program, 10, 2);
    Run(engine, program, 500, 16);
    Run(engine, program, 500, 4);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
