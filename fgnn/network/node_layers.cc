// Items that see rows one by one: FC, Out, Dropout, Unit, Times, Chain.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "fgnn/network/layers.h"

namespace fgnn::network {

void Layers::fully_connected(const std::string& name, std::size_t w, LayerOptions o) {
  o.residual = false;
  if (graph_ >= 0) {
    graph_ = update(name + ".graph", {graph_}, w, -1, o);
    return;
  }
  const int given = given_columns(o);
  variable_ = update(name + ".variable", {given < 0 ? variable_ : given}, w, -1, o);
  for (const int r : relations(o)) {
    if (factor_[r] >= 0) factor_[r] = update(relation_name(name, r), {factor_[r]}, w, -1, o);
  }
}

void Layers::out(const std::string& name, std::size_t w) {
  last() = linear(name + ".out", {last()}, w, true, Activation::identity);
}

void Layers::dropout(const Item& item) {
  struct Options {
    double share = -1;
    bool rows = false;
  } o;
  SettingList<Options> settings("this layer");
  settings.add("rows", &Options::rows, "CHOICE", "zeros of whole rows");
  named([&] { settings.set(o, item.options); });
  if (item.arguments.size() == 1) named([&] { read_value(item.arguments[0], o.share); });
  if (!(o.share >= 0 && o.share < 1)) {
    fail("needs a probability below 1", "write Dropout(0.3), or Dropout(0.1, rows=yes)");
  }
  const int output = add_register(place(last()), width(last()));
  push(Dropout{last(), output, dropouts_++, o.share, o.rows});
  last() = output;
}

void Layers::unit() {
  const int output = add_register(place(last()), width(last()));
  push(Unit{last(), output});
  last() = output;
}

// By a trained number that begins at the item's.
void Layers::times(const std::string& name, const Item& item) {
  double start = 0;
  if (item.arguments.size() == 1) named([&] { read_value(item.arguments[0], start); });
  if (start == 0 || !item.options.empty()) {
    fail("needs the number to begin with", "write Times(10)");
  }
  const int output = add_register(place(last()), width(last()));
  push(Times{last(), parameter(name + ".times", {1}, 0, start), output});
  last() = output;
}

// The log-potentials of a chain: those of each variable, followed by the table of pairs.
void Layers::chain(const std::string& name, std::size_t states) {
  if (graph_ >= 0) fail("needs variables, but Pool has left the graph alone");
  const int own = linear(name + ".out", {variable_}, states, true, Activation::identity);
  const auto n = static_cast<std::int64_t>(states);
  const int pairs = parameter(name + ".pairs", {n, n}, 0);
  variable_ = add_register({Place::variable}, states + states * states);
  push(Append{own, pairs, variable_});
}

}  // namespace fgnn::network
