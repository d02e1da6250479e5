#include "fgnn/experiments/matching/kept.h"

#include "fgnn/core/fingerprint.h"
#include "fgnn/network/fingerprint.h"

namespace fgnn::matching {
namespace {

Json json_of(const Evaluation& evaluation) {
  Json classes = Json::array();
  for (std::size_t c = 0; c < evaluation.tallies.size(); ++c) {
    const Tally& t = evaluation.tallies[c];
    classes.push_back(Json{{"class", evaluation.classes[c]},
                           {"right", t.right},
                           {"wanted", t.wanted},
                           {"found", t.found}});
  }
  return Json{{"classes", std::move(classes)}, {"seconds", evaluation.seconds}};
}

// Throws a nlohmann::json::exception for anything else.
Evaluation evaluation_of(const Json& json) {
  Evaluation evaluation;
  for (const Json& c : json.at("classes").get_ref<const Json::array_t&>()) {
    evaluation.classes.push_back(c.at("class").get<std::string>());
    evaluation.tallies.push_back(
        {c.at("right").get<double>(), c.at("wanted").get<double>(), c.at("found").get<double>()});
  }
  evaluation.seconds = json.at("seconds").get<double>();
  return evaluation;
}

}  // namespace

KeptEvaluations::KeptEvaluations(const std::string& file)
    : log_(file, "matching", [](const Json& result) { evaluation_of(result); }) {}

Evaluation KeptEvaluations::get(const Json& measured, const std::function<Evaluation()>& evaluate) {
  if (const Json known = log_.known(measured); !known.is_null()) return evaluation_of(known);
  Evaluation evaluation = evaluate();
  log_.add(measured, json_of(evaluation));
  return evaluation;
}

Json measured(const std::string& table, const std::string& label, const Matcher& matcher) {
  Json all{{"table", table}, {"method", label}};
  if (matcher.learned()) {
    all["how"] = "fgnn";  // wherever its file is
    all["weights"] = network::identity(matcher.scores()->model());
    return all;
  }
  const ProblemOptions& p = matcher.problem();
  all["how"] = matcher.name();
  all["feature"] = p.feature;
  all["position"] = p.position;
  all["edge"] = p.edge;
  all["sigma"] = p.sigma;
  all["neighbours"] = p.neighbours;
  return all;
}

std::string fingerprint(const std::vector<std::vector<Point>>& frames) {
  Fingerprint f;
  for (const auto& frame : frames) {
    f.add(std::uint64_t{frame.size()});
    for (const Point& p : frame) {
      f.add(p.x);
      f.add(p.y);
    }
  }
  return f.text();
}

}  // namespace fgnn::matching
