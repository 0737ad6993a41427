#include "frontends/nl/language/printer.h"

#include <utility>

namespace txvm::frontends::nl {
namespace {

constexpr int kExpression = 0, kNegative = 4, kPrimary = 6;

class Printer {
 public:
  explicit Printer(const Ast& ast) : ast_(ast) {}
  std::vector<Token> Run() &&;

 private:
  void Put(Token token) { out_.push_back(token); }
  /// Prints a node where one that binds at least as tightly as `level` may stand.
  void Print(std::uint32_t index, int level);
  void PrintInfix(const Node& node, const NodeInfo& info);
  void PrintBare(const Node& node);
  void PrintBound(std::uint32_t index);
  void PrintList(const Node& node);
  void PrintLeaf(const Node& node);

  const Ast& ast_;
  std::vector<Token> out_;
};

void Printer::Print(std::uint32_t index, int level) {
  const Node& node = ast_.nodes[index];
  const bool grouped = Info(node.kind).level < level;
  if (grouped) Put(Token::kOpen);
  PrintBare(node);
  if (grouped) Put(Token::kClose);
}

void Printer::PrintLeaf(const Node& node) {
  if (node.kind == NodeKind::kSlot) {
    Put(SlotToken(node.value));
  } else if (node.kind == NodeKind::kTemp) {
    Put(TempToken(node.value));
  } else {
    Put(*LiteralToken(node.value));
  }
}

/// Sums and terms group to the left, powers to the right, comparisons not at all.
void Printer::PrintInfix(const Node& node, const NodeInfo& info) {
  const bool is_power = node.kind == NodeKind::kPower;
  const bool is_comparison = info.level == Info(NodeKind::kEqual).level;
  Print(node.args[0], is_power ? kPrimary : info.level + (is_comparison ? 1 : 0));
  Put(info.token);
  Print(node.args[1], is_power ? kNegative : info.level + 1);
}

void Printer::PrintBound(std::uint32_t index) {
  const Node& node = ast_.nodes[index];
  if (node.kind != NodeKind::kNegate) return Print(index, kPrimary);
  Put(Token::kMinus);
  Print(node.args[0], kPrimary);
}

void Printer::PrintList(const Node& node) {
  Put(Token::kOpenList);
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    if (i > 0) Put(Token::kComma);
    Print(node.args[i], kExpression);
  }
  Put(Token::kCloseList);
}

void Printer::PrintBare(const Node& node) {
  const NodeInfo& info = Info(node.kind);
  if (info.form == NodeForm::kLeaf) return PrintLeaf(node);
  if (info.form == NodeForm::kInfix) return PrintInfix(node, info);
  Put(info.token);
  switch (info.form) {
    case NodeForm::kPrefix:
      return Print(node.args[0], kNegative);
    case NodeForm::kCall:
      return Print(node.args[0], kPrimary);
    case NodeForm::kRange:
      PrintBound(node.args[0]);
      Put(Token::kTo);
      return PrintBound(node.args[1]);
    case NodeForm::kList:
      return PrintList(node);
    case NodeForm::kChoice:
      Print(node.args[0], kExpression);
      Put(Token::kIfThen);
      Print(node.args[1], kExpression);
      Put(Token::kElse);
      return Print(node.args[2], kExpression);
    case NodeForm::kLeaf:
    case NodeForm::kInfix:
      return;
  }
}

std::vector<Token> Printer::Run() && {
  if (ast_.abstention) return {*ast_.abstention, Token::kEnd};
  for (std::size_t i = 0; i < ast_.temps.size(); ++i) {
    Put(TempToken(i));
    Put(Token::kAssign);
    Print(ast_.temps[i], kExpression);
    Put(Token::kThen);
  }
  Print(ast_.result, kExpression);
  Put(Token::kEnd);
  return std::move(out_);
}

bool OpensGroup(Token token) { return token == Token::kOpen || token == Token::kOpenList; }

/// Whether an operand ends with this token, so that a minus after it is a difference.
bool EndsOperand(Token token) {
  return IsLiteral(token) || IsSlot(token) || IsTemp(token) || token == Token::kClose ||
         token == Token::kCloseList;
}

bool HugsTheLast(Token token) {
  return token == Token::kClose || token == Token::kCloseList || token == Token::kComma ||
         token == Token::kThen;
}

}  // namespace

std::vector<Token> Print(const Ast& ast) { return Printer(ast).Run(); }

std::string TokensText(std::span<const Token> tokens) { return TokensText(tokens, {}); }

std::string TokensText(std::span<const Token> tokens, std::span<const std::string> numbers) {
  std::string out;
  bool hug = true;  // no blank before the next token
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token token = tokens[i];
    if (token == Token::kEnd) break;
    if (!hug && !HugsTheLast(token)) out.push_back(' ');
    const bool has_number = IsSlot(token) && SlotOf(token) < numbers.size();
    out += has_number ? numbers[SlotOf(token)] : TokenText(token);
    const bool is_sign = token == Token::kMinus && (i == 0 || !EndsOperand(tokens[i - 1]));
    hug = OpensGroup(token) || is_sign;
  }
  return out;
}

}  // namespace txvm::frontends::nl
