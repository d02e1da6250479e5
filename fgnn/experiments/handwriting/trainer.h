// Who trains the networks of fgnn reproduce handwriting.
#pragma once

#include "fgnn/experiments/handwriting/driver.h"

namespace fgnn::handwriting {

HandwritingTrainer handwriting_trainer(const HandwritingReportOptions& options);

}  // namespace fgnn::handwriting
