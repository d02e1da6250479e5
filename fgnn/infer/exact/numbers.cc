#include "fgnn/infer/exact/numbers.h"

#include <map>
#include <numeric>
#include <tuple>

#include "fgnn/core/error.h"
#include "fgnn/infer/exact/counter.h"
#include "fgnn/infer/expand_in_time.h"
#include "fgnn/potentials/potentials.h"

namespace fgnn::exact {
namespace {

[[noreturn]] void refuse(const FactorGraph& graph, FactorId c, const char* why) {
  throw Error(ErrorCode::model, graph.describe(c), why, "make a new plan");
}

template <class Kind>
const Kind& expect(const FactorGraph& graph, FactorId c, const char* why) {
  const auto* potential = dynamic_cast<const Kind*>(&graph.potential(c));
  if (potential == nullptr) refuse(graph, c, why);
  return *potential;
}

}  // namespace

Numbers::Numbers(const FactorGraph& graph, const Problem& problem)
    : graph_(graph), problem_(problem) {
  // Values by count depend on the arity alone, all else on the whole shape.
  using Key = std::tuple<Source::Kind, std::uint32_t, std::vector<State>>;
  std::map<Key, std::uint32_t> known;
  const Source* last = nullptr;
  array_of_.reserve(problem.sources.size());
  for (const Source& source : problem.sources) {
    const bool unary = source.kind == Source::Kind::unary;
    const bool table = source.kind == Source::Kind::table &&
                       dynamic_cast<const Table*>(&graph.potential(source.subject));
    if (unary || table) {
      array_of_.push_back(kBorrowed);
      continue;
    }
    const bool again =
        last != nullptr && last->kind == source.kind && last->subject == source.subject;
    last = &source;
    if (again) {  // the next position of the same counter
      array_of_.push_back(array_of_.back());
      continue;
    }
    const bool by_shape =
        source.kind == Source::Kind::table ||
        dynamic_cast<const AllDifferent*>(&graph.potential(source.subject)) != nullptr;
    const std::vector<State> arity{static_cast<State>(graph.arity(source.subject))};
    const auto [place, fresh] =
        known.try_emplace(Key{source.kind, graph.potential_index(source.subject),
                              by_shape ? graph.shape(source.subject) : arity},
                          static_cast<std::uint32_t>(arrays_.size()));
    if (fresh) {
      arrays_.push_back(described(source));
      bytes_ += sizeof(Array) + sizeof(double) * arrays_.back().entries;
    }
    array_of_.push_back(place->second);
  }
}

Numbers::Array Numbers::described(const Source& source) const {
  const FactorId c = source.subject;
  Array array{source.kind, c, 0, {}};
  switch (source.kind) {
    case Source::Kind::unary:
      break;
    case Source::Kind::table:
      array.entries = configurations(graph_.shape(c));
      break;
    case Source::Kind::count:
      expect<Count>(graph_, c, "the plan was made for a count");
      array.entries = graph_.arity(c) + 1;
      break;
    case Source::Kind::parity:
      expect<Parity>(graph_, c, "the plan was made for a parity check");
      array.entries = graph_.arity(c) + 1;
      break;
    case Source::Kind::automaton:
      array.entries = automaton(graph_.potential(c), graph_.shape(c))->entries();
      break;
    case Source::Kind::star: {
      const auto shape = graph_.shape(c);
      const auto states = std::accumulate(shape.begin(), shape.end(), std::uint64_t{1});
      array.entries = star_size(graph_.potential(c)) * states;
      break;
    }
  }
  return array;
}

void Numbers::fill(Array& array, const Deadline& deadline) const {
  const Potential& potential = graph_.potential(array.factor);
  auto& values = array.values;
  switch (array.kind) {
    case Source::Kind::unary:
      break;
    case Source::Kind::table:
      values = expand_in_time(graph_, array.factor, deadline).values();
      break;
    case Source::Kind::count:
      for (std::size_t k = 0; k < array.entries; ++k) {
        values.push_back(dynamic_cast<const Count&>(potential).value(k));
      }
      break;
    case Source::Kind::parity:
      for (std::size_t k = 0; k < array.entries; ++k) {
        const bool odd = dynamic_cast<const Parity&>(potential).odd();
        values.push_back((k % 2 == 1) == odd ? 0.0 : kForbidden);
      }
      break;
    case Source::Kind::automaton:
      values = automaton(potential, graph_.shape(array.factor))->numbers();
      break;
    case Source::Kind::star:
      values = star_numbers(potential);
      break;
  }
}

void Numbers::make(const Budget& budget) {
  for (Array& array : arrays_) {
    budget.check_time();
    fill(array, budget.deadline());
  }
  of_source_.reserve(array_of_.size());
  for (std::size_t s = 0; s < array_of_.size(); ++s) {
    const Source& source = problem_.sources[s];
    if (array_of_[s] != kBorrowed) {
      of_source_.push_back(arrays_[array_of_[s]].values.data());
    } else if (source.kind == Source::Kind::unary) {
      of_source_.push_back(graph_.unary(source.subject).data());
    } else {
      of_source_.push_back(
          dynamic_cast<const Table&>(graph_.potential(source.subject)).values().data());
    }
  }
}

}  // namespace fgnn::exact
