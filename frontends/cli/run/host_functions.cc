// What a program run from the command line can call.
#include "frontends/cli/run/host_functions.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "frontends/cli/run/call_values.h"
#include "frontends/cli/run/choices.h"
#include "frontends/cli/support/stop.h"
#include "frontends/imports/answers.h"
#include "frontends/screen/functions.h"
#include "frontends/wasi/system_streams.h"
#include "frontends/wasi/wasi.h"
#include "isa/support/console.h"
#include "isa/support/file.h"
#include "isa/support/text.h"
#include "isa/verify.h"
#include "isa/word_ops.h"
#include "vm/load.h"

namespace txvm::frontends::cli {
namespace {

using Args = std::span<const isa::Word>;
using Results = std::span<isa::Word>;

constexpr isa::Word kByteMask = 0xFF;

/// Waits until the descriptor is ready for `events`; false where a stop is asked for before it is.
bool Await(int descriptor, short events) {
  pollfd waited{descriptor, events, 0};
  while (poll(&waited, 1, wasi::kPollMilliseconds) <= 0) {
    if (StopGuard::AnyRequested()) return false;
  }
  return true;
}

/// The same for at most so many nanoseconds. A descriptor below 0 never is ready.
bool AwaitFor(int descriptor, short events, std::uint64_t nanoseconds) {
  return wasi::AwaitReady(descriptor, events, nanoseconds, StopGuard::AnyRequested);
}

/// Whether the stream hands bytes on, and so may wait for a reader, when these are added.
bool HandsOn(std::FILE* file, std::span<const std::uint8_t> bytes) {
  if (__fpending(file) + bytes.size() >= __fbufsize(file)) return true;
  return __flbf(file) != 0 && std::ranges::find(bytes, '\n') != bytes.end();
}

/// Writes as C's fwrite, but sees a stop while nobody takes the bytes: then -EINTR, and -EIO when
/// none can be written, unless some are.
std::int64_t Write(std::FILE* file, std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kPiece = 1024;  // with it a stream hands on one full buffer at most
  std::int64_t done = 0;
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(kPiece, bytes.size()));
    if (HandsOn(file, piece) && !Await(fileno(file), POLLOUT)) return done != 0 ? done : -EINTR;
    const std::size_t count = std::fwrite(piece.data(), 1, piece.size(), file);
    done += static_cast<std::int64_t>(count);
    if (count != piece.size()) return done != 0 ? done : -EIO;
    bytes = bytes.subspan(count);
  }
  return done;
}

vm::HostStatus PrintI32(vm::HostContext&, Args args, Results) {
  const std::string line = std::to_string(isa::Signed(args[0])) + "\n";
  Write(stdout, {reinterpret_cast<const std::uint8_t*>(line.data()), line.size()});
  return vm::HostStatus::Continue();
}

vm::HostStatus Print(vm::HostContext&, Args, Results) { return vm::HostStatus::Continue(); }

// As C's putchar: writes the low byte and returns it, or EOF where a stop leaves it unwritten.
vm::HostStatus PutChar(vm::HostContext&, Args args, Results results) {
  const auto byte = static_cast<std::uint8_t>(args[0] & kByteMask);
  const std::int64_t count = Write(stdout, {&byte, 1});
  if (count == -EIO) return vm::HostStatus::Failed("putchar cannot write to standard output");
  results[0] = count == 1 ? byte : static_cast<isa::Word>(EOF);
  return vm::HostStatus::Continue();
}

vm::HostStatus SilentPutChar(vm::HostContext&, Args args, Results results) {
  results[0] = args[0] & kByteMask;
  return vm::HostStatus::Continue();
}

/// Hands on what stdout holds; false where a stop is asked for before anybody takes it.
bool FlushOutput() {
  if (__fpending(stdout) != 0 && !Await(STDOUT_FILENO, POLLOUT)) return false;
  std::fflush(stdout);
  return true;
}

/// The descriptor that programs read: standard input, or a file that is closed with it.
class Input {
 public:
  /// Empty: standard input. kIo names a file that cannot be opened.
  static isa::Result<std::shared_ptr<Input>> Open(const std::string& path) {
    if (path.empty()) return std::make_shared<Input>(STDIN_FILENO);
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return isa::FailIo(isa::ErrorCode::kIo, "read", path, errno);
    return std::make_shared<Input>(descriptor);
  }
  explicit Input(int descriptor) : descriptor_(descriptor) {}
  ~Input() {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  int descriptor() const { return descriptor_; }
  /// Waits for bytes, so that a stop is seen while none come.
  std::int64_t Read(std::span<std::uint8_t> bytes) const {
    if (!FlushOutput()) return -EINTR;  // it may hold a prompt
    if (!Await(descriptor_, POLLIN)) return -EINTR;
    const ssize_t count = read(descriptor_, bytes.data(), bytes.size());
    return count < 0 ? -errno : count;
  }
  /// Goes to a place of a file; false for what has no places.
  bool Seek(std::uint64_t place) const {
    const auto offset = static_cast<off_t>(place);
    return wasi::TypeOfStream(descriptor_) == wasi::FileType::kRegular &&
           lseek(descriptor_, offset, SEEK_SET) == offset;
  }

 private:
  int descriptor_;
};

/// Writes at once, after what stdout holds, since one file may take it all. Sees a stop while
/// nobody takes the bytes: then -EINTR, unless some are written.
std::int64_t WriteThrough(int descriptor, std::span<const std::uint8_t> bytes) {
  if (!FlushOutput()) return -EINTR;
  std::int64_t done = 0;
  while (!bytes.empty()) {
    // A pipe that is ready takes as many without waiting.
    const auto piece = bytes.first(std::min<std::size_t>(PIPE_BUF, bytes.size()));
    if (!Await(descriptor, POLLOUT)) return done != 0 ? done : -EINTR;
    const ssize_t count = write(descriptor, piece.data(), piece.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return done != 0 ? done : -errno;
    done += count;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return done;
}

std::int64_t WriteOutput(std::span<const std::uint8_t> bytes) {
  const std::int64_t count = WriteThrough(STDOUT_FILENO, bytes);
  if (count < 0) isa::Console::LoseOutput();
  return count;
}

std::int64_t WriteErrors(std::span<const std::uint8_t> bytes) {
  return WriteThrough(STDERR_FILENO, bytes);
}

/// print_i32 and putchar that write to a stream of the caller's.
void DefineKept(vm::Linker& linker, const wasi::WriteFunction& output) {
  const auto print = [output](vm::HostContext&, Args args, Results) {
    const std::string line = std::to_string(isa::Signed(args[0])) + "\n";
    output({reinterpret_cast<const std::uint8_t*>(line.data()), line.size()});
    return vm::HostStatus::Continue();
  };
  linker.Define("env", "print_i32", 1, 0, print);
  linker.Define("spectest", "print_i32", 1, 0, print);
  linker.Define("env", "putchar", 1, 1, [output](vm::HostContext&, Args args, Results results) {
    const auto byte = static_cast<std::uint8_t>(args[0] & kByteMask);
    output({&byte, 1});
    results[0] = byte;
    return vm::HostStatus::Continue();
  });
}

}  // namespace

isa::Result<HostSet> HostFunctions(const RunSettings& settings) {
  const bool silent = settings.silent;
  vm::Linker linker;
  linker.Define("env", "print_i32", 1, 0, silent ? Print : PrintI32);
  linker.Define("env", "putchar", 1, 1, silent ? SilentPutChar : PutChar);
  linker.Define("spectest", "print", 0, 0, Print);
  linker.Define("spectest", "print_i32", 1, 0, silent ? Print : PrintI32);
  if (silent && settings.host.streams.output) DefineKept(linker, settings.host.streams.output);
  wasi::Options wasi = settings.host;
  wasi.arguments.push_back(isa::DisplayName(settings.path));
  std::ranges::copy(settings.arguments, std::back_inserter(wasi.arguments));
  if (!silent) {
    TXVM_TRY(const std::shared_ptr<Input> input, Input::Open(settings.input_path));
    wasi.streams.input = [input](std::span<std::uint8_t> bytes) { return input->Read(bytes); };
    wasi.streams.seek_input = [input](std::uint64_t place) { return input->Seek(place); };
    wasi.streams.output = WriteOutput;
    wasi.streams.errors = WriteErrors;
    wasi.streams.input_ready = [input](std::uint64_t nanoseconds) {
      return AwaitFor(input->descriptor(), POLLIN, nanoseconds);
    };
    wasi.streams.types = {wasi::TypeOfStream(input->descriptor()),
                          wasi::TypeOfStream(STDOUT_FILENO), wasi::TypeOfStream(STDERR_FILENO)};
  }
  wasi.sleep = [](std::uint64_t nanoseconds) { AwaitFor(-1, 0, nanoseconds); };
  TXVM_TRY(wasi::State state, wasi::Define(linker, std::move(wasi)));
  if (settings.define) settings.define(linker);
  return HostSet{std::move(linker), std::move(state)};
}

isa::Result<wasi::ReadFunction> InputFunction(const RunSettings& settings) {
  TXVM_TRY(const std::shared_ptr<Input> input, Input::Open(settings.input_path));
  return [input](std::span<std::uint8_t> bytes) { return input->Read(bytes); };
}

namespace {

/// Calls a function of WASI that writes 8 bytes, and returns them.
std::function<std::uint64_t()> EightBytes(const vm::Linker& linker, std::string_view name,
                                          std::vector<isa::Word> args) {
  const vm::HostBinding* binding = linker.Find(wasi::kModule, name);
  isa::Result<vm::LinearMemory> made = vm::LinearMemory::Create(1, 1);
  if (binding == nullptr || !made) return [] { return std::uint64_t{0}; };
  auto memory = std::make_shared<vm::LinearMemory>(*std::move(made));
  return [memory, function = binding->function, args = std::move(args)] {
    vm::HostContext context{*memory};
    std::array<isa::Word, 1> status = {};
    function(context, args, status);
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, memory->data(), sizeof(bytes));
    return bytes;
  };
}

imports::Surroundings SurroundingsOf(const RunSettings& settings, const vm::Linker& linker) {
  constexpr isa::Word kBytes = 8;
  imports::Surroundings surroundings;
  surroundings.random = EightBytes(linker, "random_get", {0, kBytes});
  surroundings.clock = EightBytes(linker, "clock_time_get", {0, 0, 0, 0});
  const auto bytes_of = [](std::string_view text) {
    return std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  };
  if (!settings.silent) {
    surroundings.print = [bytes_of](std::string_view text) {
      const std::int64_t count = Write(stdout, bytes_of(text));
      return count != -EIO;
    };
    surroundings.print_error = [bytes_of](std::string_view text) {
      WriteErrors(bytes_of(text));  // as ever, a closed standard error ends no run
      return true;
    };
  } else {
    const auto write_to = [bytes_of](const wasi::WriteFunction& stream) {
      return [bytes_of, stream](std::string_view text) {
        if (stream) stream(bytes_of(text));
        return true;
      };
    };
    surroundings.print = write_to(settings.host.streams.output);
    surroundings.print_error = write_to(settings.host.streams.errors);
  }
  return surroundings;
}

}  // namespace

isa::Result<void> AnswerImports(const isa::Program& program, const RunSettings& settings,
                                HostSet& host) {
  const ImportOptions& imports = settings.imports;
  TXVM_TRY(
      const imports::Answers answers,
      imports::DefineAnswers(program, imports.rules, imports.is_strict,
                             SurroundingsOf(settings, host.linker), *imports.types, host.linker));
  host.uses_wasi = wasi::IsImportedBy(program) || answers.use_time_or_chance;
  if (imports.traps_when_called) {
    TrapUnknownImports(program, host.linker);
  } else if (!answers.missing.empty() && answers.missing.front()->module == screen::kModule) {
    const std::string name =
        imports::DottedName({std::string(screen::kModule), answers.missing.front()->name});
    return InProgram(
        isa::Invalid(program,
                     fmt::format("unknown import '{}': txvm play runs programs that draw", name))
            .error(),
        program, settings.path);
  } else if (!answers.missing.empty()) {
    const std::string command =
        CommandFor(settings, "run") + GivenImports(imports) + OutputFor(settings);
    std::string call;
    if (settings.invoke && imports::IsPlainWord(*settings.invoke)) {
      call = " --invoke " + *settings.invoke;
      for (const std::string& argument : settings.arguments) call += " " + isa::Printable(argument);
    }
    return InProgram(
        isa::Invalid(program, imports::MissingText(answers.missing, *imports.types, command, call))
            .error(),
        program, settings.path);
  }
  imports.Tell(answers.notes);
  return {};
}

void TrapUnknownImports(const isa::Program& program, vm::Linker& linker) {
  for (const isa::Import& import : program.imports) {
    const bool is_known =
        import.module == vm::kBuiltinModule || linker.Find(import.module, import.name) != nullptr;
    if (is_known) continue;
    const std::string detail = "call of the unknown import '" + isa::Printable(import.module) +
                               "." + isa::Printable(import.name) + "'";
    linker.Define(
        import.module, import.name, import.params, import.results,
        [detail](vm::HostContext&, Args, Results) { return vm::HostStatus::Trap(detail); });
  }
}

isa::Result<std::vector<isa::Word>> EntryWords(const isa::Program& program,
                                               const isa::Export* entry,
                                               const RunSettings& settings) {
  const bool is_start = entry != nullptr && entry->name == "_start" && entry->params == 0;
  if (is_start && wasi::IsImportedBy(program)) return std::vector<isa::Word>();
  TXVM_TRY(std::vector<isa::Word> words, ParseArguments(entry, settings.arguments));
  // The entry of a program without exports is called as it is, and nothing else counts its words.
  if (entry == nullptr) {
    TXVM_CHECK_OK(vm::CheckArguments(program, nullptr, words.size(), settings.limits));
  }
  return words;
}

}  // namespace txvm::frontends::cli
