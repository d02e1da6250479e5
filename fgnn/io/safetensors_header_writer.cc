#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "fgnn/core/error.h"
#include "fgnn/core/token_reader.h"
#include "fgnn/io/safetensors_header.h"

namespace fgnn {
namespace {

std::string quoted_text(const std::string& text, const std::string& subject) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::unsupported, subject, in_quotes(text) + " is not UTF-8");
  }
}

}  // namespace

std::string header_of(const TensorFile& tensors) {
  std::string json = "{";
  for (const auto& [key, value] : tensors.metadata) {
    const std::string subject = "metadata " + in_quotes(key);
    json += json.size() > 1 ? "," : fmt::format("\"{}\":{{", kMetadataKey);
    json += quoted_text(key, subject) + ":" + quoted_text(value, subject);
  }
  if (!tensors.metadata.empty()) json += "}";
  std::set<std::string_view> names{kMetadataKey};
  std::uint64_t begin = 0;
  for (const SavedTensor& tensor : tensors.tensors) {
    const std::string subject = "tensor " + in_quotes(tensor.name);
    if (!names.insert(tensor.name).second) {
      throw Error(ErrorCode::unsupported, subject, "the name is taken");
    }
    if (bytes_of(tensor.dtype, tensor.shape) != static_cast<std::int64_t>(tensor.data.size())) {
      throw Error(ErrorCode::unsupported, subject,
                  fmt::format("{} bytes do not fill the shape [{}] of {}", tensor.data.size(),
                              fmt::join(tensor.shape, ", "), name(tensor.dtype)));
    }
    const std::uint64_t end = begin + tensor.data.size();
    fmt::format_to(std::back_inserter(json),
                   R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                   json.size() > 1 ? "," : "", quoted_text(tensor.name, subject),
                   name(tensor.dtype), fmt::join(tensor.shape, ","), begin, end);
    begin = end;
  }
  json += "}";
  json.resize((json.size() + 7) / 8 * 8, ' ');
  if (json.size() > kMostHeaderBytes) {
    throw Error(ErrorCode::unsupported, "safetensors",
                fmt::format("a header of {} bytes is over the limit of the format, {}", json.size(),
                            kMostHeaderBytes));
  }
  return json;
}

}  // namespace fgnn
