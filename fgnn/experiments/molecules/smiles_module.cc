// libfgnn_rdkit.so: places of atoms from SMILES. The only file that knows RDKit.
#include <GraphMol/DistGeomHelpers/Embedder.h>
#include <GraphMol/FileParsers/FileParsers.h>
#include <GraphMol/ForceFieldHelpers/MMFF/MMFF.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <RDGeneral/RDLog.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

namespace {

constexpr int kSeed = 1, kRelaxations = 2000;

long put(const std::string& text, char* out, unsigned long size) {
  const std::size_t n = std::min<std::size_t>(text.size(), size - 1);
  std::memcpy(out, text.data(), n);
  out[n] = '\0';
  return n == text.size() ? static_cast<long>(n) : -1;
}

// Throws std::exception; an empty text stands for no molecule.
std::string mol_block(const char* smiles, std::string& reason) {
  const std::unique_ptr<RDKit::ROMol> parsed(RDKit::SmilesToMol(smiles));
  if (!parsed || parsed->getNumAtoms() == 0) {
    reason = "is not a SMILES";
    return {};
  }
  const std::unique_ptr<RDKit::ROMol> whole(RDKit::MolOps::addHs(*parsed));
  RDKit::DGeomHelpers::EmbedParameters how = RDKit::DGeomHelpers::ETKDGv3;
  how.randomSeed = kSeed;
  int conformer = RDKit::DGeomHelpers::EmbedMolecule(*whole, how);
  if (conformer < 0) {
    how.useRandomCoords = true;
    conformer = RDKit::DGeomHelpers::EmbedMolecule(*whole, how);
  }
  if (conformer < 0) {
    reason = "cannot be given places";
    return {};
  }
  RDKit::MMFF::MMFFOptimizeMolecule(*whole, kRelaxations);
  return RDKit::MolToMolBlock(*whole, true, conformer, true, false);
}

}  // namespace

extern "C" long fgnn_mol_block_of_smiles(const char* smiles, char* out, unsigned long size) {
  std::string reason = "cannot be read";
  try {
    boost::logging::disable_logs("rdApp.*");
    const std::string block = mol_block(smiles, reason);
    if (!block.empty()) {
      const long length = put(block, out, size);
      if (length > 0) return length;
      reason = "is too large";
    }
  } catch (const std::exception&) {
    // The reason is the one above: RDKit's own texts are for its log.
  }
  put(reason, out, size);
  return -1;
}
