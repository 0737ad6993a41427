#include "vm/engines/transformer_state.h"

#include <algorithm>
#include <span>

namespace txvm::vm {
namespace {

namespace sf = weights::state_field;

std::uint32_t Field(const weights::StateRecord& record, std::size_t field) {
  return weights::WordAt(std::span(record).subspan(field));
}

}  // namespace

weights::StateRecord RecordOf(const EngineContext& context, const State& state) {
  weights::StateRecord record =
      weights::InitialState(context.program, context.limits, state.ip, {}, state.memory.pages());
  const auto set = [&](std::size_t field, Word word) {
    weights::SetWord(std::span(record).subspan(field), word);
  };
  set(sf::kSp, state.sp);
  set(sf::kDepth, state.depth);
  set(sf::kBase, state.locals_base);
  set(sf::kTop, state.sp == 0 ? 0 : state.top());
  return record;
}

weights::MemoryRecord MemoryRecordOf(const HullToken& token) {
  std::uint32_t key = 0;
  for (std::size_t i = token.key.size(); i-- > 0;) key = key << 8 | token.key[i];
  return weights::MakeMemory(static_cast<weights::Space>(token.space), key, token.value);
}

bool ReadsCode(std::span<const weights::HeadId> heads) {
  return std::ranges::find(heads, weights::HeadId::kFetch) != heads.end();
}

void CopyRegisters(const weights::StateRecord& record, State& state) {
  state.ip = Field(record, sf::kIp);
  state.sp = Field(record, sf::kSp);
  state.depth = Field(record, sf::kDepth);
  state.locals_base = Field(record, sf::kBase);
}

bool RegistersFit(const weights::StateRecord& record, const isa::Limits& limits) {
  return Field(record, sf::kSp) <= limits.max_slots &&
         Field(record, sf::kDepth) <= limits.max_depth &&
         Field(record, sf::kBase) <= limits.max_locals;
}

bool IsImportCall(const isa::Program& program, std::uint32_t ip) {
  if (ip >= program.code.size()) return false;
  const isa::Instruction instruction = program.code[ip];
  return instruction.code() == static_cast<std::uint8_t>(isa::Opcode::kCall) &&
         (instruction.arg & isa::kHostCallBit) != 0 &&
         (instruction.arg & ~isa::kHostCallBit) < program.imports.size();
}

isa::Instruction InstructionOf(const weights::StateRecord& record) {
  isa::Instruction instruction;
  instruction.head = Field(record, sf::kOp);  // op and aux are four bytes
  instruction.arg = Field(record, sf::kArg);
  return instruction;
}

const char* ExhaustedDetail(const weights::StateRecord& record, const isa::Limits& limits) {
  if (InstructionOf(record).op() != isa::Opcode::kCall) return kSlotsExhausted;
  return Field(record, sf::kDepth) == limits.max_depth ? kDepthExhausted : kLocalsExhausted;
}

void RecordStep(State& state, const weights::StateRecord& before, const weights::StateRecord& after,
                Observer* observer) {
  ++state.steps;
  if (observer == nullptr || !observer->wants_records()) return;
  observer->Record(state, state.steps, Field(before, sf::kIp), InstructionOf(after),
                   Field(after, sf::kSp), Field(after, sf::kTop));
}

Stop StopOf(const weights::StateRecord& record, const isa::Limits& limits) {
  const auto cause = isa::FindTrap(static_cast<std::uint32_t>(record[sf::kCause]));
  if (!cause) return Stop::Of(Stop::Kind::kHalted);
  if (*cause != isa::Trap::kExhausted) return Stop::Trapped(*cause);
  return Stop::Trapped(*cause, ExhaustedDetail(record, limits));
}

}  // namespace txvm::vm
