// Line charts as SVG.
#pragma once

#include <string>
#include <utility>
#include <vector>

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

}  // namespace txvm::bench
