// Keeps the warnings that come while it lives.
#pragma once

#include <string>
#include <vector>

#include "fgnn/core/warning.h"

namespace fgnn::testing {

class Warnings {
 public:
  Warnings() {
    lines().clear();
    set_warning_sink([](const std::string& line) { lines().push_back(line); });
  }
  ~Warnings() { set_warning_sink(nullptr); }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;

  static std::vector<std::string>& lines() {
    static std::vector<std::string> all;
    return all;
  }
};

}  // namespace fgnn::testing
