// The potentials of the .fgt format: what stands after the colon of a factor.
#pragma once

#include <memory>
#include <string>

#include "fgnn/graph/potential.h"
#include "fgnn/io/reader_tools.h"
#include "fgnn/io/text_writer.h"
#include "fgnn/io/token_reader.h"

namespace fgnn {

// Reads "table 0 .1 .2 1", "at-most 5 of 1,2", …. `shape` is that of the scope; null when it is not
// known, which is an error at the kinds that depend on it.
std::shared_ptr<const Potential> read_fgt_potential(TokenReader& tokens, ReadBudget& budget,
                                                    const Shape* shape);

// The same text for a potential; false, and nothing written, when the format has no word for it.
bool write_fgt_potential(TextWriter& text, const Potential& potential);

// Whether the potential's text needs the shape to be read back.
bool fgt_needs_shape(const Potential& potential);

}  // namespace fgnn
