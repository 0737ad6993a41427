#include "vm/exception.h"

#include <algorithm>

#include "isa/support/text.h"
#include "isa/value_text.h"

namespace txvm::vm {

std::optional<Exception> UncaughtException(const isa::Program& program,
                                           std::span<const isa::Word> globals) {
  if (!program.exceptions) return std::nullopt;
  const isa::ExceptionSpec& spec = *program.exceptions;
  const isa::Word number = globals[spec.uncaught];
  if (number == 0 || number > spec.tags.size()) return std::nullopt;
  const isa::ExceptionTag& tag = spec.tags[number - 1];
  Exception exception{number - 1, tag.name, {}};
  if (tag.types.empty()) return exception;
  exception.values =
      isa::ValuesOfWords(tag.types, globals.subspan(tag.global, isa::WordsOf(tag.types)));
  return exception;
}

void SetUncaughtException(const isa::Program& program, const Exception& exception,
                          std::span<isa::Word> globals) {
  const isa::ExceptionSpec& spec = *program.exceptions;
  globals[spec.uncaught] = exception.tag + 1;
  const std::vector<isa::Word> words = isa::WordsOfValues(exception.values);
  if (words.empty()) return;
  std::ranges::copy(words, globals.subspan(spec.tags[exception.tag].global).begin());
}

std::string ExceptionText(const Exception& exception) {
  std::string text = isa::Printable(exception.name) + "(";
  for (std::size_t i = 0; i < exception.values.size(); ++i) {
    if (i != 0) text += ", ";
    text += isa::ValueText(exception.values[i]);
  }
  return text + ")";
}

}  // namespace txvm::vm
