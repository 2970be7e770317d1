#include "io/text/json_check.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

// Sees every value, builds nothing.
class Checker : public nlohmann::json::json_sax_t {
 public:
  explicit Checker(const JsonLimits& limits) : limits_(limits) {}
  const std::string& defect() const noexcept { return defect_; }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(string_t& key) override {
    if (!keys_.back().insert(key).second) {
      return refuse(fmt::format("the key \"{}\" is there twice", key));
    }
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    if (defect_.empty()) {
      const std::string_view what = error.what();
      const auto colon = what.find(": ", what.find("parse error"));
      defect_ = fmt::format("it is no sound JSON at byte {}: {}", position,
                            colon == std::string_view::npos ? what : what.substr(colon + 2));
    }
    return false;
  }

 private:
  bool refuse(std::string defect) {
    defect_ = std::move(defect);
    return false;
  }
  bool value() {
    return ++values_ <= limits_.values || refuse(fmt::format("it has more than {} values", limits_.values));
  }
  bool open() {
    if (keys_.size() >= limits_.depth) {
      return refuse(fmt::format("it is nested more than {} deep", limits_.depth));
    }
    keys_.emplace_back();
    return value();
  }
  bool close() {
    keys_.pop_back();
    return true;
  }

  JsonLimits limits_;
  std::vector<std::set<std::string>> keys_;  // of the open objects; empty sets for arrays
  std::size_t values_ = 0;
  std::string defect_;
};

}  // namespace

void check_json(std::string_view text, const std::string& where, const JsonLimits& limits) {
  const auto refuse = [&](const std::string& defect) {
    const std::string hint = looks_like(text.substr(0, 512));
    const bool json = hint.empty() || hint.find("JSON") != std::string::npos;
    throw FormatError(fmt::format("{}: {}{}{}", where, defect, json ? "" : "; ", json ? "" : hint));
  };
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    refuse("it is empty");
  }
  if (const std::size_t bad = first_invalid_utf8(text); bad != std::string_view::npos) {
    refuse(fmt::format("it is not UTF-8 at byte {}", bad + 1));
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    refuse(fmt::format("NUL at byte {}", nul + 1));
  }
  Checker checker(limits);
  if (!nlohmann::json::sax_parse(text, &checker)) {
    refuse(checker.defect());
  }
}

}  // namespace mog::io
