#include "fgnn/network/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/suggest.h"
#include "fgnn/network/layer_registry.h"
#include "fgnn/network/layers.h"
#include "fgnn/network/propagation.h"

namespace fgnn::network {
namespace {

constexpr std::size_t kMostItems = 4096;  // repeats inside repeats would never end

class Builder : private Layers {
 public:
  explicit Builder(const Description& description) : Layers(description) {}

  Program run() {
    sequence(parse_network(d_.network), "");
    program.output = graph_ >= 0 ? graph_ : variable_;
    return std::move(program);
  }

 private:
  void sequence(const std::vector<Item>& items, const std::string& prefix) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      for (std::size_t t = 0; t < items[i].times; ++t) {
        std::string name = prefix + std::to_string(i);
        if (items[i].times > 1 && !items[i].tied) name += fmt::format("_{}", t);
        item(items[i], name);
      }
    }
  }

  void item(const Item& item, const std::string& name) {
    subject = fmt::format("network, column {} ({})", item.column, item.name);
    if (++items_ > kMostItems) fail("too many layers");
    if (item.name == "Res") return residual(item, name);
    if (item.name == "Cat") return beside(item, name);
    if (item.name.empty()) return sequence(item.inside, name + ".");
    if (const Layer* added = find_layer(item.name)) return write_added(*added, item, name);
    check_known(item.name);
    if (item.name == "SumProduct" || item.name == "MaxProduct") {
      if (graph_ >= 0) fail("needs variables, but Pool has left the graph alone");
      const auto write = item.name == "SumProduct" ? sum_product : max_product;
      variable_ = write(*this, item, name, variable_, factor_, d_.schema);
      return;
    }
    LayerOptions o;
    named([&] { layer_settings().set(o, d_.defaults); });
    if (item.name == "Image") return image(item);
    if (item.name == "Dropout") return dropout(item);
    if (item.name == "Times") return times(name, item);
    if (item.name == "Conv") return convolution(item, name, o);
    image_.reset();  // whatever follows sees plain numbers
    // Defaults are those of FGNN: the aggregators and matrices of other items are their own.
    if (item.name == "MPNN" || item.name == "Factors")
      o.to_factor = o.to_variable = {Aggregate::sum};
    if (item.name == "Factors") o.q = "table";
    named([&] { layer_settings().set(o, item.options); });
    if (item.name == "Unit") {
      if (!item.arguments.empty()) fail("has no width", "write Unit()");
      return unit();
    }
    if (item.arguments.size() != 1) fail("needs one width (or aggregator)");
    const std::string& argument = item.arguments[0];
    if (item.name == "Pool") {
      std::vector<Aggregate> how;
      named([&] { read_value(argument, how); });
      return pool(name, how, o);
    }
    if (item.name == "Global") {
      return global(name, named([&] { return from_word<Aggregate>(argument); }));
    }
    const std::size_t w = width_of(argument);
    if (item.name == "FC" || item.name == "MLP") return fully_connected(name, w, o);
    if (item.name == "Out") return out(name, w);
    if (item.name == "Set2Set") return set_to_set(name, w);
    if (item.name == "Chain") return chain(name, w);
    if (graph_ >= 0) fail("needs variables, but Pool has left the graph alone");
    if (item.name == "FGNN" && o.rank > 0) return low_rank(name, w, o);
    if (item.name == "FGNN") {
      return o.form == "node" ? on_nodes(name, w, o) : on_messages(name, w, o);
    }
    if (item.name == "Factors") return fill_factors(name, w, o);
    if (item.name == "GraphConv") return graph_conv(name, w, o);
    if (item.name == "MPNN") return mpnn(name, w, o);
    if (item.name == "Pairs") return pairs(name, w, o);
    return edge_conv(name, w, o);
  }

  // Before anything is said of its options, which are another layer's.
  void check_known(const std::string& layer) const {
    std::vector<std::string> known = own_layers();
    if (std::ranges::find(known, layer) != known.end()) return;
    for (const std::string& added : added_layers()) known.push_back(added);
    fail("is not a layer", suggestion(layer, known));
  }

  void write_added(const Layer& layer, const Item& item, const std::string& name) {
    image_.reset();
    LayerCall call{*this, name, item.arguments, item.options, variable_, graph_, factor_};
    layer(call);
    const auto check = [this](int reg, Place::Kind rows) {
      const bool there = reg >= 0 && reg < static_cast<int>(program.registers.size());
      if (!there || place(reg).rows != rows) fail("leaves a register that does not hold its rows");
    };
    if (graph_ < 0) check(variable_, Place::variable);
    if (graph_ >= 0) check(graph_, Place::graph);
    for (const int factor : factor_) {
      if (factor >= 0) check(factor, Place::factor);
    }
  }

  void residual(const Item& item, const std::string& name) {
    const int variable = variable_, graph = graph_;
    const auto factor = factor_;
    sequence(item.inside, name + ".");
    subject = fmt::format("network, column {} (Res)", item.column);
    const auto join = [&](int& now, int before) {
      if (now < 0 || before < 0 || now == before) return;
      if (place(now) != place(before) || width(now) != width(before)) {
        fail(fmt::format("its end has width {}, its beginning {}", width(now), width(before)));
      }
      now = add({now, before});
    };
    join(variable_, variable);
    join(graph_, graph);
    for (std::size_t r = 0; r < factor_.size(); ++r) join(factor_[r], factor[r]);
  }

  // What is inside, beside its input.
  void beside(const Item& item, const std::string& name) {
    const int variable = variable_, graph = graph_;
    sequence(item.inside, name + ".");
    subject = fmt::format("network, column {} (Cat)", item.column);
    if ((graph < 0) != (graph_ < 0)) fail("begins with variables and ends with the graph alone");
    int& now = graph_ >= 0 ? graph_ : variable_;
    const int before = graph_ >= 0 ? graph : variable;
    if (now != before) now = concat({before, now});
  }

  std::size_t items_ = 0;
};

}  // namespace

Program build(const Description& description) { return Builder(description).run(); }

}  // namespace fgnn::network
