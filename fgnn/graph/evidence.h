// What has been observed: variables whose state is known (hard) or weighed (soft).
#pragma once

#include <utility>
#include <vector>

#include "fgnn/core/types.h"

namespace fgnn {

class Evidence {
 public:
  // The variable is in this state for certain.
  Evidence& fix(VariableId variable, State state) {
    hard_.emplace_back(variable, state);
    return *this;
  }

  // Adds these log-weights to the variable's own; several add up.
  Evidence& weigh(VariableId variable, std::vector<double> log_weights) {
    soft_.emplace_back(variable, std::move(log_weights));
    return *this;
  }

  bool empty() const { return hard_.empty() && soft_.empty(); }
  const std::vector<std::pair<VariableId, State>>& hard() const { return hard_; }
  const std::vector<std::pair<VariableId, std::vector<double>>>& soft() const { return soft_; }
  bool operator==(const Evidence&) const = default;

 private:
  std::vector<std::pair<VariableId, State>> hard_;
  std::vector<std::pair<VariableId, std::vector<double>>> soft_;
};

}  // namespace fgnn
