// Short texts that differ between networks that differ.
#pragma once

#include <string>

#include "fgnn/core/fingerprint.h"
#include "fgnn/network/model.h"

namespace fgnn::network {

// In their weights.
inline std::string fingerprint(const network::Model& model) {
  Fingerprint f;
  for (const auto& weight : model.weights) {
    for (const double w : weight) f.add(w);
  }
  return f.text();
}

// In anything that their files hold: the same weights may stand in another network, and some tasks
// read from the metadata what the network is shown.
inline std::string identity(const network::Model& model) {
  Fingerprint f;
  f.add(fingerprint(model));
  f.add_with_length(model.description.json());
  for (const auto& [key, value] : model.metadata) {
    f.add_with_length(key);
    f.add_with_length(value);
  }
  return f.text();
}

}  // namespace fgnn::network
