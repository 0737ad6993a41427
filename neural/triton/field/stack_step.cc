#include "neural/triton/field/stack_step.h"

namespace txvm::triton {

std::string_view FaultText(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return "none";
    case Fault::kNotU32:
      return "not u32";
    case Fault::kInverseOfZero:
      return "inv0";
    case Fault::kDivisionByZero:
      return "div0";
    case Fault::kLogOfZero:
      return "log0";
    case Fault::kAssert:
      return "assert";
    case Fault::kAssertVector:
      return "assert_vector";
    case Fault::kInputEmpty:
      return "input empty";
    case Fault::kSecretEmpty:
      return "secret empty";
    case Fault::kDigestEmpty:
      return "digest empty";
    case Fault::kSpongeUninit:
      return "sponge uninit";
    case Fault::kShallow:
      return "shallow";
    case Fault::kControl:
      return "control";
    case Fault::kStepLimit:
      return "step limit";
    case Fault::kOutOfMemory:
      return "out of memory";
  }
  return "unknown";
}

}  // namespace txvm::triton
