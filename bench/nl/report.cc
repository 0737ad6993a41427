#include "bench/nl/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/json_writer.h"

namespace txvm::bench::nl {
namespace {

// Characters as a terminal counts them: bytes that begin one.
std::size_t WidthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string TableText(const Table& table) {
  std::vector<std::size_t> widths(table.header.size());
  const auto widen = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], WidthOf(row[i]));
  };
  widen(table.header);
  for (const auto& row : table.rows) widen(row);
  std::string text = table.title.empty() ? "" : table.title + "\n";
  const auto put = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      line += "  " + row[i] + std::string(widths[i] - WidthOf(row[i]), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  put(table.header);
  for (const auto& row : table.rows) put(row);
  return text;
}

// A cell of a markdown table: a bar would end it.
std::string Cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

constexpr std::size_t kColumns = 117;  // of a page; tables may be wider

// The text with its blanks turned into `line_end` where a line would grow past `columns`.
std::string Wrapped(std::string_view text, std::string_view line_end = "\n",
                    std::size_t columns = kColumns) {
  std::string wrapped;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column != 0) {
      const bool fits = column + 1 + WidthOf(word) <= columns;
      wrapped += fits ? " " : line_end;
      column = fits ? column + 1 : 0;
    }
    wrapped += word;
    column += WidthOf(word);
  }
  return wrapped;
}

std::string TableMarkdown(const Table& table) {
  std::string text = table.title.empty() ? "" : Wrapped(table.title) + "\n\n";
  const auto put = [&](const std::vector<std::string>& row) {
    for (const std::string& cell : row) text += "| " + Cell(cell) + " ";
    text += "|\n";
  };
  put(table.header);
  for (std::size_t i = 0; i < table.header.size(); ++i) text += "|--";
  text += "|\n";
  for (const auto& row : table.rows) put(row);
  return text;
}

void PutRow(isa::JsonWriter& json, const std::vector<std::string>& row) {
  json.BeginArray();
  for (const std::string& cell : row) json.String(cell);
  json.EndArray();
}

}  // namespace

std::string Report::Text() const {
  std::string text;
  for (const Section& section : sections_) {
    text += fmt::format("== {}\n", section.title);
    for (const std::string& note : section.notes) text += note + "\n";
    for (const Table& table : section.tables) text += "\n" + TableText(table);
    text += "\n";
  }
  return text;
}

std::string Report::Markdown(std::string_view command) const {
  constexpr std::string_view kNextLine = " \\\n      ";
  std::string text =
      fmt::format("Made by\n\n    {}\n", Wrapped(command, kNextLine, kColumns - kNextLine.size()));
  for (const Section& section : sections_) {
    text += fmt::format("\n### {}\n", section.title);
    for (const std::string& note : section.notes) text += "\n" + Wrapped(note) + "\n";
    for (const Table& table : section.tables) text += "\n" + TableMarkdown(table);
  }
  return text;
}

std::string Report::Json(std::string_view command) const {
  isa::JsonWriter json;
  json.BeginObject();
  json.Key("command").String(command);
  json.Key("figures").BeginObject();
  for (const auto& [name, tally] : figures_) {
    const Interval interval = Wilson(tally.successes, tally.total);
    json.Key(name).BeginObject();
    json.Key("successes").Uint(tally.successes);
    json.Key("total").Uint(tally.total);
    json.Key("share").Number(tally.Share());
    json.Key("low").Number(interval.low);
    json.Key("high").Number(interval.high);
    json.EndObject();
  }
  json.EndObject();
  json.Key("sections").BeginArray();
  for (const Section& section : sections_) {
    json.BeginObject();
    json.Key("title").String(section.title);
    json.Key("notes");
    PutRow(json, section.notes);
    json.Key("tables").BeginArray();
    for (const Table& table : section.tables) {
      json.BeginObject();
      json.Key("title").String(table.title);
      json.Key("header");
      PutRow(json, table.header);
      json.Key("rows").BeginArray();
      for (const auto& row : table.rows) PutRow(json, row);
      json.EndArray();
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.text() + "\n";
}

std::string WithGenerated(std::string_view document, std::string_view generated) {
  const std::size_t begin = document.find(kGeneratedBegin);
  const std::size_t end = document.find(kGeneratedEnd);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    return std::string(generated);
  }
  return fmt::format("{}\n\n{}\n{}", document.substr(0, begin + kGeneratedBegin.size()), generated,
                     document.substr(end));
}

}  // namespace txvm::bench::nl
