// Who trains the networks of fgnn reproduce handwriting.
#pragma once

#include "fgnn/report/handwriting.h"

namespace fgnn::cli {

report::HandwritingTrainer handwriting_trainer(const report::HandwritingReportOptions& options);

}  // namespace fgnn::cli
