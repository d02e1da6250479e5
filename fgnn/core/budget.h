// What something may take in all: bytes, counted before they are allocated, and time. One budget is
// handed from step to step (reading, planning, solving), each of which takes what it needs.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "fgnn/core/timing.h"

namespace fgnn {

class Budget {
 public:
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  // `subject` opens the messages: a file, a method.
  explicit Budget(std::string subject, std::uint64_t max_bytes = kNoLimit, Deadline deadline = {})
      : subject_(std::move(subject)), max_bytes_(max_bytes), deadline_(deadline) {}

  // Counts this many bytes more, or throws Error(too_large) telling how many would be needed.
  void take(std::uint64_t bytes) {
    if (bytes > max_bytes_ - held_) refuse(bytes);
    held_ += bytes;
  }
  void give_back(std::uint64_t bytes) { held_ -= bytes; }
  std::uint64_t held() const { return held_; }
  std::uint64_t max_bytes() const { return max_bytes_; }

  // Throws Error(time_limit) once the time is over, Error(interrupted) when a stop was asked for.
  // Reads the clock: call it every few thousand steps, or use a TimeCheck.
  void check_time() const {
    if (deadline_.expired()) refuse_late();
  }
  const Deadline& deadline() const { return deadline_; }

 private:
  [[noreturn]] void refuse(std::uint64_t bytes) const;
  [[noreturn]] void refuse_late() const;

  std::string subject_;
  std::uint64_t max_bytes_, held_ = 0;
  Deadline deadline_;
};

// For those who are given none.
inline const Budget& no_limits() {
  static const Budget kNone("");
  return kNone;
}

// Bytes taken from a budget for as long as this lives.
class Hold {
 public:
  explicit Hold(Budget& budget) : budget_(&budget) {}
  Hold(Hold&& other) noexcept
      : budget_(other.budget_), bytes_(std::exchange(other.bytes_, std::uint64_t{0})) {}
  Hold& operator=(Hold&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Hold() { budget_->give_back(bytes_); }

  void take(std::uint64_t bytes) {
    budget_->take(bytes);
    bytes_ += bytes;
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  Budget* budget_;
  std::uint64_t bytes_ = 0;
};

// Looks at the clock once in many steps: a deadline for inner loops.
class TimeCheck {
 public:
  explicit TimeCheck(const Deadline& deadline) : deadline_(deadline) {}
  // Counts `work` small steps; true once the deadline has passed.
  bool late(std::uint64_t work = 1) {
    if (work < left_) {
      left_ -= work;
      return late_;
    }
    left_ = kSteps;
    return late_ = late_ || deadline_.expired();
  }

 private:
  static constexpr std::uint64_t kSteps = 1 << 18;  // below a millisecond of simple ones
  const Deadline& deadline_;
  std::uint64_t left_ = kSteps;
  bool late_ = false;
};

}  // namespace fgnn
