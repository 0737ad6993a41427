// Other runtimes, as child processes. Checked here against wabt 1.0.32, Node 20 and Lua 5.4; wasm3
// and wasmtime are driven by their documented command lines.
#include "frontends/cli/compare/foreign.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "frontends/cli/compare/lua_translation.h"
#include "isa/support/system/temp_file.h"
#include "frontends/cli/compare/wasm_call.h"
#include "isa/value_text.h"

namespace txvm::frontends::cli {
namespace {

// Runs the export of argv[1] named argv[2] with the arguments behind it, an i64 as "5n"; prints "ok
// seconds result..." or "trap", of its own stack "trap stack".
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
const start = process.hrtime.bigint();
try {
  const read = (arg) => arg.endsWith('n') ? BigInt(arg.slice(0, -1)) : Number(arg);
  const value = instance.exports[name](...args.map(read));
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  console.log(['ok', seconds, ...(value === undefined ? [] : [value].flat())].join(' '));
} catch (error) {
  if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
  console.log(error instanceof RangeError ? 'trap stack' : 'trap');
}
)";

ForeignAnswer Problem(std::string text) {
  ForeignAnswer answer;
  answer.problem = std::move(text);
  return answer;
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// Every decimal integer behind `mark`s: ":" finds those of "f() => i32:4294967295". `types` are
// theirs; past their end, i32.
std::vector<isa::Value> ValuesBehind(std::string_view text, std::string_view mark,
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

// Reads "ok seconds result...", "trap" or "trap stack", which our own scripts print.
ForeignAnswer ParseScriptOutput(const ChildResult& child, std::string_view types) {
  ForeignAnswer answer;
  answer.includes_startup = false;
  if (child.out.starts_with("trap")) {
    answer.trapped = true;
    answer.exhausted = child.out.starts_with("trap stack");
    return answer;
  }
  double seconds = 0;
  constexpr std::size_t kOkBytes = 3;  // "ok "
  if (!child.out.starts_with("ok ")) return Problem("failed: " + FirstLine(child.err));
  const char* const end = child.out.data() + child.out.size();
  const auto [stop, error] = std::from_chars(child.out.data() + kOkBytes, end, seconds);
  if (error != std::errc()) return Problem("printed no time: " + FirstLine(child.out));
  answer.seconds = seconds;
  answer.results = ValuesBehind({stop, static_cast<std::size_t>(end - stop)}, " ", types);
  return answer;
}

ForeignAnswer ParseWasmInterp(const ChildResult& child, std::string_view types) {
  ForeignAnswer answer;
  answer.trapped = child.out.find("error: ") != std::string::npos;
  answer.exhausted = answer.trapped && SaysExhausted(child.out);
  const std::size_t arrow = child.out.find("=>");
  if (!answer.trapped && arrow == std::string::npos) {
    return Problem("failed: " + FirstLine(child.err.empty() ? child.out : child.err));
  }
  if (!answer.trapped) answer.results = ValuesBehind(child.out.substr(arrow), ":", types);
  return answer;
}

ForeignAnswer ParseWasm3(const ChildResult& child, std::string_view types) {
  ForeignAnswer answer;
  const std::string text = child.out + child.err;
  answer.trapped = text.find("[trap]") != std::string::npos;
  answer.exhausted = answer.trapped && SaysExhausted(text);
  if (!answer.trapped && child.exit_code != 0) return Problem("failed: " + FirstLine(child.err));
  if (!answer.trapped) answer.results = ValuesBehind(text, "Result: ", types);
  return answer;
}

ForeignAnswer ParseWasmtime(const ChildResult& child, std::string_view types) {
  ForeignAnswer answer;
  answer.trapped = child.err.find("wasm trap:") != std::string::npos;
  answer.exhausted = answer.trapped && SaysExhausted(child.err);
  if (!answer.trapped && child.exit_code != 0) return Problem("failed: " + FirstLine(child.err));
  std::string_view lines = child.out;
  if (lines.ends_with('\n')) lines.remove_suffix(1);
  if (!answer.trapped && !lines.empty()) {
    answer.results = ValuesBehind(fmt::format("\n{}", lines), "\n", types);
  }
  return answer;
}

// `types` are those of the results.
using Parser = ForeignAnswer (*)(const ChildResult&, std::string_view types);

ForeignAnswer Run(const std::vector<std::string>& command, const ForeignCall& call, double seconds,
                  Parser parse, std::string_view types) {
  const isa::Result<ChildResult> child = RunChild(command, {}, seconds, call.stop);
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
  const isa::Result<TempFile> file = TempFile::Create(*module, ".wasm");
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
  const isa::Result<TempFile> file = TempFile::Create(call.wasm, ".wasm");
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
  const isa::Result<TempFile> file = TempFile::Create(*script, ".lua");
  if (!file) return Problem(file.error().message);
  ForeignAnswer answer = Run({path, file->path()}, call, seconds, ParseScriptOutput, {});
  const std::vector<isa::Word> words = isa::WordsOfValues(answer.results);  // it prints words
  if (isa::WordsOf(call.result_types) == words.size()) {
    answer.results = isa::ValuesOfWords(call.result_types, words);
  }
  return answer;
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
  std::string path = FindProgram(runtime);
  if (path.empty() && runtime == "lua") path = FindProgram("lua5.4");
  if (path.empty()) return Problem("not installed");
  if (runtime == "lua") return RunLua(path, call, seconds);
  if (call.wasm.empty()) return Problem(call.no_wasm);
  if (!HasWasi(runtime) && ImportsFrom(call.wasm, kWasiModule)) {
    return Problem(fmt::format("runs no WASI programs here: this one imports {}", kWasiModule));
  }
  const isa::Result<WasmSignature> signature = SignatureOf(call.wasm, call.name);
  if (!signature) return Problem(signature.error().message);
  // wasmtime calls _initialize by itself.
  const std::string before = runtime == "wasmtime" ? std::string() : call.before;
  if (!before.empty() || HasFloats(*signature)) {
    return RunThroughCall(runtime, call, before, *signature, seconds);
  }
  if (runtime == "wasm-interp") return RunWasmInterp(path, call, seconds, *signature);
  if (runtime == "wasm3") {
    return RunWithArguments({path, "--func", call.name, "FILE"}, call, seconds, *signature,
                            ParseWasm3);
  }
  if (runtime == "wasmtime") {
    return RunWithArguments({path, "run", "--invoke", call.name, "FILE"}, call, seconds, *signature,
                            ParseWasmtime);
  }
  return RunWithArguments({path, "-e", std::string(kNodeScript), "FILE", call.name}, call, seconds,
                          *signature, ParseScriptOutput, "n");
}

isa::Result<std::string> WasmOf(std::string_view bytes, bool is_text, double seconds) {
  if (!is_text) return std::string(bytes);
  const std::string path = FindProgram("wat2wasm");
  if (path.empty()) {
    return isa::Fail(isa::ErrorCode::kUnsupported, "needs wat2wasm to translate .wat");
  }
  TXVM_TRY(const TempFile text, TempFile::Create(bytes, ".wat"));
  TXVM_TRY(const ChildResult child, RunChild({path, text.path(), "--output=-"}, {}, seconds));
  if (child.exit_code != 0) {
    return isa::Fail(isa::ErrorCode::kUnsupported, "wat2wasm refused it: " + FirstLine(child.err));
  }
  return child.out;
}

}  // namespace txvm::frontends::cli
