// txvm prove: why the weights compute the machine exactly, with numbers.
#include <fmt/format.h>

#include <algorithm>

#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"
#include "vm/engines/hull.h"
#include "vm/engines/hull_proof.h"
#include "weights/bounds.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kProveExamples =
    "  txvm prove          the circuits over all bytes, about 20 s\n"
    "  txvm prove --quick  one input in 97\n";
constexpr std::uint32_t kQuickStride = 97;  // prime, so that it meets every low byte

/// Whether, in type T, key k beats its neighbours at query k.
template <typename T>
bool KeyWins(T k) {
  const auto score = [&](T key) { return T{2} * k * key - key * key; };
  return score(k) > score(k - 1) && score(k) > score(k + 1);
}

/// The first k >= from at which the flat head of type T fails.
template <typename T>
std::uint64_t FirstFailure(std::uint64_t from) {
  while (KeyWins<T>(static_cast<T>(from))) ++from;
  return from;
}

bool ProveBounds(isa::Console& console) {
  const weights::Model model = weights::CompileModel();
  const auto bounds = weights::BoundModel(model);
  console.Out("float32: the largest sum |w x| + |b| of any row, limit 2^24 = 16,777,216\n");
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const bool output = i == model.layers.size();
    largest = std::max(largest, bounds[i].Largest());
    console.Out(fmt::format(
        "  {:<8} {:>12}  margin {:>8.1f} x  {}\n", output ? "output" : fmt::format("layer {}", i),
        isa::Grouped(static_cast<std::uint64_t>(bounds[i].Largest())),
        static_cast<double>(weights::kFloat32Exact) / static_cast<double>(bounds[i].Largest()),
        bounds[i].widest_row));
  }
  console.Out(
      "heads: score = |q|^2 - |q - k|^2 over four byte digits, minus 2^20 outside the space\n");
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const weights::ModelHead& head : model.layers[i].heads) {
      console.Out(fmt::format("  {:<12} layer {}  |score| <= {:>9}  addresses 0..2^32-1\n",
                              weights::Spec(head.id).name, i,
                              isa::Grouped(static_cast<std::uint64_t>(bounds[i].score))));
    }
  }
  return largest < weights::kFloat32Exact;
}

bool ProveFlatKeysFail(isa::Console& console) {
  // 2 k q - k^2 is exact while k^2 fits the significand, 2^24 and 2^53: the first query to tie with
  // a neighbouring key is 4,096 (key 4,097), and 94,906,266 (key 94,906,267).
  constexpr std::uint64_t kFloatFails = 4'096, kDoubleFails = 94'906'266;
  constexpr std::uint64_t kBefore = 1'000'000;  // where the float64 search starts, below its limit
  const std::uint64_t f32 = FirstFailure<float>(1);
  const std::uint64_t f64 = FirstFailure<double>(kDoubleFails - kBefore);
  console.Out(fmt::format(
      "flat keys (2k, -k^2) fail first at query {} in float32 (predicted {}), {} in float64 "
      "(predicted {}); digits do not\n",
      isa::Grouped(f32), isa::Grouped(kFloatFails), isa::Grouped(f64), isa::Grouped(kDoubleFails)));
  return f32 == kFloatFails && f64 == kDoubleFails;
}

bool ProveAll(std::uint32_t stride, isa::Console& console) {
  bool holds = ProveBounds(console);
  holds = ProveFlatKeysFail(console) && holds;
  console.Out(stride == 1 ? "circuits, every input:\n" : "circuits, a sample of the inputs:\n");
  std::uint64_t cases = 0;
  for (const vm::CircuitCheck& check :
       vm::ProveCircuits(weights::CompileModel(), vm::CompiledHullModel(), stride)) {
    cases += check.cases;
    holds = holds && check.failures == 0;
    console.Out(fmt::format("  {:<9} {:>9} cases  {}\n", check.failures == 0 ? "ok" : "FAILED",
                            isa::Grouped(check.cases), check.name));
    if (check.failures != 0) {
      console.Out(fmt::format("    {}, first at {}\n", isa::CountText(check.failures, "failure"),
                              check.first_failure));
    }
  }
  console.Out(fmt::format("{}: {} cases\n", holds ? "proved" : "NOT proved", isa::Grouped(cases)));
  return holds;
}

}  // namespace

int ProveCommand(const CommandLine& line, isa::Console& console) {
  bool quick = false;
  Arguments arguments("prove", "Bound every row and check every circuit of the weights.",
                      kProveExamples);
  arguments.Flag("--quick", "Take one input in 97 of the long enumerations", quick);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  return Value(ProveAll(quick ? kQuickStride : 1, console) ? ExitCode::kHalted
                                                           : ExitCode::kMismatch);
}

}  // namespace txvm::frontends::cli
