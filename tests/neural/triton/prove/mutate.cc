#include "tests/neural/triton/prove/mutate.h"

#include <algorithm>

#include "neural/triton/lower/lower.h"
#include "neural/triton/random/programs.h"
#include "neural/triton/tasm/machine.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {
namespace {

using Code = std::vector<TasmInstruction>;
constexpr std::uint64_t kMinusOne = vm::goldilocks::kPrime - 1;

Code Replaced(const Code& code, std::size_t at, std::size_t length, const Code& with) {
  Code result(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at));
  result.insert(result.end(), with.begin(), with.end());
  result.insert(result.end(), code.begin() + static_cast<std::ptrdiff_t>(at + length), code.end());
  return result;
}

bool IsAny(TasmOp op, std::initializer_list<TasmOp> ops) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

// One way to break the instruction, or nullopt.
std::optional<Mutation> BreakAt(const Code& code, std::size_t at, TirRng& rng) {
  const auto [op, arg] = code[at];
  const auto with = [&](const char* what, const Code& replacement) {
    return Mutation{what, Replaced(code, at, 1, replacement)};
  };
  const bool two = IsAny(op, {TasmOp::kLt, TasmOp::kDivMod, TasmOp::kPow});
  if (two && rng.OneIn(2)) return with("swapped operands", {{TasmOp::kSwap, 1}, {op, arg}});
  switch (op) {
    case TasmOp::kAssert:
      return with("dropped assert", {{TasmOp::kPop, 1}});
    case TasmOp::kAssertVector:
      return with("dropped assert_vector", {{TasmOp::kPop, 5}});
    case TasmOp::kWriteIo:
      return with("lost write_io", {{TasmOp::kPop, arg}});
    case TasmOp::kWriteMem:
      return with("lost RAM store",
                  {{TasmOp::kAddI, arg}, {TasmOp::kPlace, arg}, {TasmOp::kPop, arg}});
    case TasmOp::kInvert:
      return with("neg for invert", {{TasmOp::kPush, kMinusOne}, {TasmOp::kMul, 0}});
    case TasmOp::kDivine:
    case TasmOp::kReadIo:
      if (arg == 1) return with("constant for input", {{TasmOp::kPush, rng.Word()}});
      return with("reordered input", {{op, arg}, {TasmOp::kSwap, 1}});
    case TasmOp::kDup:
    case TasmOp::kSwap:
    case TasmOp::kPick:
    case TasmOp::kPlace:
      return with("wrong register", {{op, (arg + 1) % 16}});
    case TasmOp::kPush:
    case TasmOp::kAddI:
      return with("wrong constant", {{op, vm::goldilocks::Add(arg, 1 + rng.Below(3))}});
    case TasmOp::kAdd:
      return with("mul for add", {{TasmOp::kMul, 0}});
    case TasmOp::kMul:
      return with("add for mul", {{TasmOp::kAdd, 0}});
    case TasmOp::kEq:
      return with("difference for eq",
                  {{TasmOp::kPush, kMinusOne}, {TasmOp::kMul, 0}, {TasmOp::kAdd, 0}});
    case TasmOp::kSplit:
      return with("swapped halves", {{op, 0}, {TasmOp::kSwap, 1}});
    case TasmOp::kAnd:
      return rng.OneIn(2) ? with("xor for and", {{TasmOp::kXor, 0}})
                          : with("dropped u32 operation", {{TasmOp::kPop, 1}});
    case TasmOp::kXor:
      return with("field sum for xor", {{TasmOp::kAdd, 0}});
    case TasmOp::kLt:
      return with("lost u32 check", {{TasmOp::kPop, 2}, {TasmOp::kPush, 1}});
    case TasmOp::kDivMod:
      return with("lost division", {{TasmOp::kSwap, 1}});
    case TasmOp::kPopCount:
    case TasmOp::kLog2Floor:
      return with("lost u32 check", {});
    case TasmOp::kPow:
      return with("mul for pow", {{TasmOp::kMul, 0}});
    case TasmOp::kReadMem:
      return with("wrong address", {{TasmOp::kAddI, 1}, {op, arg}});
    case TasmOp::kHash:
      return with("swapped hash operands", {{TasmOp::kSwap, 1}, {op, 0}});
    case TasmOp::kSpongeAbsorb:
      return with("swapped sponge operands", {{TasmOp::kSwap, 3}, {op, 0}});
    case TasmOp::kSpongeSqueeze:
      return with("swapped sponge output", {{op, 0}, {TasmOp::kSwap, 1}});
    case TasmOp::kXInvert:
      return with("lost inverse", {});
    case TasmOp::kXbMul:
    case TasmOp::kXxMul:
      return with("swapped factors", {{TasmOp::kSwap, 1}, {op, 0}});
    case TasmOp::kMerkleStep:
    case TasmOp::kMerkleStepMem:
      return with("swapped node words", {{TasmOp::kSwap, 2}, {op, 0}});
    case TasmOp::kXxDotStep:
    case TasmOp::kXbDotStep:
      return with("swapped pointers", {{TasmOp::kSwap, 1}, {op, 0}});
    case TasmOp::kPop:
      return with("kept another word",
                  {{TasmOp::kSwap, std::min<std::uint64_t>(arg, 15)}, {op, arg}});
    default:
      return std::nullopt;
  }
}

// A replacement that does nothing to the rest.
Code Padding(TirRng& rng) {
  const std::uint64_t i = 1 + rng.Below(15);
  switch (rng.Below(6)) {
    case 0:
      return {{TasmOp::kSwap, i}, {TasmOp::kSwap, i}};
    case 1:
      return {{TasmOp::kPick, i}, {TasmOp::kPlace, i}};
    case 2:
      return {{TasmOp::kPush, rng.Element()}, {TasmOp::kPop, 1}};
    case 3:
      return {{TasmOp::kDup, i}, {TasmOp::kPop, 1}};
    case 4:
      return {{TasmOp::kAddI, 5}, {TasmOp::kAddI, kMinusOne - 4}};
    default:
      return {{TasmOp::kDup, i}, {TasmOp::kDup, 0}, {TasmOp::kEq, 0}, {TasmOp::kAssert, 0}};
  }
}

// The same instruction said differently.
Code Restated(const TasmInstruction& instruction, TirRng& rng) {
  const auto [op, arg] = instruction;
  if (IsAny(op, {TasmOp::kAdd, TasmOp::kMul, TasmOp::kEq, TasmOp::kAnd, TasmOp::kXor})) {
    return {{TasmOp::kSwap, 1}, instruction};
  }
  if (op == TasmOp::kAddI) return {{TasmOp::kPush, arg}, {TasmOp::kAdd, 0}};
  if (op == TasmOp::kPick || op == TasmOp::kPlace) {
    Code chain;
    for (std::uint64_t i = 1; i <= arg; ++i) {
      chain.push_back({TasmOp::kSwap, op == TasmOp::kPick ? i : arg + 1 - i});
    }
    return chain;
  }
  if (op == TasmOp::kSwap && arg >= 1) {
    if (arg == 1) return {{TasmOp::kPick, 1}};
    return {{TasmOp::kPick, arg}, {TasmOp::kSwap, 1}, {TasmOp::kPlace, arg}};
  }
  if (op == TasmOp::kPush) {
    const std::uint64_t part = rng.Element();
    return {{TasmOp::kPush, part}, {TasmOp::kAddI, vm::goldilocks::Sub(arg, part)}};
  }
  if (IsAny(op, {TasmOp::kPop, TasmOp::kDivine, TasmOp::kReadIo, TasmOp::kWriteIo}) && arg > 1) {
    return {{op, 1}, {op, arg - 1}};
  }
  return {instruction};
}

}  // namespace

std::optional<Mutation> BreakCode(const Code& code, TirRng& rng) {
  for (int attempt = 0; attempt < 20 && !code.empty(); ++attempt) {
    // Checks and effects are few among moves: look for them half of the time.
    std::size_t at = rng.Below(code.size());
    if (rng.OneIn(2)) {
      for (std::size_t i = 0; i < code.size(); ++i) {
        const TasmOp op = code[(at + i) % code.size()].op;
        if (IsAny(op, {TasmOp::kAssert, TasmOp::kAssertVector, TasmOp::kWriteIo, TasmOp::kWriteMem,
                       TasmOp::kLt, TasmOp::kAnd, TasmOp::kDivMod, TasmOp::kInvert, TasmOp::kDivine,
                       TasmOp::kPopCount})) {
          at = (at + i) % code.size();
          break;
        }
      }
    }
    if (auto mutation = BreakAt(code, at, rng)) return mutation;
  }
  return std::nullopt;
}

Mutation RewriteCode(const Code& code, TirRng& rng) {
  Mutation rewrite{"rewrite", code};
  for (std::uint64_t i = 1 + rng.Below(5); i-- > 0;) {
    const std::size_t at = rng.Below(rewrite.code.size() + 1);
    if (rng.OneIn(2) || at == rewrite.code.size()) {
      rewrite.code = Replaced(rewrite.code, at, 0, Padding(rng));
    } else {
      rewrite.code = Replaced(rewrite.code, at, 1, Restated(rewrite.code[at], rng));
    }
  }
  return rewrite;
}

Code RandomCode(TirRng& rng) {
  const TirModule module = RandomFragment(rng, 3 + rng.Below(12), 8);
  return LowerTir(module, {rng.OneIn(2)})->code;
}

bool TellApart(const Code& first, const Code& second, TirRng& rng) {
  TasmProgram a;
  TasmProgram b;
  a.code = first;
  b.code = second;
  const auto left = TasmMachine::Load(a);
  const auto right = TasmMachine::Load(b);
  if (!left || !right) return false;
  TasmOptions options;
  options.heights = false;
  options.end_is_halt = true;
  options.keep_ram = true;
  for (int round = 0; round < 60; ++round) {
    options.initial_stack.emplace();
    for (int i = 0; i < 40; ++i) {
      options.initial_stack->push_back(round % 4 == 0 ? rng.Element() : rng.Word());
    }
    TasmInput input;
    for (int i = 0; i < 40; ++i) input.input.push_back(rng.Element());
    for (int i = 0; i < 40; ++i) input.secret.push_back(rng.Element());
    for (int i = 0; i < 4; ++i) input.digests.push_back({rng.Next() >> 1, 2, 3, 4, rng.Word()});
    for (std::uint64_t i = 0; i < 64; ++i) input.ram.emplace_back(i, rng.Element());
    const auto x = left->Run(input, options);
    const auto y = right->Run(input, options);
    if (!x || !y) return false;
    if (x->crash.has_value() != y->crash.has_value()) return true;
    if (x->crash) continue;
    if (x->output != y->output || x->stack != y->stack || x->ram != y->ram ||
        x->input_read != y->input_read || x->secret_read != y->secret_read ||
        x->digests_read != y->digests_read) {
      return true;
    }
  }
  return false;
}

}  // namespace txvm::triton
