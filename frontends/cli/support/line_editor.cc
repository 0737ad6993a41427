#include "frontends/cli/support/line_editor.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "isa/support/file.h"

namespace txvm::frontends::cli {
namespace {

/// As LineReader::Next, with the "\r" that may stand before the end.
std::optional<std::string> ReadLine(std::streambuf& input) {
  constexpr int kEnd = std::streambuf::traits_type::eof();
  int c = input.sbumpc();
  if (c == kEnd) return std::nullopt;
  std::string text;
  for (; c != kEnd && c != '\n'; c = input.sbumpc()) {
    text.push_back(static_cast<char>(c));
    if (text.size() > kMostLineBytes) break;
  }
  return text;
}

}  // namespace

// Loaded when a person types, not linked: txvm starts no slower for it, and runs without it. Both
// libraries have these two functions.
struct LineReader::Editor {
  void* library = nullptr;
  char* (*read_line)(const char* prompt) = nullptr;
  int (*add_history)(const char* line) = nullptr;

  ~Editor() {
    if (library != nullptr) dlclose(library);
  }

  static std::unique_ptr<Editor> Find() {
    for (const char* name : {"libedit.so.2", "libreadline.so.8"}) {
      auto editor = std::make_unique<Editor>();
      editor->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (editor->library == nullptr) continue;
      editor->read_line =
          reinterpret_cast<char* (*)(const char*)>(dlsym(editor->library, "readline"));
      editor->add_history =
          reinterpret_cast<int (*)(const char*)>(dlsym(editor->library, "add_history"));
      if (editor->read_line != nullptr && editor->add_history != nullptr) return editor;
    }
    return nullptr;
  }
};

LineReader::LineReader() : is_terminal_(isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) {
  if (is_terminal_) editor_ = Editor::Find();
}
LineReader::~LineReader() = default;

std::optional<std::string> LineReader::Next(const std::string& prompt) {
  std::fflush(stdout);
  if (editor_ != nullptr) {
    char* const line = editor_->read_line(prompt.c_str());
    if (line == nullptr) return std::nullopt;
    std::string text(line);
    std::free(line);
    if (!text.empty()) editor_->add_history(text.c_str());
    return text;
  }
  if (is_terminal_) {
    std::fputs(prompt.c_str(), stdout);
    std::fflush(stdout);
  }
  errno = 0;
  std::optional<std::string> text = ReadLine(*std::cin.rdbuf());
  if (!text && std::ferror(stdin) != 0) error_ = errno;
  if (text && text->ends_with('\r')) text->pop_back();
  return text;
}

isa::Result<void> LineReader::Check() const {
  if (error_ == 0) return {};
  return isa::FailIo(isa::ErrorCode::kIo, "read", "-", error_);
}

}  // namespace txvm::frontends::cli
