// The passes over compiled buckets: upward in the sum or max semiring, backward for posteriors,
// downward for the best assignments.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/core/control.h"
#include "fgnn/infer/exact/buckets.h"

namespace fgnn::exact {

enum class Semiring { sum, max };

// Memory that is not touched before it is used; zeroed memory comes from the system as it is.
struct Free {
  void operator()(void* p) const { std::free(p); }
};
using Arena = std::unique_ptr<double[], Free>;

struct Pass {
  const Buckets& plan;
  const std::vector<const double*>& data;  // per source
  int threads;
  Budget& budget;  // of time, and of memory where that is not known beforehand
  const Control& control;
  bool keep = true;  // all messages; else each only until it has been read
};

struct Upward {
  Arena messages;
  std::unique_ptr<std::uint8_t[], Free> choices;  // the best states, where messages are not kept
  Arena posteriors;                               // of separators, in a backward pass
  double total = 0;  // log Z or the MAP score, without sources that have no variables
};

// Memory of the blocks that the threads work on, where no variable has more states than this. The
// usual ones, of some hundred KiB, are not counted.
std::uint64_t scratch_bytes(State most_states, int threads);

// The memory of `before`, of another pass over the same plan, is used again.
Upward upward(const Pass& pass, Semiring semiring, Upward before = {});

// Posterior probabilities of every variable's states, by bucket: probability[b][x].
std::vector<std::vector<double>> backward(const Pass& pass, Upward& up);

struct Best {
  std::vector<State> states;  // per variable of the problem
  double score;
};

// The best assignment, after an upward pass in the max semiring that kept the choices.
Best best_choice(const Pass& pass, const Upward& up);

// The k best assignments, best first, after an upward pass in the max semiring. What the search
// keeps is taken from the budget as it grows.
std::vector<Best> best(const Pass& pass, const Upward& up, std::size_t k);

}  // namespace fgnn::exact
