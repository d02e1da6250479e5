#include "fgnn/experiments/experiment.h"
#include "fgnn/experiments/graphfile/experiment.h"
#include "fgnn/experiments/handwriting/experiment.h"
#include "fgnn/experiments/ldpc/experiment.h"
#include "fgnn/experiments/matching/experiment.h"
#include "fgnn/experiments/molecules/experiment.h"
#include "fgnn/experiments/motion/experiment.h"
#include "fgnn/experiments/synthetic/experiment.h"
#include "fgnn/experiments/wide/experiment.h"

namespace fgnn::experiments {

// One line each.
const std::vector<Experiment>& list() {
  static const std::vector<Experiment> all{
      synthetic::experiment(), ldpc::experiment(),      handwriting::experiment(),
      matching::experiment(),  molecules::experiment(), motion::experiment(),
      wide::experiment(),      graphfile::experiment(),
  };
  return all;
}

}  // namespace fgnn::experiments
