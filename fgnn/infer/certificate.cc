#include "fgnn/infer/certificate.h"

#include <algorithm>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"
#include "fgnn/infer/finish.h"
#include "fgnn/infer/methods.h"

namespace fgnn {

const std::vector<std::string>& certificate_methods() {
  static const std::vector<std::string> kMethods{"mplp", "ad3"};
  return kMethods;
}

Certificate certify(const FactorGraph& graph, std::span<const State> assignment,
                    const std::string& method, const Evidence& evidence,
                    const MethodLimits& limits) {
  const auto& known = certificate_methods();
  if (std::ranges::find(known, method) == known.end()) {
    throw Error(ErrorCode::usage, method, "gives no bound", suggestion(method, known));
  }
  const FactorGraph given = graph.given(evidence);
  const Method& relaxation = find_method(Query::map, method);
  const Result relaxed = relaxation.solve(given, {limits}, {});
  // The assignment takes the place of the relaxation's own, under its bound.
  Result judged;
  judged.method = method;
  judged.status = Status::iteration_limit;
  judged.assignment.assign(assignment.begin(), assignment.end());
  judged.bound = relaxed.bound;
  judged = finish_map(given, std::move(judged));
  const bool proved = judged.status == Status::exact;
  const double gap = proved ? 0 : judged.feasible() ? judged.gap() : kInfinity;
  return {method, judged.bound, gap, proved, relaxed.seconds};
}

}  // namespace fgnn
