#include "fgnn/network/operations/sample.h"

namespace fgnn::network {
namespace {

std::vector<SampleProgram>& registered() {
  static std::vector<SampleProgram> all;
  return all;
}

}  // namespace

Schema sample_schema() { return {2, {{"pair", 4, 2, 2}, {"budget", 9, 9, 9}}}; }

const std::vector<SampleProgram>& sample_programs() { return registered(); }

Sample::Sample(const char* name, int (*write)(Writer&, const Scene&)) {
  registered().push_back({name, write});
}

}  // namespace fgnn::network
