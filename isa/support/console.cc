// Where txvm writes.
#include "isa/support/console.h"

#include <fmt/format.h>
#include <poll.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace txvm::isa {
namespace {

constexpr std::size_t kBarCells = 30;
constexpr std::string_view kErrorWord = "error:";
constexpr int kLastWait = 1'000;  // milliseconds

bool output_lost = false;

/// Whether standard output hands on what it holds without waiting for its reader any longer.
bool IsTaken() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return __fpending(stdout) == 0 || poll(&output, 1, kLastWait) != 0;
}

bool IsSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

Console::Console() {
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  terminal_ = isatty(STDERR_FILENO) == 1 && !dumb;
  colour_ = terminal_ && !IsSet("NO_COLOR");
}

void Console::Out(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void Console::Err(std::string_view text) {
  EndProgress();
  if (IsTaken()) std::fflush(stdout);  // one file may take both
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Console::Error(const isa::Error& error) {
  std::string text = error.ToString();
  if (error.place.file.empty()) text.insert(0, "txvm: ");
  if (const std::size_t at = text.find(kErrorWord); at != std::string::npos) {
    text.replace(at, kErrorWord.size(), Alarm(kErrorWord));
  }
  Err(text + "\n");
}

void Console::Note(std::string_view text) { Err(fmt::format("txvm: {}\n", text)); }

std::string Console::Alarm(std::string_view text) const {
  if (!colour_) return std::string(text);
  return fmt::format("\x1b[1;31m{}\x1b[0m", text);
}

void Console::Progress(std::uint64_t done, std::uint64_t total, std::string_view text) {
  if (!terminal_) return;
  const auto cells = static_cast<std::size_t>(done * kBarCells / total);
  std::fprintf(stderr, "\r\x1b[K[%s%s] %3d%% %.*s", std::string(cells, '#').c_str(),
               std::string(kBarCells - cells, '.').c_str(), static_cast<int>(done * 100 / total),
               static_cast<int>(text.size()), text.data());
  std::fflush(stderr);
  progress_shown_ = true;
}

void Console::EndProgress() {
  if (!progress_shown_) return;
  std::fputs("\r\x1b[K", stderr);
  progress_shown_ = false;
}

void Console::LoseOutput() { output_lost = true; }

bool Console::Finish(bool patient) {
  EndProgress();
  if (!patient && !IsTaken()) {
    __fpurge(stdout);  // or the end of the process waits for a reader too
    return false;
  }
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && !output_lost;
}

}  // namespace txvm::isa
