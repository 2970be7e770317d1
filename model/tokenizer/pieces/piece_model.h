// What cuts a part of a text into pieces of the vocabulary.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/tokenizer/tokenizer.h"

namespace mog::model {

struct CutPiece {
  std::int64_t id = 0;
  std::size_t begin = 0;  // bytes [begin, end) of the part
  std::size_t end = 0;
};

// Immutable after construction; safe from several threads.
class PieceModel {
 public:
  virtual ~PieceModel() = default;
  // Appends the pieces of `part`, which is not empty. Throws ModelError where a character has no piece and
  // there is no unknown token.
  virtual void cut(std::string_view part, std::vector<CutPiece>& pieces) const = 0;
  virtual std::optional<std::int64_t> unknown() const = 0;
};

struct WordPieceOptions {
  std::string unknown = "[UNK]";
  std::string prefix = "##";
  std::int64_t most_characters = 100;
};
std::unique_ptr<const PieceModel> make_word_piece_model(const WordPieceOptions& options,
                                                        std::shared_ptr<const Vocabulary> vocabulary);

struct BytePairOptions {
  std::optional<std::string> unknown;
  std::string prefix;  // of pieces that continue a word
  std::string suffix;  // of the piece that ends a word
  bool fuse_unknown = false;
  bool byte_fallback = false;  // a character that is no piece becomes <0xE2> …
  bool ignore_merges = false;  // a part that is a piece stays whole
};
// `merges` by rank: both parts. Throws FormatError beginning with `where` when a merge names no piece.
std::unique_ptr<const PieceModel> make_byte_pair_model(
    const BytePairOptions& options, const std::vector<std::pair<std::string, std::string>>& merges,
    std::shared_ptr<const Vocabulary> vocabulary, const std::string& where);

struct UnigramOptions {
  std::optional<std::int64_t> unknown;
  bool byte_fallback = false;
};
// scores[piece]: log-probabilities of the first pieces of the vocabulary; those behind are added tokens.
std::unique_ptr<const PieceModel> make_unigram_model(const UnigramOptions& options,
                                                     const std::vector<double>& scores,
                                                     std::shared_ptr<const Vocabulary> vocabulary);

// Ids of <0x00> … <0xFF>; -1 where the vocabulary lacks one.
std::vector<std::int64_t> byte_pieces(const Vocabulary& vocabulary);

}  // namespace mog::model
