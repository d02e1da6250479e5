#include "fgnn/io/code_files.h"

#include "fgnn/core/error.h"
#include "fgnn/core/warning.h"
#include "fgnn/io/alist.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/io/files.h"
#include "fgnn/io/input_file.h"
#include "fgnn/io/qc.h"

namespace fgnn {

CodeFile read_code(const std::filesystem::path& file, const ReadLimits& limits) {
  const std::string ending = file.extension().string();
  if (ending == ".qc") {
    std::ifstream in = open_input(file);
    const BaseMatrix base = read_qc(in, file.string(), limits);
    return {expand(base), punctured_columns(base)};
  }
  if (ending == ".alist") {  // also rows without ones, which a graph would leave out
    std::ifstream in = open_input(file);
    return {read_alist(in, file.string(), limits), {}};
  }
  return {parity_matrix(read_graph(file, file == "-" ? "alist" : "", limits)), {}};
}

void write_code(const SparseParityMatrix& matrix, const std::filesystem::path& file,
                const WriteCodeOptions& options) {
  if (file.extension() == ".qc") {
    if (options.block_size == 0) {
      throw Error(ErrorCode::usage, file.string(), "needs the size of its blocks",
                  "write for example --block-size 24");
    }
    BaseMatrix base = base_matrix(matrix, options.block_size);
    puncture(base, options.punctured);
    return write_file(file, [&](std::ostream& out) { write_qc(out, base); });
  }
  if (!options.punctured.empty()) {
    warn(file.string(), "cannot say that some columns are not sent: all will be");
  }
  if (file == "-" || file.extension() == ".alist") {
    write_file(file, [&](std::ostream& out) { write_alist(out, matrix, options.padded); });
  } else {
    write_graph(parity_graph(matrix), file);
  }
}

}  // namespace fgnn
