// Letters as different hands might write them: an image turned, sheared, stretched and moved.
#pragma once

#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/experiments/handwriting/letters.h"

namespace fgnn::handwriting {

struct AffineRange {
  double turn = 0.2;  // radians, either way
  double shear = 0.25;
  double stretch = 0.2;  // of each axis, as a share
  double move = 1.0;     // pixels, along each axis
};

// Adds the image's pixels, between 0 and 1 by bilinear interpolation.
void add_transformed(const LetterImage& image, const AffineRange& range, Rng& random,
                     std::vector<double>& pixels);

}  // namespace fgnn::handwriting
