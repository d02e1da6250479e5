// Decoding as a task: words of a code through the paper's burst channel, at SNRs and burst
// strengths drawn from a grid (section 5.2); the bits that were sent are wanted.
//
//   variable features   -L/2, L/2 with L the log-likelihood ratio, log P(1) / P(0); y / σ / 4; the
//                       mean burst strength that the word suggests / 5
//   "check"             even parity of its bits; one kind of edge, no features
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fgnn/codes/channel.h"
#include "fgnn/codes/code.h"
#include "fgnn/tasks/task.h"

namespace fgnn::tasks {

struct LdpcOptions {
  std::string code;  // an alist file; empty: a (96,48) code made here by edge growth
  double snr_from = 0, snr_to = 4, snr_step = 1;  // dB, 20 log10(1/σ)
  double burst_from = 0, burst_to = 5, burst_step = 1;
  // How L knows the bursts: "word" judges their strength by the word (codes/burst_level.h), "sigma"
  // knows of none.
  std::string llr = "word";
  std::uint64_t seed = 0;

  void validate() const;  // throws Error(usage)
};

class LdpcTask : public Task {
 public:
  explicit LdpcTask(LdpcOptions options);  // reads the file

  std::string name() const override { return "ldpc"; }
  network::Schema schema() const override;
  Labelled instance(Stream stream, std::uint64_t index) const override;
  std::map<std::string, std::string> settings() const override;

  const codes::Code& code() const { return code_; }
  const std::shared_ptr<const network::Structure>& structure() const { return structure_; }

 private:
  LdpcOptions options_;
  codes::Code code_;
  std::shared_ptr<const network::Structure> structure_;
};

// The checks of a code as a network sees them.
std::shared_ptr<const network::Structure> check_structure(const SparseParityMatrix& checks);
network::Schema check_schema();

// Adds the features of one received word.
void add_features(const codes::Channel& channel, std::string_view llr,
                  std::span<const float> observed, std::vector<double>& features);

}  // namespace fgnn::tasks
