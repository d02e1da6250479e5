// Tables of keypoints, tracks, and the folder with features.
#include <gtest/gtest.h>

#include <fstream>

#include "fgnn/experiments/matching/keypoint_data.h"
#include "fgnn/experiments/matching/tracks.h"
#include "fgnn/io/safetensors.h"
#include "tests/reference/data_folder.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::matching {
namespace {

using testing::data_folder;
using testing::expect_error;

const std::string kHeader =
    "class\tsplit\timage\tobject\txmin\tymin\twidth\theight\trow\tcount\tkeypoints\n";
const std::string kTwo =
    "cat\ttrain\tc1\t1\t10\t20\t100\t50\t0\t2\tNose:30:40;Tail:100:60\n"
    "dog\ttest\td\t2\t0\t0\t64\t64\t2\t1\tNose:32:16\n";

TEST(Keypoints, ObjectsHaveTheirPlaceInTheBox) {
  const auto table = parse_keypoints(kHeader + kTwo, "f");
  ASSERT_EQ(table.objects.size(), 2u);
  EXPECT_EQ(table.rows, 3u);
  EXPECT_EQ(table.classes, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(table.names, (std::vector<std::string>{"Nose", "Tail"}));
  EXPECT_FALSE(table.objects[0].test);
  EXPECT_TRUE(table.objects[1].test);
  EXPECT_DOUBLE_EQ(table.objects[0].in_box(0).x, -0.6);
  EXPECT_NEAR(table.objects[0].in_box(0).y, -0.2, 1e-15);
  EXPECT_EQ(table.objects[1].in_box(0), (Point{0, -0.5}));
  EXPECT_EQ(table.find("c1"), 0u);
  EXPECT_EQ(table.find("d:2"), 1u);
  EXPECT_EQ(parse_keypoints(table.text(), "f"), table);
  expect_error(ErrorCode::usage, "d:1: is not an object", [&] { table.find("d:1"); });
}

TEST(Keypoints, MalformedTablesAreRefusedAtTheirPlace) {
  const auto refused = [](const std::string& text, const std::string& what) {
    expect_error(ErrorCode::format, what, [&] { parse_keypoints(text, "f"); });
  };
  const auto line = [](const std::string& box, const std::string& rest) {
    return kHeader + "cat\ttrain\tc1\t1\t" + box + "\t" + rest + "\n";
  };
  refused("", "f:1:1: is empty");
  refused("class\n", "f:1:1: the header line");
  refused(kHeader + "cat\ttrain\n", "f:2:1: has 2 fields, not 11");
  refused(kHeader + "cat\tvalid\tc\t1\t0\t0\t1\t1\t0\t0\t\n", "f:2:5: expected train or test");
  refused(line("0\t0\t0\t1", "0\t0\t"), "expected a width above 0");
  refused(line("0\t0\tnan\t1", "0\t0\t"), "expected a width, found 'nan'");
  refused(line("0\t0\t1\t1", "5\t0\t"), "is 5, but 0 keypoints come before");
  refused(line("0\t0\t1\t1", "0\t1\t"), "expected a keypoint name:x:y");
  refused(line("0\t0\t1\t1", "0\t2\ta:1:2"), "has 1 keypoints, not 2");
  refused(line("0\t0\t1\t1", "0\t1\ta:1:2;b:1:2"), "has more than 1 keypoints");
  refused(line("0\t0\t1\t1", "0\t2\ta:1:2;a:1:2"), "expected every name once");
  refused(line("0\t0\t1\t1", "0\t1\ta:1:x"), "expected a pixel, found 'x'");
  refused(line("0\t0\t1\t1", "0\t1\ta:1"), "expected a keypoint name:x:y, found 'a:1'");
}

TEST(Tracks, FramesHoldTheirPointsInOrder) {
  const auto frames =
      parse_tracks("frame\tpoint\tx\ty\n0\t0\t1\t2\n0\t1\t3\t4\n1\t0\t5\t6\n1\t1\t7\t8.5\n", "f");
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[1][1], (Point{7, 8.5}));
  const auto refused = [](const std::string& text, const std::string& what) {
    expect_error(ErrorCode::format, what,
                 [&] { parse_tracks("frame\tpoint\tx\ty\n" + text, "f"); });
  };
  refused("1\t0\t1\t2\n", "f:2:1: frames are not in order");
  refused("0\t1\t1\t2\n", "f:2:3: points are not in order");
  refused("0\t0\t1\t2\n0\t1\t1\t2\n1\t0\t1\t2\n", "f: frame 1: has 1 points, the first has 2");
  refused("0\t0\t1\n", "f:2:1: has 3 fields, not 4");
}

TEST(KeypointData, FeaturesAreBytesWithAScale) {
  const testing::Scratch folder;
  std::ofstream(folder.path() / "keypoints.tsv") << kHeader + kTwo;
  TensorFile tensors;
  const std::vector<std::uint8_t> bytes{0, 1, 2, 3, 4, 255};
  const std::vector<float> scale{1, 0.5f};
  tensors.add("features", {3, 2}, bytes);
  tensors.add("scale", {2}, scale);
  write_safetensors(folder.path() / "features.safetensors", tensors);
  const KeypointData data(folder.path());
  EXPECT_EQ(data.feature_width(), 2u);
  EXPECT_EQ(data.points(data.objects()[0]).features, (std::vector<float>{0, 0.5f, 4, 4.5f}));
  const auto last = data.points(data.objects()[1], {0});
  EXPECT_EQ(last.features, (std::vector<float>{16, 32512.5f}));
  EXPECT_EQ(last.names, (std::vector<std::string>{"Nose"}));

  TensorFile wrong;
  wrong.add("features", {2, 2}, std::vector<std::uint8_t>(4));
  wrong.add("scale", {2}, scale);
  write_safetensors(folder.path() / "features.safetensors", wrong);
  expect_error(ErrorCode::format, "features are not bytes of 3 x 2",
               [&] { KeypointData(folder.path()); });
  expect_error(ErrorCode::io, "has no keypoints.tsv.xz",
               [&] { KeypointData(folder.path() / "none"); });
}

TEST(KeypointData, TheRealFolderHasTheStandardSplit) {
  FGNN_SKIP_WITHOUT_DATA("voc");
  const KeypointData data(data_folder() / "voc");
  EXPECT_EQ(data.table().classes.size(), 20u);
  EXPECT_EQ(data.table().rows, 78055u);
  EXPECT_EQ(data.feature_width(), 1024u);
  EXPECT_EQ(std::ranges::count_if(data.objects(), &KeypointObject::test), 1682);
  EXPECT_EQ(data.objects().size(), 7020u + 1682u);
  for (const auto& object : data.objects()) {
    for (std::size_t k = 0; k < object.names.size(); ++k) {
      EXPECT_LE(std::abs(object.in_box(k).x), 1.0001);
      EXPECT_LE(std::abs(object.in_box(k).y), 1.0001);
    }
  }
  EXPECT_EQ(read_tracks(data_folder() / "voc" / "cmu_house.tsv").size(), 111u);
  EXPECT_EQ(read_tracks(data_folder() / "voc" / "cmu_hotel.tsv")[100].size(), 30u);
}

}  // namespace
}  // namespace fgnn::matching
