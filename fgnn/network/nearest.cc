#include "fgnn/network/nearest.h"

#include <algorithm>
#include <numeric>

namespace fgnn::network {

template <class T>
Incidence nearest(const Structure& structure, std::size_t copies, const T* x, std::size_t width,
                  std::size_t neighbours) {
  const std::size_t rows = copies * structure.variables();
  std::vector<Index> target, source, order;
  std::vector<T> distance;
  for (std::size_t c = 0; c < copies; ++c) {
    for (std::size_t g = 0; g < structure.graphs(); ++g) {
      const std::size_t begin = c * structure.variables() + structure.variable_offset()[g];
      const std::size_t end = c * structure.variables() + structure.variable_offset()[g + 1];
      for (std::size_t i = begin; i < end; ++i) {
        distance.assign(end - begin, 0);
        for (std::size_t j = begin; j < end; ++j) {
          for (std::size_t k = 0; k < width; ++k) {
            const T d = x[i * width + k] - x[j * width + k];
            distance[j - begin] += d * d;
          }
        }
        order.resize(end - begin);
        std::iota(order.begin(), order.end(), Index{0});
        const std::size_t n = std::min(neighbours, order.size());
        std::partial_sort(order.begin(), order.begin() + n, order.end(), [&](Index a, Index b) {
          return distance[a] != distance[b] ? distance[a] < distance[b] : a < b;
        });
        for (std::size_t k = 0; k < n; ++k) {
          target.push_back(static_cast<Index>(i));
          source.push_back(static_cast<Index>(begin + order[k]));
        }
      }
    }
  }
  return {rows, rows, 1, target, source, {}};
}

template Incidence nearest<float>(const Structure&, std::size_t, const float*, std::size_t,
                                  std::size_t);
template Incidence nearest<double>(const Structure&, std::size_t, const double*, std::size_t,
                                   std::size_t);

}  // namespace fgnn::network
