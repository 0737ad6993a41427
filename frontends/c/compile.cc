#include "frontends/c/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "frontends/c/cxx_headers.h"
#include "frontends/c/runtime.h"
#include "frontends/c/runtime_parts.h"
#include "frontends/c/temp_folder.h"
#include "frontends/c/toolchain.h"
#include "frontends/wat/load.h"
#include "isa/support/file.h"

namespace txvm::frontends::c {
namespace {

using isa::ErrorCode;
using isa::Result;
using Command = std::vector<std::string>;

// binaryen's time grows faster than the module: 1 s at 36 KB, more than a minute at 180 KB.
constexpr std::size_t kMostForBinaryen = 64u << 10;
// What the names of functions begin with that binaryen's lowering imports, to take a double apart:
// no host has them.
constexpr std::string_view kBinaryenImports = "wasm2js_scratch_";
// What a module with longjmp imports. Its lowering (frontends/wasm/jumps.h) takes the first global
// for the stack pointer, which is so before binaryen puts them into an order of its own.
constexpr std::string_view kThrow = "_emscripten_throw_longjmp";
// A name in an object has its length in front. It is main's where clang has no name of its own for
// the parameters: with one or more than two, and with those declared as before C89.
constexpr std::string_view kPlainMain = "\4main";
// What the linker calls the functions that it puts around the exports of a source with
// constructors, to run those at every call. It does not where this function, which runs them, is
// exported.
constexpr std::string_view kAroundExport = ".command_export";
constexpr std::string_view kConstructors = "__wasm_call_ctors";
constexpr std::string_view kCxxHeaders = "runtime/cxx_include";
constexpr std::string_view kStackBytes = "8388608";  // of the C stack, below the data

std::span<const std::uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Runs the tools for one source in one folder. Collects what they print.
class Driver {
 public:
  Driver(Toolchain tools, TempFolder folder, const CompileOptions& options, std::string_view name)
      : tools_(std::move(tools)), folder_(std::move(folder)), options_(options), name_(name) {}

  /// The linked module's bytes.
  Result<std::string> Link(const std::string& path, std::string_view text);
  const std::string& diagnostics() const { return diagnostics_; }
  bool used_wasm_opt() const { return used_wasm_opt_; }

 private:
  Result<isa::ChildResult> Run(const Command& command, std::string_view input = {});
  Result<void> RunOrRefuse(const Command& command, std::string_view input = {});
  Result<void> Accept(const Command& command, const isa::ChildResult& child);
  Result<void> WriteRuntime() const;
  Command CompileCommand(const std::string& path, const std::string& object) const;
  Result<std::string> CompileSource(const std::string& path, std::string_view text);
  Result<void> CompileSources(const std::string& path, std::string_view text);
  Result<void> CompilePart(std::string_view name, const std::vector<std::string>& renamed);
  Result<void> CompileRuntime(const std::vector<std::string>& renamed);
  Command LinkCommand() const;
  Result<std::string> ReadCompiled(std::string_view file) const;
  Result<std::string> LinkObjects(bool has_main);
  Result<std::string> ReadLibrary(Command link);
  Result<std::string> LowerI64(std::string bytes);

  Toolchain tools_;
  TempFolder folder_;
  const CompileOptions& options_;
  std::string name_;
  std::vector<std::string> objects_;     // of the sources, their names in the folder
  std::vector<std::string> compiled_;    // what is in them
  std::vector<std::string_view> parts_;  // of the runtime, compiled for these sources
  std::string diagnostics_;
  bool throws_ = false;  // C++ is compiled with exceptions and with types at run time
  bool used_wasm_opt_ = false;
};

Result<isa::ChildResult> Driver::Run(const Command& command, std::string_view input) {
  TXVM_TRY(isa::ChildResult child, isa::RunChild(command, input, options_.seconds, options_.stop));
  if (child.timed_out) {
    const bool stopped = options_.stop && options_.stop();
    return isa::Fail(ErrorCode::kHost, stopped
                                           ? fmt::format("{} was stopped", command.front())
                                           : fmt::format("{} took more than {} seconds for {}",
                                                         command.front(), options_.seconds, name_));
  }
  return child;
}

Result<void> Driver::RunOrRefuse(const Command& command, std::string_view input) {
  TXVM_TRY(const isa::ChildResult child, Run(command, input));
  return Accept(command, child);
}

/// For sources that include a header which is not there: those that are.
std::string HeadersNote(std::string_view errors) {
  constexpr std::string_view kMissing = "' file not found";
  constexpr std::string_view kFolder = "runtime/include/";
  const std::size_t end = errors.find(kMissing);
  if (end == errors.npos) return {};
  const std::size_t begin = errors.rfind('\'', end - 1) + 1;
  if (!errors.substr(begin, end - begin).ends_with(".h")) {
    return fmt::format(
        "txvm has no {}: C++ comes with the headers of C (<cstdio>, <cmath>, ...) and "
        "<new>, <exception>, <stdexcept> and <typeinfo>, without its standard library\n",
        errors.substr(begin, end - begin));
  }
  std::string note = fmt::format(
      "txvm has no {}: -I names a folder of more headers; these come with "
      "txvm, beside clang's own (stdint.h, stdbool.h, ...):",
      errors.substr(begin, end - begin));
  for (const std::string_view file : kRuntimeFiles) {
    if (file.starts_with(kFolder)) note += fmt::format(" {}", file.substr(kFolder.size()));
  }
  return note + '\n';
}

Result<void> Driver::Accept(const Command& command, const isa::ChildResult& child) {
  diagnostics_ += child.err;
  if (child.exit_code == 0) return {};
  diagnostics_ += HeadersNote(child.err);
  if (child.signal != 0) {
    return isa::Fail(ErrorCode::kHost, fmt::format("{} was ended by signal {} on {}",
                                                   command.front(), child.signal, name_));
  }
  return isa::Fail(ErrorCode::kSyntax, fmt::format("{} refused {}", command.front(), name_));
}

Result<void> Driver::WriteRuntime() const {
  for (const std::string_view file : kRuntimeFiles) {
    TXVM_CHECK_OK(folder_.Write(file, RuntimeText(file)));
  }
  if (IsCxx(name_) || std::ranges::any_of(options_.sources, IsCxx)) {
    TXVM_CHECK_OK(WriteCxxHeaders(folder_, kCxxHeaders));
  }
  return {};
}

/// What a tool wrote. A message does not name the file, which the user knows nothing of.
Result<std::string> Driver::ReadCompiled(std::string_view file) const {
  const std::string path = folder_.PathOf(file);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > isa::kMaxFileBytes) {
    return isa::Fail(ErrorCode::kLimit,
                     fmt::format("the compiled program has {} bytes, with the zeroed variables "
                                 "(limit {})",
                                 size, isa::kMaxFileBytes));
  }
  return isa::ReadFile(path);
}

/// What clang calls main; the names of an object's functions are in it as they are.
bool HasMain(std::string_view object) {
  return object.find("__main_void") != object.npos ||
         object.find("__main_argc_argv") != object.npos;
}

Command TargetFlags(const std::string& include_folder) {
  return {"--target=wasm32", "-mcpu=mvp", "-nostdlibinc", "-isystem", include_folder, "-c"};
}

Command Driver::CompileCommand(const std::string& path, const std::string& object) const {
  Command command = {tools_.clang};
  const bool is_cxx = IsCxx(path.empty() ? name_ : path);
  std::ranges::copy(TargetFlags(folder_.PathOf(is_cxx ? kCxxHeaders : "runtime/include")),
                    std::back_inserter(command));
  if (is_cxx) {
    // C's words in the headers, and no code for what has no runtime here.
    std::ranges::copy(Command{"-std=gnu++20", "-nostdinc++", "-Drestrict=__restrict",
                              "-D_Noreturn=[[noreturn]]", "-fno-threadsafe-statics"},
                      std::back_inserter(command));
    std::ranges::copy(
        throws_ ? Command{"-fwasm-exceptions", "-frtti"} : Command{"-fno-exceptions", "-fno-rtti"},
        std::back_inserter(command));
  }
  command.push_back(fmt::format("-O{}", options_.level));
  // Without it clang folds a * b + c of constants with one rounding, which no operation here has.
  command.push_back("-ffp-contract=off");
  command.push_back("-fvisibility=default");  // what is not static is exported
  command.insert(command.end(), {"-mllvm", "-enable-emscripten-sjlj"});  // runtime/jump.c
  // Apart from its option: an empty word would make clang take the next one.
  for (const std::string& folder : options_.includes) command.insert(command.end(), {"-I", folder});
  for (const std::string& define : options_.defines) command.insert(command.end(), {"-D", define});
  // A name that begins with a dash would be an option, whatever stands before it.
  const std::string source = path.empty() ? "-" : path.starts_with('-') ? "./" + path : path;
  std::ranges::copy(Command{"-x", is_cxx ? "c++" : "c", "-o", object, "--", source},
                    std::back_inserter(command));
  return command;
}

/// Adds an object of the source and returns what is in it.
Result<std::string> Driver::CompileSource(const std::string& path, std::string_view text) {
  const std::string_view input = path.empty() ? text : std::string_view();
  const std::string name = fmt::format("source{}.o", objects_.size());
  TXVM_CHECK_OK(RunOrRefuse(CompileCommand(path, folder_.PathOf(name)), input));
  objects_.push_back(name);
  TXVM_TRY(std::string object, ReadCompiled(name));
  if (HasMain(object) || object.find(kPlainMain) == object.npos) return object;
  const std::string other = "old_main_" + name;
  Command command = CompileCommand(path, folder_.PathOf(other));
  command.insert(command.begin() + 1, {"-include", folder_.PathOf("runtime/main.h")});
  TXVM_TRY(const isa::ChildResult child, Run(command, input));  // what it says was said before
  if (child.exit_code != 0) return object;  // main has one parameter, or more than two
  objects_.back() = other;
  return ReadCompiled(other);
}

std::string ObjectName(std::string_view part) { return fmt::format("{}.o", part); }

/// The functions in `renamed` get names that no program has.
Result<void> Driver::CompilePart(std::string_view name, const std::vector<std::string>& renamed) {
  Command command = {tools_.clang};
  for (const std::string& function : renamed) {
    command.push_back(fmt::format("-D{0}=__txvm_{0}", function));
  }
  const bool is_cxx = name == kCxxPart;
  std::ranges::copy(TargetFlags(folder_.PathOf(is_cxx ? kCxxHeaders : "runtime/include")),
                    std::back_inserter(command));
  if (is_cxx) {
    std::ranges::copy(
        Command{"-std=gnu++20", "-nostdinc++", "-Drestrict=__restrict", "-D_Noreturn=[[noreturn]]",
                "-fno-threadsafe-statics", "-fwasm-exceptions", "-frtti"},
        std::back_inserter(command));
  } else {
    std::ranges::copy(Command{"-ffreestanding", "-mllvm",
                              "-enable-emscripten-sjlj"},  // as of sources: thread.c jumps
                      std::back_inserter(command));
  }
  const std::string_view ending = is_cxx ? "cc" : "c";
  std::ranges::copy(
      Command{"-O1", "-fno-builtin", "-ffp-contract=off", "-o", folder_.PathOf(ObjectName(name)),
              folder_.PathOf(fmt::format("runtime/{}.{}", name, ending))},
      std::back_inserter(command));
  return RunOrRefuse(command);
}

/// What every program gets, then the parts that the sources need, and those that these need.
Result<void> Driver::CompileRuntime(const std::vector<std::string>& renamed) {
  TXVM_CHECK_OK(CompilePart(kCommonPart, renamed));
  parts_.clear();
  std::vector<std::string> objects = compiled_;
  while (!objects.empty()) {
    const std::string object = std::move(objects.back());
    objects.pop_back();
    for (const std::string_view part : PartsNeeded(object)) {
      if (std::ranges::find(parts_, part) != parts_.end()) continue;
      TXVM_CHECK_OK(CompilePart(part, renamed));
      parts_.push_back(part);
      TXVM_TRY(objects.emplace_back(), ReadCompiled(ObjectName(part)));
    }
  }
  return {};
}

Command Driver::LinkCommand() const {
  Command command = {tools_.linker,
                     "--no-entry",
                     "--export-dynamic",
                     "--stack-first",
                     "-z",
                     fmt::format("stack-size={}", kStackBytes),
                     "-o",
                     folder_.PathOf("linked.wasm")};
  for (const std::string& object : objects_) command.push_back(folder_.PathOf(object));
  return command;
}

/// The names that are a function's in one object and a variable's in the other, as the linker says.
std::vector<std::string> MismatchedNames(std::string_view errors) {
  std::vector<std::string> names;
  for (const std::string_view before :
       {"symbol type mismatch: ", "function signature mismatch: "}) {
    std::string_view rest = errors;
    for (std::size_t at; (at = rest.find(before)) != rest.npos;) {
      rest.remove_prefix(at + before.size());
      names.emplace_back(rest.substr(0, rest.find('\n')));
    }
  }
  return names;
}

/// The module that `link` has made of a source without main: one whose constructors run when they
/// are called.
Result<std::string> Driver::ReadLibrary(Command link) {
  TXVM_TRY(std::string bytes, ReadCompiled("linked.wasm"));
  if (bytes.find(kAroundExport) == bytes.npos) return bytes;
  link.push_back(fmt::format("--export={}", kConstructors));
  TXVM_CHECK_OK(RunOrRefuse(link));
  return ReadCompiled("linked.wasm");
}

/// A source without main and without calls of the library needs no runtime, whose compilation takes
/// longer than its own.
Result<std::string> Driver::LinkObjects(bool has_main) {
  if (!has_main) {
    TXVM_TRY(const isa::ChildResult child, Run(LinkCommand()));
    if (child.exit_code == 0) return ReadLibrary(LinkCommand());
  }
  TXVM_CHECK_OK(CompileRuntime({}));
  Command command = LinkCommand();
  command.push_back(folder_.PathOf(ObjectName(kCommonPart)));
  if (has_main) command.push_back("--export=_start");
  Command link = command;
  const auto add_parts = [this, &link] {
    for (const auto part : parts_) link.push_back(folder_.PathOf(ObjectName(part)));
  };
  add_parts();
  TXVM_TRY(const isa::ChildResult child, Run(link));
  if (const auto names = MismatchedNames(child.err); !names.empty()) {
    TXVM_CHECK_OK(CompileRuntime(names));
    link = command;
    add_parts();
    TXVM_CHECK_OK(RunOrRefuse(link));
  } else {
    TXVM_CHECK_OK(Accept(command, child));
  }
  return has_main ? ReadCompiled("linked.wasm") : ReadLibrary(std::move(link));
}

/// binaryen's lowering, where it gives the module that txvm's own would (same imports and exports)
/// and takes no longer than clang. It never gets floats: it would compute NaNs of its own.
Result<std::string> Driver::LowerI64(std::string bytes) {
  if (!options_.use_wasm_opt || tools_.wasm_opt.empty()) return bytes;
  if (throws_ || bytes.size() > kMostForBinaryen || bytes.contains(kThrow)) return bytes;
  TXVM_TRY(const wat::WideUse use, wat::FindWideUse(Bytes(bytes), name_));
  if (!use.in_code || use.in_interface || use.has_floats) return bytes;
  const std::string out = folder_.PathOf("lowered.wasm");
  TXVM_TRY(const isa::ChildResult child, Run({tools_.wasm_opt, folder_.PathOf("linked.wasm"),
                                              "--mvp-features", "--remove-non-js-ops", "--flatten",
                                              "--i64-to-i32-lowering", "-O2", "-g", "-o", out}));
  if (child.exit_code != 0) return bytes;  // another version of binaryen: txvm's own lowering
  TXVM_TRY(std::string lowered, isa::ReadFile(out));
  if (lowered.find(kBinaryenImports) != lowered.npos) return bytes;
  used_wasm_opt_ = true;
  return lowered;
}

/// Whether clang refused what it compiles with exceptions or with types at run time alone. Others
/// pay nothing for them: neither handlers around calls, nor tables.
bool NeedsExceptions(std::string_view errors) {
  return errors.contains("with exceptions disabled") || errors.contains("requires -frtti");
}

Result<void> Driver::CompileSources(const std::string& path, std::string_view text) {
  TXVM_TRY(compiled_.emplace_back(), CompileSource(path, text));
  for (const std::string& source : options_.sources) {
    TXVM_TRY(compiled_.emplace_back(), CompileSource(source, {}));
  }
  return {};
}

Result<std::string> Driver::Link(const std::string& path, std::string_view text) {
  TXVM_CHECK_OK(WriteRuntime());
  Result<void> compiled = CompileSources(path, text);
  if (!compiled && NeedsExceptions(diagnostics_)) {
    throws_ = true;  // in all sources: an exception may go through any
    diagnostics_.clear();
    objects_.clear();
    compiled_.clear();
    compiled = CompileSources(path, text);
  }
  TXVM_CHECK_OK(std::move(compiled));
  TXVM_TRY(std::string bytes, LinkObjects(std::ranges::any_of(compiled_, HasMain)));
  return LowerI64(std::move(bytes));
}

/// Some versions of clang hide main in a function that only calls it, and the linker gives that
/// one its name: traps and traces are to call the source's own function main.
void NameMain(std::vector<isa::Function>& functions) {
  const auto named = [&functions](std::string_view name) {
    return std::ranges::find(functions, name, &isa::Function::name);
  };
  const auto main = named("__original_main");
  if (main == functions.end()) return;
  if (const auto caller = named("main"); caller != functions.end()) caller->name = "__main_void";
  main->name = "main";
}

/// main is called through _start; its names in clang's scheme are of no use to callers.
void DropMainNames(isa::Program& program) {
  if (program.FindExport("_start") == nullptr) return;
  NameMain(program.functions);
  std::erase_if(program.exports, [](const isa::Export& item) {
    return item.name == "main" || item.name == "__original_main" || item.name == "__main_void" ||
           item.name == "__main_argc_argv";
  });
}

/// The constructors of a source without main become its start function: they run once in an
/// instance, before whatever is called.
void StartWithConstructors(isa::Program& program) {
  const isa::Export* constructors = program.FindExport(kConstructors);
  if (constructors == nullptr) return;
  program.init = constructors->start;
  std::erase_if(program.exports,
                [](const isa::Export& item) { return item.name == kConstructors; });
  if (program.entry == program.init && !program.exports.empty()) {
    program.entry = program.exports.front().start;
  }
}

}  // namespace

LinkedModule LinkC(const std::string& path, std::string_view text, std::string_view name,
                   const CompileOptions& options) {
  Result<Toolchain> tools = FindToolchain();
  if (!tools) return {std::unexpected(std::move(tools).error()), {}, false};
  Result<TempFolder> folder = TempFolder::Create();
  if (!folder) return {std::unexpected(std::move(folder).error()), {}, false};
  Driver driver(*std::move(tools), *std::move(folder), options, name);
  Result<std::string> bytes = driver.Link(path, text);
  return {std::move(bytes), driver.diagnostics(), driver.used_wasm_opt()};
}

Compilation CompileC(const std::string& path, std::string_view text, std::string_view name,
                     const CompileOptions& options) {
  LinkedModule linked = LinkC(path, text, name, options);
  if (!linked.bytes) {
    return {std::unexpected(std::move(linked.bytes).error()), std::move(linked.diagnostics)};
  }
  Result<isa::Program> program =
      wat::LoadWasm(Bytes(*linked.bytes), name,
                    {.optimize = options.optimize,
                     .lower_i64 = true,
                     .bytes_of = "the compiled module"});  // nobody has it under `name`
  if (program) {
    DropMainNames(*program);
    StartWithConstructors(*program);
  }
  return {std::move(program), std::move(linked.diagnostics)};
}

}  // namespace txvm::frontends::c
