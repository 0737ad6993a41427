// Charts as SVG. Lengths are SVG units.
#include "bench/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "isa/support/file.h"
#include "isa/support/system/child_process.h"

namespace txvm::bench {
namespace {

constexpr double kWidth = 760, kChartHeight = 300;
constexpr double kLeft = 70, kRight = 190, kTop = 40, kBottom = 50;  // the legend is on the right
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kPlotHeight = kChartHeight - kTop - kBottom;
constexpr double kLegendRow = 18;
constexpr int kGridLines = 5;

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

// What a chart's axes cover: powers of ten in x, 0..top in y.
struct Axes {
  double first_decade = 0, last_decade = 1, top = 1;
  double X(double x) const {
    return kLeft + (std::log10(x) - first_decade) / (last_decade - first_decade) * kPlotWidth;
  }
  double Y(double y) const { return kTop + (1 - y / top) * kPlotHeight; }
};

// The smallest 1, 2 or 5 times a power of ten that is not below `value`.
double NiceTop(double value) {
  if (value <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value) return factor * power;
  }
  return 10 * power;
}

Axes AxesOf(const Chart& chart) {
  double least = 1e300, most = 0, top = 0;
  for (const Series& series : chart.series) {
    for (const auto& [x, y] : series.points) {
      least = std::min(least, x);
      most = std::max(most, x);
      top = std::max(top, y);
    }
  }
  if (most <= 0) return {};
  Axes axes{std::floor(std::log10(least)), std::ceil(std::log10(most)), NiceTop(top)};
  if (axes.last_decade <= axes.first_decade) axes.last_decade = axes.first_decade + 1;
  return axes;
}

std::string Text(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     Escaped(text));
}

std::string Grid(const Axes& axes) {
  constexpr double kBelow = 16, kBeside = 6, kBaseline = 4;  // distances of labels from their lines
  std::string svg;
  for (int i = 0; i <= kGridLines; ++i) {
    const double value = axes.top * i / kGridLines;
    const double y = axes.Y(value);
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n", kLeft,
        y, kLeft + kPlotWidth, y);
    svg += Text(kLeft - kBeside, y + kBaseline, "end", fmt::format("{:g}", value));
  }
  const int last_decade = static_cast<int>(axes.last_decade);
  for (int decade = static_cast<int>(axes.first_decade); decade <= last_decade; ++decade) {
    svg += Text(axes.X(std::pow(10, decade)), kTop + kPlotHeight + kBelow, "middle",
                fmt::format("1e{}", decade));
  }
  return svg;
}

std::string Line(const Axes& axes, const Series& series) {
  std::string points;
  for (const auto& [x, y] : series.points) {
    points += fmt::format("{:.1f},{:.1f} ", axes.X(x), axes.Y(y));
  }
  return fmt::format(
      "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{} points=\"{}\"/>\n",
      series.colour, series.dashed ? " stroke-dasharray=\"5 3\"" : "", points);
}

std::string Legend(const std::vector<Series>& series) {
  constexpr double kKeyWidth = 24, kGap = 6, kBaseline = 4;
  std::string svg;
  double y = kTop;
  const double x = kLeft + kPlotWidth + kGap * 2;
  for (const Series& line : series) {
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"1.6\"{}/>\n",
        x, y, x + kKeyWidth, y, line.colour, line.dashed ? " stroke-dasharray=\"5 3\"" : "");
    svg += Text(x + kKeyWidth + kGap, y + kBaseline, "start", line.label);
    y += kLegendRow;
  }
  return svg;
}

std::string Render(const Chart& chart, double offset) {
  constexpr double kTitleGap = 14, kLabelGap = 10, kMargin = 16;
  const Axes axes = AxesOf(chart);
  std::string svg = fmt::format("<g transform=\"translate(0 {:.1f})\">\n", offset);
  svg += fmt::format("<g font-weight=\"bold\">{}</g>\n",
                     Text(kLeft, kTop - kTitleGap, "start", chart.title));
  svg += Grid(axes);
  svg += Text(kLeft + kPlotWidth / 2, kChartHeight - kLabelGap, "middle", chart.x_label);
  svg += fmt::format(
      "<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      kMargin, kTop + kPlotHeight / 2, Escaped(chart.y_label));
  for (const Series& series : chart.series) svg += Line(axes, series);
  return svg + "</g>\n";
}

}  // namespace

std::string RenderSvg(const std::vector<Chart>& charts) {
  const double height = kChartHeight * static_cast<double>(charts.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 "
      "{0:g} {1:g}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kWidth, height);
  std::vector<Series> entries;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    svg += Render(charts[i], kChartHeight * static_cast<double>(i));
    for (const Series& series : charts[i].series) {
      const auto same = [&](const Series& entry) { return entry.label == series.label; };
      if (std::ranges::none_of(entries, same)) entries.push_back(series);
    }
  }
  return svg + Legend(entries) + "</svg>\n";
}

namespace {

// A logarithmic axis from one power of ten to another.
struct BarAxis {
  double first = 0, last = 1;
  double Y(double value) const {
    const double at = (std::log10(value) - first) / (last - first);
    return kTop + (1 - std::clamp(at, 0.0, 1.0)) * kPlotHeight;
  }
};

BarAxis BarAxisOf(const BarChart& chart) {
  double least = 1e300, most = 0;
  for (const BarSeries& series : chart.series) {
    for (const double value : series.values) {
      if (value <= 0) continue;
      least = std::min(least, value), most = std::max(most, value);
    }
  }
  if (most <= 0) return {};
  BarAxis axis{std::floor(std::log10(least)), std::ceil(std::log10(most))};
  if (axis.last <= axis.first) axis.last = axis.first + 1;
  return axis;
}

std::string Box(double x, double y, double width, double height, std::string_view colour) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
      width, height, colour);
}

/// 1e8 as "100 M".
std::string ShortNumber(double value) {
  constexpr double kMega = 1e6, kGiga = 1e9;
  if (value >= kGiga) return fmt::format("{:g} G", value / kGiga);
  if (value >= kMega) return fmt::format("{:g} M", value / kMega);
  return fmt::format("{:g}", value);
}

std::string BarGrid(const BarAxis& axis) {
  constexpr double kBeside = 6, kBaseline = 4;
  std::string svg;
  const int last = static_cast<int>(axis.last);
  for (int decade = static_cast<int>(axis.first); decade <= last; ++decade) {
    const double y = axis.Y(std::pow(10, decade));
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n", kLeft,
        y, kLeft + kPlotWidth, y);
    svg += Text(kLeft - kBeside, y + kBaseline, "end", ShortNumber(std::pow(10, decade)));
  }
  return svg;
}

}  // namespace

std::string RenderBars(const BarChart& chart) {
  constexpr double kGapShare = 0.25, kBelow = 16, kTitleGap = 14, kMargin = 16, kKey = 12, kGap = 6;
  const BarAxis axis = BarAxisOf(chart);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 "
      "{0:g} {1:g}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<g font-weight=\"bold\">{2}</g>\n",
      kWidth, kChartHeight, Text(kLeft, kTop - kTitleGap, "start", chart.title));
  svg += BarGrid(axis);
  svg += fmt::format(
      "<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      kMargin, kTop + kPlotHeight / 2, Escaped(chart.y_label));
  const double group =
      kPlotWidth / static_cast<double>(std::max<std::size_t>(chart.groups.size(), 1));
  const double bar =
      group * (1 - kGapShare) / static_cast<double>(std::max<std::size_t>(chart.series.size(), 1));
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const double left = kLeft + group * static_cast<double>(g);
    svg += Text(left + group / 2, kTop + kPlotHeight + kBelow, "middle", chart.groups[g]);
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      const double value = chart.series[s].values[g];
      if (value <= 0) continue;
      const double x = left + group * kGapShare / 2 + bar * static_cast<double>(s);
      svg += Box(x, axis.Y(value), bar, kTop + kPlotHeight - axis.Y(value), chart.series[s].colour);
    }
  }
  double y = kTop;
  for (const BarSeries& series : chart.series) {
    const double x = kLeft + kPlotWidth + kGap * 2;
    svg += Box(x, y, kKey, kKey, series.colour);
    svg += Text(x + kKey + kGap, y + kKey - 2, "start", series.label);
    y += kLegendRow;
  }
  return svg + "</svg>\n";
}

isa::Result<std::string> WritePlot(const std::string& stem, const std::string& svg) {
  constexpr double kSeconds = 60;
  TXVM_CHECK_OK(isa::ReplaceFile(stem + ".svg", svg));
  const std::string converter = isa::FindProgram("rsvg-convert");
  if (converter.empty()) {
    return fmt::format("no {}.png: rsvg-convert is not here (Debian: librsvg2-bin)", stem);
  }
  TXVM_TRY(const isa::ChildResult child, isa::RunChild({converter, "--zoom", "2"}, svg, kSeconds));
  if (child.exit_code != 0) {
    return isa::Fail(isa::ErrorCode::kHost,
                     fmt::format("rsvg-convert cannot draw {}.svg: {}", stem, child.err));
  }
  TXVM_CHECK_OK(isa::ReplaceFile(stem + ".png", child.out));
  return std::string();
}

}  // namespace txvm::bench
