#include "frontends/cli/view/flame_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/json_writer.h"
#include "isa/support/shown_text.h"

namespace txvm::frontends::cli {
namespace {

constexpr double kWidth = 1'200, kMargin = 12, kRow = 20, kTop = 52;
constexpr double kNarrowest = 0.3;  // pixels
constexpr double kLetter = 6.7;     // width of a letter

std::string EscapedXml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return escaped;
}

/// The same hue for the same name in every graph.
std::string ColourOf(std::string_view name) {
  std::uint32_t hash = 2'166'136'261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619u;
  return fmt::format("hsl({} {}% {}%)", 12 + hash % 40, 72 + (hash >> 8) % 18,
                     60 + (hash >> 16) % 12);
}

/// Steps of each node with those above it. A parent has a lower number than its children.
std::vector<std::uint64_t> Totals(const std::vector<PathNode>& paths) {
  std::vector<std::uint64_t> totals;
  for (const PathNode& node : paths) totals.push_back(node.steps);
  for (std::size_t i = paths.size(); i-- > 1;) totals[paths[i].parent] += totals[i];
  return totals;
}

std::vector<std::uint32_t> Depths(const std::vector<PathNode>& paths) {
  std::vector<std::uint32_t> depths(paths.size());
  for (std::size_t i = 1; i < paths.size(); ++i) depths[i] = depths[paths[i].parent] + 1;
  return depths;
}

/// Where each node begins, in steps.
std::vector<std::uint64_t> Begins(const std::vector<PathNode>& paths,
                                  const std::vector<std::uint64_t>& totals) {
  std::vector<std::uint64_t> begins(paths.size());
  for (const PathNode& node : paths) {
    std::uint64_t at = begins[static_cast<std::size_t>(&node - paths.data())];
    for (const auto& [function, child] : node.callees) {
      begins[child] = at;
      at += totals[child];
    }
  }
  return begins;
}

}  // namespace

std::string FoldedStacks(const CallProfile& profile) {
  const std::vector<PathNode>& paths = profile.paths();
  std::string text;
  for (const PathNode& node : paths) {
    if (node.steps == 0) continue;
    std::vector<std::string> names;
    for (const PathNode* at = &node; at != paths.data(); at = &paths[at->parent]) {
      std::string name = profile.NameOf(at->function);
      std::ranges::replace_if(name, [](char c) { return c == ';' || c == '\n' || c == '\r'; }, ':');
      names.push_back(std::move(name));
    }
    std::ranges::reverse(names);
    text += fmt::format("{} {}\n", fmt::join(names, ";"), node.steps);
  }
  return text;
}

std::string FlameGraphSvg(const CallProfile& profile, const std::string& title) {
  const std::vector<PathNode>& paths = profile.paths();
  const std::vector<std::uint64_t> totals = Totals(paths);
  const std::vector<std::uint64_t> begins = Begins(paths, totals);
  const std::vector<std::uint32_t> depths = Depths(paths);
  const double scale =
      (kWidth - 2 * kMargin) / static_cast<double>(std::max<std::uint64_t>(1, totals[0]));
  std::uint32_t deepest = 1;
  for (std::size_t i = 1; i < paths.size(); ++i) {
    if (static_cast<double>(totals[i]) * scale >= kNarrowest)
      deepest = std::max(deepest, depths[i]);
  }
  const double height = kTop + deepest * kRow + kMargin;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" font-family=\"ui-monospace, Menlo, Consolas, monospace\" "
      "font-size=\"11\">\n<title>{2}</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fffdf8\"/>\n"
      "<text x=\"{3}\" y=\"24\" font-size=\"15\" font-weight=\"600\" fill=\"#1d1b18\">{2}</text>\n"
      "<text x=\"{3}\" y=\"41\" fill=\"#6b645a\">{4}</text>\n",
      kWidth, height, EscapedXml(title), kMargin, isa::Grouped(profile.steps(), "step"));
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const double width = static_cast<double>(totals[i]) * scale;
    if (width < kNarrowest) continue;
    const double x = kMargin + static_cast<double>(begins[i]) * scale;
    const double y = height - kMargin - depths[i] * kRow;
    const std::string name = profile.NameOf(paths[i].function);
    const double share = 100 * static_cast<double>(totals[i]) /
                         static_cast<double>(std::max<std::uint64_t>(1, totals[0]));
    svg += fmt::format(
        "<g><title>{}: {} ({:.1f} %), own {}</title><rect x=\"{:.2f}\" y=\"{:.0f}\" "
        "width=\"{:.2f}\" height=\"{:.0f}\" rx=\"2\" fill=\"{}\" stroke=\"#fffdf8\"/>",
        EscapedXml(name), isa::Grouped(totals[i], "step"), share, isa::Grouped(paths[i].steps), x,
        y, width, kRow - 1, ColourOf(name));
    const auto letters = static_cast<std::size_t>(std::max(0.0, (width - 8) / kLetter));
    if (letters >= 3) {
      const std::string shown = name.size() <= letters ? name : name.substr(0, letters - 2) + "..";
      svg += fmt::format("<text x=\"{:.2f}\" y=\"{:.0f}\" fill=\"#1d1b18\">{}</text>", x + 4,
                         y + 14, EscapedXml(shown));
    }
    svg += "</g>\n";
  }
  return svg + "</svg>\n";
}

std::string PerfettoTrace(const CallProfile& profile, const std::string& title) {
  isa::JsonWriter json;
  json.BeginObject().Key("displayTimeUnit").String("ns").Key("traceEvents").BeginArray();
  json.BeginObject().Key("name").String("process_name").Key("ph").String("M");
  json.Key("pid").Uint(1).Key("args").BeginObject().Key("name").String(title).EndObject();
  json.EndObject();
  for (const CallSpan& span : profile.Spans()) {
    json.BeginObject().Key("name").String(profile.NameOf(span.function));
    json.Key("ph").String("X").Key("ts").Uint(span.begin).Key("dur").Uint(span.end - span.begin);
    json.Key("pid").Uint(1).Key("tid").Uint(1).EndObject();
  }
  return json.EndArray().EndObject().text() + "\n";
}

}  // namespace txvm::frontends::cli
