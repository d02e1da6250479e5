#include "fgnn/cli/program.h"

int main(int argc, char** argv) { return fgnn::cli::run(argc, argv); }
