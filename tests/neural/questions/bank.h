// The sentences of the source tree, read once for all tests of a program.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "neural/questions/bank.h"

namespace txvm::neural::questions {

/// What the source tree has. A fault in it ends the test program with the file and the line.
inline const QuestionBank& Bank() {
  static const std::unique_ptr<const QuestionBank> bank = [] {
    auto read = ReadQuestions({});
    if (!read) {
      std::fprintf(stderr, "%s\n", read.error().ToString().c_str());
      std::abort();
    }
    return *std::move(read);
  }();
  return *bank;
}

}  // namespace txvm::neural::questions
