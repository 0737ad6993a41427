// Conversations as the text a chat model was trained on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/llm/tokenizer.h"

namespace txvm::neural::llm {

enum class Role : std::uint8_t { kSystem, kUser, kAssistant };

struct Message {
  Role role = Role::kUser;
  std::string text;
};

/// Families of templates. kZephyr is TinyLlama's, kMistral3 that of Mistral's models from the third
/// tokenizer on, whose questions end without a blank.
enum class ChatFamily : std::uint8_t { kZephyr, kLlama2, kMistral, kMistral3, kChatMl, kLlama3 };

/// The family a Jinja template belongs to, by the marks it contains; nullopt for others. The
/// template is never run.
std::optional<ChatFamily> FamilyOfTemplate(std::string_view chat_template);
inline constexpr std::string_view kChatTemplateFile = "chat_template.jinja";
/// The chat template in a checkpoint's folder: that file, or else the chat_template of the
/// tokenizer_config.json, of several the one named default; "" when there is none. kCorrupt: a
/// tokenizer_config.json that is no JSON; kUnsupported: a chat_template of another kind.
isa::Result<std::string> ReadChatTemplate(const std::string& directory);

/// The conversation with the beginning of the assistant's answer, as text; `bos` and `eos` are the
/// texts of these tokens. A system message comes first or not at all; none is made up, and no dates
/// are put before it, whatever the model's own template does. White space around messages is left
/// out where the family's own template leaves it out: llama-3, and the turns of llama-2.
std::string ChatText(ChatFamily family, std::span<const Message> messages, std::string_view bos,
                     std::string_view eos);

/// The same as tokens; one `bos` at the front if the tokenizer has one. kInvalid: a message with
/// the text of a special token, which would end it early.
isa::Result<std::vector<Token>> EncodeChat(const Tokenizer& tokenizer, ChatFamily family,
                                           std::span<const Message> messages);

/// Tokens that end an answer: eos and the family's own.
std::vector<Token> StopTokens(const Tokenizer& tokenizer, std::span<const Token> eos);

}  // namespace txvm::neural::llm
