#include "frontends/cli/view/call_profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/limits.h"
#include "weights/heads.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::size_t kMostNodes = 200'000;
constexpr std::size_t kDeepest = 1'000;

}  // namespace

CallProfile::CallProfile(const isa::Program& program, std::size_t most_spans)
    : program_(program), most_spans_(most_spans), paths_(1) {
  for (std::size_t code = 0; code < heads_of_.size(); ++code) {
    const isa::OpcodeInfo* op = isa::FindInfo(static_cast<std::uint8_t>(code));
    if (op == nullptr) continue;
    heads_of_[code] = static_cast<std::uint8_t>(std::ranges::count_if(
        weights::kHeads,
        [&](const weights::HeadSpec& head) { return weights::UsesHead(*op, head); }));
  }
  const std::size_t size = program.code.size();
  function_of_.resize(size);
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const isa::Function& function = program.functions[f];
    for (std::size_t ip = function.first; ip <= function.last && ip < size; ++ip) {
      function_of_[ip] = static_cast<std::uint32_t>(f);
    }
  }
  functions_.resize(std::max<std::size_t>(program.functions.size(), 1));
  std::uint32_t last_line = 0;
  for (std::uint32_t ip = 0; ip < size; ++ip) {
    line_of_.push_back(program.LineAt(ip));
    last_line = std::max(last_line, line_of_.back());
  }
  lines_.resize(std::size_t{last_line} + 1);
}

void CallProfile::Open(Activity& activity, std::uint64_t now) {
  if (activity.active++ == 0) activity.since = now;
}

void CallProfile::Close(Activity& activity, std::uint64_t now) {
  if (--activity.active == 0) activity.inclusive += now - activity.since;
}

std::uint32_t CallProfile::NodeBelow(std::uint32_t parent, std::uint32_t function) {
  const auto found = paths_[parent].callees.find(function);
  if (found != paths_[parent].callees.end()) return found->second;
  if (paths_.size() == kMostNodes) return parent;
  const auto node = static_cast<std::uint32_t>(paths_.size());
  paths_[parent].callees.emplace(function, node);
  paths_.push_back({function, parent, 0, {}});
  return node;
}

void CallProfile::Enter(std::uint32_t ip, std::uint32_t line) {
  const std::uint32_t function = function_of_[ip];
  const std::uint32_t parent = frames_.empty() ? 0 : frames_.back().node;
  const std::uint32_t node = frames_.size() < kDeepest ? NodeBelow(parent, function) : parent;
  frames_.push_back({function, node, line, steps_});
  ++functions_[function].calls;
  Open(functions_[function], steps_);
  if (line != 0) Open(lines_[line], steps_);
}

void CallProfile::Leave() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  Close(functions_[frame.function], steps_);
  if (frame.line != 0) Close(lines_[frame.line], steps_);
  if (spans_.size() < most_spans_) {
    spans_.push_back({frame.function, frame.begin, steps_});
  } else {
    ++dropped_;
  }
}

void CallProfile::Add(std::span<const isa::TraceRecord> records) {
  for (const isa::TraceRecord& record : records) {
    if (record.ip >= line_of_.size()) continue;  // outside the program: a trap
    if (frames_.empty()) Enter(record.ip, 0);
    const std::uint32_t line = line_of_[record.ip];
    ++steps_;
    Activity& function = functions_[frames_.back().function];
    ++function.exclusive;
    const std::uint8_t heads = heads_of_[record.instruction.code()];
    function.heads += heads;
    ++paths_[frames_.back().node].steps;
    Activity& at = lines_[line];
    ++at.exclusive;
    at.heads += heads;
    if (at.active == 0) ++at.inclusive;
    const isa::Opcode op = record.instruction.op();
    if (op == isa::Opcode::kCall && (record.instruction.arg & isa::kHostCallBit) == 0) {
      if (record.instruction.arg < line_of_.size()) Enter(record.instruction.arg, line);
    } else if (op == isa::Opcode::kReturn) {
      Leave();
    }
  }
}

void CallProfile::Finish() {
  while (!frames_.empty()) Leave();
}

std::string CallProfile::NameOf(std::uint32_t function) const {
  if (function >= program_.functions.size()) return "program";
  const isa::Function& found = program_.functions[function];
  if (!found.name.empty()) return found.name;
  const auto stub = std::ranges::find(program_.exports, found.first, &isa::Export::start);
  if (stub != program_.exports.end()) return "export " + stub->name;
  return fmt::format("function {}", function);
}

std::vector<ProfileRow> CallProfile::Rows(std::vector<ProfileRow> rows) const {
  std::erase_if(rows, [](const ProfileRow& row) { return row.inclusive == 0; });
  std::ranges::stable_sort(rows, [](const ProfileRow& a, const ProfileRow& b) {
    return std::pair(a.inclusive, a.exclusive) > std::pair(b.inclusive, b.exclusive);
  });
  return rows;
}

std::vector<ProfileRow> CallProfile::Functions() const {
  std::vector<ProfileRow> rows;
  for (std::uint32_t f = 0; f < functions_.size(); ++f) {
    const Activity& activity = functions_[f];
    rows.push_back(
        {NameOf(f), activity.calls, activity.exclusive, activity.inclusive, activity.heads});
  }
  return Rows(std::move(rows));
}

std::vector<ProfileRow> CallProfile::Lines() const {
  std::vector<ProfileRow> rows;
  for (std::uint32_t line = 1; line < lines_.size(); ++line) {
    const Activity& activity = lines_[line];
    rows.push_back(
        {fmt::format("{}", line), 0, activity.exclusive, activity.inclusive, activity.heads});
  }
  return Rows(std::move(rows));
}

std::vector<CallSpan> CallProfile::Spans() const {
  std::vector<CallSpan> spans = spans_;
  std::ranges::sort(spans, [](const CallSpan& a, const CallSpan& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  return spans;
}

}  // namespace txvm::frontends::cli
