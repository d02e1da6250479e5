#include "fgnn/experiments/folders/measurement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fgnn/core/mean.h"

namespace fgnn::folders {
namespace {

constexpr double kSame = 1e-6;

// JSON has no infinities.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

double or_else(const Json& json, double absent) {
  return json.is_null() ? absent : json.get<double>();
}

std::optional<double> optional_number(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

// What is known of one method on one family.
class Tally {
 public:
  void add(const Measurement& m, double best) {
    ++row_.models;
    row_.answered += m.answered;
    row_.proved += m.proved();
    row_.referenced += !m.reference.empty();
    seconds_.add(m.seconds);
    if (m.marginal_error) marginal_error_.add(*m.marginal_error);
    if (m.z_error) z_error_.add(*m.z_error);
    if (best == kForbidden) return;
    if (std::isfinite(m.bound)) bound_gap_.add(std::max(0.0, m.bound - best));
    if (!m.answered || m.score == kForbidden) return;
    const bool reached = reaches(m.score, best);
    row_.best += reached;
    const double gap = reached ? 0 : best - m.score;
    gap_.add(gap);
    percent_gap_.add(100 * gap / std::max(std::abs(best), 1e-9));
  }

  FamilyRow row(std::string family, std::string method) const {
    FamilyRow row = row_;
    row.family = std::move(family);
    row.method = std::move(method);
    row.seconds = seconds_.value().value_or(0);
    row.gap = gap_.value();
    row.percent_gap = percent_gap_.value();
    row.bound_gap = bound_gap_.value();
    row.marginal_error = marginal_error_.value();
    row.z_error = z_error_.value();
    return row;
  }

 private:
  FamilyRow row_;
  Mean seconds_, gap_, percent_gap_, bound_gap_, marginal_error_, z_error_;
};

}  // namespace

Json to_json(const Measurement& m) {
  Json json{{"method", m.method},      {"answered", m.answered}, {"status", m.status},
            {"note", m.note},          {"answerer", m.answerer}, {"seconds", m.seconds},
            {"reference", m.reference}};
  json["score"] = finite(m.score);
  json["bound"] = finite(m.bound);
  json["known_score"] = optional_json(m.known_score);
  json["log10_partition"] = optional_json(m.log10_z);
  json["marginal_error"] = optional_json(m.marginal_error);
  json["log10_partition_error"] = optional_json(m.z_error);
  return json;
}

Measurement from_json(const Json& json) {
  Measurement m;
  m.method = json.at("method").get<std::string>();
  m.answered = json.at("answered").get<bool>();
  m.status = json.at("status").get<std::string>();
  m.note = json.at("note").get<std::string>();
  m.answerer = json.at("answerer").get<std::string>();
  m.seconds = json.at("seconds").get<double>();
  m.reference = json.at("reference").get<std::string>();
  m.score = or_else(json.at("score"), kForbidden);
  m.bound = or_else(json.at("bound"), kInfinity);
  m.known_score = optional_number(json.at("known_score"));
  m.log10_z = optional_number(json.at("log10_partition"));
  m.marginal_error = optional_number(json.at("marginal_error"));
  m.z_error = optional_number(json.at("log10_partition_error"));
  return m;
}

bool reaches(double score, double other) {
  return score >= other - kSame * std::max(1.0, std::abs(other));
}

std::vector<double> best_scores(const std::vector<Measurement>& measurements) {
  std::map<std::pair<std::string, std::string>, double> best;
  for (const Measurement& m : measurements) {
    double& score = best.try_emplace({m.family, m.model}, kForbidden).first->second;
    if (m.answered) score = std::max(score, m.score);
    score = std::max(score, m.known_score.value_or(kForbidden));
  }
  std::vector<double> all;
  for (const Measurement& m : measurements) all.push_back(best.at({m.family, m.model}));
  return all;
}

std::vector<FamilyRow> by_family(const std::vector<Measurement>& measurements) {
  const std::vector<double> best = best_scores(measurements);
  std::vector<std::string> methods;
  std::set<std::string> families;
  std::map<std::pair<std::string, std::string>, Tally> tallies;
  const std::string all;  // no family's name is empty
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    const Measurement& m = measurements[i];
    if (std::ranges::find(methods, m.method) == methods.end()) methods.push_back(m.method);
    families.insert(m.family);
    tallies[{m.family, m.method}].add(m, best[i]);
    tallies[{all, m.method}].add(m, best[i]);
  }
  std::vector<std::string> order(families.begin(), families.end());
  if (families.size() > 1) order.push_back(all);
  std::vector<FamilyRow> rows;
  for (const std::string& family : order) {
    for (const std::string& method : methods) {
      const auto found = tallies.find({family, method});
      if (found == tallies.end()) continue;
      rows.push_back(found->second.row(family == all ? "all" : family, method));
    }
  }
  return rows;
}

}  // namespace fgnn::folders
