#include "frontends/nl/language/lens_label.h"

#include <algorithm>
#include <array>

#include "frontends/nl/language/parser.h"

namespace txvm::frontends::nl {
namespace {

constexpr std::array kClasses = {Token::kPlus,  Token::kMinus, Token::kTimes, Token::kOver,
                                 Token::kDiv,   Token::kMod,   Token::kPower, Token::kMax,
                                 Token::kMin,   Token::kMean,  Token::kGcd,   Token::kAbs,
                                 Token::kFloor, Token::kCeil,  Token::kFact,  Token::kFib};

std::optional<Token> First(const Ast& ast, std::uint32_t index) {
  const Node& node = ast.nodes[index];
  const NodeInfo& info = Info(node.kind);
  if (info.form == NodeForm::kLeaf) return std::nullopt;
  // A choice executes its condition alone before it chooses.
  const std::size_t first_args = info.form == NodeForm::kChoice ? 1 : node.args.size();
  for (std::size_t i = 0; i < first_args; ++i) {
    if (const auto found = First(ast, node.args[i])) return found;
  }
  return info.token;
}

}  // namespace

std::optional<Token> FirstOperation(const Ast& ast) {
  if (ast.abstention) return std::nullopt;
  for (const std::uint32_t temp : ast.temps) {
    if (const auto found = First(ast, temp)) return found;
  }
  return First(ast, ast.result);
}

std::optional<Token> LensLabel(const Ast& ast) {
  const std::optional<Token> first = FirstOperation(ast);
  if (!first || std::ranges::find(kClasses, *first) == kClasses.end()) return std::nullopt;
  return first;
}

isa::Result<std::optional<Token>> LensLabel(std::span<const Token> tokens) {
  TXVM_TRY(const Ast ast, Parse(tokens, kMaxSlots));
  return LensLabel(ast);
}

std::span<const Token> LensClasses() { return kClasses; }

}  // namespace txvm::frontends::nl
