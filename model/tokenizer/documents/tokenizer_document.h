// A tokenizer.json as a document, its long lists apart.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mog::model {

// A JSON value checks itself when it is moved.
struct TokenizerDocument {  // NOLINT(bugprone-exception-escape)
  // Everything but model.vocab and model.merges, which stand there as true when present.
  nlohmann::ordered_json root;
  std::vector<std::string> tokens;  // [id] of model.vocab, whether an object or a list of pairs
  std::vector<double> scores;       // [id], of a list of pairs; else empty
  std::vector<std::pair<std::string, std::string>> merges;
  bool merges_listed = false;  // model.merges is a list, an empty one too
};

// `text` of the file named `file`. Throws FormatError naming the JSON path: no JSON, deeper or longer than
// the limits, repeated keys, ids of the vocab that are no ids, repeat or leave one out, scores that are no
// numbers, merges that are not two parts.
TokenizerDocument read_tokenizer_document(std::string_view text, const std::string& file);

// A vocab.json of its own: an object of tokens and ids. tokens[id].
std::vector<std::string> read_vocabulary_json(std::string_view text, const std::string& file);

// Throws FormatError beginning with `where` when a token is empty or very long.
void check_token(const std::string& token, const std::string& where);
// The same when it cannot be a line of vocab.txt: it holds a line end or NUL.
void check_vocabulary_line(const std::string& token, const std::string& where);

}  // namespace mog::model
