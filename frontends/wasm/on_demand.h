// Modules whose functions are lowered when they are first called.
// Goals: opening a module costs its validation and a stub for each function; what runs is the same
// on every engine, step by step, and depends on nothing but the module and what was called before.
// Non-goals: modules that a pass has to see as a whole (tail calls); small ones, which gain
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wasm/load.h"
#include "frontends/wasm/module.h"
#include "frontends/wasm/module_reader.h"
#include "isa/growth.h"
#include "isa/program.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// Bytes of a module from which on the command line and the libraries lower it on demand.
inline constexpr std::size_t kOnDemandBytes = 512 * 1024;

/// A validated module that gives its program functions as they are called. When a stub is reached,
/// the function, then those that it calls, then their callees are lowered, until they have as many
/// bytes as what was lowered before, and at least kFirstBatch; if the calls end before, the
/// functions that follow the first in the module are taken. So a program grows a few dozen times at
/// most. Thread-safe once Lower has been called.
class ModuleOnDemand final : public isa::Growth {
 public:
  static constexpr std::size_t kFirstBatch = 64 * 1024;  // bytes of bodies

  /// Reads and validates. `owner` keeps `bytes` alive for as long as the program does.
  /// nullptr: the module has to be lowered as a whole. Errors: those of wasm::ReadModule.
  static isa::Result<std::shared_ptr<ModuleOnDemand>> Read(std::span<const std::uint8_t> bytes,
                                                           std::shared_ptr<const void> owner,
                                                           std::string_view file,
                                                           const LoadOptions& options,
                                                           std::size_t first_batch = kFirstBatch);

  /// The module without bodies. An embedding that provides imports changes it before Lower.
  Module& module() { return reader_.module(); }

  /// Changes a module before it is lowered: provides what it imports.
  using Prepare = std::function<isa::Result<void>(Module&)>;

  /// The program with a stub for each function. Call it once. `prepare`, where given, is kept for
  /// Whole. Errors: those of LowerModule and of `prepare`.
  static isa::Result<isa::Program> Lower(std::shared_ptr<ModuleOnDemand> self,
                                         Prepare prepare = {});

  isa::Result<void> Grow(isa::Program& program, std::uint32_t ip) const override;
  isa::Result<std::uint32_t> StubOf(std::uint32_t index) const override;
  isa::Result<isa::Program> Whole() const override;
  const std::string& Hash() const override;

  ModuleOnDemand(std::span<const std::uint8_t> bytes, std::shared_ptr<const void> owner,
                 std::string_view file, const LoadOptions& options, std::size_t first_batch);

 private:
  static constexpr std::uint32_t kNoHome = 0xFFFFFFFF;

  const Module& declared() const { return reader_.module(); }
  isa::Result<void> Open();
  isa::Result<isa::Program> LowerStubs();
  bool IsLowered(const isa::Program& program, std::uint32_t id) const;
  std::uint32_t AddressOf(const isa::Program& program, std::uint32_t id) const;
  std::vector<std::uint32_t> Choose(const isa::Program& program, std::uint32_t root,
                                    Module& module) const;

  std::shared_ptr<const void> owner_;
  std::span<const std::uint8_t> bytes_;
  LoadOptions options_;
  std::string bytes_of_;
  std::size_t first_batch_;
  Prepare prepare_;
  mutable std::mutex mutex_;  // of reader_ as it reads bodies, and of hash_
  mutable wasm::ModuleReader reader_;
  std::vector<std::uint32_t> home_;   // (ids + 1,) index in Program::functions, or kNoHome
  std::vector<std::uint32_t> first_;  // (ids + 1,) address there
  std::string interface_;             // of the program, for the hash
  mutable std::string hash_;
};

/// LoadWasm on demand where that is possible, else at once. Errors are LoadWasm's.
isa::Result<isa::Program> LoadWasmOnDemand(std::span<const std::uint8_t> bytes,
                                           std::shared_ptr<const void> owner, std::string_view file,
                                           const LoadOptions& options,
                                           std::size_t first_batch = ModuleOnDemand::kFirstBatch);

}  // namespace txvm::frontends::wat
