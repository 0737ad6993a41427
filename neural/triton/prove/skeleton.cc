#include "neural/triton/prove/skeleton.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "neural/triton/prove/equivalence.h"
#include "neural/triton/tir/known_heights.h"
#include "neural/triton/tir/tasm_step.h"

namespace txvm::triton {
namespace {

// A program cut at control: a run (maybe empty), then what follows it.
struct Piece {
  std::size_t start = 0;  // its first instruction
  std::vector<TasmInstruction> run;
  enum class End : std::uint8_t { kControl, kGuarded, kEntered, kText };
  End end = End::kText;  // control instruction, straight instruction under a skiz, call target, end
  TasmInstruction control;  // of kControl and kGuarded; the argument of a call is set to 0
  std::size_t target = 0;   // of a call: index of the piece that starts there
};

struct Pieces {
  std::vector<Piece> pieces;
  std::map<std::string_view, std::size_t> labels;  // name -> piece, where labels count
};

// With `labels`, code may be entered at every label.
Pieces Cut(const TasmProgram& program, bool labels) {
  std::set<std::size_t> entered;
  if (labels) {
    for (const TasmLabel& label : program.labels) entered.insert(label.index);
  }
  for (const TasmInstruction& instruction : program.code) {
    if (instruction.op == TasmOp::kCall) entered.insert(program.labels[instruction.arg].index);
  }
  std::vector<Piece> pieces;
  std::map<std::size_t, std::size_t> starts;  // instruction -> piece
  Piece piece;
  starts[0] = 0;
  const auto close = [&](Piece::End end, std::size_t next) {
    piece.end = end;
    pieces.push_back(std::move(piece));
    piece = {};
    piece.start = next;
    starts[next] = pieces.size();
  };
  bool guarded = false;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    if (entered.contains(i) && starts.find(i) == starts.end()) close(Piece::End::kEntered, i);
    const TasmInstruction& instruction = program.code[i];
    const bool straight = IsStraight(instruction.op);
    if (straight && !guarded) {
      piece.run.push_back(instruction);
      continue;
    }
    piece.control = instruction;
    if (instruction.op == TasmOp::kCall) {
      piece.control.arg = 0;
      piece.target = program.labels[instruction.arg].index;  // a piece index in the end
    }
    close(straight ? Piece::End::kGuarded : Piece::End::kControl, i + 1);
    guarded = instruction.op == TasmOp::kSkiz;
  }
  close(Piece::End::kText, program.code.size() + 1);
  starts.emplace(program.code.size(), pieces.size() - 1);
  for (Piece& cut : pieces) {
    if (cut.end == Piece::End::kControl && cut.control.op == TasmOp::kCall) {
      cut.target = starts.at(cut.target);
    }
  }
  Pieces cut{std::move(pieces), {}};
  if (!labels) return cut;
  for (const TasmLabel& label : program.labels) cut.labels[label.name] = starts.at(label.index);
  return cut;
}

// The words a call pushes on the jump stack are not data, so programs cannot see that they differ.
bool Corresponds(const Piece& a, const Piece& b) {
  return a.end == b.end && a.control == b.control && a.target == b.target;
}

}  // namespace

bool SameSkeletonProved(const TasmProgram& first, const TasmProgram& second, Skeleton kind) {
  const bool library = kind == Skeleton::kLibrary;
  const Pieces left = Cut(first, library);
  const Pieces right = Cut(second, library);
  if (left.labels != right.labels) return false;
  const std::vector<Piece>& a = left.pieces;
  const std::vector<Piece>& b = right.pieces;
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!Corresponds(a[i], b[i])) return false;
  }
  if (kind == Skeleton::kProgram && first.code != second.code &&
      (!IgnoresOwnDigest(first) || !IgnoresOwnDigest(second))) {
    return false;
  }
  const std::vector<std::size_t> heights =
      library ? std::vector<std::size_t>() : KnownHeights(first);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].run == b[i].run) continue;
    // The other side is as high at corresponding places, as long as all runs agree.
    const std::size_t height = a[i].start < heights.size() ? heights[a[i].start] : 0;
    if (!ProveStraight(a[i].run, b[i].run, height)) return false;
  }
  return true;
}

}  // namespace txvm::triton
