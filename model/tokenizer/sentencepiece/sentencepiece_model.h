// The two algorithms of sentencepiece, to the last bit of its scores.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/tokenizer/pieces/piece_model.h"

namespace mog::model {

// As in the file of sentencepiece.
enum class SentencePieceKind : std::uint8_t { normal = 1, unknown, control, user_defined, unused, byte };

struct SentencePieceEntry {
  std::string text;
  float score = 0;
  SentencePieceKind kind = SentencePieceKind::normal;
  std::int32_t id = -1;  // of the vocabulary; -1: the piece has none and counts as unknown
};

// Control, unknown and byte pieces do not.
constexpr bool stands_for_text(const SentencePieceEntry& entry) noexcept {
  return entry.kind == SentencePieceKind::normal || entry.kind == SentencePieceKind::user_defined ||
         entry.kind == SentencePieceKind::unused;
}

struct SentencePieceOptions {
  bool merges = false;  // BPE: pairs are merged by score; else Unigram: the best path
  bool byte_fallback = false;
  // What is unknown is looked up in the vocabulary as it stands in the text (Marian, M2M100), before it
  // becomes the unknown token.
  bool by_name = false;
  std::int64_t unknown = 0;  // of the vocabulary
};

// Pieces cut a normalised text, the whole of it at once: sentencepiece's pieces may hold spaces.
// Unigram: paths are summed in float32, a later one wins only when its sum is greater; a user-defined piece
// has the score length * greatest - 0.1; an unknown character 10 below the least. BPE: the pair of greatest
// score first, of equal ones the leftmost; pieces that are unused are taken apart again. In both,
// neighbouring unknown pieces are one.
std::unique_ptr<const PieceModel> make_sentencepiece_model(const SentencePieceOptions& options,
                                                           std::vector<SentencePieceEntry> entries,
                                                           std::shared_ptr<const Vocabulary> vocabulary);

}  // namespace mog::model
