#include "fgnn/core/parallel.h"

#include <hwy/cache_control.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "fgnn/core/processors.h"

namespace fgnn {
namespace {

using Body = std::function<void(std::size_t, std::size_t)>;

// Loops of message passing follow each other within microseconds: threads look out for the next one
// for some of them before they go to sleep, which costs more than most loops.
constexpr int kLooks = 4000;

template <class Condition>
void look_out(Condition condition) {
  for (int i = 0; i < kLooks && !condition(); ++i) hwy::Pause();
}

// One loop at a time runs on the pool. Its pieces belong to nobody: whoever is there takes the next
// one, so that a worker which the system has put aside holds up nothing but the piece it has begun.
// Workers sleep between loops; `generation_` wakes them.
class Pool {
 public:
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (auto& worker : workers_) worker.join();
  }

  void run(std::size_t pieces, const std::function<void(std::size_t)>& piece) {
    std::lock_guard one_loop_at_a_time(loop_mutex_);
    {
      std::lock_guard lock(mutex_);
      while (workers_.size() + 1 < pieces) workers_.emplace_back([this] { work(); });
      piece_ = &piece;
      pieces_ = pieces;
      next_ = 0;
      failure_ = nullptr;
      ++generation_;
    }
    wake_.notify_all();
    take_pieces();
    look_out([this] { return running_ == 0; });
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
    piece_ = nullptr;
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work() {
    std::size_t seen = 0;
    while (true) {
      look_out([&] { return stopping_ || generation_ != seen; });
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
        if (stopping_) return;
        seen = generation_;
      }
      take_pieces();
    }
  }

  void take_pieces() {
    while (true) {
      const std::function<void(std::size_t)>* piece = nullptr;
      std::size_t index = 0;
      {
        std::lock_guard lock(mutex_);
        if (piece_ == nullptr || next_ == pieces_) return;
        piece = piece_;
        index = next_++;
        ++running_;
      }
      call(*piece, index);
      std::lock_guard lock(mutex_);
      if (--running_ == 0) done_.notify_one();
    }
  }

  void call(const std::function<void(std::size_t)>& piece, std::size_t index) {
    inside_ = true;
    try {
      piece(index);
    } catch (...) {
      std::lock_guard lock(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
    inside_ = false;
  }

 public:
  static thread_local bool inside_;

 private:
  std::mutex loop_mutex_, mutex_, failure_mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> workers_;
  const std::function<void(std::size_t)>* piece_ = nullptr;
  std::size_t pieces_ = 0, next_ = 0;
  std::atomic<std::size_t> running_ = 0, generation_ = 0;
  std::exception_ptr failure_;
  std::atomic<bool> stopping_ = false;
};

thread_local bool Pool::inside_ = false;

// The pool of this process. After fork() the child has a copy of the parent's whose threads do not
// exist and whose locks may be taken: it is left alone, and the child's first loop makes a new one.
class OwnPool {
 public:
  OwnPool() { pthread_atfork(nullptr, nullptr, forget); }
  ~OwnPool() { delete current_.exchange(nullptr); }

  Pool& get() {
    Pool* pool = current_.load(std::memory_order_acquire);
    if (pool != nullptr) return *pool;
    auto fresh = std::make_unique<Pool>();
    if (!current_.compare_exchange_strong(pool, fresh.get())) return *pool;
    return *fresh.release();
  }

 private:
  static void forget() { parents_ = current_.exchange(nullptr); }

  static std::atomic<Pool*> current_;
  static Pool* parents_;  // so that nobody takes it for a leak
};

std::atomic<Pool*> OwnPool::current_ = nullptr;
Pool* OwnPool::parents_ = nullptr;
OwnPool own_pool;

}  // namespace

int default_threads() { return usable_processors(); }

void parallel_for(int threads, std::size_t count, std::size_t grain, const Body& body) {
  if (count == 0) return;
  const std::size_t most = std::max<std::size_t>(1, count / std::max<std::size_t>(1, grain));
  if (threads <= 0 && most > 1) threads = default_threads();
  const std::size_t pieces = std::min(static_cast<std::size_t>(std::max(threads, 1)), most);
  if (pieces == 1 || Pool::inside_) {
    body(0, count);
    return;
  }
  own_pool.get().run(pieces,
                     [&](std::size_t i) { body(count * i / pieces, count * (i + 1) / pieces); });
}

void parallel_tasks(int threads, std::size_t count, const std::function<void(std::size_t)>& body) {
  if (threads <= 0 && count > 1) threads = default_threads();
  const std::size_t ranges = std::min(static_cast<std::size_t>(std::max(threads, 1)), count);
  if (ranges <= 1 || Pool::inside_) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  // Each thread begins with a range of its own, the same at every call, whose data its cache may
  // still hold, and then helps the others.
  struct alignas(64) Range {
    std::atomic<std::size_t> next;
    std::size_t end;
  };
  std::vector<Range> all(ranges);
  for (std::size_t r = 0; r < ranges; ++r) {
    all[r].next = count * r / ranges;
    all[r].end = count * (r + 1) / ranges;
  }
  own_pool.get().run(ranges, [&](std::size_t own) {
    for (std::size_t r = 0; r < ranges; ++r) {
      Range& range = all[(own + r) % ranges];
      for (std::size_t i = range.next++; i < range.end; i = range.next++) body(i);
    }
  });
}

}  // namespace fgnn
