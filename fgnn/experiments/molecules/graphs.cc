#include "fgnn/experiments/molecules/graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"
#include "fgnn/experiments/molecules/atom_features.h"

namespace fgnn::molecules {
namespace {

constexpr std::size_t kOrders = 3;
// Gaussians on distances, every 0.25 Å from 0.75 Å on.
constexpr std::size_t kGaussians = 24;
constexpr double kFirst = 0.75, kApart = 0.25;
constexpr std::size_t kAngles = 3;  // least, mean, greatest cosine

template <class Value>
struct Named {
  const char* name;
  Value value;
};
constexpr Named<Form> kForms[] = {
    {"paper", Form::paper}, {"positions", Form::positions}, {"invariant", Form::invariant}};
constexpr Named<Sharing> kSharings[] = {
    {"CAT", Sharing::cat}, {"BT", Sharing::bt}, {"CABT", Sharing::cabt}, {"CABTA", Sharing::cabta}};
constexpr Named<Pairs> kPairs[] = {{"complete", Pairs::complete},
                                   {"sparse", Pairs::sparse},
                                   {"bonds", Pairs::sparse_without_distance}};

template <class Value, std::size_t n>
Value find(const char* key, const std::string& text, const Named<Value> (&all)[n]) {
  std::vector<std::string> known;
  for (const auto& [name, value] : all) {
    if (name == text) return value;
    known.emplace_back(name);
  }
  throw Error(ErrorCode::usage, key, fmt::format("is '{}'", text), suggestion(text, known));
}

template <class Value, std::size_t n>
std::string find(Value value, const Named<Value> (&all)[n]) {
  for (const auto& one : all) {
    if (one.value == value) return one.name;
  }
  return "";
}

std::size_t kinds(Sharing sharing) {
  switch (sharing) {
    case Sharing::cat:
      return kElements;
    case Sharing::bt:
      return 1 + kOrders;
    case Sharing::cabt:
      return kElements * (1 + kOrders);
    default:
      return kElements * (1 + kOrders * kElements);
  }
}

// Of the edge from a factor at an atom to the atom itself (order 0) or a neighbour.
std::size_t kind(Sharing sharing, int centre, int order, int neighbour) {
  switch (sharing) {
    case Sharing::cat:
      return centre;
    case Sharing::bt:
      return order;
    case Sharing::cabt:
      return centre * (1 + kOrders) + order;
    default:
      return centre * (1 + kOrders * kElements) +
             (order == 0 ? 0 : 1 + (order - 1) * kElements + neighbour);
  }
}

std::size_t variable_width(Form form) {
  return kAtomFeatures + (form == Form::paper ? 0 : form == Form::positions ? 3 : 4);
}

std::size_t pair_width(const GraphOptions& o) {
  if (o.form == Form::invariant) return kOrders + 2 + kGaussians;
  return kOrders + (o.pairs == Pairs::sparse_without_distance ? 0 : 1);
}

std::size_t angle_width(Sharing sharing) { return kinds(sharing) + 2 + kAngles; }

class Maker {
 public:
  Maker(const MoleculeView& m, const GraphOptions& o) : m_(m), o_(o), order_(m.atoms()) {
    for (std::size_t i = 0; i < m.atoms(); ++i) {
      element_.push_back(element_index(m.elements[i]));
      if (element_.back() < 0) {
        throw Error(ErrorCode::usage, fmt::format("element {}", symbol(m.elements[i])),
                    "is not one of H, C, N, O and F, which networks know");
      }
    }
    for (const Bond& b : m.bonds) {
      order_[b.first].emplace_back(b.second, b.order);
      order_[b.second].emplace_back(b.first, b.order);
    }
    for (auto& list : order_) std::ranges::sort(list);
  }

  network::Batch make() {
    variables();
    pairs();
    factors();
    if (o_.form == Form::positions) bonds();
    if (o_.form == Form::invariant) angles();
    batch_.structure =
        std::make_shared<const network::Structure>(m_.atoms(), std::move(relations_));
    return std::move(batch_);
  }

 private:
  void variables() {
    const std::size_t width = variable_width(o_.form);
    batch_.variable.assign(m_.atoms() * width, 0);
    add_atom_features(m_, batch_.variable, width, 0);
    if (o_.form == Form::paper) return;
    std::array<double, 3> middle{};
    for (const Point& p : m_.places) {
      for (std::size_t k = 0; k < 3; ++k) middle[k] += p[k] / static_cast<double>(m_.atoms());
    }
    for (std::size_t i = 0; i < m_.atoms(); ++i) {
      double* row = batch_.variable.data() + i * width + kAtomFeatures;
      double* place = o_.form == Form::invariant ? row + 1 : row;
      double square = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        place[k] = m_.places[i][k] - middle[k];
        square += place[k] * place[k];
      }
      if (o_.form == Form::invariant) row[0] = 0.1 * square;
    }
  }

  void add_pair(std::size_t i, std::size_t j, int order) {
    network::Relation& r = relations_.back();
    for (const std::size_t atom : {i, j}) {
      r.factor.push_back(static_cast<network::Index>(r.factors));
      r.variable.push_back(static_cast<network::Index>(atom));
    }
    ++r.factors;
    auto& to = batch_.relations.back().factor;
    for (std::size_t k = 1; k <= kOrders; ++k) to.push_back(static_cast<int>(k) == order);
    if (o_.form != Form::invariant && o_.pairs == Pairs::sparse_without_distance) return;
    const double d = distance(m_.places[i], m_.places[j]);
    to.push_back(d);
    if (o_.form != Form::invariant) return;
    to.push_back(1 / std::max(d, 0.1));
    for (std::size_t g = 0; g < kGaussians; ++g) {
      const double x = (d - kFirst - kApart * static_cast<double>(g)) / kApart;
      to.push_back(std::exp(-0.5 * x * x));
    }
  }

  void pairs() {
    relations_.emplace_back();
    batch_.relations.emplace_back();
    if (o_.pairs != Pairs::complete) {
      for (const Bond& b : m_.bonds) add_pair(b.first, b.second, b.order);
      return;
    }
    for (std::size_t i = 0; i < m_.atoms(); ++i) {
      auto bond = order_[i].begin();
      for (std::size_t j = i + 1; j < m_.atoms(); ++j) {
        while (bond != order_[i].end() && bond->first < j) ++bond;
        add_pair(i, j, bond != order_[i].end() && bond->first == j ? bond->second : 0);
      }
    }
  }

  // Calls f(centre, member, order) for all edges, the centre's own (order 0) first.
  template <class F>
  void each_edge(F f) const {
    for (std::size_t c = 0; c < m_.atoms(); ++c) {
      f(c, c, 0);
      for (const auto& [i, order] : order_[c]) f(c, i, order);
    }
  }

  std::size_t kind_of(std::size_t c, std::size_t i, int order) const {
    return kind(o_.sharing, element_[c], order, element_[i]);
  }

  void factors() {
    network::Relation& r = relations_.emplace_back();
    batch_.relations.emplace_back();
    r.factors = m_.atoms();
    r.kinds = kinds(o_.sharing);
    each_edge([&](std::size_t c, std::size_t i, int order) {
      r.factor.push_back(static_cast<network::Index>(c));
      r.variable.push_back(static_cast<network::Index>(i));
      r.kind.push_back(static_cast<network::Index>(kind_of(c, i, order)));
    });
  }

  void bonds() {
    network::Relation& r = relations_.emplace_back();
    batch_.relations.emplace_back();
    r.kinds = 2;
    each_edge([&](std::size_t c, std::size_t i, int order) {
      if (order == 0) return;
      network::Index k = 0;
      for (const std::size_t atom : {c, i}) {
        r.factor.push_back(static_cast<network::Index>(r.factors));
        r.variable.push_back(static_cast<network::Index>(atom));
        r.kind.push_back(k++);
      }
      ++r.factors;
    });
  }

  double cosine(std::size_t c, std::size_t i, std::size_t j) const {
    double dot = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      dot += (static_cast<double>(m_.places[i][k]) - m_.places[c][k]) *
             (static_cast<double>(m_.places[j][k]) - m_.places[c][k]);
    }
    const double lengths =
        distance(m_.places[c], m_.places[i]) * distance(m_.places[c], m_.places[j]);
    return dot / std::max(lengths, 1e-6);
  }

  void angles() {
    network::Relation& r = relations_.emplace_back();
    auto& to = batch_.relations.emplace_back().edge;
    r.factors = m_.atoms();
    r.own_kinds = true;
    r.kinds = 0;
    each_edge([&](std::size_t c, std::size_t i, int order) {
      r.factor.push_back(static_cast<network::Index>(c));
      r.variable.push_back(static_cast<network::Index>(i));
      r.kind.push_back(static_cast<network::Index>(r.kinds++));
      const std::size_t key = kind_of(c, i, order);
      for (std::size_t k = 0; k < kinds(o_.sharing); ++k) to.push_back(k == key);
      const double d = distance(m_.places[c], m_.places[i]);
      to.push_back(d);
      to.push_back(order == 0 ? 0 : 1 / std::max(d, 0.1));
      double least = 0, sum = 0, greatest = 0;
      std::size_t n = 0;
      for (const auto& [j, ignored] : order_[c]) {
        if (order == 0 || j == i) continue;
        const double x = cosine(c, i, j);
        least = n == 0 ? x : std::min(least, x);
        greatest = n == 0 ? x : std::max(greatest, x);
        sum += x;
        ++n;
      }
      to.insert(to.end(), {least, n > 0 ? sum / static_cast<double>(n) : 0, greatest});
    });
  }

  const MoleculeView& m_;
  const GraphOptions& o_;
  std::vector<int> element_;
  std::vector<std::vector<std::pair<std::size_t, int>>> order_;  // by atom: neighbours
  std::vector<network::Relation> relations_;
  network::Batch batch_;
};

}  // namespace

Form form_of(const std::string& text) { return find("form", text, kForms); }
Sharing sharing_of(const std::string& text) { return find("sharing", text, kSharings); }
Pairs pairs_of(const std::string& text) { return find("pairs", text, kPairs); }
std::string name(Form form) { return find(form, kForms); }
std::string name(Sharing sharing) { return find(sharing, kSharings); }
std::string name(Pairs pairs) { return find(pairs, kPairs); }

network::Schema schema(const GraphOptions& o) {
  network::Schema schema{variable_width(o.form), {}};
  schema.relations.push_back({"pair", pair_width(o), 1, 0});
  schema.relations.push_back({"atom", 0, kinds(o.sharing), 0});
  if (o.form == Form::positions) schema.relations.push_back({"bond", 0, 2, 0});
  if (o.form == Form::invariant) {
    schema.relations.push_back({"angle", 0, 1, angle_width(o.sharing)});
  }
  return schema;
}

network::Batch graph(const MoleculeView& molecule, const GraphOptions& options) {
  return Maker(molecule, options).make();
}

}  // namespace fgnn::molecules
