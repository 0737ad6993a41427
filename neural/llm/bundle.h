// A model with what comes beside it: tokenizer and chat template.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "isa/support/result.h"
#include "neural/llm/chat.h"
#include "neural/llm/checkpoint.h"
#include "neural/llm/model.h"
#include "neural/llm/save.h"
#include "neural/llm/tokenizer.h"

namespace txvm::neural::llm {

struct Bundle {
  std::shared_ptr<const Model> model;
  std::optional<Tokenizer> tokenizer;  // absent when the files hold none
  std::string chat_template;           // "" likewise
  std::string format;                  // "GGUF 3", "safetensors"
};

/// Opens a checkpoint (see OpenCheckpoint) with the tokenizer and template in its folder or its
/// metadata. An added token beyond the model's own that has no role and that the template does not
/// name is left out: its text is text like any other. Errors as OpenCheckpoint's, BuildModel's and
/// OpenTokenizer's, which name the file or folder; kInvalid: a tokenizer with other tokens than the
/// model has.
isa::Result<Bundle> OpenBundle(const std::string& path, const LoadOptions& options = {});

/// The same from bytes that outlive the bundle: what is compiled into a program.
isa::Result<Bundle> BundleFromMemory(std::string_view config_json,
                                     std::span<const std::uint8_t> safetensors,
                                     std::string_view tokenizer_json);

/// Writes the bundle as a folder or a GGUF file (see save.h), the tokenizer with it: GGUF carries
/// it in its metadata, with unused pieces up to the model's rows; a folder gets copies of the files
/// beside `source`, or a tokenizer.model (tokenizer.json where the vocabulary is byte-level) and a
/// tokenizer_config.json made from a GGUF file's, which give the same tokens and template. Other
/// tokenizer files in the folder are removed, those beside a GGUF file too. No file is replaced or
/// removed before all are whole. kUnsupported: a tokenizer the format cannot express; kHost: what
/// cannot be written or removed; kInterrupted.
isa::Result<void> SaveBundle(const Bundle& bundle, const std::string& source,
                             const std::string& path, bool gguf, const SaveOptions& options = {});

}  // namespace txvm::neural::llm
