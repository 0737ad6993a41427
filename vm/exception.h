// Exceptions as a program leaves them in its globals (isa::ExceptionSpec).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/program.h"
#include "isa/value_type.h"
#include "isa/word_ops.h"

namespace txvm::vm {

/// An exception by its tag, an index of isa::ExceptionSpec::tags, and its values.
struct Exception {
  std::uint32_t tag = 0;
  std::string name;  // the tag's
  std::vector<isa::Value> values;
};

/// The last exception that came out of a call from outside; nullopt: none has. `globals`: the
/// program's, as they are now. A later exception of the same tag overwrites its values.
std::optional<Exception> UncaughtException(const isa::Program& program,
                                           std::span<const isa::Word> globals);

/// Puts an exception where UncaughtException finds it. REQUIRES: the program has the tag, whose
/// types the values have.
void SetUncaughtException(const isa::Program& program, const Exception& exception,
                          std::span<isa::Word> globals);

/// "name(1, 2.5)". The name is made safe to print.
std::string ExceptionText(const Exception& exception);

}  // namespace txvm::vm
