#include "fgnn/experiments/molecules/predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/parse.h"
#include "fgnn/experiments/molecules/atom_features.h"
#include "fgnn/experiments/molecules/task.h"
#include "fgnn/learned/weights.h"
#include "fgnn/network/run.h"

namespace fgnn::molecules {
namespace {

constexpr std::size_t kDipole = 0;  // among the targets

constexpr std::size_t kTogether = 32;  // molecules of one run

const std::string& setting(const network::Model& model, const std::string& key,
                           const std::string& file) {
  const auto found = model.metadata.find(key);
  if (found != model.metadata.end()) return found->second;
  throw Error(ErrorCode::usage, file, "is not a network for molecules",
              "train one: fgnn train molecules");
}

// How many pieces the bonds leave.
std::size_t pieces(const MoleculeView& m) {
  std::vector<std::size_t> root(m.atoms());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (const Bond& b : m.bonds) root[find(b.first)] = find(b.second);
  std::set<std::size_t> distinct;
  for (std::size_t i = 0; i < m.atoms(); ++i) distinct.insert(find(i));
  return distinct.size();
}

}  // namespace

Predictor::Predictor(network::Model model, const std::string& file) : model_(std::move(model)) {
  if (setting(model_, "task", file) != "molecules") setting({}, "task", file);
  graph_ = {form_of(setting(model_, "form", file)), sharing_of(setting(model_, "sharing", file)),
            pairs_of(setting(model_, "pairs", file))};
  scaling_ = Scaling(setting(model_, "scaling", file));
  targets_ = targets_of(setting(model_, "targets", file));
  largest_ = parse_number<std::size_t>(setting(model_, "largest_atoms", file), "a whole number");
  heaviest_ = parse_number<std::size_t>(setting(model_, "largest_heavy", file), "a whole number");
}

Predictor Predictor::load(const std::string& file_or_name) {
  const auto file = learned::find_weights(file_or_name);
  return Predictor(network::load_model(file), file.string());
}

Prediction Predictor::look_at(const MoleculeSet& molecules, std::size_t m) const {
  const MoleculeView view = molecules[m];
  Prediction p{molecules.name(m), formula(view.elements), {}, {}};
  std::set<std::string_view> unknown;
  for (const std::uint8_t z : view.elements) {
    if (element_index(z) < 0) unknown.insert(symbol(z));
  }
  for (const auto& element : unknown) {
    p.warnings.push_back(fmt::format("element {} was not trained on: no prediction", element));
  }
  if (!unknown.empty()) return p;
  if (view.atoms() > largest_ || view.heavy_atoms() > heaviest_) {
    p.warnings.push_back(
        fmt::format("{} atoms, {} of them heavy, are more than any trained on ({} and {})",
                    view.atoms(), view.heavy_atoms(), largest_, heaviest_));
  }
  if (std::ranges::count(view.elements, 1) == 0) {
    p.warnings.push_back("has no hydrogen: all atoms are needed");
  }
  if (!molecules.solved(m)) {
    p.warnings.push_back("no bond orders fit all valences (charges?): all bonds are single");
  }
  if (const std::size_t n = pieces(view); n > 1) {
    p.warnings.push_back(fmt::format("falls into {} pieces", n));
  }
  return p;
}

void Predictor::run(const MoleculeSet& molecules, std::span<const std::size_t> some,
                    std::vector<Prediction>& into) const {
  std::vector<network::Batch> graphs;
  for (const std::size_t m : some) graphs.push_back(graph(molecules[m], graph_));
  network::Runner<float> runner(model_);
  const auto out = runner.run(network::Batch::of(graphs), 1);
  for (std::size_t k = 0; k < some.size(); ++k) {
    const auto x = regressors(molecules[some[k]]);
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      const double said = static_cast<double>(out[k * targets_.size() + t]);
      const double value = scaling_.value(targets_[t], said, x);
      // A dipole moment is a length; the network does not know that.
      into[some[k]].values.push_back(targets_[t] == kDipole ? std::max(0.0, value) : value);
    }
  }
}

std::vector<Prediction> Predictor::predict(const MoleculeSet& molecules, int threads) const {
  std::vector<Prediction> all;
  std::vector<std::size_t> known;
  for (std::size_t m = 0; m < molecules.size(); ++m) {
    all.push_back(look_at(molecules, m));
    const auto elements = molecules[m].elements;
    if (std::ranges::all_of(elements, [](std::uint8_t z) { return element_index(z) >= 0; })) {
      known.push_back(m);
    }
  }
  const std::size_t runs = (known.size() + kTogether - 1) / kTogether;
  parallel_tasks(threads, runs, [&](std::size_t r) {
    const std::size_t begin = r * kTogether, end = std::min(known.size(), begin + kTogether);
    run(molecules, std::span(known).subspan(begin, end - begin), all);
  });
  return all;
}

}  // namespace fgnn::molecules
