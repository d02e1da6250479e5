// The measurements of a comparison over folders as text, JSON and a page.
#pragma once

#include <string>
#include <vector>

#include "fgnn/experiments/folders/measurement.h"

namespace fgnn::folders {

struct Shown {
  Query query = Query::map;
  bool details = false;  // a row per model as well
  std::size_t rows = 0;  // of that table to print at most; 0: all
  double time_limit = kInfinity;
};

std::string text(const std::vector<Measurement>& measurements, const Shown& shown);

// {"query", "time_limit", "rows": by family and method, "models": one each}
std::string json(const std::vector<Measurement>& measurements, const Shown& shown);

// With bars by family.
std::string page(const std::vector<Measurement>& measurements, const Shown& shown);

}  // namespace fgnn::folders
