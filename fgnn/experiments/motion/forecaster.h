// Frames to come by a trained network.
#pragma once

#include <string>
#include <vector>

#include "fgnn/experiments/motion/body.h"
#include "fgnn/experiments/motion/dct.h"
#include "fgnn/experiments/motion/evaluate.h"
#include "fgnn/network/model.h"

namespace fgnn::motion {

class Forecaster {
 public:
  // Throws Error(usage) naming `file` for a model of another task.
  Forecaster(network::Model model, const std::string& file);
  static Forecaster load(const std::string& file_or_name);

  const Body& body() const { return body_; }
  std::size_t predicted() const;  // frames at a time

  // Windows of ten observed rows of nodes each, to `predicted()` rows.
  std::vector<Rows> operator()(const std::vector<Rows>& observed, int threads = 1) const;
  // One window, to any number of rows: behind those of one run the network sees its own.
  Rows further(const Rows& observed, std::size_t frames) const;

 private:
  network::Model model_;
  Body body_;
  Dct dct_;
  std::shared_ptr<const network::Structure> structure_;
};

}  // namespace fgnn::motion
