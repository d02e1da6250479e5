#include "fgnn/experiments/graphfile/task.h"

#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/core/scramble.h"

namespace fgnn::graphfile {
namespace {

using tasks::Stream;

GraphLines read(const std::string& file) {
  Budget budget(file, std::uint64_t{8} << 30);
  return read_graph_lines(file, budget);
}

tasks::Loss loss_of(const FileOptions& options, const GraphLines& read) {
  if (options.loss.empty()) return read.of_classes ? tasks::Loss::cross_entropy : tasks::Loss::l2;
  const tasks::Loss loss = tasks::loss(options.loss);
  if (loss->of_classes() != read.of_classes) {
    throw Error(ErrorCode::usage, "loss=" + options.loss,
                read.of_classes ? "is of numbers, and the file has classes"
                                : "is of classes, and the file has numbers");
  }
  return loss;
}

// The network's tables of edge kinds are as long as they were in training.
void fix_kinds(const FileOptions& options, network::Schema& schema) {
  if (options.kinds.empty()) return;
  if (options.kinds.size() != schema.relations.size()) {
    throw Error(ErrorCode::usage, "kinds",
                fmt::format("are of {} relations, the file has {}", options.kinds.size(),
                            schema.relations.size()));
  }
  for (std::size_t r = 0; r < options.kinds.size(); ++r) {
    auto& relation = schema.relations[r];
    if (relation.kinds > options.kinds[r]) {
      throw Error(ErrorCode::usage, relation.name,
                  fmt::format("has {} kinds of edges in {}, and {} were trained", relation.kinds,
                              options.data, options.kinds[r]));
    }
    relation.kinds = options.kinds[r];
  }
}

// A number from 0 to 1 of a line, whatever the other lines are.
double chance(std::uint64_t seed, std::size_t line) {
  return static_cast<double>(scramble(scramble(seed + kGolden) ^ line) >> 11) * 0x1p-53;
}

}  // namespace

const SettingList<FileOptions>& task_settings() {
  using O = FileOptions;
  static const SettingList<O> kSettings = [] {
    SettingList<O> all("task 'file'");
    all.add("data", &O::data, "FILE", "labelled graphs, one in a line of JSON");
    all.add("loss", &O::loss, "NAME",
            "cross-entropy or binary-cross-entropy of classes, l2 or l1 of numbers");
    all.add("holdout", &O::holdout, "SHARE", "of lines without a split, for validation",
            in_half_open(0, 1));
    all.add("data_seed", &O::data_seed, "N", "of that choice");
    all.add("kinds", &O::kinds, "N+N", "of edges by relation, kept in models; default: as it is");
    return all;
  }();
  return kSettings;
}

FileTask::FileTask(FileOptions options)
    : options_(std::move(options)), read_(read(options_.data)), loss_(loss_of(options_, read_)) {
  fix_kinds(options_, read_.schema);
  bool split = false;
  for (const LabelledLine& line : read_.lines) split = split || line.split == Stream::validation;
  for (std::size_t i = 0; i < read_.lines.size(); ++i) {
    const bool held = !split && chance(options_.data_seed, i) < options_.holdout;
    const Stream stream = read_.lines[i].split.value_or(held ? Stream::validation : Stream::train);
    lines_[static_cast<std::size_t>(stream)].push_back(i);
  }
}

std::map<std::string, std::string> FileTask::settings() const {
  FileOptions kept = options_;
  kept.loss = std::string(tasks::name(loss_));
  kept.kinds.clear();
  for (const auto& r : read_.schema.relations) {
    kept.kinds.push_back(static_cast<std::uint32_t>(r.kinds));
  }
  return task_settings().map(kept);
}

std::string FileTask::output_layers() const {
  const std::size_t outputs =
      read_.of_classes ? std::max<std::size_t>(read_.outputs, 2) : read_.outputs;
  return fmt::format("{}Out({})", read_.of_graphs ? "Pool(mean) - FC(64) - " : "", outputs);
}

}  // namespace fgnn::graphfile
