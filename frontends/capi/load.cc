// Programs of any format as handles of vm/txvm.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>

#include "asm/assembler.h"
#include "frontends/capi/wasm_reader.h"
#include "isa/program_file.h"
#include "vm/capi/program.h"

namespace {

using namespace txvm;
using namespace txvm::vm::capi;
using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kMaxFileBytes = 256u << 20;  // as the command line: far above any program

bool IsWasm(Bytes bytes) {
  constexpr std::array<std::uint8_t, 4> kMagic = {0x00, 'a', 's', 'm'};
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

isa::Result<frontends::capi::ReadProgram> Read(Bytes bytes, std::string_view name) {
  if (isa::IsProgramFile(bytes)) {
    TXVM_TRY(isa::Program program, isa::ReadProgram(bytes));
    return frontends::capi::ReadProgram{std::move(program), {}};
  }
  const bool is_text = name.ends_with(".wat");
  if (is_text || IsWasm(bytes)) return frontends::capi::ReadWasm(bytes, is_text, name);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  TXVM_TRY(isa::Program program, assembler::Assemble(text, name));
  return frontends::capi::ReadProgram{std::move(program), {}};
}

isa::Result<void> Load(const txvm_engine* engine, Bytes bytes, std::string_view name,
                       txvm_program** program) {
  TXVM_CHECK_OK(NotNull(engine, "engine"));
  TXVM_TRY(frontends::capi::ReadProgram read, Read(bytes, name));
  TXVM_TRY(*program, NewProgram(*engine, std::move(read.program), std::move(read.globals)));
  return {};
}

isa::Result<std::vector<std::uint8_t>> ReadFile(const char* path) {
  const auto fail = [&](const char* what) {
    return isa::Fail(isa::ErrorCode::kIo,
                     fmt::format("cannot {} '{}': {}", what, path, std::strerror(errno)));
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path, "rb"));
  if (file == nullptr) return fail("open");
  std::vector<std::uint8_t> bytes;
  std::array<std::uint8_t, 65'536> chunk;
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(count));
    if (bytes.size() > kMaxFileBytes) {
      return isa::Fail(isa::ErrorCode::kLimit,
                       fmt::format("'{}' has more than {} bytes", path, kMaxFileBytes));
    }
  }
  if (std::ferror(file.get()) != 0) return fail("read");
  return bytes;
}

}  // namespace

txvm_error* txvm_program_load(txvm_engine* engine, const void* bytes, size_t size, const char* name,
                              txvm_program** program) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(program, "program"));
    *program = nullptr;
    if (size != 0) TXVM_CHECK_OK(NotNull(bytes, "bytes"));
    return Load(engine, {static_cast<const std::uint8_t*>(bytes), size},
                name == nullptr ? "program" : name, program);
  });
}

txvm_error* txvm_program_load_file(txvm_engine* engine, const char* path, txvm_program** program) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(program, "program"));
    *program = nullptr;
    TXVM_CHECK_OK(NotNull(path, "path"));
    TXVM_TRY(const std::vector<std::uint8_t> bytes, ReadFile(path));
    return Load(engine, bytes, path, program);
  });
}
