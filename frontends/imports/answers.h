// Host functions for what a program imports and nobody else defines.
// Goals: what a rule asks for; beside that what can do no harm, each told in a sentence; what
// compilers import without being asked (compilers.h).
// Non-goals: memories, tables and globals (items.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/imports/rules.h"
#include "isa/program.h"
#include "isa/support/result.h"
#include "vm/host.h"

namespace txvm::frontends::imports {

inline constexpr std::uint64_t kNanosecondsOfMillisecond = 1'000'000;

/// What the answers are made of.
struct Surroundings {
  /// Takes what is printed, in order with what else the program prints; false: it cannot be
  /// written.
  std::function<bool(std::string_view)> print;
  /// The same for what console.error and its like print.
  std::function<bool(std::string_view)> print_error;
  std::function<std::uint64_t()> random;  // 64 random bits
  std::function<std::uint64_t()> clock;   // nanoseconds
};

/// "module.name" and its type, of functions with types that the machine does not know: externref.
using SignatureTexts = std::map<std::string, std::string, std::less<>>;

/// What became of a program's imports.
struct Answers {
  std::vector<std::string> notes;           // of what nobody asked for, a sentence each
  std::vector<const isa::Import*> missing;  // in the program's order; they stay undefined
  bool use_time_or_chance = false;          // a clock or random numbers are answered
};

/// Defines in `linker` each function that `program` imports and a rule answers. Unless `is_strict`,
/// also those that `linker` lacks and that a compiler adds without being asked, or that print by
/// their name (console.*, *.log*, *.print*, *.console*, spectest.*) and return nothing. What prints
/// and is called console.error, console.warn or console.trace prints by print_error. `types` are
/// for sentences. Errors: kUsage for a rule that does not suit its function. Cost O(imports *
/// rules).
isa::Result<Answers> DefineAnswers(const isa::Program& program, std::span<const Rule> rules,
                                   bool is_strict, const Surroundings& surroundings,
                                   const SignatureTexts& types, vm::Linker& linker);

/// Why a program with these imports, at least one, does not load: the first with its type and three
/// ways to give it, ready to copy between `command` and `call`, and the names of the others; a
/// fourth where it may take a text. One sentence alone where its name is none that a shell takes.
std::string MissingText(std::span<const isa::Import* const> missing, const SignatureTexts& types,
                        std::string_view command, std::string_view call);

/// The types of values whose types are stated, else an i32 for each word.
std::vector<isa::ValueType> ParamTypesOf(const isa::Import& import);
std::vector<isa::ValueType> ResultTypesOf(const isa::Import& import);

}  // namespace txvm::frontends::imports
