// Sweeps over noise, outliers and separations of frames: positions alone, turned at random.
#pragma once

#include <vector>

#include "fgnn/experiments/matching/kept.h"
#include "fgnn/experiments/matching/tables.h"

namespace fgnn::matching {

// Adds the rows of the tables noise, outliers, house and hotel that are asked for.
void add_sweeps(const ReportOptions& options, KeptEvaluations& kept, std::vector<ReportRow>& rows);

}  // namespace fgnn::matching
