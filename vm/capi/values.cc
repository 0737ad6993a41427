// Calls and host functions with typed values.
#include "vm/capi/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "isa/support/text.h"
#include "isa/value_text.h"
#include "vm/capi/handles.h"
#include "vm/state.h"

namespace txvm::vm::capi {

namespace {

/// The number of a value's type. A caller in C may have written any; reading one that the
/// enumeration lacks as that enumeration is not allowed.
int TypeCode(const txvm_value& value) {
  static_assert(sizeof value.type == sizeof(int));
  int code = 0;
  std::memcpy(&code, &value.type, sizeof code);
  return code;
}

}  // namespace

static_assert(TXVM_I32 == static_cast<int>(isa::ValueType::kI32));
static_assert(TXVM_I64 == static_cast<int>(isa::ValueType::kI64));
static_assert(TXVM_F32 == static_cast<int>(isa::ValueType::kF32));
static_assert(TXVM_F64 == static_cast<int>(isa::ValueType::kF64));
static_assert(TXVM_V128 == static_cast<int>(isa::ValueType::kV128));

Signatures SignaturesOf(const isa::Program& program) {
  Signatures signatures;
  for (const isa::Export& item : program.exports) {
    signatures.exports.push_back(SignatureLetters(item));
  }
  for (const isa::Import& item : program.imports) {
    signatures.imports.push_back(SignatureLetters(item));
  }
  return signatures;
}

// The bits are copied, not the number: a NaN keeps its mantissa on every processor.
txvm_value ToC(const isa::Value& value) {
  txvm_value to{};
  to.type = static_cast<txvm_type>(value.type);
  if (value.type == isa::ValueType::kV128) {
    const auto words = value.AsV128();
    for (std::size_t i = 0; i < words.size(); ++i) {
      to.of.v128[i] = static_cast<std::int32_t>(words[i]);
    }
  } else if (isa::WordsOf(value.type) == 1) {
    to.of.i32 = value.AsI32();
  } else {
    to.of.i64 = value.AsI64();
  }
  return to;
}

isa::Value FromC(const txvm_value& value) {
  const auto type = static_cast<isa::ValueType>(TypeCode(value));
  if (type == isa::ValueType::kV128) {
    std::array<std::uint32_t, 4> words{};
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = static_cast<std::uint32_t>(value.of.v128[i]);
    }
    return isa::Value::V128(words);
  }
  if (isa::WordsOf(type) == 1) return {type, static_cast<std::uint32_t>(value.of.i32)};
  return {type, static_cast<std::uint64_t>(value.of.i64)};
}

bool HasType(const txvm_value& value) {
  const int code = TypeCode(value);
  return code >= 0 && isa::FindTypeOfCode(static_cast<std::uint32_t>(code)).has_value();
}

namespace {

using Types = std::vector<isa::ValueType>;

/// What is called, with its types; none where there is no such export.
struct TypedCallee {
  isa::Export function;
  Types params, results;
};

TypedCallee Typed(isa::Export function) {
  TypedCallee callee{std::move(function), {}, {}};
  callee.params = isa::KnownTypes(callee.function.param_types, callee.function.params);
  callee.results = isa::KnownTypes(callee.function.result_types, callee.function.results);
  return callee;
}

/// The export with this stub, or what the stub's function says of its words.
std::optional<TypedCallee> CalleeAt(const isa::Program& program, std::uint32_t ip) {
  const isa::Function* stub = program.FunctionAt(ip);
  if (stub == nullptr) return std::nullopt;
  const auto found = std::ranges::find(program.exports, stub->first, &isa::Export::start);
  if (found != program.exports.end()) return Typed(*found);
  return Typed({"the entry", stub->first, stub->params, stub->results, {}, {}});
}

std::optional<TypedCallee> FindTyped(const txvm_instance& instance, std::uint32_t function) {
  const isa::Program& program = instance.machine->program();
  if (function < program.exports.size()) return Typed(program.exports[function]);
  if (function != TXVM_ENTRY) return std::nullopt;
  return CalleeAt(program, program.entry);
}

isa::Result<void> CountError(const TypedCallee& callee, std::string_view verb,
                             std::string_view what, std::size_t expected, std::size_t given) {
  const std::string subject = fmt::format("function '{}'", isa::Printable(callee.function.name));
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("{}: {}", isa::CountMismatch(subject, verb, what, expected, given),
                               isa::SignatureText(callee.function)));
}

isa::Result<std::vector<Word>> ArgumentWords(const TypedCallee& callee,
                                             std::span<const txvm_value> args) {
  if (args.size() != callee.params.size()) {
    TXVM_CHECK_OK(CountError(callee, "takes", "argument", callee.params.size(), args.size()));
  }
  std::vector<Word> words;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const int code = TypeCode(args[i]);
    if (code == static_cast<int>(callee.params[i])) {
      isa::AppendWords(FromC(args[i]), words);
      continue;
    }
    const std::string given = HasType(args[i])
                                  ? std::string(isa::TypeText(FromC(args[i]).type))
                                  : fmt::format("of type {}, which there is not", code);
    return isa::Fail(
        isa::ErrorCode::kUsage,
        fmt::format("argument {} is {}, expected {}: {}", i + 1, given,
                    isa::TypeText(callee.params[i]), isa::SignatureText(callee.function)));
  }
  return words;
}

/// Where the host wants typed results, and the words that a run leaves for them.
struct TypedResults {
  const Types& types;
  std::span<txvm_value> values;
  std::vector<std::int32_t> words;

  TypedResults(const Types& result_types, std::span<txvm_value> to)
      : types(result_types),
        values(to),
        words(static_cast<std::size_t>(isa::WordsOf(result_types))) {}

  /// Of a run that halted; of another there are none.
  void Write(const std::optional<RunResult>& run) const {
    if (!run || run->outcome != Outcome::kHalted) return;
    const std::span<const Word> unsigned_words(reinterpret_cast<const Word*>(words.data()),
                                               words.size());
    const std::vector<isa::Value> typed = isa::ValuesOfWords(types, unsigned_words);
    std::ranges::transform(typed, values.begin(), ToC);
  }
};

/// Runs a body that may hand on an error object of another function of the interface.
template <typename Body>
txvm_error* GuardHandingOn(const Body& body) {
  txvm_error* handed_on = nullptr;
  txvm_error* own = Guard([&] { return body(handed_on); });
  return own != nullptr ? own : handed_on;
}

const std::int32_t* AsSigned(const std::vector<Word>& words) {
  return reinterpret_cast<const std::int32_t*>(words.data());
}

/// Calls an export with typed values by `call`, which leaves how it ended in `run`.
txvm_error* CallValues(decltype(txvm_call)* call, std::optional<RunResult> txvm_instance::* run,
                       txvm_instance* instance, std::uint32_t function,
                       std::span<const txvm_value> args, std::span<txvm_value> results,
                       txvm_outcome* outcome) {
  return GuardHandingOn([&](txvm_error*& error) -> isa::Result<void> {
    TXVM_CHECK_OK(CheckBuffers(instance, args.data(), args.size(), results.data(), results.size()));
    const std::optional<TypedCallee> callee = FindTyped(*instance, function);
    if (!callee) {
      error = call(instance, function, nullptr, 0, nullptr, 0, outcome);
      return {};
    }
    TXVM_TRY(const std::vector<Word> words, ArgumentWords(*callee, args));
    if (callee->results.size() != results.size()) {
      return CountError(*callee, "returns", "result", callee->results.size(), results.size());
    }
    TypedResults typed(callee->results, results);
    error = call(instance, function, AsSigned(words), words.size(), typed.words.data(),
                 typed.words.size(), outcome);
    if (error == nullptr) typed.Write(instance->*run);
    return {};
  });
}

}  // namespace
}  // namespace txvm::vm::capi

using namespace txvm;
using namespace txvm::vm::capi;

const char* txvm_export_signature(const txvm_program* program, uint32_t index) {
  if (program == nullptr || index >= program->signatures->exports.size()) return nullptr;
  return program->signatures->exports[index].c_str();
}

const char* txvm_import_signature(const txvm_program* program, uint32_t index) {
  if (program == nullptr || index >= program->signatures->imports.size()) return nullptr;
  return program->signatures->imports[index].c_str();
}

txvm_error* txvm_call_values(txvm_instance* instance, uint32_t function, const txvm_value* args,
                             size_t arg_count, txvm_value* results, size_t result_count,
                             txvm_outcome* outcome) {
  return CallValues(txvm_call, &txvm_instance::last, instance, function, {args, arg_count},
                    {results, result_count}, outcome);
}

txvm_error* txvm_host_call_values(txvm_instance* caller, uint32_t function, const txvm_value* args,
                                  size_t arg_count, txvm_value* results, size_t result_count,
                                  txvm_outcome* outcome) {
  return CallValues(txvm_host_call, &txvm_instance::inner, caller, function, {args, arg_count},
                    {results, result_count}, outcome);
}

txvm_error* txvm_begin_values(txvm_instance* instance, uint32_t function, const txvm_value* args,
                              size_t arg_count) {
  return GuardHandingOn([&](txvm_error*& error) -> isa::Result<void> {
    TXVM_CHECK_OK(CheckBuffers(instance, args, arg_count, nullptr, 0));
    const std::optional<TypedCallee> callee = FindTyped(*instance, function);
    std::vector<vm::Word> words;
    if (callee) {
      TXVM_TRY(words, ArgumentWords(*callee, {args, arg_count}));
    }
    error = txvm_begin(instance, function, AsSigned(words), words.size());
    return {};
  });
}

txvm_error* txvm_resume_values(txvm_instance* instance, txvm_value* results, size_t result_count,
                               txvm_outcome* outcome) {
  return txvm_step_values(instance, TXVM_UNLIMITED_FUEL, results, result_count, outcome);
}

txvm_error* txvm_step_values(txvm_instance* instance, uint64_t steps, txvm_value* results,
                             size_t result_count, txvm_outcome* outcome) {
  return GuardHandingOn([&](txvm_error*& error) -> isa::Result<void> {
    TXVM_CHECK_OK(CheckBuffers(instance, nullptr, 0, results, result_count));
    const vm::State& state = instance->machine->state();
    const std::uint32_t outermost = state.depth == 0 ? state.ip : state.frames[1].return_ip - 1;
    std::optional<TypedCallee> callee;
    const bool is_call = txvm_resumable(instance) && !instance->in_start;
    if (is_call) callee = CalleeAt(instance->machine->program(), outermost);
    const Types none;
    const Types& types = callee ? callee->results : none;
    if (is_call && types.size() != result_count) {
      return isa::Fail(
          isa::ErrorCode::kUsage,
          isa::CountMismatch("the resumed call", "returns", "result", types.size(), result_count));
    }
    TypedResults typed(types, {results, types.size()});
    error = txvm_step(instance, steps, typed.words.data(), typed.words.size(), outcome);
    if (error == nullptr) typed.Write(instance->last);
    return {};
  });
}
