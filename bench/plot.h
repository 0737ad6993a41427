// Line and bar charts as SVG, and as PNG where there is a program for that.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "isa/support/result.h"

namespace txvm::bench {

/// A line: points (x, y), x > 0.
struct Series {
  std::string label;
  std::string colour;  // of SVG, such as "#1f77b4"
  bool dashed = false;
  std::vector<std::pair<double, double>> points;
};

/// One chart: x on a logarithmic axis, y on a linear one from 0.
struct Chart {
  std::string title, x_label, y_label;
  std::vector<Series> series;
};

/// The charts under each other with one legend, as a standalone SVG document. Series with the same
/// label share a legend entry. Labels may hold any text.
std::string RenderSvg(const std::vector<Chart>& charts);

/// The bars of one colour: a value > 0 for each group; 0: there is none.
struct BarSeries {
  std::string label;
  std::string colour;  // of SVG
  std::vector<double> values;
};

/// Bars in groups, on a logarithmic axis.
struct BarChart {
  std::string title, y_label;
  std::vector<std::string> groups;
  std::vector<BarSeries> series;  // each with as many values as there are groups
};

/// The chart as a standalone SVG document. Labels may hold any text.
std::string RenderBars(const BarChart& chart);

/// Writes STEM.svg, and STEM.png by rsvg-convert. Returns a sentence where that is not here, else
/// nothing. Errors: kHost for a file that cannot be written, or that rsvg-convert refuses.
isa::Result<std::string> WritePlot(const std::string& stem, const std::string& svg);

}  // namespace txvm::bench
