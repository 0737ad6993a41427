// What a chat model is told before a question: a system text and examples, by kind of question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "neural/llm/chat.h"

namespace txvm::frontends::nl {

/// The rows TXVM_PIPELINE of chat_shots.def. kAuto has examples of all kinds.
enum class Pipeline : std::uint8_t {
#define TXVM_PIPELINE(Name, text, most_tokens, abstains, system) k##Name,
#include "frontends/nl/reader/chat_shots.def"
#undef TXVM_PIPELINE
};

struct Shot {
  std::string_view question, answer;  // the answer is canonical text
};

struct PipelineInfo {
  std::string_view name;  // "single-op"
  std::string_view system;
  std::size_t most_tokens = 0;  // of a program, kEnd included
  bool abstains = false;        // whether a program may be an abstention
};

const PipelineInfo& Info(Pipeline pipeline);
std::vector<Shot> ShotsOf(Pipeline pipeline);
/// The pipeline of this name.
std::optional<Pipeline> FindPipeline(std::string_view name);
/// "auto, single-op, ...".
std::string PipelineNames();

/// System text, examples, question: the conversation in the order a chat template takes it.
std::vector<neural::llm::Message> Conversation(Pipeline pipeline, std::string_view question);

/// The conversation as the original system wrote it, for TinyLlama: as its chat template does, but
/// with a line end between a system or user text and `eos`.
std::string SeedPromptText(std::span<const neural::llm::Message> messages, std::string_view eos);

}  // namespace txvm::frontends::nl
