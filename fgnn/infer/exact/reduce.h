// What every good order of elimination begins with, so that the search for one need not look at it:
// - a simplicial variable (its neighbours are joined to each other) goes first: its clique occurs
// in
//   every order;
// - an almost simplicial one (all neighbours but one, u, are joined) as well, where its clique has
//   no more joint states than a clique that every order has (a lower bound) and u no more states
//   than it: removing it then is a contraction into u, which makes no clique larger (Bodlaender,
//   Koster, van den Eijkhof 2005; Eijkhof, Bodlaender and Koster 2007 with weights);
// - what is left falls into components, for each of which an order is found apart.
// Time: a bounded number of neighbour visits, linear in the graph.
#pragma once

#include <vector>

#include "fgnn/infer/exact/order.h"

namespace fgnn::exact {

struct Component {
  std::vector<std::uint32_t> members;  // ascending; variable i of `graph` is members[i]
  InteractionGraph graph;
};

struct Reduced {
  Order first;  // what was removed, with its cost
  std::vector<Component> components;
};

Reduced reduce(const InteractionGraph& graph, const Deadline& deadline = Deadline());

// log2 of the joint states that the largest clique of any order has at least: over the subgraphs
// left when the variable with the fewest joint states beside its neighbours is removed in turn, the
// most that this variable has.
double least_largest_clique(const InteractionGraph& graph);

}  // namespace fgnn::exact
