// Asking a computation to end early: a source that asks, tokens that are asked. As std::stop_source
// and std::stop_token, but promised to be safe inside a signal handler, which those are not.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace fgnn {

class StopToken {
 public:
  StopToken() = default;  // nobody will ever ask
  bool stop_requested() const {
    return (flag_ && flag_->load(std::memory_order_relaxed)) ||
           (other_ && other_->stop_requested());
  }
  // Asked when this one or `other` is.
  StopToken or_else(const StopToken& other) const {
    StopToken both = other;
    both.other_ = std::make_shared<const StopToken>(*this);
    if (other.other_) both.other_ = std::make_shared<const StopToken>(or_else(*other.other_));
    return both;
  }

 private:
  friend class StopSource;
  explicit StopToken(std::shared_ptr<const std::atomic<bool>> flag) : flag_(std::move(flag)) {}

  std::shared_ptr<const std::atomic<bool>> flag_;
  std::shared_ptr<const StopToken> other_;
};

class StopSource {
 public:
  StopToken token() const { return StopToken(flag_); }
  // From any thread, or a signal handler. Cannot be taken back.
  void request_stop() noexcept { flag_->store(true, std::memory_order_relaxed); }
  bool stop_requested() const noexcept { return flag_->load(std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);
  std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace fgnn
