// txvm_nl_data: prints generated examples, and checks test questions for contamination.
//
//   txvm_nl_data --count 20 --seed 3 --split held-out --axis templates [--family Groups] [--jsonl]
//   txvm_nl_data --contamination FILE.jsonl --count 300000
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/support/lines.h"
#include "isa/support/text.h"
#include "neural/questions/bank.h"
#include "neural/questions/contamination.h"
#include "neural/questions/generator.h"

namespace {

using namespace txvm::neural::questions;

struct Arguments {
  GeneratorOptions options;
  std::uint64_t count = 20;
  bool jsonl = false;
  bool statistics = false;
  std::string contamination, questions;
};

// Exit codes, those of txvm.
constexpr int kLost = 1, kUsage = 2, kUnreadable = 3;

constexpr std::string_view kUsageText =
    "usage: txvm_nl_data [--count N] [--seed S] [--split train|held-out] [--axis NAME]"
    " [--family NAME] [--lessons] [--jsonl] [--statistics] [--contamination FILE] [--questions DIR]"
    " [--help]\n";

[[noreturn]] void Fail(int code, const std::string& why) {
  std::cerr << "txvm_nl_data: " << why << "\n";
  if (code == kUsage) std::cerr << kUsageText;
  std::exit(code);
}

[[noreturn]] void Usage(const std::string& why) { Fail(kUsage, why); }

[[noreturn]] void Help() {
  std::cout << kUsageText;
  std::exit(0);
}

/// The number an option was given, all of its text.
std::uint64_t NumberOf(const std::string& name, const std::string& text, std::uint64_t least) {
  std::uint64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || value < least) {
    Usage(fmt::format("{} is a whole number from {} to {}, not '{}'", name, least,
                      std::numeric_limits<std::uint64_t>::max(), txvm::isa::Printable(text)));
  }
  return value;
}

Arguments Read(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) Usage(name + " needs a value");
      return argv[++i];
    };
    if (name == "--count") {
      out.count = NumberOf(name, value(), 1);
    } else if (name == "--seed") {
      out.options.seed = NumberOf(name, value(), 0);
    } else if (name == "--split") {
      const std::string split = value();
      if (split != "train" && split != "held-out")
        Usage("no split is called " + txvm::isa::Printable(split));
      out.options.split = split == "train" ? Split::kTrain : Split::kHeldOut;
    } else if (name == "--axis") {
      const std::string axis = value();
      const auto found = FindAxis(axis);
      if (!found) Usage("no axis is called " + txvm::isa::Printable(axis));
      out.options.axis = *found;
    } else if (name == "--family") {
      const std::string family = value();
      out.options.family = FindFamily(family);
      if (!out.options.family) Usage("no family is called " + txvm::isa::Printable(family));
    } else if (name == "--jsonl") {
      out.jsonl = true;
    } else if (name == "--lessons") {
      out.options.lessons = true;
      out.options.mixes_from = {kTrainingMixes.begin(), kTrainingMixes.end()};
    } else if (name == "--statistics") {
      out.statistics = true;
    } else if (name == "--contamination") {
      out.contamination = value();
    } else if (name == "--questions") {
      out.questions = value();
    } else if (name == "--help") {
      Help();
    } else {
      Usage("unknown option " + txvm::isa::Printable(name));
    }
  }
  const GeneratorOptions& options = out.options;
  if (options.axis == Axis::kMakers && options.family && !HasUnseenKinds(*options.family)) {
    Usage("the axis makers has none of family " + std::string(FamilyName(*options.family)));
  }
  return out;
}

void Print(const Example& example, bool jsonl) {
  const std::string family(FamilyName(example.family));
  if (!jsonl) {
    std::cout << family << "\t" << example.question << "\n\t\t" << example.canonical << "  "
              << example.answer << "\n";
    return;
  }
  nlohmann::ordered_json line;
  line["question"] = example.question;
  line["canonical"] = example.canonical;
  line["answer"] = example.answerable ? nlohmann::ordered_json(example.answer) : nullptr;
  line["family"] = family;
  line["schema"] = example.schema;
  line["phrasing"] = example.phrasing;
  line["steps"] = example.steps;
  std::cout << line.dump() << "\n";
}

void Statistics(const QuestionBank& bank, const Generator& generator, std::uint64_t count) {
  std::set<std::string> masked;
  std::map<std::string, std::uint64_t> families, programs;
  std::set<std::pair<int, int>> phrasings;
  std::size_t characters = 0, tokens = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Example example = generator.Make(i);
    std::string key;
    for (const std::string& word : MaskedWords(bank.lexicon(), example.question)) key += word + " ";
    masked.insert(std::move(key));
    ++families[std::string(FamilyName(example.family))];
    ++programs[example.canonical];
    phrasings.emplace(example.schema, example.phrasing);
    characters += example.question.size();
    for (const char c : example.canonical) tokens += c == ' ' ? 1 : 0;
    ++tokens;
  }
  std::cout << "examples " << count << ", distinct masked questions " << masked.size()
            << ", distinct programs " << programs.size() << ", schema-phrasing pairs seen "
            << phrasings.size() << ", characters per question " << characters / count
            << ", tokens per program " << tokens / count << "\n";
  for (const auto& [name, n] : families) std::cout << "  " << name << " " << n << "\n";
}

/// The text of a line under question, nl_input or text.
std::string QuestionOf(std::string_view line) {
  const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_object()) return std::string(line);
  for (const char* key : {"question", "nl_input", "text"}) {
    if (object.contains(key) && object[key].is_string()) return object[key];
  }
  return {};
}

/// The text of a file. A folder opens as one does, and cannot be read.
std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (char c = 0; file.get(c);) text += c;
  if (!file.is_open() || file.bad()) {
    Fail(kUnreadable, "cannot read " + txvm::isa::Printable(path));
  }
  return text;
}

void Contamination(const QuestionBank& bank, const Generator& generator,
                   const Arguments& arguments) {
  const std::string text = TextOf(arguments.contamination);
  ContaminationIndex index(bank.lexicon());
  for (const std::string_view line : txvm::isa::LinesOf(text)) {
    if (!txvm::isa::IsBlankLine(line)) index.Add(QuestionOf(line));
  }
  std::vector<bool> collides(index.size());
  for (std::uint64_t i = 0; i < arguments.count; ++i) {
    for (const std::size_t id : index.Colliding(generator.Make(i).question)) collides[id] = true;
  }
  std::size_t contaminated = 0;
  for (const bool one : collides) contaminated += one ? 1 : 0;
  std::cout << "all " << index.size() << ", clean " << index.size() - contaminated
            << ", contaminated " << contaminated << ", among " << arguments.count
            << " generated examples\n";
  if (!arguments.jsonl) return;
  for (std::size_t id = 0; id < collides.size(); ++id) {
    std::cout << "{\"line\": " << id + 1
              << ", \"contaminated\": " << (collides[id] ? "true" : "false") << "}\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = Read(argc, argv);
  const auto bank = ReadQuestions(arguments.questions);
  if (!bank) Fail(kUnreadable, bank.error().ToString());
  const Generator generator(**bank, arguments.options);
  if (!arguments.contamination.empty()) {
    Contamination(**bank, generator, arguments);
  } else if (arguments.statistics) {
    Statistics(**bank, generator, arguments.count);
  } else {
    for (std::uint64_t i = 0; i < arguments.count && std::cout; ++i) {
      Print(generator.Make(i), arguments.jsonl);
    }
  }
  if (!std::cout.flush()) Fail(kLost, "cannot write standard output");
  return 0;
}
