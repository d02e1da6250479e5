// Batches made ahead of the trainer by worker threads, in the order of the steps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fgnn/core/ahead.h"
#include "fgnn/tasks/task.h"

namespace fgnn::train {

// Which instances a step uses: on the fly, never the same twice; of fixed data, in an order drawn
// anew for every pass. They are cut into `parts` of about the same size, of which a process makes
// its share.
struct BatchPlan {
  std::uint64_t batch = 1, seed = 0;
  std::uint64_t size = 0;   // of the fixed data; 0: on the fly
  std::uint64_t parts = 1;  // at most `batch`
  std::uint64_t first_part = 0, last_part = 1;

  std::vector<std::uint64_t> indices(std::uint64_t step) const;
};

// A step's graphs, as far as they are this process's.
using Parts = std::vector<tasks::Labelled>;

class Batches {
 public:
  Batches(const tasks::Task& task, BatchPlan plan, std::uint64_t first_step, std::uint64_t steps,
          int workers);

  // The batch of the next step, of which there must be one. Rethrows what making it threw.
  std::shared_ptr<const Parts> next() { return made_.next(); }

 private:
  Parts make(std::uint64_t step) const;

  const tasks::Task& task_;
  const BatchPlan plan_;
  Ahead<std::shared_ptr<const Parts>> made_;  // last: its threads read the others
};

}  // namespace fgnn::train
