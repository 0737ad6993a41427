#include "vm/folded/attached.h"

#include <fmt/format.h>

#include <csetjmp>
#include <memory>
#include <utility>
#include <vector>

#include "vm/folded/folded_program.h"
#include "vm/snapshot_file.h"

namespace txvm::vm::folded {
namespace {

static_assert(sizeof(txvm_folded_frame) == sizeof(Frame));
static_assert(sizeof(std::atomic<std::int64_t>) == sizeof(std::int64_t));
static_assert(TXVM_FOLDED_RETURNED == static_cast<int>(Left::kReturned));
static_assert(TXVM_FOLDED_EXIT == static_cast<int>(Left::kExit));
static_assert(TXVM_FOLDED_CALLS == static_cast<int>(Left::kUnfolded));

// `context` is its first member, so that Unwind finds the rest.
struct Entered {
  txvm_folded_context context{};
  std::jmp_buf start{};
};

extern "C" void TxvmUnwind(txvm_folded_context* context) {
  std::longjmp(reinterpret_cast<Entered*>(context)->start, 1);
}

// Apart from Enter, so that no variable lives in the frame that longjmp returns to.
void RunFrom(Entered& entered, txvm_folded_code code) {
  if (_setjmp(entered.start) != 0) return;
  txvm_folded_context& c = entered.context;
  c.fuel = code(&c, c.locals, c.cells, c.frame, c.fuel);
  c.left = TXVM_FOLDED_RETURNED;
}

void Enter(Context* ctx, const std::byte* code) {
  Entered entered;
  txvm_folded_context& c = entered.context;
  c.floor = reinterpret_cast<const std::int64_t*>(ctx->floor);
  c.memory = ctx->memory;
  c.memory_size = ctx->memory_size;
  c.globals = ctx->globals;
  c.frame_limit = reinterpret_cast<txvm_folded_frame*>(ctx->frame_limit);
  c.unwind = TxvmUnwind;
  c.locals = ctx->locals;
  c.cells = ctx->cells;
  c.frame = reinterpret_cast<txvm_folded_frame*>(ctx->frame);
  c.fuel = ctx->fuel;
  c.entry = ctx->entry;
  RunFrom(entered, reinterpret_cast<txvm_folded_code>(reinterpret_cast<std::uintptr_t>(code)));
  ctx->left = static_cast<Left>(c.left);
  ctx->fuel = c.fuel;
  ctx->return_site = c.return_site;
  if (ctx->left == Left::kReturned) return;
  ctx->locals = c.locals;
  ctx->cells = c.cells;
  ctx->frame = reinterpret_cast<Frame*>(c.frame);
  ctx->exit = c.exit;
  ctx->function = c.function;
}

FoldedFunction FunctionOf(const txvm_folded_function& made) {
  FoldedFunction function;
  if (made.code == nullptr) return function;
  function.code.start =
      reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(made.code));
  for (std::uint32_t i = 0; i < made.exit_count; ++i) {
    const txvm_folded_exit& from = made.exits[i];
    Exit exit;
    exit.kind = static_cast<ExitKind>(from.kind);
    exit.cause = static_cast<isa::Trap>(from.cause);
    exit.ip = from.ip;
    exit.height = from.height;
    function.exits.push_back(std::move(exit));
  }
  for (std::uint32_t i = 0; i < made.entry_count; ++i) {
    function.code.entries.emplace_back(made.entries[i].ip, made.entries[i].number);
  }
  return function;
}

isa::Result<void> Refuse(isa::ErrorCode code, std::string message) {
  return isa::Fail(code, std::move(message));
}

}  // namespace

isa::Result<void> Attach(const Prepared& prepared, const txvm_folded_program& made) {
  if (made.abi != TXVM_FOLDED_ABI) {
    return Refuse(isa::ErrorCode::kInvalid,
                  fmt::format("the folded program has form {}, this library takes form {}: make it "
                              "again with this version's txvm compile",
                              made.abi, TXVM_FOLDED_ABI));
  }
  if (prepared.verified() == nullptr) {
    return Refuse(isa::ErrorCode::kUsage, "a program that is not verified cannot be folded");
  }
  const isa::Program& program = prepared.program();
  const std::string hash = ProgramHash(program);
  if (hash != made.hash || made.function_count != program.functions.size()) {
    return Refuse(isa::ErrorCode::kInvalid,
                  fmt::format("the folded program was made from another program: its hash begins "
                              "with {:.12}, this program's with {:.12}",
                              made.hash, hash));
  }
  const auto paths = prepared.tables().Get<isa::PathFacts>(TableKind::kPathFacts, 0, [&program] {
    return std::make_shared<const isa::PathFacts>(isa::AnalyzePaths(program).value());
  });
  bool is_new = false;
  prepared.tables().Get<FoldedProgram>(TableKind::kFolded, 0, [&] {
    is_new = true;
    std::vector<FoldedFunction> functions;
    for (std::uint32_t f = 0; f < made.function_count; ++f) {
      functions.push_back(FunctionOf(made.functions[f]));
    }
    return FoldedProgram::CreateMade(program, paths, Enter, std::move(functions));
  });
  if (is_new) return {};
  return Refuse(isa::ErrorCode::kUsage,
                "the program is folded already: attach before its first instance is made");
}

}  // namespace txvm::vm::folded
