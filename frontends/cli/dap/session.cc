#include "frontends/cli/dap/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <utility>

#include "frontends/cli/program/input.h"
#include "frontends/cli/run/call_values.h"
#include "frontends/cli/run/host_functions.h"
#include "frontends/cli/run/report.h"
#include "frontends/cli/step/attention.h"
#include "frontends/cli/step/values.h"
#include "isa/disassemble.h"
#include "isa/support/base64.h"
#include "isa/support/shown_text.h"
#include "isa/value_text.h"
#include "vm/state.h"

namespace txvm::frontends::cli {
namespace {

using nlohmann::json;

constexpr std::int64_t kThread = 1;
constexpr std::int64_t kListing = 1;         // sourceReference of the program's instructions
constexpr std::uint64_t kSlice = 1'000'000;  // steps between two looks for a pause
constexpr std::uint64_t kMegabyte = 1u << 20;
constexpr std::size_t kMostVariables = 1'000;  // of one scope
constexpr std::uint64_t kMostRead = 1u << 20;  // bytes of one readMemory
constexpr std::int64_t kMostListed = 100'000;  // instructions of one disassemble

/// What a variablesReference stands for: a scope of a frame.
enum class Scope : std::uint8_t { kLocals, kStack, kGlobals, kHeads };
constexpr std::int64_t kScopes = 4;
constexpr std::int64_t Reference(std::uint32_t frame, Scope scope) {
  return 1 + frame * kScopes + static_cast<std::int64_t>(scope);
}

std::unexpected<isa::Error> Refuse(std::string message) {
  return isa::Fail(isa::ErrorCode::kUsage, std::move(message));
}

/// A member of a kind, or `otherwise` where there is none of it.
std::string Text(const json& object, std::string_view name, std::string otherwise = {}) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : otherwise;
}
std::int64_t Number(const json& object, std::string_view name, std::int64_t otherwise) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>()
                                                             : otherwise;
}
bool Flag(const json& object, std::string_view name, bool otherwise) {
  const auto found = object.find(name);
  return found != object.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}
/// A list of objects; empty where there is none.
std::vector<json> Objects(const json& object, std::string_view name) {
  std::vector<json> objects;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return objects;
  for (const json& item : *found) {
    if (item.is_object()) objects.push_back(item);
  }
  return objects;
}

/// An instruction or address as "0x1f" or decimal, as this server writes them.
std::optional<std::uint64_t> ReadReference(std::string_view text) {
  const bool is_hex = text.starts_with("0x");
  if (is_hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto read =
      std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

/// The first instruction from `ip` on, in its function, that comes from a line; else `ip`: what
/// moves the parameters in comes from none.
std::uint32_t FirstWithLine(const isa::Program& program, std::uint32_t ip) {
  const isa::Function* function = program.FunctionAt(ip);
  for (std::uint32_t at = ip; at < program.code.size(); ++at) {
    if (program.FunctionAt(at) != function) break;
    if (program.LineAt(at) != 0) return at;
  }
  return ip;
}

json Variable(std::string name, const isa::Value& value) {
  json variable = {{"name", std::move(name)},
                   {"value", isa::ValueText(value)},
                   {"type", isa::TypeText(value.type)},
                   {"variablesReference", 0}};
  // An i32 may be an address.
  if (value.type == isa::ValueType::kI32) {
    variable["memoryReference"] = fmt::format("0x{:x}", static_cast<std::uint32_t>(value.bits));
  }
  return variable;
}

json Variables(std::string_view what, const std::vector<NumberedValue>& values) {
  json variables = json::array();
  for (const auto& [number, value] : values) {
    if (variables.size() == kMostVariables) break;
    variables.push_back(Variable(fmt::format("{} {}", what, number), value));
  }
  return variables;
}

}  // namespace

bool DapSession::Handle(const json& request) {
  const std::string command = Text(request, "command");
  const auto found = request.find("arguments");
  const json arguments = found != request.end() && found->is_object() ? *found : json::object();
  after_ = nullptr;
  Answer answer = Refuse(fmt::format("the request '{}' is not supported", command));
#define TXVM_DAP_REQUEST(name, Function) \
  if (command == #name) answer = Function(arguments);
#include "frontends/cli/dap/requests.def"
#undef TXVM_DAP_REQUEST
  if (answer) {
    channel_.Answer(request, *std::move(answer));
    if (after_) after_();
  } else {
    channel_.Refuse(request, answer.error().ToString());
  }
  return !is_over_;
}

// ------------------------------------------------------------------------------ beginning and end

DapSession::Answer DapSession::Initialize(const json&) {
  after_ = [this] { channel_.Event("initialized"); };
  json body = json::object();
  for (const char* ability :
       {"supportsConfigurationDoneRequest", "supportsFunctionBreakpoints",
        "supportsInstructionBreakpoints", "supportsStepBack", "supportsSteppingGranularity",
        "supportsReadMemoryRequest", "supportsDisassembleRequest", "supportsExceptionInfoRequest",
        "supportsRestartRequest", "supportsTerminateRequest", "supportsEvaluateForHovers"}) {
    body[ability] = true;
  }
  return body;
}

DapSession::Answer DapSession::Launch(const json& arguments) {
  if (timeline_) return Refuse("a program is launched already");
  settings_.path = Text(arguments, "program");
  if (settings_.path.empty()) return Refuse("launch needs \"program\": the path of a program");
  if (arguments.contains("invoke")) settings_.invoke = Text(arguments, "invoke");
  const std::string engine = Text(arguments, "engine", "attention");
  const std::optional<vm::EngineKind> kind = vm::FindEngine(engine);
  if (!kind) return Refuse(fmt::format("\"engine\": '{}' is none of {}", engine, EngineChoices()));
  settings_.engine = *kind;
  if (const auto args = arguments.find("args"); args != arguments.end() && args->is_array()) {
    for (const json& text : *args) {
      settings_.arguments.push_back(text.is_string() ? text.get<std::string>() : text.dump());
    }
  }
  stop_on_entry_ = Flag(arguments, "stopOnEntry", true);
  stop_at_end_ = Flag(arguments, "stopAtEnd", false);
  constexpr std::int64_t kDefaultHistory = 256;
  const std::int64_t megabytes = Number(arguments, "history", kDefaultHistory);
  if (megabytes < 1) return Refuse("\"history\" is a number of megabytes, from 1");
  TXVM_TRY(const std::shared_ptr<const isa::Program> program, LoadProgram(settings_));
  Timeline::Bounds bounds;
  bounds.bytes = static_cast<std::size_t>(megabytes) * kMegabyte;
  TXVM_TRY(timeline_, Timeline::Start(program, settings_, nullptr, bounds));
  source_.emplace(*program, settings_.path);
  return json::object();
}

isa::Result<void> DapSession::CheckLaunched() const {
  if (timeline_) return {};
  return Refuse("no program is launched");
}

DapSession::Answer DapSession::ConfigurationDone(const json&) {
  TXVM_CHECK_OK(CheckLaunched());
  if (timeline_->ended() != nullptr) {
    after_ = [this] { TellEnd(); };
  } else if (stop_on_entry_) {
    after_ = [this] { TellWhereItStopped("entry", false); };
  } else {
    return Continue(json::object());
  }
  return json::object();
}

DapSession::Answer DapSession::Restart(const json&) {
  TXVM_CHECK_OK(CheckLaunched());
  TXVM_TRY(const Timeline::Reason reason, timeline_->GoTo(timeline_->earliest()));
  static_cast<void>(reason);
  after_ = [this] { TellWhereItStopped("entry", false); };
  return json::object();
}

DapSession::Answer DapSession::Terminate(const json&) {
  after_ = [this] { channel_.Event("terminated"); };
  return json::object();
}

DapSession::Answer DapSession::Disconnect(const json&) {
  is_over_ = true;
  return json::object();
}

/// There are no filters: a trap always stops.
DapSession::Answer DapSession::SetExceptionBreakpoints(const json&) { return json::object(); }

/// Whoever reads the channel has stopped the walk before this is answered.
DapSession::Answer DapSession::Pause(const json&) { return json::object(); }

// ------------------------------------------------------------------------------------ breakpoints

json DapSession::AddBreakpoint(std::vector<Breakpoint>& list,
                               const isa::Result<std::uint32_t>& ip) {
  const std::int64_t id = next_id_++;
  if (!ip) return {{"id", id}, {"verified", false}, {"message", ip.error().message}};
  list.push_back({*ip, id});
  json breakpoint = {{"id", id},
                     {"verified", true},
                     {"source", SourceOf(*ip)},
                     {"instructionReference", fmt::format("0x{:x}", *ip)}};
  const std::uint32_t line = timeline_->machine().program().LineAt(*ip);
  breakpoint["line"] = &list != &by_listing_ && line != 0 ? line : *ip + 1;
  return breakpoint;
}

bool DapSession::IsOwnSource(const json& source) const {
  namespace fs = std::filesystem;
  const std::string path = Text(source, "path");
  const std::string& own = timeline_->machine().program().source;
  if (path.empty() || own.empty()) return false;
  std::error_code error;
  if (fs::equivalent(path, own, error) && !error) return true;
  return fs::path(path).filename() == fs::path(own).filename();
}

DapSession::Answer DapSession::SetBreakpoints(const json& arguments) {
  TXVM_CHECK_OK(CheckLaunched());
  const isa::Program& program = timeline_->machine().program();
  const json source = arguments.value("source", json::object());
  const bool is_listing = Number(source, "sourceReference", 0) == kListing;
  const bool is_own = is_listing || IsOwnSource(source);
  std::vector<Breakpoint>& list = is_listing ? by_listing_ : by_line_;
  if (is_own) list.clear();
  json answers = json::array();
  for (const json& wanted : Objects(arguments, "breakpoints")) {
    const std::int64_t line = Number(wanted, "line", 0);
    isa::Result<std::uint32_t> ip = Refuse("the program was not made of this file");
    if (is_listing) {
      ip = Refuse("there is no such instruction");
      if (line >= 1 && line <= static_cast<std::int64_t>(program.code.size())) {
        ip = static_cast<std::uint32_t>(line - 1);
      }
    } else if (is_own) {
      // The next line that has code, as editors expect.
      ip = Refuse(fmt::format("no code comes from line {} or a later one", line));
      for (std::int64_t at = line; at >= 1 && at <= source_->lines(); ++at) {
        const auto found = FindPlace(program, *source_, fmt::format(":{}", at));
        if (!found) continue;
        ip = found->front();
        break;
      }
    }
    answers.push_back(AddBreakpoint(list, ip));
  }
  return json{{"breakpoints", answers}};
}

DapSession::Answer DapSession::SetFunctionBreakpoints(const json& arguments) {
  TXVM_CHECK_OK(CheckLaunched());
  const isa::Program& program = timeline_->machine().program();
  by_function_.clear();
  json answers = json::array();
  for (const json& wanted : Objects(arguments, "breakpoints")) {
    const auto found = FindPlace(timeline_->machine().program(), *source_, Text(wanted, "name"));
    if (!found) {
      answers.push_back(AddBreakpoint(by_function_, std::unexpected(found.error())));
      continue;
    }
    answers.push_back(AddBreakpoint(by_function_, FirstWithLine(program, found->front())));
  }
  return json{{"breakpoints", answers}};
}

DapSession::Answer DapSession::SetInstructionBreakpoints(const json& arguments) {
  TXVM_CHECK_OK(CheckLaunched());
  by_instruction_.clear();
  json answers = json::array();
  for (const json& wanted : Objects(arguments, "breakpoints")) {
    const std::string text = Text(wanted, "instructionReference");
    const auto base = ReadReference(text);
    const std::int64_t at =
        static_cast<std::int64_t>(base.value_or(0)) + Number(wanted, "offset", 0);
    isa::Result<std::uint32_t> ip =
        Refuse(fmt::format("'{}' is no instruction of the program", text));
    if (base && at >= 0 &&
        at < static_cast<std::int64_t>(timeline_->machine().program().code.size())) {
      ip = static_cast<std::uint32_t>(at);
    }
    answers.push_back(AddBreakpoint(by_instruction_, ip));
  }
  return json{{"breakpoints", answers}};
}

/// Remembers in hit_ which are.
bool DapSession::IsAtBreakpoint(std::uint32_t ip) {
  hit_.clear();
  for (const auto* list : {&by_line_, &by_function_, &by_instruction_, &by_listing_}) {
    for (const Breakpoint& breakpoint : *list) {
      if (breakpoint.ip == ip) hit_.push_back(breakpoint.id);
    }
  }
  return !hit_.empty();
}

// ---------------------------------------------------------------------------------------- walking

/// Goes at most `most` steps, in slices.
Timeline::Reason DapSession::Walk(const Timeline::StopTest& stop, std::uint64_t most) {
  const std::uint64_t now = timeline_->now();
  const std::uint64_t end = most > isa::kUnlimitedFuel - now ? isa::kUnlimitedFuel : now + most;
  Timeline::Reason reason = Timeline::Reason::kArrived;
  while (reason == Timeline::Reason::kArrived && timeline_->now() < end) {
    if (stop_wanted_) return Timeline::Reason::kInterrupted;
    reason = timeline_->Forward(std::min(end, timeline_->now() + kSlice), stop);
    // A slice may end where the walk has to.
    if (reason == Timeline::Reason::kArrived && timeline_->now() < end && stop &&
        stop(timeline_->machine().ip(), timeline_->now())) {
      return Timeline::Reason::kStopTest;
    }
  }
  return reason;
}

/// The walk is made after the answer: editors show that the program runs.
DapSession::Answer DapSession::GoForward(const std::string& reason, const Timeline::StopTest& stop,
                                         std::uint64_t most) {
  TXVM_CHECK_OK(CheckLaunched());
  if (timeline_->ended() != nullptr) {
    after_ = [this] { channel_.Event("terminated"); };
    return json::object();
  }
  after_ = [this, reason, stop, most] {
    bool is_at_breakpoint = false;
    const bool has_breakpoints = !by_line_.empty() || !by_function_.empty() ||
                                 !by_instruction_.empty() || !by_listing_.empty();
    Timeline::StopTest test;
    if (stop || has_breakpoints) {
      test = [&](std::uint32_t ip, std::uint64_t steps) {
        is_at_breakpoint = has_breakpoints && IsAtBreakpoint(ip);
        return is_at_breakpoint || (stop && stop(ip, steps));
      };
    }
    const Timeline::Reason end = Walk(test, most);
    drain_();
    if (end == Timeline::Reason::kEnded) return TellEnd();
    TellWhereItStopped(end == Timeline::Reason::kInterrupted ? "pause" : reason, is_at_breakpoint);
  };
  return json::object();
}

DapSession::Answer DapSession::GoBack(const std::string& reason, const Timeline::StopTest& stop) {
  TXVM_CHECK_OK(CheckLaunched());
  after_ = [this, reason, stop] {
    const std::uint64_t before = timeline_->now();
    const isa::Result<Timeline::Reason> end = timeline_->Backward(stop);
    if (!end) {
      channel_.Event("output", {{"category", "stderr"}, {"output", end.error().message + "\n"}});
    }
    const bool is_at_start =
        timeline_->now() == timeline_->earliest() && before != timeline_->now();
    const bool is_at_breakpoint =
        end && *end == Timeline::Reason::kStopTest && IsAtBreakpoint(timeline_->machine().ip());
    TellWhereItStopped(is_at_start && !is_at_breakpoint ? "entry" : reason, is_at_breakpoint);
  };
  return json::object();
}

DapSession::Answer DapSession::Continue(const json&) {
  TXVM_TRY(json body, GoForward("breakpoint", {}));
  body["allThreadsContinued"] = true;
  return body;
}

DapSession::Answer DapSession::ReverseContinue(const json&) {
  return GoBack("breakpoint",
                [this](std::uint32_t ip, std::uint64_t) { return IsAtBreakpoint(ip); });
}

namespace {

bool IsByInstruction(const json& arguments) {
  return Text(arguments, "granularity", "line") == "instruction";
}

}  // namespace

DapSession::Answer DapSession::StepIn(const json& arguments) {
  TXVM_CHECK_OK(CheckLaunched());
  const vm::Machine& machine = timeline_->machine();
  const std::uint32_t line = machine.program().LineAt(machine.ip());
  if (IsByInstruction(arguments) || line == 0) return GoForward("step", {}, 1);
  return GoForward("step",
                   [&machine, line, depth = machine.depth()](std::uint32_t ip, std::uint64_t) {
                     const std::uint32_t there = machine.program().LineAt(ip);
                     return there != 0 && (there != line || machine.depth() > depth);
                   });
}

DapSession::Answer DapSession::Next(const json& arguments) {
  TXVM_CHECK_OK(CheckLaunched());
  const vm::Machine& machine = timeline_->machine();
  const std::uint32_t line = machine.program().LineAt(machine.ip());
  const bool any = IsByInstruction(arguments) || line == 0;
  return GoForward("step",
                   [&machine, line, any, depth = machine.depth()](std::uint32_t ip, std::uint64_t) {
                     if (machine.depth() > depth) return false;
                     const std::uint32_t there = machine.program().LineAt(ip);
                     return any || (there != 0 && (there != line || machine.depth() < depth));
                   });
}

DapSession::Answer DapSession::StepOut(const json&) {
  TXVM_CHECK_OK(CheckLaunched());
  const vm::Machine& machine = timeline_->machine();
  return GoForward("step", [&machine, depth = machine.depth()](std::uint32_t, std::uint64_t) {
    return machine.depth() < depth;
  });
}

DapSession::Answer DapSession::StepBack(const json& arguments) {
  TXVM_CHECK_OK(CheckLaunched());
  const vm::Machine& machine = timeline_->machine();
  const std::uint32_t line = machine.program().LineAt(machine.ip());
  const bool any = IsByInstruction(arguments) || line == 0 || timeline_->ended() != nullptr;
  return GoBack(
      "step", [&machine, line, any, depth = machine.depth()](std::uint32_t ip, std::uint64_t) {
        if (any) return true;
        const std::uint32_t there = machine.program().LineAt(ip);
        return machine.depth() <= depth && there != 0 && (there != line || machine.depth() < depth);
      });
}

void DapSession::TellWhereItStopped(std::string reason, bool is_at_breakpoint) {
  json body = {{"reason", is_at_breakpoint ? "breakpoint" : reason},
               {"threadId", kThread},
               {"allThreadsStopped", true},
               {"description", fmt::format("before step {}", isa::Grouped(timeline_->now() + 1))}};
  if (is_at_breakpoint) body["hitBreakpointIds"] = hit_;
  channel_.Event("stopped", std::move(body));
}

/// A trap is a stop, so that it can be looked at and gone back from; so is the end when asked for.
void DapSession::TellEnd() {
  const vm::RunResult& result = *timeline_->ended();
  const vm::Machine& machine = timeline_->machine();
  std::string text = OutcomeSentence(
      {machine.program(), result, machine.engine(), machine.ip(), 0, 0, settings_.path});
  if (result.outcome == vm::Outcome::kHalted && !result.results.empty()) {
    text = ValuesText(ResultValues(timeline_->result_types(), result.results));
  }
  if (!text.empty()) {
    const bool is_result = result.outcome == vm::Outcome::kHalted;
    channel_.Event("output",
                   {{"category", is_result ? "stdout" : "stderr"}, {"output", text + "\n"}});
  }
  const bool is_bad =
      result.outcome != vm::Outcome::kHalted && result.outcome != vm::Outcome::kExited;
  if (is_bad || stop_at_end_) {
    channel_.Event("stopped", {{"reason", is_bad ? "exception" : "step"},
                               {"threadId", kThread},
                               {"allThreadsStopped", true},
                               {"description", std::string(vm::OutcomeWords(result.outcome))},
                               {"text", text}});
    return;
  }
  channel_.Event("exited", {{"exitCode", result.exit_code}});
  channel_.Event("terminated");
}

DapSession::Answer DapSession::ExceptionInfo(const json&) {
  TXVM_CHECK_OK(CheckLaunched());
  const vm::RunResult* result = timeline_->ended();
  if (result == nullptr) return Refuse("the run has not ended");
  const vm::Machine& machine = timeline_->machine();
  return json{{"exceptionId", result->trap ? std::string(isa::TrapText(result->trap->cause))
                                           : std::string(vm::OutcomeWords(result->outcome))},
              {"description", OutcomeSentence({machine.program(), *result, machine.engine(),
                                               machine.ip(), 0, 0, settings_.path})},
              {"breakMode", "always"}};
}

// ---------------------------------------------------------------------------------------- showing

DapSession::Answer DapSession::Threads(const json&) {
  return json{{"threads", {{{"id", kThread}, {"name", "program"}}}}};
}

/// The file that the code at `ip` comes from, else the program's listing.
json DapSession::SourceOf(std::uint32_t ip) const {
  const isa::Program& program = timeline_->machine().program();
  namespace fs = std::filesystem;
  if (program.LineAt(ip) != 0 && !program.source.empty() && source_->lines() != 0) {
    std::error_code error;
    return {{"name", fs::path(program.source).filename().string()},
            {"path", fs::absolute(program.source, error).string()}};
  }
  return {{"name", fs::path(settings_.path).filename().string() + " (instructions)"},
          {"sourceReference", kListing}};
}

DapSession::Answer DapSession::StackTrace(const json& arguments) {
  TXVM_CHECK_OK(CheckLaunched());
  const vm::Machine& machine = timeline_->machine();
  const vm::State& state = machine.state();
  const std::int64_t first = std::max<std::int64_t>(0, Number(arguments, "startFrame", 0));
  std::int64_t levels = Number(arguments, "levels", 0);
  if (levels <= 0 || levels > static_cast<std::int64_t>(kMostVariables)) levels = kMostVariables;
  json frames = json::array();
  const std::int64_t end = std::min<std::int64_t>(first + levels, std::int64_t{state.depth} + 1);
  for (std::int64_t i = first; i < end; ++i) {
    const auto frame = static_cast<std::uint32_t>(i);
    const std::uint32_t ip = FrameIp(state, frame);
    const json source = SourceOf(ip);
    const std::uint32_t line = source.contains("path") ? machine.program().LineAt(ip) : ip + 1;
    frames.push_back({{"id", frame + 1},
                      {"name", PlaceText(machine.program(), ip)},
                      {"source", source},
                      {"line", line},
                      {"column", 1},
                      {"instructionPointerReference", fmt::format("0x{:x}", ip)}});
  }
  return json{{"stackFrames", frames}, {"totalFrames", std::uint64_t{state.depth} + 1}};
}

isa::Result<std::uint32_t> DapSession::Frame(const json& arguments, std::string_view name) const {
  const std::int64_t id = Number(arguments, name, 1);
  const std::uint32_t depth = timeline_->machine().depth();
  if (id >= 1 && id <= std::int64_t{depth} + 1) return static_cast<std::uint32_t>(id - 1);
  return Refuse(fmt::format("there is no frame {}", id));
}

DapSession::Answer DapSession::Scopes(const json& arguments) {
  TXVM_CHECK_OK(CheckLaunched());
  TXVM_TRY(const std::uint32_t frame, Frame(arguments, "frameId"));
  json scopes = json::array();
  const auto add = [&](std::string_view name, Scope scope, bool is_costly) {
    scopes.push_back({{"name", name},
                      {"variablesReference", Reference(frame, scope)},
                      {"expensive", is_costly}});
  };
  add("Locals", Scope::kLocals, false);
  if (frame == 0) add("Operand stack", Scope::kStack, false);
  add("Globals", Scope::kGlobals, true);
  if (frame == 0) add("Heads of the next step", Scope::kHeads, false);
  return json{{"scopes", scopes}};
}

/// What every head finds in the next step, by a copy of the machine on the attention engine whose
/// host functions do nothing.
json DapSession::HeadVariables() const {
  json variables = json::array();
  const vm::Machine& machine = timeline_->machine();
  if (timeline_->ended() != nullptr) return variables;
  vm::Linker linker;
  TrapUnknownImports(machine.program(), linker);
  vm::MachineOptions options;
  options.engine = vm::EngineKind::kAttention;
  options.limits = settings_.limits;
  const vm::Snapshot here = timeline_->Here();
  auto copy = vm::Machine::FromSnapshot(here.program, linker, options, here);
  if (!copy) return variables;
  vm::RunOptions one;
  one.fuel = 1;
  one.digest = copy->has_digest();
  one.heads = [&](const vm::HeadReading& reading) {
    const weights::HeadSpec& spec = weights::Spec(reading.head);
    const std::string found = reading.winner < 0 ? std::string("no key: it reads 0")
                                                 : fmt::format("key {}", reading.winner);
    variables.push_back({{"name", spec.name},
                         {"value", fmt::format("query {} finds {}; score {}, margin {}, of {}",
                                               reading.query, found, reading.score, reading.margin,
                                               isa::Grouped(reading.keys, "key"))},
                         {"type", fmt::format("head of space {}", weights::SpaceName(spec.space))},
                         {"variablesReference", 0}});
  };
  copy->Resume(one);
  return variables;
}

DapSession::Answer DapSession::Variables(const json& arguments) {
  TXVM_CHECK_OK(CheckLaunched());
  const std::int64_t reference = Number(arguments, "variablesReference", 0) - 1;
  const vm::Machine& machine = timeline_->machine();
  if (reference < 0 || reference / kScopes > std::int64_t{machine.depth()}) {
    return Refuse(fmt::format("there are no variables {}", reference + 1));
  }
  const auto frame = static_cast<std::uint32_t>(reference / kScopes);
  json variables;
  switch (static_cast<Scope>(reference % kScopes)) {
    case Scope::kLocals:
      variables = cli::Variables("local", Locals(machine, frame));
      break;
    case Scope::kStack:
      variables = cli::Variables("slot", Operands(machine, kMostVariables));
      break;
    case Scope::kGlobals:
      variables = cli::Variables("global", Globals(machine));
      break;
    case Scope::kHeads:
      variables = HeadVariables();
      break;
  }
  return json{{"variables", variables}};
}

/// "local 1", "slot 3", "global 0", "memory 16", "step", "digest", "attention".
DapSession::Answer DapSession::Evaluate(const json& arguments) {
  TXVM_CHECK_OK(CheckLaunched());
  TXVM_TRY(const std::uint32_t frame, Frame(arguments, "frameId"));
  const std::string text = Text(arguments, "expression");
  const vm::Machine& machine = timeline_->machine();
  const auto answer = [](std::string result) {
    return json{{"result", std::move(result)}, {"variablesReference", 0}};
  };
  if (text == "step") return answer(fmt::format("{}", timeline_->now()));
  if (text == "digest") {
    return answer(machine.has_digest() ? isa::DigestText(machine.state().digest) : "none");
  }
  if (text == "attention") {
    if (timeline_->ended() != nullptr) return Refuse("the run has ended");
    TXVM_TRY(std::string heads, AttentionText(machine, settings_.limits));
    return answer(std::move(heads));
  }
  const std::size_t space = text.find(' ');
  const std::string kind = text.substr(0, space);
  const auto number = space == text.npos ? std::nullopt : ReadReference(text.substr(space + 1));
  if (number && kind == "memory") {
    const auto bytes = machine.memory().bytes();
    if (*number >= bytes.size()) {
      return Refuse(fmt::format("the memory has {}", isa::Grouped(bytes.size(), "byte")));
    }
    return answer(fmt::format("{}", bytes[*number]));
  }
  std::vector<NumberedValue> values;
  if (kind == "local") values = Locals(machine, frame);
  if (kind == "slot") values = Operands(machine, machine.state().sp);
  if (kind == "global") values = Globals(machine);
  for (const auto& [at, value] : values) {
    if (number && at == *number) return answer(isa::ValueText(value));
  }
  return Refuse(
      fmt::format("'{}' is none of: local N, slot N, global N, memory ADDRESS, step, digest, "
                  "attention",
                  text));
}

DapSession::Answer DapSession::Source(const json& arguments) {
  TXVM_CHECK_OK(CheckLaunched());
  const json source = arguments.value("source", json::object());
  if (Number(arguments, "sourceReference", Number(source, "sourceReference", 0)) != kListing) {
    return Refuse("there is no such source");
  }
  const isa::Program& program = timeline_->machine().program();
  std::string text;
  for (const isa::Instruction& instruction : program.code) {
    text += isa::InstructionText(program, instruction) + "\n";
  }
  return json{{"content", text}, {"mimeType", "text/x-txa"}};
}

DapSession::Answer DapSession::ReadMemory(const json& arguments) {
  TXVM_CHECK_OK(CheckLaunched());
  const std::string text = Text(arguments, "memoryReference");
  const auto base = ReadReference(text);
  if (!base || *base > UINT32_MAX) return Refuse(fmt::format("'{}' is no address", text));
  const std::int64_t first = static_cast<std::int64_t>(*base) + Number(arguments, "offset", 0);
  const std::int64_t count = Number(arguments, "count", 0);
  const auto memory = timeline_->machine().memory().bytes();
  const auto size = static_cast<std::int64_t>(memory.size());
  if (count < 0 || first < 0) return Refuse("a negative address or count");
  const std::int64_t there =
      std::clamp<std::int64_t>(size - first, 0, std::min<std::int64_t>(count, kMostRead));
  json body = {{"address", fmt::format("0x{:x}", first)}, {"unreadableBytes", count - there}};
  if (there > 0) {
    body["data"] = isa::Base64(
        memory.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(there)));
  }
  return body;
}

DapSession::Answer DapSession::Disassemble(const json& arguments) {
  TXVM_CHECK_OK(CheckLaunched());
  const isa::Program& program = timeline_->machine().program();
  const std::string text = Text(arguments, "memoryReference");
  const auto base = ReadReference(text);
  const std::int64_t count = Number(arguments, "instructionCount", 0);
  if (!base || *base > UINT32_MAX) return Refuse(fmt::format("'{}' is no instruction", text));
  if (count < 0 || count > kMostListed) {
    return Refuse(
        fmt::format("0 to {} instructions are listed at a time", isa::Grouped(kMostListed)));
  }
  const std::int64_t first =
      static_cast<std::int64_t>(*base) + Number(arguments, "instructionOffset", 0);
  json instructions = json::array();
  for (std::int64_t at = first; at < first + count; ++at) {
    // As the protocol wants, there are as many as were asked for.
    if (at < 0 || at >= static_cast<std::int64_t>(program.code.size())) {
      instructions.push_back({{"address", fmt::format("0x{:x}", std::max<std::int64_t>(at, 0))},
                              {"instruction", "(outside the program)"},
                              {"presentationHint", "invalid"}});
      continue;
    }
    const auto ip = static_cast<std::uint32_t>(at);
    json row = {{"address", fmt::format("0x{:x}", ip)},
                {"instruction", isa::InstructionText(program, program.code[ip])},
                {"symbol", PlaceText(program, ip)}};
    if (const std::uint32_t line = program.LineAt(ip); line != 0) {
      row["location"] = SourceOf(ip);
      row["line"] = line;
    }
    instructions.push_back(std::move(row));
  }
  return json{{"instructions", instructions}};
}

}  // namespace txvm::frontends::cli
