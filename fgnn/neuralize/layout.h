// The factors of a graph sorted into relations of a network: one for each arity and number of
// terms, with a kind of edge for each different potential and position in it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/network/structure.h"

namespace fgnn::neuralize {

// P is LowRank (terms: rank) or MaxRankOne.
template <class P>
struct Layout {
  struct Group {
    std::size_t arity, terms;
    std::vector<std::shared_ptr<const P>> potentials;  // kind = arity * index + position
    network::Relation relation;
  };
  std::vector<Group> groups;
  std::size_t states = 1;  // largest number of any variable

  std::shared_ptr<const network::Structure> structure(std::size_t variables) const {
    std::vector<network::Relation> relations;
    for (const auto& g : groups) relations.push_back(g.relation);
    return std::make_shared<const network::Structure>(variables, std::move(relations));
  }
  static std::string name(const Group& g) {
    return "arity" + std::to_string(g.arity) + "_terms" + std::to_string(g.terms);
  }
};

// `form` is called once for every potential and shape, with a factor that has it.
template <class P>
Layout<P> layout(const FactorGraph& graph,
                 const std::function<std::shared_ptr<const P>(FactorId)>& form,
                 const std::function<std::size_t(const P&)>& terms) {
  Layout<P> result;
  for (const State s : graph.states()) result.states = std::max<std::size_t>(result.states, s);
  std::map<std::pair<std::uint32_t, std::vector<State>>, std::pair<std::size_t, std::size_t>> known;
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    const auto [at, fresh] = known.try_emplace({graph.potential_index(c), graph.shape(c)});
    auto& [group, potential] = at->second;
    if (fresh) {
      auto p = form(c);
      const std::size_t arity = graph.arity(c), size = terms(*p);
      for (group = 0; group < result.groups.size(); ++group) {
        const auto& g = result.groups[group];
        if (g.arity == arity && g.terms == size) break;
      }
      if (group == result.groups.size()) result.groups.push_back({arity, size, {}, {}});
      potential = result.groups[group].potentials.size();
      result.groups[group].potentials.push_back(std::move(p));
    }
    auto& g = result.groups[group];
    for (std::size_t j = 0; j < g.arity; ++j) {
      g.relation.factor.push_back(static_cast<network::Index>(g.relation.factors));
      g.relation.variable.push_back(graph.scope(c)[j]);
      g.relation.kind.push_back(static_cast<network::Index>(potential * g.arity + j));
    }
    ++g.relation.factors;
  }
  for (auto& g : result.groups) g.relation.kinds = g.arity * g.potentials.size();
  return result;
}

}  // namespace fgnn::neuralize
