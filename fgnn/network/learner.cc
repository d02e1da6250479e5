#include "fgnn/network/learner.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "fgnn/core/parallel.h"
#include "fgnn/core/random.h"

namespace fgnn::network {

template <class T>
Learner<T>::Learner(const Model& model) : program_(model.program) {
  offsets_ = program_.flat_offsets();
  flat_.resize(static_cast<std::size_t>(offsets_.back()));
  gradient_.resize(flat_.size());
  offsets_.pop_back();
  moments_.resize(program_.parameters.size());
  for (std::size_t i = 0; i < program_.parameters.size(); ++i) {
    if (offsets_[i] < 0) moments_[i].resize(program_.parameters[i].count());
    pointers_.push_back(offsets_[i] < 0 ? moments_[i].data() : flat_.data() + offsets_[i]);
  }
  load(model);
}

template <class T>
void Learner<T>::load(const Model& model) {
  for (std::size_t i = 0; i < pointers_.size(); ++i) {
    std::copy(model.weights[i].begin(), model.weights[i].end(), pointers_[i]);
  }
}

template <class T>
void Learner<T>::store(Model& model) const {
  for (std::size_t i = 0; i < pointers_.size(); ++i) {
    model.weights[i].assign(pointers_[i], pointers_[i] + program_.parameters[i].count());
  }
}

template <class T>
void Learner<T>::prepare(std::size_t parts, const Purpose& purpose) {
  if (!schedule_ || purpose.training != purpose_.training ||
      purpose.gradients != purpose_.gradients || purpose.inputs != purpose_.inputs) {
    passes_.clear();  // they refer to the schedule
    schedule_ = std::make_unique<Schedule>(program_, purpose);
  }
  purpose_ = purpose;
  while (passes_.size() < parts) {
    passes_.push_back(std::make_unique<Pass<T>>(program_, pointers_, schedule_->wanted));
  }
  meeting_.resize(parts);
  flows_.resize(parts);
  for (auto& m : meeting_) m.resize(program_.operations.size());
  for (auto& f : flows_) f.assign(program_.operations.size(), 0);
}

// Once per batch, what backward passes need of the weights.
template <class T>
void Learner<T>::prepare_weights(int threads) {
  std::vector<std::size_t> offset;
  std::size_t total = 0;
  constexpr std::size_t line = kernels::kCacheLine / sizeof(T);
  for (const auto& o : program_.operations) {
    offset.push_back(total);
    total += (o->prepared(program_) + line - 1) / line * line;
  }
  prepared_.resize(total);
  prepared_of_.clear();
  for (const std::size_t at : offset) prepared_of_.push_back(prepared_.data() + at);
  parallel_tasks(threads, offset.size(), [&](std::size_t i) {
    program_.operations[i]->prepare(program_, pointers_, prepared_.data() + offset[i]);
  });
}

template <class T>
void Learner<T>::start(std::span<const Batch* const> parts, const LearnOptions& options,
                       bool back) {
  for (const Batch* b : parts) check_features(program_, *b);
  prepare(parts.size(),
          {options.training, back, back && options.input_gradients, options.momentum});
  if (back) prepare_weights(options.threads);
}

// Products with weights on the right may keep what they make of them while this lives.
template <class T>
kernels::Unchanged Learner<T>::weights_now() const {
  std::vector<std::span<const float>> weights;
  if constexpr (std::is_same_v<T, float>) weights = {flat_, prepared_};
  return kernels::Unchanged(std::move(weights));
}

template <class T>
std::span<const T> Learner<T>::output(Pass<T>& pass) const {
  return {pass.value(program_.output), pass.count(program_.output)};
}

template <class T>
void Learner<T>::step(std::span<const Batch* const> parts, const LearnOptions& options,
                      const Loss& loss) {
  start(parts, options, true);
  const kernels::Unchanged unchanged = weights_now();
  run_forwards(parts, options, unchanged, [&](Pass<T>& pass, std::size_t p) {
    const std::span<const T> out = output(pass);
    loss(p, out, {pass.begin_gradient(program_.output), out.size()});
    run_backward(pass, p, schedule_->stages.back());
  });
  run_backwards(parts.size(), options, unchanged);
}

template <class T>
void Learner<T>::begin_step(std::span<const Batch* const> parts, const LearnOptions& options,
                            const Seen& seen) {
  start(parts, options, true);
  run_forwards(parts, options, weights_now(),
               [&](Pass<T>& pass, std::size_t p) { seen(p, output(pass)); });
}

template <class T>
void Learner<T>::end_step(std::size_t parts, const LearnOptions& options,
                          const Gradient& gradient) {
  const kernels::Unchanged unchanged = weights_now();
  each_part(parts, options, unchanged, [&](Pass<T>& pass, std::size_t p) {
    gradient(p, {pass.begin_gradient(program_.output), pass.count(program_.output)});
    run_backward(pass, p, schedule_->stages.back());
  });
  run_backwards(parts, options, unchanged);
}

template <class T>
void Learner<T>::forward(std::span<const Batch* const> parts, const LearnOptions& options,
                         const Seen& seen) {
  start(parts, options, false);
  run_forwards(parts, options, weights_now(),
               [&](Pass<T>& pass, std::size_t p) { seen(p, output(pass)); });
}

template <class T>
void Learner<T>::each_part(std::size_t parts, const LearnOptions& options,
                           const kernels::Unchanged& unchanged, const EachPart& body) {
  parallel_tasks(options.threads, parts, [&](std::size_t p) {
    const kernels::ProductsHere here(options.products, &unchanged);
    body(*passes_[p], p);
  });
}

template <class T>
void Learner<T>::run_forwards(std::span<const Batch* const> parts, const LearnOptions& options,
                              const kernels::Unchanged& unchanged, const EachPart& last) {
  const auto& stages = schedule_->stages;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const bool at_end = s + 1 == stages.size();
    each_part(parts.size(), options, unchanged, [&](Pass<T>& pass, std::size_t p) {
      if (s == 0) pass.begin(*parts[p], purpose_, Rng(options.seed, options.first_part + p)(), 1);
      pass.set_prepared(prepared_of_);
      run_forward(pass, p, stages[s]);
      if (at_end) last(pass, p);
    });
    if (!at_end) meet(stages[s], Step::first, options);
  }
}

template <class T>
void Learner<T>::run_backwards(std::size_t parts, const LearnOptions& options,
                               const kernels::Unchanged& unchanged) {
  begun_.assign(program_.parameters.size(), 0);
  const auto& stages = schedule_->stages;
  const std::size_t last = stages.size() - 1;
  for (std::size_t s = last;; --s) {
    if (s < last) {
      meet(stages[s + 1], Step::second, options);
      each_part(parts, options, unchanged,
                [&](Pass<T>& pass, std::size_t p) { run_backward(pass, p, stages[s]); });
    }
    add_gradients(stages[s], options.threads);
    announce(s, options);
    if (s == 0) break;
  }
}

template <class T>
void Learner<T>::run_forward(Pass<T>& pass, std::size_t part, const Stage& stage) {
  for (const Step& step : stage.steps) {
    const Operation& o = *program_.operations[step.operation];
    pass.running(step.operation);
    if (step.half == Step::first) {
      meeting_[part][step.operation] = o.begin_forward(pass);
    } else {
      o.forward(pass);
    }
    for (const int r : step.last_reads) pass.release_value(r);
  }
}

template <class T>
void Learner<T>::run_backward(Pass<T>& pass, std::size_t part, const Stage& stage) {
  for (auto step = stage.steps.rbegin(); step != stage.steps.rend(); ++step) {
    const Operation& o = *program_.operations[step->operation];
    char& flows = flows_[part][step->operation];
    // The gradient may have changed hands in the first half that runs.
    if (step->half != Step::first) {
      flows = schedule_->wanted[step->output] && pass.gradient(step->output) != nullptr;
    }
    pass.running(step->operation);
    if (flows && step->half == Step::second) {
      meeting_[part][step->operation] = o.begin_backward(pass);
    } else if (flows) {
      o.backward(pass);
    }
    if (step->half != Step::second) pass.release_gradient(step->output);
    for (const int r : step->last_returns) pass.release_value(r);
  }
}

// Adds up what the steps of this half have handed in, over parts in their order and processes.
template <class T>
void Learner<T>::meet(const Stage& stage, Step::Half half, const LearnOptions& options) {
  const bool forwards = half == Step::first;
  total_.clear();
  const auto each = [&](const auto& body) {
    for (const Step& step : stage.steps) {
      if (step.half == half && (forwards || flows_[0][step.operation])) body(step.operation);
    }
  };
  each([&](int o) {
    const std::size_t begin = total_.size();
    total_.resize(begin + meeting_[0][o].size());
    for (const auto& part : meeting_) {
      for (std::size_t j = 0; j < part[o].size(); ++j) total_[begin + j] += part[o][j];
    }
  });
  if (options.sum) options.sum(total_);
  std::size_t begin = 0;
  each([&](int o) {
    for (const auto& part : meeting_) {
      std::copy_n(total_.begin() + static_cast<std::ptrdiff_t>(begin), part[o].size(),
                  part[o].begin());
    }
    begin += meeting_[0][o].size();
    if (!forwards || !options.training) return;
    passes_[0]->running(o);
    program_.operations[o]->remember(*passes_[0]);
  });
}

// The parts' gradients of a stage's parameters, in their order, to the flat gradient.
template <class T>
void Learner<T>::add_gradients(const Stage& stage, int threads) {
  constexpr std::size_t kPiece = 4096;  // numbers that a thread takes at a time
  struct Piece {
    int parameter;
    std::size_t begin, end;
  };
  std::vector<Piece> pieces;
  for (const int q : stage.parameters) {
    const std::size_t n = program_.parameters[q].count();
    for (std::size_t b = 0; b < n; b += kPiece) pieces.push_back({q, b, std::min(n, b + kPiece)});
  }
  parallel_tasks(threads, pieces.size(), [&](std::size_t i) {
    const auto [q, begin, end] = pieces[i];
    T* sum = gradient_.data() + offsets_[q];
    bool keep = begun_[q] != 0;
    for (std::size_t p = 0; p < meeting_.size(); ++p) {
      const T* own = passes_[p]->weight_gradient(q);
      if (own == nullptr) continue;
      if (keep) {
        kernels::add(own + begin, sum + begin, end - begin);
      } else {
        std::copy(own + begin, own + end, sum + begin);
      }
      keep = true;
    }
    if (!keep) std::fill(sum + begin, sum + end, T(0));
  });
  for (const int q : stage.parameters) {
    begun_[q] = 1;
    for (std::size_t p = 0; p < meeting_.size(); ++p) passes_[p]->release_weight_gradient(q);
  }
}

template <class T>
void Learner<T>::announce(std::size_t stage, const LearnOptions& options) {
  if (!options.complete) return;
  for (const int q : schedule_->stages[stage].parameters) {
    if (schedule_->complete[q] != static_cast<int>(stage)) continue;
    const auto begin = static_cast<std::size_t>(offsets_[q]);
    options.complete(begin, begin + program_.parameters[q].count());
  }
}

template <class T>
std::span<const T> Learner<T>::input_gradient(std::size_t part, int reg) {
  Pass<T>& pass = *passes_[part];
  const T* gradient = reg < 0 ? nullptr : pass.gradient(reg);
  if (gradient == nullptr) return {};
  return {gradient, pass.count(reg)};
}

template class Learner<float>;
template class Learner<double>;

}  // namespace fgnn::network
