// The segmentation of highest probability (Viterbi over the bytes of a part). Ties go to the path that was
// found first, that is to the longer last piece; runs of unknown characters become one unknown piece.
//
// From each character on, a trie gives all pieces that begin there, and each offers its end a path: O(bytes
// · longest piece), memory O(bytes), kept from part to part in the thread. A character that is no piece
// itself gets the unknown piece with a score below all others, so there is always a path.
//
// Traps: sums are float64 and added in this order, as in the reference; float32 would settle near ties
// otherwise (and is what sentencepiece does, sentencepiece_model.cpp). A run of unknown characters may spell
// a piece together: then it is that piece.
#include <algorithm>

#include "io/recording/errors.h"
#include "model/tokenizer/pieces/piece_model.h"
#include "model/tokenizer/text/byte_trie.h"
#include "model/tokenizer/text/reference_unicode.h"

namespace mog::model {
namespace {

constexpr double kUnknownPenalty = 10.0;

class UnigramModel final : public PieceModel {
 public:
  UnigramModel(const UnigramOptions& options, const std::vector<double>& scores,
               std::shared_ptr<const Vocabulary> vocabulary)
      : options_(options), scores_(scores), vocabulary_(std::move(vocabulary)) {
    std::vector<std::pair<std::string, std::int32_t>> entries;
    entries.reserve(scores.size());
    for (std::size_t id = 0; id < scores.size(); ++id) {
      entries.emplace_back(vocabulary_->token(static_cast<std::int64_t>(id)), static_cast<std::int32_t>(id));
    }
    trie_ = ByteTrie(std::move(entries));
    unknown_score_ = (scores.empty() ? 0 : *std::min_element(scores.begin(), scores.end())) - kUnknownPenalty;
    if (options_.byte_fallback) {
      bytes_ = byte_pieces(*vocabulary_);
    }
  }

  void cut(std::string_view part, std::vector<CutPiece>& pieces) const override {
    const std::vector<Node>& best = best_paths(part);
    const std::size_t first = pieces.size();
    for (std::size_t end = part.size(); end > 0;) {
      const Node& node = best[end];
      const auto begin = static_cast<std::size_t>(node.begin);
      const bool unknown = options_.unknown && node.id == *options_.unknown;
      if (unknown && pieces.size() > first && pieces.back().id == node.id && pieces.back().begin == end) {
        pieces.back().begin = begin;
      } else {
        pieces.push_back({node.id, begin, end});
      }
      end = begin;
    }
    std::reverse(pieces.begin() + static_cast<std::ptrdiff_t>(first), pieces.end());
    name_unknown(part, first, pieces);
  }
  std::optional<std::int64_t> unknown() const override { return options_.unknown; }

 private:
  struct Node {
    double score = 0;
    std::int32_t id = 0;
    std::int32_t begin = -1;  // of the last piece of the best path that ends here; -1: none
  };

  const std::vector<Node>& best_paths(std::string_view part) const {
    static thread_local std::vector<Node> best;
    best.assign(part.size() + 1, Node{});
    const auto offer = [&](std::size_t begin, std::size_t end, double score, std::int64_t id) {
      Node& node = best[end];
      if (node.begin < 0 || score > node.score) {
        node = {score, static_cast<std::int32_t>(id), static_cast<std::int32_t>(begin)};
      }
    };
    for (std::size_t at = 0; at < part.size();) {
      const double here = best[at].score;
      std::size_t next = at;
      next_character(part, next);
      bool single = false;
      trie_.prefixes(part.substr(at), [&](std::size_t length, std::int32_t id) {
        offer(at, at + length, scores_[static_cast<std::size_t>(id)] + here, id);
        single = single || at + length == next;
      });
      if (!single) {
        if (!options_.unknown) {
          throw ModelError(
              "the Unigram tokenizer has no unk_id, and the text has a character that is no piece: " +
              std::string(part.substr(at, next - at)));
        }
        offer(at, next, unknown_score_ + here, *options_.unknown);
      }
      at = next;
    }
    return best;
  }

  // An unknown piece whose text happens to be a piece (several characters that were unknown one by one) is
  // that piece; with byte_fallback it becomes its bytes.
  void name_unknown(std::string_view part, std::size_t first, std::vector<CutPiece>& pieces) const {
    if (!options_.unknown) {
      return;
    }
    const auto unknown = [&](const CutPiece& piece) { return piece.id == *options_.unknown; };
    if (std::none_of(pieces.begin() + static_cast<std::ptrdiff_t>(first), pieces.end(), unknown)) {
      return;
    }
    std::vector<CutPiece> named(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t i = first; i < pieces.size(); ++i) {
      const CutPiece& piece = pieces[i];
      const std::string_view text = part.substr(piece.begin, piece.end - piece.begin);
      const auto known = [&]() -> std::optional<std::int64_t> {
        const auto id = vocabulary_->find(text);
        return id && static_cast<std::size_t>(*id) < scores_.size() ? id : std::nullopt;
      };
      if (!unknown(piece)) {
        named.push_back(piece);
      } else if (const auto id = known()) {
        named.push_back({*id, piece.begin, piece.end});
      } else if (options_.byte_fallback && std::all_of(text.begin(), text.end(), [&](char c) {
                   return bytes_[static_cast<unsigned char>(c)] >= 0;
                 })) {
        for (const char byte : text) {
          named.push_back({bytes_[static_cast<unsigned char>(byte)], piece.begin, piece.end});
        }
      } else {
        named.push_back(piece);
      }
    }
    pieces = std::move(named);
  }

  UnigramOptions options_;
  std::vector<double> scores_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  ByteTrie trie_;
  double unknown_score_ = 0;
  std::vector<std::int64_t> bytes_;
};

}  // namespace

std::unique_ptr<const PieceModel> make_unigram_model(const UnigramOptions& options,
                                                     const std::vector<double>& scores,
                                                     std::shared_ptr<const Vocabulary> vocabulary) {
  return std::make_unique<UnigramModel>(options, scores, std::move(vocabulary));
}

}  // namespace mog::model
