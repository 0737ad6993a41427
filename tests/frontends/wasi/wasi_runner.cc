#include "tests/frontends/wasi/wasi_runner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace txvm::tests {

using frontends::wasi::Errno;
using frontends::wasi::Guest;

namespace {

// Where the helpers below put what they pass; tests stay clear of it.
constexpr std::uint32_t kBuffers = 60'000;
constexpr std::uint32_t kText = 60'100;
constexpr std::uint32_t kResult = 60'080;
constexpr std::uint32_t kMostRead = 100;

}  // namespace

WasiRunner::WasiRunner(frontends::wasi::Options options, std::string_view module)
    : module_(module) {
  auto memory = vm::LinearMemory::Create(1, 1);
  EXPECT_TRUE(memory);
  if (memory) memory_ = std::move(*memory);
  const auto defined = frontends::wasi::Define(linker_, std::move(options));
  EXPECT_TRUE(defined) << (defined ? "" : defined.error().message);
  if (defined) state_ = *defined;
}

Errno WasiRunner::Call(std::string_view name, std::vector<vm::Word> words) {
  const vm::HostBinding* binding = linker_.Find(module_, name);
  if (binding == nullptr || binding->params != words.size() || binding->results != 1) {
    ADD_FAILURE() << name << " is not defined for " << words.size() << " words";
    return Errno::kNoCall;
  }
  vm::HostContext context{memory_};
  vm::Word result = 0;
  const vm::HostStatus status = binding->function(context, words, {&result, 1});
  EXPECT_EQ(status.kind, vm::HostStatus::Kind::kContinue);
  return static_cast<Errno>(result);
}

std::uint32_t WasiRunner::Read32(std::uint32_t address) const {
  return static_cast<std::uint32_t>(Read64(address));
}

std::uint64_t WasiRunner::Read64(std::uint32_t address) const {
  std::uint64_t value = 0;
  for (std::uint32_t i = 8; i-- > 0;) value = value << 8 | memory_.bytes()[address + i];
  return value;
}

std::string WasiRunner::ReadText(std::uint32_t address, std::uint32_t count) const {
  const auto bytes = memory_.bytes().subspan(address, count);
  return std::string(bytes.begin(), bytes.end());
}

void WasiRunner::Write32(std::uint32_t address, std::uint32_t value) {
  EXPECT_TRUE(Guest(memory_.bytes()).Write32(address, value));
}

void WasiRunner::WriteText(std::uint32_t address, std::string_view text) {
  EXPECT_TRUE(Guest(memory_.bytes()).WriteText(address, text));
}

WasiRunner::Opened WasiRunner::Open(std::string_view path, std::uint32_t how, std::uint32_t rights,
                                    std::uint32_t lookup) {
  WriteText(kText, path);
  const Errno error = Call("path_open", {3, lookup, kText, static_cast<vm::Word>(path.size()), how,
                                         rights, 0, 0, 0, 0, kResult});
  return {error, Read32(kResult)};
}

std::string WasiRunner::ReadFrom(std::uint32_t number) {
  Write32(kBuffers, kText);
  Write32(kBuffers + 4, kMostRead);
  const Errno error = Call("fd_read", {number, kBuffers, 1, kResult});
  if (error != Errno::kSuccess) return fmt::format("error {}", static_cast<int>(error));
  return ReadText(kText, Read32(kResult));
}

Errno WasiRunner::WriteTo(std::uint32_t number, std::string_view text) {
  WriteText(kText, text);
  Write32(kBuffers, kText);
  Write32(kBuffers + 4, static_cast<std::uint32_t>(text.size()));
  return Call("fd_write", {number, kBuffers, 1, kResult});
}

}  // namespace txvm::tests
