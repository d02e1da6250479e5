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
    : task_(task),
      plan_(plan),
      end_(steps),
      ahead_(2 + static_cast<std::size_t>(workers)),
      to_make_(first_step),
      to_give_(first_step) {
  for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
}

Batches::~Batches() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void Batches::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || to_make_ < to_give_ + ahead_; });
    if (stopping_ || to_make_ >= end_) return;
    const std::uint64_t step = to_make_++;
    lock.unlock();
    Made made;
    try {
      made.parts = std::make_shared<const Parts>(make(step));
    } catch (...) {
      made.failure = std::current_exception();
    }
    lock.lock();
    stopping_ = stopping_ || made.failure;
    ready_[step] = std::move(made);
    changed_.notify_all();
  }
}

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

std::shared_ptr<const Parts> Batches::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ready_.contains(to_give_); });
  if (const auto failure = ready_[to_give_].failure) std::rethrow_exception(failure);
  auto batch = std::move(ready_.extract(to_give_++).mapped().parts);
  changed_.notify_all();
  return batch;
}

}  // namespace fgnn::train
