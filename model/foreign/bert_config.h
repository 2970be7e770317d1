// config.json of a BERT-type model. Private to this folder.
#pragma once

#include <filesystem>

#include "model/config.h"

namespace mog::model {

struct BertConfig {
  EncoderConfig encoder;
  std::int64_t vocabulary = 0;
  std::int64_t positions = 0;
  std::int64_t token_types = 0;
  std::string name;  // may be empty
};

BertConfig read_bert_config(std::string_view json, const std::filesystem::path& file);

}  // namespace mog::model
