#include "fgnn/network/layer_options.h"

namespace fgnn::network {
namespace {

constexpr double kWidest = 65536;

// norm=position is batch norm with moments of its own for every variable.
Setting<LayerOptions> norm() {
  static const Words<NormKind> kWords{"a norm",
                                      {{"none", NormKind::none},
                                       {"batch", NormKind::batch},
                                       {"layer", NormKind::layer},
                                       {"instance", NormKind::instance},
                                       {"position", NormKind::batch}}};
  Setting<LayerOptions> s;
  s.name = "norm";
  s.value = "NORM";
  s.description = "none, batch, layer, instance or position";
  s.word = true;
  s.read = [](LayerOptions& o, std::string_view text) {
    o.norm = kWords.value(text);
    o.by_position = text == "position";
  };
  s.check = [](const LayerOptions&) {};
  s.text = [](const LayerOptions& o) {
    return std::string(o.by_position ? "position" : kWords.name(o.norm));
  };
  s.copy = [](LayerOptions& to, const LayerOptions& from) {
    to.norm = from.norm;
    to.by_position = from.by_position;
  };
  return s;
}

// Both directions at once.
Setting<LayerOptions> aggregate() {
  Setting<LayerOptions> s;
  s.name = "aggregate";
  s.value = "HOW";
  s.description = "max, sum, mean, logsumexp or product, several with +";
  s.word = true;
  s.read = [](LayerOptions& o, std::string_view text) {
    read_value(text, o.to_factor);
    o.to_variable = o.to_factor;
  };
  s.check = [](const LayerOptions& o) { check_value(o.to_factor, not_empty()); };
  s.text = [](const LayerOptions& o) { return text_of(o.to_factor); };
  s.copy = [](LayerOptions& to, const LayerOptions& from) {
    to.to_factor = from.to_factor;
    to.to_variable = from.to_variable;
  };
  return s;
}

}  // namespace

const SettingList<LayerOptions>& layer_settings() {
  using O = LayerOptions;
  static const SettingList<O> kSettings = [] {
    SettingList<O> all("this layer");
    const Rule width = in(1, kWidest);
    const Rule activation = one_of({"identity", "relu", "leaky", "tanh", "sigmoid"});
    all.add("q", &O::q, "KIND", "of matrices on edges",
            one_of({"table", "mixture", "mlp", "identity", "diagonal"}));
    all.add("form", &O::form, "FORM", "where the latents are", one_of({"node", "message"}));
    all.add("order", &O::order, "ORDER", "factors first, or together with variables",
            one_of({"sequence", "together"}));
    all.add("bases", &O::bases, "N", "matrices of q=mixture", width);
    all.add("q_hidden", &O::q_hidden, "N", "width of the network of q=mixture and mlp", width);
    all.add("k", &O::neighbours, "N", "nearest variables of EdgeConv", width);
    all.add(aggregate());  // before the next two: options are read in alphabetical order
    all.add("to_factor", &O::to_factor, "HOW", "aggregators of messages to factors", not_empty());
    all.add("to_variable", &O::to_variable, "HOW", "aggregators of messages to variables",
            not_empty());
    all.add("temperature", &O::temperature, "T", "of logsumexp", above(0));
    all.add("m", &O::m, "WIDTHS", "of hidden layers of M, joined by +", width);
    all.add("update", &O::update, "CHOICE", "a linear map after aggregation");
    all.add("residual", &O::residual, "CHOICE", "the input is added where widths agree");
    all.add(norm());
    all.add("activation", &O::activation, "NAME", "of layers", activation);
    all.add("updated", &O::updated, "NAME", "activation of the update", activation);
    all.add("normed", &O::normed, "WHAT", "what the norm of an update is of",
            one_of({"update", "sum"}));
    all.add("rank", &O::rank, "N", "width of factors in the low-rank form", width);
    all.add("factor", &O::factor, "N", "width of factors", width);
    all.add("mix", &O::mix, "KIND", "where the coefficients of q=mixture come from",
            one_of({"network", "table"}));
    all.add("edges", &O::edges, "CHOICE", "M sees the features of edges");
    all.add("direction", &O::direction, "WAY", "of MPNN",
            one_of({"both", "forward", "backward", "symmetric"}));
    all.add("root", &O::root, "CHOICE", "of MPNN: a linear map of the variable itself");
    all.add("q_bias", &O::q_bias, "CHOICE", "of MPNN");
    all.add("received", &O::received, "NAME", "activation of MPNN's messages", activation);
    all.add("relation", &O::relation, "NAMES",
            "of FC, FGNN, Pairs and Factors: joined by +, or none");
    all.add("first", &O::first, "N", "of FC, Factors and Pool: the first column", in(0, kWidest));
    all.add("columns", &O::columns, "N", "of FC, Factors and Pool", width);
    all.add("positions", &O::positions, "N", "of Factors: matrices by position in the factor",
            width);
    all.add("moments", &O::moments, "N", "of Pool: lengths of weighted sums of places", width);
    return all;
  }();
  return kSettings;
}

std::size_t read_width(const std::string& text) {
  std::size_t width = 0;
  if (!text.empty() && text.find_first_not_of("0123456789") == text.npos && text.size() < 10) {
    read_value(text, width);
  }
  if (width == 0 || width > static_cast<std::size_t>(kWidest)) refuse_text(text, "a width");
  return width;
}

}  // namespace fgnn::network
