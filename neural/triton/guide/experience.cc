#include "neural/triton/guide/experience.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "isa/support/file.h"
#include "isa/support/json.h"
#include "isa/support/json_writer.h"
#include "neural/triton/tasm/text.h"

namespace txvm::triton::guide {
namespace {

std::string TextOf(const std::vector<TasmInstruction>& code) {
  TasmProgram program;
  program.code = code;
  std::string text;
  for (std::size_t i = 0; i < code.size(); ++i) {
    text += (i == 0 ? "" : " ") + TasmInstructionText(program, i);
  }
  return text;
}

std::string LineOf(const Experience& experience) {
  isa::JsonWriter json;
  json.BeginObject();
  json.Key("block").String(TextOf(experience.block));
  json.Key("depth").Uint(experience.known_depth);
  json.Key("baseline").String(TextOf(experience.baseline));
  json.Key("result").String(TextOf(experience.result));
  json.EndObject();
  return json.text();
}

isa::Result<std::vector<TasmInstruction>> ReadCode(const isa::Json& object, const char* key) {
  const isa::Json* text = object.Find(key);
  if (text == nullptr || text->kind != isa::Json::Kind::kString) {
    return isa::Fail(isa::ErrorCode::kCorrupt, fmt::format("'{}' is no string", key));
  }
  TXVM_TRY(TasmProgram program, AssembleTasm(text->text, TasmIsa::kHorner));
  if (!program.labels.empty()) {
    return isa::Fail(isa::ErrorCode::kCorrupt, fmt::format("'{}' is no straight run", key));
  }
  return std::move(program.code);
}

isa::Result<Experience> ReadExperience(std::string_view line) {
  TXVM_TRY(const isa::Json object, isa::ParseJson(line));
  Experience experience;
  TXVM_TRY(experience.block, ReadCode(object, "block"));
  TXVM_TRY(experience.baseline, ReadCode(object, "baseline"));
  TXVM_TRY(experience.result, ReadCode(object, "result"));
  const isa::Json* depth = object.Find("depth");
  if (depth == nullptr || depth->kind != isa::Json::Kind::kInteger || depth->integer < 0) {
    return isa::Fail(isa::ErrorCode::kCorrupt, "'depth' is no number of words");
  }
  experience.known_depth = static_cast<std::size_t>(depth->integer);
  return experience;
}

std::string KeyOf(const Experience& experience) {
  return fmt::format("{} {}", experience.known_depth, TextOf(experience.block));
}

// FNV-1a: the same on every machine and in every version.
std::uint64_t HashOfText(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char letter : text) {
    hash = (hash ^ static_cast<std::uint8_t>(letter)) * 0x100000001B3;
  }
  return hash;
}

}  // namespace

isa::Result<ExperienceBuffer> ExperienceBuffer::Open(const std::string& folder) {
  ExperienceBuffer buffer(folder + "/experience.jsonl");
  std::error_code error;
  if (!std::filesystem::exists(buffer.path_, error)) return buffer;
  TXVM_TRY(const std::string text, isa::ReadFile(buffer.path_));
  std::size_t number = 0, lines = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    ++number;
    if (end == std::string::npos) break;  // a process was killed while it wrote this line
    auto experience = ReadExperience(std::string_view(text).substr(start, end - start));
    if (!experience) {
      return isa::Fail(isa::ErrorCode::kCorrupt,
                       fmt::format("line {} of {} is no experience ({}): delete the file to begin "
                                   "again",
                                   number, buffer.path_, experience.error().message));
    }
    buffer.Keep(*experience);
    ++lines;
    start = end + 1;
  }
  const bool is_torn = !text.empty() && text.back() != '\n';
  if (is_torn || lines > 2 * kMostExperiences) TXVM_CHECK_OK(buffer.Shrink());
  return buffer;
}

bool ExperienceBuffer::Keep(const Experience& experience) {
  if (experience.block.size() < kLeastBlock) return false;
  const auto [place, is_new] = places_.try_emplace(KeyOf(experience), experiences_.size());
  if (!is_new) {
    Experience& known = experiences_[place->second];
    if (experience.result.size() >= known.result.size()) return false;
    known = experience;
    return true;
  }
  experiences_.push_back(experience);
  return true;
}

isa::Result<std::size_t> ExperienceBuffer::Add(const std::vector<Experience>& experiences) {
  std::string lines;
  std::size_t added = 0;
  for (const Experience& experience : experiences) {
    if (!Keep(experience)) continue;
    lines += LineOf(experience) + "\n";
    ++added;
  }
  if (added == 0) return added;
  lines.pop_back();  // the log ends each line
  TXVM_TRY(isa::LineLog log, isa::LineLog::Open(path_));
  log.Add(lines);
  TXVM_CHECK_OK(log.Check());
  return added;
}

isa::Result<void> ExperienceBuffer::Shrink() {
  if (experiences_.size() > kMostExperiences) {
    const auto excess = static_cast<std::ptrdiff_t>(experiences_.size() - kMostExperiences);
    experiences_.erase(experiences_.begin(), experiences_.begin() + excess);
    places_.clear();
    for (std::size_t i = 0; i < experiences_.size(); ++i) places_[KeyOf(experiences_[i])] = i;
  }
  std::string lines;
  for (const Experience& experience : experiences_) lines += LineOf(experience) + "\n";
  return isa::ReplaceFile(path_, lines);
}

std::vector<Window> ExperienceBuffer::Windows(bool held_out) const {
  std::vector<Window> windows;
  for (const Experience& experience : experiences_) {
    if ((HashOfText(TextOf(experience.block)) % 4 == 0) != held_out) continue;
    Window window{experience.block, experience.known_depth, {}};
    if (experience.result.size() < experience.block.size()) window.schedule = experience.result;
    windows.push_back(std::move(window));
  }
  return windows;
}

}  // namespace txvm::triton::guide
