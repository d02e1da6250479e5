// Graphs of a file as a task: classes of variables or of graphs, or numbers of either.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fgnn/core/settings.h"
#include "fgnn/experiments/graphfile/graph_lines.h"
#include "fgnn/tasks/task.h"

namespace fgnn::graphfile {

struct FileOptions {
  std::string data;
  std::string loss;      // empty: cross-entropy of classes, l2 of numbers
  double holdout = 0.1;  // share of the lines without a split, by a hash, kept for validation
  std::uint64_t data_seed = 0;       // of that hash
  std::vector<std::uint32_t> kinds;  // of edges by relation, as trained; empty: as the file shows
};
const SettingList<FileOptions>& task_settings();

class FileTask : public tasks::Task {
 public:
  explicit FileTask(FileOptions options);  // reads the file

  std::string name() const override { return "file"; }
  network::Schema schema() const override { return read_.schema; }
  tasks::Loss loss() const override { return loss_; }
  bool has(tasks::Stream stream) const override { return !of(stream).empty(); }
  std::uint64_t size(tasks::Stream stream) const override { return of(stream).size(); }
  tasks::Labelled instance(tasks::Stream stream, std::uint64_t index) const override {
    return read_.lines[of(stream).at(index)].graph;
  }
  std::map<std::string, std::string> settings() const override;

  // What a network's last items must be: "Out(3)", "Pool(mean) - FC(64) - Out(3)".
  std::string output_layers() const;

 private:
  const std::vector<std::size_t>& of(tasks::Stream stream) const {
    return lines_[static_cast<std::size_t>(stream)];
  }

  FileOptions options_;
  GraphLines read_;
  tasks::Loss loss_;
  std::array<std::vector<std::size_t>, 3> lines_;  // by stream
};

}  // namespace fgnn::graphfile
