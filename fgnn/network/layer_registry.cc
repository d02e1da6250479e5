#include "fgnn/network/layer_registry.h"

#include <algorithm>
#include <cctype>

#include "fgnn/core/error.h"
#include "fgnn/core/registry.h"

namespace fgnn::network {
namespace {

OrderedRegistry<Layer>& layers() {
  static OrderedRegistry<Layer> all("layer");
  return all;
}

bool is_word(const std::string& name) {
  const auto letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
         std::ranges::all_of(name, letter);
}

}  // namespace

const std::vector<std::string>& own_layers() {
  static const std::vector<std::string> all{
      "FC",        "MLP",        "FGNN",       "Res",   "Out",     "Pool",    "Global", "MPNN",
      "EdgeConv",  "SumProduct", "MaxProduct", "Image", "Conv",    "Dropout", "Chain",  "Set2Set",
      "GraphConv", "Unit",       "Times",      "Cat",   "Factors", "Pairs"};
  return all;
}

void add_layer(const std::string& name, Layer layer) {
  const std::string subject = "layer '" + name + "'";
  if (!is_word(name)) throw Error(ErrorCode::usage, subject, "a name is letters and digits");
  if (std::ranges::find(own_layers(), name) != own_layers().end()) {
    throw Error(ErrorCode::usage, subject, "there is one of that name");
  }
  layers().add(name, std::move(layer));
}

const Layer* find_layer(const std::string& name) { return layers().find(name); }

std::vector<std::string> added_layers() { return layers().names(); }

}  // namespace fgnn::network
