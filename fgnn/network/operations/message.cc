// One direction of a layer: kernels/message.h. The matrices of a mixture are mixed where that takes
// least: on every edge, once per kind (kernels/linear.h), or at every target (kernels/outer.h).
#include "fgnn/kernels/message.h"

#include <algorithm>

#include "fgnn/kernels/linear.h"
#include "fgnn/kernels/outer.h"
#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

template <class T>
struct MessageKept {
  kernels::ArgMax where;
  T* mixed = nullptr;  // matrices by kind, of a mixture
};

class MessageSteps : public Steps<MessageSteps> {
 public:
  explicit MessageSteps(Message message) : o(std::move(message)) {}

  std::string_view name() const override { return "message"; }
  Ports ports() const override {
    Ports p{{o.target, o.source, o.coefficients, o.nearest},
            o.output,
            {o.matrices},
            {o.target, o.source, o.coefficients}};
    if (o.options.has(Aggregate::logsumexp)) p.again.push_back(o.output);
    return p;
  }

  void check(const Program& program) const override {
    const Check check(name(), program);
    const Ends between =
        o.nearest >= 0 ? Ends{{Place::variable}, {Place::variable}} : ends(o.way, o.relation);
    check.place(o.source, between.source);
    check.place(o.output, between.target);
    check.width(o.source, o.options.hidden);
    check.width(o.output, o.options.columns());
    if (o.target >= 0) {
      check.place(o.target, between.target);
      check.width(o.target, o.options.hidden);
    }
    check.that(o.matrices >= 0 || o.options.hidden == o.options.out, "needs matrices");
    check.that(o.coefficients < 0 || o.matrices >= 0, "needs matrices to mix");
    if (o.coefficients >= 0) check.place(o.coefficients, place_of_kinds());
    check.shape(
        o.matrices,
        {o.coefficients < 0 ? -1 : static_cast<std::int64_t>(check.at(o.coefficients).width),
         static_cast<std::int64_t>(o.options.hidden), static_cast<std::int64_t>(o.options.out)});
  }

  void check(const Program& program, const Batch& batch) const override {
    if (o.matrices < 0 || o.coefficients >= 0) return;
    check_kinds(batch, o.way, o.relation, program.parameters[o.matrices].shape[0]);
  }

  double arithmetic(const Program& program, const Structure& structure) const override {
    if (o.matrices < 0 || o.nearest >= 0) return 0;
    return 2 * static_cast<double>(matrix()) * cheapest(program, structure, 1).products;
  }

  template <class T>
  void run(Pass<T>& p) const {
    auto& kept = p.template kept<MessageKept<T>>();
    const Mixing mixing = cheapest(p).where;
    kernels::MessageInput<T> m = input(p, mixing);
    if (mixing == Mixing::at_targets) {
      return kernels::outer_forward<T>(m, o.options, p.output(o.output), p.threads());
    }
    if (mixing == Mixing::by_kind) {
      const kernels::Rows<T> c{p.value(o.coefficients), p.width(o.coefficients)};
      kept.mixed = p.scratch(m.edges->kinds() * matrix());
      kernels::linear_forward<T>({&c, 1}, m.edges->kinds(), p.weight(o.matrices), nullptr, matrix(),
                                 Activation::identity, kept.mixed, p.threads());
      m.matrices = kept.mixed;
    }
    const bool back = p.purpose().gradients;
    kernels::message_forward<T>(m, o.options, p.output(o.output), back ? &kept.where : nullptr,
                                p.threads());
    if (kept.mixed != nullptr && !back) p.give_back(std::exchange(kept.mixed, nullptr));
  }

  std::size_t prepared(const Program& program) const override {
    // A mixture in both its forms: which one a batch takes depends on its edges.
    return o.matrices < 0 ? 0 : program.parameters[o.matrices].count() * (mixes() ? 2 : 1);
  }
  template <class T>
  void make(const Program& program, std::span<T* const> weights, T* transposed) const {
    if (o.matrices < 0) return;
    kernels::message_transpose<T>(weights[o.matrices],
                                  static_cast<std::size_t>(program.parameters[o.matrices].shape[0]),
                                  mixes(), o.options, transposed);
    if (!mixes()) return;
    const std::size_t bases = program.registers[o.coefficients].width;
    kernels::linear_transpose<T>({&bases, 1}, weights[o.matrices], matrix(),
                                 transposed + bases * matrix());
  }

  template <class T>
  void back(Pass<T>& p) const {
    auto& kept = p.template kept<MessageKept<T>>();
    const Mixing mixing = cheapest(p).where;
    kernels::MessageInput<T> m = input(p, mixing);
    const Into<T> target = p.into(o.target), source = p.into(o.source);
    const Into<T> coefficients = p.into(o.coefficients), matrices = p.into_weight(o.matrices);
    kernels::MessageGradient<T> gradient{target.data(), source.data(), matrices.data(),
                                         coefficients.data()};
    if (mixing == Mixing::at_targets) {
      return kernels::outer_backward<T>(m, p.prepared(), o.options, p.gradient(o.output), gradient);
    }
    const bool first = mixing == Mixing::by_kind;
    const std::size_t by_kind = m.edges->kinds() * matrix();
    const T* transposed = p.prepared();
    T* mixed = nullptr;
    if (first) {
      m.matrices = kept.mixed;
      gradient.matrices = p.scratch(by_kind);
      gradient.coefficients = nullptr;
      transposed = mixed = p.scratch(by_kind);
      kernels::message_transpose<T>(kept.mixed, m.edges->kinds(), false, o.options, mixed);
    } else if (matrices && o.coefficients < 0) {
      // A table may have rows for kinds that this structure does not use.
      std::fill(matrices.data() + by_kind,
                matrices.data() + p.program().parameters[o.matrices].count(), T(0));
    }
    kernels::message_backward<T>(m, transposed, o.options, p.value(o.output), kept.where,
                                 p.gradient(o.output), gradient, p.threads());
    if (!first) return;
    const kernels::Rows<T> c{p.value(o.coefficients), p.width(o.coefficients)};
    const kernels::RowsGradient<T> dc[] = {{coefficients.data(), false}};
    kernels::linear_backward<T>({&c, 1}, m.edges->kinds(), p.prepared() + c.width * matrix(),
                                matrix(), Activation::identity, nullptr, gradient.matrices, dc,
                                matrices.data(), nullptr, p.threads());
    p.give_back(gradient.matrices);
    p.give_back(mixed);
    p.give_back(std::exchange(kept.mixed, nullptr));
  }

 private:
  // Between neighbours the kind of an edge is the factor that joins them.
  Place place_of_kinds() const {
    const bool neighbours = o.way == Way::forward_neighbours || o.way == Way::backward_neighbours ||
                            o.way == Way::neighbours;
    return {neighbours ? Place::factor : Place::kind, o.relation};
  }

  bool mixes() const { return o.coefficients >= 0; }
  std::size_t matrix() const { return o.options.hidden * o.options.out; }

  // Whether the coefficients of the edges differ by copy.
  bool by_copy(const Program& program, const Structure& structure) const {
    const Place place = program.registers[o.coefficients].place;
    return place.rows == Place::factor || structure.relations()[place.relation].own_kinds;
  }

  enum class Mixing { none, on_edges, by_kind, at_targets };
  struct Cost {
    Mixing where;
    double products;  // of rows and matrices
  };
  Cost cheapest(const Program& program, const Structure& structure, std::size_t copies) const {
    if (o.matrices < 0 || o.nearest >= 0) return {Mixing::none, 0};
    const Incidence& all = structure.incidence(o.way, o.relation);
    const double edges = static_cast<double>(all.edges() * copies);
    if (o.coefficients < 0) return {Mixing::none, edges};
    const double bases = static_cast<double>(program.registers[o.coefficients].width);
    const double kinds = static_cast<double>(all.kinds());
    Cost best{Mixing::on_edges, edges * bases};
    // Kinds must be the same in every copy, and few: a product on an edge costs more than one of
    // many in a row.
    if (!(by_copy(program, structure) && copies > 1) && 2 * kinds <= edges) {
      best = {Mixing::by_kind, edges + kinds * bases};
    }
    const double targets = static_cast<double>(all.targets() * copies);
    const double outer = bases * (targets + edges / static_cast<double>(o.options.out));
    if (kernels::is_linear(o.options) && outer < best.products) best = {Mixing::at_targets, outer};
    return best;
  }
  template <class T>
  Cost cheapest(const Pass<T>& p) const {
    return cheapest(p.program(), p.structure(), p.batch().copies);
  }

  template <class T>
  kernels::MessageInput<T> input(const Pass<T>& p, Mixing mixing) const {
    kernels::MessageInput<T> m;
    m.edges = o.nearest >= 0 ? &p.edges(o.nearest) : &p.structure().incidence(o.way, o.relation);
    m.copies = o.nearest >= 0 ? 1 : p.batch().copies;
    m.target = p.value(o.target);
    m.source = p.value(o.source);
    m.matrices = p.weight(o.matrices);
    m.mask = o.nearest >= 0 ? nullptr : mask_of(o.way, o.relation, p.batch());
    if (mixing == Mixing::on_edges || mixing == Mixing::at_targets) {
      m.coefficients = p.value(o.coefficients);
      m.bases = p.width(o.coefficients);
      m.per_copy = by_copy(p.program(), p.structure());
    }
    return m;
  }

  Message o;
};

int sample_of(Writer& w, const Scene& s, Way way, std::vector<Aggregate> aggregates, bool mixture) {
  const Ends between = ends(way, 1);
  const int from = between.source.rows == Place::factor ? s.factor[1] : s.variable;
  const int to = between.source.rows == Place::factor ? s.variable : s.factor[1];
  const int source = w.linear("source", {from}, 4, true, Activation::identity);
  const int target = w.linear("target", {to}, 4, false, Activation::identity);
  const int coefficients = mixture ? w.linear("mix", {s.kind[1]}, 3, true, Activation::tanh) : -1;
  Message m{way,          1, target, source, -1, w.parameter("q", {mixture ? 3 : 9, 4, 3}, 0.5),
            coefficients, {}};
  m.options = {4, 3, Activation::tanh, std::move(aggregates), 0.7};
  m.output = w.add_register(between.target, m.options.columns());
  w.push(m);
  return m.output;
}

const Sample message_table_sample("message", [](Writer& w, const Scene& s) {
  return sample_of(
      w, s, Way::variable_to_factor,
      {Aggregate::max, Aggregate::sum, Aggregate::mean, Aggregate::logsumexp, Aggregate::product},
      false);
});
const Sample message_added_sample("message", [](Writer& w, const Scene& s) {
  return sample_of(w, s, Way::factor_to_variable, {Aggregate::mean}, true);
});
const Sample message_mixture_sample("message", [](Writer& w, const Scene& s) {
  return sample_of(w, s, Way::factor_to_variable, {Aggregate::max}, true);
});

}  // namespace

OperationPtr make(Message o) { return std::make_shared<MessageSteps>(std::move(o)); }

}  // namespace fgnn::network
