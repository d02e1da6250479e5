// Transforms, rotations, kinematics and windows against hand-made values and readable twins.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "fgnn/core/random.h"
#include "fgnn/experiments/motion/dct.h"
#include "fgnn/experiments/motion/kinematics.h"
#include "fgnn/experiments/motion/layout.h"
#include "fgnn/experiments/motion/legacy_random.h"
#include "fgnn/experiments/motion/windows.h"
#include "tests/reference/expect_error.h"

namespace fgnn::motion {
namespace {

constexpr double kPi = std::numbers::pi;

void expect_near(const Vector& a, const Vector& b, double tolerance) {
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance) << "number " << k;
}

void expect_near(const Matrix& a, const Matrix& b, double tolerance) {
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(a[k], b[k], tolerance) << "number " << k;
}

Vector random_map(Rng& random, double angle) {
  const Vector v{random.normal(), random.normal(), random.normal()};
  const double scale = angle / length(v);
  return {v[0] * scale, v[1] * scale, v[2] * scale};
}

TEST(Dct, IsOrthonormalToTwelveDigits) {
  for (const std::size_t n : {1, 2, 20, 35}) {
    const Dct dct(n, n);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        double rows = 0, columns = 0;
        for (std::size_t i = 0; i < n; ++i) {
          rows += dct.at(a, i) * dct.at(b, i);
          columns += dct.at(i, a) * dct.at(i, b);
        }
        EXPECT_NEAR(rows, a == b, 1e-12);
        EXPECT_NEAR(columns, a == b, 1e-12);
      }
    }
  }
}

TEST(Dct, HasTheKnownFirstNumbersAndGivesBackWhatItTook) {
  const Dct dct(20, 20);
  EXPECT_NEAR(dct.at(1, 0), 0.315253, 5e-7);
  EXPECT_NEAR(dct.at(1, 1), 0.307490, 5e-7);
  EXPECT_NEAR(dct.at(1, 2), 0.292156, 5e-7);
  Rng random(1);
  std::vector<double> x(20), c(20), y(20);
  for (double& v : x) v = random.normal();
  dct.forwards(x, c);
  dct.backwards(c, y);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(x[i], y[i], 1e-12);
}

TEST(Dct, CutKeepsWhatIsSlow) {
  const Dct all(35, 35), cut(35, 5);
  std::vector<double> c(35), x(35), kept(5), y(35);
  c[0] = 3;
  c[4] = -1;
  all.backwards(c, x);
  cut.forwards(x, kept);
  cut.backwards(kept, y);
  for (std::size_t i = 0; i < 35; ++i) EXPECT_NEAR(x[i], y[i], 1e-12);
  testing::expect_error(ErrorCode::usage, "give 1 to 20", [] { Dct(20, 21); });
}

TEST(Rotation, OfAQuarterTurnIsKnown) {
  // Rows: x goes to v R, the first row of R.
  expect_near(rotation_of({0, 0, kPi / 2}), {0, -1, 0, 1, 0, 0, 0, 0, 1}, 1e-6);
  expect_near(row_times({1, 0, 0}, rotation_of({0, 0, kPi / 2})), {0, -1, 0}, 1e-6);
  expect_near(rotation_of({0, 0, 0}), kIdentity, 0);
  expect_near(turn_about(2, kPi / 2), {0, -1, 0, 1, 0, 0, 0, 0, 1}, 1e-15);
  expect_near(turn_about(0, 0.3), rotation_of({0.3, 0, 0}), 1e-6);
  expect_near(turn_about(1, -0.7), rotation_of({0, -0.7, 0}), 1e-6);
}

TEST(Rotation, AndExponentialMapAreInverse) {
  Rng random(2);
  for (const double angle : {0.0, 1e-9, 1e-4, 0.3, 1.5, 2.9, 3.1, kPi - 1e-4, kPi - 1e-7}) {
    for (int i = 0; i < 50; ++i) {
      const Vector r = random_map(random, angle);
      const Matrix m = rotation_of(r);
      const Vector back = exponential_map_of(m);
      EXPECT_NEAR(length(back), angle, 2e-5);
      expect_near(rotation_of(back), m, 1e-5);
      if (angle < kPi - 1e-6) expect_near(back, r, 1e-4);
    }
  }
  expect_near(exponential_map_of({-1, 0, 0, 0, -1, 0, 0, 0, 1}), {0, 0, kPi}, 1e-12);
  expect_near(exponential_map_of({-1, 0, 0, 0, 1, 0, 0, 0, -1}), {0, kPi, 0}, 1e-12);
}

TEST(Rotation, EulerAnglesMakeTheMatrixAgain) {
  // R = Rx(E1)^T … for rows: R = X Y Z with each the transpose of the turn of columns.
  Rng random(3);
  for (int i = 0; i < 200; ++i) {
    const Matrix m = rotation_of(random_map(random, random.uniform(0, 3)));
    const Vector e = euler_of(m);
    const Matrix again =
        transposed(product(turn_about(2, e[2]), product(turn_about(1, e[1]), turn_about(0, e[0]))));
    expect_near(again, m, 1e-6);
  }
}

TEST(Rotation, EulerAnglesAtThePolesAreTheProtocols) {
  // R02 = 1 and -1.
  expect_near(euler_of({0, 0, 1, 0, 1, 0, -1, 0, 0}), {std::atan2(0, 1), -kPi / 2, 0}, 0);
  expect_near(euler_of({0, 0, -1, 0, 1, 0, 1, 0, 0}), {std::atan2(0, -1), kPi / 2, 0}, 0);
}

// Plain recursion: where a joint is, from its own chain of parents.
struct Slow {
  const Skeleton& skeleton;
  std::span<const double> frame;

  Matrix turned(int joint) const {
    const Matrix own =
        rotation_of({frame[3 + 3 * joint], frame[4 + 3 * joint], frame[5 + 3 * joint]});
    const int parent = skeleton.joints[joint].parent;
    return parent > 0 ? product(own, turned(parent)) : own;
  }
  Vector place(int joint) const {
    const Vector offset = skeleton.joints[joint].offset;
    const int parent = skeleton.joints[joint].parent;
    if (parent <= 0) return offset;
    const Vector at = place(parent), bone = row_times(offset, turned(parent));
    return {at[0] + bone[0], at[1] + bone[1], at[2] + bone[2]};
  }
};

TEST(Kinematics, EqualTheirReadableTwin) {
  Rng random(4);
  for (const Layout* layout : {&cmu_layout(), &h36m_layout()}) {
    std::vector<double> frame(layout->skeleton.columns());
    for (double& v : frame) v = random.normal();
    const auto places = joint_places(layout->skeleton, frame);
    const Slow slow{layout->skeleton, frame};
    for (std::size_t j = 0; j < places.size(); ++j) {
      expect_near(places[j], slow.place(static_cast<int>(j)), 1e-9);
    }
  }
}

TEST(Kinematics, OfPosesDoneByHand) {
  Skeleton s;
  s.joints = {{-1, {0, 0, 0}, ""}, {0, {0, 100, 0}, ""}, {1, {50, 0, 0}, ""}, {2, {0, 0, 20}, ""}};
  std::vector<double> frame(s.columns());
  frame[0] = frame[4] = 7;  // translation and rotation of the root are left out
  const auto rest = joint_places(s, frame);
  expect_near(rest[1], {0, 100, 0}, 0);
  expect_near(rest[2], {50, 100, 0}, 0);
  expect_near(rest[3], {50, 100, 20}, 0);
  frame[8] = kPi / 2;  // joint 1 about z: its child's bone x becomes -y
  const auto bent = joint_places(s, frame);
  expect_near(bent[2], {0, 50, 0}, 1e-5);
  expect_near(bent[3], {0, 50, 20}, 1e-5);
  frame[9] = kPi / 2;  // joint 2 about x: its child's bone z becomes y, which joint 1 turns to x
  expect_near(joint_places(s, frame)[3], {20, 50, 0}, 1e-5);
}

TEST(Kinematics, OfTheWholeBodyMoveWithTheRoot) {
  const Skeleton& s = cmu_layout().skeleton;
  std::vector<double> frame(s.columns());
  Rng random(5);
  for (std::size_t c = 6; c < frame.size(); ++c) frame[c] = 0.3 * random.normal();
  const auto still = joint_places(s, frame);
  frame[0] = 2;
  frame[4] = 1;
  const auto moved = global_places(s, frame, 70);
  expect_near(moved[0], {140, 0, 0}, 0);
  for (std::size_t j = 1; j < s.size(); ++j) {
    EXPECT_NEAR(distance(moved[j], moved[5]), distance(still[j], still[5]), 1e-3);
  }
}

TEST(LegacyRandom, HasNumPysWords) {
  LegacyRandom random(1234567890);
  for (const std::uint32_t wanted :
       {2657703298u, 1462474751u, 2541004134u, 640082991u, 3816866956u}) {
    EXPECT_EQ(random.word(), wanted);
  }
}

TEST(Windows, OfCmuStartWhereTheFieldStartsThem) {
  const std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>> known{
      {289, {130, 102, 47, 140, 51, 33, 171, 105}},
      {1955, {1410, 1382, 1071, 1164, 1843, 1313, 939, 1129}},
      {2361, {1410, 2047, 1382, 1071, 1164, 1129, 316, 1422}},
      {1043, {386, 358, 47, 140, 819, 289, 939, 105}},
      {82, {2, 6, 4, 3, 1, 3, 1, 4}},
      {299, {130, 102, 47, 140, 51, 33, 171, 105}},
      {180, {2, 102, 47, 12, 51, 33, 43, 60}},
      {1377, {1071, 1164, 939, 1129, 316, 644, 288, 185}}};
  for (const auto& [length, starts] : known) {
    EXPECT_EQ(cmu_starts(length, 8, "a test"), starts) << length;
    const auto many = cmu_starts(length, 256, "a test");
    EXPECT_TRUE(std::equal(starts.begin(), starts.end(), many.begin()));
  }
  EXPECT_EQ(cmu_starts(76, 3, "a test"), (std::vector<std::uint32_t>{0, 0, 0}));
  testing::expect_error(ErrorCode::usage, "they need 76", [] { cmu_starts(75, 8, "short.txt"); });
}

TEST(Windows, OfH36mStartWhereTheFieldStartsThem) {
  struct Known {
    std::size_t first, second;
    std::vector<std::uint32_t> of_first, of_second;
  };
  const Known all[] = {{1500, 1261, {1087, 1145, 660, 201}, {955, 332, 304, 54}},
                       {1638, 1166, {1426, 1087, 1329, 1145}, {374, 156, 955, 332}},
                       {1601, 1711, {1426, 1087, 1329, 1145}, {1398, 1180, 955, 332}},
                       {737, 1600, {402, 63, 305, 121}, {1398, 1180, 955, 332}},
                       {1639, 1043, {1426, 1087, 1329, 332}, {374, 156, 121, 414}},
                       {1123, 943, {402, 63, 835, 955}, {374, 156, 305, 121}},
                       {1240, 1562, {1087, 955, 332, 304}, {1180, 1145, 660, 201}},
                       {1969, 1939, {1426, 1087, 1329, 1145}, {1398, 1180, 955, 332}},
                       {1663, 1391, {1426, 1180, 1145, 1438}, {1087, 955, 332, 660}},
                       {969, 1068, {402, 63, 305, 332}, {374, 156, 121, 414}},
                       {1508, 1492, {1087, 1329, 1145, 660}, {1180, 955, 332, 304}}};
  for (const Known& k : all) {
    const TwoTrials t = h36m_starts(k.first, k.second, 8, "a test");
    EXPECT_EQ(t.first, k.of_first) << k.first;
    EXPECT_EQ(t.second, k.of_second) << k.second;
  }
}

}  // namespace
}  // namespace fgnn::motion
