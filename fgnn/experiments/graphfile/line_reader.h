// The JSON of one line, read strictly: every mistake names the file, the line and the key.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace fgnn::graphfile {

// Rows of finite numbers, all of one width.
struct Rows {
  std::vector<double> values;
  std::size_t count = 0, width = 0;
};

class LineReader {
 public:
  LineReader(const std::string& file, std::size_t line, std::string_view text);

  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const;
  const nlohmann::json& line() const { return json_; }
  // Refuses others, with the nearest that is known.
  void check_keys(const nlohmann::json& object, const std::string& where,
                  const std::vector<std::string>& known) const;
  // `key` is for messages.
  Rows rows(const nlohmann::json& value, const std::string& key) const;
  std::vector<double> numbers(const nlohmann::json& value, const std::string& key) const;
  // From 0, below `below`.
  std::uint32_t index(const nlohmann::json& value, const std::string& key,
                      std::uint64_t below) const;
  // A class; null and what is below 0 leave it open (-1).
  std::int64_t label(const nlohmann::json& value, const std::string& key) const;
  const nlohmann::json& list(const nlohmann::json& value, const std::string& key) const;

 private:
  double number(const nlohmann::json& value, const std::string& key) const;

  std::string file_;
  std::size_t line_;
  nlohmann::json json_;
};

}  // namespace fgnn::graphfile
