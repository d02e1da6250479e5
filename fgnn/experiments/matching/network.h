// The networks of the matching experiment, as text (docs/matching.md).
#pragma once

#include <string>

namespace fgnn::matching {

struct MatchingNetwork {
  std::size_t width = 192, blocks = 3;
  std::string factors = "each+both";  // relations of the factor modules; "none": the MPNN twin
  bool mixture = false;               // sixteen matrices mixed by arc, as in Zhang and Lee 2019
  bool nobody = false;                // a last column for points without a partner

  std::string text() const;
};

// The stack of Zhang and Lee 2019, with a learned temperature of 1 at the start where theirs is
// fixed, and a maximum over both sides where theirs is over one.
std::string zhang_lee_text(bool nobody);

}  // namespace fgnn::matching
