// The generator's source of randomness: the same numbers on every machine.
#pragma once

#include "isa/support/random.h"

namespace txvm::neural::questions {

using isa::HashText;
using isa::Random;

}  // namespace txvm::neural::questions
