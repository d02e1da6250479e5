// The items of a network, each written as operations (builder.h says what they compute). A builder
// calls them one after another; in between this knows which registers hold the rows of variables,
// factors, edges and the graph.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fgnn/network/description.h"
#include "fgnn/network/layer_options.h"
#include "fgnn/network/writer.h"

namespace fgnn::network {

class Layers : protected Writer {
 protected:
  // Throws Error(format) for a schema that has no features or the same name twice.
  explicit Layers(const Description& description);

  void fully_connected(const std::string& name, std::size_t w, LayerOptions o);
  void out(const std::string& name, std::size_t w);
  void dropout(const Item& item);
  void unit();
  void times(const std::string& name, const Item& item);
  void chain(const std::string& name, std::size_t states);

  void pool(const std::string& name, const std::vector<Aggregate>& aggregates,
            const LayerOptions& o);
  void global(const std::string& name, Aggregate aggregate);
  void set_to_set(const std::string& name, std::size_t steps);
  void graph_conv(const std::string& name, std::size_t w, const LayerOptions& o);

  void image(const Item& item);
  void convolution(const Item& item, const std::string& name, const LayerOptions& defaults);

  // FGNN on nodes, with a rank, and on messages.
  void on_nodes(const std::string& name, std::size_t w, const LayerOptions& o);
  void low_rank(const std::string& name, std::size_t w, const LayerOptions& o);
  void fill_factors(const std::string& name, std::size_t w, const LayerOptions& o);
  void on_messages(const std::string& name, std::size_t w, const LayerOptions& o);

  void mpnn(const std::string& name, std::size_t w, LayerOptions o);
  void edge_conv(const std::string& name, std::size_t w, const LayerOptions& o);

  // An argument of an item: a width.
  std::size_t width_of(const std::string& argument) const {
    return named([&] { return read_width(argument); });
  }

  const Description& d_;
  int variable_ = -1, graph_ = -1, dropouts_ = 0;
  std::optional<kernels::ImageShape> image_;  // what the variables' features are
  std::vector<int> factor_, edge_;            // by relation; -1: none yet

 private:
  int& last() { return graph_ >= 0 ? graph_ : variable_; }
  // Q of a message: the table's parameter, or bases and the register of coefficients.
  struct Q {
    int matrices = -1, coefficients = -1;
  };
  Q q(const std::string& name, int relation, std::size_t hidden, std::size_t out,
      const LayerOptions& o);
  Q network_q(const std::string& name, int features, std::size_t hidden, std::size_t out,
              const LayerOptions& o);
  // What a direction of a layer sends: M's hidden layers, the width of Q's messages.
  struct Sent {
    std::vector<std::size_t> hidden;
    std::size_t out;
    std::vector<Aggregate> aggregates;
  };
  int message(const std::string& name, Way way, int relation, int target, int source,
              const Sent& sent, const LayerOptions& o);
  void check_sums(const std::string& form, const LayerOptions& o) const;
  int edge_features(int relation, const std::string& wanted, const std::string& otherwise) const;
  int on_edges(const std::string& name, Way way, int relation, int to, int from,
               const std::vector<std::size_t>& hidden, const LayerOptions& o);
  int by_place(const std::string& name, Way way, int relation, int source, Place place,
               Activation activation, Aggregate aggregate);

  int normalise(const std::string& name, int input, int residual, const LayerOptions& o,
                std::size_t channels = 0);
  int update(const std::string& name, std::vector<int> inputs, std::size_t out, int before,
             const LayerOptions& o);

  // Coefficients of mixtures by name: those of tied layers are the same numbers, and made once.
  std::map<std::string, int> coefficients_;

  std::string relation_name(const std::string& name, std::size_t r) const {
    return name + "." + d_.schema.relations[r].name;
  }
  int relations() const { return static_cast<int>(d_.schema.relations.size()); }
  // Those that an item is about: all, or the ones it names.
  std::vector<int> relations(const LayerOptions& o) const;
  // Columns of what variables come with, where an item asks for some; else -1.
  int given_columns(const LayerOptions& o);
};

}  // namespace fgnn::network
