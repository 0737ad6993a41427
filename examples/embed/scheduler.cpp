// A thousand instances of one program take turns: each turn is a slice of fuel, an unfinished one goes on in its next
// turn. Fuel is exact, so every instance gets the same number of steps, whatever it does with them.
#include <algorithm>
#include <deque>
#include <iostream>
#include <txvm.hpp>
#include <vector>

// The length of the Collatz sequence from n on.
constexpr const char* kCollatz = R"(
.func collatz params=1 results=1 locals=2
  LOCAL.SET 0
  PUSH 0
  LOCAL.SET 1
  block
    loop
      LOCAL.GET 0
      PUSH 1
      EQ
      br_if 1
      LOCAL.GET 1
      PUSH 1
      ADD
      LOCAL.SET 1
      LOCAL.GET 0
      PUSH 3
      MUL
      PUSH 1
      ADD
      LOCAL.GET 0
      PUSH 1
      SHR_U
      LOCAL.GET 0
      PUSH 1
      AND
      SELECT
      LOCAL.SET 0
      br 0
    end
  end
  LOCAL.GET 1
.end
.export "collatz" collatz
)";

struct Task {
  explicit Task(const txvm::Program& program) : instance(program) {}
  txvm::Instance instance;
  std::int32_t result = 0;
  std::uint64_t steps = 0;
  int turns = 0;
};

int main() {
  constexpr int kTasks = 1'000;
  constexpr std::uint64_t kSlice = 100;  // steps a turn
  txvm::Engine engine;
  const txvm::Program program = txvm::Program::FromBytes(engine, kCollatz, "collatz.txa");
  const std::uint32_t collatz = program.Find("collatz");

  std::deque<Task> tasks;  // all of one program, whose code is shared
  std::deque<Task*> waiting;
  for (int i = 0; i < kTasks; ++i) waiting.push_back(&tasks.emplace_back(program));

  std::uint64_t unfair = 0;  // the most that two unfinished tasks ever were apart
  std::int32_t number = 0;
  while (!waiting.empty()) {
    Task& task = *waiting.front();
    waiting.pop_front();
    task.instance.SetFuel(kSlice);
    const txvm_outcome outcome = task.turns++ == 0 ? task.instance.Call(collatz, &++number, 1, &task.result, 1)
                                                   : task.instance.Resume(&task.result, 1);
    task.steps = outcome.steps;
    if (outcome.stop == TXVM_OUT_OF_FUEL) {
      waiting.push_back(&task);
      const std::uint64_t ahead = task.steps - std::min(task.steps, waiting.front()->steps);
      unfair = std::max(unfair, ahead);
    } else if (outcome.stop != TXVM_HALTED) {
      std::cerr << task.instance.Message() << "\n";
      return 1;
    }
  }
  std::uint64_t steps = 0;
  int turns = 0;
  const auto longest = std::max_element(tasks.begin(), tasks.end(),
                                        [](const Task& a, const Task& b) { return a.result < b.result; });
  for (const Task& task : tasks) {
    steps += task.steps;
    turns += task.turns;
  }
  std::cout << kTasks << " tasks, " << turns << " turns of at most " << kSlice << " steps, " << steps << " steps\n"
            << "no task was ever more than " << unfair << " steps ahead of the next\n"
            << "the longest sequence starts at " << longest - tasks.begin() + 1 << ": " << longest->result << "\n";
}
