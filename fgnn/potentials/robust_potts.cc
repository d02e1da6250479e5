#include "fgnn/potentials/robust_potts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/potentials/checks.h"
#include "fgnn/potentials/count.h"
#include "fgnn/potentials/low_rank.h"
#include "fgnn/potentials/max_rank_one.h"
#include "fgnn/potentials/text.h"

namespace fgnn {

RobustPotts::RobustPotts(double otherwise, std::vector<Label> labels)
    : otherwise_(otherwise), labels_(std::move(labels)) {
  check_log_values(std::span(&otherwise_, 1), "robust-potts");
  if (labels_.empty()) throw Error(ErrorCode::model, "robust-potts", "has no labels");
  for (const Label& label : labels_) {
    check_log_values(std::span(&label.best, 1), "robust-potts");
    if (!(label.slope >= 0)) {
      throw Error(ErrorCode::model, "robust-potts", fmt::format("a slope is {}", label.slope),
                  "slopes are what a variable that differs costs: zero or more");
    }
  }
}

RobustPotts RobustPotts::all_equal(double otherwise) { return {otherwise, {Label{}}}; }

std::string RobustPotts::misfit(Shape shape) const {
  for (std::size_t i = 0; i < shape.size() && labels_.size() > 1; ++i) {
    if (shape[i] > labels_.size()) {
      return fmt::format("has {} labels, position {} has {} states", labels_.size(), i, shape[i]);
    }
  }
  return {};
}

double RobustPotts::value(State l, std::size_t different) const {
  const Label& own = label(l);
  return different == 0 ? own.best : own.best - own.slope * static_cast<double>(different);
}

State RobustPotts::label_count(Shape shape) const {
  if (labels_.size() > 1) return static_cast<State>(labels_.size());
  return shape.empty() ? 0 : *std::ranges::max_element(shape);
}

double RobustPotts::score(std::span<const State> x) const {
  thread_local std::vector<std::size_t> equal;  // per label
  equal.assign(labels_.size(), 0);
  for (const State l : x) {
    if (l >= equal.size()) equal.resize(l + std::size_t{1}, 0);
    ++equal[l];
  }
  double best = otherwise_;
  for (State l = 0; l < equal.size(); ++l) best = std::max(best, value(l, x.size() - equal[l]));
  return best;
}

std::size_t RobustPotts::reach(State l, std::size_t n) const {
  // By bisection: value() falls with the number of different variables, and not only on paper.
  std::size_t low = 0, high = n + 1;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (value(l, middle) > otherwise_) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool RobustPotts::separated(Shape shape) const {
  std::size_t first = 0, second = 0;  // the two largest reaches
  const State labels = label_count(shape);
  for (State l = 0; l < labels; ++l) {
    const std::size_t own = reach(l, shape.size());
    second = std::max(second, std::min(first, own));
    first = std::max(first, own);
  }
  return second == 0 || first + second <= shape.size() + 1;
}

double RobustPotts::part(State l, std::size_t different) const {
  const double value = this->value(l, different);
  if (!(value > otherwise_)) return kForbidden;
  return otherwise_ == kForbidden ? value : value + std::log(-std::expm1(otherwise_ - value));
}

ScoreRange RobustPotts::range(Shape shape) const {
  ScoreRange range;
  range.include(otherwise_);
  const State labels = label_count(shape);
  for (State l = 0; l < labels; ++l) {
    if (!(value(l, 0) > otherwise_)) continue;
    range.include(value(l, 0));
    if (otherwise_ == kForbidden) range.include(value(l, shape.size()));
  }
  return range;
}

std::shared_ptr<const MaxRankOne> RobustPotts::max_rank_one(Shape shape) const {
  const auto width = std::accumulate(shape.begin(), shape.end(), std::size_t{0});
  std::vector<std::vector<double>> terms{std::vector<double>(width, 0.0)};
  const auto add_to_first = [&](double value) {
    for (State x = 0; x < shape[0]; ++x) terms.back()[x] += value;
  };
  add_to_first(otherwise_);
  const State labels = label_count(shape);
  for (State l = 0; l < labels; ++l) {
    if (reach(l, shape.size()) == 0) continue;
    auto& term = terms.emplace_back();
    for (const State states : shape) {
      for (State x = 0; x < states; ++x) term.push_back(x == l ? 0.0 : -label(l).slope);
    }
    add_to_first(label(l).best);
  }
  return std::make_shared<const MaxRankOne>(std::vector<State>(shape.begin(), shape.end()),
                                            std::move(terms));
}

std::shared_ptr<const LowRank> RobustPotts::low_rank(Shape shape) const {
  const std::size_t n = shape.size();
  const ScoreRange values = range(shape);
  if (n == 0 || !separated(shape) || values.high - values.low > kWidestTerms) return nullptr;
  const double scale = values.high == kForbidden ? 0 : values.high;
  const auto width = std::accumulate(shape.begin(), shape.end(), std::size_t{0});
  std::vector<double> lambda;
  std::vector<std::vector<double>> terms;
  if (otherwise_ != kForbidden) {
    lambda.push_back(std::exp(otherwise_ - scale));
    terms.emplace_back(width, 1.0);
  }
  const State labels = label_count(shape);
  for (State l = 0; l < labels; ++l) {
    const std::size_t reached = reach(l, n);
    if (reached == 0) continue;
    Count::Chosen different;
    for (const State states : shape) {
      auto& chosen = different.emplace_back();
      for (State x = 0; x < states; ++x) {
        if (x != l) chosen.push_back(x);
      }
    }
    if (reached == 1) {  // the indicator of all in state l
      lambda.push_back(std::exp(part(l, 0) - scale));
      auto& term = terms.emplace_back();
      for (const State states : shape) {
        for (State x = 0; x < states; ++x) term.push_back(x == l ? 1.0 : 0.0);
      }
      continue;
    }
    std::vector<double> parts;
    for (std::size_t k = 0; k < reached; ++k) parts.push_back(part(l, k));
    const auto form = Count(std::move(parts), kForbidden, std::move(different)).low_rank(shape);
    if (form == nullptr) return nullptr;
    for (std::size_t r = 0; r < form->rank(); ++r) {
      lambda.push_back(form->lambda()[r] * std::exp(form->log_scale() - scale));
      auto& term = terms.emplace_back();
      for (std::size_t j = 0; j < n; ++j) {
        for (State x = 0; x < shape[j]; ++x) term.push_back(form->weight(j, x, r));
      }
    }
  }
  return LowRank::from_terms({shape.begin(), shape.end()}, std::move(lambda), terms, scale);
}

bool RobustPotts::equals(const Potential& other) const {
  const auto* same = dynamic_cast<const RobustPotts*>(&other);
  return same && same->otherwise_ == otherwise_ && same->labels_ == labels_;
}

std::size_t RobustPotts::bytes() const { return sizeof(*this) + labels_.size() * sizeof(Label); }

bool RobustPotts::write(TextWriter& text) const {
  const Label& first = labels_[0];
  const bool zero = first.best == 0 && !std::signbit(first.best);
  if (labels_.size() == 1 && zero && first.slope == kInfinity) {
    text.put("all-equal ", otherwise_);
    return true;
  }
  text.put("robust-potts ", otherwise_);
  if (labels_.size() > 1) text.put(" each ", labels_.size());
  for (const Label& label : labels_) text.put("  ", label.best, ' ', label.slope);
  return true;
}

PotentialKind RobustPotts::text() {
  const auto read_label = [](PotentialText& text) {
    Label label{.best = text.log_value()};
    if (!text.tokens.take_if("inf")) label.slope = text.tokens.number("a slope or inf");
    return label;
  };
  const auto read = [read_label](PotentialText& text) {
    const double otherwise = text.log_value();
    std::vector<Label> labels;
    const std::uint64_t count =
        text.tokens.take_if("each") ? text.tokens.integer("a number of labels", 1, UINT64_MAX) : 1;
    for (std::uint64_t l = 0; l < count; ++l) {
      text.budget.hold_ahead(l, count, sizeof(Label));
      labels.push_back(read_label(text));
    }
    return shared(RobustPotts(otherwise, std::move(labels)));
  };
  const auto read_equal = [](PotentialText& text) { return shared(all_equal(text.log_value())); };
  return {"robust-potts",
          "best_l - slope_l per variable not in l, or otherwise",
          "d",
          {{"robust-potts", false, read}, {"all-equal", false, read_equal}}};
}

}  // namespace fgnn
