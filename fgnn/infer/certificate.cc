#include "fgnn/infer/certificate.h"

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"
#include "fgnn/infer/methods.h"

namespace fgnn {

const std::vector<std::string>& certificate_methods() {
  static const std::vector<std::string> kMethods{"mplp", "ad3"};
  return kMethods;
}

Certificate certify(const FactorGraph& graph, double score, const std::string& method,
                    const Evidence& evidence) {
  const auto& known = certificate_methods();
  if (std::ranges::find(known, method) == known.end()) {
    throw Error(ErrorCode::usage, method, "gives no bound", suggestion(method, known));
  }
  const Result result = find_method(Task::map, method).solve(graph, {}, evidence);
  Certificate certificate{method, result.bound, kInfinity, false, result.seconds};
  if (score == kForbidden) return certificate;
  certificate.proved = result.bound - score <= 1e-6 * (1 + std::abs(score));
  certificate.gap = certificate.proved ? 0 : result.bound - score;
  return certificate;
}

}  // namespace fgnn
