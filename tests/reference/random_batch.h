// Small random graphs as networks see them: pairs of variables, and budgets over up to nine.
#pragma once

#include <memory>
#include <string>

#include "fgnn/core/random.h"
#include "fgnn/network/batch.h"
#include "fgnn/network/model.h"

namespace fgnn::testing {

// 2 numbers on variables; relation "pair" with 4 on factors, 2 kinds of edges and 2 numbers on each
// kind; relation "budget" with 9, 9 and 9.
network::Schema pair_and_budget();

// Scopes drawn at random, kinds by position in the scope.
std::shared_ptr<const network::Structure> random_structure(Rng& rng, std::size_t variables,
                                                           std::size_t pairs, std::size_t budgets);

// Features of pair_and_budget(); those of edge kinds are always the same numbers.
network::Batch random_features(Rng& rng, std::shared_ptr<const network::Structure> structure,
                               std::size_t copies = 1);

// 6 to 12 variables.
network::Batch random_batch(Rng& rng);

// The same graph, in one copy, with its kinds as its own: one row of features per edge.
network::Batch with_own_kinds(const network::Batch& b);

// A network for pair_and_budget() whose running moments are random too; `options` in JSON.
network::Model random_model(const std::string& network, const std::string& options = "{}",
                            std::uint64_t seed = 1);
// The schema is pair_and_budget(), unless the description has one.
network::Model random_model(network::Description description, std::uint64_t seed = 1);

}  // namespace fgnn::testing
