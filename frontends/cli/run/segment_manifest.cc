// segments.json.
// Declared in frontends/cli/run/segments.h.
#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "frontends/cli/run/segments.h"
#include "frontends/imports/rules.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "isa/support/json_writer.h"
#include "isa/support/shown_text.h"
#include "isa/trace.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::int64_t kVersion = 1;

std::string ManifestPath(const std::string& folder) {
  return fmt::format("{}/{}", folder, kManifestName);
}

/// Reads members of one object; the first that is missing or of another kind is the error.
class Members {
 public:
  Members(const isa::Json& object, const std::string& path) : object_(object), path_(path) {}

  std::uint64_t Number(std::string_view name) {
    const isa::Json* member = Member(name, isa::Json::Kind::kInteger);
    if (member == nullptr) return 0;
    if (member->integer < 0) Refuse(name, "is negative");
    return static_cast<std::uint64_t>(member->integer);
  }
  std::string Text(std::string_view name) {
    const isa::Json* member = Member(name, isa::Json::Kind::kString);
    return member == nullptr ? std::string() : member->text;
  }
  std::vector<std::string> Texts(std::string_view name) {
    std::vector<std::string> texts;
    const isa::Json* member = Member(name, isa::Json::Kind::kArray);
    if (member == nullptr) return texts;
    for (const isa::Json& item : member->items) {
      if (item.kind != isa::Json::Kind::kString) Refuse(name, "holds what is no text");
      texts.push_back(item.text);
    }
    return texts;
  }
  std::uint64_t Hex(std::string_view name) {
    const std::string text = Text(name);
    std::uint64_t value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (!problem_ &&
        (text.empty() || end.ptr != text.data() + text.size() || end.ec != std::errc())) {
      Refuse(name, "is no hexadecimal number");
    }
    return value;
  }
  const isa::Json* Member(std::string_view name, isa::Json::Kind kind) {
    const isa::Json* member =
        object_.kind == isa::Json::Kind::kObject ? object_.Find(name) : nullptr;
    if (member == nullptr) return Refuse(name, "is missing"), nullptr;
    if (member->kind != kind) return Refuse(name, "has another kind"), nullptr;
    return member;
  }
  void Refuse(std::string_view name, std::string_view what) {
    if (problem_) return;
    problem_ = isa::Error{
        isa::ErrorCode::kCorrupt, fmt::format("manifest: '{}' {}", name, what), {path_, 0, 0}, {}};
  }
  const std::optional<isa::Error>& problem() const { return problem_; }

 private:
  const isa::Json& object_;
  const std::string& path_;
  std::optional<isa::Error> problem_;
};

isa::Result<SegmentState> ReadState(const isa::Json& object, const std::string& path) {
  Members members(object, path);
  SegmentState state;
  state.step = members.Number("step");
  state.digest = members.Hex("digest");
  state.sha256 = members.Text("sha256");
  if (members.problem()) return std::unexpected(*members.problem());
  return state;
}

isa::Result<SegmentsEnd> ReadEnd(const isa::Json& object, const std::string& path) {
  Members members(object, path);
  SegmentsEnd end;
  const std::string outcome = members.Text("outcome");
  bool is_known = false;
  for (const vm::Outcome known :
       {vm::Outcome::kHalted, vm::Outcome::kTrapped, vm::Outcome::kExited, vm::Outcome::kOutOfFuel,
        vm::Outcome::kInterrupted, vm::Outcome::kHostError}) {
    if (outcome != vm::OutcomeText(known)) continue;
    end.outcome = known;
    is_known = true;
  }
  if (!is_known) members.Refuse("outcome", "is none that a run has");
  if (const isa::Json* results = members.Member("results", isa::Json::Kind::kArray)) {
    for (const isa::Json& word : results->items) {
      if (word.kind != isa::Json::Kind::kInteger) members.Refuse("results", "holds no number");
      end.results.push_back(static_cast<isa::Word>(word.integer));
    }
  }
  end.exit_code = static_cast<std::int32_t>(members.Number("exit_code"));
  end.trap_cause = static_cast<std::uint32_t>(members.Number("trap_cause"));
  end.trap_ip = static_cast<std::uint32_t>(members.Number("trap_ip"));
  if (members.problem()) return std::unexpected(*members.problem());
  return end;
}

isa::Result<isa::Limits> ReadLimits(const isa::Json& object, const std::string& path) {
  Members members(object, path);
  isa::Limits limits;
  limits.max_slots = static_cast<std::uint32_t>(members.Number("max_slots"));
  limits.max_depth = static_cast<std::uint32_t>(members.Number("max_depth"));
  limits.max_locals = static_cast<std::uint32_t>(members.Number("max_locals"));
  limits.max_pages = static_cast<std::uint32_t>(members.Number("max_pages"));
  if (members.problem()) return std::unexpected(*members.problem());
  return limits;
}

void WriteTexts(isa::JsonWriter& json, std::string_view name,
                const std::vector<std::string>& texts) {
  json.Key(name).BeginArray();
  for (const std::string& text : texts) json.String(text);
  json.EndArray();
}

}  // namespace

std::string Segments::Describe(std::size_t segment) const {
  return fmt::format("segment {} (steps {} to {})", segment, isa::Grouped(states[segment].step),
                     isa::Grouped(states[segment + 1].step));
}

std::string StatePath(const std::string& folder, std::size_t index) {
  return fmt::format("{}/{:06}.txs", folder, index);
}

isa::Result<void> WriteManifest(const std::string& folder, const Segments& segments) {
  isa::JsonWriter json;
  json.BeginObject().Key("txvm_segments").Int(kVersion);
  json.Key("engine").String(segments.engine).Key("name").String(segments.name);
  json.Key("program").String(segments.program);
  if (segments.invoke) json.Key("invoke").String(*segments.invoke);
  WriteTexts(json, "arguments", segments.arguments);
  WriteTexts(json, "environment", segments.environment);
  WriteTexts(json, "imports", segments.imports);
  json.Key("strict_imports").Bool(segments.strict_imports);
  json.Key("random_seed").String(fmt::format("{:016x}", segments.random_seed));
  json.Key("limits").BeginObject();
  json.Key("max_slots").Uint(segments.limits.max_slots);
  json.Key("max_depth").Uint(segments.limits.max_depth);
  json.Key("max_locals").Uint(segments.limits.max_locals);
  json.Key("max_pages").Uint(segments.limits.max_pages).EndObject();
  json.Key("every").Uint(segments.every).Key("states").BeginArray();
  for (const SegmentState& state : segments.states) {
    json.BeginObject().Key("step").Uint(state.step);
    json.Key("digest").String(isa::DigestText(state.digest));
    json.Key("sha256").String(state.sha256).EndObject();
  }
  json.EndArray().Key("end").BeginObject();
  json.Key("outcome").String(vm::OutcomeText(segments.end.outcome)).Key("results").BeginArray();
  for (const isa::Word word : segments.end.results) json.Uint(word);
  json.EndArray().Key("exit_code").Uint(static_cast<std::uint32_t>(segments.end.exit_code));
  json.Key("trap_cause").Uint(segments.end.trap_cause).Key("trap_ip").Uint(segments.end.trap_ip);
  json.EndObject().EndObject();
  return isa::ReplaceFile(ManifestPath(folder), json.text() + "\n");
}

isa::Result<Segments> ReadManifest(const std::string& folder) {
  const std::string path = ManifestPath(folder);
  TXVM_TRY(const std::string text, isa::ReadFile(path));
  isa::Result<isa::Json> parsed =
      isa::ParseJson(text, {.most_values = 4 * kMostSegments + 100'000});
  if (!parsed) return isa::InFile(std::move(parsed).error(), path);
  Members members(*parsed, path);
  if (members.Number("txvm_segments") != kVersion) {
    members.Refuse("txvm_segments", "is no version that this txvm reads (1)");
  }
  Segments segments;
  segments.engine = members.Text("engine");
  segments.name = members.Text("name");
  segments.program = members.Text("program");
  if (parsed->Find("invoke") != nullptr) segments.invoke = members.Text("invoke");
  segments.arguments = members.Texts("arguments");
  segments.environment = members.Texts("environment");
  if (parsed->Find("imports") != nullptr) segments.imports = members.Texts("imports");
  segments.strict_imports = parsed->Flag("strict_imports");
  for (const std::string& rule : segments.imports) {
    if (!imports::ParseRule(rule)) members.Refuse("imports", "holds what is no NAME=WHAT");
  }
  segments.random_seed = members.Hex("random_seed");
  segments.every = members.Number("every");
  const isa::Json* limits = members.Member("limits", isa::Json::Kind::kObject);
  const isa::Json* states = members.Member("states", isa::Json::Kind::kArray);
  const isa::Json* end = members.Member("end", isa::Json::Kind::kObject);
  if (!members.problem() && (states->items.empty() || states->items.size() > kMostSegments + 1)) {
    members.Refuse("states", fmt::format("has {} members: 1 to {} are possible",
                                         states->items.size(), isa::Grouped(kMostSegments + 1)));
  }
  if (members.problem()) return std::unexpected(*members.problem());
  TXVM_TRY(segments.limits, ReadLimits(*limits, path));
  TXVM_TRY(segments.end, ReadEnd(*end, path));
  for (const isa::Json& item : states->items) {
    TXVM_TRY(SegmentState state, ReadState(item, path));
    const bool ascends =
        segments.states.empty() ? state.step == 0 : state.step >= segments.states.back().step;
    if (!ascends) members.Refuse("step", "of a state does not ascend from 0");
    segments.states.push_back(std::move(state));
  }
  if (members.problem()) return std::unexpected(*members.problem());
  return segments;
}

RunSettings SettingsOf(const Segments& segments) {
  RunSettings settings;
  settings.path = segments.name;
  settings.limits = segments.limits;
  settings.invoke = segments.invoke;
  settings.arguments = segments.arguments;
  settings.host.environment = segments.environment;
  settings.host.random_seed = segments.random_seed;
  settings.silent = true;
  for (const std::string& rule : segments.imports) {
    if (auto parsed = imports::ParseRule(rule))
      settings.imports.rules.push_back(*std::move(parsed));
  }
  settings.imports.is_strict = segments.strict_imports;
  settings.imports.traps_when_called = true;  // else a run that has such imports did not begin
  return settings;
}

}  // namespace txvm::frontends::cli
