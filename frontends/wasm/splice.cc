#include "frontends/wasm/splice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "isa/limits.h"

namespace txvm::frontends::wat {
namespace {

using isa::Instruction;
using isa::Opcode;

bool IsJump(Instruction instruction) {
  return instruction.op() == Opcode::kJz || instruction.op() == Opcode::kJnz;
}

/// INVARIANT: placed_ says where each function of `from` is, once it has been looked at.
class Splicer {
 public:
  Splicer(isa::Program& to, const SpliceRequest& request, std::size_t helpers_from)
      : to_(to),
        from_(request.from),
        request_(request),
        next_(static_cast<std::uint32_t>(to.code.size())) {
    for (std::uint32_t i = 0; i < from_.functions.size(); ++i) {
      starts_.emplace(from_.functions[i].first, i);
    }
    for (std::size_t i = helpers_from; i < to.functions.size(); ++i) {
      helpers_.emplace(to.functions[i].name, static_cast<std::uint32_t>(i));
    }
  }

  isa::Result<std::vector<std::uint32_t>> Run() {
    std::vector<std::uint32_t> addresses;
    for (const std::uint32_t index : request_.functions) {
      addresses.push_back(static_cast<std::uint32_t>(next_));
      Reserve(index);
    }
    // Callees first: whether a helper equals one that is there shows once its callees are placed.
    std::vector<std::uint32_t> callers = request_.functions;
    for (const std::uint32_t index : callers) PlaceCallees(index);
    if (next_ > isa::kMaxInstructions) {
      return isa::Fail(
          isa::ErrorCode::kLimit,
          fmt::format("the program needs more than {} instructions", isa::kMaxInstructions));
    }
    to_.code.reserve(next_);
    for (const std::uint32_t index : order_) Append(index);
    return addresses;
  }

 private:
  std::span<const Instruction> CodeOf(const isa::Program& program,
                                      const isa::Function& function) const {
    return std::span(program.code).subspan(function.first, function.last - function.first + 1);
  }

  void Reserve(std::uint32_t index) {
    const isa::Function& function = from_.functions[index];
    placed_.emplace(index, static_cast<std::uint32_t>(next_));
    order_.push_back(index);
    next_ += function.last - function.first + 1;
  }

  void PlaceCallees(std::uint32_t index) {
    for (const Instruction instruction : CodeOf(from_, from_.functions[index])) {
      if (IsCall(instruction)) Place(starts_.at(instruction.arg));
    }
  }

  /// Recursion depth: how deep helpers call helpers.
  void Place(std::uint32_t index) {
    if (placed_.contains(index)) return;
    if (const std::optional<std::uint32_t> known = request_.address_of(index)) {
      placed_.emplace(index, *known);
      return;
    }
    if (!open_.insert(index).second) return Reserve(index);  // it calls itself
    PlaceCallees(index);
    open_.erase(index);
    if (placed_.contains(index)) return;
    if (const std::optional<std::uint32_t> equal = FindEqual(index)) {
      placed_.emplace(index, *equal);
      return;
    }
    Reserve(index);
  }

  std::optional<std::uint32_t> FindEqual(std::uint32_t index) const {
    const isa::Function& function = from_.functions[index];
    const auto [begin, end] = helpers_.equal_range(function.name);
    for (auto found = begin; found != end; ++found) {
      const isa::Function& other = to_.functions[found->second];
      const std::span<const Instruction> code = CodeOf(from_, function);
      const std::span<const Instruction> there = CodeOf(to_, other);
      const bool equal = other.params == function.params && other.results == function.results &&
                         other.locals == function.locals && code.size() == there.size();
      if (!equal) continue;
      const auto moved = [&](Instruction instruction) {
        return Moved(instruction, function.first, other.first);
      };
      if (std::ranges::equal(code, there, {}, moved)) return other.first;
    }
    return std::nullopt;
  }

  Instruction Moved(Instruction instruction, std::uint32_t old_first,
                    std::uint32_t new_first) const {
    if (IsJump(instruction)) instruction.arg += new_first - old_first;
    if (IsCall(instruction)) instruction.arg = placed_.at(starts_.at(instruction.arg));
    return instruction;
  }

  void Append(std::uint32_t index) {
    isa::Function function = from_.functions[index];
    const std::uint32_t old_first = function.first, old_last = function.last;
    const auto first = static_cast<std::uint32_t>(to_.code.size());
    for (const Instruction instruction : CodeOf(from_, function)) {
      to_.code.push_back(Moved(instruction, old_first, first));
    }
    function.first = first;
    function.last = first + (old_last - old_first);
    to_.functions.push_back(std::move(function));
    auto note = std::ranges::lower_bound(from_.notes, old_first, {}, &isa::TrapNote::ip);
    for (; note != from_.notes.end() && note->ip <= old_last; ++note) {
      to_.notes.push_back({note->ip - old_first + first, note->text});
    }
  }

  isa::Program& to_;
  const isa::Program& from_;
  const SpliceRequest& request_;
  std::uint64_t next_;                                       // address of what is appended next
  std::unordered_map<std::uint32_t, std::uint32_t> starts_;  // address in from_ -> index
  std::unordered_multimap<std::string_view, std::uint32_t> helpers_;  // name -> index in to_
  std::unordered_map<std::uint32_t, std::uint32_t> placed_;  // index in from_ -> address in to_
  std::set<std::uint32_t> open_;                             // indices in from_, being placed
  std::vector<std::uint32_t> order_;                         // indices in from_, as appended
};

}  // namespace

isa::Result<std::vector<std::uint32_t>> Splice(isa::Program& to, const SpliceRequest& request,
                                               std::size_t helpers_from) {
  return Splicer(to, request, helpers_from).Run();
}

}  // namespace txvm::frontends::wat
