// What came out of the handwriting experiments, and the file in which it is kept as it comes
// (experiments/outcomes.h): a line for each network, and one for each time of an epoch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fgnn/experiments/handwriting/runs.h"
#include "fgnn/experiments/outcomes.h"

namespace fgnn::handwriting {

// Letters seen and read right.
struct Hits {
  std::uint64_t letters = 0, right = 0;

  double percent() const {
    return 100.0 * static_cast<double>(right) / static_cast<double>(letters);
  }
};

struct HandwritingOutcome {
  HandwritingRun run;
  Hits all, held_out, seen;  // the last two where words were held out
  Hits lexicon;              // the likeliest training word of the right length instead
  std::uint64_t words = 0, words_right = 0;
  double seconds = 0;  // processor time of training
  double wall_seconds = 0;
  int threads = 1;
  std::vector<std::uint64_t> confusion;  // 26 x 26, letters by what was read
};

struct HandwritingResults {
  std::vector<HandwritingOutcome> outcomes;
  std::vector<EpochTime> timings;

  const HandwritingOutcome* find(const HandwritingRun& run) const;
  const EpochTime* find(const EpochTime& timing) const;
};

// Those of a folder. A last line that was cut off is not there.
HandwritingResults read_results(const std::filesystem::path& folder);
// The same, to be added to; what is there goes to `results`.
experiments::OutcomeFile open_results(const std::filesystem::path& folder,
                                      HandwritingResults& results);
std::string line_of(const HandwritingOutcome& outcome);
std::string line_of(const EpochTime& timing);

}  // namespace fgnn::handwriting
