// Program specialisation, the first Futamura projection: a model and a program become a model of
// that program alone, which needs no code tokens.
//
// NOTATION  ip = 256 high + 16 mid + low: a digit is held as one-hot lanes, 1 in one of them.
// FACTS     (1) the fetch head's keys and values are known beforehand, so it is a function of ip.
//           (2) relu(high_h + mid_m - 1) is 1 for the 16 instructions from 256 h + 16 m on and 0
//           for all others; times sum_l byte_l low_l it is one byte of the instruction at ip. Where
//           there is no instruction every unit is 0, and so is the flag that says there is one.
//           (3) a row that collects these units is at most 255 n: exact in float32 up to
//           kMaxFolded instructions.
// Goals: exact for every program up to the limit; runs wherever a model runs. Non-goals: folding
// spaces that are written.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/program.h"
#include "isa/support/result.h"
#include "weights/builder.h"
#include "weights/model.h"
#include "weights/tokens.h"

namespace txvm::weights {

/// 65,536 * 255 + 255 < 2^24; from 65,793 instructions on a row might not be exact.
inline constexpr std::size_t kMaxFolded = 65'536;

/// What the units of FetchUnits write to.
struct FetchOutputs {
  Wire flag;                                      // 1: there is an instruction at ip
  std::array<Wire, memory_field::kValues> bytes;  // op, aux (3), arg (4)
};

/// Adds to `b` the one-hot digits of `ip` and the units that write the instruction at ip of `code`.
/// Two layers. Units: about 300, and one per block of 16 instructions and byte that is not 0 in all
/// of them. REQUIRES: 1 <= code.size(); ip: four bytes.
void FetchUnits(ModelBuilder& b, const WireWord& ip, std::span<const isa::Instruction> code,
                const FetchOutputs& outputs);

/// `model` with FetchUnits for `program`'s code instead of its fetch head, reduced (reduce.h) to
/// what the program's opcodes and operands can reach. Errors: kLimit when the program has more than
/// kMaxFolded instructions; kInvalid when it has none, or the model has no fetch head of the
/// compiled form, or CheckModel or CheckFloat32Exact refuses the result. Cost: tens of
/// milliseconds, and linear in the code.
isa::Result<Model> FoldProgram(const Model& model, const isa::Program& program);

/// SHA-256 of the code, eight bytes per instruction, in hexadecimal; of one byte 0 more where
/// Verify refuses the program.
std::string CodeSha256(const isa::Program& program);

/// kInvalid when `model` is folded with other code than `program`'s, or only one of the two
/// programs is accepted by Verify.
isa::Result<void> CheckFoldedWith(const Model& model, const isa::Program& program);

/// Whether this build generates these weights: the compiled model, or that folded with `program`.
bool IsGenerated(const Model& model, const isa::Program& program);

/// The tokens a run of `program` on `model` starts with, before its arguments: Tokenise(program).
/// For a folded model without the code, but after one token of no space (all fields 0), which no
/// head ever prefers: attention over no token at all is not defined.
std::vector<MemoryRecord> PrefixOf(const Model& model, const isa::Program& program);

}  // namespace txvm::weights
