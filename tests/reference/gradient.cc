#include "tests/reference/gradient.h"

#include "fgnn/core/random.h"
#include "fgnn/network/learner.h"
#include "tests/reference/differences.h"
#include "tests/reference/numbers.h"

namespace fgnn::testing {
namespace {

using network::Batch;
using network::Learner;

// Where the numbers of a batch's features are, by the register that gets them.
struct Features {
  int reg;
  std::vector<double>* numbers;
};

std::vector<Features> features_of(const network::Program& p, Batch& b) {
  std::vector<Features> all{{p.variable_input, &b.variable}};
  for (std::size_t r = 0; r < b.relations.size(); ++r) {
    if (p.factor_input[r] >= 0) all.push_back({p.factor_input[r], &b.relations[r].factor});
    if (p.edge_input[r] >= 0) all.push_back({p.edge_input[r], &b.relations[r].edge});
  }
  return all;
}

class Problem {
 public:
  Problem(const network::Model& model, const std::vector<const Batch*>& parts, bool training)
      : learner(model) {
    options.training = training;
    options.input_gradients = true;
    options.momentum = 0;
    options.seed = 11;
    for (const Batch* p : parts) batches.push_back(*p);
    for (const Batch& b : batches) pointers.push_back(&b);
    weights.resize(parts.size());
  }

  double value() {
    double sum = 0;
    learner.forward(pointers, options, [&](std::size_t p, std::span<const double> output) {
      for (std::size_t i = 0; i < output.size(); ++i) sum += output[i] * weights[p][i];
    });
    return sum;
  }

  void differentiate() {
    Rng rng(2);
    learner.forward(pointers, options, [&](std::size_t p, std::span<const double> output) {
      weights[p] = normal_numbers<double>(rng, output.size());
    });
    learner.step(pointers, options,
                 [&](std::size_t p, std::span<const double>, std::span<double> slopes) {
                   std::copy(weights[p].begin(), weights[p].end(), slopes.begin());
                 });
    gradient.assign(learner.gradient().begin(), learner.gradient().end());
    for (std::size_t p = 0; p < batches.size(); ++p) {
      for (const auto& f : features_of(learner.program(), batches[p])) {
        const auto g = learner.input_gradient(p, f.reg);
        input_gradients.emplace_back(g.begin(), g.end());
        input_gradients.back().resize(f.numbers->size());
        inputs.push_back(f.numbers);
      }
    }
  }

  Learner<double> learner;
  network::LearnOptions options;
  std::vector<Batch> batches;
  std::vector<const Batch*> pointers;
  std::vector<std::vector<double>> weights, input_gradients;
  std::vector<std::vector<double>*> inputs;
  std::vector<double> gradient;
};

// Checks one number; false at a kink.
bool agrees(Problem& problem, double& x, double gradient, double usual, const char* of) {
  const double kept = x;
  const auto d = difference([&](double by) { x += by; }, [&] { return problem.value(); }, 1e-6);
  x = kept;
  const double tolerance = 1e-5 * std::max(std::abs(d.slope), usual);
  if (!d.smooth(2 * tolerance)) return false;
  EXPECT_NEAR(gradient, d.slope, tolerance) << of;
  return true;
}

double usual_size(const std::vector<double>& gradient) {
  double squares = 0;
  for (const double g : gradient) squares += g * g;
  return std::sqrt(squares / std::max(1.0, static_cast<double>(gradient.size())));
}

}  // namespace

void draw_weights(network::Model& model, std::uint64_t seed) {
  Rng rng(seed);
  model.weights.clear();
  for (const auto& p : model.program.parameters) {
    auto& values = model.weights.emplace_back(p.count());
    for (double& w : values) {
      w = p.trained ? p.centre + rng.uniform(-p.bound, p.bound) : rng.uniform(0.5, 1.5);
    }
  }
}

void expect_gradient(const network::Model& model, const std::vector<const Batch*>& parts,
                     bool training, std::size_t most) {
  Problem problem(model, parts, training);
  problem.differentiate();
  Rng rng(7);
  std::size_t checked = 0;
  const double usual = usual_size(problem.gradient);
  ASSERT_GT(usual, 0);
  for (std::size_t k = 0; k < most; ++k) {
    const auto i = static_cast<std::size_t>(rng.below(problem.gradient.size()));
    checked += agrees(problem, problem.learner.weights()[i], problem.gradient[i], usual, "weights");
  }
  EXPECT_GE(10 * checked, 8 * most);
  std::size_t tried = 0;
  checked = 0;
  std::vector<double> all;
  for (const auto& g : problem.input_gradients) all.insert(all.end(), g.begin(), g.end());
  const double usual_input = std::max(usual_size(all), 1e-3 * usual);
  for (std::size_t k = 0; k < most; ++k) {
    const auto f = static_cast<std::size_t>(rng.below(problem.inputs.size()));
    if (problem.inputs[f]->empty()) continue;
    const auto i = static_cast<std::size_t>(rng.below(problem.inputs[f]->size()));
    ++tried;
    checked += agrees(problem, (*problem.inputs[f])[i], problem.input_gradients[f][i], usual_input,
                      "features");
  }
  // A feature goes through all units of a network, and is near the kink of one more often.
  EXPECT_GE(2 * checked, tried);
}

}  // namespace fgnn::testing
