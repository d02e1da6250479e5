#include "fgnn/experiments/matching/problem.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "fgnn/core/error.h"
#include "fgnn/experiments/matching/graphs.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/all_different.h"
#include "fgnn/potentials/table.h"

namespace fgnn::matching {
namespace {

void check_points(const PointSet& first, const PointSet& second) {
  for (const auto* side : {&first, &second}) {
    if (side->size() >= 2) continue;
    throw Error(ErrorCode::usage, side == &first ? "the first set" : "the second set",
                fmt::format("has {} points", side->size()), "matching needs two or more");
  }
}

// Pairs of points that are joined, each once.
std::set<std::pair<std::size_t, std::size_t>> arcs_of(const std::vector<Point>& at,
                                                      std::size_t neighbours) {
  std::set<std::pair<std::size_t, std::size_t>> arcs;
  for (const auto& around : nearest(at, neighbours)) {
    for (std::size_t k = 1; k < around.size(); ++k) {
      arcs.emplace(std::min(around[0], around[k]), std::max(around[0], around[k]));
    }
  }
  return arcs;
}

Table pair_table(const Point& from, const Point& to, const std::vector<Point>& other,
                 const ProblemOptions& o) {
  const std::size_t n = other.size();
  std::vector<double> values(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t l = 0; l < n; ++l) {
      if (j == l) continue;  // all different forbids it
      const double dx = (to.x - from.x) - (other[l].x - other[j].x);
      const double dy = (to.y - from.y) - (other[l].y - other[j].y);
      values[j * n + l] = o.edge * std::exp(-(dx * dx + dy * dy) / (2 * o.sigma * o.sigma));
    }
  }
  const auto states = static_cast<State>(n);
  return Table({states, states}, std::move(values));
}

}  // namespace

void ProblemOptions::validate() const {
  const auto check = [](double value, const char* field, bool positive) {
    if (std::isfinite(value) && (positive ? value > 0 : value >= 0)) return;
    throw Error(ErrorCode::usage, field, positive ? "must be above 0" : "must not be negative");
  };
  check(feature, "feature", false);
  check(position, "position", false);
  check(edge, "edge", false);
  check(sigma, "sigma", true);
}

ProblemOptions ProblemOptions::unit() { return {}; }
ProblemOptions ProblemOptions::full() {
  ProblemOptions o;
  o.feature = 4;
  o.position = 1;
  return o;
}

Scores unary_scores(const PointSet& first, const PointSet& second, const ProblemOptions& o) {
  const std::size_t w = first.feature_width();
  if (o.feature > 0 && (w == 0 || w != second.feature_width())) {
    throw Error(ErrorCode::usage, "points", "have no descriptions to compare",
                "set the weight of features to 0");
  }
  const auto length = [&](const PointSet& set, std::size_t i) {
    double squares = 0;
    for (std::size_t k = 0; k < w; ++k) {
      squares += static_cast<double>(set.features[i * w + k]) * set.features[i * w + k];
    }
    return std::sqrt(squares);
  };
  Scores s{first.size(), second.size(), {}, {}, {}};
  for (std::size_t i = 0; i < s.first; ++i) {
    for (std::size_t j = 0; j < s.second; ++j) {
      double sum = 0;
      for (std::size_t k = 0; o.feature > 0 && k < w; ++k) {
        sum += static_cast<double>(first.features[i * w + k]) * second.features[j * w + k];
      }
      const double lengths = o.feature > 0 ? length(first, i) * length(second, j) : 0;
      const double dx = first.at[i].x - second.at[j].x, dy = first.at[i].y - second.at[j].y;
      s.match.push_back((lengths > 0 ? o.feature * sum / lengths : 0) -
                        o.position * (dx * dx + dy * dy));
    }
  }
  return s;
}

Problem make_problem(const PointSet& first, const PointSet& second, const ProblemOptions& options) {
  return make_problem(first, second, unary_scores(first, second, options), options);
}

Problem make_problem(const PointSet& first, const PointSet& second, const Scores& scores,
                     const ProblemOptions& options) {
  options.validate();
  check_points(first, second);
  const bool turned = first.size() > second.size();
  const PointSet &small = turned ? second : first, &large = turned ? first : second;
  const auto states = static_cast<State>(large.size());
  GraphBuilder builder;
  const auto y = builder.variables("y", small.size(), states);
  for (std::size_t i = 0; i < small.size(); ++i) {
    std::vector<double> theta;
    for (std::size_t j = 0; j < large.size(); ++j) {
      theta.push_back(turned ? scores(j, i) : scores(i, j));
    }
    builder.unary(y[i], theta);
  }
  if (options.edge > 0) {
    for (const auto& [i, k] : arcs_of(small.at, options.neighbours)) {
      builder.factor({y[i], y[k]}, pair_table(small.at[i], small.at[k], large.at, options));
    }
  }
  builder.factor(y, AllDifferent());
  return {std::move(builder).build(), turned, first.size(), second.size()};
}

Matching Problem::matching(const std::vector<State>& assignment) const {
  Matching m;
  m.partner.assign(first, kNobody);
  m.probability.assign(first, 0);
  for (std::size_t v = 0; v < assignment.size(); ++v) {
    const auto state = static_cast<std::size_t>(assignment[v]);
    if (turned) {
      m.partner[state] = static_cast<std::int32_t>(v);
    } else {
      m.partner[v] = static_cast<std::int32_t>(state);
    }
  }
  for (std::size_t i = 0; i < first; ++i) m.probability[i] = m.partner[i] != kNobody;
  return m;
}

}  // namespace fgnn::matching
