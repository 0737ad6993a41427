// Other runtimes, as child processes. Checked here against wabt 1.0.32, Node 20 and Lua 5.4; wasm3
// and wasmtime are driven by their documented command lines.
#include "frontends/cli/foreign.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "frontends/cli/lua_translation.h"
#include "frontends/cli/temp_file.h"
#include "frontends/cli/wasm_call.h"

namespace txvm::frontends::cli {
namespace {

// Runs the export of argv[1] named argv[2] and prints "ok seconds result..." or "trap".
constexpr std::string_view kNodeScript = R"(
const fs = require('fs');
const [file, name, ...args] = process.argv.slice(1);
const silent = { print_i32: () => {}, print: () => {}, putchar: (c) => c & 255 };
const imports = { env: silent, spectest: silent };
const instance = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(file)), imports);
const start = process.hrtime.bigint();
try {
  const value = instance.exports[name](...args.map(Number));
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  console.log(['ok', seconds, ...(value === undefined ? [] : [value].flat())].join(' '));
} catch (error) {
  if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
  console.log('trap');
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

// Every decimal integer behind `mark`s, as i32: "i32:" finds those of "f() => i32:4294967295".
std::vector<std::int32_t> NumbersBehind(std::string_view text, std::string_view mark) {
  std::vector<std::int32_t> numbers;
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at)) {
    at += mark.size();
    std::int64_t value = 0;
    std::from_chars(text.data() + at, text.data() + text.size(), value);
    numbers.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(value)));
  }
  return numbers;
}

std::vector<std::string> ArgumentTexts(const ForeignCall& call) {
  std::vector<std::string> texts;
  for (const isa::Word arg : call.args) texts.push_back(fmt::format("{}", isa::Signed(arg)));
  return texts;
}

// Reads "ok seconds result..." or "trap", which our own scripts print.
ForeignAnswer ParseScriptOutput(const ChildResult& child) {
  ForeignAnswer answer;
  answer.includes_startup = false;
  if (child.out.starts_with("trap")) {
    answer.trapped = true;
    return answer;
  }
  double seconds = 0;
  constexpr std::size_t kOkBytes = 3;  // "ok "
  if (!child.out.starts_with("ok ")) return Problem("failed: " + FirstLine(child.err));
  const char* const end = child.out.data() + child.out.size();
  const auto [stop, error] = std::from_chars(child.out.data() + kOkBytes, end, seconds);
  if (error != std::errc()) return Problem("printed no time: " + FirstLine(child.out));
  answer.seconds = seconds;
  answer.results = NumbersBehind({stop, static_cast<std::size_t>(end - stop)}, " ");
  return answer;
}

ForeignAnswer ParseWasmInterp(const ChildResult& child) {
  ForeignAnswer answer;
  answer.trapped = child.out.find("error: ") != std::string::npos;
  if (!answer.trapped && child.out.find("=>") == std::string::npos) {
    return Problem("failed: " + FirstLine(child.err.empty() ? child.out : child.err));
  }
  if (!answer.trapped) answer.results = NumbersBehind(child.out, "i32:");
  return answer;
}

ForeignAnswer ParseWasm3(const ChildResult& child) {
  ForeignAnswer answer;
  const std::string text = child.out + child.err;
  answer.trapped = text.find("[trap]") != std::string::npos;
  if (!answer.trapped && child.exit_code != 0) return Problem("failed: " + FirstLine(child.err));
  if (!answer.trapped) answer.results = NumbersBehind(text, "Result: ");
  return answer;
}

ForeignAnswer ParseWasmtime(const ChildResult& child) {
  ForeignAnswer answer;
  answer.trapped = child.err.find("wasm trap:") != std::string::npos;
  if (!answer.trapped && child.exit_code != 0) return Problem("failed: " + FirstLine(child.err));
  if (!answer.trapped && !child.out.empty()) answer.results = NumbersBehind("\n" + child.out, "\n");
  if (!answer.trapped && !answer.results.empty())
    answer.results.pop_back();  // behind the last line
  return answer;
}

using Parser = ForeignAnswer (*)(const ChildResult&);

ForeignAnswer Run(const std::vector<std::string>& command, const ForeignCall& call, double seconds,
                  Parser parse) {
  const isa::Result<ChildResult> child = RunChild(command, {}, seconds, call.stop);
  if (!child) return Problem(child.error().message);
  if (child->timed_out && call.stop && call.stop()) return Problem("interrupted");
  if (child->timed_out) return Problem(fmt::format("timed out after {} s", seconds));
  if (child->signal != 0) return Problem(fmt::format("died of signal {}", child->signal));
  ForeignAnswer answer = parse(*child);
  if (answer.includes_startup) {
    answer.seconds = child->seconds;
    answer.cpu_seconds = child->cpu_seconds;
  }
  return answer;
}

ForeignAnswer RunWasmInterp(const std::string& path, const ForeignCall& call, double seconds) {
  const isa::Result<std::string> module = WithCall(call.wasm, call.name, call.args, call.results);
  if (!module) return Problem(module.error().message);
  const isa::Result<TempFile> file = TempFile::Create(*module, ".wasm");
  if (!file) return Problem(file.error().message);
  return Run({path, file->path(), "--run-all-exports"}, call, seconds, ParseWasmInterp);
}

ForeignAnswer RunWithArguments(std::vector<std::string> command, const ForeignCall& call,
                               double seconds, Parser parse) {
  const isa::Result<TempFile> file = TempFile::Create(call.wasm, ".wasm");
  if (!file) return Problem(file.error().message);
  for (std::string& word : command) {
    if (word == "FILE") word = file->path();
  }
  for (const std::string& text : ArgumentTexts(call)) command.push_back(text);
  return Run(command, call, seconds, parse);
}

ForeignAnswer RunLua(const std::string& path, const ForeignCall& call, double seconds) {
  const isa::Result<std::string> script = TranslateToLua(*call.program, call.start, call.args);
  if (!script) return Problem(script.error().message);
  const isa::Result<TempFile> file = TempFile::Create(*script, ".lua");
  if (!file) return Problem(file.error().message);
  return Run({path, file->path()}, call, seconds, ParseScriptOutput);
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
  if (runtime == "wasm-interp") return RunWasmInterp(path, call, seconds);
  if (runtime == "wasm3") {
    return RunWithArguments({path, "--func", call.name, "FILE"}, call, seconds, ParseWasm3);
  }
  if (runtime == "wasmtime") {
    return RunWithArguments({path, "run", "--invoke", call.name, "FILE"}, call, seconds,
                            ParseWasmtime);
  }
  return RunWithArguments({path, "-e", std::string(kNodeScript), "FILE", call.name}, call, seconds,
                          ParseScriptOutput);
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
