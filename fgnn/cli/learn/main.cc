// fgnn-learn: the commands that need LibTorch. `fgnn train`, `fgnn reproduce handwriting`
// and `fgnn bench learn` start it.
#include "bench/suite.h"
#include "fgnn/cli/learn/commands.h"
#include "fgnn/cli/program.h"
#include "fgnn/cli/reproduce_handwriting.h"

int main(int argc, char** argv) {
  fgnn::bench::run_learn = fgnn::bench::learn_suite;
  fgnn::cli::make_handwriting_trainer = fgnn::cli::handwriting_trainer;
  return fgnn::cli::run(argc, argv, fgnn::cli::add_train);
}
