// What the log of `fgnn reproduce synthetic` (measurement_log.h) says of a row: what makes it this
// measurement, and the figures that were measured.
#pragma once

#include <cstdint>
#include <string>

#include "fgnn/experiments/synthetic/contest.h"
#include "fgnn/experiments/synthetic/tables.h"
#include "fgnn/report/json.h"

namespace fgnn::synthetic {

// An entrant on so many instances of a dataset, as the options have them.
Json measured(const std::string& table, const std::string& dataset, const Entrant& entrant,
              std::uint64_t instances, const SyntheticReportOptions& options);

// The members of a row that are measured; those of the paper and the program are not.
Json figures(const Row& row);
// The same back. Throws a nlohmann::json::exception where one is missing or is no number.
void take_figures(const Json& figures, Row& row);
void check_figures(const Json& figures);  // throws likewise

}  // namespace fgnn::synthetic
