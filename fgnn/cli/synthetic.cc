#include "fgnn/cli/synthetic.h"

#include "fgnn/cli/options.h"

namespace fgnn::cli {

void SyntheticChoice::declare(CLI::App& command) {
  command.add_option("--count", count, "How many instances")
      ->check(positive())
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--first", first, "Number of the first instance")
      ->check(not_negative())
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--length", length, "Variables in a chain")
      ->check(positive())
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--side", side, "Rows and columns of D5's grid")
      ->check(positive())
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--order", order, "Variables in a budget; the paper's text has 8")
      ->check(positive())
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--windows", windows,
                  "Budgets on full windows, or at every node, cut off at the ends")
      ->check(CLI::IsMember({"full", "every-node"}))
      ->type_name("WHERE")
      ->capture_default_str();
  command
      .add_option("--pairwise", pairwise,
                  "D2's pairs as in the published code, or in the text: all four U[0,1]")
      ->check(CLI::IsMember({"code", "text"}))
      ->type_name("WHOSE")
      ->capture_default_str();
}

synthetic::SyntheticOptions SyntheticChoice::options(const std::string& dataset,
                                                     std::uint64_t seed) const {
  synthetic::SyntheticOptions options;
  options.dataset = dataset;
  options.length = length;
  options.side = side;
  options.order = order;
  options.every_node = windows == "every-node";
  options.pairwise_of_text = pairwise == "text";
  options.seed = seed;
  options.validate();
  return options;
}

}  // namespace fgnn::cli
