#include "fgnn/experiments/motion/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "fgnn/core/error.h"
#include "fgnn/experiments/motion/kinematics.h"

namespace fgnn::motion {

Form form_of(const std::string& text) {
  if (text == "angle") return Form::angle;
  if (text == "position") return Form::position;
  throw Error(ErrorCode::usage, "form", fmt::format("is '{}'", text), "give angle or position");
}

std::string name_of(Form form) { return form == Form::angle ? "angle" : "position"; }
const char* unit_of(Form form) { return form == Form::angle ? "rad" : "mm"; }

Body::Body(Layout layout, Form form) : layout_(std::move(layout)), form_(form) {
  find_limbs();
  for (std::size_t l = 0; l < limbs_.size(); ++l)
    limb_of_.resize(limb_of_.size() + limbs_[l].count, l);
  find_adjacent();
}

void Body::find_limbs() {
  if (form_ == Form::angle) {
    for (const std::size_t column : layout_.angle_columns) {
      const std::size_t joint = column / 3 - 1;
      if (limbs_.empty() || limbs_.back().joint != joint) limbs_.push_back({joint, nodes_, 0, 1});
      ++limbs_.back().count;
      ++nodes_;
    }
    return;
  }
  for (const std::size_t joint : layout_.joints) {
    limbs_.push_back({joint, nodes_, 3, 1});
    for (const Twin& t : layout_.twins) limbs_.back().weight += t.of == joint;
    nodes_ += 3;
  }
}

void Body::find_adjacent() {
  std::map<int, std::size_t> limb_of;
  for (std::size_t l = 0; l < limbs_.size(); ++l) limb_of[static_cast<int>(limbs_[l].joint)] = l;
  if (form_ == Form::position) {
    for (const Twin& t : layout_.twins) {
      limb_of[static_cast<int>(t.joint)] = limb_of.at(static_cast<int>(t.of));
    }
  }
  for (std::size_t l = 0; l < limbs_.size(); ++l) {
    int parent = layout_.skeleton.joints[limbs_[l].joint].parent;
    while (parent >= 0 && !limb_of.contains(parent)) {
      parent = layout_.skeleton.joints[static_cast<std::size_t>(parent)].parent;
    }
    if (parent >= 0) adjacent_.push_back({limb_of.at(parent), l});
  }
}

std::size_t Body::axis(std::size_t node) const {
  return form_ == Form::angle ? layout_.angle_columns[node] % 3 : node % 3;
}

std::vector<double> Body::values(std::span<const double> frame) const {
  std::vector<double> v;
  v.reserve(nodes_);
  if (form_ == Form::angle) {
    for (const std::size_t column : layout_.angle_columns) v.push_back(frame[column]);
    return v;
  }
  const auto places = joint_places(layout_.skeleton, frame);
  for (const std::size_t joint : layout_.joints) {
    v.insert(v.end(), places[joint].begin(), places[joint].end());
  }
  return v;
}

std::vector<double> Body::truth(std::span<const double> frame) const {
  if (form_ == Form::position) return values(frame);
  std::vector<double> t;
  for (const Limb& l : limbs_) {
    const double* r = frame.data() + 3 + 3 * l.joint;
    t.insert(t.end(), r, r + 3);
  }
  return t;
}

std::vector<double> Body::completed(std::span<const double> nodes,
                                    std::span<const double> frame) const {
  std::vector<double> all(frame.begin(), frame.end());
  for (std::size_t n = 0; n < nodes_; ++n) all[layout_.angle_columns[n]] = nodes[n];
  return all;
}

std::vector<Vector> Body::places(std::span<const double> nodes,
                                 std::span<const double> frame) const {
  if (form_ == Form::angle) return joint_places(layout_.skeleton, completed(nodes, frame));
  auto all = joint_places(layout_.skeleton, frame);
  for (const Limb& l : limbs_) {
    all[l.joint] = {nodes[l.first], nodes[l.first + 1], nodes[l.first + 2]};
  }
  for (const Twin& t : layout_.twins) all[t.joint] = all[t.of];
  return all;
}

double Body::error(std::span<const double> nodes, std::span<const double> truth) const {
  return form_ == Form::angle ? angle_error(nodes, truth) : position_error(nodes, truth);
}

double Body::angle_error(std::span<const double> nodes, std::span<const double> triples) const {
  double squares = 0;
  for (std::size_t l = 0; l < limbs_.size(); ++l) {
    const Vector truth{triples[3 * l], triples[3 * l + 1], triples[3 * l + 2]};
    Vector predicted = truth;
    for (std::size_t n = limbs_[l].first; n < limbs_[l].first + limbs_[l].count; ++n) {
      predicted[axis(n)] = nodes[n];
    }
    const Vector a = euler_of(rotation_of(predicted)), b = euler_of(rotation_of(truth));
    for (int k = 0; k < 3; ++k) squares += (a[k] - b[k]) * (a[k] - b[k]);
  }
  return std::sqrt(squares);
}

double Body::position_error(std::span<const double> nodes, std::span<const double> truth) const {
  double sum = 0;
  for (const Limb& l : limbs_) {
    const double *a = nodes.data() + l.first, *b = truth.data() + l.first;
    sum += l.weight * distance({a[0], a[1], a[2]}, {b[0], b[1], b[2]});
  }
  return sum / static_cast<double>(layout_.skeleton.size());
}

}  // namespace fgnn::motion
