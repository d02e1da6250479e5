#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "fgnn/experiments/motion/bvh.h"
#include "fgnn/experiments/motion/capture.h"
#include "fgnn/experiments/motion/kinematics.h"
#include "fgnn/io/read_text.h"
#include "tests/experiments/motion/small_corpus.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::motion {
namespace {

using testing::expect_error;
using testing::made_up_motion;
using testing::Scratch;

std::string line_of(std::size_t columns, const std::string& last = "0.5") {
  std::string line;
  for (std::size_t c = 1; c < columns; ++c) line += "0,";
  return line + last + "\n";
}

TEST(Frames, AreReadWithOrWithoutNames) {
  const auto one = parse_frames(line_of(99, "-0") + line_of(99, "1e-3"), "S5/walking_1.txt");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].name, "walking_1");
  EXPECT_EQ(one[0].size(), 2u);
  EXPECT_EQ(one[0][1][98], 1e-3);
  const auto two = parse_frames(
      "# run 3\n" + line_of(117) + line_of(117) + line_of(117) + "# long walk 1\r\n" + line_of(117),
      "train.txt", 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].name, "run");
  EXPECT_EQ(two[0].size(), 2u);  // frames 0 and 2
  EXPECT_EQ(two[1].name, "long walk");
  EXPECT_EQ(two[1].size(), 1u);
}

TEST(Frames, AreRefusedWithThePlace) {
  const std::pair<std::string, std::string> wrong[] = {
      {"", "x.txt:1:1: the file has no frames"},
      {line_of(98), "x.txt:1: has 98 columns"},
      {line_of(99) + line_of(98), "x.txt:2:198: the frame ends after 98 of 99 columns"},
      {line_of(99) + line_of(100), "x.txt:2:199: more than 99 columns"},
      {line_of(99, "nan"), "x.txt:1:197: expected a number, found 'nan'"},
      {line_of(99, "inf"), "x.txt:1:197: expected a number"},
      {line_of(99, ""), "x.txt:1:197: expected a number, found ''"},
      {line_of(99, "1e9"), "x.txt:1:197: expected a number"},
      {line_of(99, "1.2.3"), "x.txt:1:197: expected a number"},
      {"# walk\n" + line_of(99), "x.txt:1:1: expected # NAME FRAMES"},
      {"# walk 0\n" + line_of(99), "x.txt:1:1: expected # NAME FRAMES"},
      {"# walk 2\n" + line_of(99), "'walk' ends after 1 frames of 2"},
      {"# walk 1\n" + line_of(99) + line_of(99), "x.txt:3:1: more than the 1 frames announced"},
      {line_of(99) + "# walk 1\n" + line_of(99), "x.txt:2:1: a sequence begins behind frames"}};
  for (const auto& [text, message] : wrong) {
    expect_error(ErrorCode::format, message, [&text = text] { parse_frames(text, "x.txt"); });
  }
}

TEST(Frames, ComeBackFromTheirText) {
  const Frames f = made_up_motion(cmu_layout(), 7, 1);
  const auto back = parse_frames(frames_text(f), "x.txt");
  ASSERT_EQ(back[0].size(), 7u);
  for (std::size_t i = 0; i < f.numbers.size(); ++i) {
    EXPECT_NEAR(back[0].numbers[i], f.numbers[i], 1e-8);
  }
}

TEST(Skeleton, IsRefusedWithThePlace) {
  const std::string root = "0\t-1\t0\t0\t0\t3-5\n";
  EXPECT_EQ(parse_skeleton("# a remark\n" + root + "1\t0\t1\t-2\t3\t6-8\n", "s").size(), 2u);
  const std::pair<std::string, std::string> wrong[] = {
      {"", "the file has no joints"},
      {"0\t0\t0\t0\t0\t3-5\n", "joint 0 is the root"},
      {root + "1\t-1\t0\t0\t0\t6-8\n", "s:2:3: a second root"},
      {root + "1\t1\t0\t0\t0\t6-8\n", "s:2:3: a parent must come before its child"},
      {root + "2\t0\t0\t0\t0\t6-8\n", "s:2:1: expected joint 1"},
      {root + "1\t0\t0\tx\t0\t6-8\n", "s:2:7: expected an offset"},
      {root + "1\t0\t0\t0\t0\t3-5\n", "joint 1 has columns 6-8"},
      {root + "1\t0\t0\t0\t0\n", "s:2"}};
  for (const auto& [text, message] : wrong) {
    expect_error(ErrorCode::format, message, [&text = text] { parse_skeleton(text, "s"); });
  }
}

const char* const kSmall = R"(HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Leg
  {
    OFFSET 0 -10 0
    CHANNELS 3 Xrotation Zrotation Yrotation
    End Site
    {
      OFFSET 0 -5 2
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0083333
1 2 3 0 0 0 0 0 0
4 5 6 10 20 30 90 0 0
)";

TEST(Bvh, IsReadAndWritten) {
  const Bvh b = parse_bvh(kSmall, "small.bvh");
  EXPECT_EQ(b.skeleton.size(), 3u);
  EXPECT_EQ(b.skeleton.joints[1].name, "Leg");
  EXPECT_EQ(b.skeleton.joints[2].parent, 1);
  EXPECT_EQ(b.frames, 2u);
  EXPECT_EQ(b.channel_count(), 9u);
  EXPECT_EQ(b.numbers[9], 4);
  const Bvh again = parse_bvh(bvh_text(b), "again.bvh");
  EXPECT_EQ(again.numbers, b.numbers);
  EXPECT_EQ(again.channels, b.channels);
  EXPECT_TRUE(again.skeleton.same_tree(b.skeleton));
}

TEST(Bvh, TurnsAsTheFormatSays) {
  const Bvh b = parse_bvh(kSmall, "small.bvh");
  const Frames f = exponential_maps(b, 1);
  // The leg turns by 90 degrees about x: for columns -y becomes -z, z becomes -y.
  const auto still = joint_places(b.skeleton, f[1]);
  EXPECT_NEAR(still[2][0], 0, 1e-5);
  EXPECT_NEAR(still[2][1], -10 - 2, 1e-5);
  EXPECT_NEAR(still[2][2], -5, 1e-5);
  // The whole body, by hand: p = t + G (offset + L end), G = Rz(10) Ry(20) Rx(30).
  const auto degrees = [](double d) { return d * std::numbers::pi / 180; };
  const Matrix g = product(product(turn_about(2, degrees(10)), turn_about(1, degrees(20))),
                           turn_about(0, degrees(30)));
  const Vector end = row_times({0, -12, -5}, transposed(g));
  const auto moved = global_places(b.skeleton, f[1], 1);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(moved[2][k], end[k] + 4 + k, 1e-5);
}

TEST(Bvh, ComesBackFromExponentialMapsInEveryOrderOfAxes) {
  using enum Channel;
  Rng random(3);
  const Channel order[][3] = {
      {x_rotation, y_rotation, z_rotation}, {x_rotation, z_rotation, y_rotation},
      {y_rotation, x_rotation, z_rotation}, {y_rotation, z_rotation, x_rotation},
      {z_rotation, x_rotation, y_rotation}, {z_rotation, y_rotation, x_rotation}};
  for (const auto& axes : order) {
    Bvh b = bvh_like(cmu_layout().skeleton);
    for (auto& c : b.channels) {
      if (c.size() >= 3) std::copy(axes, axes + 3, c.end() - 3);
    }
    b.frames = 20;
    b.frame_seconds = 0.01;
    for (std::size_t i = 0; i < b.frames * b.channel_count(); ++i) {
      b.numbers.push_back(random.uniform(-80, 80));
    }
    const Frames maps = exponential_maps(b, 1);
    const Bvh back = bvh_of(maps, b, 0.01);
    ASSERT_EQ(back.numbers.size(), b.numbers.size());
    for (std::size_t i = 0; i < b.numbers.size(); ++i) {
      EXPECT_NEAR(back.numbers[i], b.numbers[i], 1e-4);
    }
  }
}

TEST(Bvh, IsRefusedWithThePlace) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kSmall;
    return text.replace(text.find(from), from.size(), to);
  };
  const std::pair<std::string, std::string> wrong[] = {
      {"ROOT", "b.bvh:1:1: expected"},
      {with("Zrotation", "Wrotation"), "'Wrotation' is not a channel"},
      {with("Xrotation Zrotation", "Xrotation Xrotation"), "Xrotation is there twice"},
      {with("CHANNELS 3 Xrotation", "CHANNELS 3 Xposition"), "only the root may move"},
      {with("CHANNELS 6", "CHANNELS 7"), "a number of channels"},
      {with("OFFSET 0 -10 0", "OFFSET 0 -10"), "expected an offset"},
      {with("0.0083333", "0"), "a frame must last more than 0"},
      {with("Frames: 2", "Frames: 3"), "expected a channel's value"},
      {with("Frames: 2", "Frames: 1"), "b.bvh:20:1"},
      {with("90 0 0", "90 0 x"), "b.bvh:20:21"},
      {with("End Site", "Site"), "expected '}'"}};
  for (const auto& [text, message] : wrong) {
    expect_error(ErrorCode::format, message, [&text = text] { parse_bvh(text, "b.bvh"); });
  }
}

TEST(Capture, IsTheSameFromTextAndFromBvh) {
  const Scratch scratch;
  const auto text = scratch.path() / "walk.txt", bvh = scratch.path() / "walk.bvh";
  const Frames f = made_up_motion(cmu_layout(), 40, 5);
  testing::write_motion(text, f);
  const Capture a = read_capture(text, 1);
  EXPECT_EQ(a.layout, &cmu_layout());
  write_capture(bvh, a, a.frames);
  const Capture b = read_capture(bvh, 0);
  EXPECT_EQ(b.layout, &cmu_layout());
  EXPECT_EQ(b.every, 2u);  // 120 per second
  EXPECT_NEAR(b.frame_seconds, 1.0 / 60, 1e-6);
  ASSERT_EQ(b.frames.size(), 20u);
  for (std::size_t t = 0; t < 20; ++t) {
    const auto there = joint_places(cmu_layout().skeleton, a.frames[2 * t]);
    const auto here = joint_places(cmu_layout().skeleton, b.frames[t]);
    for (std::size_t j = 0; j < here.size(); ++j) EXPECT_LT(distance(here[j], there[j]), 0.01);
    EXPECT_EQ(b.frames[t][0], a.frames[2 * t][0]);
  }
  expect_error(ErrorCode::format, "is not one that networks know", [&] {
    std::ofstream(bvh) << kSmall;
    read_capture(bvh, 0);
  });
  expect_error(ErrorCode::usage, "written as .bvh or .txt", [] { check_capture_name("x.csv"); });
}

TEST(Corpus, ReadsBothLayouts) {
  const Scratch scratch;
  testing::write_h36m(scratch.path() / "h36m", 400);
  const Corpus h(scratch.path() / "h36m");
  EXPECT_EQ(h.layout().name, "h36m");
  EXPECT_TRUE(h.has(Split::validation));
  const auto test = h.read(Split::test, 2);
  ASSERT_EQ(test.size(), 30u);
  EXPECT_EQ(test[3].action, "eating");
  EXPECT_EQ(test[3].frames.size(), 200u);

  testing::write_cmu(scratch.path() / "cmu", 161);
  const Corpus c(scratch.path() / "cmu");
  EXPECT_EQ(c.layout().name, "cmu");
  EXPECT_FALSE(c.has(Split::validation));
  EXPECT_EQ(c.read(Split::train, 1).size(), 8u);
  EXPECT_EQ(c.read(Split::train, 1)[0].frames.size(), 81u);

  // A file of the other layout, and a folder of nothing.
  testing::write_motion(scratch.path() / "cmu/train/soccer/soccer_2.txt",
                        made_up_motion(h36m_layout(), 4, 1));
  expect_error(ErrorCode::format, "has 99 columns where this data set has 117",
               [&] { Corpus(scratch.path() / "cmu").read(Split::train, 1); });
  std::filesystem::create_directories(scratch.path() / "empty");
  expect_error(ErrorCode::format, "holds no motions", [&] { Corpus(scratch.path() / "empty"); });
  expect_error(ErrorCode::io, "is not a folder", [&] { Corpus(scratch.path() / "nowhere"); });
}

}  // namespace
}  // namespace fgnn::motion
