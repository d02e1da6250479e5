#include "fgnn/io/files.h"

#include <algorithm>
#include <cctype>
#include <iostream>

#include "fgnn/core/error.h"
#include "fgnn/infer/feasibility.h"
#include "fgnn/io/alist.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/io/fgt.h"
#include "fgnn/io/input_file.h"
#include "fgnn/io/libdai.h"
#include "fgnn/io/uai.h"
#include "fgnn/io/uai_answers.h"
#include "fgnn/potentials/low_rank.h"

namespace fgnn {
namespace {

namespace fs = std::filesystem;

struct Format {
  FormatInfo info;
  FactorGraph (*read)(std::istream&, const std::string& file, const ReadLimits&);
  void (*write)(std::ostream&, const FactorGraph&, Budget*);
};

const std::vector<Format>& formats() {
  static const std::vector<Format> all{
      {{"fgt", ".fgt", "fgnn's own text: names, structured and shared potentials, logarithms"},
       read_fgt,
       write_fgt},
      {{"uai", ".uai", "UAI competitions: MARKOV or BAYES networks of tables"},
       read_uai,
       write_uai},
      {{"fg", ".fg", "libDAI: tables by their non-zero entries"}, read_fg, write_fg},
      {{"alist", ".alist", "MacKay: sparse parity-check matrices"},
       [](std::istream& in, const std::string& file, const ReadLimits& limits) {
         return parity_graph(read_alist(in, file, limits));
       },
       [](std::ostream& out, const FactorGraph& graph, Budget*) {
         write_alist(out, parity_matrix(graph));
       }}};
  return all;
}

std::string known_formats(bool endings) {
  std::string text;
  for (const Format& format : formats()) {
    text += (text.empty() ? "" : ", ") + (endings ? format.info.ending : format.info.name);
  }
  return text;
}

const Format& format_of(const fs::path& file, std::string_view name) {
  if (!name.empty()) {
    for (const Format& format : formats()) {
      if (format.info.name == name) return format;
    }
    throw Error(ErrorCode::usage, std::string(name), "is not a known format",
                "known are " + known_formats(false));
  }
  if (file == "-") {
    throw Error(ErrorCode::usage, "-", "the format of standard input and output must be named",
                "known are " + known_formats(false));
  }
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Format& format : formats()) {
    if (format.info.ending == ending) return format;
  }
  throw Error(ErrorCode::usage, file.string(), "its ending is not that of a known format",
              "known are " + known_formats(true));
}

template <class Read>
auto read_file(const fs::path& file, const Read& read) {
  if (file == "-") return read(std::cin, std::string("<stdin>"));
  std::ifstream in = open_input(file);
  return read(in, file.string());
}

// A sum of products that is negative somewhere is not a potential: what `fgnn check` refuses is not
// written either. Sums without negative terms need no look.
void check_sums(const FactorGraph& graph) {
  const auto may_be_negative = [&](FactorId c) {
    const auto* sum = graph.potential(c).stored().sum;
    return sum != nullptr && !sum->non_negative();
  };
  bool any = false;
  for (FactorId c = 0; c < graph.num_factors(); ++c) any = any || may_be_negative(c);
  if (!any) return;
  for (const Finding& finding : local_findings(graph)) {
    if (finding.severity == Severity::invalid) {
      throw Error(ErrorCode::model, finding.subject, finding.message);
    }
  }
}

}  // namespace

const std::vector<FormatInfo>& graph_formats() {
  static const std::vector<FormatInfo> infos = [] {
    std::vector<FormatInfo> result;
    for (const Format& format : formats()) result.push_back(format.info);
    return result;
  }();
  return infos;
}

FactorGraph read_graph(const fs::path& file, std::string_view format, const ReadLimits& limits) {
  const Format& chosen = format_of(file, format);
  return read_file(file, [&](std::istream& in, const std::string& name) {
    return chosen.read(in, name, limits);
  });
}

void write_graph(const FactorGraph& graph, const fs::path& file, std::string_view format,
                 Budget* budget) {
  const Format& chosen = format_of(file, format);
  check_sums(graph);
  write_file(file, [&](std::ostream& out) { chosen.write(out, graph, budget); });
}

Evidence read_evidence(const FactorGraph& graph, const fs::path& file) {
  return read_file(file, [&](std::istream& in, const std::string& name) {
    return read_evidence(in, name, graph);
  });
}

}  // namespace fgnn
