#include "fgnn/network/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "fgnn/core/error.h"

namespace fgnn::network {
namespace {

void check_offsets(const std::vector<std::size_t>& offset, std::size_t rows, const char* what) {
  if (offset.size() >= 2 && offset.front() == 0 && offset.back() == rows &&
      std::is_sorted(offset.begin(), offset.end())) {
    return;
  }
  throw Error(ErrorCode::usage, what, "have offsets of graphs that do not cover them in order");
}

std::vector<Index> counting(std::size_t n) {
  std::vector<Index> numbers(n);
  std::iota(numbers.begin(), numbers.end(), Index{0});
  return numbers;
}

// Each edge's number among those with the same end, and how many numbers there are (at least 1).
std::pair<std::vector<Index>, std::size_t> ranks(const std::vector<Index>& end, std::size_t nodes) {
  std::vector<Index> seen(nodes), rank;
  Index most = 1;
  for (const Index node : end) {
    rank.push_back(seen[node]++);
    most = std::max(most, seen[node]);
  }
  return {std::move(rank), most};
}

}  // namespace

Structure::Structure(std::size_t variables, std::vector<Relation> relations,
                     std::vector<std::size_t> variable_offset,
                     std::vector<std::vector<std::size_t>> factor_offset)
    : variables_(variables),
      relations_(std::move(relations)),
      variable_offset_(std::move(variable_offset)),
      factor_offset_(std::move(factor_offset)) {
  if (variable_offset_.empty()) {
    variable_offset_ = {0, variables_};
    for (const auto& r : relations_) factor_offset_.push_back({0, r.factors});
  }
  check_offsets(variable_offset_, variables_, "variables");
  if (factor_offset_.size() != relations_.size()) {
    throw Error(ErrorCode::usage, "factors", "need offsets of graphs for every relation");
  }
  for (std::size_t r = 0; r < relations_.size(); ++r) {
    const Relation& relation = relations_[r];
    check_offsets(factor_offset_[r], relation.factors, "factors");
    if (factor_offset_[r].size() != variable_offset_.size()) {
      throw Error(ErrorCode::usage, "factors", "need as many graphs as variables have");
    }
    if (!std::is_sorted(relation.factor.begin(), relation.factor.end())) {
      throw Error(ErrorCode::usage, fmt::format("relation {}", r),
                  "has edges that are not ordered by factor");
    }
    incidence(Way::variable_to_factor, r);  // checks the indices
  }
}

const Incidence& Structure::incidence(Way way, std::size_t relation) const {
  const std::lock_guard lock(mutex_);
  auto& slot = made_[{way, relation}];
  if (slot == nullptr) slot = std::make_unique<Incidence>(make(way, relation));
  return *slot;
}

Incidence Structure::make(Way way, std::size_t relation) const {
  if (way == Way::variable_to_graph || way == Way::graph_to_variable) {
    std::vector<Index> graph(variables_);
    for (std::size_t g = 0; g < graphs(); ++g) {
      std::fill(graph.begin() + variable_offset_[g], graph.begin() + variable_offset_[g + 1],
                static_cast<Index>(g));
    }
    const auto variable = counting(variables_);
    if (way == Way::variable_to_graph) return {graphs(), variables_, 1, graph, variable, {}};
    return {variables_, graphs(), 1, variable, graph, {}};
  }
  const Relation& r = relations_.at(relation);
  const std::size_t edges = r.edges();
  switch (way) {
    case Way::variable_to_factor:
      return {r.factors, variables_, r.kinds, r.factor, r.variable, r.kind};
    case Way::factor_to_variable:
      return {variables_, r.factors, r.kinds, r.variable, r.factor, r.kind};
    case Way::variable_to_edge:
      return {edges, variables_, 1, counting(edges), r.variable, {}};
    case Way::factor_to_edge:
      return {edges, r.factors, r.kinds, counting(edges), r.factor, r.kind};
    case Way::edge_to_edge:
      return {edges, edges, r.kinds, counting(edges), counting(edges), r.kind};
    case Way::edge_to_factor:
      return {r.factors, edges, r.kinds, r.factor, counting(edges), r.kind};
    case Way::edge_to_variable:
      return {variables_, edges, r.kinds, r.variable, counting(edges), r.kind};
    case Way::edge_to_position:
    case Way::position_to_edge: {
      const auto [rank, most] = ranks(r.factor, r.factors);
      if (way == Way::edge_to_position)
        return {r.factors, edges, most, r.factor, counting(edges), rank};
      return {edges, r.factors, most, counting(edges), r.factor, rank};
    }
    case Way::edge_to_slot:
    case Way::slot_to_edge: {
      const auto [rank, most] = ranks(r.variable, variables_);
      if (way == Way::edge_to_slot)
        return {variables_, edges, most, r.variable, counting(edges), rank};
      return {edges, variables_, most, counting(edges), r.variable, rank};
    }
    default:
      break;
  }
  // Pairs of variables that share a factor; the kind is the factor.
  std::vector<Index> target, source, kind;
  const auto add = [&](std::size_t from, std::size_t to) {
    target.push_back(r.variable[to]);
    source.push_back(r.variable[from]);
    kind.push_back(r.factor[from]);
  };
  for (std::size_t e = 0; e < edges; ++e) {
    for (std::size_t f = e + 1; f < edges && r.factor[f] == r.factor[e]; ++f) {
      if (way != Way::backward_neighbours) add(e, f);
      if (way != Way::forward_neighbours) add(f, e);
    }
  }
  return {variables_, variables_, r.factors, target, source, kind};
}

std::shared_ptr<const Structure> Structure::join(
    std::span<const std::shared_ptr<const Structure>> graphs) {
  if (graphs.empty()) throw Error(ErrorCode::usage, "batch", "has no graphs");
  const std::size_t relations = graphs[0]->relations().size();
  std::size_t variables = 0;
  std::vector<Relation> joined(relations);
  std::vector<std::size_t> variable_offset{0};
  std::vector<std::vector<std::size_t>> factor_offset(relations, {0});
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const auto& g = graphs[i];
    if (g->relations().size() != relations) {
      throw Error(ErrorCode::usage, "batch", "has graphs with different numbers of factor types");
    }
    for (std::size_t k = 1; k < g->variable_offset().size(); ++k) {
      variable_offset.push_back(variables + g->variable_offset()[k]);
    }
    for (std::size_t r = 0; r < relations; ++r) {
      const Relation& from = g->relations()[r];
      Relation& to = joined[r];
      for (std::size_t k = 1; k < g->factor_offset(r).size(); ++k) {
        factor_offset[r].push_back(to.factors + g->factor_offset(r)[k]);
      }
      const std::size_t shift = from.own_kinds && i > 0 ? to.kinds : 0;
      to.own_kinds = from.own_kinds;
      to.kinds = from.own_kinds ? shift + from.kinds : std::max(to.kinds, from.kinds);
      for (std::size_t e = 0; e < from.edges(); ++e) {
        to.factor.push_back(static_cast<Index>(to.factors + from.factor[e]));
        to.variable.push_back(static_cast<Index>(variables + from.variable[e]));
        to.kind.push_back(static_cast<Index>(shift + (from.kind.empty() ? 0 : from.kind[e])));
      }
      to.factors += from.factors;
    }
    variables += g->variables();
  }
  return std::make_shared<const Structure>(variables, std::move(joined), std::move(variable_offset),
                                           std::move(factor_offset));
}

}  // namespace fgnn::network
