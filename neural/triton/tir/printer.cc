#include "neural/triton/tir/printer.h"

#include <fmt/format.h>

namespace txvm::triton {
namespace {

void Print(const TirOp& op, std::size_t indent, std::string& out);

void PrintBody(const std::vector<TirOp>& body, std::size_t indent, std::string& out) {
  out += "{\n";
  for (const TirOp& op : body) Print(op, indent + 1, out);
  out.append(2 * indent, ' ');
  out += "}";
}

void PrintAsm(const TirOp& op, std::size_t indent, std::string& out) {
  out += fmt::format(" effect={} {{\n", op.count);
  for (const std::string& line : op.lines) {
    out.append(2 * indent + 2, ' ');
    out += line + "\n";
  }
  out.append(2 * indent, ' ');
  out += "}";
}

void PrintOperand(const TirOp& op, std::size_t indent, std::string& out) {
  switch (Info(op.code).operand) {
    case TirOperand::kNone:
      return;
    case TirOperand::kField:
    case TirOperand::kCount:
    case TirOperand::kSlot:
    case TirOperand::kAssert:
    case TirOperand::kWidth:
      out += fmt::format(" {}", op.value);
      return;
    case TirOperand::kLabel:
      out += " " + op.name;
      return;
    case TirOperand::kEvent:
      out += fmt::format(" {} tag={} fields={}", op.name, op.value, op.count);
      return;
    case TirOperand::kText:
      if (!op.name.empty()) out += " " + op.name;
      return;
    case TirOperand::kAsm:
      PrintAsm(op, indent, out);
      return;
    case TirOperand::kArms:
      out += " ";
      PrintBody(op.body, indent, out);
      out += " else ";
      PrintBody(op.other, indent, out);
      return;
    case TirOperand::kArm:
      out += " ";
      PrintBody(op.body, indent, out);
      return;
    case TirOperand::kLoop:
      out += op.value == 0 ? fmt::format(" {} ", op.name)
                           : fmt::format(" {} bound={} ", op.name, op.value);
      PrintBody(op.body, indent, out);
      return;
    case TirOperand::kProof:
      out += fmt::format(" {} ", op.name);
      PrintBody(op.body, indent, out);
      return;
    case TirOperand::kFunction:
      out += fmt::format(" {} {{", op.name);
      return;
  }
}

void Print(const TirOp& op, std::size_t indent, std::string& out) {
  out.append(2 * indent, ' ');
  out += Info(op.code).text;
  PrintOperand(op, indent, out);
  out += "\n";
}

}  // namespace

std::string PrintTir(const TirOp& op, std::size_t indent) {
  std::string out;
  Print(op, indent, out);
  return out;
}

std::string PrintTir(const TirModule& module) {
  std::string out;
  std::size_t indent = 0;
  for (const TirOp& op : module.ops) {
    if (op.code == TirCode::kFnEnd) indent = 0;
    Print(op, indent, out);
    if (op.code == TirCode::kFnStart) indent = 1;
  }
  return out;
}

}  // namespace txvm::triton
