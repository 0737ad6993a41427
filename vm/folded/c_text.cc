#include "vm/folded/c_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "isa/program_file.h"
#include "isa/verify.h"
#include "vm/folded/constant_heads.h"
#include "vm/folded/dead_values.h"
#include "vm/folded/ir.h"
#include "vm/folded/sizes.h"
#include "vm/snapshot_file.h"

namespace txvm::vm::folded {
namespace {

// A function above these is called through the library: how much of the machine's stack a C
// compiler takes for it is not known.
constexpr std::size_t kMostVariables = 96;
constexpr std::size_t kMostNodes = 1'000;

bool IsSmall(const FunctionIr& ir) {
  std::size_t variables = ir.variables, nodes = 0;
  for (const Block& block : ir.blocks) nodes = std::max(nodes, block.nodes.size());
  return variables <= kMostVariables && nodes <= kMostNodes;
}

/// "I32.LOAD8_U" -> "txvm_i32_load8_u".
std::string OpName(isa::Opcode opcode) {
  std::string name = "txvm_";
  for (const char c : isa::Info(opcode).text) {
    name += c == '.' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

/// The C text of one function; empty when it has an operation that has no text.
class FunctionWriter {
 public:
  FunctionWriter(const FunctionIr& ir, const std::vector<bool>& called_directly)
      : ir_(ir), called_directly_(called_directly) {}

  std::string Text() {
    for (std::size_t b = 0; b < ir_.blocks.size(); ++b) WriteBlock(b);
    if (!complete_) return {};
    std::string text = fmt::format(
        "static int64_t f{0}(txvm_folded_context* ctx, uint32_t* L, uint32_t* S,\n"
        "                  txvm_folded_frame* F, int64_t fuel) {{\n"
        "  uint8_t* const memory = ctx->memory;\n"
        "  const uint64_t size = ctx->memory_size;\n"
        "  uint32_t* const globals = ctx->globals;\n"
        "  (void)memory, (void)size, (void)globals, (void)L, (void)S, (void)F;\n",
        ir_.index);
    for (std::size_t v = 0; v < used_.size(); ++v) {
      if (used_[v]) text += fmt::format("  uint32_t {} = 0;\n", VariableText(v));
    }
    text += Dispatch();
    return text + text_ + "}\n\n";
  }

 private:
  std::string VariableText(std::uint64_t variable) const {
    return variable < ir_.locals ? fmt::format("l{}", variable)
                                 : fmt::format("c{}", variable - ir_.locals);
  }
  std::string UsedText(std::uint64_t variable) {
    if (used_.size() <= variable) used_.resize(variable + 1, false);
    used_[variable] = true;
    return VariableText(variable);
  }

  const Node& At(Value value) const { return block_->nodes[value]; }
  std::string ValueText(Value value) {
    const Node& node = At(value);
    if (node.op == Op::kConst) return fmt::format("{}u", node.imm);
    if (node.op == Op::kVariable) return UsedText(node.imm);
    return fmt::format("v{}", value);
  }

  // ------------------------------------------------------------------------------------- entries

  std::string LoadText(std::size_t b, std::string_view indent) {
    const Block& block = ir_.blocks[b];
    std::string text;
    for (const std::uint32_t local : ir_.live[b]) {
      if (local < used_.size() && used_[local]) {
        text += fmt::format("{}l{} = L[{}];\n", indent, local, local);
      }
    }
    for (std::uint32_t cell = 0; cell < block.height - block.cells_in_space; ++cell) {
      if (ir_.locals + cell < used_.size() && used_[ir_.locals + cell]) {
        text += fmt::format("{}c{} = S[{}];\n", indent, cell, cell);
      }
    }
    return text;
  }

  // Where the function is entered.
  std::string Dispatch() {
    std::string cases;
    std::uint32_t number = 0;
    for (std::size_t b = 1; b < ir_.blocks.size(); ++b) {
      if (!ir_.blocks[b].enters) continue;
      cases += fmt::format("      case {}:\n{}        goto b{};\n", ++number,
                           LoadText(b, "        "), b);
    }
    const std::string start = LoadText(0, "  ") + "  goto b0;\n";
    if (number == 0) return start;
    return fmt::format(
        "  if (TXVM_FOLDED_RARELY(ctx->entry != 0)) {{\n"
        "    const uint32_t entry = ctx->entry;\n"
        "    ctx->entry = 0;\n"
        "    switch (entry) {{\n{}    }}\n  }}\n{}",
        cases, start);
  }

  // -------------------------------------------------------------------------------------- blocks

  void WriteBlock(std::size_t b) {
    block_ = &ir_.blocks[b];
    text_ += fmt::format("b{}: {{ /* {}..{} */\n", b, block_->first_ip, block_->last_ip);
    if (block_->check_exit != kNone) {
      LeaveIf("fuel < TXVM_FOLDED_FLOOR(ctx)", block_->check_exit);
    }
    text_ += fmt::format("  fuel -= {};\n", block_->steps);
    for (Value value = 0; value < block_->nodes.size(); ++value) {
      const Node& node = At(value);
      if (node.uses != 0 || HasEffect(node)) WriteNode(value, node);
    }
    WriteEnd();
    text_ += "}\n";
  }

  void WriteExit(std::uint32_t index, std::string_view indent) {
    const Exit& exit = ir_.exits[index];
    for (const auto& [cell, value] : exit.cells) {
      text_ += fmt::format("{}S[{}] = {};\n", indent, cell, ValueText(value));
    }
    for (const auto& [local, value] : exit.locals) {
      text_ += fmt::format("{}L[{}] = {};\n", indent, local, ValueText(value));
    }
    text_ += fmt::format("{}txvm_folded_leave(ctx, L, S, F, fuel + {}, {}, {});\n", indent,
                         exit.unmade, ir_.index, index);
  }
  void LeaveIf(std::string_view condition, std::uint32_t exit) {
    text_ += fmt::format("  if (TXVM_FOLDED_RARELY({})) {{\n", condition);
    WriteExit(exit, "    ");
    text_ += "  }\n";
  }

  void Define(Value value, const std::string& what) {
    text_ += fmt::format("  const uint32_t v{} = {};\n", value, what);
  }

  std::string OperandsText(const Node& node) {
    std::string text;
    for (const Value operand : {node.a, node.b, node.c}) {
      if (operand != kNone) text += (text.empty() ? "" : ", ") + ValueText(operand);
    }
    return text;
  }

  void WriteNode(Value value, const Node& node) {
    switch (node.op) {
      case Op::kConst:
      case Op::kVariable:
        return;
      case Op::kCell:
        return Define(value, fmt::format("S[{}]", node.imm));
      case Op::kPure:
      case Op::kDivide:
        return Define(value, fmt::format("{}({})", OpName(node.opcode), OperandsText(node)));
      case Op::kLoad:
        return Define(value, fmt::format("{}(memory, {}, {}u)", OpName(node.opcode),
                                         ValueText(node.a), node.imm));
      case Op::kGlobalGet:
        return Define(value, fmt::format("globals[{}]", node.imm));
      case Op::kStore:
        text_ += fmt::format("  {}(memory, {}, {}u, {});\n", OpName(node.opcode), ValueText(node.a),
                             node.imm, ValueText(node.b));
        return;
      case Op::kGlobalSet:
        text_ += fmt::format("  globals[{}] = {};\n", node.imm, ValueText(node.a));
        return;
      case Op::kCheckRange:
        return LeaveIf(fmt::format("{} + UINT64_C({}) > size", ValueText(node.a), node.imm),
                       node.exit);
      case Op::kCheckNonzero:
        return LeaveIf(fmt::format("{} == 0", ValueText(node.a)), node.exit);
      case Op::kCheckQuotient:
        return LeaveIf(fmt::format("{} == 0x80000000u && {} == UINT32_MAX", ValueText(node.a),
                                   ValueText(node.b)),
                       node.exit);
      default:
        complete_ = false;  // an operation that only machine code has
        return;
    }
  }

  // ---------------------------------------------------------------------------------------- ends

  bool IsAssigned(std::uint64_t variable) const {
    return std::ranges::any_of(block_->assigned,
                               [&](const auto& pair) { return pair.first == variable; });
  }

  // All at once: a variable that another assignment changes is saved first.
  void Assign() {
    std::set<std::uint64_t> saved;
    std::string assigned;
    for (const auto& [variable, value] : block_->assigned) {
      const Node& node = At(value);
      std::string from = ValueText(value);
      if (node.op == Op::kVariable && IsAssigned(node.imm)) {
        if (saved.insert(node.imm).second) {
          text_ += fmt::format("  const uint32_t old_{0} = {0};\n", from);
        }
        from = "old_" + from;
      }
      assigned += fmt::format("  {} = {};\n", UsedText(variable), from);
    }
    text_ += assigned;
  }

  void StoreAll(const End& end) {
    for (const auto& [cell, value] : end.cells) {
      text_ += fmt::format("  S[{}] = {};\n", cell, ValueText(value));
    }
    for (const auto& [local, value] : end.locals) {
      text_ += fmt::format("  L[{}] = {};\n", local, ValueText(value));
    }
  }

  void WriteEnd() {
    const End& end = block_->end;
    switch (end.kind) {
      case EndKind::kGoto:
        Assign();
        text_ += fmt::format("  goto b{};\n", end.target);
        return;
      case EndKind::kBranch:
        text_ += fmt::format("  const int taken = {} != 0;\n", ValueText(end.condition));
        Assign();
        text_ += fmt::format("  if (taken) goto b{};\n  goto b{};\n", end.target, end.other);
        return;
      case EndKind::kCall:
        return WriteCall(end);
      case EndKind::kReturn:
        StoreAll(end);
        text_ += fmt::format("  ctx->return_site = {};\n  return fuel;\n", end.ip);
        return;
      case EndKind::kExit:
        return WriteExit(end.exit, "  ");
    }
  }

  // Everything that the callee's exits need of this function is in the state before the call.
  void WriteCall(const End& end) {
    StoreAll(end);
    Assign();
    LeaveIf("F >= ctx->frame_limit", end.exit);
    const std::uint32_t base = end.height - end.params;
    text_ += fmt::format("  F[1].return_ip = {};\n", end.ip + 1);
    const std::string arguments =
        fmt::format("(ctx, L + {}, S + {}, F + 1, fuel);\n", ir_.locals, base);
    if (called_directly_[end.callee]) {
      text_ += fmt::format("  fuel = f{}{}", end.callee, arguments);
    } else {
      text_ += "  txvm_folded_call" + arguments;
    }
    for (std::uint32_t i = ir_.blocks[end.target].cells_in_space; i < end.results; ++i) {
      text_ += fmt::format("  {} = S[{}];\n", UsedText(ir_.locals + base + i), base + i);
    }
    text_ += fmt::format("  goto b{};\n", end.target);
  }

  const FunctionIr& ir_;
  const std::vector<bool>& called_directly_;  // (functions,)
  const Block* block_ = nullptr;
  std::string text_;
  std::vector<bool> used_;  // (variables,)
  bool complete_ = true;
};

std::string TablesText(const FunctionIr& ir) {
  std::string text = fmt::format("static const txvm_folded_exit x{}[] = {{\n", ir.index);
  for (const Exit& exit : ir.exits) {
    text += fmt::format("  {{{}, {}, {}, {}}},\n", exit.ip, exit.height,
                        static_cast<unsigned>(exit.kind), static_cast<unsigned>(exit.cause));
  }
  // A function that never stops by itself has an empty table, which C does not know.
  if (ir.exits.empty()) text += "  {0, 0, 0, 0},\n";
  text += fmt::format("}};\nstatic const txvm_folded_entry e{}[] = {{\n  {{{}, 0}},\n", ir.index,
                      ir.blocks.front().first_ip);
  std::uint32_t number = 0;
  for (std::size_t b = 1; b < ir.blocks.size(); ++b) {
    if (ir.blocks[b].enters) {
      text += fmt::format("  {{{}, {}}},\n", ir.blocks[b].first_ip, ++number);
    }
  }
  return text + "};\n\n";
}

std::string BytesText(const std::vector<std::uint8_t>& bytes) {
  constexpr std::size_t kInLine = 24;
  std::string text = "static const uint8_t program[] = {\n";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{},{}", i % kInLine == 0 ? "  " : "", bytes[i],
                   i % kInLine == kInLine - 1 || i + 1 == bytes.size() ? "\n" : "");
  }
  return text + "};\n\n";
}

std::size_t EntryCount(const FunctionIr& ir) {
  std::size_t count = 1;
  for (std::size_t b = 1; b < ir.blocks.size(); ++b) count += ir.blocks[b].enters ? 1 : 0;
  return count;
}

}  // namespace

isa::Result<std::string> CText(const isa::Program& program, std::string_view symbol) {
  TXVM_TRY(const isa::PathFacts paths, isa::AnalyzePaths(program));
  TXVM_TRY(const ConstantHeads heads, ConstantHeads::Create(program, weights::CompileHeads()));
  TXVM_CHECK_OK(heads.Check());
  const bool keeps_all = ReadsOldLocals(program, paths);
  std::vector<std::optional<FunctionIr>> irs;
  std::vector<bool> small;
  const std::vector<bool> all(program.functions.size(), true);
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    std::optional<FunctionIr>& ir = irs.emplace_back();
    if (CanBeFolded(program.functions[f], paths)) {
      ir = Lift(program, paths, f, keeps_all);
      if (FunctionWriter(*ir, all).Text().empty()) ir.reset();
    }
    small.push_back(ir && IsSmall(*ir));
  }
  std::string declared, defined, rows;
  for (const std::optional<FunctionIr>& ir : irs) {
    if (!ir) {
      rows += "  {0, 0, 0, 0, 0},\n";
      continue;
    }
    declared += fmt::format(
        "static int64_t f{}(txvm_folded_context*, uint32_t*, uint32_t*, "
        "txvm_folded_frame*, int64_t);\n",
        ir->index);
    const std::string& name = program.functions[ir->index].name;
    if (!name.empty() && std::ranges::all_of(name, [](unsigned char c) {
          return std::isalnum(c) != 0 || c == '_' || c == '.';
        })) {
      defined += fmt::format("/* {} */\n", name);
    }
    defined += FunctionWriter(*ir, small).Text() + TablesText(*ir);
    rows += fmt::format("  {{f{0}, x{0}, e{0}, {1}, {2}}},\n", ir->index, ir->exits.size(),
                        EntryCount(*ir));
  }
  if (irs.empty()) rows = "  {0, 0, 0, 0, 0},\n";
  TXVM_TRY(const std::vector<std::uint8_t> bytes, isa::WriteProgram(program));
  return fmt::format(
      "/* Made by txvm compile --target c: a program folded into C. docs/FOLDED.md */\n"
      "#pragma GCC diagnostic ignored \"-Wunused-label\"\n"
      "#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"\n"
      "#if __GNUC__ >= 12 || defined(__clang__)\n"
      "#pragma GCC diagnostic ignored \"-Winfinite-recursion\"\n"
      "#endif\n"
      "#define TXVM_FOLDED_TEXT\n"
      "#include \"txvm_folded.h\"\n\n"
      "{}\n{}{}"
      "static const txvm_folded_function functions[] = {{\n{}}};\n\n"
      "const txvm_folded_program {} = {{\n"
      "  TXVM_FOLDED_ABI, {}, functions,\n  \"{}\",\n  program, sizeof program}};\n",
      declared, defined, BytesText(bytes), rows, symbol, program.functions.size(),
      ProgramHash(program));
}

std::string FoldedSymbol(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  std::string_view stem = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (const std::size_t dot = stem.rfind('.'); dot != std::string_view::npos && dot != 0) {
    stem = stem.substr(0, dot);
  }
  if (stem.empty() || stem == "-") stem = "program";
  std::string symbol;
  for (const char c : stem) {
    symbol += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  if (std::isdigit(static_cast<unsigned char>(symbol.front())) != 0) {
    symbol.insert(0, "p");
  }
  return symbol + "_folded";
}

}  // namespace txvm::vm::folded
