// What the handles of vm/txvm.h point to, and how its functions fail.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/support/exceptions.h"
#include "isa/support/result.h"
#include "vm/capi/values.h"
#include "vm/host.h"
#include "vm/machine.h"
#include "vm/prepared.h"
#include "vm/txvm.h"

namespace txvm::vm::capi {

/// What an engine's objects share: it lives as long as any of them.
struct Core {
  txvm_allocator allocator{};
  EngineKind kind = EngineKind::kAttention;

  /// isa::ThrowOutOfMemory when the allocator refuses.
  void* Allocate(std::size_t bytes) const {
    void* memory = allocator.allocate(allocator.user, bytes);
    if (memory == nullptr) isa::ThrowOutOfMemory();
    return memory;
  }
  void Release(void* memory, std::size_t bytes) const {
    allocator.release(allocator.user, memory, bytes);
  }
};

/// A global that a program's source names.
struct NamedGlobal {
  std::string name;
  std::uint32_t index = 0;
  bool is_mutable = false;
};

/// A host function of C, with the finalizer of its user data.
struct HostDefinition {
  std::string place;                            // "module.name"
  txvm_host_function function = nullptr;        // takes words
  txvm_host_value_function typed = nullptr;     // takes values: one of the two
  std::vector<isa::ValueType> params, results;  // of `typed`
  void* user = nullptr;
  void (*finalizer)(void*) = nullptr;

  HostDefinition() = default;
  HostDefinition(const HostDefinition&) = delete;
  HostDefinition& operator=(const HostDefinition&) = delete;
  ~HostDefinition() {
    if (finalizer != nullptr) finalizer(user);
  }
};

/// What host functions keep for one instance, beside its machine.
class HostState {
 public:
  virtual ~HostState() = default;
  HostState() = default;
  HostState(const HostState&) = delete;
  HostState& operator=(const HostState&) = delete;

  /// It as bytes, for a snapshot.
  virtual std::string Save() const = 0;
  /// Whether Restore takes these bytes. Errors: kCorrupt.
  virtual isa::Result<void> Check(std::string_view bytes) const = 0;
  /// Makes it what Save wrote. REQUIRES: Check.
  virtual void Restore(std::string_view bytes) = 0;
};

/// Host functions that keep something for each instance. Thread-safe.
class HostGroup {
 public:
  virtual ~HostGroup() = default;
  HostGroup() = default;
  HostGroup(const HostGroup&) = delete;
  HostGroup& operator=(const HostGroup&) = delete;

  /// Defines the functions that an instance's program imports and `linker` lacks. Returns what they
  /// keep for the instance, whose machine may be missing yet. `from` (may be null) is what they
  /// keep for the instance it is a clone of.
  virtual isa::Result<std::shared_ptr<HostState>> Define(Linker& linker,
                                                         const txvm_instance& instance,
                                                         const HostState* from) const = 0;
};

/// Makes an error object; never fails.
txvm_error* NewError(isa::Error error) noexcept;
txvm_error* OutOfMemory() noexcept;

/// The host functions every instance has: memory.grow, with txvm_instance_options::grow in it.
Linker NewLinker();

/// The instance's own definitions, and those of its group for what they lack. Makes the instance's
/// host state. REQUIRES: it has a group. Errors: HostGroup::Define's.
isa::Result<Linker> LinkerOf(txvm_instance& instance, const HostState* from);

/// Runs the body of a function of the interface: its isa::Result<void> as an error object, and
/// whatever it throws too.
template <typename Body>
txvm_error* Guard(const Body& body) noexcept {
  const auto run = [&body]() -> txvm_error* {
    isa::Result<void> result = body();
    return result ? nullptr : NewError(std::move(result).error());
  };
#ifdef __cpp_exceptions
  try {
    return run();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::exception& error) {
    return NewError({isa::ErrorCode::kInternal, error.what(), {}, {}});
  } catch (...) {
    return NewError({isa::ErrorCode::kInternal, "unknown exception", {}, {}});
  }
#else
  return run();
#endif
}

/// kUsage "NAME is NULL" for a pointer that must not be.
isa::Result<void> NullError(std::string_view name);
inline isa::Result<void> NotNull(const void* pointer, std::string_view name) {
  if (pointer != nullptr) [[likely]]
    return {};
  return NullError(name);
}

/// kUsage for a missing instance, and for a missing buffer of values that there are.
inline isa::Result<void> CheckBuffers(const txvm_instance* instance, const void* args,
                                      std::size_t arg_count, const void* results,
                                      std::size_t result_count) {
  TXVM_CHECK_OK(NotNull(instance, "instance"));
  if (arg_count != 0) TXVM_CHECK_OK(NotNull(args, "args"));
  if (result_count != 0) TXVM_CHECK_OK(NotNull(results, "results"));
  return {};
}

/// What ReadStruct and WriteStruct say about the size a struct begins with.
isa::Result<void> CheckStructSize(const void* given, std::size_t known, std::string_view name);

/// A struct of the caller's that begins with its size, filled up with zeros. kUsage when the
/// pointer is null, the size is too small to be one, or bytes this library does not know are not 0.
template <typename T>
isa::Result<T> ReadStruct(const T* given, std::string_view name) {
  TXVM_CHECK_OK(NotNull(given, name));
  TXVM_CHECK_OK(CheckStructSize(given, sizeof(T), name));
  T known{};
  std::memcpy(&known, given, std::min(given->size, sizeof(T)));
  return known;
}

/// Writes what fits into a struct of the caller's; its size is kept.
template <typename T>
isa::Result<void> WriteStruct(T value, T* to, std::string_view name) {
  TXVM_CHECK_OK(NotNull(to, name));
  const std::size_t size = to->size;
  if (size < sizeof(std::size_t)) return CheckStructSize(to, sizeof(T), name);
  value.size = size;
  std::memcpy(to, &value, std::min(size, sizeof(T)));
  return {};
}

/// kUsage while `instance` runs: what a host function cannot do to its caller.
isa::Result<void> RunningError(std::string_view what);
inline isa::Result<void> CheckIdle(const txvm_instance& instance, std::string_view what);

/// Deletes an instance when its last owner lets it go.
void LetGo(txvm_instance* instance);

/// Gives a variable a value until this goes, whatever ends that.
template <typename T>
class Scoped {
 public:
  Scoped(T& variable, T value) : variable_(variable), before_(std::exchange(variable, value)) {}
  ~Scoped() { variable_ = before_; }
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;

 private:
  T& variable_;
  T before_;
};

/// " in 'f' at file:line (instruction ip)", as far as it is known.
std::string PlaceText(const isa::Program& program, std::uint32_t ip);

/// Makes the options of the next runs say what the instance watches.
void ApplyWatch(txvm_instance& instance);

/// An object in memory of the allocator.
template <typename T, typename... Args>
T* New(const std::shared_ptr<const Core>& core, Args&&... args) {
  void* memory = core->Allocate(sizeof(T));
  return isa::CleaningUp([&] { return new (memory) T(std::forward<Args>(args)...); },
                         [&] { core->Release(memory, sizeof(T)); });
}

/// Undoes New. Null is fine.
template <typename T>
void Delete(T* object) {
  if (object == nullptr) return;
  const std::shared_ptr<const Core> core = object->core;
  object->~T();
  core->Release(object, sizeof(T));
}

}  // namespace txvm::vm::capi

struct txvm_engine {
  std::shared_ptr<const txvm::vm::capi::Core> core;
};

struct txvm_program {
  std::shared_ptr<const txvm::vm::capi::Core> core;
  std::shared_ptr<const txvm::vm::Prepared> prepared;
  std::shared_ptr<const std::vector<txvm::vm::capi::NamedGlobal>> globals;
  std::shared_ptr<const txvm::vm::capi::Signatures> signatures;
};

struct txvm_linker {
  std::shared_ptr<const txvm::vm::capi::Core> core;
  txvm::vm::Linker linker;
  std::shared_ptr<const txvm::vm::capi::HostGroup> group = nullptr;  // for what `linker` lacks
};

// INVARIANT: between runs, `running` is false; `in_start` and `expected_results` describe the
// invocation that can be resumed, if the machine can.
struct txvm_instance {
  explicit txvm_instance(const txvm_program& from) : core(from.core), program(from) {}

  std::shared_ptr<const txvm::vm::capi::Core> core;
  std::atomic<std::uint32_t> owners{1};  // its handle, and linkers whose functions call it
  txvm_program program;
  std::shared_ptr<const txvm::vm::capi::HostGroup> group;  // of the linker it was made with
  std::shared_ptr<const txvm::vm::Linker> definitions;     // that linker's, where it has a group
  std::shared_ptr<txvm::vm::capi::HostState> host_state;   // of the group
  std::optional<txvm::vm::Machine> machine;
  std::uint32_t max_slots = 0;
  void* user = nullptr;
  bool (*grow)(void* user, std::uint32_t old_pages, std::uint32_t new_pages) = nullptr;

  std::uint64_t fuel = TXVM_UNLIMITED_FUEL;  // while it runs: what there was before the run
  std::uint64_t steps_before = 0;            // steps of the invocation before the last run
  bool running = false;
  const txvm_instance* called_by = nullptr;  // the run is a call of that one's run
  bool in_host = false;   // the run is in a host function of C, which may call the instance
  bool passes = false;    // that is to end as the call it made, which trapped
  bool started = false;   // the start function, if any, has halted
  bool in_start = false;  // the invocation is that of the start function
  std::optional<std::uint32_t> expected_results;  // of the invocation; none: not known

  txvm::vm::RunOptions options;  // what is watched; fuel is set for each run
  txvm_watch watch{};
  std::set<std::uint32_t> breakpoints;
  std::optional<std::uint64_t> asked_at;  // steps done when the hooks were last asked

  /// Number of the last run that was asked to stop: what a host function that waits looks at.
  std::atomic<std::uint64_t> interrupted_run{0};

  std::optional<txvm::vm::RunResult> last;   // of the last run
  bool stepped = false;                      // it ended because its steps were made
  std::string message;                       // of the last run; made when asked for
  std::optional<txvm::vm::RunResult> inner;  // of the last call that a host function made
  std::string inner_message;                 // made when asked for
  std::string host_message;                  // of the host function that ends the run
  std::int32_t host_exit = 0;
};

inline void txvm::vm::capi::LetGo(txvm_instance* instance) {
  if (instance->owners.fetch_sub(1) == 1) Delete(instance);
}

inline txvm::isa::Result<void> txvm::vm::capi::CheckIdle(const txvm_instance& instance,
                                                         std::string_view what) {
  if (!instance.running) [[likely]]
    return {};
  return RunningError(what);
}
