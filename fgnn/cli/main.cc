#include "fgnn/cli/forward.h"
#include "fgnn/cli/program.h"

int main(int argc, char** argv) {
  fgnn::cli::forward_learning(argv);
  return fgnn::cli::run(argc, argv, fgnn::cli::add_forwarded);
}
