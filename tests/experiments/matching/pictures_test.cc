// Pictures, points on them, their descriptions, and drawings.
#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/experiments/matching/drawing.h"
#include "fgnn/experiments/matching/picture_pairs.h"
#include "fgnn/experiments/matching/point_list.h"
#include "fgnn/experiments/matching/vgg.h"
#include "tests/reference/data_folder.h"
#include "tests/reference/expect_error.h"

namespace fgnn::matching {
namespace {

using testing::data_folder;
using testing::expect_error;

TEST(PointList, IsATableOfNamesAndPixels) {
  const auto list = parse_point_list("name\tx\ty\nnose\t1.5\t2\near\t3\t4\n", "f");
  EXPECT_EQ(list.names, (std::vector<std::string>{"nose", "ear"}));
  EXPECT_EQ(list.pixels[0], (Point{1.5, 2}));
  const auto refused = [](const std::string& text, const std::string& what) {
    expect_error(ErrorCode::format, what, [&] { parse_point_list("name\tx\ty\n" + text, "f"); });
  };
  refused("nose\t1\t2\n", "f: has 1 points; matching needs two or more");
  refused("nose\t1\t2\nnose\t1\t3\n", "f:3:1: expected every name once");
  refused("nose\t1\tx\n", "f:2:8: expected a pixel, found 'x'");
  refused("nose\t1\n", "f:2:1: has 2 fields, not 3");
}

TEST(Drawing, LinesAreColouredByWhatIsKnown) {
  const DrawnSide side{{{{-1, -1}, {1, 1}}, {}, {"a<b", "c"}}, "cap", ""};
  const Matching m{{1, 0}, {0.5, 1}};
  const auto count = [](const std::string& text, const std::string& what) {
    std::size_t n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
  };
  const auto unknown = drawing(side, side, m, {});
  EXPECT_EQ(count(unknown, "<line"), 2u);
  EXPECT_EQ(count(unknown, "#1f5fd0"), 2u);
  EXPECT_EQ(count(unknown, "a&lt;b"), 2u);
  const auto known = drawing(side, side, m, std::vector<std::int32_t>{1, 1});
  EXPECT_EQ(count(known, "#12a012"), 1u);
  EXPECT_EQ(count(known, "#d01212"), 1u);
  const auto alone = drawing(side, side, {{kNobody, 0}, {1, 1}}, {});
  EXPECT_EQ(count(alone, "<line"), 1u);
}

// The features of the data folder were made by another program, in lower precision.
TEST(Vgg, DescribesAsTheDataFolderDoes) {
  FGNN_SKIP_WITHOUT_DATA("voc");
  const auto folder = data_folder() / "voc";
  const KeypointData data(folder);
  const Vgg19 vgg(folder / "vgg19.safetensors");
  const auto pairs = picture_pairs(folder, data);
  ASSERT_EQ(pairs.size(), 12u);
  for (const std::size_t i : {std::size_t{0}, std::size_t{7}}) {
    const auto picture = read_rgb_picture(pairs[i].first_picture);
    EXPECT_EQ(picture.width, 256u);
    const auto& set = pairs[i].points.first;
    const auto rows = vgg.describe(picture, {0, 0, 256, 256}, set.at, 1);
    ASSERT_EQ(rows.size(), set.features.size());
    double mean = 0;
    for (std::size_t k = 0; k < set.size(); ++k) {
      double ab = 0, aa = 0, bb = 0;
      for (std::size_t c = 0; c < Vgg19::kWidth; ++c) {
        const double a = rows[k * Vgg19::kWidth + c], b = set.features[k * Vgg19::kWidth + c];
        ab += a * b, aa += a * a, bb += b * b;
      }
      EXPECT_GT(ab / std::sqrt(aa * bb), 0.95) << pairs[i].first_name << ", " << set.names[k];
      mean += ab / std::sqrt(aa * bb) / static_cast<double>(set.size());
    }
    EXPECT_GT(mean, 0.99) << pairs[i].first_name;
  }
}

TEST(Vgg, RefusesOtherFiles) {
  FGNN_SKIP_WITHOUT_DATA("voc");
  expect_error(ErrorCode::format, "block1_conv1.weight",
               [] { Vgg19(data_folder() / "voc" / "features.safetensors"); });
}

}  // namespace
}  // namespace fgnn::matching
