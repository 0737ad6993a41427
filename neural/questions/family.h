// The families of questions, and what an evaluation holds out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace txvm::neural::questions {

/// What kinds of question there are (families.def).
enum class Family : std::uint8_t {
#define TXVM_FAMILY(Name, first, one, two, last, is_story, what) k##Name,
#include "neural/questions/families.def"
#undef TXVM_FAMILY
};

/// How many columns of weights families.def has.
inline constexpr std::size_t kMixes = 4;

/// A row of families.def.
struct FamilyRow {
  std::string_view name;
  std::array<unsigned, kMixes> weights;  // by mix
  bool is_story;
};
inline constexpr std::array kFamilies = {
#define TXVM_FAMILY(Name, first, one, two, last, is_story, what) \
  FamilyRow{#Name, {first, one, two, last}, is_story},
#include "neural/questions/families.def"
#undef TXVM_FAMILY
};

/// The row of a family.
constexpr const FamilyRow& RowOf(Family family) {
  return kFamilies[static_cast<std::size_t>(family)];
}
/// The name of a family, as families.def has it.
constexpr std::string_view FamilyName(Family family) { return RowOf(family).name; }
/// All of them, in the order of the enumeration.
std::vector<std::string_view> FamilyNames();
/// The family of a name; nothing where there is none.
std::optional<Family> FindFamily(std::string_view name);
/// The file of a family's sentences, without its folder: "two_step.txt" of TwoStep.
std::string FamilyFile(Family family);

/// What an evaluation set holds out; everything else in it is as in training (axes.def).
enum class Axis : std::uint8_t {
#define TXVM_AXIS(Name, text, what) k##Name,
#include "neural/questions/axes.def"
#undef TXVM_AXIS
};
/// The name of an axis on a command line.
std::string_view AxisName(Axis axis);
/// The axis of a name; nothing where there is none.
std::optional<Axis> FindAxis(std::string_view text);

}  // namespace txvm::neural::questions
