// The rows of `fgnn reproduce synthetic` as tables of text, and as an HTML page with plots.
#pragma once

#include <string>
#include <vector>

#include "fgnn/experiments/synthetic/tables.h"
#include "fgnn/report/page.h"

namespace fgnn::synthetic {

// The rows of one table, with the titles of its columns; the first two are dataset and method.
report::HtmlTable printed(const std::string& table, const std::vector<Row>& rows);

// Notes of the rows of a table, each once: what is missing, and how to make it.
std::vector<std::string> notes(const std::string& table, const std::vector<Row>& rows);

std::string synthetic_page(const std::vector<Row>& rows, const SyntheticReportOptions& options);

}  // namespace fgnn::synthetic
