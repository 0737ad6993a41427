// Watching runs: steps, breakpoints, traces, heads, counts.
// Declared in vm/txvm.h.
#include <fmt/format.h>

#include <array>

#include "isa/support/text.h"
#include "vm/capi/handles.h"
#include "vm/state.h"

namespace {

using namespace txvm;
using namespace txvm::vm::capi;

static_assert(vm::kSpaceCount == std::size(txvm_stats{}.heads));

/// Before a step: whether the run goes on. About a step it is asked once, stop or not: until the
/// step is made, whatever ends runs in between, it is passed. The step callback sees the steps at
/// breakpoints too.
bool GoesOn(txvm_instance& instance, std::uint32_t ip, std::uint64_t steps) {
  if (std::exchange(instance.asked_at, steps) == steps) return true;
  const bool is_wanted = instance.watch.step == nullptr ||
                         instance.watch.step(instance.watch.user, &instance, ip, steps);
  return is_wanted && !instance.breakpoints.contains(ip);
}

void PassTrace(const txvm_watch& watch, std::span<const isa::TraceRecord> records) {
  constexpr std::size_t kBatch = 256;  // records turned over at a time, on the stack
  std::array<txvm_trace_record, kBatch> batch;
  while (!records.empty()) {
    const std::size_t count = std::min(kBatch, records.size());
    for (std::size_t i = 0; i < count; ++i) {
      const isa::TraceRecord& record = records[i];
      batch[i] = {record.step,
                  record.ip,
                  record.instruction.code(),
                  record.instruction.aux(),
                  record.instruction.arg,
                  record.sp,
                  record.top};
    }
    watch.trace(watch.user, batch.data(), count);
    records = records.subspan(count);
  }
}

void PassHead(const txvm_watch& watch, const vm::HeadReading& reading) {
  const weights::HeadSpec& spec = weights::Spec(reading.head);
  const txvm_head head{
      reading.step,  reading.ip,     spec.name.data(), vm::SpaceName(spec.space).data(),
      reading.query, reading.winner, reading.score,    reading.margin,
      reading.keys};
  watch.head(watch.user, &head);
}

}  // namespace

void txvm::vm::capi::ApplyWatch(txvm_instance& instance) {
  RunOptions& options = instance.options;
  const txvm_watch& watch = instance.watch;
  options = {};
  options.digest = watch.digest;
  options.stats = watch.stats;
  if (watch.trace != nullptr) {
    options.trace = [&watch](std::span<const isa::TraceRecord> records) {
      PassTrace(watch, records);
    };
  }
  if (watch.head != nullptr) {
    options.heads = [&watch](const HeadReading& reading) { PassHead(watch, reading); };
  }
  if (watch.step != nullptr || !instance.breakpoints.empty()) {
    options.before_step = [&instance](std::uint32_t ip, std::uint64_t steps) {
      return GoesOn(instance, ip, steps);
    };
  }
}

txvm_error* txvm_watch_set(txvm_instance* instance, const txvm_watch* watch) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    TXVM_CHECK_OK(CheckIdle(*instance, "watch"));
    txvm_watch known{};
    if (watch != nullptr) {
      TXVM_TRY(known, ReadStruct(watch, "txvm_watch"));
    }
    const vm::EngineKind engine = instance->machine->engine();
    if (known.head != nullptr && engine != vm::EngineKind::kAttention) {
      return isa::Fail(
          isa::ErrorCode::kUsage,
          fmt::format("engine {} does not show its heads: attention does", vm::EngineName(engine)));
    }
    instance->watch = known;
    ApplyWatch(*instance);
    return {};
  });
}

txvm_error* txvm_breakpoint_set(txvm_instance* instance, uint32_t ip, bool on) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    TXVM_CHECK_OK(CheckIdle(*instance, "set breakpoints of"));
    const std::size_t size = instance->machine->program().code.size();
    if (ip >= size) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("breakpoint at {} is outside the code of {}", ip,
                                   isa::CountText(size, "instruction")));
    }
    if (on) {
      instance->breakpoints.insert(ip);
    } else {
      instance->breakpoints.erase(ip);
    }
    ApplyWatch(*instance);
    return {};
  });
}

txvm_error* txvm_stats_get(const txvm_instance* instance, txvm_stats* stats) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    if (!instance->last || !instance->last->stats) {
      return isa::Fail(isa::ErrorCode::kUsage, "the last run was not watched with stats");
    }
    const vm::Stats& counted = *instance->last->stats;
    txvm_stats result{};
    std::copy(counted.heads.begin(), counted.heads.end(), result.heads);
    std::copy(counted.keys.begin(), counted.keys.end(), result.keys);
    std::copy(counted.live.begin(), counted.live.end(), result.live);
    return WriteStruct(result, stats, "txvm_stats");
  });
}
