// Who trains the networks of fgnn reproduce handwriting.
#pragma once

#include "fgnn/report/handwriting.h"

namespace fgnn::cli {

// Needs LibTorch: set by fgnn-learn, empty elsewhere; then finished outcomes are shown.
inline report::HandwritingTrainer (*make_handwriting_trainer)(
    const report::HandwritingReportOptions& options) = nullptr;

}  // namespace fgnn::cli
