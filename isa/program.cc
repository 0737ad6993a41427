#include "isa/program.h"

#include <algorithm>

namespace txvm::isa {

const Function* Program::FunctionAt(std::uint32_t ip) const {
  auto after =
      std::upper_bound(functions.begin(), functions.end(), ip,
                       [](std::uint32_t value, const Function& f) { return value < f.first; });
  if (after == functions.begin()) return nullptr;
  const Function& function = *(after - 1);
  return ip <= function.last ? &function : nullptr;
}

const Export* Program::FindExport(std::string_view name) const {
  auto found =
      std::find_if(exports.begin(), exports.end(), [&](const Export& e) { return e.name == name; });
  return found == exports.end() ? nullptr : &*found;
}

std::uint32_t Program::LineAt(std::uint32_t ip) const {
  auto after =
      std::upper_bound(lines.begin(), lines.end(), ip,
                       [](std::uint32_t value, const LineMark& mark) { return value < mark.ip; });
  return after == lines.begin() ? 0 : (after - 1)->line;
}

std::string_view Program::NoteAt(std::uint32_t ip) const {
  auto found =
      std::lower_bound(notes.begin(), notes.end(), ip,
                       [](const TrapNote& note, std::uint32_t value) { return note.ip < value; });
  return found != notes.end() && found->ip == ip ? std::string_view(found->text)
                                                 : std::string_view();
}

std::uint32_t LargestFrame(const Program& program) {
  std::uint32_t largest = 0;
  for (const Function& function : program.functions) largest = std::max(largest, function.locals);
  return largest;
}

}  // namespace txvm::isa
