#include "neural/questions/family.h"

#include <algorithm>

#include "neural/questions/letters.h"

namespace txvm::neural::questions {
namespace {

constexpr std::array kAxes = {
#define TXVM_AXIS(Name, text, what) std::string_view(text),
#include "neural/questions/axes.def"
#undef TXVM_AXIS
};

}  // namespace

std::vector<std::string_view> FamilyNames() {
  std::vector<std::string_view> names;
  for (const FamilyRow& row : kFamilies) names.push_back(row.name);
  return names;
}
std::optional<Family> FindFamily(std::string_view name) {
  const auto found = std::ranges::find(kFamilies, name, &FamilyRow::name);
  if (found == kFamilies.end()) return std::nullopt;
  return static_cast<Family>(found - kFamilies.begin());
}
std::string FamilyFile(Family family) {
  std::string file;
  for (const char c : FamilyName(family)) {
    if (IsUpper(c) && !file.empty()) file += '_';
    file += ToLower(c);
  }
  return file + ".txt";
}
std::string_view AxisName(Axis axis) { return kAxes[static_cast<std::size_t>(axis)]; }
std::optional<Axis> FindAxis(std::string_view text) {
  const auto found = std::ranges::find(kAxes, text);
  if (found == kAxes.end()) return std::nullopt;
  return static_cast<Axis>(found - kAxes.begin());
}

}  // namespace txvm::neural::questions
