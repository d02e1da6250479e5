#include "fgnn/experiments/matching/graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/core/words.h"

namespace fgnn::matching {
namespace {

using network::Index;

const std::vector<network::RelationSchema>& known_relations() {
  static const std::vector<network::RelationSchema> all{{"arc", 2, 2, 0},   {"both", 0, 1, 0},
                                                        {"sides", 0, 2, 0}, {"each", 0, 1, 0},
                                                        {"near", 0, 2, 0},  {"cross", 3, 1, 0}};
  return all;
}

const network::RelationSchema& relation_schema(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& r : known_relations()) {
    if (r.name == name && name != "arc") return r;
    if (r.name != "arc") known.push_back(r.name);
  }
  refuse_word(name, "a structure of factors", known);
}

// Both sides, with the numbers of their variables.
struct Sides {
  const PointSet* set[2];
  std::size_t begin[3];

  Sides(const PointSet& first, const PointSet& second)
      : set{&first, &second}, begin{0, first.size(), first.size() + second.size()} {}
};

class RelationWriter {
 public:
  explicit RelationWriter(std::size_t kinds) { relation.kinds = kinds; }

  void begin() { ++relation.factors; }
  void edge(std::size_t variable, std::size_t kind) {
    relation.factor.push_back(static_cast<Index>(relation.factors - 1));
    relation.variable.push_back(static_cast<Index>(variable));
    relation.kind.push_back(static_cast<Index>(kind));
  }
  network::Relation relation;
};

using Near = std::vector<std::vector<std::size_t>>;

network::Relation arcs(const Sides& sides, const Near (&near)[2], std::vector<double>& features) {
  RelationWriter w(2);
  for (int s = 0; s < 2; ++s) {
    const auto& at = sides.set[s]->at;
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (const std::size_t j : near[s][i]) {
        w.begin();
        w.edge(sides.begin[s] + j, 0);
        w.edge(sides.begin[s] + i, 1);
        features.push_back(at[i].x - at[j].x);
        features.push_back(at[i].y - at[j].y);
      }
    }
  }
  return std::move(w.relation);
}

double cosine(const PointSet& a, std::size_t i, const PointSet& b, std::size_t j) {
  const std::size_t w = a.feature_width();
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t k = 0; k < w; ++k) {
    const double x = a.features[i * w + k], y = b.features[j * w + k];
    ab += x * y, aa += x * x, bb += y * y;
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

network::Relation crossings(const Sides& sides, bool described, std::vector<double>& features) {
  RelationWriter w(1);
  const auto &a = *sides.set[0], &b = *sides.set[1];
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      w.begin();
      w.edge(i, 0);
      w.edge(sides.begin[1] + j, 0);
      features.push_back(described ? cosine(a, i, b, j) : 0);
      features.push_back(a.at[i].x - b.at[j].x);
      features.push_back(a.at[i].y - b.at[j].y);
    }
  }
  return std::move(w.relation);
}

network::Relation relation_of(const std::string& name, const Sides& sides, const Near (&near)[2]) {
  RelationWriter w(relation_schema(name).kinds);
  if (name == "near") {
    for (int s = 0; s < 2; ++s) {
      for (const auto& around : near[s]) {
        w.begin();
        for (const std::size_t j : around) w.edge(sides.begin[s] + j, j != around[0]);
      }
    }
    return std::move(w.relation);
  }
  const int factors = name == "both" ? 1 : 2;
  for (int f = 0; f < factors; ++f) {
    w.begin();
    for (int s = 0; s < 2; ++s) {
      if (name == "each" && s != f) continue;
      for (std::size_t v = sides.begin[s]; v < sides.begin[s + 1]; ++v) {
        w.edge(v, name == "sides" && s != f);
      }
    }
  }
  return std::move(w.relation);
}

void add_rows(const GraphOptions& o, const PointSet& set, std::vector<double>& rows) {
  if (set.feature_width() != o.feature_width && o.feature_width > 0) {
    throw Error(ErrorCode::usage, "points",
                fmt::format("have descriptions of {} numbers where the network takes {}",
                            set.feature_width(), o.feature_width));
  }
  for (std::size_t i = 0; i < set.size(); ++i) {
    const double scale = o.feature_width > 0 ? kPositionScale : 1;
    rows.push_back(scale * set.at[i].x);
    rows.push_back(scale * set.at[i].y);
    for (std::size_t k = 0; k < o.feature_width; ++k) {
      rows.push_back(kFeatureScale * set.features[i * o.feature_width + k]);
    }
  }
}

}  // namespace

void GraphOptions::validate() const {
  for (std::size_t f = 0; f < factors.size(); ++f) {
    relation_schema(factors[f]);
    if (std::find(factors.begin(), factors.begin() + f, factors[f]) != factors.begin() + f) {
      throw Error(ErrorCode::usage, "factors", fmt::format("has '{}' twice", factors[f]));
    }
  }
}

network::Schema schema_of(const GraphOptions& o) {
  network::Schema schema{2 + o.feature_width, {known_relations()[0]}};
  for (const auto& name : o.factors) schema.relations.push_back(relation_schema(name));
  return schema;
}

GraphOptions options_of(const network::Schema& schema, std::size_t neighbours) {
  GraphOptions o{neighbours, {}, schema.variable_features - 2};
  bool fits = schema.variable_features >= 2 && !schema.relations.empty();
  for (std::size_t r = 0; fits && r < schema.relations.size(); ++r) {
    const auto& have = schema.relations[r];
    const auto known =
        std::ranges::find(known_relations(), have.name, &network::RelationSchema::name);
    fits = known != known_relations().end() && known->kinds == have.kinds &&
           known->factor_features == have.factor_features && have.edge_features == 0 &&
           (have.name == "arc") == (r == 0);
    if (r > 0) o.factors.push_back(have.name);
  }
  if (!fits) {
    throw Error(ErrorCode::usage, "the network", "does not take pairs of point sets",
                "train one: fgnn train matching");
  }
  return o;
}

network::Batch graph_of(const GraphOptions& o, const PointSet& first, const PointSet& second) {
  const Sides sides(first, second);
  const Near near[2] = {nearest(first.at, o.neighbours), nearest(second.at, o.neighbours)};
  network::Batch batch;
  batch.relations.resize(1 + o.factors.size());
  std::vector<network::Relation> relations{arcs(sides, near, batch.relations[0].factor)};
  for (std::size_t f = 0; f < o.factors.size(); ++f) {
    relations.push_back(o.factors[f] == "cross"
                            ? crossings(sides, o.feature_width > 0, batch.relations[f + 1].factor)
                            : relation_of(o.factors[f], sides, near));
  }
  batch.structure =
      std::make_shared<const network::Structure>(sides.begin[2], std::move(relations));
  add_rows(o, first, batch.variable);
  add_rows(o, second, batch.variable);
  return batch;
}

std::vector<std::vector<std::size_t>> nearest(const std::vector<Point>& points, std::size_t k) {
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto distance = [&](std::size_t j) {
      return j == i ? -1.0 : std::hypot(points[i].x - points[j].x, points[i].y - points[j].y);
    };
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, distance);
    if (k > 0 && order.size() > k + 1) order.resize(k + 1);
    result.push_back(std::move(order));
  }
  return result;
}

}  // namespace fgnn::matching
