#include "fgnn/train/crew.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

namespace fgnn::train {
namespace {

std::mutex failure_mutex;

// Meetings are microseconds apart: looks first, sleeps later.
template <class T>
void wait_while(const std::atomic<T>& value, T old) {
  for (int i = 0; i < 20000; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    hwy::Pause();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

Crew::Crew(std::size_t size) : size_(size), shared_(size) {
  for (std::size_t i = 1; i < size; ++i) {
    threads_.emplace_back([this, i] {
      std::size_t seen = 0;
      while (true) {
        wait_while(generation_, seen);
        seen = generation_;
        if (stopping_) return;
        if (i < members_) call(i);
        if (--working_ == 0) working_.notify_all();
      }
    });
  }
}

Crew::~Crew() {
  stopping_ = true;
  ++generation_;
  generation_.notify_all();
  for (auto& t : threads_) t.join();
}

void Crew::call(std::size_t member) {
  try {
    (*body_)(member);
  } catch (...) {
    const std::lock_guard lock(failure_mutex);
    if (!failure_) failure_ = std::current_exception();
    broken_ = true;
    ++round_;  // nobody waits for this member any more
    round_.notify_all();
  }
}

void Crew::run(std::size_t members, const std::function<void(std::size_t)>& body) {
  members_ = members;
  body_ = &body;
  failure_ = nullptr;
  broken_ = false;
  arrived_ = 0;
  working_ = threads_.size();
  ++generation_;
  generation_.notify_all();
  call(0);
  for (std::size_t left = working_; left != 0; left = working_) wait_while(working_, left);
  if (failure_) std::rethrow_exception(failure_);
}

void Crew::meet() {
  const auto check = [this] {
    if (broken_) throw std::runtime_error("another thread of the crew failed");
  };
  const std::size_t round = round_;
  check();  // a failure before this round was looked at does not end it
  if (++arrived_ == members_) {
    arrived_ = 0;
    ++round_;
    round_.notify_all();
  } else {
    wait_while(round_, round);
  }
  check();
}

void Crew::sum(std::size_t member, std::span<double> values,
               const std::function<void(std::span<double>)>& outside) {
  shared_[member] = values;
  meet();
  if (member == 0) {
    total_.assign(values.size(), 0);
    for (std::size_t m = 0; m < members_; ++m) {
      for (std::size_t i = 0; i < values.size(); ++i) total_[i] += shared_[m][i];
    }
    if (outside) outside(total_);
  }
  meet();
  std::copy(total_.begin(), total_.end(), values.begin());
  meet();  // the total is read before the next one is made
}

}  // namespace fgnn::train
