// A text that differs between networks whose weights differ.
#pragma once

#include <string>

#include "fgnn/core/fingerprint.h"
#include "fgnn/network/model.h"

namespace fgnn::network {

inline std::string fingerprint(const network::Model& model) {
  Fingerprint f;
  for (const auto& weight : model.weights) {
    for (const double w : weight) f.add(w);
  }
  return f.text();
}

}  // namespace fgnn::network
