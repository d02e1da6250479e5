// Decoding as a task: words of a code through the paper's burst channel, at SNRs and burst
// strengths drawn from a grid (section 5.2); the bits that were sent are wanted, in one of the
// views of learned/received.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fgnn/codes/code.h"
#include "fgnn/learned/received.h"
#include "fgnn/tasks/task.h"

namespace fgnn::ldpc {

struct LdpcOptions {
  std::string code;             // an alist file; empty: a (96,48) code made here by edge growth
  std::string snr = "0:4:1";    // levels to draw from (core/parse.h), in dB: 20 log10(1/σ)
  std::string burst = "0:5:1";  // levels of σb
  learned::ReceivedOptions view;
  // What a bit is trained towards. "sent": what was sent. "posterior": its probability over the
  // list of words of ordered-statistics decoding, which is nearly the best that can be known of it;
  // the chance that decided between the words of the list is then no noise in the gradients.
  std::string targets = "sent";
  std::uint64_t seed = 0;
};
const SettingList<LdpcOptions>& task_settings();

class LdpcTask : public tasks::Task {
 public:
  explicit LdpcTask(LdpcOptions options);  // reads the file; throws Error(usage) for settings

  std::string name() const override { return "ldpc"; }
  network::Schema schema() const override { return view_.schema(); }
  tasks::Labelled instance(tasks::Stream stream, std::uint64_t index) const override;
  std::map<std::string, std::string> settings() const override;

  const codes::Code& code() const { return code_; }

 private:
  void add_posterior(const codes::Channel& channel, std::span<const float> observed,
                     std::span<const std::uint8_t> reference, tasks::Labelled& result) const;

  LdpcOptions options_;
  std::vector<double> snr_, burst_;
  codes::Code code_;
  learned::ReceivedView view_;
  std::unique_ptr<codes::Decoder> teacher_;  // none: what was sent
};

}  // namespace fgnn::ldpc
