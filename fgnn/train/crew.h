// Threads that train together: each runs whole forward and backward passes on its share of a batch
// with its own copy of the network, so that nothing is divided layer by layer. They meet only where
// batch norms add up their sums.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <span>
#include <thread>
#include <vector>

namespace fgnn::train {

class Crew {
 public:
  explicit Crew(std::size_t size);
  ~Crew();

  std::size_t size() const { return size_; }
  // Calls body(0) here and body(1) … body(members - 1) on the other threads; returns when all have.
  // An exception of any is rethrown, and ends the others at their next meeting.
  void run(std::size_t members, const std::function<void(std::size_t)>& body);

  // From inside run: adds the numbers of all members up, in their order, in place for each.
  // `outside` is called on the sum by member 0 before the others see it.
  void sum(std::size_t member, std::span<double> values,
           const std::function<void(std::span<double>)>& outside = {});

 private:
  void meet();
  void call(std::size_t member);

  std::size_t size_, members_ = 1;
  std::vector<std::thread> threads_;
  const std::function<void(std::size_t)>* body_ = nullptr;
  std::vector<std::span<double>> shared_;
  std::vector<double> total_;
  std::atomic<std::size_t> arrived_ = 0, round_ = 0, generation_ = 0, working_ = 0;
  std::atomic<bool> broken_ = false, stopping_ = false;
  std::exception_ptr failure_;
};

}  // namespace fgnn::train
