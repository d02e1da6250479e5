#include "fgnn/train/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

#include "fgnn/core/error.h"
#include "tests/train/small_task.h"

namespace fgnn::train {
namespace {

using tasks::Labelled;
using tasks::Stream;
using testing::Altered;
using testing::short_chains;

TEST(BatchPlan, OnTheFlyNoInstanceComesTwice) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t step = 0; step < 20; ++step) {
    const auto indices = BatchPlan{7, 5}.indices(step);
    EXPECT_EQ(indices.size(), 7u);
    for (const auto i : indices) EXPECT_TRUE(seen.insert(i).second) << i;
  }
  EXPECT_EQ(*seen.rbegin(), 20 * 7 - 1);  // and none is left out
}

TEST(BatchPlan, FixedDataIsVisitedOnceInEveryPass) {
  for (const std::uint64_t batch : {1, 4, 10, 25}) {
    const BatchPlan plan{batch, 5, 10};
    std::vector<std::uint64_t> all;
    for (std::uint64_t step = 0; all.size() < 50; ++step) {
      const auto indices = plan.indices(step);
      all.insert(all.end(), indices.begin(), indices.end());
    }
    std::set<std::vector<std::uint64_t>> orders;
    for (std::size_t pass = 0; pass < 5; ++pass) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(10 * pass);
      std::vector<std::uint64_t> order(begin, begin + 10);
      orders.insert(order);
      std::sort(order.begin(), order.end());
      EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    }
    EXPECT_EQ(orders.size(), 5u);  // every pass has its own
  }
}

TEST(BatchPlan, TheOrderIsTheSeeds) {
  const auto order = [](std::uint64_t seed) { return BatchPlan{20, seed, 20}.indices(3); };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

// Five graphs a step, in this many parts.
BatchPlan five(const tasks::Task& task, std::uint64_t parts) {
  return {5, 1, task.size(Stream::train), parts, 0, parts};
}

// All numbers of steps first .. steps, of the parts that a plan makes.
std::vector<std::vector<double>> numbers(const tasks::Task& task, const BatchPlan& plan,
                                         std::uint64_t first, std::uint64_t steps, int workers) {
  Batches batches(task, plan, first, steps, workers);
  std::vector<std::vector<double>> all;
  for (std::uint64_t step = first; step < steps; ++step) {
    const auto next = batches.next();
    EXPECT_EQ(next->size(), plan.last_part - plan.first_part);
    auto& of_step = all.emplace_back();
    for (const auto& part : *next) {
      of_step.insert(of_step.end(), part.batch.variable.begin(), part.batch.variable.end());
      of_step.insert(of_step.end(), part.classes.begin(), part.classes.end());
    }
  }
  return all;
}

TEST(Batches, AreTheSameWithAnyNumberOfWorkers) {
  const synthetic::SyntheticTask endless(short_chains()), fixed({short_chains(), 12});
  for (const tasks::Task* task : {&endless, &fixed}) {
    const BatchPlan plan = five(*task, 1);
    const auto one = numbers(*task, plan, 0, 30, 1);
    EXPECT_EQ(std::set(one.begin(), one.end()).size(), 30u);
    EXPECT_EQ(numbers(*task, plan, 0, 30, 3), one);
    EXPECT_EQ(numbers(*task, plan, 0, 30, 64), one);
    const auto later = numbers(*task, plan, 20, 30, 3);
    EXPECT_EQ(later, (std::vector<std::vector<double>>(one.begin() + 20, one.end())));
  }
}

TEST(Batches, PartsAreAboutEqualAndTogetherTheBatch) {
  const synthetic::SyntheticTask task(short_chains());
  for (const std::uint64_t parts : {1, 2, 3, 5}) {
    Batches batches(task, five(task, parts), 0, 3, 2);
    for (std::uint64_t step = 0; step < 3; ++step) {
      const auto indices = BatchPlan{5, 1}.indices(step);
      const auto made = batches.next();
      std::size_t graphs = 0;
      for (const auto& part : *made) {
        const std::size_t own = part.batch.graphs();
        EXPECT_GE(own, 5 / parts);
        EXPECT_LE(own, 5 / parts + 1);
        const auto want =
            tasks::batch_of(task, Stream::train, std::span(indices).subspan(graphs, own), 1);
        EXPECT_EQ(part.batch.variable, want.batch.variable);
        EXPECT_EQ(part.classes, want.classes);
        graphs += own;
      }
      EXPECT_EQ(graphs, 5u);
    }
  }
}

// Processes share the parts out, each with as many graphs as it would have on one process.
TEST(Batches, ProcessesMakeThePartsOfOne) {
  const synthetic::SyntheticTask task({short_chains(), 12});
  const auto whole = numbers(task, five(task, 5), 0, 4, 1);
  std::vector<std::vector<double>> together(4);
  for (const auto& [first, last] : {std::pair{0, 2}, std::pair{2, 4}, std::pair{4, 5}}) {
    BatchPlan plan = five(task, 5);
    plan.first_part = static_cast<std::uint64_t>(first);
    plan.last_part = static_cast<std::uint64_t>(last);
    const auto mine = numbers(task, plan, 0, 4, 2);
    for (std::size_t step = 0; step < 4; ++step) {
      together[step].insert(together[step].end(), mine[step].begin(), mine[step].end());
    }
  }
  EXPECT_EQ(together, whole);
}

TEST(Batches, AreMadeOnlySomeStepsAhead) {
  const synthetic::SyntheticTask task(short_chains());
  std::atomic<std::uint64_t> last = 0;
  const Altered watched(task, [&](Stream, std::uint64_t i, Labelled&) {
    for (auto seen = last.load(); seen < i && !last.compare_exchange_weak(seen, i);) {
    }
  });
  Batches batches(watched, {1, 1}, 0, 1000000, 2);
  for (int i = 0; i < 10; ++i) batches.next();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(last, 20u);
}  // and stop when nobody wants them any more

TEST(Batches, WhatAnInstanceThrowsComesAtItsStep) {
  const synthetic::SyntheticTask task(short_chains());
  for (const int workers : {1, 3}) {
    const Altered broken(task, [&](Stream, std::uint64_t i, Labelled&) {
      if (i >= 17) throw std::out_of_range("instance " + std::to_string(i));
    });
    Batches batches(broken, {5, 1}, 0, 100, workers);
    for (int step = 0; step < 3; ++step) EXPECT_NO_THROW(batches.next());
    for (int again = 0; again < 2; ++again) {
      try {
        batches.next();
        ADD_FAILURE() << "no exception";
      } catch (const std::out_of_range& e) {
        EXPECT_STREQ(e.what(), "instance 17");
      }
    }
  }
}

TEST(Batches, CanBeDroppedBeforeTheFirstIsMade) {
  const synthetic::SyntheticTask task(short_chains());
  for (int i = 0; i < 20; ++i) Batches(task, {5, 1}, 0, 100, 3);
  Batches(task, {5, 1}, 7, 7, 2);  // no steps at all
}

}  // namespace
}  // namespace fgnn::train
