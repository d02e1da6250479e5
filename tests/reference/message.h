// The kernels of message passing straight from their equations, in double: slow and readable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/kernels/message.h"

namespace fgnn::testing {

using kernels::Index;

// Edges as they are given to an Incidence.
struct Edges {
  std::size_t targets = 0, sources = 0, kinds = 1;
  std::vector<Index> target, source, kind;

  std::size_t size() const { return target.size(); }
  kernels::Incidence incidence(std::size_t block_edges = 512) const {
    return {targets, sources, kinds, target, source, kind, block_edges};
  }
};

// Every edge has ends and a kind drawn at random; the first target gets none.
Edges random_edges(Rng& rng, std::size_t targets, std::size_t sources, std::size_t kinds,
                   std::size_t edges);

// Of the messages that meet at a node.
double aggregate(kernels::Aggregate how, std::span<const double> messages, double temperature);

// kernels/message.h; `in.edges` is not looked at.
std::vector<double> message(const Edges& edges, const kernels::MessageInput<double>& in,
                            const kernels::MessageOptions& options);

// kernels/exclude.h: edges meet at their targets.
std::vector<double> exclude(const Edges& edges, std::size_t copies, std::span<const double> x,
                            std::size_t width, kernels::Aggregate how, double temperature,
                            const std::uint8_t* mask);

}  // namespace fgnn::testing
