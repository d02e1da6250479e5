#include "fgnn/train/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>

#include "fgnn/core/error.h"
#include "tests/train/small_task.h"

namespace fgnn::train {
namespace {

using tasks::Labelled;
using tasks::Stream;
using testing::Altered;
using testing::short_chains;

TEST(BatchPlan, OnTheFlyNoInstanceComesTwice) {
  for (const std::uint64_t world : {1, 3}) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t step = 0; step < 20; ++step) {
      for (std::uint64_t rank = 0; rank < world; ++rank) {
        const auto indices = BatchPlan{7, 5, rank, world}.indices(step);
        EXPECT_EQ(indices.size(), 7u);
        for (const auto i : indices) EXPECT_TRUE(seen.insert(i).second) << i;
      }
    }
    EXPECT_EQ(*seen.rbegin(), 20 * 7 * world - 1);  // and none is left out
  }
}

// Several processes with small batches do what one does with a large batch.
TEST(BatchPlan, RanksPartitionTheBatchOfOneProcess) {
  for (const std::uint64_t size : {0, 11, 100}) {
    for (std::uint64_t step = 0; step < 10; ++step) {
      const auto whole = BatchPlan{12, 5, 0, 1, size}.indices(step);
      std::vector<std::uint64_t> together;
      for (std::uint64_t rank = 0; rank < 3; ++rank) {
        const auto part = BatchPlan{4, 5, rank, 3, size}.indices(step);
        together.insert(together.end(), part.begin(), part.end());
      }
      EXPECT_EQ(together, whole) << "step " << step << " of " << size;
    }
  }
}

TEST(BatchPlan, FixedDataIsVisitedOnceInEveryPass) {
  for (const std::uint64_t batch : {1, 4, 10, 25}) {
    const BatchPlan plan{batch, 5, 0, 1, 10};
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
  const auto order = [](std::uint64_t seed) { return BatchPlan{20, seed, 0, 1, 20}.indices(3); };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

// All numbers of steps first .. steps.
std::vector<std::vector<double>> numbers(const tasks::Task& task, std::size_t parts,
                                         std::uint64_t first, std::uint64_t steps, int workers) {
  Batches batches(task, {5, 1, 0, 1, task.size(Stream::train)}, parts, first, steps, workers);
  std::vector<std::vector<double>> all;
  for (std::uint64_t step = first; step < steps; ++step) {
    const auto next = batches.next();
    EXPECT_EQ(next->size(), std::min<std::size_t>(parts, 5));
    auto& of_step = all.emplace_back();
    std::size_t graphs = 0;
    for (const auto& part : *next) {
      graphs += part.batch.graphs();
      EXPECT_GE(part.batch.graphs(), 5 / parts);
      of_step.insert(of_step.end(), part.batch.variable.begin(), part.batch.variable.end());
      of_step.insert(of_step.end(), part.classes.begin(), part.classes.end());
    }
    EXPECT_EQ(graphs, 5u);
  }
  return all;
}

TEST(Batches, AreTheSameWithAnyNumberOfWorkers) {
  const tasks::SyntheticTask endless(short_chains()), fixed({short_chains(), 12});
  for (const tasks::Task* task : {&endless, &fixed}) {
    const auto one = numbers(*task, 1, 0, 30, 1);
    EXPECT_EQ(std::set(one.begin(), one.end()).size(), 30u);
    EXPECT_EQ(numbers(*task, 1, 0, 30, 3), one);
    EXPECT_EQ(numbers(*task, 1, 0, 30, 64), one);
    const auto later = numbers(*task, 1, 20, 30, 3);
    EXPECT_EQ(later, (std::vector<std::vector<double>>(one.begin() + 20, one.end())));
  }
}

TEST(Batches, PartsAreAboutEqualAndTogetherTheBatch) {
  const tasks::SyntheticTask task(short_chains());
  const auto two = numbers(task, 2, 0, 3, 1);
  EXPECT_EQ(two.size(), 3u);
  EXPECT_EQ(numbers(task, 9, 0, 3, 2).size(), 3u);  // no more parts than graphs
  Batches batches(task, {5, 1, 0, 1, 0}, 2, 0, 1, 1);
  const auto parts = batches.next();
  EXPECT_EQ((*parts)[0].batch.graphs(), 2u);
  EXPECT_EQ((*parts)[1].batch.graphs(), 3u);
}

TEST(Batches, AreMadeOnlySomeStepsAhead) {
  const tasks::SyntheticTask task(short_chains());
  std::atomic<std::uint64_t> last = 0;
  const Altered watched(task, [&](Stream, std::uint64_t i, Labelled&) {
    for (auto seen = last.load(); seen < i && !last.compare_exchange_weak(seen, i);) {
    }
  });
  Batches batches(watched, {1, 1, 0, 1, 0}, 1, 0, 1000000, 2);
  for (int i = 0; i < 10; ++i) batches.next();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(last, 20u);
}  // and stop when nobody wants them any more

TEST(Batches, WhatAnInstanceThrowsComesAtItsStep) {
  const tasks::SyntheticTask task(short_chains());
  for (const int workers : {1, 3}) {
    const Altered broken(task, [&](Stream, std::uint64_t i, Labelled&) {
      if (i >= 17) throw std::out_of_range("instance " + std::to_string(i));
    });
    Batches batches(broken, {5, 1, 0, 1, 0}, 1, 0, 100, workers);
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
  const tasks::SyntheticTask task(short_chains());
  for (int i = 0; i < 20; ++i) Batches(task, {5, 1, 0, 1, 0}, 1, 0, 100, 3);
  Batches(task, {5, 1, 0, 1, 0}, 1, 7, 7, 2);  // no steps at all
}

}  // namespace
}  // namespace fgnn::train
