// Training on graphs that Python holds, by the library's trainer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/train/trainer.h"
#include "python/binding/networks.h"
#include "python/binding/running.h"

namespace fgnn::python {
namespace {

using tasks::Labelled;
using Texts = std::map<std::string, std::string>;

// One by one: each copy with its share of the labels.
void add_instances(const Graphs& graphs, const py::object& labels, tasks::Loss loss,
                   std::vector<Labelled>& all) {
  const std::size_t copies = graphs.batch.copies;
  std::vector<std::int64_t> classes;
  std::vector<float> targets;
  if (loss->of_classes()) {
    using Longs = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
    const char kind = labels.attr("dtype").attr("kind").cast<std::string>().front();
    if (kind != 'i' && kind != 'u' && kind != 'b') {
      throw Error(ErrorCode::usage, "labels",
                  fmt::format("must be whole numbers for the loss {}", loss->name()));
    }
    const auto given = labels.cast<Longs>();
    classes.assign(given.data(), given.data() + given.size());
  } else {
    const auto given = labels.cast<Floats>();
    targets.assign(given.data(), given.data() + given.size());
  }
  const std::size_t numbers = classes.size() + targets.size();
  if (copies == 0 || numbers % copies != 0) {
    throw Error(ErrorCode::usage, "labels",
                fmt::format("are {} numbers for {} graphs of one structure", numbers, copies));
  }
  const auto share = [&](const auto& values, std::size_t i) {
    const auto each = static_cast<std::ptrdiff_t>(values.size() / copies);
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i) * each;
    return std::decay_t<decltype(values)>(begin, begin + each);
  };
  for (std::size_t i = 0; i < copies; ++i) {
    all.push_back({graphs.batch.some(i, 1), share(classes, i), share(targets, i)});
  }
}

std::vector<Labelled> instances(const std::vector<SharedGraphs>& graphs, const py::list& labels,
                                const network::Schema& schema, tasks::Loss loss) {
  if (graphs.size() != labels.size()) {
    throw Error(ErrorCode::usage, "labels",
                fmt::format("are there for {} of {} graphs", labels.size(), graphs.size()));
  }
  std::vector<Labelled> all;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    check_schema(schema, graphs[i]->schema);
    add_instances(*graphs[i], labels[i], loss, all);
  }
  return all;
}

// Relations have as many kinds of edges as the graph with the most.
network::Schema schema_of(const std::vector<SharedGraphs>& graphs) {
  if (graphs.empty()) throw Error(ErrorCode::usage, "train", "needs at least one graph");
  network::Schema schema = graphs.front()->schema;
  for (const SharedGraphs& g : graphs) {
    check_schema(schema, g->schema);
    for (std::size_t r = 0; r < schema.relations.size(); ++r) {
      auto& kinds = schema.relations[r].kinds;
      kinds = std::max(kinds, g->schema.relations[r].kinds);
    }
  }
  return schema;
}

py::dict measures(const tasks::Metrics& m, tasks::Loss loss) {
  py::dict all;
  if (m.rows == 0) return all;
  all["loss"] = m.mean_loss();
  if (loss->counts_correct()) {
    all["accuracy"] = m.accuracy();
    all["solved"] = m.solved_share();
  }
  for (const tasks::NamedMetric& named : m.named) all[py::str(named.name)] = named.value();
  return all;
}

struct Trained {
  train::TrainReport report;
  tasks::Loss loss = tasks::Loss::cross_entropy;
};

py::tuple result(const Trained& t) {
  py::dict all;
  all["steps"] = t.report.steps;
  all["first_step"] = t.report.first_step;
  all["seconds"] = t.report.seconds;
  all["graphs_per_second"] = t.report.instances_per_second;
  all["first_loss"] = t.report.first_loss;
  all["last_loss"] = t.report.last_loss;
  all["stopped_early"] = t.report.stopped_early;
  all["interrupted"] = t.report.interrupted;
  all["validation"] = measures(t.report.validation, t.loss);
  return py::make_tuple(std::make_shared<network::Model>(t.report.model), all);
}

// What Python is told of validations; where it returns False, training ends.
train::Watcher watcher(const py::object& callback, StopSource& stop) {
  if (callback.is_none()) return {};
  return [&callback, &stop](std::uint64_t step, const std::map<std::string, double>& logged) {
    const py::gil_scoped_acquire held;
    if (callback(step, logged).is(py::handle(Py_False))) stop.request_stop();
  };
}

py::tuple train_graphs(const std::vector<SharedGraphs>& graphs, const py::list& labels,
                       const std::vector<SharedGraphs>& validation, const py::list& wanted,
                       double share, const std::string& network, const SharedModel& from,
                       const std::string& loss_name, const Texts& settings,
                       const std::string& folder, bool resume, const py::object& callback,
                       const py::object& progress) {
  const tasks::Loss loss = tasks::loss(loss_name);
  const network::Schema schema = schema_of(graphs);
  std::vector<Labelled> known = instances(graphs, labels, schema, loss);
  std::vector<Labelled> held_out = instances(validation, wanted, schema, loss);
  if (held_out.empty() && share > 0 && known.size() > 1) {
    // The last of them.
    const auto count = std::clamp<std::size_t>(
        static_cast<std::size_t>(std::lround(share * static_cast<double>(known.size()))), 1,
        known.size() - 1);
    const auto begin = known.end() - static_cast<std::ptrdiff_t>(count);
    held_out.assign(std::make_move_iterator(begin), std::make_move_iterator(known.end()));
    known.erase(begin, known.end());
  }
  train::TrainOptions options;
  options.batch = std::min<std::uint64_t>(options.batch, known.size());
  train::train_settings().set(options, settings);
  options.validation = held_out.size();
  const tasks::MemoryTask task(schema, loss, std::move(known), std::move(held_out));
  const train::RunFolder run_folder{folder,
                                    resume ? train::Start::resume_or_begin : train::Start::begin};
  StopSource own;
  const train::Watcher told = watcher(callback, own);
  return result(run(
      progress,
      [&](const Control& control) {
        options.control = control;
        options.control.stop = control.stop.or_else(own.token());
        cluster::Group& alone = cluster::alone();
        return Trained{
            from ? train::train(task, *from, options, run_folder, alone, told)
                 : train::train(task, description_of(network), options, run_folder, alone, told),
            loss};
      },
      result));
}

py::list settings() {
  py::list all;
  const train::TrainOptions defaults;
  for (const auto& s : train::train_settings()) {
    all.append(py::make_tuple(s.name, s.text(defaults), s.description));
  }
  return all;
}

}  // namespace

void add_training(py::module_& m) {
  m.def("train", &train_graphs);
  m.def("train_settings", &settings);
}

}  // namespace fgnn::python
