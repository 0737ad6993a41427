// The hull engine: every step is a forward pass of the generated weights, held sparse, over the
// complete history of tokens; each head finds its winner on the upper envelope of its keys.
#pragma once

#include <memory>

#include "isa/support/result.h"
#include "vm/engine.h"
#include "weights/model.h"

namespace txvm::vm {

class HullModel;

/// The model of CompileModel, laid out once per process and then shared. About 20 ms the first
/// time.
std::shared_ptr<const HullModel> CompiledHullModel();

/// An engine on CompiledHullModel(). Between one pass and the next it copies token fields and reads
/// the flags stopped, host, counted and micro.
std::unique_ptr<Engine> MakeHullEngine(const EngineContext& context);

/// The same on other weights.
std::unique_ptr<Engine> MakeHullEngine(const EngineContext& context,
                                       std::shared_ptr<const HullModel> model);

}  // namespace txvm::vm
