// Small programs of one operation each, registered in the operation's own file. Tests run every one
// of them: gradients against differences, float against double, parts against the whole.
#pragma once

#include <string>
#include <vector>

#include "fgnn/network/operations.h"
#include "fgnn/network/writer.h"

namespace fgnn::network {

// Registers of the features that a sample may use, of the schema sample_schema().
struct Scene {
  int variable;             // 2 numbers
  std::vector<int> factor;  // of relation 0 ("pair", 4 numbers) and 1 ("budget", 9)
  std::vector<int> kind;    // of the edges of each: 2 kinds with 2 numbers, 9 with 9
};
Schema sample_schema();

struct SampleProgram {
  std::string name;                              // of the operation
  int (*write)(Writer& writer, const Scene& s);  // returns the register that comes out
};

// All that were registered, in no particular order.
const std::vector<SampleProgram>& sample_programs();

// In an operation's file: const Sample linear_sample("linear", [](Writer& w, const Scene& s) …);
struct Sample {
  Sample(const char* name, int (*write)(Writer&, const Scene&));
};

}  // namespace fgnn::network
