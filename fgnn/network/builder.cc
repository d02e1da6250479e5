#include "fgnn/network/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"
#include "fgnn/network/propagation.h"
#include "fgnn/network/writer.h"

namespace fgnn::network {
namespace {

constexpr std::size_t kMostItems = 4096;  // repeats inside repeats would never end

struct LayerOptions {
  std::string q = "table", form = "node", order = "sequence";
  std::size_t bases = 16, q_hidden = 64;
  std::vector<Aggregate> aggregates{Aggregate::max};
  double temperature = 1;
  std::vector<std::size_t> m;
  bool update = true, residual = true;
  NormKind norm = NormKind::batch;
  Activation activation = Activation::relu;
  std::size_t neighbours = 8;
  std::size_t rank = 0;  // width of the factors in the low-rank form; 0: another form
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, '+');) parts.push_back(part);
  return parts;
}

// Reads the options of one item, on top of the defaults.
class OptionReader {
 public:
  explicit OptionReader(std::string subject) : subject_(std::move(subject)) {}

  void read(const std::map<std::string, std::string>& from, LayerOptions& o) const {
    for (const auto& [key, value] : from) read(key, value, o);
  }

  std::size_t number(const std::string& text) const {
    std::size_t n = 0;
    for (const char c : text) {
      if (c < '0' || c > '9' || n > 100000) fail(fmt::format("'{}' is not a width", text));
      n = n * 10 + static_cast<std::size_t>(c - '0');
    }
    if (n == 0 || n > 65536) fail(fmt::format("'{}' is not a width", text));
    return n;
  }

  Aggregate aggregate(const std::string& text) const {
    return kernels::aggregate(
        one_of("aggregate", text, {"max", "sum", "mean", "logsumexp", "product"}));
  }

  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
    throw Error(ErrorCode::format, subject_, what, hint);
  }

 private:
  std::string one_of(const std::string& key, const std::string& value,
                     std::initializer_list<const char*> words) const {
    std::vector<std::string> known(words.begin(), words.end());
    for (const auto& w : known) {
      if (value == w) return value;
    }
    fail(fmt::format("{} is '{}'", key, value), suggestion(value, known));
  }
  bool yes(const std::string& key, const std::string& value) const {
    return one_of(key, value, {"yes", "no"}) == "yes";
  }

  void read(const std::string& key, const std::string& value, LayerOptions& o) const {
    if (key == "q") {
      o.q = one_of(key, value, {"table", "mixture", "mlp", "identity"});
    } else if (key == "form") {
      o.form = one_of(key, value, {"node", "message"});
    } else if (key == "order") {
      o.order = one_of(key, value, {"sequence", "together"});
    } else if (key == "bases") {
      o.bases = number(value);
    } else if (key == "q_hidden") {
      o.q_hidden = number(value);
    } else if (key == "k") {
      o.neighbours = number(value);
    } else if (key == "rank") {
      o.rank = number(value);
    } else if (key == "aggregate") {
      o.aggregates.clear();
      for (const auto& part : split(value)) o.aggregates.push_back(aggregate(part));
      if (o.aggregates.empty()) fail("aggregate is empty");
    } else if (key == "temperature") {
      char* end = nullptr;
      o.temperature = std::strtod(value.c_str(), &end);
      if (*end != '\0' || !(o.temperature > 0)) {
        fail(fmt::format("temperature is '{}'", value), "give a number above 0");
      }
    } else if (key == "m") {
      o.m.clear();
      for (const auto& part : split(value)) o.m.push_back(number(part));
    } else if (key == "update") {
      o.update = yes(key, value);
    } else if (key == "residual") {
      o.residual = yes(key, value);
    } else if (key == "norm") {
      const auto word = one_of(key, value, {"none", "batch", "layer", "instance"});
      o.norm = word == "none"    ? NormKind::none
               : word == "batch" ? NormKind::batch
               : word == "layer" ? NormKind::layer
                                 : NormKind::instance;
    } else if (key == "activation") {
      o.activation =
          kernels::activation(one_of(key, value, {"identity", "relu", "leaky", "tanh", "sigmoid"}));
    } else {
      static const std::vector<std::string> known{
          "q",           "form", "order",  "bases",    "q_hidden", "k",          "aggregate",
          "temperature", "m",    "update", "residual", "norm",     "activation", "rank"};
      fail(fmt::format("'{}' is not an option", key), suggestion(key, known));
    }
  }

  std::string subject_;
};

class Builder : private Writer {
 public:
  explicit Builder(const Description& d) : d_(d) {
    const auto& s = d.schema;
    if (s.variable_features == 0) {
      throw Error(ErrorCode::format, "schema", "variables have no features",
                  "give variable_features");
    }
    variable_ = add_register({Place::variable}, s.variable_features);
    program.variable_input = variable_;
    std::set<std::string> names;
    for (int r = 0; r < static_cast<int>(s.relations.size()); ++r) {
      const auto& relation = s.relations[r];
      // Weights are named by relation; "variable" is what those of variables are called.
      if (relation.name == "variable" || !names.insert(relation.name).second) {
        throw Error(ErrorCode::format, "schema",
                    fmt::format("the name '{}' of a relation is taken", relation.name));
      }
      factor_.push_back(relation.factor_features == 0
                            ? -1
                            : add_register({Place::factor, r}, relation.factor_features));
      program.edge_input.push_back(relation.edge_features == 0
                                       ? -1
                                       : add_register({Place::kind, r}, relation.edge_features));
      edge_.push_back(-1);
    }
    program.factor_input = factor_;
  }

  Program run() {
    sequence(parse_network(d_.network), "");
    program.output = graph_ >= 0 ? graph_ : variable_;
    return std::move(program);
  }

 private:
  // `channels` of an image, or 0: every column has moments of its own.
  int normalise(const std::string& name, int input, int residual, const LayerOptions& o,
                std::size_t channels = 0) {
    if (o.norm == NormKind::none) {
      const int result =
          o.activation == Activation::identity ? input : activate(input, o.activation);
      return residual < 0 ? result : add({result, residual});
    }
    const std::vector<std::int64_t> shape{std::int64_t(channels > 0 ? channels : width(input))};
    const bool batch = o.norm == NormKind::batch;
    const int output = add_register(place(input), width(input));
    const int scale = parameter(name + ".scale", shape, 0, 1);
    const int shift = parameter(name + ".shift", shape, 0);
    const int mean = batch ? parameter(name + ".mean", shape, 0, 0, false) : -1;
    const int variance = batch ? parameter(name + ".variance", shape, 0, 1, false) : -1;
    program.operations.push_back(
        Norm{input, residual, output, o.norm, scale, shift, mean, variance, o.activation});
    return output;
  }

  // norm(linear(inputs)), activated, plus `before` where it has the same width.
  int update(const std::string& name, std::vector<int> inputs, std::size_t out, int before,
             const LayerOptions& o) {
    const bool plain = !o.update && inputs.size() == 1 && width(inputs[0]) == out;
    const int mapped =
        plain ? inputs[0]
              : linear(name + ".linear", std::move(inputs), out,
                       o.norm == NormKind::none || o.norm == NormKind::layer, Activation::identity);
    const bool residual = o.residual && before >= 0 && width(before) == out;
    return normalise(name + ".norm", mapped, residual ? before : -1, o);
  }

  // ---- items ----

  void sequence(const std::vector<Item>& items, const std::string& prefix) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      for (std::size_t t = 0; t < items[i].times; ++t) {
        std::string name = prefix + std::to_string(i);
        if (items[i].times > 1 && !items[i].tied) name += "_" + std::to_string(t);
        item(items[i], name);
      }
    }
  }

  void item(const Item& item, const std::string& name) {
    subject = fmt::format("network, column {} ({})", item.column, item.name);
    if (++items_ > kMostItems) fail("too many layers");
    if (item.name == "Res") return residual(item, name);
    if (item.name.empty()) return sequence(item.inside, name + ".");
    check_known(item.name);
    if (item.name == "SumProduct" || item.name == "MaxProduct") {
      if (graph_ >= 0) fail("needs variables, but Pool has left the graph alone");
      const auto write = item.name == "SumProduct" ? sum_product : max_product;
      variable_ = write(*this, item, name, variable_, factor_, d_.schema);
      return;
    }
    const OptionReader reader(subject);
    LayerOptions o;
    reader.read(d_.defaults, o);
    if (item.name == "Image") return image(item, reader);
    if (item.name == "Dropout") return dropout(item);
    if (item.name == "Conv") return convolution(item, name, reader, o);
    image_.reset();  // whatever follows sees plain numbers
    reader.read(item.options, o);
    if (item.arguments.size() != 1) reader.fail("needs one width (or aggregator)");
    const std::string& argument = item.arguments[0];
    if (item.name == "Pool" || item.name == "Global") {
      return pool(name, reader.aggregate(argument), item.name == "Global");
    }
    const std::size_t w = reader.number(argument);
    if (item.name == "FC" || item.name == "MLP") return fully_connected(name, w, o);
    if (item.name == "Out") return out(name, w);
    if (item.name == "Chain") return chain(name, w);
    if (graph_ >= 0) fail("needs variables, but Pool has left the graph alone");
    if (item.name == "FGNN" && o.rank > 0) return low_rank(name, w, o);
    if (item.name == "FGNN") {
      return o.form == "node" ? on_nodes(name, w, o) : on_messages(name, w, o);
    }
    if (item.name == "MPNN") return mpnn(name, w, o);
    return edge_conv(name, w, o);
  }

  // Before anything is said of its options, which are another layer's.
  void check_known(const std::string& layer) const {
    static const std::vector<std::string> known{
        "FC",       "MLP",        "FGNN",       "Res",   "Out",  "Pool",    "Global", "MPNN",
        "EdgeConv", "SumProduct", "MaxProduct", "Image", "Conv", "Dropout", "Chain"};
    if (std::find(known.begin(), known.end(), layer) == known.end()) {
      fail("is not a layer", suggestion(layer, known));
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

  void fully_connected(const std::string& name, std::size_t w, LayerOptions o) {
    o.residual = false;
    if (graph_ >= 0) {
      graph_ = update(name + ".graph", {graph_}, w, -1, o);
      return;
    }
    variable_ = update(name + ".variable", {variable_}, w, -1, o);
    for (std::size_t r = 0; r < factor_.size(); ++r) {
      if (factor_[r] >= 0) factor_[r] = update(relation_name(name, r), {factor_[r]}, w, -1, o);
    }
  }

  void out(const std::string& name, std::size_t w) {
    int& last = graph_ >= 0 ? graph_ : variable_;
    last = linear(name + ".out", {last}, w, true, Activation::identity);
  }

  // ---- rows that are images ----

  // From here on the variables' features are an image.
  void image(const Item& item, const OptionReader& reader) {
    if (item.arguments.size() != 2 || !item.options.empty()) {
      fail("needs a height and a width", "write Image(16, 8)");
    }
    const std::size_t height = reader.number(item.arguments[0]);
    const std::size_t columns = reader.number(item.arguments[1]);
    if (graph_ >= 0) fail("needs variables, but Pool has left the graph alone");
    if (width(variable_) % (height * columns) != 0) {
      fail(fmt::format("variables have {} numbers, not a multiple of {} x {}", width(variable_),
                       height, columns));
    }
    image_ = {height, columns, width(variable_) / (height * columns)};
  }

  void convolution(Item item, const std::string& name, const OptionReader& reader, LayerOptions o) {
    const auto own = [&](const char* key, std::size_t otherwise) {
      const auto at = item.options.find(key);
      if (at == item.options.end()) return otherwise;
      const std::size_t value = reader.number(at->second);
      item.options.erase(at);
      return value;
    };
    const std::size_t size = own("size", 3), pool = own("pool", 1);
    reader.read(item.options, o);
    if (item.arguments.size() != 1) fail("needs one number of channels");
    if (!image_ || image_->numbers() != width(variable_)) {
      fail("needs an image", "begin with Image(16, 8)");
    }
    if (size % 2 == 0 || size > 15) fail(fmt::format("size is {}", size), "odd, up to 15");
    if (pool > 16) fail(fmt::format("pool is {}", pool), "up to 16");
    if (o.norm != NormKind::batch && o.norm != NormKind::none) {
      fail("a convolution has norm=batch or none");
    }
    const std::size_t channels = reader.number(item.arguments[0]);
    const std::size_t fan_in = size * size * image_->channels;
    const std::string layer = name + ".conv";
    const int weight = parameter(layer + ".weight", {std::int64_t(fan_in), std::int64_t(channels)},
                                 bound_of(fan_in));
    const int bias = o.norm == NormKind::none
                         ? parameter(layer + ".bias", {std::int64_t(channels)}, bound_of(fan_in))
                         : -1;
    int x = add_register({Place::variable}, image_->pixels() * channels);
    program.operations.push_back(Convolution{variable_, weight, bias, x, *image_, size});
    image_->channels = channels;
    // Pooled first: the norm and the activation have less to do behind it.
    if (pool > 1) {
      const int output = add_register({Place::variable}, pooled(*image_, pool).numbers());
      program.operations.push_back(MaxPool{x, output, *image_, pool});
      image_ = pooled(*image_, pool);
      x = output;
    }
    variable_ = normalise(name + ".norm", x, -1, o, channels);
  }

  void dropout(const Item& item) {
    const bool rows = item.options.contains("rows") && item.options.at("rows") == "yes";
    double share = -1;
    if (item.arguments.size() == 1) {
      char* end = nullptr;
      share = std::strtod(item.arguments[0].c_str(), &end);
      if (*end != '\0') share = -1;
    }
    if (!(share >= 0 && share < 1) || item.options.size() > rows) {
      fail("needs a probability below 1", "write Dropout(0.3), or Dropout(0.1, rows=yes)");
    }
    int& last = graph_ >= 0 ? graph_ : variable_;
    const int output = add_register(place(last), width(last));
    program.operations.push_back(Dropout{last, output, dropouts_++, share, rows});
    last = output;
  }

  // The log-potentials of a chain: those of each variable, and behind them the table of pairs.
  void chain(const std::string& name, std::size_t states) {
    if (graph_ >= 0) fail("needs variables, but Pool has left the graph alone");
    const int own = linear(name + ".out", {variable_}, states, true, Activation::identity);
    const auto n = static_cast<std::int64_t>(states);
    const int pairs = parameter(name + ".pairs", {n, n}, 0);
    variable_ = add_register({Place::variable}, states + states * states);
    program.operations.push_back(Append{own, pairs, variable_});
  }

  std::string relation_name(const std::string& name, std::size_t r) const {
    return name + "." + d_.schema.relations[r].name;
  }

  void pool(const std::string& name, Aggregate aggregate, bool global) {
    if (graph_ >= 0) fail("there are no variables left");
    const std::size_t w = width(variable_);
    const int pooled = add_register({Place::graph}, w);
    Message m{Way::variable_to_graph, 0, -1, variable_, pooled, -1, -1, {}};
    m.options = {w, w, Activation::identity, {aggregate}, 1};
    program.operations.push_back(m);
    if (!global) {
      graph_ = pooled;
      return;
    }
    const int back = gather(Way::graph_to_variable, 0, pooled, {Place::variable});
    // A linear map of both, as part of this item: side by side they are never written down.
    variable_ = linear(name + ".global", {variable_, back}, w, true, Activation::relu);
  }

  // Q of a message: the table's parameter, or bases and the register of coefficients.
  struct Q {
    int matrices = -1, coefficients = -1;
  };
  Q q(const std::string& name, int relation, std::size_t hidden, std::size_t out,
      const LayerOptions& o) {
    const auto& schema = d_.schema.relations[relation];
    const std::int64_t h = std::int64_t(hidden), w = std::int64_t(out);
    if (o.q == "identity") {
      if (hidden != out) fail("q=identity needs m's last width to be the layer's");
      return {};
    }
    if (o.q == "table") {
      return {parameter(name + ".q", {std::int64_t(schema.kinds), h, w}, bound_of(hidden)), -1};
    }
    if (program.edge_input[relation] < 0) {
      fail(fmt::format("q={} needs features on the edges of '{}'", o.q, schema.name),
           "q=table needs none");
    }
    return network_q(name, program.edge_input[relation], hidden, out, o);
  }

  Q network_q(const std::string& name, int features, std::size_t hidden, std::size_t out,
              const LayerOptions& o) {
    // A matrix whose entries are an affine function of hidden units is a mixture with as many bases
    // as units, and one for the bias.
    const bool mixture = o.q == "mixture";
    int c = linear(name + ".q.hidden", {features}, o.q_hidden, true, Activation::relu);
    if (mixture) c = linear(name + ".q.mix", {c}, o.bases, true, Activation::identity);
    const std::size_t bases = width(c);
    // Like a table at the start: coefficients of size 1/sqrt(bases) each.
    const double bound = bound_of(hidden) * (mixture ? std::sqrt(3.0) : 1);
    return {parameter(name + ".q.bases",
                      {std::int64_t(bases), std::int64_t(hidden), std::int64_t(out)}, bound),
            c};
  }

  // One direction of a layer: M, Q, aggregate. Returns the aggregate at `target`'s place.
  int message(const std::string& name, Way way, int relation, int target, int source, Place place,
              std::size_t w, const LayerOptions& o) {
    const std::vector<std::size_t> hidden = o.m.empty() ? std::vector<std::size_t>{w} : o.m;
    const int from = linear(name + ".source", {source}, hidden[0], true, Activation::identity);
    const int to = target < 0
                       ? -1
                       : linear(name + ".target", {target}, hidden[0], false, Activation::identity);
    Message m{way, relation, to, from, -1, -1, -1, {}};
    m.options = {hidden[0], w, o.activation, o.aggregates, o.temperature};
    if (hidden.size() > 1) {
      m.source = on_edges(name, way, relation, to, from, hidden, o);
      m.way = way == Way::variable_to_factor ? Way::edge_to_factor : Way::edge_to_variable;
      m.target = -1;
      m.options.hidden = hidden.back();
      m.options.activation = Activation::identity;
    }
    const Q matrices = q(name, relation, m.options.hidden, w, o);
    m.matrices = matrices.matrices;
    m.coefficients = matrices.coefficients;
    m.output = add_register(place, w * o.aggregates.size());
    program.operations.push_back(m);
    return m.output;
  }

  // M's layers behind the first, on edges.
  int on_edges(const std::string& name, Way way, int relation, int to, int from,
               const std::vector<std::size_t>& hidden, const LayerOptions& o) {
    const Place edges{Place::edge, relation};
    const bool up = way == Way::variable_to_factor;
    int x = gather(up ? Way::variable_to_edge : Way::factor_to_edge, relation, from, edges);
    if (to >= 0) {
      x = add({x, gather(up ? Way::factor_to_edge : Way::variable_to_edge, relation, to, edges)});
    }
    x = activate(x, o.activation);
    for (std::size_t k = 1; k < hidden.size(); ++k) {
      x = linear(fmt::format("{}.m{}", name, k), {x}, hidden[k], true, o.activation);
    }
    return x;
  }

  void on_nodes(const std::string& name, std::size_t w, const LayerOptions& o) {
    const auto before = factor_;
    for (int r = 0; r < relations(); ++r) {
      const std::string n = relation_name(name, r) + ".vf";
      const int m =
          message(n, Way::variable_to_factor, r, factor_[r], variable_, {Place::factor, r}, w, o);
      factor_[r] = update(n + ".update", {m}, w, factor_[r], o);
    }
    std::vector<int> received;
    for (int r = 0; r < relations(); ++r) {
      const int source = o.order == "together" && before[r] >= 0 ? before[r] : factor_[r];
      received.push_back(message(relation_name(name, r) + ".fv", Way::factor_to_variable, r,
                                 variable_, source, {Place::variable}, w, o));
    }
    if (received.empty()) received.push_back(variable_);
    variable_ = update(name + ".variable.update", received, w, variable_, o);
  }

  // The low-rank form: factors of width `rank`, places in the factor by a diagonal each.
  void low_rank(const std::string& name, std::size_t w, const LayerOptions& o) {
    if (o.form != "node" || !o.m.empty()) fail("rank takes neither form=message nor m");
    if (o.aggregates.size() != 1) fail("rank takes one aggregator");
    if (o.aggregates[0] == Aggregate::mean || o.aggregates[0] == Aggregate::logsumexp) {
      fail("rank takes aggregate=sum, product or max");
    }
    LayerOptions factors = o;
    factors.update = false;
    std::vector<int> received;
    for (int r = 0; r < relations(); ++r) {
      const std::string n = relation_name(name, r);
      const int terms = linear(n + ".terms", {variable_}, o.rank, true, Activation::identity);
      const int m = by_place(n + ".vf", Way::variable_to_factor, r, terms, {Place::factor, r},
                             o.activation, o.aggregates[0]);
      if (factor_[r] >= 0 && width(factor_[r]) != o.rank) {
        factor_[r] = linear(n + ".start", {factor_[r]}, o.rank, true, Activation::identity);
      }
      factor_[r] = update(n + ".factor", {m}, o.rank, factor_[r], factors);
      received.push_back(by_place(n + ".fv", Way::factor_to_variable, r, factor_[r],
                                  {Place::variable}, Activation::identity, Aggregate::sum));
    }
    if (received.empty()) received.push_back(variable_);
    LayerOptions variables = o;
    variables.update = true;
    variable_ = update(name + ".variable.update", received, w, variable_, variables);
  }

  // Diagonal matrices by kind of edge, near the identity at the start; activated messages also have
  // a shift.
  int by_place(const std::string& name, Way way, int relation, int source, Place place,
               Activation activation, Aggregate aggregate) {
    const std::vector<std::int64_t> shape{
        static_cast<std::int64_t>(d_.schema.relations[relation].kinds),
        static_cast<std::int64_t>(width(source))};
    const int scale = parameter(name + ".scale", shape, 1, 0);
    const int shift =
        activation == Activation::identity ? -1 : parameter(name + ".shift", shape, 0.5, 0);
    const int output = add_register(place, width(source));
    program.operations.push_back(
        ScaledMessage{way, relation, source, output, scale, shift, activation, aggregate});
    return output;
  }

  void on_messages(const std::string& name, std::size_t w, const LayerOptions& o) {
    if (o.aggregates.size() != 1) fail("form=message takes one aggregator");
    std::vector<int> to_variable, sums;
    for (int r = 0; r < relations(); ++r) {
      const std::string n = relation_name(name, r);
      const Place edges{Place::edge, r};
      if (edge_[r] < 0) {
        const int start = linear(n + ".start", {variable_}, w, true, Activation::identity);
        edge_[r] = gather(Way::variable_to_edge, r, start, edges);
      }
      const std::size_t hidden = o.m.empty() ? w : o.m[0];
      const int h = linear(n + ".m", {edge_[r]}, hidden, true, o.activation);
      Message product{Way::edge_to_edge, r, -1, h, -1, -1, -1, {}};
      product.options = {hidden, w, Activation::identity, {Aggregate::sum}, 1};
      const Q matrices = q(n, r, hidden, w, o);
      product.matrices = matrices.matrices;
      product.coefficients = matrices.coefficients;
      product.output = add_register(edges, w);
      program.operations.push_back(product);
      std::vector<int> inputs{
          exclude(Way::edge_to_factor, r, product.output, o.aggregates[0], o.temperature)};
      if (factor_[r] >= 0) inputs.push_back(gather(Way::factor_to_edge, r, factor_[r], edges));
      to_variable.push_back(linear(n + ".y", inputs, w, true, o.activation));
      sums.push_back(gather(Way::edge_to_variable, r, to_variable.back(), {Place::variable}));
    }
    for (int r = 0; r < relations(); ++r) {
      const Place edges{Place::edge, r};
      std::vector<int> inputs{exclude(Way::edge_to_variable, r, to_variable[r], Aggregate::sum),
                              gather(Way::variable_to_edge, r, variable_, edges)};
      for (int s = 0; s < relations(); ++s) {
        if (s != r) inputs.push_back(gather(Way::variable_to_edge, r, sums[s], edges));
      }
      edge_[r] = update(relation_name(name, r) + ".x", inputs, w, edge_[r], o);
    }
    if (sums.empty()) sums.push_back(variable_);
    variable_ = update(name + ".variable.update", sums, w, variable_, o);
  }

  // Gilmer et al. 2017: m_i = sum_j Q(features of the factor joining i and j) f_j; f = GRU(f, m).
  // Pairwise: of high-order factors it knows nothing, unless there are no others.
  void mpnn(const std::string& name, std::size_t w, LayerOptions o) {
    if (width(variable_) != w) {
      LayerOptions before = o;
      before.residual = false;
      variable_ = update(name + ".start", {variable_}, w, -1, before);
    }
    o.q = "mlp";
    std::vector<int> received;
    const auto is_pair = [&](int r) {
      return program.factor_input[r] >= 0 && d_.schema.relations[r].kinds <= 2;
    };
    bool pairs = false;
    for (int r = 0; r < relations(); ++r) pairs |= is_pair(r);
    for (int r = 0; r < relations(); ++r) {
      if (program.factor_input[r] < 0 || (pairs && !is_pair(r))) continue;
      const std::string n = relation_name(name, r);
      for (const auto& [way, suffix] : {std::pair(Way::forward_neighbours, ".later"),
                                        std::pair(Way::backward_neighbours, ".earlier")}) {
        const Q matrices = network_q(n + suffix, program.factor_input[r], w, w, o);
        const int output = add_register({Place::variable}, w);
        Message m{way, r, -1, variable_, output, matrices.matrices, matrices.coefficients, {}};
        m.options = {w, w, Activation::identity, {Aggregate::sum}, 1};
        program.operations.push_back(m);
        received.push_back(output);
      }
    }
    if (received.empty()) fail("needs factors with features");
    const int message = add(received);
    const int input = linear(name + ".gru.input", {message}, 3 * w, true, Activation::identity);
    const int hidden = linear(name + ".gru.hidden", {variable_}, 3 * w, true, Activation::identity);
    const int output = add_register({Place::variable}, w);
    program.operations.push_back(Gru{input, hidden, variable_, output});
    variable_ = output;
  }

  // Wang et al. 2019: max_j act(A f_i + B (f_j - f_i)), with A - B folded into one map.
  void edge_conv(const std::string& name, std::size_t w, const LayerOptions& o) {
    const int id = nearest_++;
    program.operations.push_back(KNearest{variable_, id, o.neighbours});
    const int to = linear(name + ".self", {variable_}, w, true, Activation::identity);
    const int from = linear(name + ".neighbour", {variable_}, w, false, Activation::identity);
    const int output = add_register({Place::variable}, w);
    Message m{Way::variable_to_graph, 0, to, from, output, -1, -1, {}, id};
    m.options = {w, w, o.activation, {Aggregate::max}, 1};
    program.operations.push_back(m);
    variable_ = normalise(name + ".norm", output, -1, o);
  }

  int relations() const { return static_cast<int>(d_.schema.relations.size()); }

  const Description& d_;
  int variable_ = -1, graph_ = -1, nearest_ = 0, dropouts_ = 0;
  std::optional<kernels::ImageShape> image_;  // what the variables' features are
  std::size_t items_ = 0;
  std::vector<int> factor_, edge_;  // by relation; -1: none yet
};

}  // namespace

Program build(const Description& description) { return Builder(description).run(); }

}  // namespace fgnn::network
