// Models in folders, with what lies beside them: for a model MODEL.uai evidence in MODEL.uai.evid
// or MODEL.evid, and known answers in .MAR (marginals), .PR (log10 of the partition function) and
// .MAP or .MPE (an assignment), in the same two places.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fgnn::folders {

struct ModelFile {
  std::filesystem::path path;
  std::string name;    // without folder and ending, unless others are named so too
  std::string family;  // family_of what is without them
  std::filesystem::path evidence, marginals, partition, assignment;  // empty: there is none

  // Differs when the model or anything beside it does.
  std::string fingerprint() const;
};

// "Grids" of "Grids_11", "linkage" of "linkage_16", "grid" of "grid-0-000003", "D5" of
// "D5-7-000000", "pedigree" of "pedigree12": what stands before the first underscore, else before
// a dash and a digit, else before the first digit.
std::string family_of(const std::string& name);

// A pattern for glob(7) or a folder: more than a file by its name.
bool names_many(const std::string& input);

// The models of these folders (all files that end as a format of graphs does), patterns (quoted
// from the shell) and files, each once, by family and name. Throws Error(io) for an input that
// names nothing.
std::vector<ModelFile> find_models(const std::vector<std::string>& inputs);

}  // namespace fgnn::folders
