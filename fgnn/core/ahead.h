// Values made ahead of their use by worker threads, and given out in their order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace fgnn {

template <class Value>
class Ahead {
 public:
  // make(n) for n = first … end - 1, which must be safe to call from several threads. At most two
  // values more than there are workers wait to be taken.
  Ahead(std::uint64_t first, std::uint64_t end, int workers,
        std::function<Value(std::uint64_t)> make)
      : make_(std::move(make)),
        end_(end),
        most_(2 + static_cast<std::uint64_t>(workers)),
        to_make_(first),
        to_give_(first) {
    for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
  }
  ~Ahead() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (auto& worker : workers_) worker.join();
  }
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;

  // The next value, of which there must be one. Rethrows what making it threw.
  Value next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ready_.contains(to_give_); });
    if (const auto failure = ready_[to_give_].failure) std::rethrow_exception(failure);
    Value value = std::move(*ready_.extract(to_give_++).mapped().value);
    changed_.notify_all();
    return value;
  }

 private:
  struct Made {
    std::optional<Value> value;
    std::exception_ptr failure;
  };

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return stopping_ || to_make_ < to_give_ + most_; });
      if (stopping_ || to_make_ >= end_) return;
      const std::uint64_t number = to_make_++;
      lock.unlock();
      Made made;
      try {
        made.value = make_(number);
      } catch (...) {
        made.failure = std::current_exception();
      }
      lock.lock();
      stopping_ = stopping_ || made.failure;
      ready_[number] = std::move(made);
      changed_.notify_all();
    }
  }

  const std::function<Value(std::uint64_t)> make_;
  const std::uint64_t end_, most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t to_make_, to_give_;
  std::map<std::uint64_t, Made> ready_;
  bool stopping_ = false;  // also after a failure: nothing after it is needed
  std::vector<std::thread> workers_;
};

}  // namespace fgnn
