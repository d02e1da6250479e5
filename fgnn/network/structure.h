// The structure of the graphs of a batch, as a network sees it: variables, and factors of several
// types ("relations"), each with its edges. Potentials are features, not structure.
//
// A batch whose graphs share their structure holds it once, with many copies of the features
// (kernels/incidence.h); other batches hold the union of their graphs.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "fgnn/kernels/incidence.h"

namespace fgnn::network {

using kernels::Incidence;
using kernels::Index;

struct Relation {
  std::size_t factors = 0;
  std::size_t kinds = 1;        // rows of the table that `kind` points into
  bool own_kinds = false;       // the table belongs to the graph (edge features), not to the model
  std::vector<Index> factor;    // by edge, ascending
  std::vector<Index> variable;  // by edge
  std::vector<Index> kind;      // by edge; empty: all 0
  std::size_t edges() const { return factor.size(); }
};

// Which rows send to which: the second kind of row gathers from the first.
enum class Way {
  variable_to_factor,
  factor_to_variable,
  variable_to_edge,
  factor_to_edge,
  edge_to_edge,  // each edge to itself: a matrix product by kind
  edge_to_factor,
  edge_to_variable,
  // The same with other kinds: an edge's position within its factor, its slot among the edges of
  // its variable. Matrices by these put messages side by side and take them apart again.
  edge_to_position,
  position_to_edge,
  edge_to_slot,
  slot_to_edge,
  forward_neighbours,  // variables to later variables of the same factor
  backward_neighbours,
  neighbours,  // both
  variable_to_graph,
  graph_to_variable,
};

class Structure {
 public:
  // Graph g owns variables variable_offset[g] .. variable_offset[g + 1], and likewise factors;
  // without offsets everything is one graph. Throws Error(usage) naming what does not fit.
  Structure(std::size_t variables, std::vector<Relation> relations,
            std::vector<std::size_t> variable_offset = {},
            std::vector<std::vector<std::size_t>> factor_offset = {});

  std::size_t variables() const { return variables_; }
  std::size_t graphs() const { return variable_offset_.size() - 1; }
  const std::vector<Relation>& relations() const { return relations_; }
  std::span<const std::size_t> variable_offset() const { return variable_offset_; }
  std::span<const std::size_t> factor_offset(std::size_t relation) const {
    return factor_offset_[relation];
  }

  // Made at the first call and kept; safe from several threads.
  const Incidence& incidence(Way way, std::size_t relation) const;

  // The graphs one after another.
  static std::shared_ptr<const Structure> join(
      std::span<const std::shared_ptr<const Structure>> graphs);

 private:
  Incidence make(Way way, std::size_t relation) const;

  std::size_t variables_;
  std::vector<Relation> relations_;
  std::vector<std::size_t> variable_offset_;
  std::vector<std::vector<std::size_t>> factor_offset_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<Way, std::size_t>, std::unique_ptr<Incidence>> made_;
};

}  // namespace fgnn::network
