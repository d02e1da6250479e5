#include "fgnn/neuralize/forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fgnn/core/error.h"
#include "fgnn/decompose/max_rank_one.h"
#include "fgnn/neuralize/compile.h"

namespace fgnn::neuralize {
namespace {

[[noreturn]] void refuse_impossible(const FactorGraph& graph, FactorId c) {
  throw Error(ErrorCode::model, graph.describe(c), "forbids every joint state");
}

// Signed terms cancel to within their rounding, and less than that is noise: without a floor a
// message of probability 1e-20 would come out as 0, more certain than everything else. One more
// term, constant, adds the rounding.
std::shared_ptr<const LowRank> with_floor(const std::shared_ptr<const LowRank>& form) {
  if (form->non_negative()) return form;
  double size = 0;
  const std::size_t rank = form->rank(), arity = form->shape().size();
  for (std::size_t r = 0; r < rank; ++r) {
    double term = std::abs(form->lambda()[r]);
    for (std::size_t j = 0; j < arity; ++j) {
      double largest = 0;
      for (State x = 0; x < form->shape()[j]; ++x) {
        largest = std::max(largest, std::abs(form->weight(j, x, r)));
      }
      term *= largest;
    }
    size += term;
  }
  std::vector<double> lambda = form->lambda();
  lambda.push_back(size * std::numeric_limits<double>::epsilon());
  std::vector<std::vector<double>> weights(arity);
  for (std::size_t j = 0; j < arity; ++j) {
    for (State x = 0; x < form->shape()[j]; ++x) {
      for (std::size_t r = 0; r < rank; ++r) weights[j].push_back(form->weight(j, x, r));
      weights[j].push_back(1);
    }
  }
  return std::make_shared<const LowRank>(form->shape(), std::move(lambda), std::move(weights),
                                         form->log_scale());
}

// Whether any term allows a joint state.
bool possible(const MaxRankOne& p) {
  for (std::size_t z = 0; z < p.size(); ++z) {
    bool all = true;
    std::size_t offset = 0;
    for (const State states : p.shape()) {
      const auto weights = p.term(z).subspan(offset, states);
      all &= *std::max_element(weights.begin(), weights.end()) != kForbidden;
      offset += states;
    }
    if (all) return true;
  }
  return false;
}

}  // namespace

std::shared_ptr<const LowRank> sum_form(const FactorGraph& graph, FactorId c) {
  const auto shape = graph.shape(c);
  auto form = graph.potential(c).low_rank(shape);
  if (form == nullptr && configurations(shape) <= kMostTerms) {
    form = expand(graph, c).low_rank(shape);
  }
  if (form == nullptr) {
    throw Error(ErrorCode::unsupported, graph.describe(c), "has no exact sum of rank-1 terms",
                "approximate ones are found by fgnn/decompose/cp.h");
  }
  if (form->rank() > kMostRank) {
    throw Error(ErrorCode::unsupported, graph.describe(c),
                fmt::format("is a sum of {} rank-1 terms, more than {}", form->rank(), kMostRank),
                "approximate ones with fewer are found by fgnn/decompose/cp.h");
  }
  const auto& lambda = form->lambda();
  if (std::all_of(lambda.begin(), lambda.end(), [](double l) { return l == 0; })) {
    refuse_impossible(graph, c);
  }
  return with_floor(form);
}

std::shared_ptr<const MaxRankOne> max_form(const FactorGraph& graph, FactorId c) {
  const auto too_many = [&](std::size_t terms) {
    if (terms <= kMostTerms) return;
    throw Error(ErrorCode::unsupported, graph.describe(c),
                fmt::format("is a maximum of {} rank-1 terms, more than {}", terms, kMostTerms),
                "--algorithm sum-product is linear in the arity of counts and parities");
  };
  if (auto form = graph.potential(c).max_rank_one(graph.shape(c))) {
    too_many(form->size());
    if (!possible(*form)) refuse_impossible(graph, c);
    return form;
  }
  too_many(configurations(graph.shape(c)));
  const Table table = expand(graph, c);
  auto form = decompose_max(table).potential;
  if (!possible(*form)) refuse_impossible(graph, c);
  return form;
}

}  // namespace fgnn::neuralize
