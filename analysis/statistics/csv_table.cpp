#include "analysis/statistics/csv_table.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

class CsvReader {
 public:
  CsvReader(std::string_view text, std::string_view file) : text_(text), file_(file) {
    if (text_.starts_with("\xEF\xBB\xBF")) {
      text_.remove_prefix(3);
    }
  }
  bool at_end() const { return at_ >= text_.size(); }
  std::int64_t line() const { return line_; }
  [[noreturn]] void fail(std::int64_t line, const std::string& what) const {
    throw FormatError(fmt::format("reading the table {}, line {}: {}", file_, line, what));
  }

  // The fields of the next row.
  std::vector<std::string> row() {
    std::vector<std::string> fields;
    while (true) {
      fields.push_back(field());
      if (at_end() || text_[at_] != ',') {
        break;
      }
      ++at_;
    }
    if (!at_end()) {
      if (text_[at_] == '\r') {
        ++at_;
      }
      ++at_;  // LF
      ++line_;
    }
    return fields;
  }

 private:
  bool ends_line() const {
    return at_end() || text_[at_] == '\n' ||
           (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n');
  }
  std::string field() {
    if (at_end() || text_[at_] != '"') {
      const std::size_t begin = at_;
      while (!ends_line() && text_[at_] != ',') {
        if (text_[at_] == '"') {
          fail(line_, "a quote inside a field that does not begin with one; double it and quote the field");
        }
        ++at_;
      }
      return std::string(text_.substr(begin, at_ - begin));
    }
    const std::int64_t opened = line_;
    std::string value;
    for (++at_; !at_end(); ++at_) {
      if (text_[at_] != '"') {
        line_ += text_[at_] == '\n' ? 1 : 0;
        value.push_back(text_[at_]);
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        value.push_back('"');
        ++at_;
      } else {
        ++at_;
        if (!ends_line() && text_[at_] != ',') {
          fail(line_, "text behind the closing quote of a field; expected a comma or the end of the line");
        }
        return value;
      }
    }
    fail(opened, "a quote that is never closed");
  }

  std::string_view text_;
  std::string_view file_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
};

}  // namespace

Table parse_csv(std::string_view text, std::string_view file) {
  CsvReader reader(text, file);
  Table table;
  if (reader.at_end()) {
    reader.fail(1, "it is empty; expected a line with the names of the columns");
  }
  table.columns = reader.row();
  std::set<std::string> names;
  for (const std::string& column : table.columns) {
    if (column.empty() || !names.insert(column).second) {
      reader.fail(1, fmt::format("column \"{}\" has no name of its own", column));
    }
  }
  while (!reader.at_end()) {
    const std::int64_t line = reader.line();
    std::vector<std::string> fields = reader.row();
    if (fields.size() == 1 && fields.front().empty()) {
      continue;  // an empty line
    }
    if (fields.size() != table.columns.size()) {
      reader.fail(line, fmt::format("it has {} fields, the first line names {} columns", fields.size(),
                                    table.columns.size()));
    }
    std::vector<Cell> row;
    row.reserve(fields.size());
    for (std::string& field : fields) {
      row.push_back(field.empty() ? Cell() : Cell(std::move(field)));
    }
    table.add(std::move(row));
  }
  return table;
}

}  // namespace mog::analysis
