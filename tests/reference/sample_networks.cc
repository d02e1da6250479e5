#include "tests/reference/sample_networks.h"

#include "tests/reference/random_batch.h"

namespace fgnn::testing {

using network::Batch;
using network::Model;

namespace {

bool needs_the_models_kinds(const Model& model) {  // a table has no row for kinds of a graph
  for (const auto& p : model.program.parameters) {
    if (p.name.ends_with(".q") || p.name.ends_with(".q.table") || p.name.ends_with(".vf.scale"))
      return true;
  }
  return false;
}

}  // namespace

const std::vector<std::string>& network_texts() {
  static const std::vector<std::string> all{
      "FGNN(6, aggregate=max) - Out(2)",
      "FGNN(6, aggregate=sum) - Out(2)",
      "FGNN(6, aggregate=mean) - Out(2)",
      "FGNN(6, aggregate=logsumexp, temperature=0.5) - Out(2)",
      "FGNN(6, aggregate=product, activation=tanh) - Out(2)",
      "FGNN(6, aggregate=max+sum+mean+logsumexp+product, activation=tanh) - Out(2)",
      "FC(6) - 2*FGNN(6, q=table, order=together) - Out(2)",
      "FC(6) - 2*FGNN(6, q=mixture, bases=3, q_hidden=5, order=sequence) - Out(2)",
      "FC(6) - 2*FGNN(6, q=mlp, q_hidden=5) - Out(2)",
      "FC(6) - 2*FGNN(6, q=identity) - Out(2)",
      "2*FGNN(6, m=5+4) - Out(2)",
      "2*FGNN(6, m=5+4+3, activation=tanh, aggregate=sum) - Out(2)",
      "2*FGNN(6, m=5+6, q=identity, update=no) - Out(2)",
      "2*FGNN(6, rank=5, aggregate=sum) - Out(2)",
      "2*FGNN(6, rank=7, aggregate=product, activation=tanh, norm=layer) - Out(2)",
      "2*FGNN(6, rank=6, aggregate=max, norm=none, residual=no) - Out(2)",
      "Image(2, 1) - Conv(3) - Conv(4, size=5, pool=2) - FC(6) - FGNN(6, rank=4, aggregate=sum) - "
      "Out(2)",
      "Image(1, 2) - Conv(3, norm=none, activation=tanh) - Out(2)",
      "FC(6) - Chain(2)",
      "3*FGNN(6, form=message) - Out(2)",
      "3*FGNN(6, form=message, q=mixture, bases=3, aggregate=logsumexp, m=4) - Out(2)",
      "2*FGNN(6, form=message, aggregate=product, q=identity, activation=tanh) - Out(2)",
      "2*FGNN(6, form=message, aggregate=mean, norm=instance, activation=sigmoid) - Out(2)",
      "FC(6) - 3@[FC(6) - FGNN(6, norm=layer)] - Out(2)",
      "2*FGNN(6, norm=none) - Out(2)",
      "2*FGNN(6, norm=batch, residual=no) - Out(2)",
      "2*FGNN(6, norm=layer) - Out(2)",
      "2*FGNN(6, norm=instance) - Out(2)",
      "FC(6) - 2*FGNN(6, norm=layer, normed=sum) - Out(2)",
      "2*FGNN(6, norm=batch, normed=sum, activation=tanh) - Out(2)",
      "2*FGNN(6, update=no) - Out(2)",
      "2*FGNN(6, update=no, norm=none) - Out(2)",
      "2*FGNN(6, activation=relu) - Out(2)",
      "2*FGNN(6, activation=leaky) - Out(2)",
      "2*FGNN(6, activation=tanh) - Out(2)",
      "2*FGNN(6, activation=sigmoid) - Out(2)",
      "2*FGNN(6, activation=identity, norm=none) - Out(2)",
      "FC(6) - 3@FGNN(6) - Out(2)",
      "FC(6) - Res[FC(6) - FGNN(6) - FC(6)] - Out(2)",
      "FGNN(6) - Pool(max) - FC(5) - Out(2)",
      "FGNN(6) - Pool(logsumexp) - Out(2)",
      "FC(5) - Global(mean) - FC(6) - Pool(sum) - Out(2)",
      "2*MPNN(6, q_hidden=5) - Out(2)",
      "2*EdgeConv(6, k=3) - Global(max) - Out(2)",
  };
  return all;
}

std::vector<Batch> sample_batches() {
  Rng rng(1);
  std::vector<Batch> all;
  all.push_back(random_features(rng, random_structure(rng, 7, 8, 2), 3));
  std::vector<Batch> graphs{random_features(rng, random_structure(rng, 7, 7, 2)), random_batch(rng),
                            random_features(rng, random_structure(rng, 5, 4, 0))};
  all.push_back(Batch::of(graphs));
  Batch masked = all[0];
  for (std::size_t r = 0; r < 2; ++r) {
    auto& mask = masked.relations[r].mask;
    mask.resize(masked.copies * masked.structure->relations()[r].edges());
    for (auto& m : mask) m = rng.below(4) != 0;
  }
  all.push_back(masked);
  Batch one = with_own_kinds(graphs[0]), two = one;
  for (auto& r : two.relations) {
    for (double& x : r.edge) x = rng.normal();
  }
  const Batch own[] = {one, two};
  all.push_back(Batch::of(own));
  return all;
}

bool suits(const Batch& batch, const Model& model) {
  return !batch.structure->relations()[0].own_kinds || !needs_the_models_kinds(model);
}

}  // namespace fgnn::testing
