#include "model/tokenizer/json/post_processor.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "io/recording/errors.h"
#include "model/config/config_reader.h"
#include "model/tokenizer/json/tokenizer_component.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;
using IdOf = std::function<std::optional<std::int64_t>(std::string_view)>;

constexpr std::int64_t kMostTokens = std::int64_t{1} << 24U;

void check_id(ConfigReader& reader, std::string_view key, const std::string& token, std::int64_t id,
              const IdOf& id_of) {
  const auto known = id_of(token);
  if (known != id) {
    reader.refuse(key,
                  fmt::format("the id of the token {:?}, {}", token,
                              known ? std::to_string(*known) : "which is not in the vocab"),
                  std::to_string(id));
  }
}

// ["[CLS]", 101]
std::int64_t read_pair(ConfigReader& reader, const char* key, const IdOf& id_of) {
  const Json& pair = reader.at(key);
  if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_number_unsigned() ||
      pair[1].get<std::uint64_t>() > kMostTokens) {
    reader.refuse(key, "a token and its id", pair.dump().substr(0, 80));
  }
  const auto id = pair[1].get<std::int64_t>();
  check_id(reader, key, pair[0].get<std::string>(), id, id_of);
  return id;
}

// {"[CLS]": {"id": "[CLS]", "ids": [101], "tokens": ["[CLS]"]}}
std::map<std::string, std::vector<std::int64_t>> read_special(ConfigReader& reader, const std::string& file,
                                                              const std::string& path, const IdOf& id_of) {
  std::map<std::string, std::vector<std::int64_t>> special;
  const Json& list = reader.at("special_tokens");
  if (!list.is_object()) {
    reader.refuse("special_tokens", "an object", list.dump().substr(0, 80));
  }
  for (const auto& [name, value] : list.items()) {
    ConfigReader entry(value, file, fmt::format("{}.special_tokens.{}", path, name));
    entry.text("id");
    const Json& ids = entry.at("ids");
    const Json& tokens = entry.at("tokens");
    if (!ids.is_array() || !tokens.is_array() || ids.size() != tokens.size() || ids.empty()) {
      entry.refuse("ids", "a list as long as tokens", ids.dump().substr(0, 80));
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!ids[i].is_number_unsigned() || ids[i].get<std::uint64_t>() > kMostTokens ||
          !tokens[i].is_string()) {
        entry.refuse("ids", "ids and their tokens", ids.dump().substr(0, 80));
      }
      check_id(entry, "ids", tokens[i].get<std::string>(), ids[i].get<std::int64_t>(), id_of);
      special[name].push_back(ids[i].get<std::int64_t>());
    }
    entry.finish();
  }
  return special;
}

PostStep read_template(ConfigReader& reader, const std::string& file, const std::string& path,
                       const IdOf& id_of) {
  const auto special = read_special(reader, file, path, id_of);
  const Json& single = reader.at("single");
  reader.at("pair");  // sentences come alone here
  if (!single.is_array()) {
    reader.refuse("single", "a list", single.dump().substr(0, 80));
  }
  PostStep step;
  bool text = false;
  for (std::size_t i = 0; i < single.size(); ++i) {
    const std::string place = fmt::format("{}.single[{}]", path, i);
    ConfigReader piece(single[i], file, place);
    const bool sequence = piece.has("Sequence");
    ConfigReader inner(piece.at(sequence ? "Sequence" : "SpecialToken"), file, place);
    const std::string id = inner.text("id");
    inner.integer("type_id", 0, 0);
    inner.finish();
    piece.finish();
    if (sequence) {
      if (id != "A" || text) {
        inner.refuse("id", "the sequence A once", id);
      }
      text = true;
      continue;
    }
    const auto found = special.find(id);
    if (found == special.end()) {
      inner.refuse("id", "one of special_tokens", fmt::format("{:?}", id));
    }
    auto& side = text ? step.behind : step.before;
    side.insert(side.end(), found->second.begin(), found->second.end());
  }
  if (!text) {
    reader.refuse("single", "the sequence A", "none");
  }
  return step;
}

}  // namespace

std::vector<PostStep> read_post_processor(const Json& value, const std::string& file, const std::string& path,
                                          const IdOf& id_of) {
  std::vector<PostStep> steps;
  if (value.is_null()) {
    return steps;
  }
  ConfigReader reader(value, file, path);
  const std::string type = reader.text("type");
  if (type == "BertProcessing" || type == "RobertaProcessing") {
    PostStep step;
    step.before = {read_pair(reader, "cls", id_of)};
    step.behind = {read_pair(reader, "sep", id_of)};
    if (type == "RobertaProcessing") {
      step.trims = reader.boolean("trim_offsets");
      step.prefix_space = reader.boolean("add_prefix_space");
    }
    steps.push_back(step);
  } else if (type == "TemplateProcessing") {
    steps.push_back(read_template(reader, file, path, id_of));
  } else if (type == "ByteLevel") {
    PostStep step;
    step.prefix_space = reader.boolean("add_prefix_space");
    step.trims = reader.boolean("trim_offsets");
    if (reader.has("use_regex")) {
      reader.boolean("use_regex");  // of the pre-tokenizer
    }
    steps.push_back(step);
  } else if (type == "Sequence") {
    const Json& list = reader.at("processors");
    if (!list.is_array()) {
      reader.refuse("processors", "a list", list.dump().substr(0, 80));
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto inner = read_post_processor(list[i], file, fmt::format("{}.processors[{}]", path, i), id_of);
      steps.insert(steps.end(), inner.begin(), inner.end());
    }
  } else {
    refuse_component(file, path, "post-processor", type,
                     "BertProcessing, ByteLevel, RobertaProcessing, Sequence, TemplateProcessing");
  }
  reader.finish();
  return steps;
}

}  // namespace mog::model
