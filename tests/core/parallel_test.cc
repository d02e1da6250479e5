#include "fgnn/core/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace fgnn {
namespace {

int sum_to_thousand() {
  std::atomic<int> sum = 0;
  parallel_for(4, 1000, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) sum += static_cast<int>(i);
  });
  return sum;
}

// Whether the child ends by itself with code 0; one that waits for ever is ended.
bool ends_well(pid_t child) {
  for (int tenths = 0; tenths < 600; ++tenths) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return false;
}

TEST(Parallel, LoopsRunInAForkedProcess) {
  EXPECT_EQ(sum_to_thousand(), 499500);  // the pool has threads now
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(sum_to_thousand() == 499500 && sum_to_thousand() == 499500 ? 0 : 1);
  EXPECT_TRUE(ends_well(child));
  EXPECT_EQ(sum_to_thousand(), 499500);
}

TEST(Parallel, AProcessForkedDuringALoopRunsItsOwn) {
  std::atomic<bool> forked = false, running = false;
  std::thread other([&] {
    parallel_for(2, 2, 1, [&](std::size_t, std::size_t) {
      running = true;
      while (!forked) std::this_thread::yield();
    });
  });
  while (!running) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) _exit(sum_to_thousand() == 499500 ? 0 : 1);
  forked = true;
  other.join();
  ASSERT_GE(child, 0);
  EXPECT_TRUE(ends_well(child));
}

}  // namespace
}  // namespace fgnn
