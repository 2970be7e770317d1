// Small documents of tokenizers, what they cut, and how they are refused.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "model/tokenizer/json/tokenizer_json.h"

namespace mog::model::test_documents {

using Json = nlohmann::ordered_json;

// A file with a piece of every part, changed by each test.
inline Json small() {
  return Json::parse(R"({"version": "1.0", "truncation": null, "padding": null,
    "added_tokens": [{"id": 0, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false,
                      "normalized": false, "special": true}],
    "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]},
    "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
    "post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "<s>", "type_id": 0}}], "pair": [],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}}},
    "decoder": null,
    "model": {"type": "BPE", "dropout": null, "unk_token": "<s>", "continuing_subword_prefix": null,
              "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": false, "ignore_merges": false,
              "vocab": {"<s>": 0, "a": 1, "b": 2, "▁": 3, "▁a": 4, "ab": 5, "▁ab": 6},
              "merges": [["▁", "a"], ["a", "b"], ["▁a", "b"]]}})");
}

inline std::string pieces(const Json& document, const std::string& text) {
  std::string result;
  for (const Token& token : parse_tokenizer_json(document.dump(), "t.json").tokenizer->encode(text).tokens) {
    result += (result.empty() ? "" : " ") + token.text;
  }
  return result;
}

inline void expect_refused(const std::string& document, const std::vector<std::string>& parts) {
  try {
    parse_tokenizer_json(document, "t.json");
    FAIL() << "accepted: " << document;
  } catch (const Error& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << "\nin: " << error.what();
    }
  }
}
inline void expect_refused(const Json& document, const std::vector<std::string>& parts) {
  expect_refused(document.dump(), parts);
}

inline Json unigram() {
  return Json::parse(
      R"({"added_tokens": [], "normalizer": null, "pre_tokenizer": null, "post_processor": null,
    "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": false,
              "vocab": [["<unk>", 0.0], ["a", -1.0], ["b", -1.5], ["ab", -2.5], ["abc", -3.0], ["é", -2.0]]}})");
}

}  // namespace mog::model::test_documents
