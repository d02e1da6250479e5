#include "fgnn/experiments/measures.h"

#include <fmt/format.h>

namespace fgnn::experiments {

void add_named(const tasks::Metrics& metrics, Summary& summary) {
  for (const tasks::NamedMetric& m : metrics.named) {
    summary.add(m.name, fmt::format("{:.5g}{}{}", m.value(), m.unit.empty() ? "" : " ", m.unit));
  }
}

void add_named(const tasks::Metrics& metrics, Json& json) {
  if (metrics.named.empty()) return;
  Json list = Json::array();
  for (const tasks::NamedMetric& m : metrics.named) {
    list.push_back({{"name", m.name}, {"value", m.value()}, {"unit", m.unit}});
  }
  json["metrics"] = std::move(list);
}

}  // namespace fgnn::experiments
