// A forward run of a network, without gradients; buffers are kept between runs. Batch norms use the
// moments remembered from training.
//
// Copies of a structure go through the network a few at a time, so that what one layer leaves in
// the cache the next one finds there; threads share them out.
#pragma once

#include <memory>
#include <span>

#include "fgnn/core/budget.h"
#include "fgnn/network/batch.h"
#include "fgnn/network/model.h"

namespace fgnn::network {

// T is float, or double for comparisons.
template <class T>
class Runner {
 public:
  explicit Runner(const Model& model);
  ~Runner();
  Runner(Runner&&) noexcept;
  Runner& operator=(Runner&&) noexcept;

  // Rows of the output register: copies * variables (or graphs), in the batch's order. Valid until
  // the next run. Throws Error(usage) when features do not fit the schema, and what the budget
  // throws: arrays are counted before they are made, time is looked at before every operation.
  std::span<const T> run(const Batch& batch, int threads = 1, const Budget& budget = no_limits());
  std::size_t output_width() const;

 private:
  struct Network;
  std::unique_ptr<Network> n_;
};

}  // namespace fgnn::network
