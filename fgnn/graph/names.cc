#include "fgnn/graph/names.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "fgnn/core/error.h"

namespace fgnn {
namespace {

bool legal(std::string_view name) {
  if (name.empty()) return false;
  const auto first = static_cast<unsigned char>(name[0]);
  if (!std::isalpha(first) && first != '_') return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("_.-:/").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

}  // namespace

void Names::add(std::string name, VariableId count, bool array) {
  if (!legal(name)) {
    throw Error(ErrorCode::model, "variable '" + name + "'", "not a legal name",
                "use letters, digits and _ . - : / and start with a letter or _");
  }
  if (!index_.emplace(name, static_cast<std::uint32_t>(blocks_.size())).second) {
    throw Error(ErrorCode::model, "variable '" + name + "'", "declared twice",
                "choose another name");
  }
  blocks_.push_back({std::move(name), next_, count, array});
  next_ += count;
}

std::string Names::of(VariableId variable) const {
  auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), variable,
                       [](VariableId v, const NameBlock& block) { return v < block.first; });
  // Empty arrays start where the next block does: step back to the block that holds the variable.
  while (after != blocks_.begin() && variable >= (after - 1)->first + (after - 1)->count) --after;
  if (after == blocks_.begin()) return "variable " + std::to_string(variable);
  const NameBlock& block = *(after - 1);
  if (!block.array) return block.name;
  return block.name + "[" + std::to_string(variable - block.first) + "]";
}

const NameBlock* Names::block(std::string_view name) const {
  const auto place = index_.find(std::string(name));
  return place == index_.end() ? nullptr : &blocks_[place->second];
}

std::optional<VariableId> Names::find(std::string_view name) const {
  const auto bracket = name.find('[');
  const NameBlock* found = block(name.substr(0, bracket));
  if (found == nullptr || found->array != (bracket != std::string_view::npos)) return std::nullopt;
  if (!found->array) return found->first;
  VariableId index = 0;
  const char* end = name.data() + name.size() - 1;
  if (name.back() != ']') return std::nullopt;
  const auto [stop, failure] = std::from_chars(name.data() + bracket + 1, end, index);
  if (failure != std::errc() || stop != end || index >= found->count) return std::nullopt;
  return found->first + index;
}

std::size_t Names::bytes() const {
  constexpr std::size_t kIndexNode = sizeof(std::string) + 24;  // key, number, hash, link
  std::size_t total = blocks_.size() * (sizeof(NameBlock) + kIndexNode);
  for (const auto& block : blocks_) {
    const bool inline_name = block.name.capacity() <= std::string().capacity();
    if (!inline_name) total += 2 * (block.name.capacity() + 1);
  }
  return total;
}

}  // namespace fgnn
