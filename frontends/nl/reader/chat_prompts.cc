#include "frontends/nl/reader/chat_prompts.h"

#include <fmt/format.h>

#include <array>

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;

constexpr std::array kPipelines = {
#define TXVM_PIPELINE(Name, text, most_tokens, abstains, system) \
  PipelineInfo{text, system, most_tokens, abstains},
#include "frontends/nl/reader/chat_shots.def"
#undef TXVM_PIPELINE
};

struct Row {
  Pipeline pipeline;
  Shot shot;
};

constexpr std::array kShots = {
#define TXVM_SHOT(Name, question, answer) Row{Pipeline::k##Name, {question, answer}},
#include "frontends/nl/reader/chat_shots.def"
#undef TXVM_SHOT
};

std::string_view Mark(llm::Role role) {
  switch (role) {
    case llm::Role::kSystem:
      return "<|system|>\n";
    case llm::Role::kUser:
      return "<|user|>\n";
    case llm::Role::kAssistant:
      return "<|assistant|>\n";
  }
  return "";
}

}  // namespace

const PipelineInfo& Info(Pipeline pipeline) {
  return kPipelines[static_cast<std::size_t>(pipeline)];
}

std::vector<Shot> ShotsOf(Pipeline pipeline) {
  std::vector<Shot> shots;
  for (const Row& row : kShots) {
    if (row.pipeline == pipeline) shots.push_back(row.shot);
  }
  return shots;
}

std::optional<Pipeline> FindPipeline(std::string_view name) {
  for (std::size_t i = 0; i < kPipelines.size(); ++i) {
    if (kPipelines[i].name == name) return static_cast<Pipeline>(i);
  }
  return std::nullopt;
}

std::string PipelineNames() {
  std::string names;
  for (const PipelineInfo& info : kPipelines) {
    names += names.empty() ? "" : ", ";
    names += info.name;
  }
  return names;
}

std::vector<llm::Message> Conversation(Pipeline pipeline, std::string_view question) {
  std::vector<llm::Message> messages = {{llm::Role::kSystem, std::string(Info(pipeline).system)}};
  for (const Shot& shot : ShotsOf(pipeline)) {
    messages.push_back({llm::Role::kUser, std::string(shot.question)});
    messages.push_back({llm::Role::kAssistant, std::string(shot.answer)});
  }
  messages.push_back({llm::Role::kUser, std::string(question)});
  return messages;
}

std::string SeedPromptText(std::span<const llm::Message> messages, std::string_view eos) {
  std::string text;
  for (const llm::Message& message : messages) {
    const std::string_view gap = message.role == llm::Role::kAssistant ? "" : "\n";
    text += fmt::format("{}{}{}{}\n", Mark(message.role), message.text, gap, eos);
  }
  return text.append(Mark(llm::Role::kAssistant));
}

}  // namespace txvm::frontends::nl
