// What stories of facts.cc and facts_places.cc tell and ask for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "neural/questions/draft.h"

namespace txvm::neural::questions {

/// What is told and what is asked for. After kHiddenChange, nobody could tell the answer.
enum class Plot : std::uint8_t {
  kUsual,
  kHiddenStart,   // asked for; the end is told
  kHiddenChange,  // asked for; an event has no number, but start and end are told
  kUntoldStart,   // what there is now is asked for, and only the events are told
  kUnsaid,        // nothing was said of what is asked for
  kUntoldPrice,   // or how many there are is not told
  kUntoldChange,  // an event has no number, and the end is not told
  kUntoldBoth,    // nor is the start, though the end is
};

struct PlotRow {
  Plot plot;
  unsigned weight;
};
inline constexpr std::array kWhole = {PlotRow{Plot::kUsual, 55}, PlotRow{Plot::kHiddenStart, 15},
                                      PlotRow{Plot::kHiddenChange, 10}};
inline constexpr std::array kWithholding = {
    PlotRow{Plot::kUntoldStart, 35}, PlotRow{Plot::kUnsaid, 25}, PlotRow{Plot::kUntoldPrice, 14},
    PlotRow{Plot::kUntoldChange, 16}, PlotRow{Plot::kUntoldBoth, 10}};

/// An event that is told without a number: the rules some_<name> and ask_<name>.
struct VagueDeed {
  std::string_view name;
  bool gains;
  bool needs_other = false;  // who gets it
};
inline constexpr std::array kVagueDeeds = {
    VagueDeed{"gift", false}, VagueDeed{"pass", false, true}, VagueDeed{"sale", false},
    VagueDeed{"loss", false}, VagueDeed{"break", false},      VagueDeed{"take", false},
    VagueDeed{"use", false},  VagueDeed{"buy", true},         VagueDeed{"find", true},
    VagueDeed{"get", true},   VagueDeed{"make", true},        VagueDeed{"pick", true}};

/// "gave I" becomes "gave me": a name has one form only, whatever it is in its sentence.
inline void PutMe(std::string& marked) {
  constexpr std::array<std::string_view, 12> kBefore = {
      "to", "from", "by", "with", "for", "gave", "give", "gives", "let", "left", "than", "brought"};
  for (const std::string_view before : kBefore) {
    const std::string from = " " + std::string(before) + " I";
    for (std::size_t at = 0; (at = marked.find(from, at)) != std::string::npos; ++at) {
      const std::size_t end = at + from.size();
      const bool is_whole = end == marked.size() || std::string_view(" .,?").contains(marked[end]);
      if (is_whole) marked.replace(end - 1, 1, "me");
    }
  }
}

/// One or two places and one or two kinds that are in them, come and leave
/// (rules/facts.txt).
std::optional<Draft> DraftPlaces(const Workshop& workshop, Telling telling);

}  // namespace txvm::neural::questions
