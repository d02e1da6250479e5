#include "fgnn/network/run.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "fgnn/core/parallel.h"
#include "fgnn/kernels/aligned.h"
#include "fgnn/network/pass.h"
#include "fgnn/network/schedule.h"

namespace fgnn::network {
namespace {

// Variables that go through a network together: as many rows as make products efficient.
constexpr std::size_t kRows = 256;

}  // namespace

template <class T>
struct Runner<T>::Network {  // passes refer to it: it stays where it is
  Program program;
  std::vector<kernels::AlignedVector<T>> weights;
  std::vector<T*> pointers;
  std::unique_ptr<Schedule> schedule;
  std::vector<std::unique_ptr<Pass<T>>> idle;  // passes that nobody uses
  std::mutex mutex;
  std::vector<T> output;

  std::unique_ptr<Pass<T>> take_pass();
  void run_through(Pass<T>& pass, const Batch& batch, int threads, const Budget& budget, T* out);
  std::uint64_t bytes(const Batch& batch, std::size_t copies) const;
};

template <class T>
Runner<T>::Runner(const Model& model) : n_(std::make_unique<Network>()) {
  n_->program = model.program;
  for (const auto& w : model.weights) n_->weights.emplace_back(w.begin(), w.end());
  for (auto& w : n_->weights) n_->pointers.push_back(w.data());
  n_->schedule = std::make_unique<Schedule>(n_->program, Purpose{});
}

template <class T>
Runner<T>::~Runner() = default;
template <class T>
Runner<T>::Runner(Runner&&) noexcept = default;
template <class T>
Runner<T>& Runner<T>::operator=(Runner&&) noexcept = default;

template <class T>
std::size_t Runner<T>::output_width() const {
  return n_->program.registers[n_->program.output].width;
}

template <class T>
std::unique_ptr<Pass<T>> Runner<T>::Network::take_pass() {
  const std::lock_guard lock(mutex);
  if (idle.empty()) {
    return std::make_unique<Pass<T>>(program, pointers, schedule->wanted);
  }
  auto pass = std::move(idle.back());
  idle.pop_back();
  return pass;
}

template <class T>
void Runner<T>::Network::run_through(Pass<T>& pass, const Batch& batch, int threads,
                                     const Budget& budget, T* out) {
  pass.begin(batch, Purpose{}, 0, threads);
  for (const Step& step : schedule->stages[0].steps) {
    budget.check_time();
    pass.running(step.operation);
    program.operations[step.operation]->forward(pass);
    for (const int r : step.last_reads) pass.release_value(r);
  }
  std::copy_n(pass.value(program.output), pass.count(program.output), out);
}

// What registers take while so many copies go through together, at the most.
template <class T>
std::uint64_t Runner<T>::Network::bytes(const Batch& batch, std::size_t copies) const {
  const auto numbers = [&](int reg) -> std::uint64_t {
    if (reg < 0) return 0;
    const Register& r = program.registers[reg];
    return rows(*batch.structure, copies, r.place) * r.width;
  };
  std::uint64_t held = numbers(program.variable_input);
  for (const int r : program.factor_input) held += numbers(r);
  for (const int r : program.edge_input) held += numbers(r);
  std::uint64_t most = held;
  for (const Step& step : schedule->stages[0].steps) {
    most = std::max(most, held += numbers(step.output));
    for (const int r : step.last_reads) held -= numbers(r);
  }
  return most * sizeof(T);
}

template <class T>
std::span<const T> Runner<T>::run(const Batch& batch, int threads, const Budget& budget) {
  check_features(n_->program, batch);
  const Register& out = n_->program.registers[n_->program.output];
  const std::size_t each = rows(*batch.structure, 1, out.place) * out.width;
  n_->output.resize(each * batch.copies);
  const std::size_t together =
      std::max<std::size_t>(1, kRows / std::max<std::size_t>(1, batch.structure->variables()));
  const std::size_t parts = (batch.copies + together - 1) / together;
  const std::size_t at_once = std::min<std::size_t>(parts, std::max(threads, 1));
  Budget(budget).take(at_once * n_->bytes(batch, std::min(together, batch.copies)));
  parallel_tasks(parts > 1 ? threads : 1, parts, [&](std::size_t p) {
    auto pass = n_->take_pass();
    const std::size_t first = p * together, count = std::min(together, batch.copies - first);
    if (parts == 1) {
      n_->run_through(*pass, batch, threads, budget, n_->output.data());
    } else {
      n_->run_through(*pass, batch.some(first, count), 1, budget, n_->output.data() + first * each);
    }
    const std::lock_guard lock(n_->mutex);
    n_->idle.push_back(std::move(pass));
  });
  return n_->output;
}

template class Runner<float>;
template class Runner<double>;

}  // namespace fgnn::network
