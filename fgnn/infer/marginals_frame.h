// The frame of methods for marginals: their answers are finished in the one place for that.
#pragma once

#include <span>
#include <utility>

#include "fgnn/infer/finish.h"
#include "fgnn/infer/frame.h"

namespace fgnn {

template <class Options, class Search>
Result answer_marginals(const char* method, const FactorGraph& graph, const Options& options,
                        const Evidence& evidence, Search search) {
  return answer_in_frame(method, graph, options, evidence, std::move(search),
                         [](const FactorGraph& given, Result result) {
                           return finish_marginals(given, std::move(result));
                         });
}

// Weights into probabilities; all zero: all equal.
inline void normalize(std::span<double> weights) {
  double sum = 0;
  for (double w : weights) sum += w;
  for (double& w : weights) w = sum > 0 ? w / sum : 1.0 / static_cast<double>(weights.size());
}

}  // namespace fgnn
