// NAME=WHAT as people write it: what is read, what is refused, which rule counts.
#include "frontends/imports/rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace txvm::frontends::imports {
namespace {

using wat::ExportKind;

TEST(ImportRules, ReadsEveryWhat) {
  const std::vector<std::pair<std::string, Action>> rules = {
      {"console.log=print", Action::kPrint},    {"env.s=print-string", Action::kPrintString},
      {"env.c=print-char", Action::kPrintChar}, {"env.r=random", Action::kRandom},
      {"env.t=clock", Action::kClock},          {"env.x=trap", Action::kTrap},
      {"env.*=nothing", Action::kNothing},      {"*=nothing", Action::kNothing},
      {"env.n=-12", Action::kNumber},           {"env.n=2.5e3", Action::kNumber},
      {"env.n=0x10", Action::kNumber},          {"env.n=nan", Action::kNumber},
      {"env.m=memory", Action::kMemory},        {"env.m=memory:17", Action::kMemory},
      {"env.t=table", Action::kTable},          {"env.f=dir/lib.wasm#f", Action::kExport},
  };
  for (const auto& [text, action] : rules) {
    const isa::Result<Rule> rule = ParseRule(text);
    ASSERT_TRUE(rule) << text << ": " << rule.error().message;
    EXPECT_EQ(rule->action, action) << text;
    EXPECT_EQ(rule->written, text);
  }
  EXPECT_EQ(ParseRule("env.m=memory:17")->pages, 17U);
  EXPECT_EQ(ParseRule("env.f=dir/lib.wasm#f")->file, "dir/lib.wasm");
  EXPECT_EQ(ParseRule("env.f=dir/lib.wasm#f")->text, "f");
}

TEST(ImportRules, RefusesWithOneSentence) {
  for (const std::string text : {"", "=print", "console.log", "log=print", "env.f=", "env.f=#f",
                                 "env.m=memory:", "env.m=memory:65537", "env.m=memory:-1"}) {
    const isa::Result<Rule> rule = ParseRule(text);
    ASSERT_FALSE(rule) << text;
    EXPECT_EQ(rule.error().code, isa::ErrorCode::kUsage) << text;
    EXPECT_FALSE(rule.error().message.contains('\n')) << rule.error().message;
  }
  EXPECT_NE(ParseRule("a.b=prnt").error().message.find("did you mean print?"), std::string::npos);
}

TEST(ImportRules, TheLastRuleOfANameCountsThenTheLastPattern) {
  std::vector<Rule> rules;
  for (const char* text :
       {"env.*=print", "env.log=nothing", "*.m*=memory:2", "*g=5", "env.log=trap"}) {
    rules.push_back(ParseRule(text).value());
  }
  const auto find = [&](const char* name, ExportKind kind) -> std::string {
    const auto rule = FindRule(rules, {"env", name}, kind);
    if (!rule) return rule.error().message;
    return *rule == nullptr ? "none" : (*rule)->written;
  };
  EXPECT_EQ(find("log", ExportKind::kFunction), "env.log=trap");
  EXPECT_EQ(find("other", ExportKind::kFunction), "env.*=print");
  EXPECT_EQ(find("memory", ExportKind::kMemory), "*.m*=memory:2");
  EXPECT_EQ(find("dog", ExportKind::kGlobal), "*g=5");
  EXPECT_EQ(find("dog", ExportKind::kFunction), "*g=5");
  EXPECT_EQ(find("t", ExportKind::kTable), "none");
  EXPECT_EQ(find("log", ExportKind::kMemory),
            "--import 'env.log=trap' is not for a memory, which env.log is");
}

TEST(ImportRules, PlainWordsAreWhatAShellTakesAsTheyStand) {
  for (const char* word : {"f", "env.log", "a/b-c.wat", "x@y:1%2,3+4"})
    EXPECT_TRUE(IsPlainWord(word));
  for (const char* word : {"", "-f", "a b", "a$b", "a;b", "a*b", "a'b", "a\nb", "\x1b[2J"}) {
    EXPECT_FALSE(IsPlainWord(word)) << word;
  }
}

}  // namespace
}  // namespace txvm::frontends::imports
