// The registers of a State as the fields of a state token, and back: what the token engines copy at
// the start and the end of a run.
#pragma once

#include <span>
#include <string_view>

#include "vm/engine.h"
#include "vm/engines/hull_model.h"
#include "weights/reference.h"
#include "weights/tokens.h"

namespace txvm::vm {

/// The state token of `state`, between two instructions.
weights::StateRecord RecordOf(const EngineContext& context, const State& state);
/// The record of a token of the history.
weights::MemoryRecord MemoryRecordOf(const HullToken& token);
/// Whether one of a model's heads reads instructions: not in a folded model.
bool ReadsCode(std::span<const weights::HeadId> heads);
/// Copies ip, sp, depth and locals_base of a record into `state`.
void CopyRegisters(const weights::StateRecord& record, State& state);
/// Whether sp, depth and locals_base of a record lie within their spaces. Only edited weights move
/// them out.
bool RegistersFit(const weights::StateRecord& record, const isa::Limits& limits);
/// Whether the instruction at `ip` is a CALL of one of the program's imports.
bool IsImportCall(const isa::Program& program, std::uint32_t ip);
/// The executed instruction a pass reports.
isa::Instruction InstructionOf(const weights::StateRecord& record);

/// Which limit an exhausted trap met, in words; for reports only.
const char* ExhaustedDetail(const weights::StateRecord& record, const isa::Limits& limits);

/// Counts the step from `before` to `after` and shows it to the observer, if there is one.
void RecordStep(State& state, const weights::StateRecord& before, const weights::StateRecord& after,
                Observer* observer);

using weights::kMaxPasses;
inline constexpr const char* kNoToken = "the weights wrote a token that is none";
inline constexpr const char* kNoPlace = "the weights moved a register out of its space";
inline constexpr const char* kNoImport = "the weights made a host call where there is none";
inline constexpr const char* kEndless = "the weights do not finish an instruction";

/// How a run of tokens ends when a pass says so: halted or trapped, with its cause and detail.
Stop StopOf(const weights::StateRecord& record, const isa::Limits& limits);

}  // namespace txvm::vm
