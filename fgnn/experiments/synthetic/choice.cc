#include "fgnn/experiments/synthetic/choice.h"

namespace fgnn::synthetic {

using experiments::Option;

std::vector<Option> instance_options() {
  using Kind = Option::Kind;
  return {
      {"--length", "N", "Variables in a chain", Kind::positive, "30"},
      {"--side", "N", "Rows and columns of D5's grid", Kind::positive, "12"},
      {"--order", "N", "Variables in a budget; the paper's text has 8", Kind::positive, "9"},
      {.name = "--windows",
       .value = "WHERE",
       .help = "Budgets on full windows, or at every node, cut off at the ends",
       .fallback = "full",
       .choices = {"full", "every-node"}},
      {.name = "--pairwise",
       .value = "WHOSE",
       .help = "D2's pairs as in the published code, or in the text: all four U[0,1]",
       .fallback = "code",
       .choices = {"code", "text"}},
  };
}

SyntheticOptions chosen_instances(const std::string& dataset, std::uint64_t seed,
                                  const experiments::Arguments& given) {
  SyntheticOptions options;
  options.dataset = dataset;
  options.length = given.whole("--length");
  options.side = given.whole("--side");
  options.order = given.whole("--order");
  options.every_node = given.text("--windows") == "every-node";
  options.pairwise_of_text = given.text("--pairwise") == "text";
  options.seed = seed;
  options.validate();
  return options;
}

}  // namespace fgnn::synthetic
