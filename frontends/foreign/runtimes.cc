// Other runtimes, as child processes. Checked here against wabt 1.0.32, Node 20 and Lua 5.4; wasm3
// and wasmtime are driven by their documented command lines.
#include "frontends/foreign/runtimes.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "frontends/foreign/lua_translation.h"
#include "frontends/foreign/wasm_call.h"
#include "isa/support/system/temp_file.h"
#include "isa/value_text.h"

namespace txvm::frontends::foreign {
namespace {

// Runs the export of argv[1] named argv[2] with the arguments after it, an i64 as "5n"; prints "ok
// seconds result..." or "trap", of its own stack "trap stack".
// The second number after "ok" is CPU time, as Lua's first is.
constexpr std::string_view kNodeScript = R"(
const fs = require('fs');
const [file, name, ...args] = process.argv.slice(1);
const silent = { print_i32: () => {}, print: () => {}, putchar: (c) => c & 255 };
const imports = { env: silent, spectest: silent };
let instance;
try {
  instance = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(file)), imports);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
const start = process.hrtime.bigint(), cpu = process.cpuUsage();
try {
  const read = (arg) => arg.endsWith('n') ? BigInt(arg.slice(0, -1)) : Number(arg);
  const value = instance.exports[name](...args.map(read));
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const used = process.cpuUsage(cpu);
  console.log(['ok', seconds, (used.user + used.system) / 1e6, ...(value === undefined ? [] : [value].flat())].join(' '));
} catch (error) {
  if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
  console.log(error instanceof RangeError ? 'trap stack' : 'trap');
}
)";

// The same through wasmtime's package for Python: FILE, export, input, then the program's own
// arguments up to "--", NAME=VALUEs up to "--", folders as pairs up to "--", the call's arguments.
// "absent" without the package, "exit N" where the program says so.
constexpr std::string_view kWasmtimeScript = R"(
import sys, time
try:
  import wasmtime
except ImportError:
  print('absent')
  sys.exit(0)
file, name, stdin, *rest = sys.argv[1:]
def upto():
  global rest
  end = rest.index('--')
  words, rest = rest[:end], rest[end + 1:]
  return words
wasi = wasmtime.WasiConfig()
wasi.argv = upto()
wasi.env = [tuple(pair.split('=', 1)) for pair in upto()]
folders = upto()
for host, guest in zip(folders[::2], folders[1::2]): wasi.preopen_dir(host, guest)
wasi.stdin_file = stdin
wasi.stdout_file = '/dev/null'
wasi.stderr_file = '/dev/null'
engine = wasmtime.Engine()
store = wasmtime.Store(engine)
store.set_wasi(wasi)
linker = wasmtime.Linker(engine)
linker.define_wasi()
i32 = wasmtime.ValType.i32()
for module in 'env', 'spectest':
  linker.define_func(module, 'print_i32', wasmtime.FuncType([i32], []), lambda value: None)
linker.define_func('spectest', 'print', wasmtime.FuncType([], []), lambda: None)
linker.define_func('env', 'putchar', wasmtime.FuncType([i32], [i32]), lambda c: c & 255)
try:
  module = wasmtime.Module.from_file(engine, file)
  instance = linker.instantiate(store, module)
except wasmtime.WasmtimeError as error:
  sys.exit(str(error))
call = instance.exports(store)[name]
start, cpu = time.perf_counter(), time.process_time()
try:
  value = call(store, *[int(word) for word in rest])
except wasmtime.ExitTrap as error:
  print('exit', error.code, time.perf_counter() - start, time.process_time() - cpu)
except wasmtime.Trap as error:
  print('trap stack' if error.trap_code == wasmtime.TrapCode.STACK_OVERFLOW else 'trap')
else:
  seconds, used = time.perf_counter() - start, time.process_time() - cpu
  values = [] if value is None else value if isinstance(value, list) else [value]
  print('ok', seconds, used, *values)
)";

ForeignAnswer Problem(std::string text) {
  ForeignAnswer answer;
  answer.problem = std::move(text);
  return answer;
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// Every decimal integer after `mark`s: ":" finds those of "f() => i32:4294967295". `types` are
// theirs; past their end, i32.
std::vector<isa::Value> ValuesAfter(std::string_view text, std::string_view mark,
                                    std::string_view types) {
  constexpr std::uint64_t kWord = 0xFFFFFFFF;
  std::vector<isa::Value> values;
  std::size_t count = 0;
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at)) {
    at += mark.size();
    const bool is_negative = at < text.size() && text[at] == '-';
    std::uint64_t value = 0;
    std::from_chars(text.data() + at + (is_negative ? 1 : 0), text.data() + text.size(), value);
    if (is_negative) value = 0 - value;
    const bool is_wide = count < types.size() && types[count] == kI64Type;
    values.push_back(is_wide ? isa::Value{isa::ValueType::kI64, value}
                             : isa::Value{isa::ValueType::kI32, value & kWord});
    ++count;
  }
  return values;
}

// The arguments of a call in decimal, each i64 with `wide_suffix`. REQUIRES: as many words as
// `types` have.
std::vector<std::string> ArgumentTexts(const std::vector<isa::Word>& words, std::string_view types,
                                       std::string_view wide_suffix) {
  std::vector<std::string> texts;
  for (const isa::Value& value : isa::ValuesOfWords(TypesOfBytes(types), words)) {
    texts.push_back(isa::ValueText(value));
    if (value.type == isa::ValueType::kI64) texts.back() += wide_suffix;
  }
  return texts;
}

// Whether a runtime says that its own stack was too small, as all but our scripts word it.
bool SaysExhausted(std::string_view text) {
  return text.find("stack exhausted") != text.npos || text.find("stack overflow") != text.npos;
}

// Takes a number from the beginning of `text`, and blanks before it; false where there is none.
template <typename Number>
bool TakeNumber(std::string_view& text, Number& number) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}

// Reads "ok seconds cpu result...", "exit code seconds cpu", "trap", "trap stack" or "absent",
// which our own scripts print.
ForeignAnswer ParseScriptOutput(const isa::ChildResult& child, std::string_view types) {
  ForeignAnswer answer;
  answer.includes_startup = false;
  std::string_view text = child.out;
  if (text.starts_with("absent")) return Problem("not installed");
  if (text.starts_with("trap")) {
    answer.trapped = true;
    answer.exhausted = text.starts_with("trap stack");
    return answer;
  }
  constexpr std::string_view kOk = "ok ", kExit = "exit ";
  const bool exits = text.starts_with(kExit);
  if (!exits && !text.starts_with(kOk)) return Problem("failed: " + FirstLine(child.err));
  text.remove_prefix(exits ? kExit.size() : kOk.size());
  int code = 0;
  if (exits && TakeNumber(text, code)) answer.exit_code = code;
  if (!TakeNumber(text, answer.seconds) || !TakeNumber(text, answer.cpu_seconds)) {
    return Problem("printed no time: " + FirstLine(child.out));
  }
  if (!exits) answer.results = ValuesAfter(text, " ", types);
  return answer;
}

ForeignAnswer ParseWasmInterp(const isa::ChildResult& child, std::string_view types) {
  ForeignAnswer answer;
  answer.trapped = child.out.find("error: ") != std::string::npos;
  answer.exhausted = answer.trapped && SaysExhausted(child.out);
  const std::size_t arrow = child.out.find("=>");
  if (!answer.trapped && arrow == std::string::npos) {
    return Problem("failed: " + FirstLine(child.err.empty() ? child.out : child.err));
  }
  if (!answer.trapped) answer.results = ValuesAfter(child.out.substr(arrow), ":", types);
  return answer;
}

ForeignAnswer ParseWasm3(const isa::ChildResult& child, std::string_view types) {
  ForeignAnswer answer;
  const std::string text = child.out + child.err;
  answer.trapped = text.find("[trap]") != std::string::npos;
  answer.exhausted = answer.trapped && SaysExhausted(text);
  if (!answer.trapped && child.exit_code != 0) return Problem("failed: " + FirstLine(child.err));
  if (!answer.trapped) answer.results = ValuesAfter(text, "Result: ", types);
  return answer;
}

ForeignAnswer ParseWasmtime(const isa::ChildResult& child, std::string_view types) {
  ForeignAnswer answer;
  answer.trapped = child.err.find("wasm trap:") != std::string::npos;
  answer.exhausted = answer.trapped && SaysExhausted(child.err);
  if (!answer.trapped && child.exit_code != 0) return Problem("failed: " + FirstLine(child.err));
  std::string_view lines = child.out;
  if (lines.ends_with('\n')) lines.remove_suffix(1);
  if (!answer.trapped && !lines.empty()) {
    answer.results = ValuesAfter(fmt::format("\n{}", lines), "\n", types);
  }
  return answer;
}

// Of a program that prints what it likes and ends with a code of its own.
ForeignAnswer ParseWasmtimeCommand(const isa::ChildResult& child, std::string_view) {
  ForeignAnswer answer;
  answer.trapped = child.err.find("wasm trap:") != std::string::npos;
  answer.exhausted = answer.trapped && SaysExhausted(child.err);
  if (!answer.trapped && child.exit_code != 0) answer.exit_code = child.exit_code;
  return answer;
}

// `types` are those of the results.
using Parser = ForeignAnswer (*)(const isa::ChildResult&, std::string_view types);

ForeignAnswer Run(const std::vector<std::string>& command, const ForeignCall& call, double seconds,
                  Parser parse, std::string_view types) {
  const isa::Result<isa::ChildResult> child =
      isa::RunChild(command, call.wasi.input, seconds, call.stop);
  if (!child) return Problem(child.error().message);
  if (child->timed_out && call.stop && call.stop()) return Problem("interrupted");
  if (child->timed_out) return Problem(fmt::format("timed out after {} s", seconds));
  if (child->signal != 0) return Problem(fmt::format("died of signal {}", child->signal));
  ForeignAnswer answer = parse(*child, types);
  if (answer.includes_startup) {
    answer.seconds = child->seconds;
    answer.cpu_seconds = child->cpu_seconds;
  }
  return answer;
}

// wabt 1.0.32 ignores its options for the sizes of its stacks.
ForeignAnswer RunWasmInterp(const std::string& path, const ForeignCall& call, double seconds,
                            const WasmSignature& signature) {
  const isa::Result<std::string> module = WithCall(call.wasm, call.name, call.args);
  if (!module) return Problem(module.error().message);
  const isa::Result<isa::TempFile> file = isa::TempFile::Create(*module, ".wasm");
  if (!file) return Problem(file.error().message);
  return Run({path, file->path(), "--run-all-exports"}, call, seconds, ParseWasmInterp,
             signature.results);
}

ForeignAnswer RunWithArguments(std::vector<std::string> command, const ForeignCall& call,
                               double seconds, const WasmSignature& signature, Parser parse,
                               std::string_view wide_suffix = {}) {
  if (isa::WordsOf(TypesOfBytes(signature.params)) != call.args.size()) {
    return Problem("takes other arguments");
  }
  const isa::Result<isa::TempFile> file = isa::TempFile::Create(call.wasm, ".wasm");
  if (!file) return Problem(file.error().message);
  for (std::string& word : command) {
    if (word == "FILE") word = file->path();
  }
  for (std::string& text : ArgumentTexts(call.args, signature.params, wide_suffix)) {
    command.push_back(std::move(text));
  }
  return Run(command, call, seconds, parse, signature.results);
}

ForeignAnswer RunLua(const std::string& path, const ForeignCall& call, double seconds) {
  if (!call.before.empty()) return Problem(fmt::format("has a function {}", call.before));
  const isa::Result<std::string> script = TranslateToLua(*call.program, call.start, call.args);
  if (!script) return Problem(script.error().message);
  const isa::Result<isa::TempFile> file = isa::TempFile::Create(*script, ".lua");
  if (!file) return Problem(file.error().message);
  ForeignAnswer answer = Run({path, file->path()}, call, seconds, ParseScriptOutput, {});
  const std::vector<isa::Word> words = isa::WordsOfValues(answer.results);  // it prints words
  if (isa::WordsOf(call.result_types) == words.size()) {
    answer.results = isa::ValuesOfWords(call.result_types, words);
  }
  return answer;
}

constexpr std::string_view kCommandEntry = "_start";

ForeignAnswer RunWasmtime(const std::string& path, const ForeignCall& call, double seconds,
                          const WasmSignature& signature) {
  std::vector<std::string> command = {path, "run"};
  for (const std::string& pair : call.wasi.environment) {
    command.insert(command.end(), {"--env", pair});
  }
  for (const ForeignSurroundings::Folder& folder : call.wasi.folders) {
    command.insert(command.end(), {"--dir", folder.host + "::" + folder.guest});
  }
  if (call.name != kCommandEntry) command.insert(command.end(), {"--invoke", call.name});
  command.push_back("FILE");
  if (call.name == kCommandEntry && !call.wasi.arguments.empty()) {
    command.insert(command.end(), call.wasi.arguments.begin() + 1, call.wasi.arguments.end());
  }
  return RunWithArguments(std::move(command), call, seconds, signature,
                          call.name == kCommandEntry ? ParseWasmtimeCommand : ParseWasmtime);
}

ForeignAnswer RunWasmtimePackage(const std::string& python, const ForeignCall& call, double seconds,
                                 const WasmSignature& signature) {
  const isa::Result<isa::TempFile> input = isa::TempFile::Create(call.wasi.input, ".in");
  if (!input) return Problem(input.error().message);
  std::vector<std::string> command = {python, "-c",      std::string(kWasmtimeScript),
                                      "FILE", call.name, input->path()};
  command.insert(command.end(), call.wasi.arguments.begin(), call.wasi.arguments.end());
  command.emplace_back("--");
  command.insert(command.end(), call.wasi.environment.begin(), call.wasi.environment.end());
  command.emplace_back("--");
  for (const ForeignSurroundings::Folder& folder : call.wasi.folders) {
    command.insert(command.end(), {folder.host, folder.guest});
  }
  command.emplace_back("--");
  return RunWithArguments(std::move(command), call, seconds, signature, ParseScriptOutput);
}

bool HasFloats(const WasmSignature& signature) {
  const std::string types = signature.params + signature.results;
  return types.find_first_of({kF32Type, kF64Type}) != types.npos;
}

constexpr std::string_view kWasiModule = "wasi_snapshot_preview1";

// wasm3 and wasmtime give every module WASI; node has none in `new WebAssembly.Instance`, and
// wasm-interp gives it to the start function of a command alone.
bool HasWasi(std::string_view runtime) { return runtime == "wasm3" || runtime == "wasmtime"; }

// Runs a module that passes the arguments itself, calls `before` in front, and returns floats as
// the bits they are: command lines and printed floats would lose some.
ForeignAnswer RunThroughCall(std::string_view runtime, const ForeignCall& call,
                             const std::string& before, const WasmSignature& signature,
                             double seconds) {
  isa::Result<std::string> wasm = WithCall(call.wasm, call.name, call.args, before);
  if (!wasm) return Problem(wasm.error().message);
  ForeignCall both = call;
  both.wasm = *std::move(wasm);
  both.name = kCallName;
  both.args.clear();
  both.before.clear();
  ForeignAnswer answer = RunForeign(runtime, both, seconds);
  const std::vector<isa::ValueType> types = TypesOfBytes(signature.results);
  if (answer.results.size() != types.size()) return answer;
  for (std::size_t i = 0; i < types.size(); ++i) answer.results[i].type = types[i];
  return answer;
}

constexpr std::array<std::string_view, 5> kRuntimes = {"wasm-interp", "wasm3", "wasmtime", "node",
                                                       "lua"};

}  // namespace

std::vector<std::string_view> ForeignRuntimes() { return {kRuntimes.begin(), kRuntimes.end()}; }

ForeignAnswer RunForeign(std::string_view runtime, const ForeignCall& call, double seconds) {
  std::string path = isa::FindProgram(runtime);
  if (path.empty() && runtime == "lua") path = isa::FindProgram("lua5.4");
  const bool is_package = path.empty() && runtime == "wasmtime";
  if (is_package) path = isa::FindProgram("python3");
  if (path.empty()) return Problem("not installed");
  if (runtime == "lua") return RunLua(path, call, seconds);
  if (call.wasm.empty()) return Problem(call.no_wasm);
  if (!HasWasi(runtime) && ImportsFrom(call.wasm, kWasiModule)) {
    return Problem(fmt::format("runs no WASI programs here: this one imports {}", kWasiModule));
  }
  const isa::Result<WasmSignature> signature = SignatureOf(call.wasm, call.name);
  if (!signature) return Problem(signature.error().message);
  // The program wasmtime calls _initialize by itself.
  const std::string before = runtime == "wasmtime" && !is_package ? std::string() : call.before;
  if (!before.empty() || HasFloats(*signature)) {
    return RunThroughCall(runtime, call, before, *signature, seconds);
  }
  if (runtime == "wasm-interp") return RunWasmInterp(path, call, seconds, *signature);
  if (runtime == "wasm3") {
    return RunWithArguments({path, "--func", call.name, "FILE"}, call, seconds, *signature,
                            ParseWasm3);
  }
  if (is_package) return RunWasmtimePackage(path, call, seconds, *signature);
  if (runtime == "wasmtime") return RunWasmtime(path, call, seconds, *signature);
  return RunWithArguments({path, "-e", std::string(kNodeScript), "FILE", call.name}, call, seconds,
                          *signature, ParseScriptOutput, "n");
}

isa::Result<std::string> WasmOf(std::string_view bytes, bool is_text, double seconds) {
  if (!is_text) return std::string(bytes);
  const std::string path = isa::FindProgram("wat2wasm");
  if (path.empty()) {
    return isa::Fail(isa::ErrorCode::kUnsupported, "needs wat2wasm to translate .wat");
  }
  TXVM_TRY(const isa::TempFile text, isa::TempFile::Create(bytes, ".wat"));
  TXVM_TRY(const isa::ChildResult child,
           isa::RunChild({path, text.path(), "--output=-"}, {}, seconds));
  if (child.exit_code != 0) {
    return isa::Fail(isa::ErrorCode::kUnsupported, "wat2wasm refused it: " + FirstLine(child.err));
  }
  return child.out;
}

}  // namespace txvm::frontends::foreign
