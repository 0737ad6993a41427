#include "neural/triton/guide/evolution.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "isa/support/random.h"
#include "neural/train/random.h"
#include "neural/triton/guide/guide.h"

namespace txvm::triton::guide {
namespace {

using Weights = std::vector<std::int32_t>;

struct Individual {
  Weights weights;
  std::size_t left = 0;      // instructions after the searches
  std::uint64_t states = 0;  // states that the searches looked at
};

// Fewer instructions, then fewer states.
bool IsFitter(const Individual& a, const Individual& b) {
  return std::pair(a.left, a.states) < std::pair(b.left, b.states);
}

// The scale of each weight: the root mean square of the stretch of its row that holds it.
std::vector<float> SizesOf(const Weights& weights) {
  std::vector<float> sizes(weights.size());
  for (std::size_t start = 0; start < weights.size(); start += kWidth) {
    const std::size_t end = std::min(start + kWidth, weights.size());
    double squares = 0;
    for (std::size_t i = start; i < end; ++i) {
      squares += static_cast<double>(weights[i]) * weights[i];
    }
    const auto size = static_cast<float>(std::sqrt(squares / static_cast<double>(end - start)));
    std::fill(sizes.begin() + static_cast<std::ptrdiff_t>(start),
              sizes.begin() + static_cast<std::ptrdiff_t>(end), size);
  }
  return sizes;
}

class Evolution {
 public:
  Evolution(const std::vector<Window>& windows, const EvolveOptions& options,
            neural::llm::Workers& workers)
      : windows_(windows), options_(options), workers_(workers) {}

  Weights Run(const Network& start) {
    const Weights first(start.weights().begin(), start.weights().end());
    sizes_ = SizesOf(first);
    std::vector<Individual> population = {{first}};
    Judge(population, 0);
    for (std::size_t g = 0; g < options_.generations; ++g) {
      const std::size_t parents = population.size();
      for (std::size_t i = parents; i < options_.population; ++i) {
        // Each child has a generator of its own, so threads cannot change it.
        neural::train::Random random(
            isa::HashText("child", options_.seed * 1'000'003 + g * 1'009 + i));
        const Weights& one = population[random.Below(parents)].weights;
        const Weights& other = population[random.Below(parents)].weights;
        population.push_back({Child(one, other, random)});
      }
      Judge(population, parents);
      std::stable_sort(population.begin(), population.end(), IsFitter);
      population.resize(std::min(population.size(), std::max<std::size_t>(options_.parents, 1)));
      if (options_.progress && !options_.progress(g + 1, population.front().left)) break;
    }
    return population.front().weights;
  }

 private:
  Weights Child(const Weights& one, const Weights& other, neural::train::Random& random) const {
    Weights child(one.size());
    for (std::size_t i = 0; i < child.size(); ++i) {
      child[i] = random.Chance(50) ? one[i] : other[i];
      if (random.Unit() >= options_.mutation) continue;
      const double change = random.Normal() * options_.noise * sizes_[i];
      child[i] = static_cast<std::int32_t>(
          std::clamp<double>(child[i] + std::nearbyint(change), -kMostWeight, kMostWeight));
    }
    return child;
  }

  void Judge(std::vector<Individual>& population, std::size_t from) const {
    for (std::size_t i = from; i < population.size(); ++i) {
      const NetworkGuide guide(*Network::Make(population[i].weights));
      const Trial trial = Try(windows_, options_.beam, &guide, workers_);
      population[i].left = trial.after;
      population[i].states = trial.states;
    }
  }

  const std::vector<Window>& windows_;
  const EvolveOptions& options_;
  neural::llm::Workers& workers_;
  std::vector<float> sizes_;
};

}  // namespace

Network Evolve(const Network& start, const std::vector<Window>& windows,
               const EvolveOptions& options, neural::llm::Workers& workers) {
  return *Network::Make(Evolution(windows, options, workers).Run(start));
}

}  // namespace txvm::triton::guide
