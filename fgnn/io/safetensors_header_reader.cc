#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/token_reader.h"
#include "fgnn/io/safetensors_header.h"

namespace fgnn {
namespace {

struct Entry {
  SavedTensor tensor;
  std::uint64_t begin = 0, end = 0;
};

// Takes the header as a stream of events, since a tree of the JSON would take a hostile header's
// word for its depth and for the last of two equal names.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  HeaderReader(std::uint64_t data_bytes, const std::string& subject)
      : data_bytes_(data_bytes), subject_(subject) {
    result_.file = subject;
  }

  TensorFile result() && {
    check_layout();
    for (Entry& entry : entries_) {
      entry.tensor.data.resize(entry.end - entry.begin);
      result_.tensors.push_back(std::move(entry.tensor));
    }
    return std::move(result_);
  }

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a truth value"); }
  bool number_float(double, const std::string& text) override {
    unexpected(fmt::format("the number {}", in_quotes(text)));
  }
  bool binary(binary_t&) override { unexpected("binary data"); }

  bool number_integer(std::int64_t value) override {
    if (level_ != Level::list) unexpected("a number");
    fail(fmt::format("{} in {} is negative", value, field_name()));
  }

  bool number_unsigned(std::uint64_t value) override {
    if (level_ != Level::list) unexpected("a number");
    if (numbers_.size() == kMostDimensions) {
      fail(fmt::format("more than {} numbers in {}", kMostDimensions, field_name()));
    }
    if (value > INT64_MAX) fail(fmt::format("{} in {} is too large", value, field_name()));
    numbers_.push_back(static_cast<std::int64_t>(value));
    return true;
  }

  bool string(std::string& text) override {
    if (level_ == Level::metadata) {
      if (!result_.metadata.try_emplace(key_, std::move(text)).second) fail("appears twice");
    } else if (level_ == Level::tensor && field_ == Field::dtype) {
      const std::optional<DType> dtype = dtype_of(text);
      if (!dtype)
        fail("the dtype " + in_quotes(text) + " is unknown", "known are " + dtype_names());
      entries_.back().tensor.dtype = *dtype;
    } else {
      unexpected("a text");
    }
    return true;
  }

  bool start_object(std::size_t) override {
    if (level_ == Level::outside) {
      level_ = Level::top;
    } else if (level_ == Level::top && key_ == kMetadataKey) {
      level_ = Level::metadata;
    } else if (level_ == Level::top) {
      level_ = Level::tensor;
      fields_seen_ = 0;
      entries_.emplace_back().tensor.name = key_;
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool key(std::string& text) override {
    if (level_ == Level::tensor) {
      field_ = text == "dtype"          ? Field::dtype
               : text == "shape"        ? Field::shape
               : text == "data_offsets" ? Field::offsets
                                        : Field::unknown;
      if (field_ == Field::unknown) fail("the field " + in_quotes(text) + " is unknown");
      const unsigned bit = 1u << static_cast<unsigned>(field_);
      if (fields_seen_ & bit) fail(fmt::format("{} appears twice", field_name()));
      fields_seen_ |= bit;
      return true;
    }
    key_ = std::move(text);
    if (level_ == Level::top && !names_.insert(key_).second) fail("appears twice");
    return true;
  }

  bool end_object() override {
    if (level_ == Level::tensor) check_tensor();
    level_ = level_ == Level::top ? Level::outside : Level::top;
    return true;
  }

  bool start_array(std::size_t) override {
    if (level_ != Level::tensor || field_ == Field::dtype) unexpected("a list");
    level_ = Level::list;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    Entry& entry = entries_.back();
    if (field_ == Field::shape) {
      entry.tensor.shape = numbers_;
    } else {
      if (numbers_.size() != 2) fail(fmt::format("{} data_offsets, not 2", numbers_.size()));
      entry.begin = static_cast<std::uint64_t>(numbers_[0]);
      entry.end = static_cast<std::uint64_t>(numbers_[1]);
    }
    level_ = Level::tensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    throw Error(ErrorCode::format, subject_,
                fmt::format("the header is not JSON at its byte {}", position));
  }

 private:
  enum class Level { outside, top, metadata, tensor, list };
  enum class Field { dtype, shape, offsets, unknown };

  std::string_view field_name() const {
    constexpr std::string_view names[] = {"dtype", "shape", "data_offsets"};
    return names[static_cast<std::size_t>(field_)];
  }

  std::string place() const {
    switch (level_) {
      case Level::outside:
        return "the header";
      case Level::top:
        return key_ == kMetadataKey ? key_ : "tensor " + in_quotes(key_);
      case Level::metadata:
        return "metadata " + in_quotes(key_);
      default:
        return "tensor " + in_quotes(entries_.back().tensor.name);
    }
  }

  std::string wanted() const {
    switch (level_) {
      case Level::metadata:
        return "a text";
      case Level::tensor:
        return fmt::format("{} as {}", field_ == Field::dtype ? "a text" : "a list", field_name());
      case Level::list:
        return fmt::format("a whole number in {}", field_name());
      default:
        return "an object";
    }
  }

  [[noreturn]] void fail(const std::string& message, std::string hint = {}) const {
    throw Error(ErrorCode::format, subject_, place() + ": " + message, std::move(hint));
  }

  [[noreturn]] void unexpected(const std::string& found) const {
    fail(fmt::format("expected {}, found {}", wanted(), found));
  }

  void check_tensor() {
    const Entry& entry = entries_.back();
    for (const Field field : {Field::dtype, Field::shape, Field::offsets}) {
      field_ = field;
      if (!(fields_seen_ & 1u << static_cast<unsigned>(field))) {
        fail(fmt::format("{} is missing", field_name()));
      }
    }
    if (entry.begin > entry.end) {
      fail(fmt::format("data_offsets run backwards, from {} to {}", entry.begin, entry.end));
    }
    if (entry.end > data_bytes_) {
      fail(fmt::format("ends at byte {} of the data, which has {}", entry.end, data_bytes_),
           "the file is cut off or damaged");
    }
    const auto bytes = bytes_of(entry.tensor.dtype, entry.tensor.shape);
    if (!bytes) fail("a shape of more than 2^63 bytes");
    if (static_cast<std::uint64_t>(*bytes) != entry.end - entry.begin) {
      fail(fmt::format("shape and dtype make {} bytes, data_offsets {}", *bytes,
                       entry.end - entry.begin));
    }
  }

  // Every byte of the data belongs to one tensor.
  void check_layout() {
    std::ranges::stable_sort(entries_, {},
                             [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
    std::uint64_t end = 0;
    for (const Entry& entry : entries_) {
      if (entry.begin != end) {
        throw Error(
            ErrorCode::format, subject_,
            fmt::format("tensor {}: begins at byte {} of the data, the one before it ends at {}",
                        in_quotes(entry.tensor.name), entry.begin, end));
      }
      end = entry.end;
    }
    if (end != data_bytes_) {
      throw Error(ErrorCode::format, subject_,
                  fmt::format("{} bytes after the last tensor", data_bytes_ - end));
    }
  }

  std::uint64_t data_bytes_;
  const std::string& subject_;
  TensorFile result_;
  std::vector<Entry> entries_;
  std::set<std::string> names_;
  Level level_ = Level::outside;
  Field field_ = Field::unknown;
  unsigned fields_seen_ = 0;  // bits by Field
  std::string key_;           // the last one that names a tensor or a remark
  std::vector<std::int64_t> numbers_;
};

}  // namespace

TensorFile parse_header(std::string_view json, std::uint64_t data_bytes,
                        const std::string& subject) {
  // The format asks for the brace; the parser would take a byte order mark, and a zero for the end.
  if (!json.starts_with('{')) {
    throw Error(ErrorCode::format, subject, "the header does not begin with '{'",
                "is this a safetensors file?");
  }
  if (const std::size_t zero = json.find('\0'); zero != json.npos) {
    throw Error(ErrorCode::format, subject,
                fmt::format("the header is not JSON at its byte {}", zero + 1));
  }
  HeaderReader reader(data_bytes, subject);
  nlohmann::json::sax_parse(json, &reader);
  return std::move(reader).result();
}

}  // namespace fgnn
