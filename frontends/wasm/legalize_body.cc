#include "frontends/wasm/legalize_body.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "frontends/wasm/float_code.h"
#include "frontends/wasm/vector_code.h"
#include "frontends/wasm/wide.h"
#include "frontends/wasm/wide_code.h"

namespace txvm::frontends::wat {
namespace {

using isa::Opcode;

/// Walks one body of a validated module. Dead code is dropped, so the types on the stack are always
/// known. INVARIANT: words_ holds how many words each value on the stack takes.
class BodyLegalizer {
 public:
  BodyLegalizer(const Function& source, const LegalizeContext& context);

  Function Run() &&;

 private:
  struct Frame {
    std::size_t height;  // of words_ below the parameters
    const Signature* signature;
  };

  std::optional<WordsAtHand> AtHand(const Instr& instr) const;

  void Visit(const Instr& instr);
  bool VisitTogether(const Instr& instr, const Instr& next);
  void VisitWide(WideOp op, std::uint32_t offset, const std::optional<WordsAtHand>& right);
  void VisitFloat(FloatOp op);
  void VisitVector(const Instr& instr);
  void VisitDead(const Instr& instr);
  void VisitOp(const Instr& instr);
  void VisitLocal(const Instr& instr);
  void VisitGlobal(const Instr& instr);
  void VisitCall(const Instr& instr);
  void VisitBegin(const Instr& instr);
  void VisitElse(const Instr& instr);
  void VisitEnd(const Instr& instr);
  void Missing(std::uint32_t text);

  void Pop(std::size_t count) { words_.resize(words_.size() - count); }
  void PushWords(ValueType type) { words_.push_back(static_cast<std::uint8_t>(WordsIn(type))); }
  void PushTypes(const std::vector<ValueType>& types) {
    for (const ValueType type : types) PushWords(type);
  }
  void Apply(const Signature& signature) {
    Pop(signature.params.size());
    PushTypes(signature.results);
  }
  void ResetTo(std::size_t height, const std::vector<ValueType>& types) {
    words_.resize(height);
    PushTypes(types);
  }
  void Copy(const Instr& instr) { code_.Add(instr.kind, instr.a, instr.b, instr.op); }

  const Function& source_;
  const LegalizeContext& context_;
  Function out_;
  std::vector<std::uint32_t> slots_;       // (locals,) where each went; the low word's
  std::vector<std::uint8_t> local_words_;  // (locals,)
  std::uint32_t slot_count_;
  WideCode code_;
  std::vector<std::uint8_t> words_;
  std::vector<Frame> frames_;
  bool is_dead_ = false;
  std::uint32_t dead_blocks_ = 0;  // opened inside dead code
  // The low words of the lanes of the shuffle whose other words come next.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> shuffle_;
};

Function WithoutBody(const Function& source) {
  Function function;
  function.name = source.name;
  function.signature = source.signature;
  function.labels = source.labels;
  function.place = source.place;
  function.id = source.id;
  function.on_demand = source.on_demand;
  return function;
}

BodyLegalizer::BodyLegalizer(const Function& source, const LegalizeContext& context)
    : source_(source),
      context_(context),
      out_(WithoutBody(source)),
      slot_count_([&] {
        std::uint32_t next = 0;
        const auto place = [&](ValueType type, bool is_param) {
          slots_.push_back(next);
          const std::uint32_t words = WordsIn(type);
          local_words_.push_back(static_cast<std::uint8_t>(words));
          next += words;
          const ValueType word = IsNumber(type) ? ValueType::kI32 : type;
          if (!is_param) out_.locals.insert(out_.locals.end(), words, word);
        };
        for (const ValueType type : context.module.SignatureOf(source).params) place(type, true);
        for (const ValueType type : source.locals) place(type, false);
        return next;
      }()),
      code_(out_, slot_count_, context.helper) {}

Function BodyLegalizer::Run() && {
  frames_.push_back({0, &context_.module.SignatureOf(source_)});
  for (std::size_t i = 0; i < source_.body.size(); ++i) {
    const Instr instr = WithoutFloatMove(source_.body[i]);
    code_.SetPlace(instr.place);
    if (is_dead_) {
      VisitDead(instr);
      continue;
    }
    if (i + 1 < source_.body.size() &&
        VisitTogether(instr, WithoutFloatMove(source_.body[i + 1]))) {
      ++i;
      continue;
    }
    Visit(instr);
  }
  return std::move(out_);
}

/// Visits an instruction that pushes a pair at hand and the next one, which takes it from there.
/// False when they are no such two.
bool BodyLegalizer::VisitTogether(const Instr& instr, const Instr& next) {
  if (next.kind != InstrKind::kWide) return false;
  const auto op = static_cast<WideOp>(next.b);
  const std::optional<WordsAtHand> right = AtHand(instr);
  if (!right || !WideCode::TakesRight(op)) return false;
  words_.push_back(2);
  code_.SetPlace(next.place);  // where it can trap
  VisitWide(op, next.a, right);
  return true;
}

/// The pair an instruction would push, if it is a constant or a local.
std::optional<WordsAtHand> BodyLegalizer::AtHand(const Instr& instr) const {
  if (instr.kind == InstrKind::kWideConst) return WordsAtHand{{true, instr.a}, {true, instr.b}};
  if (instr.kind != InstrKind::kLocal || instr.op != Opcode::kLocalGet ||
      local_words_[instr.a] != 2) {
    return std::nullopt;
  }
  return WordsAtHand{{false, slots_[instr.a]}, {false, slots_[instr.a] + 1}};
}

void BodyLegalizer::Missing(std::uint32_t text) {
  code_.Add(InstrKind::kMissing, text);
  is_dead_ = true;
}

void BodyLegalizer::VisitDead(const Instr& instr) {
  switch (instr.kind) {
    case InstrKind::kBlock:
    case InstrKind::kLoop:
    case InstrKind::kIf:
      ++dead_blocks_;
      return;
    case InstrKind::kElse:
      if (dead_blocks_ == 0) VisitElse(instr);
      return;
    case InstrKind::kEnd:
      if (dead_blocks_ == 0) return VisitEnd(instr);
      --dead_blocks_;
      return;
    default:
      return;
  }
}

void BodyLegalizer::VisitBegin(const Instr& instr) {
  const Signature& signature = context_.module.signatures[instr.a];
  if (instr.kind == InstrKind::kIf) Pop(1);
  frames_.push_back({words_.size() - signature.params.size(), &signature});
  Copy(instr);
}

void BodyLegalizer::VisitElse(const Instr& instr) {
  ResetTo(frames_.back().height, frames_.back().signature->params);
  is_dead_ = false;
  Copy(instr);
}

void BodyLegalizer::VisitEnd(const Instr& instr) {
  ResetTo(frames_.back().height, frames_.back().signature->results);
  is_dead_ = false;
  frames_.pop_back();
  Copy(instr);
}

void BodyLegalizer::VisitOp(const Instr& instr) {
  const isa::OpcodeInfo& info = isa::Info(instr.op);
  if (instr.op == Opcode::kPop) {
    for (std::uint8_t i = 0; i < words_.back(); ++i) Copy(instr);
    return Pop(1);
  }
  if (instr.op == Opcode::kSelect) {
    Pop(2);
    if (words_.back() > 1) return code_.SelectWords(words_.back());
    return Copy(instr);
  }
  Pop(info.pops);
  words_.insert(words_.end(), info.pushes, 1);
  Copy(instr);
}

void BodyLegalizer::VisitLocal(const Instr& instr) {
  const std::uint32_t slot = slots_[instr.a];
  const std::uint8_t words = local_words_[instr.a];
  const bool is_get = instr.op == Opcode::kLocalGet;
  if (is_get) words_.push_back(words);
  if (instr.op == Opcode::kLocalSet) Pop(1);
  if (words == 1) return code_.Add(InstrKind::kLocal, slot, 0, instr.op);
  if (is_get) {
    for (std::uint32_t i = 0; i < words; ++i) code_.Get(slot + i);
    return;
  }
  for (std::uint32_t i = words; i-- > 1;) code_.Set(slot + i);
  if (instr.op == Opcode::kLocalSet) return code_.Set(slot);
  code_.Tee(slot);
  for (std::uint32_t i = 1; i < words; ++i) code_.Get(slot + i);
}

void BodyLegalizer::VisitGlobal(const Instr& instr) {
  const ValueType type = context_.module.globals[instr.a].type;
  const std::uint32_t slot = context_.global_slots[instr.a], words = WordsIn(type);
  if (instr.kind == InstrKind::kGlobalGet) {
    PushWords(type);
    for (std::uint32_t i = 0; i < words; ++i) code_.Add(instr.kind, slot + i);
    return;
  }
  Pop(1);
  for (std::uint32_t i = words; i-- > 0;) code_.Add(instr.kind, slot + i);
}

void BodyLegalizer::VisitCall(const Instr& instr) {
  const Module& module = context_.module;
  const Function& callee = module.functions[instr.a];
  const Signature& signature = module.SignatureOf(callee);
  if (callee.import && !IsNumbersOnly(signature)) {
    return Missing(context_.missing(
        fmt::format("call of {}, whose type is not of numbers only,", ShownName(*callee.import))));
  }
  Apply(signature);
  Copy(instr);
}

void BodyLegalizer::VisitWide(WideOp op, std::uint32_t offset,
                              const std::optional<WordsAtHand>& right) {
  const WideForm form = kWideOps[static_cast<std::size_t>(op)].form;
  const bool is_binary = form == WideForm::kPair || form == WideForm::kShift ||
                         form == WideForm::kHelper || form == WideForm::kRoutine;
  const bool leaves_word =
      form == WideForm::kCompare || form == WideForm::kEqz || form == WideForm::kWrap;
  const bool pops_two = is_binary || form == WideForm::kCompare || form == WideForm::kStore;
  Pop(pops_two ? 2 : 1);
  if (form != WideForm::kStore) words_.push_back(leaves_word ? 1 : 2);
  code_.Wide(op, offset, right);
}

void BodyLegalizer::VisitFloat(FloatOp op) {
  const FloatInfo& info = InfoOf(op);
  Pop(info.operands);
  PushWords(info.result);
  EmitFloat(code_, op);
}

/// Instructions on vectors. The words of a constant or of a shuffle's lanes are in two of them.
void BodyLegalizer::VisitVector(const Instr& instr) {
  if (instr.kind == InstrKind::kV128Upper) {
    if (!shuffle_) {
      code_.Push(instr.a);
      return code_.Push(instr.b);
    }
    EmitShuffle(code_, {shuffle_->first, shuffle_->second, instr.a, instr.b});
    return shuffle_.reset();
  }
  if (instr.kind == InstrKind::kV128Const) {
    PushWords(ValueType::kV128);
    code_.Push(instr.a);
    return code_.Push(instr.b);
  }
  if (instr.kind == InstrKind::kShuffle) {
    Pop(1);
    shuffle_.emplace(instr.a, instr.b);
    return;
  }
  const wasm::OpInfo& info = wasm::InfoOf(VectorOpOf(instr));
  Pop(info.param_count);
  if (info.result) PushWords(*info.result);
  EmitVector(code_, instr);
}

void BodyLegalizer::Visit(const Instr& instr) {
  switch (instr.kind) {
    case InstrKind::kOp:
      return VisitOp(instr);
    case InstrKind::kAccess: {
      const isa::OpcodeInfo& info = isa::Info(instr.op);
      Pop(info.pops);
      words_.insert(words_.end(), info.pushes, 1);
      return Copy(instr);
    }
    case InstrKind::kExtend:
    case InstrKind::kMemoryGrow:
      return Copy(instr);  // word to word
    case InstrKind::kConst:
    case InstrKind::kMemorySize:
      words_.push_back(1);
      return Copy(instr);
    case InstrKind::kLocal:
      return VisitLocal(instr);
    case InstrKind::kGlobalGet:
    case InstrKind::kGlobalSet:
      return VisitGlobal(instr);
    case InstrKind::kBlock:
    case InstrKind::kLoop:
    case InstrKind::kIf:
      return VisitBegin(instr);
    case InstrKind::kElse:
      return VisitElse(instr);
    case InstrKind::kEnd:
      return VisitEnd(instr);
    case InstrKind::kFindIndirect:
      return Copy(instr);  // word to word
    case InstrKind::kRegroup:
      Pop(instr.b);
      return PushTypes(context_.module.regroups[instr.a]);
    case InstrKind::kBr:
    case InstrKind::kBrTable:
    case InstrKind::kReturn:
    case InstrKind::kReturnCall:
    case InstrKind::kReturnCallIndirect:
    case InstrKind::kTrap:
    case InstrKind::kUnreachable:
      is_dead_ = true;
      return Copy(instr);
    case InstrKind::kBrIf:
      Pop(1);
      return Copy(instr);
    case InstrKind::kCall:
      return VisitCall(instr);
    case InstrKind::kCallIndirect:
      Pop(1);
      Apply(context_.module.signatures[instr.a]);
      return Copy(instr);
    case InstrKind::kUnsupported:
    case InstrKind::kMissing:
      return Missing(instr.a);
    case InstrKind::kWideConst:
      words_.push_back(2);
      code_.Push(instr.a);
      return code_.Push(instr.b);
    case InstrKind::kWide:
      return VisitWide(static_cast<WideOp>(instr.b), instr.a, std::nullopt);
    case InstrKind::kFloat:
      return VisitFloat(static_cast<FloatOp>(instr.b));
    case InstrKind::kV128Const:
    case InstrKind::kShuffle:
    case InstrKind::kV128Upper:
    case InstrKind::kVector:
      return VisitVector(instr);
    case InstrKind::kF32Const:
    case InstrKind::kF64Const:
    case InstrKind::kRoutine:
    case InstrKind::kRefNull:
    case InstrKind::kRefFunc:
    case InstrKind::kRefIsNull:
    case InstrKind::kTableGet:
    case InstrKind::kTableSet:
    case InstrKind::kTableSize:
    case InstrKind::kTableGrow:
    case InstrKind::kTableFill:
    case InstrKind::kTableCopy:
    case InstrKind::kTableInit:
    case InstrKind::kElemDrop:
    case InstrKind::kAtomic:
    case InstrKind::kMemoryInit:
    case InstrKind::kDataDrop:
    case InstrKind::kAsNonNull:
    case InstrKind::kBrOnNull:
    case InstrKind::kBrOnNonNull:
    case InstrKind::kCallRef:
    case InstrKind::kReturnCallRef:
    case InstrKind::kMemory:
    case InstrKind::kMemoryFill:
    case InstrKind::kMemoryCopy:
    case InstrKind::kTry:
    case InstrKind::kTryTable:
    case InstrKind::kCatch:
    case InstrKind::kCatchAll:
    case InstrKind::kDelegate:
    case InstrKind::kThrow:
    case InstrKind::kThrowRef:
    case InstrKind::kRethrow:
    case InstrKind::kExnNull:
    case InstrKind::kExnIsNull:
      TXVM_ASSERT(false);  // moves are integer ones here; legalizing makes the routines
  }
}

}  // namespace

Function LegalizeBody(const Function& function, const LegalizeContext& context) {
  return BodyLegalizer(function, context).Run();
}

}  // namespace txvm::frontends::wat
