// Layers of fgnn/neuralize run by plain loops, in double.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/neuralize/layers.h"

namespace fgnn::testing {

using Numbers = std::vector<double>;

inline Numbers run(const neuralize::Dense& layer, const Numbers& x) {
  Numbers y(layer.out);
  for (std::size_t o = 0; o < layer.out; ++o) {
    y[o] = layer.bias.empty() ? 0 : layer.bias[o];
    for (std::size_t i = 0; i < layer.in; ++i) y[o] += x.at(i) * layer.at(i, o);
    if (layer.relu) y[o] = std::max(y[o], 0.0);
  }
  return y;
}

inline Numbers run(const neuralize::Layers& layers, Numbers x) {
  for (const auto& layer : layers) x = run(layer, x);
  return x;
}

// x times the matrix of this kind.
inline Numbers times(const Numbers& x, const neuralize::Matrices& q, std::size_t kind) {
  Numbers y(q.out);
  for (std::size_t i = 0; i < q.in; ++i) {
    for (std::size_t o = 0; o < q.out; ++o) {
      y[o] += x.at(i) * q.values[(kind * q.in + i) * q.out + o];
    }
  }
  return y;
}

// max_i x_i Q_i, entry by entry: the aggregator of an FGNN.
inline Numbers largest_of(const std::vector<Numbers>& x, const neuralize::Matrices& q) {
  Numbers most = times(x.at(0), q, 0);
  for (std::size_t i = 1; i < x.size(); ++i) {
    const Numbers y = times(x[i], q, i);
    for (std::size_t o = 0; o < y.size(); ++o) most[o] = std::max(most[o], y[o]);
  }
  return most;
}

inline Numbers joined(const std::vector<Numbers>& parts) {
  Numbers all;
  for (const auto& p : parts) all.insert(all.end(), p.begin(), p.end());
  return all;
}

inline Numbers uniform_numbers(Rng& rng, std::size_t n, double low, double high) {
  Numbers x(n);
  for (double& v : x) v = rng.uniform(low, high);
  return x;
}

// Whole numbers: sums and differences of them have no rounding.
inline Numbers whole_numbers(Rng& rng, std::size_t n, int low, int high) {
  Numbers x(n);
  for (double& v : x) v = low + static_cast<double>(rng.below(static_cast<unsigned>(high - low)));
  return x;
}

}  // namespace fgnn::testing
