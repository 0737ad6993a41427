// Programs: what they export, import and name.
#include "vm/capi/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "isa/growth.h"
#include "isa/program_file.h"
#include "vm/folded/attached.h"
#include "vm/load.h"

namespace txvm::vm::capi {

isa::Result<txvm_program*> NewProgram(const txvm_engine& engine, isa::Program program,
                                      std::vector<NamedGlobal> globals) {
  TXVM_TRY(auto prepared, Prepared::Create(std::make_shared<isa::Program>(std::move(program))));
  auto named = std::make_shared<const std::vector<NamedGlobal>>(std::move(globals));
  auto signatures = std::make_shared<const Signatures>(SignaturesOf(prepared->program()));
  return New<txvm_program>(engine.core, engine.core, std::move(prepared), std::move(named),
                           std::move(signatures));
}

namespace {

const isa::Program& Of(const txvm_program* program) { return program->prepared->program(); }

/// Imports without those that stand for functions to be made, which come last.
std::size_t ImportCount(const isa::Program& program) {
  std::size_t count = program.imports.size();
  if (program.growth == nullptr) return count;
  const auto is_made = [](const isa::Import& import) {
    return import.module == vm::kBuiltinModule && import.name.starts_with(isa::kGrowImports);
  };
  while (count > 0 && is_made(program.imports[count - 1])) --count;
  return count;
}

isa::Result<void> CheckIndex(std::uint32_t index, std::size_t count, std::string_view what) {
  if (index < count) return {};
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("{} {} is out of range: the program has {}", what, index, count));
}

}  // namespace
}  // namespace txvm::vm::capi

using namespace txvm;
using namespace txvm::vm::capi;

void txvm_program_delete(txvm_program* program) { Delete(program); }

txvm_error* txvm_program_save(const txvm_program* program, void** buffer, size_t* size) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(buffer, "buffer"));
    *buffer = nullptr;
    TXVM_CHECK_OK(NotNull(size, "size"));
    TXVM_CHECK_OK(NotNull(program, "program"));
    std::optional<isa::Program> whole;
    if (Of(program).growth != nullptr) {
      TXVM_TRY(whole, Of(program).growth->Whole());
    }
    TXVM_TRY(const std::vector<std::uint8_t> bytes,
             isa::WriteProgram(whole ? *whole : Of(program)));
    *buffer = program->core->Allocate(bytes.size());
    *size = bytes.size();
    std::memcpy(*buffer, bytes.data(), bytes.size());
    return {};
  });
}

txvm_error* txvm_program_attach_folded(txvm_program* program, const txvm_folded_program* folded) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(program, "program"));
    TXVM_CHECK_OK(NotNull(folded, "folded"));
    if (Of(program).growth != nullptr) {  // what was made ahead is of all functions
      TXVM_TRY(isa::Program whole, Of(program).growth->Whole());
      TXVM_TRY(program->prepared,
               vm::Prepared::Create(std::make_shared<const isa::Program>(std::move(whole))));
    }
    return vm::folded::Attach(*program->prepared, *folded);
  });
}

uint32_t txvm_export_count(const txvm_program* program) {
  return program == nullptr ? 0 : static_cast<uint32_t>(Of(program).exports.size());
}
uint32_t txvm_import_count(const txvm_program* program) {
  return program == nullptr ? 0 : static_cast<uint32_t>(ImportCount(Of(program)));
}
uint32_t txvm_global_count(const txvm_program* program) {
  return program == nullptr ? 0 : static_cast<uint32_t>(Of(program).globals.size());
}
uint32_t txvm_code_size(const txvm_program* program) {
  return program == nullptr ? 0 : static_cast<uint32_t>(Of(program).code.size());
}

txvm_error* txvm_export_get(const txvm_program* program, uint32_t index, txvm_function* function) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(program, "program"));
    TXVM_CHECK_OK(NotNull(function, "function"));
    TXVM_CHECK_OK(CheckIndex(index, Of(program).exports.size(), "export"));
    const isa::Export& found = Of(program).exports[index];
    *function = {nullptr, found.name.c_str(), found.params, found.results};
    return {};
  });
}

txvm_error* txvm_import_get(const txvm_program* program, uint32_t index, txvm_function* function) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(program, "program"));
    TXVM_CHECK_OK(NotNull(function, "function"));
    TXVM_CHECK_OK(CheckIndex(index, ImportCount(Of(program)), "import"));
    const isa::Import& found = Of(program).imports[index];
    *function = {found.module.c_str(), found.name.c_str(), found.params, found.results};
    return {};
  });
}

txvm_error* txvm_export_find(const txvm_program* program, const char* name, uint32_t* index) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(program, "program"));
    TXVM_CHECK_OK(NotNull(name, "name"));
    TXVM_CHECK_OK(NotNull(index, "index"));
    TXVM_TRY(const isa::Export* found, vm::FindExport(Of(program), name));
    *index = static_cast<uint32_t>(found - Of(program).exports.data());
    return {};
  });
}

txvm_error* txvm_global_find(const txvm_program* program, const char* name, uint32_t* index) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(program, "program"));
    TXVM_CHECK_OK(NotNull(name, "name"));
    TXVM_CHECK_OK(NotNull(index, "index"));
    std::string names;
    for (const NamedGlobal& global : *program->globals) {
      if (global.name == name) {
        *index = global.index;
        return {};
      }
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", global.name);
    }
    return isa::Fail(isa::ErrorCode::kUsage,
                     names.empty() ? fmt::format("no global '{}': the program names none", name)
                                   : fmt::format("no global '{}'; there is {}", name, names));
  });
}

txvm_error* txvm_line_find(const txvm_program* program, uint32_t line, uint32_t* ip) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(program, "program"));
    TXVM_CHECK_OK(NotNull(ip, "ip"));
    const auto& marks = Of(program).lines;
    const auto found = std::ranges::find(marks, line, &isa::LineMark::line);
    if (line == 0 || found == marks.end()) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("line {} of '{}' has no instruction", line, Of(program).source));
    }
    *ip = found->ip;
    return {};
  });
}
