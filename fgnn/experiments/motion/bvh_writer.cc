#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "fgnn/core/error.h"
#include "fgnn/experiments/motion/bvh.h"

namespace fgnn::motion {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr const char* kNames[] = {"Xposition", "Yposition", "Zposition",
                                  "Xrotation", "Yrotation", "Zrotation"};

bool is_position(Channel c) { return c < Channel::x_rotation; }
int axis_of(Channel c) { return static_cast<int>(c) % 3; }

// Angles e with T_a(e0) T_b(e1) T_c(e2) = m, for three different axes; degrees.
Vector angles_about(const Matrix& m, int a, int b, int c) {
  // Written for axes in turn (x y z and its rotations); the other order mirrors the signs.
  const double sign = (b - a + 3) % 3 == 1 ? 1 : -1;
  const double middle = std::asin(std::clamp(sign * m[3 * a + c], -1.0, 1.0));
  Vector e{0, middle, 0};
  if (std::abs(m[3 * a + c]) < 1 - 1e-12) {
    e[0] = std::atan2(-sign * m[3 * b + c], m[3 * c + c]);
    e[2] = std::atan2(-sign * m[3 * a + b], m[3 * a + a]);
  } else {
    e[0] = std::atan2(sign * m[3 * c + b], m[3 * b + b]);  // both turn about one line: one does
  }
  for (double& v : e) v /= kDegree;
  return e;
}

void write_joint(const Bvh& bvh, const std::vector<std::vector<std::size_t>>& children,
                 std::size_t j, std::size_t depth, std::string& text) {
  const Joint& joint = bvh.skeleton.joints[j];
  const std::string in(2 * depth, ' ');
  const auto out = std::back_inserter(text);
  const bool end = bvh.channels[j].empty() && joint.name.empty();
  fmt::format_to(out, "{}{}\n{}{{\n", in,
                 end ? "End Site" : (j == 0 ? "ROOT " : "JOINT ") + joint.name, in);
  fmt::format_to(out, "{}  OFFSET {:.9g} {:.9g} {:.9g}\n", in, joint.offset[0], joint.offset[1],
                 joint.offset[2]);
  if (!end) {
    fmt::format_to(out, "{}  CHANNELS {}", in, bvh.channels[j].size());
    for (const Channel c : bvh.channels[j]) {
      fmt::format_to(out, " {}", kNames[static_cast<int>(c)]);
    }
    text += '\n';
  }
  for (const std::size_t child : children[j]) write_joint(bvh, children, child, depth + 1, text);
  text += in + "}\n";
}

}  // namespace

std::string bvh_text(const Bvh& bvh) {
  std::vector<std::vector<std::size_t>> children(bvh.skeleton.size());
  for (std::size_t j = 1; j < bvh.skeleton.size(); ++j) {
    children[static_cast<std::size_t>(bvh.skeleton.joints[j].parent)].push_back(j);
  }
  std::string text = "HIERARCHY\n";
  write_joint(bvh, children, 0, 0, text);
  fmt::format_to(std::back_inserter(text), "MOTION\nFrames: {}\nFrame Time: {:.7g}\n", bvh.frames,
                 bvh.frame_seconds);
  const std::size_t each = bvh.channel_count();
  for (std::size_t i = 0; i < bvh.numbers.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{:.9g}{}", bvh.numbers[i],
                   (i + 1) % each == 0 ? '\n' : ' ');
  }
  return text;
}

Frames exponential_maps(const Bvh& bvh, std::size_t every) {
  Frames frames{"", bvh.skeleton.columns(), {}};
  const std::size_t each = bvh.channel_count();
  for (std::size_t f = 0; f < bvh.frames; f += every) {
    std::vector<double> row(frames.columns);
    const double* value = bvh.numbers.data() + f * each;
    for (std::size_t j = 0; j < bvh.skeleton.size(); ++j) {
      Matrix turn = kIdentity;
      for (const Channel c : bvh.channels[j]) {
        if (is_position(c)) {
          row[static_cast<std::size_t>(axis_of(c))] = *value++;
        } else {
          turn = product(turn, turn_about(axis_of(c), *value++ * kDegree));
        }
      }
      const Vector r = exponential_map_of(transposed(turn));
      std::ranges::copy(r, row.begin() + static_cast<std::ptrdiff_t>(3 + 3 * j));
    }
    frames.add(row);
  }
  return frames;
}

Bvh bvh_of(const Frames& frames, const Bvh& like, double frame_seconds) {
  Bvh bvh = like;
  bvh.frame_seconds = frame_seconds;
  bvh.frames = frames.size();
  bvh.numbers.clear();
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const auto row = frames[f];
    for (std::size_t j = 0; j < bvh.skeleton.size(); ++j) {
      std::vector<int> axes;
      for (const Channel c : bvh.channels[j]) {
        if (!is_position(c)) axes.push_back(axis_of(c));
      }
      if (!axes.empty() && axes.size() != 3) {
        throw Error(ErrorCode::unsupported, bvh.skeleton.joints[j].name,
                    "has one or two channels of rotation",
                    "joints with three can be written, or none");
      }
      const double* r = row.data() + 3 + 3 * j;
      Vector e{};
      if (!axes.empty()) {
        const Matrix turn = transposed(rotation_of({r[0], r[1], r[2]}));
        e = angles_about(turn, axes[0], axes[1], axes[2]);
      }
      std::size_t turned = 0;
      for (const Channel c : bvh.channels[j]) {
        bvh.numbers.push_back(is_position(c) ? row[static_cast<std::size_t>(axis_of(c))]
                                             : e[turned++]);
      }
    }
  }
  return bvh;
}

Bvh bvh_like(const Skeleton& skeleton) {
  using enum Channel;
  Bvh bvh;
  bvh.skeleton = skeleton;
  std::vector<bool> has_child(skeleton.size());
  for (const Joint& j : skeleton.joints) {
    if (j.parent >= 0) has_child[static_cast<std::size_t>(j.parent)] = true;
  }
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    auto& channels = bvh.channels.emplace_back();
    if (j == 0) channels = {x_position, y_position, z_position};
    if (has_child[j]) {
      channels.insert(channels.end(), {z_rotation, y_rotation, x_rotation});
    } else {
      bvh.skeleton.joints[j].name.clear();
    }
  }
  return bvh;
}

}  // namespace fgnn::motion
