// The features of some graphs: rows of numbers on variables, factors and edge kinds. Doubles, so
// that a network run in double precision loses nothing at its entrance.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fgnn/network/structure.h"

namespace fgnn::network {

struct RelationFeatures {
  std::vector<double> factor;      // copies * factors rows; may be empty
  std::vector<double> edge;        // kinds rows, or copies * kinds; may be empty
  std::vector<std::uint8_t> mask;  // copies * edges, 0 takes an edge out; empty: all are in
};

struct Batch {
  std::shared_ptr<const Structure> structure;
  std::size_t copies = 1;
  std::vector<double> variable;  // copies * variables rows
  std::vector<RelationFeatures> relations;

  std::size_t graphs() const { return copies * structure->graphs(); }

  // Some of its copies.
  Batch some(std::size_t first, std::size_t count) const;

  // Graphs of one structure become copies of it, others a union. Each must have one copy.
  static Batch of(std::span<const Batch> graphs);
};

}  // namespace fgnn::network
