#include "fgnn/experiments/matching/matcher.h"

#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/core/timing.h"
#include "fgnn/experiments/matching/graphs.h"
#include "fgnn/learned/weights.h"
#include "fgnn/network/run.h"

namespace fgnn::matching {

LearnedScores::LearnedScores(network::Model model) : model_(std::move(model)) {
  const auto setting = [&](const std::string& key, const std::string& otherwise) {
    const auto at = model_.metadata.find(key);
    return at == model_.metadata.end() ? otherwise : at->second;
  };
  if (setting("task", "") != "matching") {
    throw Error(ErrorCode::usage, "the network", "was not trained for matching",
                "train one: fgnn train matching");
  }
  try {
    neighbours_ = std::stoul(setting("neighbours", "0"));
  } catch (const std::exception&) {
    throw Error(ErrorCode::format, "the network", "its metadata: neighbours is not a number");
  }
  nobody_ = setting("nobody", "no") == "yes";
  feature_width_ = options_of(model_.description.schema, neighbours_).feature_width;
}

Scores LearnedScores::operator()(const PointSet& first, const PointSet& second) const {
  return (*this)(std::vector<PointPair>{{first, second, {}}})[0];
}

std::vector<Scores> LearnedScores::operator()(std::span<const PointPair> pairs) const {
  if (pairs.empty()) return {};
  const GraphOptions options = options_of(model_.description.schema, neighbours_);
  std::vector<network::Batch> graphs;
  for (const auto& p : pairs) graphs.push_back(graph_of(options, p.first, p.second));
  network::Runner<float> runner(model_);
  const auto output = runner.run(network::Batch::of(graphs), 1);
  std::vector<Scores> scores;
  std::size_t row = 0;
  const std::size_t w = runner.output_width();
  for (const auto& p : pairs) {
    const std::size_t points = p.first.size() + p.second.size();
    const auto begin = output.begin() + static_cast<std::ptrdiff_t>(row * w);
    const std::vector<double> rows(begin, begin + static_cast<std::ptrdiff_t>(points * w));
    scores.push_back(scores_of(rows, w, p.first.size(), nobody_));
    row += points;
  }
  return scores;
}

Matcher::Matcher(const std::string& method, ProblemOptions problem, MethodOptions common)
    : name_(method), problem_(problem) {
  problem_.validate();
  if (method.starts_with("fgnn:")) {
    learned_ = std::make_shared<const LearnedScores>(
        network::load_model(learned::find_weights(method.substr(5))));
  } else if (method != "hungarian") {
    const auto variants = parse_variants(Query::map, method, common);
    if (variants.size() != 1) {
      throw Error(ErrorCode::usage, method, "is more than one method");
    }
    variant_ = variants[0];
  }
}

MatchResult Matcher::operator()(const PointSet& first, const PointSet& second) const {
  const Stopwatch watch;
  MatchResult r;
  if (learned_ != nullptr) {
    const Scores scores = (*learned_)(first, second);
    r.matching = best_matching(scores, !learned_->knows_nobody());
  } else if (variant_.method == nullptr) {
    r.matching = best_matching(unary_scores(first, second, problem_), true);
  } else {
    const Problem problem = make_problem(first, second, problem_);
    const Result result = variant_.method->solve(problem.graph, variant_.options, Evidence());
    if (result.assignment.empty()) {
      throw Error(ErrorCode::infeasible, name_, "found no matching: " + result.message);
    }
    r.matching = problem.matching(result.assignment);
    r.status = fgnn::name(result.status);
    r.score = result.score;
    r.bound = result.bound;
  }
  r.seconds = watch.seconds();
  return r;
}

std::vector<Matching> Matcher::all(std::span<const PointPair> pairs) const {
  std::vector<Matching> found;
  if (learned_ != nullptr) {
    for (const Scores& s : (*learned_)(pairs)) {
      found.push_back(best_matching(s, !learned_->knows_nobody()));
    }
    return found;
  }
  for (const auto& p : pairs) found.push_back((*this)(p.first, p.second).matching);
  return found;
}

}  // namespace fgnn::matching
