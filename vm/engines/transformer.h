// The transformer engine: the definition. Every step is a dense float32 forward pass of the weights
// with exhaustive attention over all tokens so far.
#pragma once

#include <memory>

#include "isa/support/result.h"
#include "vm/engine.h"
#include "vm/engines/transformer_model.h"

namespace txvm::vm {

/// Tokens a program may start with: code, globals, data.
inline constexpr std::size_t kMaxPrefixTokens = 1u << 20;

/// The dense model of CompileModel, made once per process and then shared (29 MB).
std::shared_ptr<const TransformerModel> CompiledTransformerModel();

/// kLimit when the program's prefix exceeds kMaxPrefixTokens.
isa::Result<std::unique_ptr<Engine>> MakeTransformerEngine(const EngineContext& context);

/// The same on other weights.
isa::Result<std::unique_ptr<Engine>> MakeTransformerEngine(
    const EngineContext& context, std::shared_ptr<const TransformerModel> model);

}  // namespace txvm::vm
