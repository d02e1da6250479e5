#include "fgnn/experiments/handwriting/affine.h"

#include <algorithm>
#include <cmath>

namespace fgnn::handwriting {
namespace {

// Interpolation blurs, and what is tested on is black and white.
constexpr double kContrast = 3;

// The pixel, 0 beyond the edges.
double at(const LetterImage& image, std::ptrdiff_t y, std::ptrdiff_t x) {
  const bool inside = y >= 0 && x >= 0 && y < static_cast<std::ptrdiff_t>(kLetterHeight) &&
                      x < static_cast<std::ptrdiff_t>(kLetterWidth);
  return inside && image.pixel(static_cast<std::size_t>(y), static_cast<std::size_t>(x)) ? 1 : 0;
}

double between(const LetterImage& image, double y, double x) {
  const double top = std::floor(y), left = std::floor(x), v = y - top, u = x - left;
  const auto j = static_cast<std::ptrdiff_t>(top), i = static_cast<std::ptrdiff_t>(left);
  return (1 - v) * ((1 - u) * at(image, j, i) + u * at(image, j, i + 1)) +
         v * ((1 - u) * at(image, j + 1, i) + u * at(image, j + 1, i + 1));
}

}  // namespace

void add_transformed(const LetterImage& image, const AffineRange& range, Rng& random,
                     std::vector<double>& pixels) {
  const double angle = random.uniform(-range.turn, range.turn);
  const double shear = random.uniform(-range.shear, range.shear);
  const double tall = std::exp(random.uniform(-range.stretch, range.stretch));
  const double wide = std::exp(random.uniform(-range.stretch, range.stretch));
  const double down = random.uniform(-range.move, range.move);
  const double right = random.uniform(-range.move, range.move);
  const double c = std::cos(angle), s = std::sin(angle);
  const double middle_y = (kLetterHeight - 1) / 2.0, middle_x = (kLetterWidth - 1) / 2.0;
  // Where a pixel of the new image comes from.
  for (std::size_t y = 0; y < kLetterHeight; ++y) {
    for (std::size_t x = 0; x < kLetterWidth; ++x) {
      const double v = (static_cast<double>(y) - middle_y - down) / tall;
      const double u = (static_cast<double>(x) - middle_x - right) / wide + shear * v;
      const double grey = between(image, middle_y + c * v - s * u, middle_x + s * v + c * u);
      pixels.push_back(std::clamp(kContrast * (grey - 0.5) + 0.5, 0.0, 1.0));
    }
  }
}

}  // namespace fgnn::handwriting
