// A circuit that training starts from: heads of three blocks that look up what stood before an
// earlier occurrence of a token ("4 pens, 6 cups. how many pens": 4), and what stood two after it
// ("Nina has 4, Omar has 6. how many has Omar": 6).
//
// No head is of use without another, so a small model finds the circuit only after tens of
// millions of tokens, if at all; compiled into the first weights it is there from the first update,
// and training refines it.
//
// Goals: a start; everything learns from there. Non-goals: an answer without training.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "neural/llm/config.h"
#include "neural/train/layout.h"

namespace txvm::neural::train {

/// The mean of every element over all embeddings.
inline constexpr double kRecallMean = 0.15;

/// Whether the shape has room for the circuit: three blocks, two groups of heads, heads of 8
/// elements or more, and rows wider than three of them.
bool HasRoomForRecall(const llm::Config& config);

/// Writes the circuit into `weights`, (layout.size,), as InitialWeights made them; the rest stays
/// noise.
/// - Embeddings: normal with deviation 0.3 about a common mean of 0.15; the last norm 0.07, so that
///   logits start small all the same. (Deviation 0.02 lets Adam's first updates give all tokens
///   nearly the same direction, and equal ones can no longer be told.)
/// - Block 0, head 0 attends to the token before, by the rotation of its fast pairs alone, and
///   writes a shadow of it: its projection onto a subspace of head_dim dimensions. The first head
///   of the second group attends to the token before that, and writes what it is to be found by.
/// - Block 1, the first head of each group attends to earlier tokens equal to its own, and copies
///   the shadows that lie there.
/// - Block 2, head 0 attends to tokens that have its own token two before them, and writes their
///   shadows.
/// The same for the same seed. REQUIRES: HasRoomForRecall(config).
void CompileRecall(const llm::Config& config, const Layout& layout, std::uint64_t seed,
                   std::span<float> weights);

/// For every parameter, the part of the rate at which it learns, (layout.size,): `rate` where the
/// circuit lies - the rows of its heads' queries, keys and values and the columns of their outputs
/// - and in block 0's feed-forward layer, whose writing would drown what its heads bring; 1
/// elsewhere.
std::vector<float> RecallRates(const llm::Config& config, const Layout& layout, float rate);

}  // namespace txvm::neural::train
