// Exceptions of programs: their tags, what came out of a run, what host functions throw.
// Declared in vm/txvm.h.
#include "vm/exception.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/text.h"
#include "vm/capi/handles.h"
#include "vm/capi/values.h"

namespace {

using namespace txvm;
using namespace txvm::vm::capi;

/// The tags of a program, none where it throws nothing.
std::span<const isa::ExceptionTag> TagsOf(const isa::Program& program) {
  if (!program.exceptions) return {};
  return program.exceptions->tags;
}

std::span<const isa::ExceptionTag> TagsOf(const txvm_program* program) {
  if (program == nullptr) return {};
  return TagsOf(program->prepared->program());
}

/// The exception that a host function throws. Errors: kUsage (no such tag, other values than its).
isa::Result<vm::Exception> MakeException(const txvm_instance& caller, std::uint32_t tag,
                                         const txvm_value* values, std::size_t count) {
  const auto tags = TagsOf(caller.machine->program());
  if (tag >= tags.size()) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("tag {} is out of range: the program has {}", tag, tags.size()));
  }
  const std::vector<isa::ValueType>& types = tags[tag].types;
  if (count != types.size() || (values == nullptr && count != 0)) {
    return isa::Fail(isa::ErrorCode::kUsage, fmt::format("tag '{}' takes {} values, {} are given",
                                                         tags[tag].name, types.size(), count));
  }
  vm::Exception exception{tag, tags[tag].name, {}};
  for (std::size_t i = 0; i < count; ++i) {
    if (!HasType(values[i]) || FromC(values[i]).type != types[i]) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("value {} of tag '{}' is to be of {}", i + 1, tags[tag].name,
                                   isa::TypeText(types[i])));
    }
    exception.values.push_back(FromC(values[i]));
  }
  return exception;
}

}  // namespace

uint32_t txvm_tag_count(const txvm_program* program) {
  return static_cast<uint32_t>(TagsOf(program).size());
}

const char* txvm_tag_name(const txvm_program* program, uint32_t index) {
  const auto tags = TagsOf(program);
  return index < tags.size() ? tags[index].name.c_str() : nullptr;
}

const char* txvm_tag_signature(const txvm_program* program, uint32_t index) {
  if (program == nullptr || index >= program->signatures->tags.size()) return nullptr;
  return program->signatures->tags[index].c_str();
}

txvm_error* txvm_tag_find(const txvm_program* program, const char* name, uint32_t* index) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(program, "program"));
    TXVM_CHECK_OK(NotNull(name, "name"));
    TXVM_CHECK_OK(NotNull(index, "index"));
    const auto tags = TagsOf(program);
    const auto found = std::ranges::find(tags, name, &isa::ExceptionTag::name);
    if (found == tags.end()) {
      return isa::Fail(isa::ErrorCode::kUsage, fmt::format("no tag '{}': the program has {}", name,
                                                           isa::CountText(tags.size(), "tag")));
    }
    *index = static_cast<uint32_t>(found - tags.begin());
    return {};
  });
}

txvm_error* txvm_exception_get(const txvm_instance* instance, uint32_t* tag, txvm_value* values,
                               size_t capacity, size_t* count) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    TXVM_CHECK_OK(NotNull(tag, "tag"));
    const std::optional<vm::RunResult>& run = instance->running ? instance->inner : instance->last;
    if (!run || !run->exception) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       instance->running
                           ? "no exception came out of the last call inside the host function"
                           : "no exception came out of the last run");
    }
    *tag = run->exception->tag;
    const std::vector<isa::Value>& from = run->exception->values;
    if (count != nullptr) *count = from.size();
    if (capacity != 0) TXVM_CHECK_OK(NotNull(values, "values"));
    std::transform(from.begin(),
                   from.begin() + static_cast<std::ptrdiff_t>(std::min(capacity, from.size())),
                   values, ToC);
    return {};
  });
}

txvm_host_status txvm_host_throw(txvm_instance* caller, uint32_t tag, const txvm_value* values,
                                 size_t count) {
  if (caller == nullptr) return TXVM_HOST_FAIL;
  try {
    isa::Result<vm::Exception> made = MakeException(*caller, tag, values, count);
    if (!made) return txvm_host_fail(caller, ("txvm_host_throw: " + made.error().message).c_str());
    caller->thrown = *std::move(made);
    return TXVM_HOST_THROW;
  } catch (...) {
    return txvm_host_fail(caller, "txvm_host_throw: out of memory");
  }
}
