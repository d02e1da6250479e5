// Losses: what a network's output rows cost, with the gradient, on spans. Written once and used by
// training and by measuring. A task with a loss of its own derives a rule from LossRule.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fgnn/tasks/metrics.h"

namespace fgnn::tasks {

// The output rows of one graph, and what is wanted of them: classes (below 0: do not care), or
// numbers, as many as the output has unless the rule says otherwise. Numbers beside classes are
// their probabilities, for tasks that know how sure a class is: gradients use them, measures do
// not.
struct GraphOutput {
  std::span<const double> output;  // rows x width
  std::size_t width = 1;
  std::span<const std::int64_t> classes;
  std::span<const float> targets;

  std::size_t rows() const { return output.size() / width; }
  std::span<const double> row(std::size_t r) const { return output.subspan(r * width, width); }
};

class LossRule {
 public:
  virtual std::string_view name() const = 0;
  // Whether labels are classes, one per row, rather than numbers.
  virtual bool of_classes() const { return false; }
  // Whether a row can be right or wrong.
  virtual bool counts_correct() const { return of_classes(); }
  // How many classes a row of this width tells apart. Throws Error(usage) for impossible widths.
  virtual std::size_t classes(std::size_t width) const { return width; }
  // How many numbers are wanted of a row of this width, where labels are numbers.
  virtual std::size_t targets(std::size_t width) const { return width; }
  // Whether classes may be left open by numbers below 0.
  virtual bool leaves_open() const { return true; }

  // Adds the loss of a graph, summed over its rows, and whatever else is measured. Where `gradient`
  // is not empty it gets the derivative by every number of the output.
  virtual void graph(const GraphOutput& g, Metrics& metrics, std::span<double> gradient) const = 0;

  // What training looks for: larger is better.
  virtual double merit(const Metrics& m) const {
    return counts_correct() ? m.accuracy() : -m.mean_loss();
  }

 protected:
  constexpr LossRule() = default;
  ~LossRule() = default;
};

// A loss by value: a rule that lives as long as the program, or as the task that brings it.
class Loss {
 public:
  static const Loss cross_entropy, binary_cross_entropy, l1, l2;
  // Minus the log-likelihood of a chain with pairwise potentials (chain.h), per variable.
  static const Loss chain;

  constexpr explicit Loss(const LossRule& rule) : rule_(&rule) {}
  const LossRule& operator*() const { return *rule_; }
  const LossRule* operator->() const { return rule_; }
  bool operator==(const Loss&) const = default;

 private:
  const LossRule* rule_;
};

Loss loss(std::string_view text);  // throws Error(usage)
inline std::string_view name(Loss loss) { return loss->name(); }

}  // namespace fgnn::tasks
