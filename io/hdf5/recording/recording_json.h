// The header of a recording as JSON: in the manifest and in every shard.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "io/recording/sentence_recording.h"

namespace mog::io {

// Keys in a fixed order, so that the same header gives the same bytes.
using Json = nlohmann::ordered_json;

// {"model": …, "system": …, "provenance": …, "quantities": […]}
Json header_to_json(const RecordingHeader& header);
Json model_card_to_json(const ModelCard& card);
// Throws FormatError naming `file`, `place` and the key that is missing or of another kind.
RecordingHeader header_from_json(const Json& json, const std::filesystem::path& file, std::string_view place);

// Bytes that are no UTF-8 (a command line may hold any) become U+FFFD. `indent` -1: one line.
std::string to_text(const Json& json, int indent = -1);
// Parses one document; throws FormatError naming file and place.
Json parse_json(std::string_view text, const std::filesystem::path& file, std::string_view place);

// Members of an object with their kind checked.
class JsonObject {
 public:
  JsonObject(const Json& json, const std::filesystem::path& file, std::string place);
  std::string text(const char* key) const;
  std::int64_t integer(const char* key) const;  // 0 or more
  bool boolean(const char* key) const;
  const Json& array(const char* key) const;
  JsonObject object(const char* key) const;
  const Json& member(const char* key) const;
  const Json& json() const noexcept { return json_; }
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  const Json& json_;
  std::filesystem::path file_;
  std::string place_;
};

}  // namespace mog::io
