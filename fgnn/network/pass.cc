#include "fgnn/network/pass.h"

#include <algorithm>

namespace fgnn::network {

template <class T>
void Pass<T>::begin(const Batch& batch, const Purpose& purpose, std::uint64_t seed, int threads) {
  batch_ = &batch;
  purpose_ = purpose;
  seed_ = seed;
  threads_ = threads;
  memory_.give_back_all();
  std::fill(value_.begin(), value_.end(), nullptr);
  std::fill(gradient_.begin(), gradient_.end(), nullptr);
  std::fill(weight_gradient_.begin(), weight_gradient_.end(), nullptr);
  const auto load = [&](int reg, const std::vector<double>& features) {
    if (reg >= 0) std::copy(features.begin(), features.end(), output(reg));
  };
  load(program_.variable_input, batch.variable);
  for (std::size_t r = 0; r < batch.relations.size(); ++r) {
    load(program_.factor_input[r], batch.relations[r].factor);
    load(program_.edge_input[r], batch.relations[r].edge);
  }
}

template class Pass<float>;
template class Pass<double>;

}  // namespace fgnn::network
