// Tables with a tab between fields, line by line, with the place of each field for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fgnn {

class TabLine {
 public:
  TabLine(std::string_view text, const std::string& file, std::size_t number);

  std::size_t size() const { return fields_.size(); }
  std::string_view operator[](std::size_t field) const { return fields_[field].text; }

  // Throws Error(format) unless there are so many fields.
  void expect(std::size_t fields) const;
  std::uint64_t whole(std::size_t field, const std::string& what, std::uint64_t most) const;
  // Finite, and at most this far from 0.
  double number(std::size_t field, const std::string& what, double most) const;
  // The same for a part of a field.
  double number(std::size_t field, std::string_view part, const std::string& what,
                double most) const;
  // Error(format) at a field, or at a part of it.
  [[noreturn]] void fail(std::size_t field, const std::string& what,
                         const std::string& hint = {}) const;
  [[noreturn]] void expected(std::size_t field, std::string_view part,
                             const std::string& what) const;

 private:
  struct Field {
    std::string_view text;
    std::size_t column;
  };
  const std::string& file_;
  std::size_t number_;
  std::vector<Field> fields_;
};

// The lines of a table behind its header line, which must be `header`. Empty lines are left out.
// Throws Error(format). The text must outlive them.
std::vector<TabLine> tab_lines(std::string_view text, std::string_view header,
                               const std::string& file);

}  // namespace fgnn
