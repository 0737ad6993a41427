// The lens for people.
#include "frontends/cli/lens/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/lens_label.h"
#include "frontends/nl/language/printer.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"
#include "neural/llm/unicode.h"

namespace txvm::frontends::cli {
namespace {

double Percent(double share) { return 100 * share; }

std::string ProgramText(const nl::LensReport& report) {
  const nl::Token first = report.reading.tokens.front();
  if (nl::IsAbstention(first)) return fmt::format("none: {}", nl::TokenWhat(first));
  return nl::TokensText(report.reading.tokens);
}

std::string VerdictText(const nl::LensReport& report) {
  const std::string lens = nl::TokenText(report.decided().operation);
  if (!report.label) {
    return fmt::format("the lens says {}, the program has no operator to compare it with", lens);
  }
  const std::string program = nl::TokenText(*report.label);
  if (*report.Agrees()) return fmt::format("lens and program agree on {}", program);
  return fmt::format("DISAGREEMENT: the lens says {}, the program executes {} first", lens,
                     program);
}

}  // namespace

std::string LensText(const nl::LensReport& report) {
  std::string text =
      fmt::format("question   {}\nprogram    {}\n",
                  isa::ShownText(neural::llm::ValidUtf8(report.question)), ProgramText(report));
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    const nl::LensLayer& layer = report.layers[i];
    std::string top;
    for (const nl::LensToken& token : layer.top) {
      top += fmt::format("  {} {:.1f} %", token.text, Percent(token.probability));
    }
    text +=
        fmt::format("block {:>2} {} {:>5} {:5.1f} % |{}\n", i, i == report.decision ? "*" : " ",
                    nl::TokenText(layer.choice.operation), Percent(layer.choice.probability), top);
  }
  return text + fmt::format("decision * {}\n", VerdictText(report));
}

std::string LensTableText(const nl::LensTable& table, bool probe) {
  std::string text =
      fmt::format("block     lens   top-1  p(label)  {}agreement\n", probe ? "probe  " : "");
  for (std::size_t i = 0; i < table.layers.size(); ++i) {
    const nl::LensScore& score = table.layers[i];
    text += fmt::format("{:>5} {} {:6.1f} {:6.1f}  {:8.1f} ", i, i == table.decision ? "*" : " ",
                        Percent(score.accuracy), Percent(score.first), Percent(score.label));
    if (probe) text += fmt::format("{:6.1f} ", Percent(score.probe));
    text += fmt::format(" {:8.1f}\n", Percent(score.agreement));
  }
  return text + fmt::format(
                    "{}: {:.1f} % exact answers, {:.1f} % the generator's "
                    "program\n",
                    isa::CountText(table.items, "question"), Percent(table.exact),
                    Percent(table.program));
}

std::string SuffixText(const std::vector<nl::SuffixArmReport>& arms) {
  constexpr std::string_view kPlaces[] = {"suffix", "<program>"};
  constexpr std::string_view kBodies[] = {"learnt", "held out"};
  std::string text =
      "arm      after      suffix  bodies    n    in program   value  claim | lens value  claim\n";
  for (const nl::SuffixArmReport& arm : arms) {
    for (std::size_t place = 0; place < std::size(kPlaces); ++place) {
      for (std::size_t suffix = 0; suffix < nl::kSuffixes.size(); ++suffix) {
        for (std::size_t bodies = 0; bodies < std::size(kBodies); ++bodies) {
          const nl::SuffixRoute& route = arm.routes[place][suffix][bodies];
          text += fmt::format(
              "{:<8} {:<10} {:<7} {:<8} {:>3}  {:10.1f} % {:6.1f} {:6.1f} |     {:6.1f} {:6.1f}\n",
              nl::kSuffixArms[static_cast<std::size_t>(arm.arm)], kPlaces[place],
              nl::kSuffixes[suffix], kBodies[bodies], route.prompts, Percent(route.canonical),
              Percent(route.value), Percent(route.claim), Percent(route.lens_value),
              Percent(route.lens_claim));
        }
      }
    }
  }
  const std::vector<std::string> prompts = nl::SuffixPrompts();
  text += "\nnext token after the prompt, and the best program there\n";
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    text += prompts[i] + "\n";
    for (const nl::SuffixArmReport& arm : arms) {
      const nl::SuffixProbe& probe = arm.probes[i];
      text += fmt::format("  {:<8} {:<10} {:5.1f} %  {}\n",
                          nl::kSuffixArms[static_cast<std::size_t>(arm.arm)], probe.next,
                          Percent(probe.probability), probe.program);
    }
  }
  return text;
}

}  // namespace txvm::frontends::cli
