#include "fgnn/network/run.h"

namespace fgnn::network {

template <class T>
Runner<T>::Runner(const Model& model) : n_(std::make_unique<Network>()) {
  n_->program = model.program;
  for (const auto& w : model.weights) n_->weights.emplace_back(w.begin(), w.end());
  for (auto& w : n_->weights) n_->pointers.push_back(w.data());
  n_->schedule = std::make_unique<Schedule>(n_->program, Purpose{});
  n_->pass = std::make_unique<Pass<T>>(n_->program, n_->pointers, n_->schedule->wanted);
}

template <class T>
std::size_t Runner<T>::output_width() const {
  return n_->program.registers[n_->program.output].width;
}

template <class T>
std::span<const T> Runner<T>::run(const Batch& batch, int threads) {
  check_features(n_->program, batch);
  Pass<T>& pass = *n_->pass;
  pass.begin(batch, Purpose{}, 0, threads);
  for (const Step& step : n_->schedule->stages[0].steps) {
    pass.running(step.operation);
    n_->program.operations[step.operation]->forward(pass);
    for (const int r : step.last_reads) pass.release_value(r);
  }
  return {pass.value(n_->program.output), pass.count(n_->program.output)};
}

template class Runner<float>;
template class Runner<double>;

}  // namespace fgnn::network
