#include "bench/learn/eager.h"

#include <ATen/Functions.h>

#include "fgnn/core/error.h"
#include "fgnn/nn/module.h"

namespace fgnn::bench {

using at::Tensor;

EagerNetwork::EagerNetwork(const network::Model& model, const network::Batch& batch)
    : program_(model.program), inputs_(model.program.registers.size()) {
  for (std::size_t i = 0; i < model.weights.size(); ++i) {
    weights_.push_back(at::from_blob(const_cast<double*>(model.weights[i].data()),
                                     program_.parameters[i].shape, at::kDouble)
                           .to(at::kFloat));
  }
  const auto& s = *batch.structure;
  for (const auto& r : program_.registers) {
    rows_.push_back(static_cast<std::int64_t>(network::rows(s, batch.copies, r.place)));
  }
  const auto load = [&](int reg, const std::vector<double>& values) {
    if (reg >= 0) inputs_[reg] = nn::features(values, rows_[reg], at::kFloat);
  };
  load(program_.variable_input, batch.variable);
  for (std::size_t r = 0; r < batch.relations.size(); ++r) {
    load(program_.factor_input[r], batch.relations[r].factor);
  }
  for (const auto& o : program_.operations) {
    Edges& e = edges_.emplace_back();
    const auto* m = std::get_if<network::Message>(&o);
    if (m == nullptr) continue;
    const auto& incidence = s.incidence(m->way, m->relation);
    std::vector<std::vector<std::int64_t>> target(incidence.kinds()), source(incidence.kinds());
    for (std::size_t c = 0; c < batch.copies; ++c) {
      for (std::size_t p = 0; p < incidence.edges(); ++p) {
        const std::size_t k = incidence.kind(p);
        target[k].push_back(
            static_cast<std::int64_t>(c * incidence.targets() + incidence.target(p)));
        source[k].push_back(
            static_cast<std::int64_t>(c * incidence.sources() + incidence.source(p)));
      }
    }
    for (std::size_t k = 0; k < incidence.kinds(); ++k) {
      e.target.push_back(at::tensor(target[k]));
      e.source.push_back(at::tensor(source[k]));
    }
  }
}

Tensor EagerNetwork::run() {
  std::vector<Tensor> regs = inputs_;
  for (std::size_t i = 0; i < program_.operations.size(); ++i) {
    const auto& operation = program_.operations[i];
    if (const auto* o = std::get_if<network::Linear>(&operation)) {
      std::vector<Tensor> parts;
      for (const int k : o->inputs) parts.push_back(regs[k]);
      const Tensor x = parts.size() == 1 ? parts[0] : at::cat(parts, 1);
      Tensor y = o->bias < 0 ? at::mm(x, weights_[o->weight])
                             : at::addmm(weights_[o->bias], x, weights_[o->weight]);
      regs[o->output] = nn::activate(y, o->activation);
    } else if (const auto* n = std::get_if<network::Norm>(&operation)) {
      Tensor y = at::batch_norm(regs[n->input], weights_[n->scale], weights_[n->shift],
                                weights_[n->mean], weights_[n->variance], false, 0.1, 1e-5, false);
      y = nn::activate(y, n->activation);
      regs[n->output] = n->residual < 0 ? y : at::add(y, regs[n->residual]);
    } else if (const auto* m = std::get_if<network::Message>(&operation);
               m != nullptr && m->coefficients < 0 && m->matrices >= 0 &&
               m->options.aggregates == std::vector{kernels::Aggregate::max}) {
      std::vector<Tensor> y, t;
      for (std::size_t k = 0; k < edges_[i].target.size(); ++k) {
        Tensor h = at::index_select(regs[m->source], 0, edges_[i].source[k]);
        if (m->target >= 0) {
          h = at::add(h, at::index_select(regs[m->target], 0, edges_[i].target[k]));
        }
        y.push_back(at::mm(nn::activate(h, m->options.activation), weights_[m->matrices][k]));
        t.push_back(edges_[i].target[k]);
      }
      const Tensor all = at::cat(y), index = at::cat(t).unsqueeze(1).expand_as(all);
      regs[m->output] = at::zeros({rows_[m->output], all.size(1)})
                            .scatter_reduce(0, index, all, "amax", /*include_self=*/false);
    } else {
      throw Error(ErrorCode::unsupported, "eager network", "has an operation it does not know");
    }
  }
  return regs[program_.output];
}

}  // namespace fgnn::bench
