// The paper's table of accuracies on Pascal VOC keypoints (section 5.3), in percent.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace fgnn::matching {

struct PaperRow {
  std::string method;
  bool hand_crafted;                // solvers without learning
  std::array<double, 20> accuracy;  // by class, in alphabetical order
  double mean;
};

const std::vector<PaperRow>& paper_rows();

}  // namespace fgnn::matching
