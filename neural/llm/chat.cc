#include "neural/llm/chat.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "isa/support/json.h"
#include "isa/support/text.h"
#include "neural/llm/mapped_file.h"
#include "neural/llm/unicode.h"

namespace txvm::neural::llm {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Result;

std::string_view NameOf(Role role) {
  switch (role) {
    case Role::kSystem:
      return "system";
    case Role::kUser:
      return "user";
    case Role::kAssistant:
      return "assistant";
  }
  return "";
}

/// Without white space around it.
std::string_view Trimmed(std::string_view text) {
  std::size_t begin = text.size(), end = text.size();
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = FirstCodePoint(text.substr(at));
    if (!IsSpace(point.value)) {
      begin = std::min(begin, at);
      end = at + point.size;
    }
    at += point.size;
  }
  return text.substr(begin, end - begin);
}

std::string Zephyr(std::span<const Message> messages, std::string_view eos) {
  std::string text;
  for (const Message& message : messages) {
    text += fmt::format("<|{}|>\n{}{}\n", NameOf(message.role), message.text, eos);
  }
  return text + "<|assistant|>\n";
}

std::string ChatMl(std::span<const Message> messages) {
  std::string text;
  for (const Message& message : messages) {
    text += fmt::format("<|im_start|>{}\n{}<|im_end|>\n", NameOf(message.role), message.text);
  }
  return text + "<|im_start|>assistant\n";
}

std::string Llama3(std::span<const Message> messages, std::string_view bos) {
  std::string text(bos);
  for (const Message& message : messages) {
    text += fmt::format("<|start_header_id|>{}<|end_header_id|>\n\n{}<|eot_id|>",
                        NameOf(message.role), Trimmed(message.text));
  }
  return text + "<|start_header_id|>assistant<|end_header_id|>\n\n";
}

// Llama-2 puts the system text into the first question between marks and bos before each turn;
// Mistral puts it before the question and bos only at the start. Llama-2's template trims turns.
std::string Instructions(std::span<const Message> messages, std::string_view bos,
                         std::string_view eos, ChatFamily family) {
  const bool llama2 = family == ChatFamily::kLlama2;
  const std::string_view end = family == ChatFamily::kMistral3 ? "[/INST]" : " [/INST]";
  std::string text(llama2 ? "" : bos), system;
  for (const Message& message : messages) {
    switch (message.role) {
      case Role::kSystem:
        system = llama2 ? fmt::format("<<SYS>>\n{}\n<</SYS>>\n\n", message.text)
                        : fmt::format("{}\n\n", message.text);
        break;
      case Role::kUser:
        system += message.text;
        text +=
            fmt::format("{}[INST] {}{}", llama2 ? bos : "", llama2 ? Trimmed(system) : system, end);
        system.clear();
        break;
      case Role::kAssistant:
        text += llama2 ? fmt::format(" {} {}", Trimmed(message.text), eos)
                       : fmt::format(" {}{}", message.text, eos);
    }
  }
  return text;
}

// Zephyr's ends what the user says with eos; others with the same marks, tulu's among them, do not.
bool IsZephyr(std::string_view chat_template) {
  constexpr std::string_view kUser = "<|user|>";
  const std::size_t user = chat_template.find(kUser);
  if (user == std::string_view::npos) return false;
  const std::string_view turn = chat_template.substr(user + kUser.size());
  return turn.substr(0, turn.find("<|")).contains("eos_token");
}

}  // namespace

std::optional<ChatFamily> FamilyOfTemplate(std::string_view chat_template) {
  const auto has = [&](std::string_view mark) { return chat_template.contains(mark); };
  if (has("<|start_header_id|>")) return ChatFamily::kLlama3;
  if (has("<|im_start|>")) return ChatFamily::kChatMl;
  if (has("<<SYS>>")) return ChatFamily::kLlama2;
  if (has("[INST] ")) return has(" [/INST]") ? ChatFamily::kMistral : ChatFamily::kMistral3;
  if (IsZephyr(chat_template)) return ChatFamily::kZephyr;
  return std::nullopt;
}

Result<std::string> ReadChatTemplate(const std::string& directory) {
  const std::filesystem::path folder = directory;
  std::error_code error;
  if (std::filesystem::exists(folder / kChatTemplateFile, error)) {
    return ReadText((folder / kChatTemplateFile).string(), kMaxTokenizerBytes);
  }
  const std::string path = (folder / "tokenizer_config.json").string();
  if (!std::filesystem::exists(path, error)) return std::string();
  TXVM_TRY(const std::string text, ReadText(path, kMaxTokenizerBytes));
  const auto root = isa::ParseJson(text, {.fractions = true});
  if (!root) {
    return Fail(ErrorCode::kCorrupt, fmt::format("'{}': {}", path, root.error().message));
  }
  const isa::Json* value = root->Find("chat_template");
  if (value == nullptr || value->kind == isa::Json::Kind::kNull) return std::string();
  if (value->kind == isa::Json::Kind::kString) return value->text;
  // Several, each with a name.
  for (const isa::Json& item : value->items) {
    const isa::Json* name = item.Find("name");
    const isa::Json* body = item.Find("template");
    if (name != nullptr && name->text == "default" && body != nullptr) return body->text;
  }
  return Fail(
      ErrorCode::kUnsupported,
      fmt::format("'{}': chat_template is neither a text nor a list with one named default", path));
}

std::string ChatText(ChatFamily family, std::span<const Message> messages, std::string_view bos,
                     std::string_view eos) {
  switch (family) {
    case ChatFamily::kZephyr:
      return Zephyr(messages, eos);
    case ChatFamily::kLlama2:
    case ChatFamily::kMistral:
    case ChatFamily::kMistral3:
      return Instructions(messages, bos, eos, family);
    case ChatFamily::kChatMl:
      return ChatMl(messages);
    case ChatFamily::kLlama3:
      return Llama3(messages, bos);
  }
  return {};
}

Result<std::vector<Token>> EncodeChat(const Tokenizer& tokenizer, ChatFamily family,
                                      std::span<const Message> messages) {
  for (const Message& message : messages) {
    for (const AddedToken& added : tokenizer.spec().added) {
      if (!added.special || added.text.empty() || !message.text.contains(added.text)) continue;
      return Fail(ErrorCode::kInvalid, fmt::format("a message contains the special token '{}'",
                                                   isa::Printable(added.text)));
    }
  }
  const auto text = [&](std::optional<Token> token) {
    return token ? tokenizer.Bytes(*token, true) : std::string();
  };
  const std::string chat = ChatText(family, messages, text(tokenizer.bos()), text(tokenizer.eos()));
  std::vector<Token> tokens = tokenizer.Encode(chat, {.add_special = false});
  const auto& before = tokenizer.spec().before;
  if (!before.empty() && std::ranges::mismatch(tokens, before).in2 != before.end()) {
    tokens.insert(tokens.begin(), before.begin(), before.end());
  }
  return tokens;
}

std::vector<Token> StopTokens(const Tokenizer& tokenizer, std::span<const Token> eos) {
  std::vector<Token> stop(eos.begin(), eos.end());
  if (tokenizer.eos()) stop.push_back(*tokenizer.eos());
  for (const std::string_view name : {"<|im_end|>", "<|eot_id|>", "<|end_of_text|>"}) {
    const std::optional<Token> token = tokenizer.Find(name);
    if (token && tokenizer.IsSpecial(*token)) stop.push_back(*token);
  }
  std::ranges::sort(stop);
  const auto same = std::ranges::unique(stop);
  stop.erase(same.begin(), same.end());
  return stop;
}

}  // namespace txvm::neural::llm
