#include "fgnn/cluster/group.h"

#include <gtest/gtest.h>

#include "fgnn/cluster/launch.h"

namespace fgnn::cluster {
namespace {

class Seat : public Group {
 public:
  Seat(std::size_t rank, std::size_t size) : rank_(rank), size_(size) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

 private:
  std::size_t rank_, size_;
};

TEST(Share, CoversAllOnceWithPartsThatDifferByOneAtMost) {
  for (const std::uint64_t count : {0, 1, 5, 6, 7, 1000}) {
    for (const std::size_t size : {1, 2, 3, 7}) {
      std::uint64_t next = 0;
      for (std::size_t rank = 0; rank < size; ++rank) {
        const Share mine = share(count, Seat(rank, size));
        EXPECT_EQ(mine.begin, next);
        EXPECT_GE(mine.size(), count / size);
        EXPECT_LE(mine.size(), count / size + 1);
        next = mine.end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(Alone, KeepsWhatItHas) {
  Group& one = alone();
  EXPECT_TRUE(one.first());
  double value = 2;
  one.sum(std::span(&value, 1));
  EXPECT_EQ(value, 2);
  EXPECT_EQ(one.gather("a"), std::vector<std::string>{"a"});
  EXPECT_EQ(one.gather_all("b"), std::vector<std::string>{"b"});
  EXPECT_EQ(one.join(std::vector{1, 2}), (std::vector{1, 2}));
  std::string text = "c";
  one.broadcast(text);
  EXPECT_EQ(text, "c");
  EXPECT_NO_THROW(one.check_same("options", "anything"));
}

TEST(World, IsAGroupOfOneWithoutALauncher) {
  ASSERT_FALSE(launch().several) << "the tests themselves were started by mpirun or srun";
  EXPECT_EQ(&world(), &alone());
}

}  // namespace
}  // namespace fgnn::cluster
