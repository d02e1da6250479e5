// A forward run of a network, without gradients; buffers are kept between runs. Batch norms use the
// moments remembered from training.
//
// Copies of a structure go through the network a few at a time, so that what one layer leaves in
// the cache the next one finds there; threads share them out.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "fgnn/kernels/aligned.h"
#include "fgnn/network/batch.h"
#include "fgnn/network/model.h"
#include "fgnn/network/pass.h"
#include "fgnn/network/schedule.h"

namespace fgnn::network {

// T is float, or double for comparisons.
template <class T>
class Runner {
 public:
  explicit Runner(const Model& model);

  // Rows of the output register: copies * variables (or graphs), in the batch's order. Valid until
  // the next run. Throws Error(usage) when features do not fit the schema.
  std::span<const T> run(const Batch& batch, int threads = 1);
  std::size_t output_width() const;

 private:
  struct Network {  // passes refer to it: it stays where it is
    Program program;
    std::vector<kernels::AlignedVector<T>> weights;
    std::vector<T*> pointers;
    std::unique_ptr<Schedule> schedule;
    std::vector<std::unique_ptr<Pass<T>>> idle;  // passes that nobody uses
    std::mutex mutex;
    std::vector<T> output;
  };
  std::unique_ptr<Pass<T>> take_pass();
  void run_through(Pass<T>& pass, const Batch& batch, int threads, T* output);

  std::unique_ptr<Network> n_;
};

}  // namespace fgnn::network
