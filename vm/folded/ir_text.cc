// The listing of the register form.
// Declared in vm/folded/ir.h.
#include <fmt/format.h>

#include "vm/folded/ir.h"

namespace txvm::vm::folded {
namespace {

class Lister {
 public:
  Lister(const FunctionIr& ir, bool places) : ir_(ir), places_(places) {}

  std::string Text() {
    text_ = fmt::format("function {}: {} params, {} locals\n", ir_.index, ir_.params, ir_.locals);
    for (std::size_t b = 0; b < ir_.blocks.size(); ++b) List(b);
    return std::move(text_);
  }

 private:
  std::string VariableText(std::uint64_t variable) const {
    const Type type = ir_.types[variable];
    if (type == Type::kLong) return fmt::format("x{}", variable);
    if (IsFloat(type)) return fmt::format("{}{}", type == Type::kSingle ? 'f' : 'd', variable);
    return variable < ir_.locals ? fmt::format("l{}", variable)
                                 : fmt::format("c{}", variable - ir_.locals);
  }

  static std::string_view TypeText(Type type) {
    static constexpr std::string_view kTexts[] = {"none",   "word",   "long",
                                                  "single", "double", "vector"};
    return kTexts[static_cast<std::size_t>(type)];
  }

  std::string ValueText(const Block& block, Value value) const {
    const Node& node = block.nodes[value];
    if (node.op == Op::kConst) return fmt::format("{}", node.imm);
    if (node.op == Op::kVariable) return VariableText(node.imm);
    return fmt::format("v{}", value);
  }

  std::string AddressText(const Block& block, const Node& node) const {
    return fmt::format("[{} + {}]", ValueText(block, node.a), node.imm);
  }

  std::string StoredText(const Block& block, const Exit& exit) const {
    std::string text;
    for (const auto& [cell, value] : exit.cells) {
      text += fmt::format(" [c{}]={}", cell, ValueText(block, value));
    }
    for (const auto& [local, value] : exit.locals) {
      text += fmt::format(" [l{}]={}", local, ValueText(block, value));
    }
    return text;
  }

  std::string ExitText(const Block& block, std::uint32_t index) const {
    const Exit& exit = ir_.exits[index];
    static constexpr const char* kWhy[] = {"halt", "trap", "host", "poll", "limit", "steps"};
    std::string why = kWhy[static_cast<std::size_t>(exit.kind)];
    if (exit.kind == ExitKind::kTrapped) why += fmt::format(" \"{}\"", isa::TrapText(exit.cause));
    return fmt::format("{} at {}{}", why, exit.ip, StoredText(block, exit));
  }

  std::string OperandsText(const Block& block, const Node& node) const {
    std::string text(node.op == Op::kWide ? Info(node.wide).text
                     : node.op == Op::kVector
                         ? isa::Info(static_cast<isa::RoutineId>(node.imm)).name
                         : isa::Info(node.opcode).text);
    for (const Value operand : {node.a, node.b, node.c}) {
      if (operand != kNone) text += ' ' + ValueText(block, operand);
    }
    return text;
  }

  void List(std::size_t b) {
    const Block& block = ir_.blocks[b];
    text_ += fmt::format("b{}: {}..{}, {} steps{}\n", b, block.first_ip, block.last_ip, block.steps,
                         block.enters ? ", entered" : "");
    if (block.check_exit != kNone) {
      text_ += fmt::format("  check fuel else {}\n", ExitText(block, block.check_exit));
    }
    for (std::size_t v = 0; v < block.nodes.size(); ++v) {
      const std::size_t start = text_.size();
      ListNode(block, v);
      if (text_.size() != start) AddPlace(start, block.nodes[v].ip);
    }
    ListEnd(block);
    AddPlace(text_.rfind('\n', text_.size() - 2) + 1, block.last_ip);
  }

  // At the end of the line that begins at `start`, the last one.
  void AddPlace(std::size_t start, std::uint32_t ip) {
    if (!places_) return;
    text_.pop_back();
    const std::size_t width = text_.size() - start;
    text_ += fmt::format("{:{}}; {}\n", "", width < kPlaceColumn ? kPlaceColumn - width : 1, ip);
  }

  void ListNode(const Block& block, std::size_t v) {
    const Node& node = block.nodes[v];
    std::string what;
    switch (node.op) {
      case Op::kConst:
      case Op::kVariable:
        return;
      case Op::kCell:
        what = fmt::format("[c{}]", node.imm);
        break;
      case Op::kWideCell:
        what = fmt::format("[c{}] {}", node.imm, TypeText(node.type));
        break;
      case Op::kWideLoad:
        what = fmt::format("LOAD {} {}", TypeText(node.type), AddressText(block, node));
        break;
      case Op::kWideStore:
        text_ += fmt::format("  STORE {} {} = {}\n", TypeText(node.type), AddressText(block, node),
                             ValueText(block, node.b));
        return;
      case Op::kCheckTruncation:
        text_ += fmt::format("  check {} {} else {}\n", Info(node.wide).text,
                             ValueText(block, node.a), ExitText(block, node.exit));
        return;
      case Op::kPure:
      case Op::kWide:
      case Op::kVector:
      case Op::kDivide:
        what = OperandsText(block, node);
        break;
      case Op::kLoad:
        what = fmt::format("{} {}", isa::Info(node.opcode).text, AddressText(block, node));
        break;
      case Op::kGlobalGet:
        what = fmt::format("[g{}]", node.imm);
        break;
      case Op::kStore:
        text_ += fmt::format("  {} {} = {}\n", isa::Info(node.opcode).text,
                             AddressText(block, node), ValueText(block, node.b));
        return;
      case Op::kGlobalSet:
        text_ += fmt::format("  [g{}] = {}\n", node.imm, ValueText(block, node.a));
        return;
      case Op::kCheckRange:
        text_ += fmt::format("  check {} + {} <= size else {}\n", ValueText(block, node.a),
                             node.imm, ExitText(block, node.exit));
        return;
      case Op::kCheckNonzero:
        text_ += fmt::format("  check {} /= 0 else {}\n", ValueText(block, node.a),
                             ExitText(block, node.exit));
        return;
      case Op::kCheckQuotient:
        text_ += fmt::format("  check {} / {} else {}\n", ValueText(block, node.a),
                             ValueText(block, node.b), ExitText(block, node.exit));
        return;
    }
    if (node.uses != 0) text_ += fmt::format("  v{} = {}\n", v, what);
  }

  void ListEnd(const Block& block) {
    const End& end = block.end;
    const auto assigned = [&] {
      for (const auto& [variable, value] : block.assigned) {
        text_ += fmt::format("  {} := {}\n", VariableText(variable), ValueText(block, value));
      }
    };
    const auto stored = [&] {
      for (const auto& [cell, value] : end.cells) {
        text_ += fmt::format("  [c{}] = {}\n", cell, ValueText(block, value));
      }
      for (const auto& [local, value] : end.locals) {
        text_ += fmt::format("  [l{}] = {}\n", local, ValueText(block, value));
      }
    };
    switch (end.kind) {
      case EndKind::kGoto:
        assigned();
        text_ += fmt::format("  goto b{}\n", end.target);
        return;
      case EndKind::kBranch:
        assigned();
        text_ += fmt::format("  if {} goto b{} else b{}\n", ValueText(block, end.condition),
                             end.target, end.other);
        return;
      case EndKind::kCall:
        stored();
        assigned();
        text_ += fmt::format("  call function {} at c{}, then b{}\n", end.callee,
                             end.height - end.params, end.target);
        return;
      case EndKind::kReturn:
        stored();
        text_ += fmt::format("  return {}\n", end.results);
        return;
      case EndKind::kExit:
        text_ += fmt::format("  {}\n", ExitText(block, end.exit));
        return;
    }
  }

  static constexpr std::size_t kPlaceColumn = 40;

  const FunctionIr& ir_;
  bool places_;
  std::string text_;
};

}  // namespace

std::string IrText(const FunctionIr& ir, bool places) { return Lister(ir, places).Text(); }

}  // namespace txvm::vm::folded
