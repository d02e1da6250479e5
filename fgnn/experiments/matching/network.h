// The networks of the matching experiment, as text (docs/matching.md).
#pragma once

#include <string>

namespace fgnn::matching {

struct MatchingNetwork {
  std::size_t width = 192, blocks = 3;
  std::string factors = "sides";  // the relation of the factor modules; "none": the MPNN twin
  bool mixture = false;           // sixteen matrices mixed by arc, as in Zhang and Lee 2019
  bool nobody = false;            // a last column for points without a partner

  std::string text() const;
};

}  // namespace fgnn::matching
