// The parts of a tokenizer.json at work.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/tokenizer/json/added_tokens.h"
#include "model/tokenizer/json/normalizers.h"
#include "model/tokenizer/json/post_processor.h"
#include "model/tokenizer/json/pre_tokenizers.h"
#include "model/tokenizer/json/token_decoder.h"
#include "model/tokenizer/pieces/piece_model.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::model {

struct TokenizerParts {
  std::string kind;              // as in config.json
  bool words_are_parts = false;  // words are what the pre-tokenizer cuts, not what spaces separate
  std::shared_ptr<const Vocabulary> vocabulary;  // with the added tokens
  std::unique_ptr<const Normalizer> normalizer;  // may be nullptr
  std::unique_ptr<const AddedTokens> added;
  std::unique_ptr<const PreTokenizer> pre_tokenizer;  // may be nullptr
  std::unique_ptr<const PieceModel> model;
  std::vector<PostStep> post;
  TokenDecoder decoder;
};

std::shared_ptr<const Tokenizer> make_json_tokenizer(TokenizerParts parts);

}  // namespace mog::model
