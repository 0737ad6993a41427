// call_indirect: one function per type and table that finds the callee by a balanced tree.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "asm/structured.h"
#include "isa/trap.h"

namespace txvm::frontends::wat {

/// What an indirect call of one type through one table does for the indices from `first` up to the
/// next range.
struct DispatchRange {
  std::uint32_t first = 0;
  bool is_call = false;
  std::uint32_t function = 0;                      // is_call: the callee
  isa::Trap cause = isa::Trap::kUndefinedElement;  // else
  friend bool operator==(const DispatchRange&, const DispatchRange&) = default;
};

/// The ranges of a table of `size` elements, most of them null: ascending, the first from 0, no two
/// neighbours equal. `elements` maps an index to what calling it does (`first` is ignored).
/// REQUIRES: indices < size.
std::vector<DispatchRange> DispatchRanges(const std::map<std::uint32_t, DispatchRange>& elements,
                                          std::uint64_t size);

/// Emits the call of function `index` inside a dispatcher.
using EmitCall = std::function<void(assembler::FunctionBuilder&, std::uint32_t index)>;

/// The dispatcher: takes `params` arguments and the index on top, leaves `results`. It has no
/// locals. Costs 4 steps per level of the tree, 3 more for the call, and one frame.
isa::Result<assembler::FunctionCode> MakeDispatcher(assembler::FunctionSpec spec,
                                                    const std::vector<DispatchRange>& ranges,
                                                    const EmitCall& emit_call);

}  // namespace txvm::frontends::wat
