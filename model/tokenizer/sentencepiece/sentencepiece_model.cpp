// Unigram is the best path (Viterbi): from each character on, a trie gives the pieces that begin there,
// O(bytes · longest piece). BPE merges the pair of neighbours with the best score, of equal ones the
// leftmost: symbols are a linked list, pairs a priority queue. A merge leaves pairs behind whose symbols
// have grown or are gone; they are known by the size they were queued with and skipped, which is cheaper
// than taking them out: O(n log n).
//
// Scores are float32 and summed in the reference's order, because the last bit decides between paths
// (decision 13): the same file, converted for another library that sums in float64, cuts some lines
// otherwise.
//
// Traps: user-defined pieces are whole symbols in BPE, and are made to win in Unigram by a score of their
// length times the best one. Unused pieces may be merged on the way and are taken apart again at the end, as
// they were put together.
#include "model/tokenizer/sentencepiece/sentencepiece_model.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/tokenizer/text/byte_trie.h"
#include "model/tokenizer/text/reference_unicode.h"

namespace mog::model {
namespace {

constexpr float kUnknownPenalty = 10.0F;
constexpr std::int32_t kUnknown = -1;

// A piece of the text: an entry, or kUnknown.
struct Found {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int32_t entry = kUnknown;
};

std::vector<std::pair<std::string, std::int32_t>> listed(const std::vector<SentencePieceEntry>& entries,
                                                         bool (*wanted)(const SentencePieceEntry&)) {
  std::vector<std::pair<std::string, std::int32_t>> list;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (wanted(entries[i])) {
      list.emplace_back(entries[i].text, static_cast<std::int32_t>(i));
    }
  }
  return list;
}

// What both have: from entries to pieces of the vocabulary.
class SentencePieceModel : public PieceModel {
 public:
  SentencePieceModel(const SentencePieceOptions& options, std::vector<SentencePieceEntry> entries,
                     std::shared_ptr<const Vocabulary> vocabulary)
      : entries_(std::move(entries)), options_(options), vocabulary_(std::move(vocabulary)) {
    if (options_.byte_fallback) {
      bytes_ = byte_pieces(*vocabulary_);
    }
  }

  void cut(std::string_view part, std::vector<CutPiece>& pieces) const final {
    std::vector<Found> found;
    segment(part, found);
    for (std::size_t i = 0; i < found.size(); ++i) {
      Found piece = found[i];
      if (piece.entry != kUnknown) {
        const std::int32_t id = entries_[static_cast<std::size_t>(piece.entry)].id;
        pieces.push_back({id < 0 ? options_.unknown : id, piece.begin, piece.end});
        continue;
      }
      if (!bytes_.empty()) {
        spell(part, piece, pieces);
        continue;
      }
      while (i + 1 < found.size() && found[i + 1].entry == kUnknown) {
        piece.end = found[++i].end;
      }
      const auto named = options_.by_name
                             ? vocabulary_->find(part.substr(piece.begin, piece.end - piece.begin))
                             : std::nullopt;
      pieces.push_back({named.value_or(options_.unknown), piece.begin, piece.end});
    }
  }
  std::optional<std::int64_t> unknown() const final { return options_.unknown; }

 protected:
  virtual void segment(std::string_view text, std::vector<Found>& found) const = 0;
  const std::vector<SentencePieceEntry> entries_;

 private:
  // The bytes of an unknown character, each with its place.
  void spell(std::string_view part, const Found& piece, std::vector<CutPiece>& pieces) const {
    for (std::size_t at = piece.begin; at < piece.end; ++at) {
      const std::int64_t id = bytes_[static_cast<unsigned char>(part[at])];
      pieces.push_back({id < 0 ? options_.unknown : id, piece.begin, piece.end});
    }
  }

  SentencePieceOptions options_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  std::vector<std::int64_t> bytes_;  // empty without byte_fallback
};

class UnigramPieces final : public SentencePieceModel {
 public:
  UnigramPieces(const SentencePieceOptions& options, std::vector<SentencePieceEntry> entries,
                std::shared_ptr<const Vocabulary> vocabulary)
      : SentencePieceModel(options, std::move(entries), std::move(vocabulary)),
        trie_(listed(entries_, [](const SentencePieceEntry& entry) {
          return stands_for_text(entry) && entry.kind != SentencePieceKind::unused;
        })) {
    float least = std::numeric_limits<float>::max();
    for (const SentencePieceEntry& entry : entries_) {
      if (entry.kind == SentencePieceKind::normal) {
        least = std::min(least, entry.score);
        greatest_ = std::max(greatest_, entry.score);
      }
    }
    unknown_score_ = least - kUnknownPenalty;
  }

 private:
  struct Node {
    float score = 0;
    std::int32_t entry = kUnknown;
    std::int32_t begin = -1;  // of the last piece of the best path that ends here; -1: none
  };

  void segment(std::string_view text, std::vector<Found>& found) const override {
    static thread_local std::vector<Node> best;
    best.assign(text.size() + 1, Node{});
    const auto offer = [&](std::size_t begin, std::size_t end, float sum, std::int32_t entry) {
      Node& node = best[end];
      if (node.begin < 0 || sum > node.score) {
        node = {sum, entry, static_cast<std::int32_t>(begin)};
      }
    };
    for (std::size_t at = 0; at < text.size();) {
      const float here = best[at].score;
      std::size_t next = at;
      next_character(text, next);
      bool single = false;
      trie_.prefixes(text.substr(at), [&](std::size_t length, std::int32_t entry) {
        offer(at, at + length, score(entry, length) + here, entry);
        single = single || at + length == next;
      });
      if (!single) {
        offer(at, next, unknown_score_ + here, kUnknown);
      }
      at = next;
    }
    for (std::size_t end = text.size(); end > 0;) {
      const Node& node = best[end];
      found.push_back({static_cast<std::size_t>(node.begin), end, node.entry});
      end = static_cast<std::size_t>(node.begin);
    }
    std::reverse(found.begin(), found.end());
  }

  float score(std::int32_t entry, std::size_t length) const {
    const SentencePieceEntry& piece = entries_[static_cast<std::size_t>(entry)];
    constexpr double kLess = 0.1;
    return piece.kind == SentencePieceKind::user_defined
               ? static_cast<float>(static_cast<double>(static_cast<float>(length) * greatest_) - kLess)
               : piece.score;
  }

  ByteTrie trie_;
  float greatest_ = std::numeric_limits<float>::min();  // not below: as the reference begins
  float unknown_score_ = 0;
};

// Symbols in a list, pairs of neighbours in a queue: O(n log n).
class MergedPieces final : public SentencePieceModel {
 public:
  MergedPieces(const SentencePieceOptions& options, std::vector<SentencePieceEntry> entries,
               std::shared_ptr<const Vocabulary> vocabulary)
      : SentencePieceModel(options, std::move(entries), std::move(vocabulary)),
        whole_(listed(entries_, [](const SentencePieceEntry& entry) {
          return entry.kind == SentencePieceKind::user_defined;
        })) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (stands_for_text(entries_[i])) {
        by_text_.emplace(entries_[i].text, static_cast<std::int32_t>(i));
      }
    }
  }

 private:
  struct Symbol {
    std::int32_t previous = -1;
    std::int32_t next = -1;
    bool frozen = false;
    std::size_t begin = 0;
    std::size_t size = 0;  // 0: merged into the one before
  };
  struct Pair {
    float score = 0;
    std::int32_t left = 0;
    std::int32_t right = 0;
    std::size_t size = 0;
    bool operator<(const Pair& other) const {
      return score < other.score || (score == other.score && left > other.left);
    }
  };
  using Split = std::unordered_map<std::string_view, std::size_t>;  // an unused piece → size of its left part

  void segment(std::string_view text, std::vector<Found>& found) const override {
    std::vector<Symbol> symbols;
    for (std::size_t at = 0; at < text.size();) {
      Symbol symbol;
      symbol.begin = at;
      whole_.prefixes(text.substr(at), [&](std::size_t length, std::int32_t) { symbol.size = length; });
      symbol.frozen = symbol.size > 0;
      if (!symbol.frozen) {
        std::size_t next = at;
        next_character(text, next);
        symbol.size = next - at;
      }
      at += symbol.size;
      const auto index = static_cast<std::int32_t>(symbols.size());
      symbol.previous = index - 1;
      symbol.next = at < text.size() ? index + 1 : -1;
      symbols.push_back(symbol);
    }
    std::priority_queue<Pair> pairs;
    Split split;
    const auto offer = [&](std::int32_t left, std::int32_t right) {
      if (left < 0 || right < 0) {
        return;
      }
      const Symbol& first = symbols[static_cast<std::size_t>(left)];
      const Symbol& second = symbols[static_cast<std::size_t>(right)];
      if (first.frozen || second.frozen) {
        return;
      }
      const std::string_view joined = text.substr(first.begin, first.size + second.size);
      const auto known = by_text_.find(joined);
      if (known == by_text_.end()) {
        return;
      }
      const SentencePieceEntry& entry = entries_[static_cast<std::size_t>(known->second)];
      pairs.push({entry.score, left, right, joined.size()});
      if (entry.kind == SentencePieceKind::unused) {
        split[joined] = first.size;
      }
    };
    for (std::int32_t i = 1; i < static_cast<std::int32_t>(symbols.size()); ++i) {
      offer(i - 1, i);
    }
    while (!pairs.empty()) {
      const Pair pair = pairs.top();
      pairs.pop();
      Symbol& left = symbols[static_cast<std::size_t>(pair.left)];
      Symbol& right = symbols[static_cast<std::size_t>(pair.right)];
      if (left.size == 0 || right.size == 0 || left.size + right.size != pair.size) {
        continue;  // overtaken
      }
      left.size = pair.size;
      left.next = right.next;
      if (right.next >= 0) {
        symbols[static_cast<std::size_t>(right.next)].previous = pair.left;
      }
      right.size = 0;
      offer(left.previous, pair.left);
      offer(pair.left, left.next);
    }
    for (std::int32_t i = symbols.empty() ? -1 : 0; i >= 0; i = symbols[static_cast<std::size_t>(i)].next) {
      const Symbol& symbol = symbols[static_cast<std::size_t>(i)];
      take_apart(text, symbol.begin, symbol.size, split, found);
    }
  }

  // An unused piece is what it was merged of.
  void take_apart(std::string_view text, std::size_t begin, std::size_t size, const Split& split,
                  std::vector<Found>& found) const {
    const std::string_view part = text.substr(begin, size);
    const auto known = by_text_.find(part);
    const std::int32_t entry = known == by_text_.end() ? kUnknown : known->second;
    const auto parts =
        entry != kUnknown && entries_[static_cast<std::size_t>(entry)].kind == SentencePieceKind::unused
            ? split.find(part)
            : split.end();
    if (parts == split.end()) {
      found.push_back({begin, begin + size, entry});
      return;
    }
    take_apart(text, begin, parts->second, split, found);
    take_apart(text, begin + parts->second, size - parts->second, split, found);
  }

  ByteTrie whole_;                                              // user-defined: never cut, never merged
  std::unordered_map<std::string_view, std::int32_t> by_text_;  // views into entries_
};

}  // namespace

std::unique_ptr<const PieceModel> make_sentencepiece_model(const SentencePieceOptions& options,
                                                           std::vector<SentencePieceEntry> entries,
                                                           std::shared_ptr<const Vocabulary> vocabulary) {
  if (options.merges) {
    return std::make_unique<MergedPieces>(options, std::move(entries), std::move(vocabulary));
  }
  return std::make_unique<UnigramPieces>(options, std::move(entries), std::move(vocabulary));
}

}  // namespace mog::model
