// What a network sees of a frame: one number per node, in one of two forms.
//
//   angle      used columns of the exponential maps (64 of CMU's, 48 of H3.6M's), radian
//   position   coordinates of used joints by forward kinematics (75 and 66), mm
//
// Errors at one frame, as the field defines them. What is not predicted comes from the truth:
//   angle      | Euler angles of all joints, predicted minus true |, no wrapping, without the root
//   position   mean over all joints of the distance, twins with their twin's (MPJPE, mm)
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "fgnn/experiments/motion/layout.h"

namespace fgnn::motion {

enum class Form { angle, position };
// By their names in settings; throws Error(usage) about "form".
Form form_of(const std::string& text);
std::string name_of(Form form);
const char* unit_of(Form form);

// A joint with at least one node: its nodes are `first` … `first + count - 1`.
struct Limb {
  std::size_t joint = 0, first = 0, count = 0;
  double weight = 1;  // of positions: the joint itself and the twins that follow it
};

class Body {
 public:
  Body(Layout layout, Form form);

  const Layout& layout() const { return layout_; }
  Form form() const { return form_; }
  std::size_t nodes() const { return nodes_; }
  const std::vector<Limb>& limbs() const { return limbs_; }  // by joint, ascending
  // Two limbs each, the one nearer to the root first: joints whose bone joins them, where joints
  // without nodes between them are passed over.
  const std::vector<std::array<std::size_t, 2>>& adjacent() const { return adjacent_; }
  // Which of its joint's three numbers a node is.
  std::size_t axis(std::size_t node) const;

  // The nodes of a frame of all columns.
  std::vector<double> values(std::span<const double> frame) const;

  // What errors know of a true frame: of angles the exponential maps of limbs, three numbers each
  // whether used or not; of positions the nodes.
  std::vector<double> truth(std::span<const double> frame) const;
  // A node of it.
  double node(std::span<const double> truth, std::size_t n) const {
    return form_ == Form::angle ? truth[3 * limb_of_[n] + axis(n)] : truth[n];
  }
  std::size_t limb_of(std::size_t node) const { return limb_of_[node]; }

  double error(std::span<const double> nodes, std::span<const double> truth) const;

  // All joints, where those that nodes say nothing of are as in a frame of all columns; and of
  // angles that frame itself, completed.
  std::vector<Vector> places(std::span<const double> nodes, std::span<const double> frame) const;
  std::vector<double> completed(std::span<const double> nodes, std::span<const double> frame) const;

 private:
  double angle_error(std::span<const double> nodes, std::span<const double> triples) const;
  double position_error(std::span<const double> nodes, std::span<const double> truth) const;
  void find_limbs();
  void find_adjacent();

  Layout layout_;
  Form form_;
  std::size_t nodes_ = 0;
  std::vector<Limb> limbs_;
  std::vector<std::size_t> limb_of_;  // by node
  std::vector<std::array<std::size_t, 2>> adjacent_;
};

}  // namespace fgnn::motion
