// What a tokenizer.json puts around the pieces of a sentence.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mog::model {

// One step. Steps are done in order.
struct PostStep {
  // Spaces at both ends of a piece do not count to its place in the text.
  bool trims = false;
  bool prefix_space = false;         // one space before the first piece is not the text's own
  std::vector<std::int64_t> before;  // tokens around the pieces
  std::vector<std::int64_t> behind;
};

// The component `value` of the file: BertProcessing, RobertaProcessing, TemplateProcessing (its `single`,
// token types 0), ByteLevel, Sequence; no steps for null. id_of(token): its id. Throws FormatError naming the
// file, the path and what is not known or contradicts the vocabulary.
std::vector<PostStep> read_post_processor(
    const nlohmann::ordered_json& value, const std::string& file, const std::string& path,
    const std::function<std::optional<std::int64_t>(std::string_view)>& id_of);

}  // namespace mog::model
