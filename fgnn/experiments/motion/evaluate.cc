#include "fgnn/experiments/motion/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/experiments/motion/windows.h"

namespace fgnn::motion {
namespace {

// Sequences of an action, in their order.
std::vector<std::size_t> of_action(const std::vector<Sequence>& sequences,
                                   const std::string& action) {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    if (sequences[s].action == action) found.push_back(s);
  }
  return found;
}

void add_h36m(const std::vector<Sequence>& sequences, std::size_t action,
              const std::vector<std::size_t>& trials, std::size_t windows,
              std::vector<TestWindow>& all) {
  const std::string& name = sequences[trials[0]].action;
  if (trials.size() != 2) {
    throw Error(ErrorCode::usage, name,
                fmt::format("has {} test trials, the protocol two", trials.size()));
  }
  const TwoTrials t = h36m_starts(sequences[trials[0]].frames.size(),
                                  sequences[trials[1]].frames.size(), windows, name);
  for (const auto s : t.first) all.push_back({action, trials[0], s + kBeforeWindow});
  for (const auto s : t.second) all.push_back({action, trials[1], s + kBeforeWindow});
}

}  // namespace

std::size_t horizons_within(std::size_t frames) {
  return static_cast<std::size_t>(
      std::ranges::count_if(kHorizons, [&](const Horizon& h) { return h.frame <= frames; }));
}

std::vector<TestWindow> test_windows(const Layout& layout, const std::vector<std::string>& actions,
                                     const std::vector<Sequence>& sequences, std::size_t windows) {
  std::vector<TestWindow> all;
  for (std::size_t a = 0; a < actions.size(); ++a) {
    const auto found = of_action(sequences, actions[a]);
    if (found.empty()) continue;
    if (layout.name == "h36m") {
      add_h36m(sequences, a, found, windows, all);
      continue;
    }
    for (const std::size_t s : found) {
      const Frames& frames = sequences[s].frames;
      for (const auto start : cmu_starts(frames.size(), windows, frames.name)) {
        all.push_back({a, s, start + kBeforeWindow});
      }
    }
  }
  return all;
}

std::vector<double> mean_of(const std::vector<std::vector<double>>& rows) {
  std::vector<double> mean(rows.empty() ? 0 : rows[0].size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] += row[i] / static_cast<double>(rows.size());
    }
  }
  return mean;
}

Rows last_frame(const Rows& observed, std::size_t frames) { return Rows(frames, observed.back()); }

Rows constant_velocity(const Rows& observed, std::size_t frames) {
  const auto &last = observed.back(), &before = observed[observed.size() - 2];
  Rows rows(frames, last);
  for (std::size_t k = 0; k < frames; ++k) {
    for (std::size_t n = 0; n < last.size(); ++n) {
      rows[k][n] += static_cast<double>(k + 1) * (last[n] - before[n]);
    }
  }
  return rows;
}

Errors evaluate(const Body& body, const std::vector<std::string>& actions,
                const std::vector<Sequence>& sequences, std::size_t windows, std::size_t frames,
                const Forecast& forecast, const Control& control) {
  const auto all = test_windows(body.layout(), actions, sequences, windows);
  const std::size_t horizons = horizons_within(frames);
  Errors errors;
  Stage stage(control, "windows", static_cast<double>(all.size()));
  for (std::size_t a = 0; a < actions.size(); ++a) {
    control.end_if_stopped("evaluation", "nothing was kept");
    std::vector<TestWindow> mine;
    std::ranges::copy_if(all, std::back_inserter(mine),
                         [&](const TestWindow& w) { return w.action == a; });
    if (mine.empty()) continue;
    std::vector<Rows> observed;
    for (const TestWindow& w : mine) {
      Rows& rows = observed.emplace_back();
      for (std::size_t f = 0; f < kObserved; ++f) {
        rows.push_back(body.values(sequences[w.sequence].frames[w.first + f]));
      }
    }
    const auto predicted = forecast(observed);
    std::vector<double> sum(horizons);
    for (std::size_t w = 0; w < mine.size(); ++w) {
      for (std::size_t h = 0; h < horizons; ++h) {
        const auto truth =
            sequences[mine[w].sequence].frames[mine[w].first + kObserved + kHorizons[h].frame - 1];
        const auto& rows = predicted[w][kHorizons[h].frame - 1];
        sum[h] += body.error(rows, body.truth(truth));
      }
      stage.advance();
    }
    for (double& s : sum) s /= static_cast<double>(mine.size());
    errors.actions.push_back(actions[a]);
    errors.by_action.push_back(std::move(sum));
  }
  errors.mean = mean_of(errors.by_action);
  return errors;
}

}  // namespace fgnn::motion
