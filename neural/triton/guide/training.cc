#include "neural/triton/guide/training.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "neural/triton/guide/evolution.h"
#include "neural/triton/guide/guide.h"
#include "neural/triton/guide/learner.h"

namespace txvm::triton::guide {
namespace {

class Training {
 public:
  Training(const TrainOptions& options, neural::llm::Workers& workers)
      : options_(options), workers_(workers) {}

  isa::Result<TrainReport> Run(const std::vector<TasmProgram>& programs,
                               const std::vector<TasmProgram>& held_out) {
    windows_ = WindowsOf(programs, options_.seed);
    const std::size_t own = windows_.size();
    std::vector<Window> random = RandomWindows(options_.fragments, options_.seed);
    std::move(random.begin(), random.end(), std::back_inserter(windows_));
    report_.windows = windows_.size();
    held_out_ = WindowsOf(held_out, options_.seed);
    report_.without = Try(held_out_, options_.trial_beam, nullptr, workers_);
    if (!Teach(windows_, options_.beam, nullptr, workers_, Phase("searching"))) return Stopped();
    for (std::size_t round = 0; round < options_.rounds; ++round) {
      if (round != 0 && !TeachAgain(*report_.network)) return Stopped();
      TXVM_CHECK_OK(Learn(round));
      if (stopped_) return Stopped();
    }
    if (options_.generations != 0) Improve(own);
    return stopped_ ? Stopped() : std::move(report_);
  }

 private:
  TrainReport Stopped() {
    report_.network.reset();
    return std::move(report_);
  }

  TeachProgress Phase(std::string_view phase) {
    return [this, phase](std::size_t done, std::size_t all) { return Report(phase, done, all); };
  }

  bool Report(std::string_view phase, std::size_t done, std::size_t all) {
    stopped_ = options_.progress && !options_.progress(phase, done, all);
    return !stopped_;
  }

  // A narrower beam with the network finds schedules that the teacher missed.
  bool TeachAgain(const Network& network) {
    const NetworkGuide guide(network);
    return Teach(windows_, std::max<std::size_t>(options_.beam / 4, 1), &guide, workers_,
                 Phase("searching with the network"));
  }

  isa::Result<void> Learn(std::size_t round) {
    const std::vector<RunLessons> lessons = LessonsOf(windows_);
    report_.taught = lessons.size();
    if (lessons.empty()) {
      return isa::Fail(
          isa::ErrorCode::kInvalid,
          "there is nothing to learn: no run of these programs and fragments gets shorter");
    }
    RoundReport now;
    LearnOptions options;
    options.seed = options_.seed + round;
    options.epochs = options_.epochs;
    options.progress = [&](std::size_t done, const Score& score) {
      now.lessons = score.lessons;
      now.loss = score.loss;
      now.right = score.right;
      return Report("learning", done, options_.epochs);
    };
    TXVM_TRY(Network network, Network::Make(Numerators(guide::Learn(lessons, options, workers_))));
    now.held_out = Keep(std::move(network));
    report_.rounds.push_back(now);
    return {};
  }

  // Keeps the network, and measures it on the held-out windows.
  Trial Keep(Network network) {
    const NetworkGuide guide(network);
    const Trial trial = Try(held_out_, options_.trial_beam, &guide, workers_);
    report_.network = std::make_shared<const Network>(std::move(network));
    return trial;
  }

  // Judges by windows of the programs that some search made shorter, evenly chosen.
  void Improve(std::size_t own) {
    std::vector<Window> judged;
    for (std::size_t i = 0; i < own; ++i) {
      if (!windows_[i].schedule.empty()) judged.push_back(windows_[i]);
    }
    if (judged.empty()) return;
    const std::size_t step = (judged.size() + options_.judged - 1) / options_.judged;
    std::vector<Window> chosen;
    for (std::size_t i = 0; i < judged.size(); i += step) chosen.push_back(judged[i]);
    EvolveOptions options;
    options.seed = options_.seed;
    options.generations = options_.generations;
    options.progress = [&](std::size_t done, std::size_t) {
      return Report("evolving", done, options_.generations);
    };
    report_.evolved = Keep(Evolve(*report_.network, chosen, options, workers_));
  }

  const TrainOptions& options_;
  neural::llm::Workers& workers_;
  std::vector<Window> windows_;
  std::vector<Window> held_out_;
  TrainReport report_;
  bool stopped_ = false;
};

}  // namespace

isa::Result<TrainReport> TrainOptimizer(const std::vector<TasmProgram>& programs,
                                        const std::vector<TasmProgram>& held_out,
                                        const TrainOptions& options,
                                        neural::llm::Workers& workers) {
  return Training(options, workers).Run(programs, held_out);
}

}  // namespace txvm::triton::guide
