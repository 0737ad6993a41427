// call_indirect: one function per type and table that finds the callee by a balanced tree.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "asm/structured.h"
#include "frontends/wasm/module.h"
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

/// What the elements of one table do when they are called, gathered once for all the types that it
/// is called with: a module can have thousands of them, and a table millions of elements.
class DispatchTable {
 public:
  /// `elements` maps indices < `size` to functions of `module`, kUnknownFunction
  /// or kUncalledFunction.
  DispatchTable(const Module& module, const std::map<std::uint32_t, std::uint32_t>& elements,
                std::uint64_t size);

  /// The ranges for calls of one type: ascending, the first from 0, no two neighbours equal. Cost
  /// O(ranges of no type + runs of elements of this type).
  std::vector<DispatchRange> Ranges(std::uint32_t signature) const;

 private:
  struct Run {  // of the same function
    std::uint64_t first = 0, last = 0;
    std::uint32_t function = 0;
  };
  std::vector<DispatchRange> mismatch_;                   // as if no element had the type
  std::map<std::uint32_t, std::vector<Run>> signatures_;  // by type, ascending; each run lies in
                                                          // one range of mismatch_
};

/// Emits the call of function `index` inside a dispatcher.
using EmitCall = std::function<void(assembler::FunctionBuilder&, std::uint32_t index)>;

/// The dispatcher: takes `params` arguments and the index on top, leaves `results`. It has no
/// locals. Costs 4 steps per level of the tree, 3 more for the call, and one frame.
isa::Result<assembler::FunctionCode> MakeDispatcher(assembler::FunctionSpec spec,
                                                    const std::vector<DispatchRange>& ranges,
                                                    const EmitCall& emit_call);

}  // namespace txvm::frontends::wat
