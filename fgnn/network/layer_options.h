// Options of a network's items (builder.h lists them), read from the text of a description.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fgnn/core/settings.h"
#include "fgnn/network/operations.h"

namespace fgnn::network {

struct LayerOptions {
  std::string q = "table", form = "node", order = "sequence";
  std::size_t bases = 16, q_hidden = 64;
  std::vector<Aggregate> to_factor{Aggregate::max}, to_variable{Aggregate::max};
  double temperature = 1;
  std::vector<std::size_t> m;
  bool update = true, residual = true;
  NormKind norm = NormKind::batch;
  bool by_position = false;  // norm=position: batch norm with moments for every variable of a graph
  Activation activation = Activation::relu;
  std::optional<Activation> updated;  // of the update, where it is not that of M
  std::string normed = "update";      // what the norm is of: that, or its sum with what was there
  std::size_t neighbours = 8;
  std::size_t rank = 0;    // width of the factors in the low-rank form; 0: another form
  std::size_t factor = 0;  // width of the factors in the form on nodes; 0: as wide as variables
  std::string mix = "network";  // where the coefficients of q=mixture come from
  bool edges = false;           // M sees the features of edges

  // Of MPNN.
  std::string direction = "both";
  bool root = false, q_bias = false;
  Activation received = Activation::identity;

  // Of FC, FGNN and Factors: relations joined by +.
  std::string relation;  // "": all
  // Of FC and Factors.
  std::size_t first = 0, columns = 0;
  // Of Factors: so many matrices, by an edge's position within its factor; 0: by kind.
  std::size_t positions = 0;
  // Of Pool.
  std::size_t moments = 0;
};

const SettingList<LayerOptions>& layer_settings();

// A width as the argument of an item. Throws Error(usage).
std::size_t read_width(const std::string& text);

}  // namespace fgnn::network
