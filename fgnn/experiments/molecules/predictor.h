// Targets of molecules by a trained network, with warnings where a molecule is unlike those that
// the network was trained on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fgnn/experiments/molecules/graphs.h"
#include "fgnn/experiments/molecules/scaling.h"
#include "fgnn/network/model.h"

namespace fgnn::molecules {

struct Prediction {
  std::string name, formula;
  std::vector<double> values;  // by the predictor's targets, in the files' units; empty: none
  std::vector<std::string> warnings;
};

class Predictor {
 public:
  // Throws Error(usage) naming `file` for a model of another task.
  Predictor(network::Model model, const std::string& file);
  static Predictor load(const std::string& file_or_name);

  const std::vector<std::size_t>& targets() const { return targets_; }
  std::vector<Prediction> predict(const MoleculeSet& molecules, int threads) const;

 private:
  Prediction look_at(const MoleculeSet& molecules, std::size_t m) const;
  void run(const MoleculeSet& molecules, std::span<const std::size_t> some,
           std::vector<Prediction>& into) const;

  network::Model model_;
  GraphOptions graph_;
  Scaling scaling_;
  std::vector<std::size_t> targets_;
  std::size_t largest_ = 0, heaviest_ = 0;  // atoms, and heavy ones, of the training molecules
};

}  // namespace fgnn::molecules
