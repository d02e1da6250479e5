// Errors by the field's protocol: windows of the test sequences, each action by itself and the mean
// over actions, at the horizons that the field reports. Baselines that learn nothing.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/experiments/motion/body.h"
#include "fgnn/experiments/motion/corpus.h"

namespace fgnn::motion {

struct Horizon {
  int milliseconds;
  std::size_t frame;  // predicted frames, counted from 1
};
inline constexpr std::array<Horizon, 6> kHorizons{
    {{80, 2}, {160, 4}, {320, 8}, {400, 10}, {560, 14}, {1000, 25}}};
// How many of them a prediction of so many frames reaches.
std::size_t horizons_within(std::size_t frames);

struct TestWindow {
  std::size_t action = 0, sequence = 0, first = 0;  // first frame observed
};

// `windows` of each test sequence (CMU) or action (H3.6M), by action. Throws Error(usage) naming
// what is too short.
std::vector<TestWindow> test_windows(const Layout& layout, const std::vector<std::string>& actions,
                                     const std::vector<Sequence>& sequences, std::size_t windows);

// From observed frames, a row of nodes each, to predicted ones; several windows at a time.
using Rows = std::vector<std::vector<double>>;
using Forecast = std::function<std::vector<Rows>(const std::vector<Rows>& observed)>;

// Every predicted frame is the last observed one; or it goes on as between the last two.
Rows last_frame(const Rows& observed, std::size_t frames);
Rows constant_velocity(const Rows& observed, std::size_t frames);

struct Errors {
  std::vector<std::string> actions;
  std::vector<std::vector<double>> by_action;  // horizons each
  std::vector<double> mean;                    // over actions
};

// Of rows of the same length, one by one.
std::vector<double> mean_of(const std::vector<std::vector<double>>& rows);

Errors evaluate(const Body& body, const std::vector<std::string>& actions,
                const std::vector<Sequence>& sequences, std::size_t windows, std::size_t frames,
                const Forecast& forecast, const Control& control = {});

}  // namespace fgnn::motion
