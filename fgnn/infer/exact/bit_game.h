// The elimination game on a graph whose rows of neighbours are sets of bits, played again and
// again. The fill of every variable (pairs of its neighbours that are not joined) is kept up to
// date: a new pair {a, b} takes one from each common neighbour and adds to a and b the neighbours
// that the other does not have. A game costs the new pairs times n / 64 words, and a look at all
// that are left per step.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/infer/exact/order.h"

namespace fgnn::exact {

inline constexpr std::size_t kMostBits = 4096;  // variables of a graph that is played with bits

class BitGame {
 public:
  explicit BitGame(const InteractionGraph& graph);

  // One of the greedy rules. The next variable is one of the `pool` best, each half as likely as
  // the one before; ties are broken by chance, or in favour of the lowest number without an rng.
  Order play(Rule rule, std::size_t pool, Rng* rng, const Limits& limits);
  // In the order given.
  Order follow(const std::vector<std::uint32_t>& sequence, const Limits& limits);

 private:
  using Id = std::uint32_t;
  using Word = std::uint64_t;

  void start(Rule rule);
  std::size_t choose(std::size_t pool, Rng* rng);
  bool eliminate(Id v, const Limits& limits, TimeCheck& time);
  void join(Id a, Id b);
  void take_leave(Id v);
  Word* row(Id v) { return &rows_[v * words_]; }

  const InteractionGraph& graph_;
  std::size_t n_, words_;
  std::vector<Word> start_rows_;
  std::vector<double> fine_;  // log2 of the states

  // Of the game that is played.
  Rule rule_ = Rule::min_fill;
  std::vector<Word> rows_;
  std::vector<std::int64_t> weight_;  // of a variable, by the rule
  std::vector<std::int64_t> around_;  // of its neighbours together
  std::vector<std::int64_t> score_;
  std::vector<char> far_;  // growing: not beside what was removed
  std::vector<Id> left_, neighbours_;
  std::vector<std::pair<std::int64_t, std::size_t>> best_;
  Order order_;
};

}  // namespace fgnn::exact
