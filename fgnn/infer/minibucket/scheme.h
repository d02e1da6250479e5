// Which functions are joined where: mini-buckets (Dechter and Rish 2003) without their numbers.
//
// Eliminating a variable takes all functions that mention it. Where joining them all would exceed
// 2^bits joint states they are shared among several mini-buckets that stay below; each sends a
// message of its own. A function larger than that has a mini-bucket to itself. With enough bits
// there is one mini-bucket per variable, which is bucket elimination.
//
// The order is a good one for exact elimination where that ends, else chosen as it goes: the
// variable that meets the fewest joint states in the functions of that moment.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/infer/minibucket/model.h"
#include "fgnn/infer/result.h"

namespace fgnn::minibucket {

struct Part {                            // a mini-bucket
  std::vector<Place> scope;              // ascending; the variable to be eliminated comes first
  std::vector<std::uint32_t> functions;  // sources of the problem
  std::vector<std::uint32_t> messages;   // parts whose messages it takes
  std::uint32_t receiver = kNone;        // part that takes its message; none: a number
  std::uint64_t entries = 1, message_entries = 1;
};

struct Scheme {
  std::vector<exact::Id> order;      // by place
  std::vector<Place> place;          // by variable of the problem
  std::vector<State> states;         // by place
  std::vector<Part> parts;           // in order of elimination
  std::vector<std::uint32_t> first;  // parts of place p: first[p] .. first[p + 1]
  std::size_t split = 0;             // variables with several parts
  double bits = 0;                   // log2 of the joint states of the largest part
  std::uint64_t largest = 1;         // its joint states

  std::size_t parts_of(Place p) const { return first[p + 1] - first[p]; }
};

// `tries` orders, of which the cheapest is taken.
Scheme make_scheme(const Restated& model, std::size_t bits, int tries, std::uint64_t seed,
                   const Budget& budget);

// Weights by place and state, flat, as marginals of the graph.
Marginals marginals(const FactorGraph& given, const Restated& model, const Scheme& scheme,
                    std::vector<double> weights);

}  // namespace fgnn::minibucket
