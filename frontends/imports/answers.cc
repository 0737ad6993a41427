#include "frontends/imports/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "frontends/imports/compilers.h"
#include "isa/support/text.h"
#include "isa/value_text.h"

namespace txvm::frontends::imports {
namespace {

using vm::HostContext;
using vm::HostStatus;
using Args = std::span<const isa::Word>;
using Results = std::span<isa::Word>;
using Types = std::vector<isa::ValueType>;

HostStatus Printed(bool is_written) {
  if (is_written) return HostStatus::Continue();
  return HostStatus::Failed("cannot write to standard output");
}

/// "1 2.5": values side by side, on a line.
std::string Line(const Types& types, Args args) {
  std::string line;
  for (const isa::Value& value : isa::ValuesOfWords(types, args)) {
    if (!line.empty()) line += ' ';
    line += isa::ValueText(value);
  }
  return line + "\n";
}

/// The text at an address: of `count` bytes, or up to a zero byte; nullopt outside of the memory.
std::optional<std::string> TextAt(const vm::LinearMemory& memory, isa::Word address,
                                  std::optional<isa::Word> count) {
  if (!memory.Contains(address, count.value_or(0))) return std::nullopt;
  const auto bytes = memory.bytes().subspan(address);
  const auto end =
      count ? bytes.begin() + static_cast<std::ptrdiff_t>(*count) : std::ranges::find(bytes, 0);
  if (!count && end == bytes.end()) return std::nullopt;
  return std::string(bytes.begin(), end);
}

/// A value of a type, from 64 bits that are random, or from a number of nanoseconds.
isa::Value RandomValue(isa::ValueType type, std::uint64_t bits) {
  constexpr int kDroppedOfF64 = 11, kDroppedOfF32 = 40;
  switch (type) {
    case isa::ValueType::kI32:
      return isa::Value::I32(static_cast<std::int32_t>(bits >> 32));
    case isa::ValueType::kI64:
      return isa::Value::I64(static_cast<std::int64_t>(bits));
    case isa::ValueType::kF32:
      return isa::Value::F32(static_cast<float>(bits >> kDroppedOfF32) * 0x1p-24F);
    case isa::ValueType::kF64:
      return isa::Value::F64(static_cast<double>(bits >> kDroppedOfF64) * 0x1p-53);
    case isa::ValueType::kV128:
      break;
  }
  const auto low = static_cast<std::uint32_t>(bits), high = static_cast<std::uint32_t>(bits >> 32);
  return isa::Value::V128({low, high, ~low, ~high});
}

isa::Value TimeValue(isa::ValueType type, std::uint64_t nanoseconds) {
  const std::uint64_t milliseconds = nanoseconds / kNanosecondsOfMillisecond;
  switch (type) {
    case isa::ValueType::kI32:
      return isa::Value::I32(static_cast<std::int32_t>(milliseconds));
    case isa::ValueType::kI64:
      return isa::Value::I64(static_cast<std::int64_t>(nanoseconds));
    case isa::ValueType::kF32:
      return isa::Value::F32(static_cast<float>(milliseconds));
    case isa::ValueType::kF64:
      return isa::Value::F64(static_cast<double>(milliseconds));
    case isa::ValueType::kV128:
      break;
  }
  const auto low = static_cast<std::uint32_t>(nanoseconds);
  return isa::Value::V128({low, static_cast<std::uint32_t>(nanoseconds >> 32), 0, 0});
}

void Put(const isa::Value& value, Results results) {
  std::vector<isa::Word> words;
  isa::AppendWords(value, words);
  std::ranges::copy(words, results.begin());
}

/// Makes the host function of one rule for one import.
class RuleFunction {
 public:
  RuleFunction(const isa::Import& import, const Rule& rule, const Surroundings& surroundings)
      : import_(import),
        rule_(rule),
        surroundings_(surroundings),
        params_(ParamTypesOf(import)),
        results_(ResultTypesOf(import)) {}

  isa::Result<vm::HostFunction> Make() const {
    switch (rule_.action) {
      case Action::kPrint:
        return [print = surroundings_.print, types = params_](HostContext&, Args args, Results) {
          return Printed(print(Line(types, args)));
        };
      case Action::kPrintString:
        return PrintString();
      case Action::kPrintChar:
        return PrintChar();
      case Action::kRandom:
        if (results_.size() != 1) return Unsuited("a function with one result");
        return [random = surroundings_.random, type = results_[0]](HostContext&, Args,
                                                                   Results results) {
          Put(RandomValue(type, random()), results);
          return HostStatus::Continue();
        };
      case Action::kClock:
        if (results_.size() != 1) return Unsuited("a function with one result");
        return
            [clock = surroundings_.clock, type = results_[0]](HostContext&, Args, Results results) {
              Put(TimeValue(type, clock()), results);
              return HostStatus::Continue();
            };
      case Action::kTrap:
        return [detail = fmt::format("import {} traps, as --import says", Name())](
                   HostContext&, Args, Results) { return HostStatus::Trap(detail); };
      case Action::kNumber:
        return Number();
      case Action::kNothing:
      case Action::kMemory:
      case Action::kTable:
      case Action::kExport:
        break;
    }
    return [](HostContext&, Args, Results) { return HostStatus::Continue(); };
  }

 private:
  std::string Name() const { return DottedName({import_.module, import_.name}); }

  std::unexpected<isa::Error> Unsuited(std::string_view wanted) const {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("--import '{}' is for {}, not for {}", rule_.written, wanted,
                                 isa::SignatureText(import_)));
  }

  isa::Result<vm::HostFunction> PrintString() const {
    const bool are_words = std::ranges::all_of(
        params_, [](isa::ValueType type) { return type == isa::ValueType::kI32; });
    if (!are_words || params_.empty() || params_.size() > 2) {
      return Unsuited("a function of an address and a length, or of an address");
    }
    return [print = surroundings_.print](HostContext& context, Args args, Results) {
      std::optional<isa::Word> count;
      if (args.size() > 1) count = args[1];
      std::optional<std::string> text = TextAt(context.memory, args[0], count);
      if (!text) {
        return HostStatus::Trap(count
                                    ? fmt::format("the text of {} at {} is not in memory",
                                                  isa::CountText(*count, "byte"), args[0])
                                    : fmt::format("the text at {} does not end in memory", args[0]),
                                isa::Trap::kOutOfBounds);
      }
      if (!text->ends_with('\n')) *text += '\n';
      return Printed(print(*text));
    };
  }

  isa::Result<vm::HostFunction> PrintChar() const {
    if (params_.size() != 1 || isa::IsFloat(params_[0])) {
      return Unsuited("a function of one integer");
    }
    return [print = surroundings_.print](HostContext&, Args args, Results results) {
      if (!results.empty()) results[0] = args[0];
      return Printed(print(std::string(1, static_cast<char>(args[0]))));
    };
  }

  isa::Result<vm::HostFunction> Number() const {
    if (results_.size() != 1) return Unsuited("a function with one result");
    const std::optional<isa::Value> value = isa::ReadValue(results_[0], rule_.text);
    if (!value) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("--import '{}' is no {}, which {} returns", rule_.written,
                                   isa::TypeText(results_[0]), isa::SignatureText(import_)));
    }
    return [value = *value](HostContext&, Args, Results results) {
      Put(value, results);
      return HostStatus::Continue();
    };
  }

  const isa::Import& import_;
  const Rule& rule_;
  const Surroundings& surroundings_;
  Types params_, results_;
};

/// Whether a function that returns nothing prints, by its name.
bool PrintsByName(const isa::Import& import) {
  if (import.results != 0) return false;
  std::string name = import.name;
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return import.module == "console" || import.module == "spectest" || name.starts_with("log") ||
         name.starts_with("print") || name.starts_with("console");
}

std::string_view SimplestAnswer(const isa::Import& import) {
  if (ResultTypesOf(import).size() == 1) return "0";
  return import.params == 0 || import.results != 0 ? "nothing" : "print";
}

std::string_view SimplestMeaning(const isa::Import& import) {
  const std::string_view answer = SimplestAnswer(import);
  if (answer == "0") return "returns 0, or another number";
  return answer == "print" ? "prints its arguments" : "does nothing";
}

std::string PrintNote(const isa::Import& import) {
  std::string note =
      fmt::format("nobody provides {}: it prints its arguments", isa::SignatureText(import));
  const std::string name = import.module + "." + import.name;
  const bool may_be_text = ParamTypesOf(import) == Types(2, isa::ValueType::kI32);
  if (may_be_text && IsPlainWord(name)) {
    note += fmt::format("; --import {}=print-string prints the text there", name);
  }
  return note;
}

}  // namespace

Types ParamTypesOf(const isa::Import& import) {
  return isa::IsTyped(import) ? import.param_types : isa::KnownTypes({}, import.params);
}

Types ResultTypesOf(const isa::Import& import) {
  return isa::IsTyped(import) ? import.result_types : isa::KnownTypes({}, import.results);
}

isa::Result<Answers> DefineAnswers(const isa::Program& program, std::span<const Rule> rules,
                                   bool is_strict, const Surroundings& surroundings,
                                   vm::Linker& linker) {
  Answers answers;
  for (const isa::Import& import : program.imports) {
    if (import.module == vm::kBuiltinModule) continue;
    const auto define = [&](vm::HostFunction function) {
      linker.Define(import.module, import.name, import.params, import.results, std::move(function));
    };
    TXVM_TRY(const Rule* rule,
             FindRule(rules, {import.module, import.name}, wat::ExportKind::kFunction));
    if (rule != nullptr && rule->action != Action::kExport) {
      TXVM_TRY(vm::HostFunction function, RuleFunction(import, *rule, surroundings).Make());
      define(std::move(function));
      answers.use_time_or_chance |=
          rule->action == Action::kRandom || rule->action == Action::kClock;
      continue;
    }
    if (linker.Find(import.module, import.name) != nullptr) continue;
    if (is_strict) {
      answers.missing.push_back(&import);
    } else if (auto known = FindCompilerFunction(import, surroundings)) {
      define(std::move(known->function));
      answers.use_time_or_chance |= known->use_time_or_chance;
      answers.notes.push_back(
          fmt::format("nobody provides {}: it {}", isa::SignatureText(import), known->what));
    } else if (PrintsByName(import)) {
      Rule print;
      print.action = Action::kPrint;
      TXVM_TRY(vm::HostFunction function, RuleFunction(import, print, surroundings).Make());
      define(std::move(function));
      answers.notes.push_back(PrintNote(import));
    } else {
      answers.missing.push_back(&import);
    }
  }
  return answers;
}

std::string MissingText(std::span<const isa::Import* const> missing, std::string_view command,
                        std::string_view call) {
  const isa::Import& import = *missing.front();
  std::string text = fmt::format("unknown import '{}'", DottedName({import.module, import.name}));
  const std::string name = import.module + "." + import.name;
  if (!IsPlainWord(name)) return text;
  text += fmt::format(": {} is a function that nobody provides", isa::SignatureText(import));
  if (missing.size() > 1) {
    std::vector<std::string> names;
    for (const isa::Import* other : missing.subspan(1)) {
      names.push_back(DottedName({other->module, other->name}));
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    text += fmt::format(", as {} {}", views.size() == 1 ? "is" : "are", isa::NameList(views));
  }
  const auto way = [&](const std::string& option, std::string_view what) {
    text += fmt::format("\n  {} {}{}\n      {}", command, option, call, what);
  };
  std::string all;
  for (const isa::Import* other : missing) {
    const std::string option = "--import " + other->module + "." + other->name;
    if (IsPlainWord(other->module + other->name)) {
      all += fmt::format("{}{}={}", all.empty() ? "" : " ", option, SimplestAnswer(*other));
    }
  }
  way(all, missing.size() > 1 ? "answers each in the simplest way" : SimplestMeaning(import));
  way(fmt::format("--import {}=FILE.wasm#{}", name, import.name), "is the export of that module");
  way("--unknown-imports trap", "traps when it is called");
  return text;
}

}  // namespace txvm::frontends::imports
