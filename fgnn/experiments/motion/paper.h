// Errors as they were published, by action and in the mean, at the six horizons of kHorizons.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "fgnn/experiments/motion/body.h"

namespace fgnn::motion {

struct PublishedRow {
  const char* action;            // or "mean"
  std::array<double, 6> errors;  // below 0: not published
};

struct Published {
  std::string dataset;  // "cmu" or "h36m"
  Form form;
  std::string method;
  // H3.6M's table of 560 and 1000 ms, whose mean is over four actions rather than all.
  bool longer;
  std::vector<PublishedRow> rows;
};

const std::vector<Published>& published_figures();

}  // namespace fgnn::motion
