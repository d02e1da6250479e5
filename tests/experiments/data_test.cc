#include "fgnn/experiments/data.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/reference/environment.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::experiments {
namespace {

using testing::EnvironmentVariable, testing::expect_error;

const DataSource kSource{"the file of numbers", "numbers/n.txt", "a book has them"};

TEST(FindData, TakesWhatWasGivenBeforeTheFolderOfAll) {
  const testing::Scratch scratch;
  std::filesystem::create_directories(scratch.path() / "numbers");
  const auto own = scratch.path() / "own.txt", usual = scratch.path() / "numbers/n.txt";
  std::ofstream(own) << "1";
  std::ofstream(usual) << "2";
  const EnvironmentVariable data("FGNN_DATA", scratch.path().string());
  EXPECT_EQ(find_data(kSource, own.string(), "count"), own.string());
  EXPECT_EQ(find_data(kSource, "", "count"), usual.string());
}

TEST(FindData, SaysWhatIsWantedAndWhereToGetIt) {
  {
    const EnvironmentVariable none("FGNN_DATA", std::nullopt);
    expect_error(ErrorCode::usage,
                 "count: has no data; name the file of numbers with --data, or set FGNN_DATA to "
                 "the folder that holds numbers/n.txt; a book has them",
                 [] { find_data(kSource, "", "count"); });
  }
  const testing::Scratch scratch;
  const EnvironmentVariable empty("FGNN_DATA", scratch.path().string());
  expect_error(ErrorCode::io, "is not there, where count looks for the file of numbers; a book",
               [] { find_data(kSource, "", "count"); });
  expect_error(ErrorCode::io, "x.txt: is not there", [] { find_data(kSource, "x.txt", "count"); });
}

TEST(UsualData, IsNoneWhereNothingIs) {
  const testing::Scratch scratch;
  {
    const EnvironmentVariable none("FGNN_DATA", std::nullopt);
    EXPECT_EQ(usual_data(kSource), "");
  }
  const EnvironmentVariable data("FGNN_DATA", scratch.path().string());
  EXPECT_EQ(usual_data(kSource), "");
  std::filesystem::create_directories(scratch.path() / kSource.place);
  EXPECT_EQ(usual_data(kSource), (scratch.path() / kSource.place).string());
}

}  // namespace
}  // namespace fgnn::experiments
