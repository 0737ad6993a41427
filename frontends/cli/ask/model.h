// The language model that `txvm ask` reads questions with.
#pragma once

#include <optional>
#include <string>

#include "frontends/cli/support/arguments.h"
#include "frontends/nl/reader/ask.h"
#include "frontends/nl/reader/chat_reader.h"
#include "isa/support/result.h"

namespace txvm::frontends::cli {

struct AskModelOptions {
  std::string path;     // folder or file; empty: the model that comes with txvm
  std::string adapter;  // folder or file; empty: none
  std::optional<nl::PromptVariant> variant;
  std::optional<nl::Pipeline> pipeline;
  std::optional<double> threshold;  // least confidence; the reader's own when absent
  std::optional<double> precision;  // the threshold is what gives it
  bool no_abstain = false;

  bool given() const {
    return !path.empty() || !adapter.empty() || variant || pipeline || threshold || precision ||
           no_abstain;
  }
};

/// A reader and what it is: "chat model, prompt template, pipeline auto".
struct AskReader {
  nl::Reader read;
  std::string what;  // empty when no model reads
};

/// Declares --model, --adapter, --prompt, --pipeline, --threshold, --precision and
/// --no-abstain.
void DeclareModelOptions(Arguments& arguments, AskModelOptions& options);

/// A model whose tokenizer has tokens for slots reads with them; any other model reads as a chat
/// model, or without examples where it has an adapter. kUsage: options of chat models for one that
/// is none; errors of OpenBundle, WithAdapter and of the readers' Make.
isa::Result<AskReader> OpenAskModel(const AskModelOptions& options);

}  // namespace txvm::frontends::cli
