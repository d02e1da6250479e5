// How well a network reads words.
#pragma once

#include "fgnn/experiments/handwriting/results.h"
#include "fgnn/experiments/handwriting/task.h"
#include "fgnn/network/model.h"

namespace fgnn::handwriting {

// The model on the task's test words: letters and words read right, confusions.
void test_handwriting(const network::Model& model, const HandwritingTask& task, int threads,
                      HandwritingOutcome& outcome);

}  // namespace fgnn::handwriting
