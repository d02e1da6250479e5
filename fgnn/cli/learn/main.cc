// fgnn-learn: the commands that need LibTorch. `fgnn train` and `fgnn bench learn` start it.
#include "bench/suite.h"
#include "fgnn/cli/learn/commands.h"
#include "fgnn/cli/program.h"

int main(int argc, char** argv) {
  fgnn::bench::run_learn = fgnn::bench::learn_suite;
  return fgnn::cli::run(argc, argv, fgnn::cli::add_train);
}
