// The rules whose names makers put together are there, and the scenes fill what is open in their
// texts. Without the first a maker stops when it draws one, without the second it gives up.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "neural/questions/calls.h"
#include "neural/questions/draft.h"
#include "neural/questions/one_step_plans.h"
#include "neural/questions/unanswerable_plans.h"
#include "tests/neural/questions/bank.h"

namespace txvm::neural::questions {
namespace {

/// None, and a failure, where there is no such rule.
std::vector<std::string_view> TextsOf(const Rules& rules, const std::string& name) {
  const bool is_there = rules.Has(name);
  EXPECT_TRUE(is_there) << name;
  return is_there ? rules.Texts(name) : std::vector<std::string_view>{};
}

/// The rules of plots that a text names.
std::vector<std::string> NestedIn(std::string_view text) {
  std::vector<std::string> nested;
  for (std::size_t at = 0; (at = text.find("<plot_", at)) != std::string_view::npos; ++at) {
    nested.emplace_back(text.substr(at + 1, text.find('>', at) - at - 1));
  }
  return nested;
}

/// Whatever stands behind a % in the texts of a rule, but for percentages, is one of the keys.
void ExpectFilled(const Rules& rules, const std::string& name, const std::string& keys) {
  for (const std::string_view text : TextsOf(rules, name)) {
    for (std::size_t at = 0; (at = text.find('%', at)) != std::string_view::npos; ++at) {
      if (at > 0 && text[at - 1] == '{') continue;
      ASSERT_LT(at + 1, text.size()) << name << ": " << text;
      EXPECT_NE(keys.find(text[at + 1]), std::string::npos) << name << ": " << text;
    }
    for (const std::string& nested : NestedIn(text)) ExpectFilled(rules, nested, keys);
  }
}

/// The keys of a scene, "k=text; k=text".
std::string KeysOf(std::string_view scene) {
  std::string keys;
  for (const std::string_view item : Parts(scene, "; ")) {
    EXPECT_EQ(item.substr(1, 1), "=") << scene;
    keys += item[0];
  }
  return keys;
}
/// The keys that all scenes of a plot have, wherever they have them from.
std::string KeysOfAll(const Rules& rules, const std::string& name) {
  std::string common;
  bool is_first = true;
  for (const std::string_view text : TextsOf(rules, name)) {
    std::string keys;
    for (const std::string_view item : Parts(text, "; ")) {
      if (item[0] != '<') {
        keys += item[0];
        continue;
      }
      for (const std::string& nested : NestedIn(item)) keys += KeysOfAll(rules, nested);
    }
    if (is_first) common = keys;
    is_first = false;
    std::erase_if(common, [&](char key) { return keys.find(key) == std::string::npos; });
  }
  return common;
}

TEST(Rules, PlotsHaveThemAndEachSceneFillsThem) {
  const Rules& rules = Bank().rules();
  for (const PlotQuestion& plot : Bank().plots()) {
    const std::string prefix = "plot_" + std::string(plot.name) + "_";
    const std::string keys = KeysOfAll(rules, prefix + "scene") + "PIHDEF";
    ExpectFilled(rules, prefix + "scene", keys);
    ExpectFilled(rules, prefix + "ask_" + std::string(plot.asked), keys);
    for (const std::string_view telling : Parts(plot.tellings, "|")) {
      for (const std::string_view part : Parts(telling, " ")) {
        ExpectFilled(rules, prefix + std::string(part), keys);
      }
    }
  }
}

TEST(Rules, UnanswerableStoriesHaveThemAndSomeSceneFillsThem) {
  const Rules& rules = Bank().rules();
  for (const SpoiltPlan& plan : kSpoiltPlans) {
    std::string keys = "PMKRS";
    for (const std::string_view scene : TextsOf(rules, "no_scene_" + std::string(plan.name))) {
      keys += KeysOf(scene);
    }
    const std::string prefix = "no_" + std::string(plan.name) + "_";
    for (const SpoiltFact& fact : plan.facts) {
      const std::string name = prefix + std::string(fact.rule);
      ExpectFilled(rules, name, keys);
      if (fact.ways.find('v') != fact.ways.npos) ExpectFilled(rules, name + "_vague", keys);
      if (fact.ways.find('x') != fact.ways.npos) ExpectFilled(rules, name + "_other", keys);
    }
    for (const SpoiltQuestion& asked : plan.asked) {
      ExpectFilled(rules, prefix + "ask_" + std::string(asked.rule), keys);
      for (const char fact : asked.program) {
        if (fact < 'A' || fact > 'D') continue;
        const std::string_view ways = plan.facts[static_cast<std::size_t>(fact - 'A')].ways;
        EXPECT_NE(ways.find_first_of(asked.ways), ways.npos) << plan.name << " " << asked.rule;
      }
    }
    TextsOf(rules, "no_beyond_" + std::string(plan.beyond));
  }
}

TEST(Rules, PlainStoriesHaveThemAndSomeSceneFillsThem) {
  const Rules& rules = Bank().rules();
  for (const PlainPlan& plan : kPlainPlans) {
    std::string keys = "Ppq";
    for (const std::string_view scene : TextsOf(rules, "one_scene_" + std::string(plan.scenes))) {
      keys += KeysOf(scene);
    }
    if (keys.find('e') != std::string::npos) keys += 'E';
    const std::string prefix = "one_" + std::string(plan.rules);
    for (const PlainQuestion& asked : plan.asked) {
      ExpectFilled(rules, prefix + "_" + std::string(asked.told), keys);
      ExpectFilled(rules, prefix + "_ask_" + std::string(asked.rule), keys);
      if (asked.telling == PlainManner::kTogether) continue;
      for (const char letter : asked.told) ExpectFilled(rules, prefix + "_tell_" + letter, keys);
    }
  }
}

TEST(Rules, CallsHaveThem) {
  const Rules& rules = Bank().rules();
  const auto look_up = [&](std::string_view prefix, std::string_view rule) {
    TextsOf(rules, std::string(prefix) + std::string(rule));
  };
  for (const CallOperation& operation : kCallOperations) {
    for (const char* prefix : {"call_noun", "call_wide", "call_round", "call_infix", "call_do",
                               "call_ing", "call_passive", "call_first", "call_then"}) {
      look_up(prefix, operation.rule);
    }
  }
  for (const CallRelation& relation : kCallRelations) {
    for (const char* prefix : {"call_base", "call_finite", "call_pred"}) {
      look_up(prefix, relation.rule);
    }
    if (&relation - kCallRelations.data() >= static_cast<std::ptrdiff_t>(kCallOrders)) continue;
    for (const char* prefix : {"call_than", "call_count"}) look_up(prefix, relation.rule);
  }
  for (const Call& call : {kCallMax, kCallMin}) {
    for (const char* prefix : {"call_noun", "call_do", "call_ask"}) look_up(prefix, call.name);
  }
}

}  // namespace
}  // namespace txvm::neural::questions
