// Orders of elimination. The elimination game: removing a variable joins all its neighbours; the
// joint states of {variable} + neighbours are what that step costs. Finding the best order is
// NP-hard; greedy rules with random tie-breaks, repeated, come close (Kask et al. 2011).
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/core/timing.h"

namespace fgnn::exact {

struct InteractionGraph {
  std::vector<double> log2_states;                     // per variable
  std::vector<std::vector<std::uint32_t>> neighbours;  // sorted, without the variable itself

  explicit InteractionGraph(std::vector<double> log2)
      : log2_states(std::move(log2)), neighbours(log2_states.size()), tidied_(neighbours.size()) {}
  // Joins all variables of a scope; call finish() after the last.
  void join(const std::vector<std::uint32_t>& scope);
  void finish();

 private:
  void tidy(std::uint32_t v);
  std::vector<std::uint32_t> tidied_;  // distinct neighbours when last looked at
};

struct Order {
  std::vector<std::uint32_t> sequence;
  std::size_t width = 0;       // most neighbours at an elimination
  double log2_largest = 0;     // joint states of the largest clique
  double operations = 0;       // joint states of all cliques
  double message_entries = 0;  // joint states of all separators
  bool complete = true;        // false: given up, the figures are what was seen until then
  double work = 0;             // effort of finding it, in neighbour visits
};

// Cliques with more than 2^kHopeless joint states end the game: no machine holds them.
inline constexpr double kHopeless = 45;

enum class Rule {
  min_fill,           // fewest new neighbour pairs
  weighted_min_fill,  // the same, weighed by the log-states of the pair
  min_weight,         // fewest joint states of the clique
  as_numbered,    // first variable first: the sweep that the author of a grid or chain had in mind
  breadth_first,  // by distance from one end: a sweep for any long and narrow graph
  growing,  // fewest joint states beside what was removed before: a sweep that chooses its way
};

struct Limits {
  double operations = std::numeric_limits<double>::infinity();  // give up beyond this cost
  double hopeless = kHopeless;                                  // log2 of a clique's joint states
  Deadline deadline;                                            // or when this has passed
};

// Ties are broken by chance, or in favour of the lowest number without an rng.
Order play(InteractionGraph graph, Rule rule, Rng* rng, const Limits& limits = {});

// Per variable, its distance from one end of its component, in steps of a sweep.
std::vector<double> breadth_first_ranks(const InteractionGraph& graph);

// How long to look for an order.
struct Effort {
  int tries = 1000;  // orders of each component, at most
  std::uint64_t seed = 0;
  // Fewer where finding an order costs more than it can save, as long as the messages of the best
  // have no more joint states than this.
  double enough_entries = std::numeric_limits<double>::infinity();
  double seconds = 0;  // above zero: as many as there is time for, whatever they cost
  double hopeless = kHopeless;
  StopToken stop;
  Deadline deadline;
};

// The cheapest of many orders: what every order begins with (reduce.h), then for each component
// that is left all rules in turn, the greedy ones again and again. Counted by work and not by time,
// so that the same seed gives the same order, unless seconds were asked for.
Order best_order(const InteractionGraph& graph, const Effort& effort);

}  // namespace fgnn::exact
