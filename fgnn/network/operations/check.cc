#include "fgnn/network/operations/check.h"

#include "fgnn/network/batch.h"

namespace fgnn::network {

Ends ends(Way way, int relation) {
  const Place variable{Place::variable}, graph{Place::graph};
  const Place factor{Place::factor, relation}, edge{Place::edge, relation};
  switch (way) {
    case Way::variable_to_factor:
      return {variable, factor};
    case Way::factor_to_variable:
      return {factor, variable};
    case Way::variable_to_edge:
      return {variable, edge};
    case Way::factor_to_edge:
    case Way::position_to_edge:
      return {factor, edge};
    case Way::edge_to_edge:
      return {edge, edge};
    case Way::edge_to_factor:
    case Way::edge_to_position:
      return {edge, factor};
    case Way::edge_to_variable:
    case Way::edge_to_slot:
      return {edge, variable};
    case Way::slot_to_edge:
      return {variable, edge};
    case Way::forward_neighbours:
    case Way::backward_neighbours:
    case Way::neighbours:
      return {variable, variable};
    case Way::variable_to_graph:
      return {variable, graph};
    case Way::graph_to_variable:
      return {graph, variable};
  }
  return {variable, variable};
}

const std::uint8_t* mask_of(Way way, int relation, const Batch& batch) {
  switch (way) {  // where the edges are the relation's, and meet others at a node
    case Way::variable_to_factor:
    case Way::factor_to_variable:
    case Way::edge_to_factor:
    case Way::edge_to_variable:
    case Way::edge_to_position:
    case Way::edge_to_slot: {
      const auto& mask = batch.relations[relation].mask;
      return mask.empty() ? nullptr : mask.data();
    }
    default:
      return nullptr;
  }
}

void check_kinds(const Batch& batch, Way way, int relation, std::int64_t rows) {
  const std::size_t kinds = batch.structure->incidence(way, relation).kinds();
  if (static_cast<std::int64_t>(kinds) <= rows) return;
  throw Error(ErrorCode::usage, fmt::format("relation {}", relation),
              fmt::format("has {} kinds of edges where the network knows {}", kinds, rows));
}

}  // namespace fgnn::network
