// What a program run from the command line can call.
#include "frontends/cli/host_functions.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <utility>

#include "frontends/cli/file.h"
#include "frontends/cli/stop.h"
#include "frontends/wasi/wasi.h"
#include "isa/text.h"
#include "isa/word_ops.h"

namespace txvm::frontends::cli {
namespace {

using Args = std::span<const isa::Word>;
using Results = std::span<isa::Word>;

constexpr isa::Word kByteMask = 0xFF;

vm::HostStatus PrintI32(vm::HostContext&, Args args, Results) {
  std::printf("%d\n", isa::Signed(args[0]));
  return vm::HostStatus::Continue();
}

vm::HostStatus Print(vm::HostContext&, Args, Results) { return vm::HostStatus::Continue(); }

// As C's putchar: writes the low byte and returns it.
vm::HostStatus PutChar(vm::HostContext&, Args args, Results results) {
  const isa::Word byte = args[0] & kByteMask;
  if (std::putchar(static_cast<int>(byte)) == EOF) {
    return vm::HostStatus::Failed("putchar cannot write to standard output");
  }
  results[0] = byte;
  return vm::HostStatus::Continue();
}

vm::HostStatus SilentPutChar(vm::HostContext&, Args args, Results results) {
  results[0] = args[0] & kByteMask;
  return vm::HostStatus::Continue();
}

// Waits for bytes on standard input, so that a stop is seen while none come.
std::int64_t ReadInput(std::span<std::uint8_t> bytes) {
  constexpr int kPollMilliseconds = 50;
  std::fflush(stdout);  // a prompt
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (poll(&input, 1, kPollMilliseconds) <= 0) {
    if (StopGuard::AnyRequested()) return -EINTR;
  }
  const ssize_t count = read(STDIN_FILENO, bytes.data(), bytes.size());
  return count < 0 ? -errno : count;
}

wasi::WriteFunction WriteTo(std::FILE* file) {
  return [file](std::span<const std::uint8_t> bytes) -> std::int64_t {
    if (file == stderr) std::fflush(stdout);  // one file may take both
    const std::size_t count = std::fwrite(bytes.data(), 1, bytes.size(), file);
    return count == 0 && !bytes.empty() ? -EIO : static_cast<std::int64_t>(count);
  };
}

isa::Result<void> CheckStubWords(const isa::Program& program, std::size_t given) {
  const isa::Function* function = program.FunctionAt(program.entry);
  const std::uint32_t params = function == nullptr ? 0 : function->params;
  if (given == params) return {};
  return isa::Fail(isa::ErrorCode::kUsage,
                   isa::CountMismatch("the entry", "takes", "argument", params, given));
}

}  // namespace

isa::Result<vm::Linker> HostFunctions(const RunSettings& settings) {
  const bool silent = settings.silent;
  vm::Linker linker;
  linker.Define("env", "print_i32", 1, 0, silent ? Print : PrintI32);
  linker.Define("env", "putchar", 1, 1, silent ? SilentPutChar : PutChar);
  linker.Define("spectest", "print", 0, 0, Print);
  linker.Define("spectest", "print_i32", 1, 0, silent ? Print : PrintI32);
  wasi::Options wasi = settings.host;
  wasi.arguments.push_back(DisplayName(settings.path));
  std::ranges::copy(settings.arguments, std::back_inserter(wasi.arguments));
  if (!silent) {
    wasi.streams.input = ReadInput;
    wasi.streams.output = WriteTo(stdout);
    wasi.streams.errors = WriteTo(stderr);
  }
  TXVM_CHECK_OK(wasi::Define(linker, std::move(wasi)));
  return linker;
}

isa::Result<std::vector<isa::Word>> EntryWords(const isa::Program& program,
                                               const isa::Export* entry,
                                               const RunSettings& settings) {
  const bool is_start = entry != nullptr && entry->name == "_start" && entry->params == 0;
  const auto is_wasi = [](const isa::Import& import) { return import.module == wasi::kModule; };
  if (is_start && std::ranges::any_of(program.imports, is_wasi)) return std::vector<isa::Word>();
  TXVM_TRY(std::vector<isa::Word> words, ParseWords(settings.arguments));
  // The entry of a program without exports is called as it is, and nothing else counts its words.
  if (entry == nullptr) TXVM_CHECK_OK(CheckStubWords(program, words.size()));
  return words;
}

}  // namespace txvm::frontends::cli
