// What the paper reports on its synthetic models (Zhang, Dupty, Wu, Shi, Lee: Factor Graph Neural
// Networks, JMLR 2023): Tables 1 to 3 and the ablations of section 5.1, and the times of its
// appendix, "Inference time in microseconds of one instance".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fgnn::synthetic {

struct PaperFigure {
  std::string_view table, dataset, method;
  std::optional<double> agreement;     // percent of variables equal to the MAP
  std::optional<double> error;         // of it, in percent; printed in the paper as a fraction
  std::optional<double> microseconds;  // an instance
};

// Null where the paper has nothing.
const PaperFigure* paper_figure(std::string_view table, std::string_view dataset,
                                std::string_view method);

}  // namespace fgnn::synthetic
