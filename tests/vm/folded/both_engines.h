// One program on the folded and the native engine.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/wat/load.h"
#include "tests/vm/folded/wasm_comparison.h"
#include "vm/machine.h"

namespace txvm::vm {

/// The program of a module in text form, i64 and floats as words.
inline isa::Program WatProgram(const std::string& text) {
  auto program = frontends::wat::LoadWat(text, "test.wat", {.lower_i64 = true});
  EXPECT_TRUE(program) << program.error().ToString();
  return *std::move(program);
}

/// Makes the same calls on both engines.
class BothEngines {
 public:
  explicit BothEngines(isa::Program program, const isa::Limits& limits = {})
      : program_(std::make_shared<const isa::Program>(std::move(program))),
        folded_(Load(EngineKind::kFolded, limits)),
        native_(Load(EngineKind::kNative, limits)) {}

  /// The first difference of a call of an export; empty: none.
  std::string Call(std::string_view name, const std::vector<Word>& args,
                   const RunOptions& options = {}) {
    const isa::Export& entry = *program_->FindExport(name);
    const RunResult a = folded_.Call(entry, args, options).value();
    const RunResult b = native_.Call(entry, args, options).value();
    return Difference(a, b);
  }
  /// The same of going on.
  std::string Resume(const RunOptions& options) {
    const RunResult a = folded_.Resume(options), b = native_.Resume(options);
    return Difference(a, b);
  }
  /// Of the last run on native.
  Outcome outcome() const { return outcome_; }

 private:
  Machine Load(EngineKind engine, const isa::Limits& limits) const {
    MachineOptions options;
    options.engine = engine;
    options.limits = limits;
    options.fold_at_first_call = true;
    return Machine::Load(program_, {}, options).value();
  }
  std::string Difference(const RunResult& a, const RunResult& b) {
    outcome_ = b.outcome;
    const std::string results = ResultsDiffer(a, b);
    return results.empty() ? StatesDiffer(folded_, native_) : results;
  }

  std::shared_ptr<const isa::Program> program_;
  Machine folded_, native_;
  Outcome outcome_ = Outcome::kHalted;
};

}  // namespace txvm::vm
