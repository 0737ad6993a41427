#include "frontends/imports/compilers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "isa/support/text.h"
#include "isa/value_text.h"
#include "isa/value_type.h"

namespace txvm::frontends::imports {
namespace {

using vm::HostContext;
using vm::HostStatus;
using Args = std::span<const isa::Word>;
using Results = std::span<isa::Word>;

std::uint32_t WordAt(const vm::LinearMemory& memory, std::uint64_t address) {
  std::uint32_t word = 0;
  if (memory.Contains(address, sizeof(word))) {
    std::memcpy(&word, memory.data() + address, sizeof(word));
  }
  return word;
}

/// Appends a character as UTF-8.
void AppendUtf8(std::uint32_t code, std::string& text) {
  constexpr std::uint32_t kOneByte = 0x80, kTwoBytes = 0x800, kThreeBytes = 0x10000;
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < kOneByte) {
    text += static_cast<char>(code);
  } else if (code < kTwoBytes) {
    text += static_cast<char>(0xC0 | code >> 6);
    text += tail(0);
  } else if (code < kThreeBytes) {
    text += static_cast<char>(0xE0 | code >> 12);
    text += tail(6);
    text += tail(0);
  } else {
    text += static_cast<char>(0xF0 | code >> 18);
    text += tail(12);
    text += tail(6);
    text += tail(0);
  }
}

/// A string of AssemblyScript: UTF-16, its bytes counted in the word before it. What does not lie
/// in memory reads as nothing.
std::string AssemblyScriptText(const vm::LinearMemory& memory, std::uint32_t address) {
  constexpr std::uint32_t kMostBytes = 1 << 20, kHeader = 4;
  if (address < kHeader) return "null";
  const std::uint32_t bytes = std::min(WordAt(memory, address - kHeader), kMostBytes);
  std::string text;
  if (!memory.Contains(address, bytes)) return text;
  const auto unit_at = [&](std::uint32_t offset) {
    std::uint16_t unit = 0;
    std::memcpy(&unit, memory.data() + address + offset, sizeof(unit));
    return std::uint32_t{unit};
  };
  for (std::uint32_t i = 0; i + 1 < bytes; i += 2) {
    std::uint32_t code = unit_at(i);
    const bool is_first_half = code >= 0xD800 && code < 0xDC00 && i + 3 < bytes;
    if (is_first_half) {
      const std::uint32_t second = unit_at(i + 2);
      if (second >= 0xDC00 && second < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
        i += 2;
      }
    }
    AppendUtf8(code, text);
  }
  return text;
}

/// A double of [0, 1) from random bits.
double Fraction(std::uint64_t bits) {
  constexpr int kDropped = 11;
  return static_cast<double>(bits >> kDropped) * 0x1p-53;
}

void Put(double value, Results results) {
  const std::uint64_t bits = isa::Value::F64(value).bits;
  results[0] = static_cast<isa::Word>(bits);
  results[1] = static_cast<isa::Word>(bits >> 32);
}

HostStatus Print(const Surroundings& surroundings, const std::string& line) {
  if (surroundings.print(line + "\n")) return HostStatus::Continue();
  return HostStatus::Failed("cannot write to standard output");
}

HostStatus AssemblyScriptAbort(HostContext& context, Args args, Results) {
  const std::string message = AssemblyScriptText(context.memory, args[0]);
  const std::string file = AssemblyScriptText(context.memory, args[1]);
  return HostStatus::Trap(fmt::format("abort: {} at {}:{}:{}", isa::Printable(message),
                                      isa::Printable(file), args[2], args[3]));
}

HostStatus CopyBytes(HostContext& context, Args args, Results results) {
  const auto [to, from, count] = std::array{args[0], args[1], args[2]};
  if (!context.memory.Contains(to, count) || !context.memory.Contains(from, count)) {
    return HostStatus::Trap("copies outside the memory", isa::Trap::kOutOfBounds);
  }
  if (count != 0) std::memmove(context.memory.data() + to, context.memory.data() + from, count);
  if (!results.empty()) results[0] = to;
  return HostStatus::Continue();
}

HostStatus ResizeHeap(HostContext& context, Args args, Results results) {
  constexpr std::uint64_t kPage = isa::kPageBytes;
  const std::uint64_t wanted = (std::uint64_t{args[0]} + kPage - 1) / kPage;
  const std::uint64_t pages = context.memory.pages();
  const bool grows = wanted > pages;
  const auto delta = static_cast<std::uint32_t>(grows ? wanted - pages : 0);
  results[0] = context.memory.Grow(delta) == 0xFFFFFFFF ? 0 : 1;
  return HostStatus::Continue();
}

HostStatus Nothing(HostContext&, Args, Results) { return HostStatus::Continue(); }

HostStatus Abort(HostContext&, Args, Results) { return HostStatus::Trap("abort"); }

struct Known {
  std::string_view name;             // module.name
  std::string_view params, results;  // letters of types
  std::string_view what;
  vm::HostFunction (*make)(const Surroundings&);
  bool use_time_or_chance = false;
};

vm::HostFunction MakeTrace(const Surroundings& surroundings) {
  return [surroundings](HostContext& context, Args args, Results) {
    const std::vector<isa::ValueType> types(5, isa::ValueType::kF64);
    const std::vector<isa::Value> values = isa::ValuesOfWords(types, args.subspan(2));
    std::string line = AssemblyScriptText(context.memory, args[0]);
    const std::size_t count = std::min<std::size_t>(args[1], values.size());
    for (std::size_t i = 0; i < count; ++i) line += " " + isa::ValueText(values[i]);
    return Print(surroundings, line);
  };
}

vm::HostFunction MakeConsole(const Surroundings& surroundings) {
  return [surroundings](HostContext& context, Args args, Results) {
    return Print(surroundings, AssemblyScriptText(context.memory, args[0]));
  };
}

vm::HostFunction MakeConsoleError(const Surroundings& surroundings) {
  Surroundings errors = surroundings;
  errors.print = surroundings.print_error;
  return MakeConsole(errors);
}

vm::HostFunction MakeFraction(const Surroundings& surroundings) {
  return [random = surroundings.random](HostContext&, Args, Results results) {
    Put(Fraction(random()), results);
    return HostStatus::Continue();
  };
}

vm::HostFunction MakeMilliseconds(const Surroundings& surroundings) {
  return [clock = surroundings.clock](HostContext&, Args, Results results) {
    Put(static_cast<double>(clock() / kNanosecondsOfMillisecond), results);
    return HostStatus::Continue();
  };
}

template <HostStatus (*kFunction)(HostContext&, Args, Results)>
vm::HostFunction Make(const Surroundings&) {
  return kFunction;
}

constexpr std::string_view kAssert = "is AssemblyScript's: it traps with its message";
constexpr std::string_view kTrace = "is AssemblyScript's: it prints its message and numbers";
constexpr std::string_view kConsole = "is AssemblyScript's: it prints its text";
constexpr std::string_view kConsoleError =
    "is AssemblyScript's: it prints its text to standard error";
constexpr std::string_view kSeed = "is AssemblyScript's: it gives a random number";
constexpr std::string_view kTime = "gives the time in milliseconds";
constexpr std::string_view kIgnored = "is Emscripten's: it does nothing";
constexpr std::string_view kCopied = "is Emscripten's: it copies bytes";
constexpr std::string_view kResized = "is Emscripten's: it grows the memory";
constexpr std::string_view kAborted = "traps";

constexpr Known kKnown[] = {
    {"env.abort", "iiii", "", kAssert, Make<AssemblyScriptAbort>},
    {"env.trace", "iiddddd", "", kTrace, MakeTrace},
    {"env.seed", "", "d", kSeed, MakeFraction, true},
    {"env.console.log", "i", "", kConsole, MakeConsole},
    {"env.console.info", "i", "", kConsole, MakeConsole},
    {"env.console.warn", "i", "", kConsoleError, MakeConsoleError},
    {"env.console.error", "i", "", kConsoleError, MakeConsoleError},
    {"env.console.debug", "i", "", kConsole, MakeConsole},
    {"env.Date.now", "", "d", kTime, MakeMilliseconds, true},
    {"env.performance.now", "", "d", kTime, MakeMilliseconds, true},
    {"env.Math.random", "", "d", "gives a random number from 0 to 1", MakeFraction, true},
    {"Math.random", "", "d", "gives a random number from 0 to 1", MakeFraction, true},
    {"env.emscripten_notify_memory_growth", "i", "", kIgnored, Make<Nothing>},
    {"env.emscripten_memcpy_big", "iii", "", kCopied, Make<CopyBytes>},
    {"env.emscripten_memcpy_big", "iii", "i", kCopied, Make<CopyBytes>},
    {"env.emscripten_memcpy_js", "iii", "", kCopied, Make<CopyBytes>},
    {"env._emscripten_memcpy_js", "iii", "", kCopied, Make<CopyBytes>},
    {"env.emscripten_resize_heap", "i", "i", kResized, Make<ResizeHeap>},
    {"env.emscripten_get_now", "", "d", kTime, MakeMilliseconds, true},
    {"env._emscripten_get_now", "", "d", kTime, MakeMilliseconds, true},
    {"env.emscripten_date_now", "", "d", kTime, MakeMilliseconds, true},
    {"env._emscripten_get_now_is_monotonic", "", "i", kIgnored, Make<Nothing>},
    {"env.setTempRet0", "i", "", kIgnored, Make<Nothing>},
    {"env.abort", "", "", kAborted, Make<Abort>},
    {"env._abort_js", "", "", kAborted, Make<Abort>},
};

std::string Letters(const std::vector<isa::ValueType>& types) {
  std::string letters;
  for (const isa::ValueType type : types) letters += isa::TypeLetter(type);
  return letters;
}

}  // namespace

std::optional<CompilerFunction> FindCompilerFunction(const isa::Import& import,
                                                     const Surroundings& surroundings) {
  const std::string name = import.module + "." + import.name;
  const std::string params = Letters(ParamTypesOf(import));
  const std::string results = Letters(ResultTypesOf(import));
  for (const Known& known : kKnown) {
    if (known.name != name || known.params != params || known.results != results) continue;
    return CompilerFunction{known.make(surroundings), std::string(known.what),
                            known.use_time_or_chance};
  }
  return std::nullopt;
}

}  // namespace txvm::frontends::imports
