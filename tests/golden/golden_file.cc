#include "tests/golden/golden_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <utility>

namespace txvm::golden {
namespace {

constexpr std::string_view kMark = ";;; ";

// What a case need not state.
bool IsOptional(std::string_view key) { return key == "STEPS" || key == "INSTRUCTIONS"; }

bool IsExpectation(std::string_view key) {
  return key == "RESULTS" || key == "TRAP" || IsOptional(key);
}

std::string Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin));
}

// NAME ARG... | x=10 ... | nothing
void ParseRun(GoldenCase& one) {
  std::istringstream words(one.run);
  std::string word;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      one.variables[word.substr(0, equals)] = word.substr(equals + 1);
    } else if (one.call.empty()) {
      one.call = word;
    } else {
      one.arguments.push_back(static_cast<std::uint32_t>(std::strtoll(word.c_str(), nullptr, 0)));
    }
  }
}

void AddExpectation(GoldenFile& file, std::size_t index, const std::string& key,
                    std::string value) {
  if (file.cases.empty()) {
    file.fault = fmt::format("line {}: {} before the first RUN", index + 1, key);
    return;
  }
  GoldenCase& one = file.cases.back();
  if (!one.expected.emplace(key, std::move(value)).second) {
    file.fault = fmt::format("line {}: a second {} for one RUN", index + 1, key);
  }
  one.lines[key] = index;
}

}  // namespace

GoldenFile ParseGolden(std::string_view text) {
  GoldenFile file;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::string_view line = file.lines[i];
    const std::size_t colon = line.find(':');
    if (!line.starts_with(kMark) || colon == std::string_view::npos) continue;
    const std::string key(line.substr(kMark.size(), colon - kMark.size()));
    std::string value = Trimmed(line.substr(colon + 1));
    if (key == "RUN") {
      GoldenCase one;
      one.line = i + 1;
      one.run = std::move(value);
      ParseRun(one);
      file.cases.push_back(std::move(one));
    } else if (IsExpectation(key)) {
      AddExpectation(file, i, key, std::move(value));
    } else {
      file.fault = fmt::format("line {}: unknown key {}", i + 1, key);
    }
  }
  if (file.cases.empty()) file.fault = "no RUN";
  for (const GoldenCase& one : file.cases) {
    if (one.expected.count("RESULTS") + one.expected.count("TRAP") == 1) continue;
    file.fault = fmt::format("line {}: a RUN needs RESULTS or TRAP", one.line);
  }
  return file;
}

std::optional<std::string> Substituted(const GoldenFile& file, const GoldenCase& one) {
  std::vector<std::string> lines = file.lines;
  for (const auto& [name, value] : one.variables) {
    bool found = false;
    for (std::string& line : lines) {
      const std::string ending = "; " + name;
      if (!line.ends_with(ending)) continue;
      std::istringstream words(line);
      std::string mnemonic;
      words >> mnemonic;
      line = mnemonic;
      line += " " + value;
      found = true;
    }
    if (!found) return std::nullopt;
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string Diff(const Expectation& expected, const Expectation& actual) {
  std::string diff;
  for (const auto& [key, value] : expected) {
    const auto other = actual.find(key);
    if (other != actual.end() && other->second == value) continue;
    diff += fmt::format("- {}: {}\n", key, value);
  }
  for (const auto& [key, value] : actual) {
    const auto other = expected.find(key);
    if (other != expected.end() && other->second == value) continue;
    if (IsOptional(key) && other == expected.end()) continue;
    diff += fmt::format("+ {}: {}\n", key, value);
  }
  return diff;
}

void Bless(GoldenFile& file, std::size_t index, const Expectation& actual) {
  const GoldenCase& one = file.cases[index];
  const bool halted = actual.contains("RESULTS");
  for (const auto& [key, line] : one.lines) {
    // A run that trapped now has TRAP where RESULTS stood, and the other way round.
    const std::string shown = IsOptional(key) ? key : halted ? "RESULTS" : "TRAP";
    file.lines[line] = fmt::format("{}{}: {}", kMark, shown, actual.at(shown));
  }
}

std::string TextOf(const GoldenFile& file) {
  std::string text;
  for (const std::string& line : file.lines) text += line + "\n";
  return text;
}

}  // namespace txvm::golden
