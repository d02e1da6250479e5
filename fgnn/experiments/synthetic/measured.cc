#include "fgnn/experiments/synthetic/measured.h"

namespace fgnn::synthetic {
namespace {

struct Figure {
  const char* name;  // as in --json
  std::optional<double> Row::*member;
};

constexpr Figure kFigures[] = {
    {"ours", &Row::ours},           {"stderr", &Row::error},
    {"exact", &Row::exact},         {"feasible", &Row::feasible},
    {"score_gap", &Row::score_gap}, {"open", &Row::left_open},
    {"proved", &Row::proved},       {"microseconds", &Row::microseconds}};

}  // namespace

Json measured(const std::string& table, const std::string& dataset, const Entrant& entrant,
              std::uint64_t instances, const SyntheticReportOptions& options) {
  Json all{{"table", table}, {"dataset", dataset}, {"method", entrant.method}};
  all["how"] = entrant.how;
  if (!entrant.identity.empty()) all["identity"] = entrant.identity;
  if (dataset == "D5") all["side"] = options.side;
  all["instances"] = instances;
  all["seed"] = options.seed;
  return all;
}

Json figures(const Row& row) {
  Json all = Json::object();
  for (const Figure& f : kFigures) all[f.name] = optional_json(row.*f.member);
  all["instances"] = row.instances;
  return all;
}

void take_figures(const Json& figures, Row& row) {
  for (const Figure& f : kFigures) {
    const Json& value = figures.at(f.name);
    row.*f.member = value.is_null() ? std::nullopt : std::optional(value.get<double>());
  }
  // The library's own conversion would wrap what is negative and cut what is not whole.
  row.instances = figures.at("instances").get_ref<const Json::number_unsigned_t&>();
}

void check_figures(const Json& figures) {
  Row row;
  take_figures(figures, row);
}

}  // namespace fgnn::synthetic
