// That the instances of a task are told apart by stream, number and seed.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "fgnn/tasks/task.h"

namespace fgnn::testing {

// `reseeded` is the same task with another seed.
inline void expect_distinct_instances(const tasks::Task& task, const tasks::Task& reseeded) {
  using tasks::Stream;
  const std::vector<std::vector<double>> all{
      task.instance(Stream::train, 0).batch.variable,
      task.instance(Stream::validation, 0).batch.variable,
      task.instance(Stream::test, 0).batch.variable,
      task.instance(Stream::train, 1).batch.variable,
      reseeded.instance(Stream::train, 0).batch.variable,
      reseeded.instance(Stream::test, 0).batch.variable,
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(all[i], all[j]) << i << " and " << j;
  }
}

}  // namespace fgnn::testing
