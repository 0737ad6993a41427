// WASI for programs of the C interface.
// Declared in vm/txvm_wasi.h.
#include "frontends/wasi/wasi.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontends/wasi/system_streams.h"
#include "vm/capi/handles.h"
#include "vm/txvm_wasi.h"

namespace {

using namespace txvm;
using namespace txvm::vm::capi;
namespace wasi = frontends::wasi;

constexpr int kOutput = 1, kErrors = 2;  // streams by their descriptors
constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

/// What an instance has read of its input buffer and written to its output buffers.
struct Buffers {
  std::size_t input_place = 0;
  std::array<std::string, 2> written;  // output, errors
};

class WasiState : public HostState {
 public:
  WasiState(wasi::State state, std::shared_ptr<Buffers> buffers)
      : state_(std::move(state)), buffers_(std::move(buffers)) {}

  std::string Save() const override { return state_.Save(); }
  isa::Result<void> Check(std::string_view bytes) const override {
    return wasi::State::Check(bytes);
  }
  void Restore(std::string_view bytes) override {
    notes_.clear();
    const isa::Result<std::vector<std::string>> notes = state_.Restore(bytes);
    if (!notes) return;
    for (const std::string& note : *notes) notes_ += note + "\n";
  }

  const std::string& notes() const { return notes_; }
  Buffers& buffers() const { return *buffers_; }

 private:
  wasi::State state_;
  std::shared_ptr<Buffers> buffers_;
  std::string notes_;  // of the last Restore
};

/// The options of C, kept. INVARIANT: streams that need a callback have it.
class WasiGroup : public HostGroup, public std::enable_shared_from_this<WasiGroup> {
 public:
  WasiGroup(wasi::Options options, const txvm_wasi_options& given)
      : options_(std::move(options)), given_(given) {
    const auto* bytes = static_cast<const std::uint8_t*>(given.input_bytes);
    if (given.input == TXVM_WASI_BUFFER) input_.assign(bytes, bytes + given.input_size);
    given_.finalizer = nullptr;  // until nothing can fail any more
  }
  ~WasiGroup() override {
    if (given_.finalizer != nullptr) given_.finalizer(given_.user);
  }
  void SetFinalizer(void (*finalizer)(void*)) { given_.finalizer = finalizer; }

  isa::Result<std::shared_ptr<HostState>> Define(vm::Linker& linker, const txvm_instance& instance,
                                                 const HostState* from) const override;

 private:
  wasi::Streams StreamsOf(const txvm_instance& instance,
                          const std::shared_ptr<Buffers>& buffers) const;
  wasi::WriteFunction Writer(const txvm_instance& instance, const std::shared_ptr<Buffers>& buffers,
                             txvm_wasi_stream kind, int stream) const;

  wasi::Options options_;  // without streams
  txvm_wasi_options given_;
  std::vector<std::uint8_t> input_;
};

bool IsStopped(const txvm_instance& instance) {
  return instance.interrupted_run.load() == instance.machine->run_number();
}

std::int64_t ReadInherited(const txvm_instance& instance, std::span<std::uint8_t> bytes) {
  std::fflush(stdout);  // it may hold a prompt
  const auto is_stopped = [&instance] { return IsStopped(instance); };
  if (!wasi::AwaitReady(STDIN_FILENO, POLLIN, kForever, is_stopped)) return -EINTR;
  const ssize_t count = read(STDIN_FILENO, bytes.data(), bytes.size());
  return count < 0 ? -errno : count;
}

// After what stdout holds, since one file may take it all.
std::int64_t WriteInherited(const txvm_instance& instance, int stream,
                            std::span<const std::uint8_t> bytes) {
  std::fflush(stdout);
  const auto is_stopped = [&instance] { return IsStopped(instance); };
  if (!wasi::AwaitReady(stream, POLLOUT, kForever, is_stopped)) return -EINTR;
  const ssize_t count = write(stream, bytes.data(), bytes.size());
  return count < 0 ? -errno : count;
}

/// What a callback said, as what the calls of WASI take: a count, or an errno below 0.
std::int64_t Counted(std::int64_t count, std::size_t most) {
  return count < 0 || static_cast<std::uint64_t>(count) > most ? -EIO : count;
}

wasi::WriteFunction WasiGroup::Writer(const txvm_instance& instance,
                                      const std::shared_ptr<Buffers>& buffers,
                                      txvm_wasi_stream kind, int stream) const {
  switch (kind) {
    case TXVM_WASI_NONE:
      break;
    case TXVM_WASI_INHERIT:
      return [&instance, stream](std::span<const std::uint8_t> bytes) {
        return WriteInherited(instance, stream, bytes);
      };
    case TXVM_WASI_BUFFER:
      return [buffers, at = static_cast<std::size_t>(stream - kOutput)](
                 std::span<const std::uint8_t> bytes) {
        buffers->written[at].append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return static_cast<std::int64_t>(bytes.size());
      };
    case TXVM_WASI_CALLBACK:
      return [self = shared_from_this(), stream](std::span<const std::uint8_t> bytes) {
        return Counted(self->given_.write(self->given_.user, stream, bytes.data(), bytes.size()),
                       bytes.size());
      };
  }
  return {};
}

wasi::Streams WasiGroup::StreamsOf(const txvm_instance& instance,
                                   const std::shared_ptr<Buffers>& buffers) const {
  wasi::Streams streams;
  if (given_.input == TXVM_WASI_INHERIT) {
    streams.input = [&instance](std::span<std::uint8_t> bytes) {
      return ReadInherited(instance, bytes);
    };
    streams.input_ready = [&instance](std::uint64_t nanoseconds) {
      return wasi::AwaitReady(STDIN_FILENO, POLLIN, nanoseconds,
                              [&instance] { return IsStopped(instance); });
    };
  } else if (given_.input == TXVM_WASI_BUFFER) {
    streams.input = [self = shared_from_this(), buffers](std::span<std::uint8_t> bytes) {
      const std::size_t count = std::min(bytes.size(), self->input_.size() - buffers->input_place);
      std::copy_n(self->input_.begin() + static_cast<std::ptrdiff_t>(buffers->input_place), count,
                  bytes.begin());
      buffers->input_place += count;
      return static_cast<std::int64_t>(count);
    };
  } else if (given_.input == TXVM_WASI_CALLBACK) {
    streams.input = [self = shared_from_this()](std::span<std::uint8_t> bytes) {
      return Counted(self->given_.read(self->given_.user, bytes.data(), bytes.size()),
                     bytes.size());
    };
  }
  streams.seek_input = [](std::uint64_t) { return true; };  // the embedder keeps its place
  streams.output = Writer(instance, buffers, given_.output, kOutput);
  streams.errors = Writer(instance, buffers, given_.errors, kErrors);
  const std::array kinds = {given_.input, given_.output, given_.errors};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == TXVM_WASI_INHERIT) {
      streams.types[i] = wasi::TypeOfStream(static_cast<int>(i));
    }
  }
  return streams;
}

isa::Result<std::shared_ptr<HostState>> WasiGroup::Define(vm::Linker& linker,
                                                          const txvm_instance& instance,
                                                          const HostState* from) const {
  if (!wasi::IsImportedBy(instance.program.prepared->program())) return nullptr;
  const auto* source = static_cast<const WasiState*>(from);  // of the same group
  auto buffers = source == nullptr ? std::make_shared<Buffers>()
                                   : std::make_shared<Buffers>(source->buffers());
  wasi::Options options = options_;
  options.streams = StreamsOf(instance, buffers);
  options.sleep = [&instance](std::uint64_t nanoseconds) {
    wasi::AwaitReady(-1, 0, nanoseconds, [&instance] { return IsStopped(instance); });
  };
  vm::Linker all;
  TXVM_TRY(wasi::State state, wasi::Define(all, std::move(options)));
  for (const isa::Import& import : instance.program.prepared->program().imports) {
    const vm::HostBinding* binding = all.Find(import.module, import.name);
    if (binding == nullptr || linker.Find(import.module, import.name) != nullptr) continue;
    linker.Define(import.module, import.name, binding->params, binding->results, binding->function);
  }
  auto made = std::make_shared<WasiState>(std::move(state), std::move(buffers));
  if (source == nullptr) return made;
  made->Restore(source->Save());
  if (!made->notes().empty()) {
    return isa::Fail(isa::ErrorCode::kIo, "the clone cannot have the files of the instance: " +
                                              made->notes().substr(0, made->notes().find('\n')));
  }
  return made;
}

isa::Result<void> CheckStreams(const txvm_wasi_options& given) {
  for (const txvm_wasi_stream kind : {given.input, given.output, given.errors}) {
    if (static_cast<unsigned>(kind) > TXVM_WASI_CALLBACK) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("stream kind {} is none", static_cast<int>(kind)));
    }
  }
  if (given.input == TXVM_WASI_BUFFER && given.input_size != 0) {
    TXVM_CHECK_OK(NotNull(given.input_bytes, "input_bytes"));
  }
  if (given.input == TXVM_WASI_CALLBACK) {
    TXVM_CHECK_OK(NotNull(reinterpret_cast<const void*>(given.read), "read"));
  }
  if (given.output == TXVM_WASI_CALLBACK || given.errors == TXVM_WASI_CALLBACK) {
    TXVM_CHECK_OK(NotNull(reinterpret_cast<const void*>(given.write), "write"));
  }
  return {};
}

isa::Result<std::vector<std::string>> Texts(const char* const* texts, std::size_t count,
                                            std::string_view name) {
  if (count != 0) TXVM_CHECK_OK(NotNull(texts, name));
  std::vector<std::string> copied;
  for (std::size_t i = 0; i < count; ++i) {
    TXVM_CHECK_OK(NotNull(texts[i], fmt::format("{}[{}]", name, i)));
    copied.emplace_back(texts[i]);
  }
  return copied;
}

isa::Result<wasi::Options> OptionsOf(const txvm_wasi_options& given) {
  wasi::Options options;
  TXVM_TRY(options.arguments, Texts(given.arguments, given.argument_count, "arguments"));
  TXVM_TRY(options.environment, Texts(given.environment, given.environment_count, "environment"));
  for (const std::string& variable : options.environment) {
    if (variable.find('=') != variable.npos) continue;
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("environment variable '{}' is not NAME=VALUE", variable));
  }
  if (given.directory_count != 0) TXVM_CHECK_OK(NotNull(given.directories, "directories"));
  for (std::size_t i = 0; i < given.directory_count; ++i) {
    const txvm_wasi_directory& directory = given.directories[i];
    TXVM_CHECK_OK(NotNull(directory.host, fmt::format("directories[{}].host", i)));
    options.directories.push_back({directory.host,
                                   directory.guest == nullptr ? directory.host : directory.guest,
                                   directory.read_only});
  }
  options.real_clock = given.real_clock;
  options.real_random = given.real_random;
  options.random_seed = given.random_seed;
  if (given.max_open_files != 0) options.most_files = given.max_open_files;
  if (given.max_written != 0) options.most_written = given.max_written;
  return options;
}

/// Of the instance, if it has WASI and imports it; else null.
const WasiState* StateOf(const txvm_instance* instance) {
  return instance == nullptr ? nullptr : static_cast<const WasiState*>(instance->host_state.get());
}

}  // namespace

txvm_error* txvm_linker_define_wasi(txvm_linker* linker, const txvm_wasi_options* options) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(linker, "linker"));
    txvm_wasi_options known{};
    if (options != nullptr) {
      TXVM_TRY(known, ReadStruct(options, "txvm_wasi_options"));
    }
    TXVM_CHECK_OK(CheckStreams(known));
    TXVM_TRY(wasi::Options copied, OptionsOf(known));
    // A folder that cannot be opened is better known now than when an instance is made.
    vm::Linker scratch;
    TXVM_CHECK_OK(wasi::Define(scratch, copied));
    auto group = std::make_shared<WasiGroup>(std::move(copied), known);
    group->SetFinalizer(known.finalizer);
    linker->group = std::move(group);
    return {};
  });
}

txvm_error* txvm_wasi_run(txvm_instance* instance, txvm_outcome* outcome) {
  txvm_error* const error = Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    return NotNull(outcome, "txvm_outcome");
  });
  if (error != nullptr) return error;
  std::uint32_t entry = 0;
  if (txvm_error* const missing =
          txvm_export_find(txvm_instance_program(instance), "_start", &entry)) {
    txvm_error* const no_library =
        txvm_export_find(txvm_instance_program(instance), "_initialize", &entry);
    if (no_library != nullptr) {
      txvm_error_delete(no_library);
      return missing;
    }
    txvm_error_delete(missing);
  }
  if (!instance->started) {
    txvm_error* const failed = txvm_start(instance, outcome);
    if (failed != nullptr || outcome->stop != TXVM_HALTED) return failed;
  }
  return txvm_call(instance, entry, nullptr, 0, nullptr, 0, outcome);
}

const void* txvm_wasi_output(const txvm_instance* instance, int stream, size_t* size) {
  const WasiState* const state = StateOf(instance);
  if (size != nullptr) *size = 0;
  if (state == nullptr || (stream != kOutput && stream != kErrors)) return nullptr;
  const std::string& written = state->buffers().written[static_cast<std::size_t>(stream - kOutput)];
  if (written.empty()) return nullptr;
  if (size != nullptr) *size = written.size();
  return written.data();
}

void txvm_wasi_clear(txvm_instance* instance, int stream) {
  const WasiState* const state = StateOf(instance);
  if (state == nullptr || (stream != kOutput && stream != kErrors)) return;
  state->buffers().written[static_cast<std::size_t>(stream - kOutput)].clear();
}

const char* txvm_wasi_notes(const txvm_instance* instance) {
  const WasiState* const state = StateOf(instance);
  return state == nullptr ? "" : state->notes().c_str();
}
