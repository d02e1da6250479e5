// The handwriting experiments from the first training to the last: what is missing is trained,
// tested and kept, so that a reproduction can be stopped and taken up again. Who trains is not
// known here.
#pragma once

#include <functional>

#include "fgnn/experiments/handwriting/results.h"
#include "fgnn/experiments/handwriting/task.h"
#include "fgnn/network/model.h"

namespace fgnn::handwriting {

// How a network is trained and timed; may be empty, where results are only shown.
struct HandwritingTrainer {
  std::function<network::Model(const HandwritingRun&, const HandwritingTask&,
                               HandwritingOutcome&)>
      train;  // sets the times
  std::function<double(const EpochTime&)> epoch_seconds;
};

// Those in the folder, completed by what the trainer can do; each is written down at once.
HandwritingResults reproduce_handwriting(const HandwritingReportOptions& options,
                                         const HandwritingTrainer& trainer);

}  // namespace fgnn::handwriting
