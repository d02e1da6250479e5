// Options that experiments bring as data (experiments/arguments.h), as options of the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fgnn/experiments/arguments.h"

namespace fgnn::cli {

class DataOptions {
 public:
  // Options of one name are one option; their descriptions stand beside each other, each after
  // `whose` it is.
  void declare(CLI::App& command, const std::vector<experiments::Option>& options,
               const std::string& whose = "");
  // What was given, by the time the command runs.
  experiments::Arguments get() const;

 private:
  struct Declared {
    CLI::Option* option = nullptr;
    std::vector<std::string> values;
    bool flag = false;
  };
  std::map<std::string, std::unique_ptr<Declared>> declared_;
  std::map<std::string, std::string> fallbacks_;
};

}  // namespace fgnn::cli
