// Where an experiment's data is: as given by --data, else below the folder that the environment
// variable FGNN_DATA names, else nowhere, and a line says what is wanted.
#pragma once

#include <string>

#include "fgnn/experiments/arguments.h"

namespace fgnn::experiments {

struct DataSource {
  std::string what;    // "the file of handwritten letters"
  std::string place;   // below FGNN_DATA, a file or a folder: "letters/letters.tsv.gz"
  std::string origin;  // where to get it
};

// `subject` is who wants it, and `option` what the user may name it with. Throws Error(io) when
// what was named does not exist, Error(usage) when nothing was.
std::string find_data(const DataSource& source, const std::string& given,
                      const std::string& subject, const std::string& option = "--data");

// What is below FGNN_DATA; empty where nothing is: for data that one may do without.
std::string usual_data(const DataSource& source);

// --data, for commands that read it; fgnn reproduce has one already.
Option data_option(const DataSource& source);

}  // namespace fgnn::experiments
