#include "model/tokenizer/json/tokenizer_component.h"

#include <fmt/format.h>

#include "io/recording/errors.h"
#include "model/tokenizer/text/reference_unicode.h"

namespace mog::model {

void refuse_component(const std::string& file, const std::string& path, std::string_view what,
                      const std::string& type, std::string_view supported) {
  throw ModelError(
      fmt::format("{}: {}: the {} {} is not supported; supported: {}", file, path, what, type, supported));
}

std::unique_ptr<const Pattern> read_pattern(ConfigReader& reader, const std::string& file,
                                            const std::string& path) {
  ConfigReader pattern(reader.at("pattern"), file, path + ".pattern");
  const std::string where = file + ": " + path + ".pattern";
  std::unique_ptr<const Pattern> result =
      pattern.has("Regex") ? make_regex_pattern(pattern.text("Regex"), where + ".Regex")
                           : make_literal_pattern(pattern.text("String"), where + ".String");
  pattern.finish();
  return result;
}

char32_t read_character(ConfigReader& reader, std::string_view key) {
  const std::string text = reader.text(key);
  std::size_t at = 0;
  const char32_t code = text.empty() ? 0 : next_character(text, at);
  if (text.empty() || at != text.size()) {
    reader.refuse(key, "one character", "\"" + text.substr(0, 80) + "\"");
  }
  return code;
}

}  // namespace mog::model
