#include "fgnn/train/batches.h"

#include <numeric>

#include "fgnn/core/random.h"

namespace fgnn::train {

std::vector<std::uint64_t> BatchPlan::indices(std::uint64_t step) const {
  std::vector<std::uint64_t> result(batch);
  const std::uint64_t first = step * batch;
  std::vector<std::uint64_t> order;
  std::uint64_t pass = ~std::uint64_t{0};
  for (std::uint64_t i = 0; i < batch; ++i) {
    result[i] = first + i;
    if (size == 0) continue;
    if (result[i] / size != pass) {
      pass = result[i] / size;
      order.resize(size);
      std::iota(order.begin(), order.end(), std::uint64_t{0});
      Rng random(seed, pass);
      random.shuffle(order);
    }
    result[i] = order[result[i] % size];
  }
  return result;
}

Batches::Batches(const tasks::Task& task, BatchPlan plan, std::uint64_t first_step,
                 std::uint64_t steps, int workers)
    : task_(task), plan_(plan), made_(first_step, steps, workers, [this](std::uint64_t step) {
        return std::make_shared<const Parts>(make(step));
      }) {}

Parts Batches::make(std::uint64_t step) const {
  const auto indices = plan_.indices(step);
  const std::size_t n = indices.size();
  Parts made;
  for (std::size_t p = plan_.first_part; p < plan_.last_part; ++p) {
    const std::size_t begin = n * p / plan_.parts, end = n * (p + 1) / plan_.parts;
    const auto share = std::span(indices).subspan(begin, end - begin);
    made.push_back(tasks::batch_of(task_, tasks::Stream::train, share, 1));
  }
  return made;
}

}  // namespace fgnn::train
