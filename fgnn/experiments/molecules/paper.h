// The paper's figures for molecules (Zhang et al. 2023, section 5.5 and its appendix), by target in
// the order of molecule.h, in the units that targets are reported in.
#pragma once

#include <string>
#include <vector>

#include "fgnn/experiments/molecules/molecule.h"

namespace fgnn::molecules {

struct PaperColumn {
  std::string method;
  std::vector<double> error;  // twelve; not a number where there is none
};

// Table "QM9", trained jointly and separately; with positions; the ablation of shared weights
// (CAT, BT, CABT, CABTA).
const std::vector<PaperColumn>& paper_joint();
const std::vector<PaperColumn>& paper_separate();
const std::vector<PaperColumn>& paper_positions_joint();
const std::vector<PaperColumn>& paper_positions_separate();
const std::vector<PaperColumn>& paper_sharing();

// The appendix on Alchemy: mean error over standardised targets of MPNN and FGNN, for the sparse
// graph without distances, with them, and the complete graph.
struct PaperSetting {
  std::string pairs;
  double mpnn, fgnn;
};
const std::vector<PaperSetting>& paper_settings();

}  // namespace fgnn::molecules
