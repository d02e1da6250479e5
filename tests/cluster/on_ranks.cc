// What a group promises, on the ranks that mpirun started; every rank runs all of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "fgnn/cluster/group.h"
#include "fgnn/cluster/launch.h"
#include "tests/reference/expect_error.h"

namespace fgnn::cluster {
namespace {

// A number that sums with rounding.
double odd_number(std::size_t rank, std::size_t i) {
  return std::sin(1.0 + static_cast<double>(rank) * 7.3 + static_cast<double>(i)) / 3;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

void expect_same_on_all(const std::string& mine) {
  const auto all = world().gather_all(mine);
  ASSERT_EQ(all.size(), world().size());
  for (const std::string& other : all) EXPECT_EQ(other, all[0]);
}

TEST(Ranks, AreThoseOfTheLauncher) {
  EXPECT_TRUE(launch().several);
  EXPECT_EQ(world().rank(), launch().rank);
  std::vector<std::uint64_t> seen(world().size());
  ASSERT_GE(seen.size(), 2u);
  seen[world().rank()] = 1;
  world().sum(std::span(seen));
  EXPECT_EQ(seen, std::vector<std::uint64_t>(seen.size(), 1));
}

TEST(Ranks, SumsHaveTheSameBitsOnAllAndEveryTime) {
  for (const std::size_t length : {1, 3, 1000, 100001}) {
    std::vector<double> first;
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::vector<double> values(length);
      for (std::size_t i = 0; i < length; ++i) values[i] = odd_number(world().rank(), i);
      world().sum(std::span(values));
      if (repeat == 0) first = values;
      EXPECT_EQ(values, first);
    }
    for (std::size_t i = 0; i < length; i += 97) {
      double wanted = 0;
      for (std::size_t r = 0; r < world().size(); ++r) wanted += odd_number(r, i);
      EXPECT_NEAR(first[i], wanted, 1e-14);
    }
    expect_same_on_all(bytes_of(first));
  }
}

TEST(Ranks, CountsAreSummedExactly) {
  std::uint64_t count = (std::uint64_t{1} << 60) + world().rank();
  world().sum(std::span(&count, 1));
  const std::uint64_t n = world().size();
  EXPECT_EQ(count, n * (std::uint64_t{1} << 60) + n * (n - 1) / 2);
}

TEST(Ranks, SumsInTheBackgroundEndWithTheSameBitsOnAll) {
  std::vector<std::vector<float>> buckets(5);
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    buckets[b].resize(b == 3 ? 0 : 20000 * b + 1);
    for (std::size_t i = 0; i < buckets[b].size(); ++i) {
      buckets[b][i] = static_cast<float>(odd_number(world().rank(), i + b));
    }
    world().start_sum(buckets[b]);
    world().progress();
  }
  world().finish_sums();
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    for (std::size_t i = 0; i < buckets[b].size(); i += 501) {
      double wanted = 0;
      for (std::size_t r = 0; r < world().size(); ++r) wanted += odd_number(r, i + b);
      EXPECT_NEAR(buckets[b][i], wanted, 1e-6);
    }
    expect_same_on_all(bytes_of(buckets[b]));
  }
  world().finish_sums();  // of none
}

TEST(Ranks, BroadcastGivesWhatRankZeroHas) {
  const auto rank = static_cast<double>(world().rank());
  std::vector<double> values{rank, rank + 1};
  world().broadcast(std::span(values));
  EXPECT_EQ(values, (std::vector<double>{0, 1}));
  std::string text = world().first() ? "from the first" : fmt::format("{}", rank);
  world().broadcast(text);
  EXPECT_EQ(text, "from the first");
}

TEST(Ranks, GatherKeepsTheOrderAndAnyLength) {
  const auto text_of = [](std::size_t r) { return std::string(r * r * 5, char('a' + r)) + '\0'; };
  std::vector<std::string> wanted;
  for (std::size_t r = 0; r < world().size(); ++r) wanted.push_back(text_of(r));
  const auto gathered = world().gather(text_of(world().rank()));
  EXPECT_EQ(gathered, world().first() ? wanted : std::vector<std::string>());
  EXPECT_EQ(world().gather_all(text_of(world().rank())), wanted);
}

TEST(Ranks, JoinsWhatEachHas) {
  const Share mine = share(10, world());
  std::vector<int> part(mine.size());
  std::iota(part.begin(), part.end(), static_cast<int>(mine.begin));
  EXPECT_EQ(world().join(part), (std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(world().join(world().first() ? std::vector{5} : std::vector<int>()), std::vector{5});
}

TEST(Ranks, DifferencesAreNamed) {
  EXPECT_NO_THROW(world().check_same("options", "seed 1\nframes 2"));
  const std::size_t last = world().size() - 1;
  const std::string mine = world().rank() == last ? "seed 1\nframes 3" : "seed 1\nframes 2";
  testing::expect_error(ErrorCode::usage,
                        fmt::format("rank {}: has other options: 'frames 3' where rank 0 has "
                                    "'frames 2'",
                                    last),
                        [&] { world().check_same("options", mine); });
  // One text goes on where the other ends.
  const std::string longer = world().rank() == last ? "seed 1\nmore" : "seed 1";
  testing::expect_error(ErrorCode::usage, "'more' where rank 0 has ''",
                        [&] { world().check_same("options", longer); });
}

}  // namespace
}  // namespace fgnn::cluster
