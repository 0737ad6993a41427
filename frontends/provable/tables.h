// Calls by index.
#pragma once

#include "frontends/provable/call_graph.h"
#include "frontends/provable/context.h"

namespace txvm::frontends::provable {

/// Gives every kind of call_indirect of the graph a function that selects the callee.
void NameDispatchers(Context& context, const CallGraph& graph);

/// Writes these functions: `_ args index -- _ results`, a search for the index in halves. Crashes
/// where there is no function of the signature.
void WriteDispatchers(Context& context, const TableContents& tables);

/// A call, of an import too, arguments on the stack.
Code CallFunction(Context& context, std::uint32_t function);

}  // namespace txvm::frontends::provable
