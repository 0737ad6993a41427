// A program accepted once, ready to be loaded any number of times, from any thread.
#pragma once

#include <memory>
#include <optional>

#include "isa/program.h"
#include "isa/verify.h"
#include "vm/shared_tables.h"

namespace txvm::vm {

/// A program, the validator's verdict on it, and the engines' tables for it. What costs in
/// proportion to the code is paid here, once; an instance then costs its stacks. Immutable to its
/// users and thread-safe.
class Prepared {
 public:
  /// Verifies the program. Errors: those of Verify, unless `allow_unverified`.
  static isa::Result<std::shared_ptr<const Prepared>> Create(
      std::shared_ptr<const isa::Program> program, bool allow_unverified = false);

  Prepared(std::shared_ptr<const isa::Program> program, std::optional<isa::Verified> verified)
      : program_(std::move(program)), verified_(std::move(verified)) {}

  const isa::Program& program() const { return *program_; }
  const std::shared_ptr<const isa::Program>& shared_program() const { return program_; }
  /// nullptr when Verify rejected the program: every instruction is checked as it runs.
  const isa::Verified* verified() const { return verified_ ? &*verified_ : nullptr; }
  SharedTables& tables() const { return tables_; }

 private:
  std::shared_ptr<const isa::Program> program_;
  std::optional<isa::Verified> verified_;
  mutable SharedTables tables_;
};

}  // namespace txvm::vm
