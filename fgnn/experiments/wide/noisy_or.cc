#include <algorithm>
#include <cmath>
#include <optional>

#include "fgnn/core/error.h"
#include "fgnn/experiments/wide/models.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/low_rank.h"
#include "fgnn/potentials/table.h"

namespace fgnn::wide {
namespace {

constexpr std::size_t kMostNodes = 1'000'000, kMostParents = 16;  // tables of 2^16 entries
constexpr double kRarest = 0.002, kCommonest = 0.1;               // priors of diseases
constexpr double kWeakest = 0.2, kStrongest = 0.95;               // of a cause

// P(effect = 0 | causes) = (1 - leak) prod_i misses[i]^{x_i}.
struct Or {
  std::vector<VariableId> causes;
  std::vector<double> misses;
};

class Network {
 public:
  Network(const NoisyOrOptions& options, Rng rng) : options_(options), rng_(rng) {}

  FactorGraph build() && {
    const auto diseases = builder_.variables("disease", options_.diseases, 2);
    for (const VariableId v : diseases) {
      const double p = kRarest * std::pow(kCommonest / kRarest, rng_.uniform());
      builder_.unary(v, {std::log1p(-p), std::log(p)});
    }
    std::optional<VariableArray> causes = diseases;
    if (options_.layers == 3) {
      const std::size_t syndromes = std::max<std::size_t>(1, options_.diseases / 2);
      causes = builder_.variables("syndrome", syndromes, 2);
      for (const VariableId s : *causes) add_syndrome(s, draw(diseases));
    }
    for (std::size_t i = 0; i < options_.findings; ++i) {
      const Or finding = draw(*causes);
      if (rng_.uniform() < options_.positive) {
        add_positive(finding);
      } else {
        add_negative(finding);
      }
    }
    return std::move(builder_).build();
  }

 private:
  // Different causes, in ascending order.
  Or draw(const VariableArray& from) {
    const std::size_t most = std::min(options_.parents, from.size());
    const std::size_t count = most < 2 ? most : 2 + rng_.below(most - 1);
    Or drawn;
    while (drawn.causes.size() < count) {
      const VariableId v = from[rng_.below(from.size())];
      if (std::ranges::find(drawn.causes, v) == drawn.causes.end()) drawn.causes.push_back(v);
    }
    std::ranges::sort(drawn.causes);
    for (std::size_t i = 0; i < count; ++i) {
      drawn.misses.push_back(1 - rng_.uniform(kWeakest, kStrongest));
    }
    return drawn;
  }

  // P(effect = 0) of every state of the causes, the last one fastest.
  std::vector<double> absent(const Or& effect) const {
    std::vector<double> p{1 - options_.leak};
    for (const double miss : effect.misses) {
      std::vector<double> next;
      for (const double so_far : p) next.insert(next.end(), {so_far, so_far * miss});
      p = std::move(next);
    }
    return p;
  }

  void add_negative(const Or& finding) {
    builder_.constant(std::log1p(-options_.leak));
    for (std::size_t i = 0; i < finding.causes.size(); ++i) {
      builder_.unary(finding.causes[i], {0, std::log(finding.misses[i])});
    }
  }

  void add_positive(const Or& finding) {
    const std::vector<State> shape(finding.causes.size(), 2);
    if (options_.form == Form::low_rank) {
      std::vector<double> one(2 * shape.size(), 1), other;
      for (const double miss : finding.misses) other.insert(other.end(), {1, miss});
      builder_.factor(finding.causes,
                      LowRank::from_terms(shape, {1, options_.leak - 1}, {one, other}));
      return;
    }
    std::vector<double> values = absent(finding);
    for (double& p : values) p = std::log1p(-p);
    builder_.factor(finding.causes, Table(shape, std::move(values)));
  }

  // P(s | causes), s the last variable.
  void add_syndrome(VariableId s, Or effect) {
    std::vector<double> values;
    for (const double p : absent(effect)) {
      values.insert(values.end(), {std::log(p), std::log1p(-p)});
    }
    effect.causes.push_back(s);
    builder_.factor(effect.causes,
                    Table(std::vector<State>(effect.causes.size(), 2), std::move(values)));
  }

  const NoisyOrOptions& options_;
  Rng rng_;
  GraphBuilder builder_;
};

}  // namespace

void NoisyOrOptions::validate() const {
  check_whole("--diseases", diseases, 1, kMostNodes);
  check_whole("--findings", findings, 0, kMostNodes);
  check_whole("--parents", parents, 1, kMostParents);
  check_share("--positive", positive);
  if (layers != 2 && layers != 3) throw Error(ErrorCode::usage, "--layers", "must be 2 or 3");
  if (!(leak >= 0 && leak < 1)) throw Error(ErrorCode::usage, "--leak", "must be in [0, 1)");
}

FactorGraph instance(const NoisyOrOptions& options, Rng rng) {
  options.validate();
  return Network(options, rng).build();
}

}  // namespace fgnn::wide
