// Options of a network's items (builder.h lists them), read from the text of a description.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

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
  std::size_t neighbours = 8;
  std::size_t rank = 0;    // width of the factors in the low-rank form; 0: another form
  std::size_t factor = 0;  // width of the factors in the form on nodes; 0: as wide as variables
  std::string mix = "network";  // where the coefficients of q=mixture come from
  bool edges = false;           // M sees the features of edges
  bool factors = true;          // of FC: factors get a layer of their own too

  // Of MPNN.
  std::string direction = "both";
  bool root = false, q_bias = false;
  Activation received = Activation::identity;

  std::string relation;  // of FGNN, Pairs and Factors, joined by +; "": all

  // Of Factors.
  std::size_t first = 0, columns = 0;
};

// Reads the options of one item, on top of the defaults. Throws Error(format) that names the item.
class OptionReader {
 public:
  explicit OptionReader(std::string subject) : subject_(std::move(subject)) {}

  void read(const std::map<std::string, std::string>& from, LayerOptions& o) const {
    for (const auto& [key, value] : from) read(key, value, o);
  }
  std::size_t number(const std::string& text) const;  // a width
  Aggregate aggregate(const std::string& text) const;
  std::vector<Aggregate> aggregates(const std::string& text) const;  // joined by +

  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const;

 private:
  std::string one_of(const std::string& key, const std::string& value,
                     std::initializer_list<const char*> words) const;
  Activation activation(const std::string& key, const std::string& value) const;
  bool yes(const std::string& key, const std::string& value) const;
  void read(const std::string& key, const std::string& value, LayerOptions& o) const;

  std::string subject_;
};

}  // namespace fgnn::network
