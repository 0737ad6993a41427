// Host functions of C as host functions of the machine.
// Declared in vm/txvm.h.
#include <fmt/format.h>

#include "vm/capi/handles.h"

namespace {

using namespace txvm;
using namespace txvm::vm::capi;
using vm::Word;

struct Signature {
  std::uint32_t params = 0, results = 0;
};

// signature := "i"* ":" "i"*
isa::Result<Signature> ParseSignature(std::string_view text, std::string_view function) {
  Signature signature;
  bool after_colon = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':' && !after_colon) {
      after_colon = true;
    } else if (text[i] == 'i') {
      ++(after_colon ? signature.results : signature.params);
    } else {
      return isa::Fail(
          isa::ErrorCode::kUsage,
          fmt::format("signature '{}' of host function '{}' has '{}' at {}: it is one 'i' (32-bit "
                      "integer) for each parameter, ':', one for each result",
                      text, function, text[i], i));
    }
  }
  if (after_colon) return signature;
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("signature '{}' of host function '{}' has no ':' between parameters "
                               "and results",
                               text, function));
}

/// The types of a signature of letters.
struct TypedSignature {
  std::vector<isa::ValueType> params, results;
};

// signature := letter* ":" letter*; a letter is a row's of value_types.def
isa::Result<TypedSignature> ParseTypes(std::string_view text, std::string_view function) {
  TypedSignature signature;
  const std::size_t colon = text.find(':');
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == colon) continue;
    const std::optional<isa::ValueType> type = isa::FindTypeOfLetter(text[i]);
    if (!type) {
      return isa::Fail(
          isa::ErrorCode::kUsage,
          fmt::format(
              "signature '{}' of host function '{}' has '{}' at {}: it is a letter for each "
              "parameter, ':', one for each result; i is i32, l i64, f f32, d f64",
              text, function, text[i], i));
    }
    (i < colon ? signature.params : signature.results).push_back(*type);
  }
  if (colon != text.npos) return signature;
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("signature '{}' of host function '{}' has no ':' between parameters "
                               "and results",
                               text, function));
}

const std::int32_t* Signed(const Word* words) {
  return reinterpret_cast<const std::int32_t*>(words);
}
std::int32_t* Signed(Word* words) { return reinterpret_cast<std::int32_t*>(words); }

txvm_host_status EndRun(txvm_instance* caller, const char* message, txvm_host_status status) {
  if (caller == nullptr) return status;
  caller->passes = false;
  isa::OrOnException([&] { caller->host_message = message == nullptr ? "" : message; },
                     [&] { caller->host_message.clear(); });  // the text is lost, the status is not
  return status;
}

/// A host function's answer; TXVM_HOST_FAIL, with a message, for a result of another type than it
/// is to have.
txvm_host_status CallTyped(const HostDefinition& definition, txvm_instance* caller,
                           std::span<const Word> args, std::span<Word> results) {
  std::vector<txvm_value> given;
  for (const isa::Value& value : isa::ValuesOfWords(definition.params, args)) {
    given.push_back(ToC(value));
  }
  std::vector<txvm_value> returned;
  for (const isa::ValueType type : definition.results) returned.push_back(ToC({type, 0}));
  const txvm_host_status status =
      definition.typed(definition.user, caller, given.data(), returned.data());
  if (status != TXVM_HOST_CONTINUE) return status;
  std::vector<Word> words;
  for (std::size_t i = 0; i < returned.size(); ++i) {
    if (!HasType(returned[i]) || FromC(returned[i]).type != definition.results[i]) {
      return EndRun(caller,
                    fmt::format("host function '{}' gave its result {} another type than {}",
                                definition.place, i + 1, isa::TypeText(definition.results[i]))
                        .c_str(),
                    TXVM_HOST_FAIL);
    }
    isa::AppendWords(FromC(returned[i]), words);
  }
  std::ranges::copy(words, results.begin());
  return status;
}

/// Says that the instance's run is in a host function, which may call it, until this goes.
class InHost {
 public:
  explicit InHost(txvm_instance& caller) : caller_(caller) { caller_.in_host = true; }
  ~InHost() { caller_.in_host = false; }  // its code goes on
  InHost(const InHost&) = delete;
  InHost& operator=(const InHost&) = delete;

 private:
  txvm_instance& caller_;
};

/// The trap of the last call that a host function made, as its own. REQUIRES: it trapped.
vm::HostStatus PassOn(const HostDefinition& definition, const txvm_instance& caller) {
  const vm::TrapInfo& trap = *caller.inner->trap;
  return vm::HostStatus::Trap(fmt::format("{}{}passed on by {}", trap.detail,
                                          trap.detail.empty() ? "" : ", ", definition.place) +
                                  PlaceText(caller.machine->program(), trap.ip),
                              trap.cause);
}

vm::HostStatus CallHost(const HostDefinition& definition, txvm_instance* caller,
                        std::span<const Word> args, std::span<Word> results) {
  caller->host_message.clear();  // what an earlier call said and did not return is not this one's
  caller->host_exit = 0;
  caller->passes = false;
  caller->inner.reset();
  const InHost in_host(*caller);
  const txvm_host_status status =
      definition.typed != nullptr
          ? CallTyped(definition, caller, args, results)
          : definition.function(definition.user, caller, Signed(args.data()),
                                Signed(results.data()));
  switch (static_cast<int>(status)) {  // of C: any number
    case TXVM_HOST_CONTINUE:
      return vm::HostStatus::Continue();
    case TXVM_HOST_TRAP:
      if (std::exchange(caller->passes, false)) return PassOn(definition, *caller);
      return vm::HostStatus::Trap(std::exchange(caller->host_message, {}));
    case TXVM_HOST_EXIT:
      return vm::HostStatus::Exit(caller->host_exit);
    case TXVM_HOST_FAIL:
      return vm::HostStatus::Failed(std::exchange(caller->host_message, {}));
    default:
      break;
  }
  return vm::HostStatus::Failed(fmt::format("host function '{}' returned {}, which is no status",
                                            definition.place, static_cast<int>(status)));
}

// memory.grow with the instance's say in it.
vm::HostStatus GrowMemory(vm::HostContext& host, std::span<const Word> args,
                          std::span<Word> results) {
  constexpr Word kRefused = 0xFFFFFFFF;
  const auto& instance = *static_cast<const txvm_instance*>(host.embedder);
  const std::uint32_t pages = host.memory.pages();
  const bool fits = args[0] <= host.memory.max_pages() - pages;
  if (fits && instance.grow != nullptr && !instance.grow(instance.user, pages, pages + args[0])) {
    results[0] = kRefused;
  } else {
    results[0] = host.memory.Grow(args[0]);
  }
  return vm::HostStatus::Continue();
}

}  // namespace

vm::Linker txvm::vm::capi::NewLinker() {
  Linker linker;
  linker.Define(kBuiltinModule, kMemoryGrow, 1, 1, GrowMemory);
  return linker;
}

isa::Result<vm::Linker> txvm::vm::capi::LinkerOf(txvm_instance& instance, const HostState* from) {
  Linker linker = *instance.definitions;
  TXVM_TRY(instance.host_state, instance.group->Define(linker, instance, from));
  return linker;
}

txvm_error* txvm_linker_new(txvm_engine* engine, txvm_linker** linker) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(linker, "linker"));
    *linker = nullptr;
    TXVM_CHECK_OK(NotNull(engine, "engine"));
    *linker = New<txvm_linker>(engine->core, engine->core, NewLinker());
    return {};
  });
}

void txvm_linker_delete(txvm_linker* linker) { Delete(linker); }

txvm_error* txvm_linker_define(txvm_linker* linker, const char* module, const char* name,
                               const char* signature, txvm_host_function function, void* user,
                               void (*finalizer)(void* user)) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(linker, "linker"));
    TXVM_CHECK_OK(NotNull(module, "module"));
    TXVM_CHECK_OK(NotNull(name, "name"));
    TXVM_CHECK_OK(NotNull(signature, "signature"));
    TXVM_CHECK_OK(NotNull(reinterpret_cast<const void*>(function), "function"));
    auto definition = std::make_shared<HostDefinition>();
    definition->place = fmt::format("{}.{}", module, name);
    TXVM_TRY(const Signature parsed, ParseSignature(signature, definition->place));
    definition->function = function;
    definition->user = user;
    linker->linker.Define(
        module, name, parsed.params, parsed.results,
        [definition](vm::HostContext& host, std::span<const Word> args, std::span<Word> results) {
          return CallHost(*definition, static_cast<txvm_instance*>(host.embedder), args, results);
        });
    definition->finalizer = finalizer;  // now that nothing can fail
    return {};
  });
}

txvm_error* txvm_linker_define_values(txvm_linker* linker, const char* module, const char* name,
                                      const char* signature, txvm_host_value_function function,
                                      void* user, void (*finalizer)(void* user)) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(linker, "linker"));
    TXVM_CHECK_OK(NotNull(module, "module"));
    TXVM_CHECK_OK(NotNull(name, "name"));
    TXVM_CHECK_OK(NotNull(signature, "signature"));
    TXVM_CHECK_OK(NotNull(reinterpret_cast<const void*>(function), "function"));
    auto definition = std::make_shared<HostDefinition>();
    definition->place = fmt::format("{}.{}", module, name);
    TXVM_TRY(TypedSignature parsed, ParseTypes(signature, definition->place));
    definition->typed = function;
    definition->user = user;
    definition->params = parsed.params;
    definition->results = parsed.results;
    linker->linker.Define(
        module, name, std::move(parsed.params), std::move(parsed.results),
        [definition](vm::HostContext& host, std::span<const Word> args, std::span<Word> results) {
          return CallHost(*definition, static_cast<txvm_instance*>(host.embedder), args, results);
        });
    definition->finalizer = finalizer;  // now that nothing can fail
    return {};
  });
}

txvm_host_status txvm_host_trap(txvm_instance* caller, const char* message) {
  return EndRun(caller, message, TXVM_HOST_TRAP);
}
txvm_host_status txvm_host_fail(txvm_instance* caller, const char* message) {
  return EndRun(caller, message, TXVM_HOST_FAIL);
}
txvm_host_status txvm_host_pass(txvm_instance* caller) {
  if (caller == nullptr) return TXVM_HOST_TRAP;
  const bool has_ended = caller->inner && caller->inner->outcome != vm::Outcome::kHalted;
  if (!has_ended) {
    return EndRun(caller, "txvm_host_pass: no call inside the host function has trapped",
                  TXVM_HOST_FAIL);
  }
  caller->passes = caller->inner->trap.has_value();  // all else ends the run by itself
  return TXVM_HOST_TRAP;
}
txvm_host_status txvm_host_exit(txvm_instance* caller, int32_t code) {
  if (caller != nullptr) caller->host_exit = code;
  return TXVM_HOST_EXIT;
}
