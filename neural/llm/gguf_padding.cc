// The pieces of a GGUF file after those of its tokenizer.
#include <fmt/format.h>

#include <unordered_set>

#include "neural/llm/tokenizer.h"

namespace txvm::neural::llm {
namespace {

constexpr float kScore =
    -1000;  // as llama.cpp's converter has it: nothing is joined to such a piece

std::string Beginning(std::size_t id) { return fmt::format("[PAD{}", id); }

bool IsPadding(const Piece& piece, std::size_t id) {
  std::string_view text = piece.text;
  const std::string beginning = Beginning(id);
  if (piece.kind != PieceKind::kUnused || !text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return text.find_first_not_of('_') == text.size() - 1 && text.ends_with(']');
}

}  // namespace

TokenizerSpec WithPadding(TokenizerSpec spec, std::size_t size) {
  std::unordered_set<std::string> texts;
  for (const Piece& piece : spec.pieces) texts.insert(piece.text);
  for (const AddedToken& added : spec.added) texts.insert(added.text);
  while (spec.pieces.size() < size) {
    std::string text = Beginning(spec.pieces.size());
    while (texts.contains(text + "]")) text += '_';
    spec.pieces.push_back({text + "]", kScore, PieceKind::kUnused});
  }
  return spec;
}

void DropPadding(std::vector<Piece>& pieces) {
  while (!pieces.empty() && IsPadding(pieces.back(), pieces.size() - 1)) pieces.pop_back();
}

}  // namespace txvm::neural::llm
