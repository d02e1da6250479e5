#include "fgnn/network/layer_options.h"

#include <fmt/format.h>

#include <cstdlib>

#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/core/suggest.h"

namespace fgnn::network {

std::size_t OptionReader::number(const std::string& text) const {
  std::size_t n = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || n > 100000) fail(fmt::format("'{}' is not a width", text));
    n = n * 10 + static_cast<std::size_t>(c - '0');
  }
  if (n == 0 || n > 65536) fail(fmt::format("'{}' is not a width", text));
  return n;
}

Aggregate OptionReader::aggregate(const std::string& text) const {
  return kernels::aggregate(
      one_of("aggregate", text, {"max", "sum", "mean", "logsumexp", "product"}));
}

std::vector<Aggregate> OptionReader::aggregates(const std::string& text) const {
  std::vector<Aggregate> all;
  for (const auto& part : split(text, '+')) all.push_back(aggregate(part));
  return all;
}

void OptionReader::fail(const std::string& what, const std::string& hint) const {
  throw Error(ErrorCode::format, subject_, what, hint);
}

std::string OptionReader::one_of(const std::string& key, const std::string& value,
                                 std::initializer_list<const char*> words) const {
  std::vector<std::string> known(words.begin(), words.end());
  for (const auto& w : known) {
    if (value == w) return value;
  }
  fail(fmt::format("{} is '{}'", key, value), suggestion(value, known));
}

bool OptionReader::yes(const std::string& key, const std::string& value) const {
  return one_of(key, value, {"yes", "no"}) == "yes";
}

Activation OptionReader::activation(const std::string& key, const std::string& value) const {
  return kernels::activation(one_of(key, value, {"identity", "relu", "leaky", "tanh", "sigmoid"}));
}

void OptionReader::read(const std::string& key, const std::string& value, LayerOptions& o) const {
  if (key == "q") {
    o.q = one_of(key, value, {"table", "mixture", "mlp", "identity", "diagonal"});
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
  } else if (key == "factor") {
    o.factor = number(value);
  } else if (key == "aggregate") {  // before the next two: options are read in alphabetical order
    o.to_factor = o.to_variable = aggregates(value);
  } else if (key == "to_factor") {
    o.to_factor = aggregates(value);
  } else if (key == "to_variable") {
    o.to_variable = aggregates(value);
  } else if (key == "temperature") {
    char* end = nullptr;
    o.temperature = std::strtod(value.c_str(), &end);
    if (*end != '\0' || !(o.temperature > 0)) {
      fail(fmt::format("temperature is '{}'", value), "give a number above 0");
    }
  } else if (key == "m") {
    o.m.clear();
    for (const auto& part : split(value, '+')) o.m.push_back(number(part));
  } else if (key == "update") {
    o.update = yes(key, value);
  } else if (key == "residual") {
    o.residual = yes(key, value);
  } else if (key == "norm") {
    const auto word = one_of(key, value, {"none", "batch", "layer", "instance", "position"});
    o.by_position = word == "position";
    o.norm = word == "none"       ? NormKind::none
             : word == "layer"    ? NormKind::layer
             : word == "instance" ? NormKind::instance
                                  : NormKind::batch;
  } else if (key == "activation") {
    o.activation = activation(key, value);
  } else if (key == "updated") {
    o.updated = activation(key, value);
  } else if (key == "received") {
    o.received = activation(key, value);
  } else if (key == "mix") {
    o.mix = one_of(key, value, {"network", "table"});
  } else if (key == "edges") {
    o.edges = yes(key, value);
  } else if (key == "factors") {
    o.factors = yes(key, value);
  } else if (key == "direction") {
    o.direction = one_of(key, value, {"both", "forward", "backward", "symmetric"});
  } else if (key == "root") {
    o.root = yes(key, value);
  } else if (key == "q_bias") {
    o.q_bias = yes(key, value);
  } else if (key == "relation") {
    o.relation = value;
  } else if (key == "first") {
    o.first = value == "0" ? 0 : number(value);
  } else if (key == "columns") {
    o.columns = number(value);
  } else {
    static const std::vector<std::string> known{
        "q",           "form",        "order",    "bases",    "q_hidden", "k",          "aggregate",
        "temperature", "m",           "update",   "residual", "norm",     "activation", "rank",
        "to_factor",   "to_variable", "factor",   "mix",      "edges",    "direction",  "root",
        "q_bias",      "received",    "relation", "first",    "columns",  "updated",    "factors"};
    fail(fmt::format("'{}' is not an option", key), suggestion(key, known));
  }
}

}  // namespace fgnn::network
