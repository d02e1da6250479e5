// A table as a maximum of rank-1 terms in the log domain, the paper's Lemma 1 (Kohli and Kumar
// 2010):
//   log phi(x_1 … x_n) = max_z sum_j w_j^z(x_j).
//
// The proof of the lemma takes one term per allowed joint state, which is exact and as large as the
// table. decompose_max() finds fewer terms, still exact: each is a maximal lower bound of the
// table, grown from a joint state x* that no term reaches yet. A state s of variable j joins the
// term with the largest weight that keeps the term below the table,
//   w_j(s) = min over joint states x of the term with x_j = s of  log phi(x) - sum_{i != j}
//   w_i(x_i),
// and states join in the order of how many unreached entries they would touch. Of several such
// terms the one that reaches most entries is taken, until all are reached. The fewest terms
// possible are NP-hard to find (the tropical, or Barvinok, rank; Kim and Roush 2005); a sum of
// univariate functions gives 1, "at most k of n" gives binomial(n, k), which is optimal.
//
// Cost: O(terms * tries * entries * (sum of states)) time, one byte per entry and a few doubles.
#pragma once

#include <cstdint>
#include <memory>

#include "fgnn/potentials/max_rank_one.h"
#include "fgnn/potentials/table.h"

namespace fgnn {

// The construction of the proof: w_j^z(x_j) = log phi(x^z) / n where x_j = x_j^z, forbidden
// elsewhere; one term z per allowed joint state x^z. Throws Error(unsupported) without variables.
MaxRankOne lemma_one(const Table& table);

struct MaxOptions {
  double tolerance = 0;   // each log-value may be off by this much; forbidden ones stay forbidden
  std::size_t tries = 8;  // terms grown for each that is kept; more give fewer terms, slower
  std::uint64_t seed = 0;

  void validate() const;  // throws Error(usage)
};

struct MaxResult {
  std::shared_ptr<const MaxRankOne> potential;
  double max_error = 0;         // of the log-values: at most the tolerance, and rounding
  std::size_t lemma_terms = 0;  // what the construction of the proof would take; never fewer
};

// Throws Error(unsupported) on a table without variables, which is not a maximum of empty sums.
MaxResult decompose_max(const Table& table, const MaxOptions& options = {});

}  // namespace fgnn
