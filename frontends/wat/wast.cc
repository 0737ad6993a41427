#include "frontends/wat/wast.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "frontends/wasm/reference_types.h"
#include "frontends/wat/instance.h"
#include "frontends/wat/script.h"
#include "isa/support/text.h"

namespace txvm::frontends::wat {
namespace {

using FaultKind = InstanceFault::Kind;

/// What became of one command.
struct Verdict {
  enum class Kind : std::uint8_t { kPassed, kFailed, kUnsupported };
  Kind kind = Kind::kPassed;
  std::string text;
};

Verdict Passed() { return {}; }
Verdict Failed(std::string text) { return {Verdict::Kind::kFailed, std::move(text)}; }
Verdict Unsupported(std::string text) { return {Verdict::Kind::kUnsupported, std::move(text)}; }

/// What an action did: values, a trap, or neither because it could not be judged.
struct ActionResult {
  std::optional<Verdict> verdict;  // set: no outcome to compare
  std::optional<isa::Trap> trap;
  std::string detail;               // of the trap
  std::vector<ScriptValue> values;  // unless trapped
  std::shared_ptr<Instance> instance;
};

ActionResult Undecided(Verdict verdict) {
  ActionResult out;
  out.verdict = std::move(verdict);
  return out;
}

constexpr int kWordBits = 32;

/// Whether words hold values of this type.
bool IsJudged(ValueType type) { return IsNumber(type) || IsReference(type); }

bool AreJudged(const std::vector<ScriptValue>& values) {
  return std::ranges::all_of(values, IsJudged, &ScriptValue::type);
}

bool AreJudged(const Signature& signature) {
  return std::ranges::all_of(signature.params, IsJudged) &&
         std::ranges::all_of(signature.results, IsJudged);
}

/// Whether a value may be passed as a parameter of a type.
bool IsArgument(const ScriptValue& value, ValueType type) {
  if (!IsReference(value.type) || !IsReference(type)) return value.type == type;
  const bool is_function = IsFunctionHeap(HeapOf(type));
  return is_function == (value.type == ValueType::kFuncRef) &&
         (value.bits != 0 || IsNullable(type));
}

/// The words of arguments, the low one of a pair first.
std::vector<vm::Word> WordsOf(const std::vector<ScriptValue>& values) {
  std::vector<vm::Word> words;
  for (const ScriptValue& value : values) {
    for (const std::uint64_t half : {value.bits, value.high}) {
      words.push_back(static_cast<vm::Word>(half));
      words.push_back(static_cast<vm::Word>(half >> kWordBits));
    }
    words.resize(words.size() - 4 + WordsIn(value.type));
  }
  return words;
}

/// The values of `types` that begin with the first of `words`. REQUIRES: there are enough words.
std::vector<ScriptValue> ValuesOf(const std::vector<ValueType>& types,
                                  std::span<const vm::Word> words) {
  std::vector<ScriptValue> values;
  for (const ValueType type : types) {
    const std::uint32_t count = WordsIn(type);
    const auto word = [&](std::uint32_t i) { return std::uint64_t{i < count ? words[i] : 0}; };
    values.push_back({.type = type,
                      .bits = word(1) << kWordBits | word(0),
                      .high = word(3) << kWordBits | word(2)});
    words = words.subspan(count);
  }
  return values;
}

/// A float with its bits, which tell zeros and NaNs apart.
std::string FloatText(const ScriptValue& value) {
  if (value.nan != NanPattern::kNone) {
    return value.nan == NanPattern::kCanonical ? "nan:canonical" : "nan:arithmetic";
  }
  if (value.type == ValueType::kF64) {
    return fmt::format("{} ({:#018x})", std::bit_cast<double>(value.bits), value.bits);
  }
  const auto bits = static_cast<std::uint32_t>(value.bits);
  return fmt::format("{} ({:#010x})", std::bit_cast<float>(bits), bits);
}

/// The words of a v128; of an expected one, its lanes that are a pattern are named.
std::string VectorText(const ScriptValue& value) {
  std::string text = fmt::format("i32x4:{:#x},{:#x},{:#x},{:#x}",
                                 static_cast<std::uint32_t>(value.bits), value.bits >> kWordBits,
                                 static_cast<std::uint32_t>(value.high), value.high >> kWordBits);
  for (std::size_t i = 0; i < value.lane_nans.size(); ++i) {
    if (value.lane_nans[i] == NanPattern::kNone) continue;
    text += fmt::format(
        " with lane {} {}", i,
        value.lane_nans[i] == NanPattern::kCanonical ? "nan:canonical" : "nan:arithmetic");
  }
  return text;
}

std::string ValueText(const ScriptValue& value) {
  if (IsReference(value.type)) {
    if (value.bits == kAnyReference) return "a reference";
    return value.bits == 0 ? "null" : fmt::format("reference {}", value.bits - 1);
  }
  switch (value.type) {
    case ValueType::kI64:
      return fmt::format("{}", static_cast<std::int64_t>(value.bits));
    case ValueType::kF32:
    case ValueType::kF64:
      return FloatText(value);
    case ValueType::kFuncRef:
    case ValueType::kExternRef:
      break;
    case ValueType::kV128:
      return VectorText(value);
    case ValueType::kI32:
    case ValueType::kExnRef:
    case ValueType::kOther:
      break;
  }
  return fmt::format("{}", isa::Signed(static_cast<vm::Word>(value.bits)));
}

std::string ValuesText(const std::vector<ScriptValue>& values) {
  std::vector<std::string> texts;
  for (const ScriptValue& value : values) texts.push_back(ValueText(value));
  return texts.empty() ? "nothing" : fmt::format("{}", fmt::join(texts, " "));
}

/// Scripts name traps by a prefix of the text ("undefined") or by more ("uninitialized element 7").
/// A trap of a pass is named by its note ("unaligned atomic").
bool TrapMatches(isa::Trap trap, std::string_view note, std::string_view wanted) {
  const std::string_view text = isa::TrapText(trap);
  if (!wanted.empty() && note.starts_with(wanted)) return true;
  return text.starts_with(wanted) || wanted.starts_with(text);
}

/// What a command says whose module was not read.
Verdict JudgeUnread(const isa::Error& error) {
  return error.code == isa::ErrorCode::kUnsupported ? Unsupported(error.message)
                                                    : Failed(error.message);
}

/// Runs the commands of one script, in order.
class Runner {
 public:
  Runner(const std::vector<ScriptCommand>& commands, const WastOptions& options)
      : options_(options), instances_(FindGroups(commands, SpectestModule()), options) {}

  /// Runs the next command of those it was made for.
  void Run(ScriptCommand& command);
  WastReport Report() && { return std::move(report_); }

 private:
  void Register(const ScriptCommand& command);
  Verdict Judge(ScriptCommand& command);
  void MarkShared(const isa::Error& error);
  Verdict LoadModule(ScriptCommand& command);
  Verdict JudgeAction(const ScriptCommand& command);
  Verdict JudgeReturn(const ScriptCommand& command);
  Verdict JudgeTrap(const ScriptCommand& command);
  Verdict JudgeException(const ScriptCommand& command);
  Verdict JudgeUnlinkable(ScriptCommand& command);
  Verdict JudgeUninstantiable(ScriptCommand& command);

  std::shared_ptr<Instance> Find(const std::string& name) const;
  ActionResult Perform(const ScriptAction& action);
  ActionResult Get(const ScriptAction& action, std::shared_ptr<Instance> instance);
  ActionResult Invoke(const ScriptAction& action, std::shared_ptr<Instance> instance);
  ActionResult Skip(const ScriptAction& action, Instance& instance, std::string why);
  /// A mismatch counts as a failure unless the script assumes a call that could not be made.
  static Verdict Mismatch(const ActionResult& result, std::string text);

  WastOptions options_;
  Instances instances_;
  std::size_t next_ = 0;  // number of the next command
  WastReport report_;
  std::shared_ptr<Instance> current_;
  Registry named_, registered_;
};

std::shared_ptr<Instance> Runner::Find(const std::string& name) const {
  if (name.empty()) return current_;
  const auto found = named_.find(name);
  return found == named_.end() ? nullptr : found->second;
}

void Runner::Register(const ScriptCommand& command) {
  if (auto instance = Find(command.name)) registered_.insert_or_assign(command.text, instance);
}

/// A module that could not be run may have written to what it imports.
void Runner::MarkShared(const isa::Error& error) {
  if (error.code != isa::ErrorCode::kUnsupported) return;
  for (const auto& [name, instance] : registered_) {
    if (instance != nullptr) instance->MarkStale("a module was not run: " + error.message);
  }
}

Verdict Runner::LoadModule(ScriptCommand& command) {
  auto unusable = std::make_shared<Instance>();
  Verdict verdict;
  if (!command.module->has_value()) {
    const isa::Error& error = command.module->error();
    verdict = JudgeUnread(error);
    MarkShared(error);
  } else if (auto made = instances_.Make(next_, **std::move(command.module), registered_); made) {
    current_ = *made;
    if (!command.name.empty()) named_.insert_or_assign(command.name, current_);
    return Passed();
  } else {
    verdict = made.error().kind == FaultKind::kUnsupported ? Unsupported(made.error().text)
                                                           : Failed(made.error().text);
  }
  unusable->unusable = verdict.kind == Verdict::Kind::kFailed ? "did not load" : verdict.text;
  current_ = std::move(unusable);
  if (!command.name.empty()) named_.insert_or_assign(command.name, current_);
  return verdict;
}

ActionResult Runner::Skip(const ScriptAction& action, Instance& instance, std::string why) {
  if (instance.MayWrite(action.name)) {
    instance.MarkStale(fmt::format("\"{}\" was not run: {}", action.name, why));
  }
  return Undecided(Unsupported(std::move(why)));
}

ActionResult Runner::Get(const ScriptAction& action, std::shared_ptr<Instance> instance) {
  const Export* item = instance->module.FindExport(action.name);
  if (item == nullptr || item->kind != ExportKind::kGlobal) {
    return Undecided(
        Failed(fmt::format("no global {} is exported", isa::QuotedShort(action.name))));
  }
  const ValueType type = instance->module.globals[item->index].type;
  if (!IsJudged(type)) {
    return Undecided(Unsupported(fmt::format("a global of type {}", ValueTypeText(type))));
  }
  ActionResult out;
  const auto words = instance->machine->globals();
  out.values = ValuesOf({type}, words.subspan(instance->global_slots[item->index]));
  out.instance = std::move(instance);
  return out;
}

ActionResult Runner::Invoke(const ScriptAction& action, std::shared_ptr<Instance> instance) {
  const Export* item = instance->module.FindExport(action.name);
  if (item == nullptr || item->kind != ExportKind::kFunction) {
    return Undecided(
        Failed(fmt::format("no function {} is exported", isa::QuotedShort(action.name))));
  }
  const Signature& signature =
      instance->module.SignatureOf(instance->module.functions[item->index]);
  if (!AreJudged(signature) || !AreJudged(action.args)) {
    return Skip(action, *instance, "arguments or results are neither numbers nor references");
  }
  if (!std::ranges::equal(action.args, signature.params, IsArgument)) {
    return Undecided(Failed("the arguments are not of the types of the parameters"));
  }
  auto run = instance->machine->Call(*instance->FindFunction(action.name), WordsOf(action.args),
                                     {.fuel = options_.fuel, .trace = {}});
  if (!run) return Undecided(Failed(run.error().message));
  ActionResult out;
  if (run->trap) {
    out.trap = run->trap->cause;
    out.detail = run->trap->detail;
    if (out.detail.empty()) out.detail = instance->program->NoteAt(run->trap->ip);
    if (out.trap == isa::Trap::kUnsupported) return Skip(action, *instance, "needs " + out.detail);
  } else if (run->outcome != vm::Outcome::kHalted) {
    return Undecided(Failed(fmt::format("ended as {}", vm::OutcomeWords(run->outcome))));
  } else {
    out.values = ValuesOf(signature.results, run->results);
  }
  out.instance = std::move(instance);
  return out;
}

ActionResult Runner::Perform(const ScriptAction& action) {
  std::shared_ptr<Instance> instance = Find(action.module);
  if (instance == nullptr) return Undecided(Failed("there is no such module"));
  if (!instance->machine) {
    return Undecided(Unsupported(fmt::format("its module {}", instance->unusable)));
  }
  return action.is_get ? Get(action, std::move(instance)) : Invoke(action, std::move(instance));
}

Verdict Runner::Mismatch(const ActionResult& result, std::string text) {
  if (result.instance != nullptr && !result.instance->StaleReason().empty()) {
    return Unsupported(std::string(result.instance->StaleReason()));
  }
  return Failed(std::move(text));
}

Verdict Runner::JudgeAction(const ScriptCommand& command) {
  const ActionResult result = Perform(command.action);
  if (result.verdict) return *result.verdict;
  if (result.trap) return Mismatch(result, fmt::format("trap: {}", isa::TrapText(*result.trap)));
  return Passed();
}

Verdict Runner::JudgeReturn(const ScriptCommand& command) {
  const ActionResult result = Perform(command.action);
  if (result.verdict) return *result.verdict;
  const std::vector<ScriptValue>& expected = command.expected;
  if (!AreJudged(expected)) {
    return Unsupported("expected results are neither numbers nor references");
  }
  if (result.trap) {
    return Mismatch(result, fmt::format("expected {}, got trap: {}", ValuesText(expected),
                                        isa::TrapText(*result.trap)));
  }
  const auto is_first = [&](const ScriptValue& value) { return Matches(value, result.values[0]); };
  const bool is_expected =
      command.is_choice ? result.values.size() == 1 && std::ranges::any_of(expected, is_first)
                        : std::ranges::equal(expected, result.values, Matches);
  if (is_expected) return Passed();
  return Mismatch(
      result, fmt::format("expected {}, got {}", ValuesText(expected), ValuesText(result.values)));
}

Verdict Runner::JudgeTrap(const ScriptCommand& command) {
  const ActionResult result = Perform(command.action);
  if (result.verdict) return *result.verdict;
  if (result.trap && TrapMatches(*result.trap, result.detail, command.text)) return Passed();
  return Mismatch(result,
                  fmt::format("expected trap: {}, got {}", command.text,
                              result.trap ? fmt::format("trap: {}", isa::TrapText(*result.trap))
                                          : ValuesText(result.values)));
}

Verdict Runner::JudgeException(const ScriptCommand& command) {
  const ActionResult result = Perform(command.action);
  if (result.verdict) return *result.verdict;
  if (result.trap == isa::Trap::kUncaughtException) return Passed();
  return Mismatch(result,
                  fmt::format("expected an exception, got {}",
                              result.trap ? fmt::format("trap: {}", isa::TrapText(*result.trap))
                                          : ValuesText(result.values)));
}

/// Rejected for what it says, not because of a limit of ours.
Verdict JudgeRejected(const ScriptCommand& command) {
  if (command.module->has_value()) {
    return Failed(fmt::format("accepted, expected: {}", command.text));
  }
  const isa::Error& error = command.module->error();
  if (error.code == isa::ErrorCode::kSyntax || error.code == isa::ErrorCode::kInvalid) {
    return Passed();
  }
  if (error.code == isa::ErrorCode::kUnsupported) {
    // What is not supported may be what the script says is wrong.
    const bool is_expected = !command.text.empty() && error.message.starts_with(command.text);
    return is_expected ? Passed() : Unsupported(error.message);
  }
  return Failed(error.message);
}

Verdict Runner::JudgeUnlinkable(ScriptCommand& command) {
  if (!command.module->has_value()) return JudgeUnread(command.module->error());
  const auto made = instances_.Make(next_, **std::move(command.module), registered_);
  if (made) return Failed(fmt::format("linked, expected: {}", command.text));
  if (made.error().kind == FaultKind::kUnsupported) return Unsupported(made.error().text);
  return made.error().kind == FaultKind::kUnlinkable ? Passed() : Failed(made.error().text);
}

Verdict Runner::JudgeUninstantiable(ScriptCommand& command) {
  if (!command.module->has_value()) {
    MarkShared(command.module->error());
    return JudgeUnread(command.module->error());
  }
  const auto made = instances_.Make(next_, **std::move(command.module), registered_);
  if (made) return Failed(fmt::format("instantiated, expected: {}", command.text));
  if (made.error().kind == FaultKind::kUnsupported) return Unsupported(made.error().text);
  return made.error().kind == FaultKind::kTrap ? Passed() : Failed(made.error().text);
}

Verdict Runner::Judge(ScriptCommand& command) {
  switch (command.kind) {
    case WastKind::kModule:
      return LoadModule(command);
    case WastKind::kAction:
      return JudgeAction(command);
    case WastKind::kAssertReturn:
      return JudgeReturn(command);
    case WastKind::kAssertTrap:
    case WastKind::kAssertExhaustion:
      return JudgeTrap(command);
    case WastKind::kAssertInvalid:
    case WastKind::kAssertMalformed:
      return JudgeRejected(command);
    case WastKind::kAssertUnlinkable:
      return JudgeUnlinkable(command);
    case WastKind::kAssertUninstantiable:
      return JudgeUninstantiable(command);
    case WastKind::kAssertException:
      return JudgeException(command);
  }
  return Failed("a command of no kind");
}

void Runner::Run(ScriptCommand& command) {
  if (command.is_register) {
    ++next_;
    return Register(command);
  }
  Verdict verdict = Judge(command);
  ++next_;
  WastCount& count = report_.counts[static_cast<std::size_t>(command.kind)];
  switch (verdict.kind) {
    case Verdict::Kind::kPassed:
      ++count.passed;
      return;
    case Verdict::Kind::kFailed:
      ++count.failed;
      break;
    case Verdict::Kind::kUnsupported:
      ++count.unsupported;
      break;
  }
  report_.notes.push_back({command.line, command.kind, verdict.kind == Verdict::Kind::kFailed,
                           std::move(verdict.text)});
}

}  // namespace

std::string_view WastKindText(WastKind kind) {
  switch (kind) {
#define TXVM_WAST_KIND(Name, text) \
  case WastKind::k##Name:          \
    return text;
#include "frontends/wat/wast_kinds.def"
#undef TXVM_WAST_KIND
  }
  return {};
}

void WastReport::Add(const WastReport& other) {
  for (std::size_t i = 0; i < kWastKindCount; ++i) {
    counts[i].passed += other.counts[i].passed;
    counts[i].failed += other.counts[i].failed;
    counts[i].unsupported += other.counts[i].unsupported;
  }
}

std::uint64_t WastReport::failed() const {
  std::uint64_t sum = 0;
  for (const WastCount& count : counts) sum += count.failed;
  return sum;
}

isa::Result<WastReport> RunWast(std::string_view text, std::string_view file,
                                const WastOptions& options) {
  TXVM_TRY(std::vector<ScriptCommand> commands, ReadScript(text, file));
  Runner runner(commands, options);
  for (ScriptCommand& command : commands) runner.Run(command);
  return std::move(runner).Report();
}

}  // namespace txvm::frontends::wat
