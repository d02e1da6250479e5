// What a data set's frames hold and which part of it is predicted (Mao et al. 2019).
//
// Angles: columns of exponential maps whose deviation over the training frames is at least 1e-4,
// without the first six, the root's. Positions: joints that move by themselves; others stay where
// the root puts them, or coincide with a twin.
#pragma once

#include <string>
#include <vector>

#include "fgnn/experiments/motion/skeleton.h"

namespace fgnn::motion {

// Two joints in one place: the protocol copies the second's prediction to the first.
struct Twin {
  std::size_t joint, of;
};

struct Layout {
  std::string name;  // "cmu" or "h36m"
  Skeleton skeleton;
  std::vector<std::size_t> angle_columns;  // used, ascending
  std::vector<std::size_t> joints;         // used as positions, ascending
  std::vector<Twin> twins;
};

const Layout& cmu_layout();
const Layout& h36m_layout();
// Throw Error(format) about `subject`, and Error(usage).
const Layout& layout_of_columns(std::size_t columns, const std::string& subject);
const Layout& layout_named(const std::string& name);

}  // namespace fgnn::motion
