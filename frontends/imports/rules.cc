#include "frontends/imports/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "frontends/wasm/item_type.h"
#include "isa/limits.h"
#include "isa/support/edit_distance.h"
#include "isa/support/number.h"
#include "isa/support/text.h"
#include "isa/value_text.h"

namespace txvm::frontends::imports {
namespace {

struct Word {
  std::string_view text;
  Action action;
};

constexpr std::array<Word, 9> kWords = {{{"print", Action::kPrint},
                                         {"print-string", Action::kPrintString},
                                         {"print-char", Action::kPrintChar},
                                         {"random", Action::kRandom},
                                         {"clock", Action::kClock},
                                         {"trap", Action::kTrap},
                                         {"nothing", Action::kNothing},
                                         {"memory", Action::kMemory},
                                         {"table", Action::kTable}}};

bool IsNumber(std::string_view text) {
  return isa::ReadValue(isa::ValueType::kI64, text) || isa::ReadValue(isa::ValueType::kF64, text);
}

std::unexpected<isa::Error> FailUsage(std::string message) {
  return isa::Fail(isa::ErrorCode::kUsage, std::move(message));
}

/// Whether `text` is `pattern`, in which '*' stands for any text. O(pattern * text).
bool Matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  std::optional<std::size_t> star;
  std::size_t after_star = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star) {
      p = *star + 1;
      t = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.substr(p).find_first_not_of('*') == std::string_view::npos;
}

bool Suits(Action action, wat::ExportKind kind) {
  switch (action) {
    case Action::kPrint:
    case Action::kPrintString:
    case Action::kPrintChar:
    case Action::kRandom:
    case Action::kClock:
    case Action::kTrap:
    case Action::kNothing:
      return kind == wat::ExportKind::kFunction;
    case Action::kNumber:
      return kind == wat::ExportKind::kFunction || kind == wat::ExportKind::kGlobal;
    case Action::kMemory:
      return kind == wat::ExportKind::kMemory;
    case Action::kTable:
      return kind == wat::ExportKind::kTable;
    case Action::kExport:
      return true;
  }
  return false;
}

std::unexpected<isa::Error> UnknownWhat(std::string_view text, std::string_view what) {
  std::string hint;
  for (const Word& word : kWords) {
    if (isa::TypingSlips(what, word.text, 2) <= 2)
      hint = fmt::format(" (did you mean {}?)", word.text);
  }
  return FailUsage(
      fmt::format("--import '{}' is unknown{}: print, print-string, print-char, random, clock, "
                  "trap, nothing, a number, memory, memory:PAGES, table or FILE.wasm#export",
                  isa::Printable(text), hint));
}

}  // namespace

isa::Result<Rule> ParseRule(std::string_view text) {
  constexpr std::string_view kMemoryOf = "memory:";
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0 || !text.substr(0, equals).contains('.')) {
    const bool has_star = equals != text.npos && text.substr(0, equals).contains('*');
    if (!has_star) {
      return FailUsage(
          fmt::format("--import '{}' is not MODULE.NAME=WHAT, such as console.log=print",
                      isa::Printable(text)));
    }
  }
  Rule rule;
  rule.written = text;
  rule.name = text.substr(0, equals);
  const std::string_view what = text.substr(equals + 1);
  const auto word = std::ranges::find(kWords, what, &Word::text);
  if (word != kWords.end()) {
    rule.action = word->action;
  } else if (what.starts_with(kMemoryOf)) {
    rule.action = Action::kMemory;
    TXVM_TRY(const std::uint64_t pages,
             isa::ParseCount("--import " + rule.name + "=memory", what.substr(kMemoryOf.size()),
                             isa::kMaxPages));
    rule.pages = static_cast<std::uint32_t>(pages);
  } else if (const std::size_t hash = what.rfind('#'); hash != what.npos && hash != 0) {
    rule.action = Action::kExport;
    rule.file = what.substr(0, hash);
    rule.text = what.substr(hash + 1);
  } else if (IsNumber(what)) {
    rule.action = Action::kNumber;
    rule.text = what;
  } else {
    return UnknownWhat(text, what);
  }
  return rule;
}

isa::Result<const Rule*> FindRule(std::span<const Rule> rules, const wat::ImportName& import,
                                  wat::ExportKind kind) {
  const std::string name = import.module + "." + import.name;
  const Rule* pattern = nullptr;
  const Rule* exact = nullptr;
  for (const Rule& rule : rules) {
    if (!rule.is_pattern()) {
      if (rule.name == name) exact = &rule;
    } else if (Matches(rule.name, name) && Suits(rule.action, kind)) {
      pattern = &rule;
    }
  }
  if (exact == nullptr) return pattern;
  if (Suits(exact->action, kind)) return exact;
  return FailUsage(fmt::format("--import '{}' is not for a {}, which {} is", exact->written,
                               KindText(kind), DottedName(import)));
}

std::vector<std::string> UnusedRules(std::span<const Rule> rules,
                                     std::span<const std::string> imports) {
  constexpr std::size_t kMostSlips = 3;
  std::vector<std::string> sentences;
  for (const Rule& rule : rules) {
    const auto is_meant = [&](const std::string& name) { return Matches(rule.name, name); };
    if (std::ranges::any_of(imports, is_meant)) continue;
    std::string sentence =
        fmt::format("--import '{}' answers nothing: ", isa::Printable(rule.written));
    if (imports.empty()) {
      sentence += "the program imports nothing";
    } else {
      sentence += "the program imports no " + isa::Printable(rule.name);
      std::size_t fewest = kMostSlips + 1;
      const std::string* nearest = nullptr;
      for (const std::string& name : imports) {
        const std::size_t slips = isa::TypingSlips(rule.name, name, kMostSlips);
        if (slips >= fewest) continue;
        fewest = slips;
        nearest = &name;
      }
      sentence += nearest != nullptr ? fmt::format(" (did you mean {}?)", isa::Printable(*nearest))
                                     : std::string("; --list shows what it imports");
    }
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::string DottedName(const wat::ImportName& import) {
  return isa::Printable(import.module) + "." + isa::Printable(import.name);
}

bool IsPlainWord(std::string_view name) {
  constexpr std::string_view kPlain = "_.-+/:@%,";
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlain.contains(c);
  });
}

}  // namespace txvm::frontends::imports
