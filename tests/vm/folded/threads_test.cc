// One folded program and 1,000 instances of it on threads: what ThreadSanitizer is asked about. The
// code goes with the last of them, and no page of it is ever writable and executable.
#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/vm/vm_fixture.h"
#include "vm/folded/folded_engine.h"
#include "vm/prepared.h"

namespace txvm::vm {
namespace {

// Twelve functions, so that threads meet while code is made: f0(n) = n + f1(n) + ... and so on.
std::string ManyFunctions() {
  constexpr int kFunctions = 12;
  std::string text = ".memory 1 1\n.global 0\n";
  for (int f = kFunctions; f-- > 0;) {
    const std::string name = std::to_string(f);
    text += ".func f" + name + " params=1 results=1\n  LOCAL.SET 0\n  LOCAL.GET 0\n";
    text += "  GLOBAL.GET 0\n  PUSH 1\n  ADD\n  GLOBAL.SET 0\n";
    text += "  PUSH 0\n  LOCAL.GET 0\n  I32.STORE " + std::to_string(4 * f) + "\n";
    if (f + 1 < kFunctions) {
      text += "  LOCAL.GET 0\n  CALL f" + std::to_string(f + 1) + "\n  ADD\n";
    }
    text += "  RETURN\n.end\n";
  }
  return text + ".export \"main\" f0\n";
}

struct Pages {
  std::size_t code = 0;  // executable and of no file
  bool writable_code = false;
};

Pages PagesNow() {
  Pages pages;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::string access = line.substr(line.find(' ') + 1, 4);
    if (access[2] != 'x') continue;
    if (access[1] == 'w') pages.writable_code = true;
    if (line.find('/') == std::string::npos && line.find('[') == std::string::npos) ++pages.code;
  }
  return pages;
}

TEST(FoldedThreads, AThousandInstancesShareTheCodeWhichGoesWithThem) {
  if (!WhyNotFolded().empty()) GTEST_SKIP() << WhyNotFolded();
  constexpr Word kThreads = 8, kInstances = 125, kFunctions = 12;
  const Pages before = PagesNow();
  std::atomic<int> wrong = 0;
  std::atomic<bool> writable = false;
  {
    const auto prepared = Prepared::Create(ProgramOf(ManyFunctions())).value();
    std::vector<std::vector<Machine>> machines(kThreads);
    std::vector<std::jthread> threads;
    for (Word t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        MachineOptions options;
        options.engine = EngineKind::kFolded;
        options.limits.max_slots = 1'000;
        options.limits.max_locals = 1'000;
        options.limits.max_depth = 100;
        for (Word i = 0; i < kInstances; ++i) {
          options.fold_at_first_call = i % 2 == 0;  // the others count steps until code is earned
          Machine& machine = machines[t].emplace_back(Machine::Load(prepared, {}, options).value());
          const Word n = t * kInstances + i;
          const auto result =
              machine.Call(*prepared->program().FindExport("main"), std::vector<Word>{n});
          if (result->results != std::vector<Word>{kFunctions * n}) ++wrong;
          if (i == 0 && PagesNow().writable_code) writable = true;
        }
      });
    }
    threads.clear();
    EXPECT_GT(PagesNow().code, before.code);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(writable);
  EXPECT_EQ(PagesNow().code, before.code);
}

}  // namespace
}  // namespace txvm::vm
