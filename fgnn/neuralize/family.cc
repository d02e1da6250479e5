#include "fgnn/neuralize/family.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "fgnn/core/error.h"
#include "fgnn/neuralize/propositions.h"
#include "fgnn/neuralize/weights.h"
#include "fgnn/potentials/count.h"
#include "fgnn/potentials/low_rank.h"

namespace fgnn::neuralize {
namespace {

constexpr std::size_t kStates = 2;
constexpr std::size_t kWidestMaxBudget = 10;  // 2^n terms

[[noreturn]] void unknown(const network::RelationSchema& r, const char* why) {
  throw Error(ErrorCode::unsupported, fmt::format("relation '{}'", r.name), why,
              "families are made of 'pair', 'budget' and 'check'");
}

bool is_pair(const network::RelationSchema& r) {
  return r.name == "pair" && r.factor_features == 4 && r.kinds == 2;
}
bool is_budget(const network::RelationSchema& r) {
  return r.name == "budget" && r.factor_features == r.kinds && r.kinds > 0;
}
bool is_check(const network::RelationSchema& r) {
  return r.name == "check" && r.factor_features == 0 && r.kinds == 1;
}

// Layer of n to n numbers without bias terms that do anything.
Dense diagonal(std::size_t n, double scale) {
  Dense d(n, n, false);
  for (std::size_t i = 0; i < n; ++i) d.at(i, i) = scale;
  d.bias.assign(n, 0);
  return d;
}

struct SumTables {
  Matrices up, down;
};

// ---- sum-product ----

// Term z = 2 a + b is the joint state (a, b), weighted by exp(theta(a, b) / T).
SumTables pair_tables() {
  SumTables t{Matrices(2, kStates, 4), Matrices(2, 4, kStates)};
  for (std::size_t z = 0; z < 4; ++z) {
    const std::size_t x[] = {z / 2, z % 2};
    for (std::size_t j = 0; j < 2; ++j) t.up.at(j, x[j], z) = t.down.at(j, z, x[j]) = 1;
  }
  return t;
}

struct BudgetForms {
  SumTables tables;
  std::vector<std::vector<double>> lambda;  // by k = 0 … n
};

BudgetForms budget_forms(std::size_t n) {
  const std::vector<State> shape(n, 2);
  BudgetForms forms{{Matrices(n, kStates, n + 1), Matrices(n, n + 1, kStates)}, {}};
  for (std::size_t k = 0; k <= n; ++k) {
    const auto form = Count::at_most(k).low_rank(shape);
    if (form == nullptr || form->rank() != n + 1) {
      throw Error(ErrorCode::unsupported, "budget",
                  fmt::format("over {} variables has no exact sum of {} terms", n, n + 1));
    }
    for (std::size_t j = 0; j < n; ++j) {
      for (State x = 0; x < kStates; ++x) {
        for (std::size_t r = 0; r <= n; ++r) {
          // The terms are the same for every k: only their weights differ.
          const double w = form->weight(j, x, r);
          if (k > 0 && forms.tables.up.at(j, x, r) != w) {
            throw Error(ErrorCode::unsupported, "budget", "has other terms for another k");
          }
          forms.tables.up.at(j, x, r) = forms.tables.down.at(j, r, x) = w;
        }
      }
    }
    auto& lambda = forms.lambda.emplace_back(form->lambda());
    for (double& l : lambda) l *= std::exp(form->log_scale());
  }
  return forms;
}

// lambda(k) = lambda(0) + sum_i 1[k >= i] (lambda(i) - lambda(i - 1)), from e_i = exp(1[k >= i]).
Dense lambda_of_steps(const std::vector<std::vector<double>>& lambda) {
  const std::size_t n = lambda.size() - 1, rank = lambda[0].size();
  Dense d(n, rank, false);
  d.bias = lambda[0];
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t r = 0; r < rank; ++r) {
      const double slope = (lambda[i][r] - lambda[i - 1][r]) / (std::numbers::e - 1);
      d.at(i - 1, r) = slope;
      d.bias[r] -= slope;  // e_i is 1 where the step is 0
    }
  }
  return d;
}

SumTables check_tables(double floor) {
  SumTables t{Matrices(1, kStates, 2), Matrices(1, 2, kStates)};
  for (std::size_t x = 0; x < 2; ++x) {
    t.up.at(0, x, 0) = 1;
    t.up.at(0, x, 1) = x == 0 ? 1 : -1;
    t.down.at(0, 0, x) = 0.5 + floor;
    t.down.at(0, 1, x) = x == 0 ? 0.5 : -0.5;
  }
  return t;
}

network::Model sum_family(const network::Schema& schema, const FamilyOptions& o) {
  std::vector<std::size_t> ranks;
  for (const auto& r : schema.relations) {
    if (!is_pair(r) && !is_budget(r) && !is_check(r)) unknown(r, "is of no known family");
    ranks.push_back(is_pair(r) ? 4 : is_check(r) ? 2 : r.kinds + 1);
  }
  network::Model model = sum_product_network(schema, kStates, ranks, o.compile);
  Dense unary(schema.variable_features, kStates, false);
  for (std::size_t x = 0; x < kStates; ++x) unary.at(x, x) = 1 / o.temperature;
  Filler(model).fill("0.unary", unary);
  for (const auto& r : schema.relations) {
    if (is_pair(r)) {
      const auto t = pair_tables();
      fill_tables(model, r.name, t.up, t.down, o.compile);
      fill_lambda(model, r.name, diagonal(4, 1 / o.temperature), diagonal(4, 1));
    } else if (is_check(r)) {
      const auto t = check_tables(o.floor);
      fill_tables(model, r.name, t.up, t.down, o.compile);
    } else {
      const auto forms = budget_forms(r.kinds);
      fill_tables(model, r.name, forms.tables.up, forms.tables.down, o.compile);
      fill_lambda(model, r.name, diagonal(r.kinds, 1), lambda_of_steps(forms.lambda));
    }
  }
  return model;
}

// ---- max-product ----

// [features, 1] from features, the first scaled and shifted.
Dense with_constant(std::size_t n, double scale, double shift) {
  Dense d(n, n + 1, false);
  d.bias.assign(n + 1, shift);
  d.bias[n] = 1;
  for (std::size_t i = 0; i < n; ++i) d.at(i, i) = scale;
  return d;
}

// Term z is the set of variables that may be one. It costs nothing for k >= its size.
Matrices budget_phi(std::size_t n, double forbidden) {
  const std::size_t terms = std::size_t{1} << n;
  Matrices phi(n, n + 1, terms * kStates);
  for (std::size_t z = 0; z < terms; ++z) {
    const auto size = static_cast<std::size_t>(std::popcount(z));
    for (std::size_t j = 0; j < n; ++j) {
      if ((z >> j & 1) == 0) phi.at(j, n, z * kStates + 1) = forbidden;
    }
    if (size == 0) continue;
    for (std::size_t x = 0; x < kStates; ++x) {  // said once, at the first position
      phi.at(0, n, z * kStates + x) += forbidden;
      phi.at(0, size - 1, z * kStates + x) -= forbidden;
    }
  }
  return phi;
}

network::Model max_family(const network::Schema& schema, const FamilyOptions& o) {
  std::vector<std::size_t> terms, positions;
  for (const auto& r : schema.relations) {
    if (is_budget(r) && r.kinds > kWidestMaxBudget) {
      unknown(r, "has 2^n terms as a maximum, too many");
    }
    if (!is_pair(r) && !is_budget(r)) unknown(r, "cannot be compiled for max-product");
    terms.push_back(is_pair(r) ? 4 : std::size_t{1} << r.kinds);
    positions.push_back(r.kinds);
  }
  network::Model model = max_product_network(
      schema, terms, positions, std::vector<std::size_t>(schema.relations.size(), o.slots),
      o.ceiling, o.compile);
  for (const auto& r : schema.relations) {
    if (is_pair(r)) {
      const State shape[] = {2, 2};
      fill_potential(model, r.name, with_constant(4, -1, o.largest_pair),
                     decomposition(shape, o.ceiling));
    } else {
      fill_potential(model, r.name, with_constant(r.kinds, 1, 0), budget_phi(r.kinds, o.ceiling));
    }
  }
  return model;
}

}  // namespace

void FamilyOptions::validate() const {
  compile.validate();
  if (!(floor >= 0 && floor < 0.5)) throw Error(ErrorCode::usage, "floor", "must be 0 … 0.5");
  if (!(temperature > 0 && std::isfinite(temperature))) {
    throw Error(ErrorCode::usage, "temperature", "must be above 0");
  }
  if (slots == 0) throw Error(ErrorCode::usage, "slots", "must be at least 1");
  if (compile.algorithm == Algorithm::max_product && temperature != 1) {
    throw Error(ErrorCode::usage, "temperature", "is of sum-product");
  }
}

network::Model compile_family(const network::Schema& schema, const FamilyOptions& options) {
  options.validate();
  const bool exact = options.compile.algorithm == Algorithm::max_product;
  if (schema.variable_features < kStates || (exact && schema.variable_features > kStates)) {
    throw Error(ErrorCode::unsupported, "family", "needs two log-potentials on every variable");
  }
  network::Model model = options.compile.algorithm == Algorithm::max_product
                             ? max_family(schema, options)
                             : sum_family(schema, options);
  describe_compilation(model, options.compile);
  return model;
}

}  // namespace fgnn::neuralize
