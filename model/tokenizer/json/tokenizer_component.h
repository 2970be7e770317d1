// What the readers of a tokenizer.json's components share.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/config/config_reader.h"
#include "model/tokenizer/text/regex_pattern.h"

namespace mog::model {

// ModelError "FILE: PATH: the normalizer X is not supported; supported: …".
[[noreturn]] void refuse_component(const std::string& file, const std::string& path, std::string_view what,
                                   const std::string& type, std::string_view supported);
// The key `pattern` of a component: {"String": "…"} or {"Regex": "…"}.
std::unique_ptr<const Pattern> read_pattern(ConfigReader& reader, const std::string& file,
                                            const std::string& path);
// A key that holds exactly one character.
char32_t read_character(ConfigReader& reader, std::string_view key);

}  // namespace mog::model
