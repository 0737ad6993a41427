#include "frontends/wasm/body_facts.h"

#include <algorithm>

namespace txvm::frontends::wat {
namespace {

/// What an instruction tells about its module.
enum class Tells : std::uint8_t {
  kNothing,  // its pass looks at its own function alone
  kItself,   // that there is one with these operands
  kCall,     // who is called
  kWhole,    // its pass rewrites several functions
};

/// A kind that is not named here needs the whole module: a new one does until it is.
Tells TellsOf(InstrKind kind) {
  switch (kind) {
    case InstrKind::kOp:
    case InstrKind::kAccess:
    case InstrKind::kConst:
    case InstrKind::kExtend:
    case InstrKind::kLocal:
    case InstrKind::kGlobalGet:
    case InstrKind::kGlobalSet:
    case InstrKind::kBlock:
    case InstrKind::kLoop:
    case InstrKind::kIf:
    case InstrKind::kElse:
    case InstrKind::kEnd:
    case InstrKind::kBr:
    case InstrKind::kBrIf:
    case InstrKind::kBrTable:
    case InstrKind::kReturn:
    case InstrKind::kMemorySize:
    case InstrKind::kMemoryGrow:
    case InstrKind::kUnreachable:
    case InstrKind::kUnsupported:
    case InstrKind::kMissing:
    case InstrKind::kWideConst:
    case InstrKind::kWide:
    case InstrKind::kF32Const:
    case InstrKind::kF64Const:
    case InstrKind::kFloat:
    case InstrKind::kV128Const:
    case InstrKind::kShuffle:
    case InstrKind::kV128Upper:
    case InstrKind::kVector:
    case InstrKind::kRoutine:
    case InstrKind::kTrap:
      return Tells::kNothing;
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
    case InstrKind::kMemoryInit:
    case InstrKind::kDataDrop:
    case InstrKind::kAtomic:
      return Tells::kItself;
    case InstrKind::kCall:
    case InstrKind::kCallIndirect:
      return Tells::kCall;
    default:
      return Tells::kWhole;
  }
}

}  // namespace

void FactCollector::Add(std::uint32_t index, std::span<const Instr> body) {
  calls_.clear();
  for (const Instr& instr : body) {
    switch (TellsOf(instr.kind)) {
      case Tells::kNothing:
        break;
      case Tells::kItself:
        if (known_.insert(Key(instr.kind, std::uint32_t{instr.a}, std::uint32_t{instr.b})).second) {
          facts_.instrs.push_back(instr);
          facts_.instrs.back().place = 0;
        }
        break;
      case Tells::kCall:
        if (wants_calls_) {
          calls_.push_back({instr.kind == InstrKind::kCallIndirect, instr.a, index});
        }
        break;
      case Tells::kWhole:
        needs_whole_ = true;
        break;
    }
  }
  std::ranges::sort(calls_);
  const auto rest = std::ranges::unique(calls_);
  facts_.calls.insert(facts_.calls.end(), calls_.begin(), rest.begin());
}

}  // namespace txvm::frontends::wat
