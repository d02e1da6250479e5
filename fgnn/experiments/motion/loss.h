// What predicted trajectories cost, in time: DCT coefficients of every node, turned back into all
// frames (observed and predicted), against the true ones.
//
//   angle      mean over frames of sum over nodes | x - x* |
//   position   mean over frames and joints of the distance
//
// Where no gradient is asked for, errors by the field's protocol (body.h) are measured at the
// horizons that the prediction reaches, "80 ms" to "1000 ms".
#pragma once

#include "fgnn/experiments/motion/body.h"
#include "fgnn/experiments/motion/dct.h"
#include "fgnn/tasks/loss.h"

namespace fgnn::motion {

class MotionLoss final : public tasks::LossRule {
 public:
  MotionLoss(const Body& body, const Dct& dct) : body_(body), dct_(dct) {}
  ~MotionLoss() = default;
  std::string_view name() const override { return "motion"; }
  // Of positions every node's frames. Of angles every node has those of its whole joint, three
  // numbers a frame, as the error wants them.
  std::size_t targets(std::size_t) const override {
    return dct_.frames() * (body_.form() == Form::angle ? 3 : 1);
  }
  void graph(const tasks::GraphOutput& g, tasks::Metrics& metrics,
             std::span<double> gradient) const override;
  // By the mean of the errors at all horizons.
  double merit(const tasks::Metrics& m) const override;

 private:
  double angle_loss(const std::vector<double>& frames, std::span<const float> targets,
                    std::vector<double>& slopes) const;
  double position_loss(const std::vector<double>& frames, std::span<const float> targets,
                       std::vector<double>& slopes) const;
  void measure(const std::vector<double>& frames, std::span<const float> targets,
               tasks::Metrics& metrics) const;
  // The true number of a node.
  double wanted(std::span<const float> targets, std::size_t node, std::size_t frame) const;

  const Body& body_;
  const Dct& dct_;
};

// What the rows of all nodes want of a window: `truth` has a row of Body::truth for every frame.
std::vector<float> targets_of(const Body& body, const std::vector<std::span<const double>>& truth);

}  // namespace fgnn::motion
