#include "neural/questions/bank.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "isa/support/file.h"
#include "isa/support/text.h"
#include "neural/questions/letters.h"
#include "neural/questions/numbers.h"
#include "neural/questions/program.h"
#include "neural/questions/sentence_file.h"

namespace txvm::neural::questions {
namespace {

namespace fs = std::filesystem;

/// Phrasings of some makers have room for as many lines (draft.h).
constexpr std::size_t kMostPlots = 300, kMostAsks = 1'000, kMostImplied = 1'000;

/// A row of a table with the number of its line, by which the table is put in order.
template <typename Row>
struct Numbered {
  std::size_t number;
  std::string_view line;
  Row row;
};
template <typename Row>
using Table = std::vector<Numbered<Row>>;

}  // namespace

/// Fills a bank from its folder.
class BankReader {
 public:
  explicit BankReader(const std::string& folder) : folder_(folder), bank_(new QuestionBank) {}

  isa::Result<std::unique_ptr<const QuestionBank>> Run() {
    TXVM_CHECK_OK(ReadWords());
    TXVM_CHECK_OK(ReadSwaps());
    TXVM_CHECK_OK(ReadRules());
    TXVM_CHECK_OK(ReadFrames());
    TXVM_CHECK_OK(ReadSteps());
    TXVM_CHECK_OK(ReadPlots());
    TXVM_CHECK_OK(ReadImplied());
    TXVM_CHECK_OK(ReadContrasts());
    TXVM_CHECK_OK(ReadFixed());
    return std::move(bank_);
  }

 private:
  using Sections = std::vector<SentenceSection>;
  using Done = isa::Result<void>;

  /// An error about a text of the bank.
  std::unexpected<isa::Error> FailAt(std::string_view text, std::string why) const {
    return std::unexpected(isa::Error{isa::ErrorCode::kInvalid, std::move(why),
                                      bank_->PlaceOf(text), std::string(text)});
  }
  isa::Result<Sections> Open(const std::string& name, Numbering numbering) {
    const std::string path = (fs::path(folder_) / name).string();
    TXVM_TRY(std::string text, isa::ReadFile(path));
    bank_->files_.push_back(
        std::make_unique<const QuestionBank::File>(QuestionBank::File{path, std::move(text)}));
    return ParseSentences(path, bank_->files_.back()->text, numbering);
  }
  /// The text files of a folder, by name.
  isa::Result<std::vector<std::string>> FilesOf(const std::string& name) const {
    std::vector<std::string> files;
    std::error_code error;
    for (fs::directory_iterator entry(fs::path(folder_) / name, error), end; entry != end && !error;
         entry.increment(error)) {
      if (entry->path().extension() == ".txt") files.push_back(entry->path().filename().string());
    }
    if (error) {
      return isa::Fail(isa::ErrorCode::kIo,
                       fmt::format("cannot read the folder {}: {}",
                                   (fs::path(folder_) / name).string(), error.message()));
    }
    std::ranges::sort(files);
    return files;
  }
  /// Puts a table in the order of its numbers. A number that two lines have is an error.
  template <typename Row>
  Done Sort(Table<Row>& table) const {
    std::ranges::sort(table, {}, &Numbered<Row>::number);
    for (std::size_t i = 1; i < table.size(); ++i) {
      if (table[i].number != table[i - 1].number) continue;
      // The sort may have put either first; the later place is the one to change.
      isa::Place one = bank_->PlaceOf(table[i - 1].line), two = bank_->PlaceOf(table[i].line);
      std::string_view line = table[i].line;
      if (std::tie(two.file, two.line) < std::tie(one.file, one.line)) {
        std::swap(one, two);
        line = table[i - 1].line;
      }
      return FailAt(line,
                    fmt::format("the number {} is that of {}:{}, too; the next free one is {}",
                                table[i].number, one.file, one.line, table.back().number + 1));
    }
    return {};
  }

  Done CheckText(std::string_view text) const {
    const auto fault = FaultOf(text, bank_->lexicon(), bank_->rules());
    if (fault) return FailAt(text, *fault);
    return {};
  }
  /// A program, or "?chat" and its like, and conditions, of which `head` is told in an error.
  Done CheckProgram(std::string_view head, std::string_view program, std::string_view numbers,
                    bool may_abstain) const {
    constexpr std::array<std::string_view, 4> kReasons = {"?chat", "?missing", "?unclear",
                                                          "?unsupported"};
    if (program.starts_with('?')) {
      if (!may_abstain || std::ranges::find(kReasons, program) == kReasons.end()) {
        return FailAt(head, fmt::format("'{}' is no program and no reason to abstain", program));
      }
    } else {
      const std::string text = isa::Replaced(std::string(program), "[L]", "[]");
      if (const auto read = ReadProgram(text); !read) return FailAt(head, read.error().message);
    }
    if (const auto read = CheckSpecification(numbers); !read) {
      return FailAt(head, read.error().message);
    }
    return {};
  }

  Done ReadWords() {
    LexiconText text;
    TXVM_TRY(const Sections words, Open("words.txt", Numbering::kNumbered));
    std::set<std::string_view> names;
    for (SentenceSection section : words) {
      std::ranges::sort(section.lines, {}, &SentenceLine::number);
      std::vector<std::string_view> items;
      const auto head = Columns(section.head, ' ');
      const bool is_union = head[0] == "union";
      for (const SentenceLine& line : section.lines) {
        for (const std::string_view item : Columns(line.text, is_union ? ' ' : ',')) {
          if (item.empty()) return FailAt(line.text, "a word between two commas is empty");
          items.push_back(item);
        }
      }
      if (items.empty()) return FailAt(section.head, "the section has no words");
      if (section.head == "everyday") {
        text.everyday.insert(text.everyday.end(), items.begin(), items.end());
        continue;
      }
      if (head.size() != 2 || (!is_union && head[0] != "words")) {
        return FailAt(section.head,
                      "the section is none of '== everyday', '== words LIST' and "
                      "'== union LIST'");
      }
      if (!names.insert(head[1]).second) {
        return FailAt(section.head, fmt::format("the list {} has two sections", head[1]));
      }
      (is_union ? text.unions : text.lists).push_back({head[1], std::move(items)});
    }
    const std::string_view words_text = bank_->files_.back()->text;
    TXVM_TRY(const Sections verbs, Open("verbs.txt", Numbering::kPlain));
    std::set<std::string_view> bases;
    for (const SentenceSection& section : verbs) {
      for (const SentenceLine& line : section.lines) {
        const auto parts = Columns(line.text, ',');
        if (section.head == "doubled") {
          text.doubled.insert(text.doubled.end(), parts.begin(), parts.end());
        } else if (section.head != "irregular" || parts.size() != 3) {
          return FailAt(line.text,
                        "a line of '== irregular' is 'base, past, participle', and "
                        "'== doubled' is the only other section");
        } else if (!bases.insert(parts[0]).second) {
          return FailAt(line.text, fmt::format("the verb {} has two lines", parts[0]));
        } else {
          text.irregular.push_back({parts[0], parts[1], parts[2]});
        }
      }
    }
    auto lexicon = Lexicon::Make(text);
    if (!lexicon) {
      lexicon.error().place = bank_->PlaceOf(words_text);
      lexicon.error().place.line = 0;
      return std::unexpected(std::move(lexicon).error());
    }
    bank_->lexicon_ = *std::move(lexicon);
    return {};
  }

  Done ReadSwaps() {
    TXVM_TRY(const Sections sections, Open("swaps.txt", Numbering::kPlain));
    std::vector<std::string_view> rules;
    for (const SentenceSection& section : sections) {
      for (const SentenceLine& line : section.lines) {
        const bool is_small = std::ranges::all_of(line.text, [](char c) {
          return IsLower(c) || std::string_view(" '-|>").find(c) != std::string_view::npos;
        });
        const auto phrases = Columns(line.text, '|');
        if (!is_small || std::ranges::find(phrases, std::string_view()) != phrases.end() ||
            (line.text.find(" > ") == std::string_view::npos && phrases.size() < 2)) {
          return FailAt(line.text, "a line is 'x|y|z' or 'x > y|z', of phrases in small letters");
        }
        rules.push_back(line.text);
      }
    }
    bank_->swaps_.emplace(rules);
    std::set<std::string_view> seen;
    for (const Swap& swap : bank_->swaps_->rows()) {
      if (!seen.insert(swap.from).second) {
        return FailAt(swap.from, fmt::format("'{}' may be replaced by two lines", swap.from));
      }
    }
    return {};
  }

  Done ReadRules() {
    TXVM_TRY(const std::vector<std::string> files, FilesOf("rules"));
    for (const std::string& file : files) {
      TXVM_TRY(Sections sections, Open("rules/" + file, Numbering::kNumbered));
      for (SentenceSection& section : sections) {
        if (section.lines.empty()) return FailAt(section.head, "the rule has no texts");
        if (bank_->rules_.Has(section.head)) {
          return FailAt(section.head, fmt::format("the rule {} has another section", section.head));
        }
        std::ranges::sort(section.lines, {}, &SentenceLine::number);
        for (const SentenceLine& line : section.lines) {
          bank_->rules_.Add(section.head, line.text);
        }
      }
    }
    for (const auto& [name, texts] : bank_->rules_.all()) {
      for (const std::string_view text : texts) TXVM_CHECK_OK(CheckText(text));
    }
    std::map<std::string_view, bool> is_done;
    for (const auto& [name, texts] : bank_->rules_.all()) TXVM_CHECK_OK(Visit(name, is_done));
    return {};
  }
  /// A rule that comes to itself would be expanded without end. `is_done` has those seen, false
  /// while what they name is being looked at.
  Done Visit(std::string_view name, std::map<std::string_view, bool>& is_done) const {
    const auto [seen, is_new] = is_done.emplace(name, false);
    if (!is_new) return {};
    for (const std::string_view text : bank_->rules_.Texts(name)) {
      for (std::size_t at = 0; (at = text.find('<', at)) != std::string_view::npos; ++at) {
        const std::size_t end = text.find('>', at);
        if (end == std::string_view::npos) break;
        const std::string_view nested = text.substr(at + 1, end - at - 1);
        if (!bank_->rules_.Has(nested)) continue;
        const auto found = is_done.find(nested);
        if (found != is_done.end() && !found->second) {
          return FailAt(text,
                        fmt::format("the rule {} comes to itself by way of {}", nested, name));
        }
        TXVM_CHECK_OK(Visit(nested, is_done));
      }
    }
    is_done[name] = true;
    return {};
  }

  Done ReadFrames() {
    Table<Frame> table;
    TXVM_TRY(const std::vector<std::string> files, FilesOf("families"));
    for (const std::string& file : files) {
      std::optional<Family> family;
      for (std::size_t i = 0; i < kFamilies.size(); ++i) {
        if (FamilyFile(static_cast<Family>(i)) == file) family = static_cast<Family>(i);
      }
      TXVM_TRY(const Sections sections, Open("families/" + file, Numbering::kNumbered));
      if (!family) {
        return std::unexpected(isa::Error{isa::ErrorCode::kInvalid,
                                          "families.def has no family of that name",
                                          {bank_->files_.back()->path, 0, 0},
                                          {}});
      }
      for (const SentenceSection& section : sections) {
        const auto head = Columns(section.head, '|');
        const bool is_plain = head.size() == 3 && head[2] == "plain";
        if (head.size() != 2 && !is_plain) {
          return FailAt(section.head,
                        "a section is '== program | numbers', or that and ' | plain'");
        }
        TXVM_CHECK_OK(CheckProgram(section.head, head[0], head[1], true));
        for (const SentenceLine& line : section.lines) {
          TXVM_CHECK_OK(CheckText(line.text));
          table.push_back({line.number, line.text,
                           Frame{*family, head[0], head[1], line.text, is_plain, 0,
                                 static_cast<int>(line.number) - 1, IsHeldOut(line.text)}});
        }
      }
    }
    TXVM_CHECK_OK(Sort(table));
    struct Less {
      bool operator()(const Frame& a, const Frame& b) const {
        return std::tie(a.family, a.program, a.specification) <
               std::tie(b.family, b.program, b.specification);
      }
    };
    std::map<Frame, int, Less> schemas;
    for (auto& [number, line, frame] : table) {
      frame.schema = schemas.emplace(frame, static_cast<int>(schemas.size())).first->second;
      bank_->frames_.push_back(frame);
    }
    for (const Frame& frame : bank_->frames_) {
      const auto of = static_cast<std::size_t>(frame.family);
      bank_->by_family_[of].push_back(&frame);
      if (frame.is_plain) bank_->plain_by_family_[of].push_back(&frame);
    }
    return {};
  }

  Done ReadSteps() {
    Table<Step> table;
    TXVM_TRY(const Sections sections, Open("steps.txt", Numbering::kNumbered));
    for (const SentenceSection& section : sections) {
      const auto head = Columns(section.head, '|');
      const auto name = Columns(head[0], ' ');
      constexpr std::array<std::string_view, 3> kStages = {"start", "event", "ask"};
      const auto stage = std::ranges::find(kStages, name[0]);
      if (head.size() != 3 || name.size() != 2 || stage == kStages.end()) {
        return FailAt(section.head, "a section is '== start|event|ask NAME | program | numbers'");
      }
      TXVM_CHECK_OK(CheckProgram(section.head, head[1], head[2], false));
      for (const SentenceLine& line : section.lines) {
        TXVM_CHECK_OK(CheckText(line.text));
        table.push_back({line.number, line.text,
                         Step{static_cast<Stage>(stage - kStages.begin()), name[1], head[1],
                              head[2], line.text, static_cast<int>(line.number) - 1}});
      }
    }
    TXVM_CHECK_OK(Sort(table));
    for (const auto& row : table) bank_->steps_.push_back(row.row);
    for (const Stage stage : {Stage::kStart, Stage::kEvent, Stage::kAsk}) {
      if (std::ranges::find(bank_->steps_, stage, &Step::stage) == bank_->steps_.end()) {
        return FailAt(bank_->files_.back()->text, "a start, an event or a question is missing");
      }
    }
    return {};
  }

  Done ReadPlots() {
    Table<PlotQuestion> table;
    TXVM_TRY(const Sections sections, Open("plots.txt", Numbering::kNumbered));
    for (const SentenceSection& section : sections) {
      for (const SentenceLine& line : section.lines) {
        auto parts = Columns(line.text, ';');
        if (parts.size() == 3) parts.emplace_back();
        if (parts.size() != 4) {
          return FailAt(line.text, "a line is 'asked ; tellings ; program ; numbers'");
        }
        if (line.number > kMostPlots) {
          return FailAt(line.text, fmt::format("there is room for {} plots", kMostPlots));
        }
        TXVM_CHECK_OK(CheckProgram(line.text, parts[2], parts[3], false));
        table.push_back({line.number, line.text,
                         PlotQuestion{section.head, parts[0], parts[1], parts[2], parts[3],
                                      static_cast<int>(line.number) - 1}});
      }
    }
    TXVM_CHECK_OK(Sort(table));
    for (const auto& row : table) bank_->plots_.push_back(row.row);
    return {};
  }

  Done ReadImplied() {
    Table<Implied> table;
    TXVM_TRY(const Sections sections, Open("implied.txt", Numbering::kNumbered));
    for (const SentenceSection& section : sections) {
      const auto head = Columns(section.head, '|');
      if (head.size() != 2) return FailAt(section.head, "a section is '== program | numbers'");
      TXVM_CHECK_OK(CheckProgram(section.head, head[0], head[1], false));
      for (const SentenceLine& line : section.lines) {
        TXVM_CHECK_OK(CheckText(line.text));
        if (line.number > kMostImplied) {
          return FailAt(line.text, fmt::format("there is room for {} stories", kMostImplied));
        }
        table.push_back({line.number, line.text,
                         Implied{head[0], head[1], line.text, static_cast<int>(line.number) - 1}});
      }
    }
    TXVM_CHECK_OK(Sort(table));
    for (const auto& row : table) bank_->implied_.push_back(row.row);
    return {};
  }

  Done ReadContrasts() {
    Table<Contrasts::Story> stories;
    Table<Contrasts::Together> together;
    Table<Contrasts::Ask> asks;
    Table<Contrasts::Aside> asides, hooks, prefaces;
    Contrasts& out = bank_->contrasts_;
    TXVM_TRY(Sections sections, Open("contrasts.txt", Numbering::kNumbered));
    for (SentenceSection& section : sections) {
      const std::string_view head = section.head;
      const std::string_view kind = head.substr(0, head.find(' '));
      std::string_view name = head.substr(std::min(kind.size() + 1, head.size())), rest;
      const bool is_of_story =
          kind == "fact" || kind == "ahead" || kind == "together" || kind == "ask";
      if (is_of_story) {
        const std::size_t end = std::min(name.find(' '), name.size());
        rest = name.substr(std::min(end + 1, name.size()));
        name = name.substr(0, end);
      }
      const bool is_letter = (kind == "fact" || kind == "ahead") ? rest.size() == 1
                             : is_of_story                       ? !rest.empty()
                             : kind != "story"                   ? name.size() == 1
                                                                 : !name.empty();
      if (!is_letter) return FailAt(head, "the section's head lacks a name or has too many");
      std::ranges::sort(section.lines, {}, &SentenceLine::number);
      for (const SentenceLine& line : section.lines) {
        if (kind == "story") {
          auto parts = Columns(line.text, '|');
          if (parts.size() == 3) parts.emplace_back();
          if (parts.size() != 4) {
            return FailAt(line.text, "a line is 'amounts | order | conditions | apart'");
          }
          stories.push_back(
              {line.number, line.text, {name, parts[0], parts[1], parts[2], parts[3]}});
          continue;
        }
        TXVM_CHECK_OK(CheckText(line.text));
        if (kind == "fact") {
          out.facts.push_back({name, rest[0], line.text});
        } else if (kind == "ahead") {
          out.ahead.push_back({name, rest[0], line.text});
        } else if (kind == "together") {
          together.push_back({line.number, line.text, {name, rest, line.text}});
        } else if (kind == "ask") {
          if (line.number > kMostAsks) {
            return FailAt(line.text, fmt::format("there is room for {} questions", kMostAsks));
          }
          asks.push_back(
              {line.number, line.text, {name, rest, line.text, static_cast<int>(line.number) - 1}});
        } else if (kind == "aside" || kind == "hook" || kind == "preface") {
          auto& table = kind == "aside" ? asides : kind == "hook" ? hooks : prefaces;
          if (!IsNumberClass(name[0])) return FailAt(head, "there is no such class of numbers");
          table.push_back({line.number, line.text, {name[0], line.text}});
        } else {
          return FailAt(head, fmt::format("a section of the kind '{}' is unknown", kind));
        }
      }
    }
    const auto put = [this](auto& table, auto& rows) -> Done {
      TXVM_CHECK_OK(Sort(table));
      for (const auto& row : table) rows.push_back(row.row);
      return {};
    };
    TXVM_CHECK_OK(put(stories, out.stories));
    TXVM_CHECK_OK(put(together, out.together));
    TXVM_CHECK_OK(put(asks, out.asks));
    TXVM_CHECK_OK(put(asides, out.asides));
    TXVM_CHECK_OK(put(hooks, out.hooks));
    return put(prefaces, out.prefaces);
  }

  Done ReadFixed() {
    TXVM_TRY(const Sections sections, Open("fixed_sentences.txt", Numbering::kPlain));
    bank_->fixed_.emplace(bank_->lexicon());
    for (const SentenceSection& section : sections) {
      for (const SentenceLine& line : section.lines) bank_->fixed_->Add(line.text);
    }
    return {};
  }

  std::string folder_;
  std::unique_ptr<QuestionBank> bank_;
};

isa::Result<std::unique_ptr<const QuestionBank>> QuestionBank::Read(const std::string& folder) {
  return BankReader(folder).Run();
}

std::size_t QuestionBank::PhrasingCount() const {
  std::set<std::pair<int, std::string_view>> pairs;
  for (const Frame& frame : frames_) pairs.emplace(frame.schema, frame.text);
  return pairs.size();
}

isa::Place QuestionBank::PlaceOf(std::string_view text) const {
  for (const auto& file : files_) {
    const char *const begin = file->text.data(), *const end = begin + file->text.size();
    if (std::less<>{}(text.data(), begin) || std::less<>{}(end, text.data())) continue;
    const auto line = 1 + std::count(begin, text.data(), '\n');
    return {file->path, static_cast<std::uint32_t>(line), 0};
  }
  return {};
}

isa::Result<std::string> QuestionsFolder(const std::string& given) {
  const auto is_there = [](const fs::path& folder) {
    std::error_code error;
    return fs::is_directory(folder / "families", error);
  };
  if (!given.empty()) {
    if (is_there(given)) return given;
    return isa::Fail(isa::ErrorCode::kIo,
                     fmt::format("{} is no folder of sentences: it has no folder families in it",
                                 isa::Printable(given, given.size())));
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed =
      (program.parent_path() / ".." / TXVM_QUESTIONS_INSTALLED).lexically_normal();
  for (const fs::path& folder : {installed, fs::path(TXVM_QUESTIONS_SOURCE)}) {
    if (is_there(folder)) return folder.string();
  }
  return isa::Fail(isa::ErrorCode::kIo,
                   fmt::format("the sentences that questions are made of are neither in {} nor in "
                               "{}; --questions DIR says where they are",
                               installed.string(), TXVM_QUESTIONS_SOURCE));
}

isa::Result<std::unique_ptr<const QuestionBank>> ReadQuestions(const std::string& given) {
  TXVM_TRY(const std::string folder, QuestionsFolder(given));
  return QuestionBank::Read(folder);
}

}  // namespace txvm::neural::questions
