// The page of `fgnn reproduce matching`: tables, sweeps as plots, and pictures of matches.
#pragma once

#include <string>
#include <vector>

#include "fgnn/experiments/matching/tables.h"

namespace fgnn::matching {

std::string report_page(const ReportOptions& options, const std::vector<ReportRow>& rows);

}  // namespace fgnn::matching
