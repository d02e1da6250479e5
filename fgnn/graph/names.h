// Names of variables, kept so that errors, files and tables can use them. Variables are declared in
// blocks; the elements of an array block are called name[0], name[1], … and cost no memory each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fgnn/core/types.h"

namespace fgnn {

struct NameBlock {
  std::string name;
  VariableId first = 0;
  VariableId count = 1;
  bool array = false;  // x[0], x[1], … rather than x

  bool operator==(const NameBlock&) const = default;
};

class Names {
 public:
  // Blocks follow each other without gaps. A name is letters, digits and any of "_.-:/", starting
  // with a letter or "_"; throws Error(model) on any other name and on one that is taken.
  void add(std::string name, VariableId count, bool array);

  std::string of(VariableId variable) const;
  // The variable called "x" or "x[3]"; nullopt when there is none.
  std::optional<VariableId> find(std::string_view name) const;
  // The block called "x".
  const NameBlock* block(std::string_view name) const;

  const std::vector<NameBlock>& blocks() const { return blocks_; }
  std::size_t bytes() const;
  bool operator==(const Names& other) const { return blocks_ == other.blocks_; }

 private:
  std::vector<NameBlock> blocks_;
  std::unordered_map<std::string, std::uint32_t> index_;  // name -> number of its block
  VariableId next_ = 0;
};

}  // namespace fgnn
