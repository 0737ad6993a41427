// Writes bodies of the functions that lowering passes add to a module.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "frontends/wasm/module.h"
#include "isa/trap.h"

namespace txvm::frontends::wat {

/// The number of items, as indices are.
std::uint32_t CountOf(const auto& container) {
  return static_cast<std::uint32_t>(container.size());
}

/// A body of words, instruction by instruction. Its instructions have no place, so that a trap in
/// it is shown at the instruction that called it.
class CodeWriter {
 public:
  void Add(InstrKind kind, std::uint32_t a = 0, std::uint32_t b = 0,
           isa::Opcode op = isa::Opcode::kNop) {
    function_.body.push_back({kind, op, a, b, 0});
  }
  void Op(isa::Opcode op) { Add(InstrKind::kOp, 0, 0, op); }
  void Const(std::uint32_t value) { Add(InstrKind::kConst, value); }
  void Get(std::uint32_t local) { Add(InstrKind::kLocal, local, 0, isa::Opcode::kLocalGet); }
  void Set(std::uint32_t local) { Add(InstrKind::kLocal, local, 0, isa::Opcode::kLocalSet); }
  void Tee(std::uint32_t local) { Add(InstrKind::kLocal, local, 0, isa::Opcode::kLocalTee); }
  void GetGlobal(std::uint32_t global) { Add(InstrKind::kGlobalGet, global); }
  void SetGlobal(std::uint32_t global) { Add(InstrKind::kGlobalSet, global); }
  void Call(std::uint32_t function) { Add(InstrKind::kCall, function); }
  void End() { Add(InstrKind::kEnd); }
  /// Pops a word and traps if it is not 0. `nothing`: the signature without values.
  void TrapIf(isa::Trap cause, std::uint32_t nothing) {
    Add(InstrKind::kIf, nothing);
    Add(InstrKind::kTrap, static_cast<std::uint32_t>(cause));
    End();
  }
  /// The next unused local, zero at first. `params`: of the function.
  std::uint32_t NewLocal(std::uint32_t params, ValueType type = ValueType::kI32) {
    function_.locals.push_back(type);
    return params + static_cast<std::uint32_t>(function_.locals.size()) - 1;
  }

  /// The function; its body is ended here.
  Function Finish(std::string name, std::uint32_t signature) && {
    End();
    function_.name = std::move(name);
    function_.signature = signature;
    return std::move(function_);
  }

 private:
  Function function_;
};

/// Signatures of words that are appended to a module's.
class WordSignatures {
 public:
  explicit WordSignatures(std::vector<Signature>& signatures) : signatures_(signatures) {}

  /// `params` words to `results` words.
  std::uint32_t Of(std::uint32_t params, std::uint32_t results) {
    const auto next = static_cast<std::uint32_t>(signatures_.size());
    const auto [found, is_new] = known_.try_emplace({params, results}, next);
    if (is_new) {
      signatures_.push_back({std::vector<ValueType>(params, ValueType::kI32),
                             std::vector<ValueType>(results, ValueType::kI32)});
    }
    return found->second;
  }

 private:
  std::vector<Signature>& signatures_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_;
};

}  // namespace txvm::frontends::wat
