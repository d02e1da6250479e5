#include "fgnn/train/crew.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

namespace fgnn::train {
namespace {

using std::chrono::milliseconds;

TEST(Crew, CallsEveryMemberOnce) {
  for (const std::size_t size : {1, 2, 4}) {
    Crew crew(size);
    EXPECT_EQ(crew.size(), size);
    std::vector<int> calls(size);
    std::vector<std::thread::id> threads(size);
    crew.run(size, [&](std::size_t m) {
      ++calls[m];
      threads[m] = std::this_thread::get_id();
    });
    EXPECT_EQ(calls, std::vector<int>(size, 1));
    EXPECT_EQ(threads[0], std::this_thread::get_id());
    for (std::size_t m = 1; m < size; ++m) EXPECT_NE(threads[m], threads[0]);
  }
}

// 1e16 + 1 - 1e16 is 0 in double, 1e16 - 1e16 + 1 is 1: the order shows.
TEST(Crew, SumsInTheOrderOfTheMembers) {
  Crew crew(3);
  const double orders[][3] = {{1e16, 1, -1e16}, {1e16, -1e16, 1}, {1, 1e16, -1e16}};
  const double sums[] = {0, 1, 0};
  for (int trial = 0; trial < 9; ++trial) {
    for (int o = 0; o < 3; ++o) {
      std::vector<double> got(3, -1);
      crew.run(3, [&](std::size_t m) {
        if (trial % 3 == static_cast<int>(m)) std::this_thread::sleep_for(milliseconds(1));
        double values[] = {orders[o][m], static_cast<double>(m)};
        crew.sum(m, values);
        EXPECT_EQ(values[1], 3);
        got[m] = values[0];
      });
      EXPECT_EQ(got, std::vector<double>(3, sums[o]));
    }
  }
}

TEST(Crew, WhatIsOutsideIsAddedOnceBeforeTheOthersSee) {
  Crew crew(3);
  int calls = 0;
  std::vector<double> got(3);
  crew.run(3, [&](std::size_t m) {
    double values[] = {1};
    crew.sum(m, values, [&](std::span<double> total) {
      ++calls;
      EXPECT_EQ(total[0], 3);
      total[0] *= 10;
    });
    got[m] = values[0];
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(got, std::vector<double>(3, 30));
}

TEST(Crew, FewerMembersThanThreadsLeaveTheOthersAlone) {
  Crew crew(4);
  for (const std::size_t members : {1, 2, 3, 4, 2}) {
    std::vector<double> got(4);
    crew.run(members, [&](std::size_t m) {
      double values[] = {1};
      crew.sum(m, values);
      got[m] = values[0];
    });
    for (std::size_t m = 0; m < 4; ++m) {
      EXPECT_EQ(got[m], m < members ? static_cast<double>(members) : 0);
    }
  }
}

TEST(Crew, ManyRoundsOfManyRuns) {
  for (const std::size_t size : {2, 3}) {  // the second has more threads than some machines
    Crew crew(size);
    const auto n = static_cast<double>(size);
    for (int run = 0; run < (size == 2 ? 300 : 10); ++run) {
      crew.run(size, [&](std::size_t m) {
        double total = 0;
        for (int round = 0; round < 10; ++round) {
          double values[] = {static_cast<double>(m + 1), total};
          crew.sum(m, values);
          EXPECT_EQ(values[0], n * (n + 1) / 2);
          EXPECT_EQ(values[1], n * total);
          total = values[1] + 1;
        }
      });
    }
  }
}

// Member `thrower` throws before its meeting number `at`; a member may be late.
void expect_ends(std::size_t thrower, int at, std::size_t late) {
  Crew crew(3);
  std::vector<int> met(3);
  try {
    crew.run(3, [&](std::size_t m) {
      for (int round = 0; round < 4; ++round) {
        if (m == late) std::this_thread::sleep_for(milliseconds(2));
        if (m == thrower && round == at) throw std::invalid_argument("enough");
        double values[] = {1};
        crew.sum(m, values);
        ++met[m];
      }
    });
    ADD_FAILURE() << "no exception";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "enough");
  }
  for (const int rounds : met) EXPECT_LE(rounds, at);
  // The crew is as good as before.
  double sum = 0;
  crew.run(3, [&](std::size_t m) {
    double values[] = {1};
    crew.sum(m, values);
    if (m == 0) sum = values[0];
  });
  EXPECT_EQ(sum, 3);
}

TEST(Crew, AnExceptionEndsAllWhetherTheyWaitAlreadyOrComeLater) {
  for (std::size_t thrower = 0; thrower < 3; ++thrower) {
    for (const int at : {0, 1, 3}) {
      for (std::size_t late = 0; late < 3; ++late) {
        SCOPED_TRACE(std::to_string(thrower) + " at " + std::to_string(at) + ", " +
                     std::to_string(late) + " late");
        expect_ends(thrower, at, late);
      }
    }
  }
}

TEST(Crew, TheSumOutsideMayThrow) {
  Crew crew(3);
  EXPECT_THROW(crew.run(3,
                        [&](std::size_t m) {
                          double values[] = {1};
                          crew.sum(m, values,
                                   [](std::span<double>) { throw std::length_error(""); });
                        }),
               std::length_error);
}

TEST(Crew, ExceptionsOfAllMembersAreOne) {
  Crew crew(4);
  for (int i = 0; i < 50; ++i) {
    EXPECT_THROW(crew.run(4, [](std::size_t) { throw std::domain_error("all"); }),
                 std::domain_error);
  }
}

}  // namespace
}  // namespace fgnn::train
