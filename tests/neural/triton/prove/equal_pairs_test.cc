// Pairs of programs that mean the same, by family, and their neighbours that do not: all that is
// equal is proved, nothing else ever.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "neural/triton/prove/equivalence.h"
#include "neural/triton/tasm/text.h"

namespace txvm::triton {
namespace {

struct TextPair {
  std::string family, first, second;
};

Subject Read(const std::string& text) {
  const auto program = AssembleTasm(text);
  EXPECT_TRUE(program.has_value()) << text;
  return Subject::FromTasm(*program);
}

VerifyReport Judgement(const TextPair& pair) {
  VerifyOptions options;
  options.trials = 300;
  options.milliseconds = 300;
  const auto report = Verify(Read(pair.first), Read(pair.second), options);
  EXPECT_TRUE(report.has_value()) << pair.first;
  return report.value_or(VerifyReport{});
}

// Division by powers of two, masks, shifts and bounds.
void AddQuotients(std::vector<TextPair>& pairs) {
  for (int k = 1; k < 32; k += 3) {
    const std::uint64_t power = std::uint64_t{1} << k;
    pairs.push_back({"mod", fmt::format("push {} swap 1 div_mod swap 1 pop 1", power),
                     fmt::format("push {} and", power - 1)});
    pairs.push_back({"clear", fmt::format("push {} and", (std::uint64_t{1} << 32) - power),
                     fmt::format("push {} swap 1 div_mod pop 1 push {} mul", power, power)});
    pairs.push_back({"bound", fmt::format("push {} swap 1 lt", power),
                     fmt::format("push {} swap 1 div_mod pop 1 push 0 eq", power)});
  }
  for (int k = 1; k < 15; k += 2) {
    const std::uint64_t a = std::uint64_t{1} << k;
    pairs.push_back({"shift",
                     fmt::format("push {0} swap 1 div_mod pop 1 push {0} swap 1 div_mod "
                                 "pop 1",
                                 a),
                     fmt::format("push {} swap 1 div_mod pop 1", a * a)});
    pairs.push_back({"field", fmt::format("push {} swap 1 div_mod pop 1 push 3 and", a),
                     fmt::format("push {} and push {} swap 1 div_mod pop 1", a * 3, a)});
    pairs.push_back({"bits", fmt::format("push {} swap 1 div_mod pop 1 push 1 and", a),
                     fmt::format("push {} swap 1 div_mod swap 1 pop 1 push {} swap 1 div_mod pop 1",
                                 2 * a, a)});
  }
}

// A choice by a branch, and by arithmetic.
void AddSelections(std::vector<TextPair>& pairs) {
  const auto branch = [&](std::string_view condition, std::string_view yes, std::string_view no) {
    return fmt::format(
        "{} push 1 swap 1 skiz call a skiz call b write_io 1 halt a: pop 1 {} push "
        "0 return b: {} return",
        condition, yes, no);
  };
  // x y on the stack, x on top; the flag of a comparison.
  const std::pair<const char*, const char*> conditions[] = {
      {"read_io 2 dup 1 dup 1 eq", "eq"},
      {"read_io 2 dup 1 dup 1 lt", "lt"},
      {"read_io 2 dup 0 push 0 eq", "zero"},
      {"read_io 2 dup 1 push 7 eq", "seven"},
      {"read_io 2 dup 0 push 8 swap 1 lt", "below"}};
  for (const auto& [condition, name] : conditions) {
    // flag * x + (1 - flag) * y = flag * (x - y) + y
    pairs.push_back({"select", branch(condition, "swap 1 pop 1", "pop 1"),
                     fmt::format("{} pick 2 pick 2 dup 1 push -1 mul add pick 2 mul add write_io "
                                 "1 halt",
                                 condition)});
    pairs.push_back({"select", branch(condition, "add", "mul"),
                     fmt::format("{} dup 2 dup 2 add dup 1 mul swap 1 push -1 mul addi 1 dup 3 dup "
                                 "3 mul mul add write_io 1 halt",
                                 condition)});
    pairs.push_back({"flag", fmt::format("{} push 0 eq write_io 1 halt", condition),
                     fmt::format("{} push -1 mul addi 1 write_io 1 halt", condition)});
    pairs.push_back({"flag", fmt::format("{} dup 0 mul write_io 1 halt", condition),
                     fmt::format("{} write_io 1 halt", condition)});
  }
  // A word that is asserted to be a flag.
  const std::string flag = "read_io 3 dup 0 dup 0 addi -1 mul push 0 eq assert";
  pairs.push_back({"select", branch(flag, "swap 1 pop 1", "pop 1"),
                   flag + " pick 2 pick 2 dup 1 push -1 mul add pick 2 mul add write_io 1 halt"});
}

// Equalities, products, squares and inverses.
void AddAlgebra(std::vector<TextPair>& pairs) {
  const auto add = [&](const char* first, const char* second) {
    // Words above the 16 lowest: how deep a side reaches is not what these pairs are about.
    const std::string words = "read_io 4 ";
    pairs.push_back({"algebra", words + first, words + second});
  };
  add("dup 0 mul push 0 eq", "push 0 eq");
  add("dup 0 dup 0 mul mul push 0 eq", "push 0 eq");
  add("push -1 mul add dup 0 mul push 0 eq", "eq");
  add("dup 0 mul push 0 eq assert", "push 0 eq assert");
  add("invert invert", "dup 0 invert pop 1");
  add("add invert invert", "add dup 0 invert pop 1");
  add("add dup 0 invert mul", "add invert pop 1 push 1");
  add("addi 3 dup 0 invert mul", "addi 3 invert pop 1 push 1");
  add("add dup 0 mul dup 0 invert mul", "add invert pop 1 push 1");
  add("dup 1 dup 1 mul invert", "dup 1 invert dup 1 invert mul");
  add("mul push 0 eq", "push 0 eq swap 1 push 0 eq add push 0 eq push 0 eq");
  add("mul push 0 eq", "push 0 eq swap 1 push 0 eq dup 1 dup 1 mul push -1 mul add add");
  add("dup 0 push 0 eq mul", "pop 1 push 0");
  add("dup 1 dup 1 eq pick 2 push -1 mul pick 2 add mul", "pop 2 push 0");
  add("dup 1 dup 1 eq mul", "dup 1 dup 1 eq swap 1 pop 1 dup 1 mul");
  add("push 0 eq push 0 eq push 0 eq", "push 0 eq");
  add("dup 0 push 0 eq swap 1 push 1 eq mul", "pop 1 push 0");
  add("dup 1 dup 1 eq assert add", "dup 1 dup 1 eq assert pop 1 push 2 mul");
  add("dup 1 dup 1 eq assert mul", "dup 1 dup 1 eq assert pop 1 dup 0 mul");
  add("push 4 eq push 0 eq skiz nop", "pop 1");
  // (a = b) or (c = d)
  add("eq swap 2 eq add push 0 eq push 0 eq", "eq swap 2 eq dup 1 dup 1 mul push -1 mul add add");
  add("push -1 mul add swap 2 push -1 mul add mul push 0 eq",
      "eq swap 2 eq add push 0 eq push 0 eq");
  add("push -1 mul add swap 2 push -1 mul add mul push 0 eq assert",
      "eq swap 2 eq add push 0 eq push 0 eq assert");
  add("lt", "dup 1 dup 1 lt swap 2 pop 2");
  add("push 5 lt", "push 6 swap 1 lt push 0 eq");
  add("push 1 swap 1 lt", "dup 0 push 0 and pop 1 push 0 eq");
  add("push 0 lt", "dup 0 push 0 and pop 1 push 0 eq push 0 eq");
}

// Stores and loads whose addresses may be equal.
void AddMemory(std::vector<TextPair>& pairs) {
  const auto add = [&](const char* first, const char* second) {
    pairs.push_back({"memory", first, second});
  };
  // p on top, then v: one store, or one in each arm.
  add("read_io 3 push 1 swap 1 skiz call a skiz call b push 3 read_mem 1 pop 1 write_io 1 halt a: "
      "pop 1 write_mem 1 pop 1 push 0 return b: write_mem 1 pop 1 return",
      "read_io 3 pop 1 write_mem 1 pop 1 push 3 read_mem 1 pop 1 write_io 1 halt");
  // The same value to two addresses, in either order.
  add("dup 1 swap 1 write_mem 1 pop 1 swap 1 write_mem 1 pop 1",
      "swap 2 swap 1 dup 0 pick 2 write_mem 1 pop 1 swap 1 write_mem 1 pop 1");
  add("push 7 dup 1 write_mem 1 pop 1 push 7 dup 2 write_mem 1 pop 1",
      "push 7 dup 2 write_mem 1 pop 1 push 7 dup 1 write_mem 1 pop 1");
  add("push 7 dup 1 write_mem 1 pop 1 dup 1 read_mem 1 pop 1 dup 2 dup 2 eq skiz call e pop 1 halt "
      "e: push -7 add push 0 eq assert push 0 return",
      "push 7 dup 1 write_mem 1 pop 1 halt");
}

// Loops against loops of another shape.
void AddLoops(std::vector<TextPair>& pairs) {
  const std::pair<const char*, const char*> bodies[] = {
      {"swap 1 push 2 mul swap 1 push -1 add", "addi -1 pick 1 dup 0 add place 1"},
      {"swap 1 addi 3 swap 1 push -1 add", "addi -1 swap 1 push 3 add swap 1"},
      {"dup 0 write_io 1 push -1 add", "dup 0 write_io 1 addi -1"},
      {"swap 1 dup 1 add swap 1 addi -1", "dup 0 pick 2 add swap 1 push -1 add"},
      {"swap 1 read_io 1 add swap 1 addi -1", "addi -1 read_io 1 pick 2 add swap 1"},
      {"swap 1 dup 0 mul swap 1 addi -1", "pick 1 dup 0 mul place 1 push -1 add"},
      {"swap 1 dup 1 write_mem 1 pop 1 push 5 swap 1 addi -1",
       "swap 1 dup 1 write_mem 1 pop 1 push 5 swap 1 push -1 add"},
      {"dup 0 push 4294967295 and pop 1 addi -1", "dup 0 dup 0 and pop 1 addi -1"}};
  const std::string start = "push 1 read_io 1 call f pop 1 write_io 1 halt ";
  for (const auto& [body, other] : bodies) {
    const std::string rolled =
        fmt::format("{}f: dup 0 push 0 eq skiz return {} recurse", start, body);
    const auto add = [&](const char* family, const std::string& text) {
      pairs.push_back({family, rolled, start + text});
    };
    add("rolled", fmt::format("f: push 0 dup 1 eq skiz return {} recurse", other));
    add("unrolled", fmt::format("f: dup 0 push 0 eq skiz return {0} dup 0 push 0 eq skiz return "
                                "{0} recurse",
                                other));
    add("unrolled", fmt::format("f: dup 0 push 0 eq skiz return {0} dup 0 push 0 eq skiz return "
                                "{0} dup 0 push 0 eq skiz return {0} recurse",
                                other));
    add("peeled", fmt::format("f: dup 0 push 0 eq skiz return {0} call g return g: dup 0 push 0 eq "
                              "skiz return {0} recurse",
                              other));
    add("do-while",
        fmt::format("f: dup 0 skiz call g return g: {} dup 0 skiz recurse return", other));
    add("tail call", fmt::format("f: dup 0 push 0 eq skiz return {} call f return", other));
    add("recurse_or_return", fmt::format("f: dup 0 push 0 eq skiz return {} recurse", other));
    add("routine",
        fmt::format("f: dup 0 push 0 eq skiz return call h recurse h: {} return", other));
  }
  // A count to a bound, with recurse_or_return.
  pairs.push_back(
      {"recurse_or_return",
       "read_io 1 push 0 push 0 push 0 push 0 push 0 push 0 call f push 0 halt f: pick "
       "5 addi 1 dup 0 write_io 1 place 5 recurse_or_return",
       "read_io 1 push 0 push 0 push 0 push 0 push 0 push 0 call f push 0 halt f: dup 5 "
       "push 1 add dup 0 write_io 1 swap 6 pop 1 dup 6 dup 6 eq skiz return recurse"});
}

std::vector<TextPair> EqualPairs() {
  std::vector<TextPair> pairs;
  AddQuotients(pairs);
  AddSelections(pairs);
  AddAlgebra(pairs);
  AddMemory(pairs);
  AddLoops(pairs);
  return pairs;
}

TEST(EqualPairs, NearlyAllAreProvedAndFast) {
  std::size_t proved = 0;
  std::vector<double> times;
  const std::vector<TextPair> pairs = EqualPairs();
  std::string open;
  for (const TextPair& pair : pairs) {
    const auto start = std::chrono::steady_clock::now();
    const VerifyReport report = Judgement(pair);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    EXPECT_NE(report.verdict, Verdict::kRefuted) << pair.family << "\n"
                                                 << pair.first << "\n"
                                                 << pair.second << "\n"
                                                 << report.counterexample->first << "\n"
                                                 << report.counterexample->second;
    if (report.verdict == Verdict::kProved) {
      ++proved;
      times.push_back(took.count());
    } else {
      open +=
          fmt::format("{} ({})\n  {}\n  {}\n", pair.family, report.reason, pair.first, pair.second);
    }
  }
  EXPECT_GE(proved * 100, pairs.size() * 97) << proved << " of " << pairs.size() << "\n" << open;
  std::ranges::sort(times);
  RecordProperty("proved", static_cast<int>(proved));
  constexpr double kMostMilliseconds = 5;  // 1 where nothing else runs
  EXPECT_LE(times[times.size() / 2], kMostMilliseconds);
  fmt::print("{} of {} proved, median {:.3f} ms\n{}", proved, pairs.size(), times[times.size() / 2],
             open);
}

// Every number of the second text plus one, in turn: where that changes what it does, it must not
// be called proved.
TEST(EqualPairs, NeighboursAreNeverProvedWrongly) {
  std::size_t refuted = 0;
  const std::vector<TextPair> pairs = EqualPairs();
  constexpr std::size_t kStep = 8;  // all of them take minutes, most of it the searches
  for (std::size_t i = 0; i < pairs.size(); i += kStep) {
    const TextPair& pair = pairs[i];
    for (const char* change : {"push 1 ", "push 0 ", "addi -1", "push 3 ", "eq", "add", "dup 0 "}) {
      const std::size_t at = pair.second.rfind(change);
      if (at == std::string::npos) continue;
      const std::string_view found = change;
      const char* with = found == "push 1 "   ? "push 2 "
                         : found == "push 0 " ? "push 1 "
                         : found == "addi -1" ? "addi -2"
                         : found == "push 3 " ? "push 4 "
                         : found == "eq"      ? "mul"
                         : found == "add"     ? "mul"
                                              : "dup 1 ";
      TextPair changed = pair;
      changed.second.replace(at, found.size(), with);
      if (!AssembleTasm(changed.second)) continue;
      const Subject first = Read(changed.first), second = Read(changed.second);
      VerifyOptions options;
      options.trials = 200;
      options.milliseconds = 20;
      const auto report = Verify(first, second, options);
      ASSERT_TRUE(report.has_value());
      if (report->verdict == Verdict::kRefuted) ++refuted;
      if (report->verdict != Verdict::kProved) continue;
      // Proved: then no run may tell them apart. The search alone, with another seed.
      VerifyOptions search;
      search.steps = 1;
      search.trials = 500;
      search.seed = 99;
      const auto again = Verify(first, second, search);
      EXPECT_NE(again->verdict, Verdict::kRefuted) << changed.first << "\n" << changed.second;
    }
  }
  EXPECT_GT(refuted, 20u);
}

TEST(EqualPairs, ARunThatNeverEndsRefutesOneThatDoes) {
  const TextPair pairs[] = {
      {"halting", "read_io 1 push 0 eq skiz call f halt f: recurse", "read_io 1 pop 1 halt"},
      {"halting", "read_io 1 write_io 1 halt",
       "read_io 1 dup 0 push 9 eq skiz call f write_io 1 halt f: push 1 pop 1 recurse"},
      {"halting", "read_io 1 call f halt f: dup 0 push 0 eq skiz return push 1 pop 1 recurse",
       "read_io 1 halt"},
      {"halting",
       "push 1 push 3 write_mem 1 pop 1 call f halt f: push 3 read_mem 1 pop 1 skiz "
       "recurse return",
       "halt"}};
  for (const TextPair& pair : pairs) {
    const VerifyReport report = Judgement(pair);
    EXPECT_EQ(report.verdict, Verdict::kRefuted) << pair.first << ": " << report.reason;
    if (!report.counterexample) continue;
    EXPECT_NE((report.counterexample->first + report.counterexample->second).find("never ends"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace txvm::triton
