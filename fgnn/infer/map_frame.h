// The frame of MAP methods: their answers are finished in the one place for that.
#pragma once

#include <utility>

#include "fgnn/infer/finish.h"
#include "fgnn/infer/frame.h"

namespace fgnn {

template <class Options, class Search>
Result answer_map(const char* method, const FactorGraph& graph, const Options& options,
                  const Evidence& evidence, double proof_gap, Search search) {
  return answer_in_frame(method, graph, options, evidence, std::move(search),
                         [&](const FactorGraph& given, Result result) {
                           return finish_map(given, std::move(result), proof_gap);
                         });
}

}  // namespace fgnn
