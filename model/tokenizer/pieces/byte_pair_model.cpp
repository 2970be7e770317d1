// Byte-pair merging. The order of merges is the reference's: a queue by rank, then by place, in which an
// entry that was overtaken still counts when the pair that is there now makes the same piece.
//
// Most words of a text are pieces. Whether merging a piece's own text gives that piece back is found out
// once, when the model is read; such a word then costs one look into the vocabulary (GPT-2's 50,257 pieces:
// 60 ms).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/recording/errors.h"
#include "model/tokenizer/pieces/piece_model.h"
#include "model/tokenizer/text/reference_unicode.h"

namespace mog::model {
namespace {

// Pairs of ids → rank and the id of what they make. Open addressing.
class MergeTable {
 public:
  struct Merge {
    std::uint64_t pair = kFree;
    std::int32_t rank = 0;
    std::int32_t made = 0;
  };
  explicit MergeTable(std::size_t merges) {
    std::size_t size = 16;
    while (size < merges * 2) {
      size *= 2;
    }
    slots_.resize(size);
  }
  // A repeated pair takes its last rank, as in the reference.
  void add(std::int32_t left, std::int32_t right, std::int32_t rank, std::int32_t made) {
    Merge& slot = slots_[place(key(left, right))];
    slot = {key(left, right), rank, made};
  }
  const Merge* find(std::int32_t left, std::int32_t right) const {
    const Merge& slot = slots_[place(key(left, right))];
    return slot.pair == kFree ? nullptr : &slot;
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static std::uint64_t key(std::int32_t left, std::int32_t right) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32U) |
           static_cast<std::uint32_t>(right);
  }
  std::size_t place(std::uint64_t pair) const {
    std::uint64_t hash = pair * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
    std::size_t at = static_cast<std::size_t>(hash) & (slots_.size() - 1);
    while (slots_[at].pair != kFree && slots_[at].pair != pair) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return at;
  }
  std::vector<Merge> slots_;
};

struct Symbol {
  std::int32_t id = 0;
  std::int32_t previous = -1;
  std::int32_t next = -1;
  std::uint32_t size = 0;  // bytes; 0: merged into the one before
};

struct Candidate {
  std::int32_t rank = 0;
  std::int32_t at = 0;
  std::int32_t made = 0;
};
struct Later {
  bool operator()(const Candidate& left, const Candidate& right) const {
    return left.rank != right.rank ? left.rank > right.rank : left.at > right.at;
  }
};

class BytePairModel final : public PieceModel {
 public:
  BytePairModel(const BytePairOptions& options,
                const std::vector<std::pair<std::string, std::string>>& merges,
                std::shared_ptr<const Vocabulary> vocabulary, const std::string& where)
      : options_(options), vocabulary_(std::move(vocabulary)), merges_(merges.size()) {
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
      add_merge(merges[rank].first, merges[rank].second, rank, where);
    }
    if (options_.unknown) {
      unknown_ = vocabulary_->find(*options_.unknown);
    }
    if (options_.byte_fallback) {
      bytes_ = byte_pieces(*vocabulary_);
    }
    for (unsigned character = 0; character < alone_.size(); ++character) {
      const char text = static_cast<char>(character);
      alone_[character] = static_cast<std::int32_t>(vocabulary_->find({&text, 1}).value_or(-1));
    }
    find_whole();
  }

  void cut(std::string_view part, std::vector<CutPiece>& pieces) const override {
    if (const auto id = vocabulary_->find(part); id && whole_[static_cast<std::size_t>(*id)]) {
      pieces.push_back({*id, 0, part.size()});
      return;
    }
    merge(part, pieces);
  }
  std::optional<std::int64_t> unknown() const override { return unknown_; }

 private:
  void add_merge(const std::string& left, const std::string& right, std::size_t rank,
                 const std::string& where) {
    const auto require = [&](const std::string& token) {
      const auto id = vocabulary_->find(token);
      if (!id) {
        throw FormatError(
            fmt::format("{}[{}]: the merge of {:?} and {:?} needs the token {:?}, which the vocab lacks",
                        where, rank, left, right, token));
      }
      return static_cast<std::int32_t>(*id);
    };
    if (!right.starts_with(options_.prefix)) {
      throw FormatError(fmt::format("{}[{}]: the second part {:?} lacks the continuing_subword_prefix {:?}",
                                    where, rank, right, options_.prefix));
    }
    const std::int32_t first = require(left);
    const std::int32_t second = require(right);
    merges_.add(first, second, static_cast<std::int32_t>(rank),
                require(left + right.substr(options_.prefix.size())));
  }

  void find_whole() {
    whole_.assign(static_cast<std::size_t>(vocabulary_->size()), options_.ignore_merges);
    std::vector<CutPiece> pieces;
    for (std::int64_t id = 0; id < vocabulary_->size() && !options_.ignore_merges; ++id) {
      pieces.clear();
      const std::string token = vocabulary_->token(id);
      constexpr std::size_t kLongest = 256;
      if (token.size() <= kLongest) {
        merge(token, pieces);
        whole_[static_cast<std::size_t>(id)] =
            pieces.size() == 1 && pieces[0].id == id && pieces[0].end == token.size();
      }
    }
  }

  // The piece of one character of a word; nullopt: there is none.
  std::optional<std::int64_t> piece_of(std::string_view character, bool first, bool last) const {
    const bool marked = (!first && !options_.prefix.empty()) || (last && !options_.suffix.empty());
    if (!marked) {
      if (character.size() == 1 && static_cast<unsigned char>(character[0]) < alone_.size()) {
        const std::int32_t id = alone_[static_cast<unsigned char>(character[0])];
        return id < 0 ? std::nullopt : std::optional<std::int64_t>(id);
      }
      return vocabulary_->find(character);
    }
    return vocabulary_->find(written(character, first, last));
  }
  std::string written(std::string_view character, bool first, bool last) const {
    std::string text = first ? "" : options_.prefix;
    text += character;
    text += last ? options_.suffix : "";
    return text;
  }

  void add(std::vector<Symbol>& symbols, std::int64_t id, std::size_t size) const {
    const auto at = static_cast<std::int32_t>(symbols.size());
    if (at > 0) {
      symbols.back().next = at;
    }
    symbols.push_back({static_cast<std::int32_t>(id), at - 1, -1, static_cast<std::uint32_t>(size)});
  }

  // The bytes of a character that is no piece; false when one of them is none either.
  bool add_bytes(const std::string& text, std::vector<Symbol>& symbols) const {
    if (!options_.byte_fallback || std::any_of(text.begin(), text.end(), [&](char c) {
          return bytes_[static_cast<unsigned char>(c)] < 0;
        })) {
      return false;
    }
    for (const char byte : text) {
      add(symbols, bytes_[static_cast<unsigned char>(byte)], 1);
    }
    return true;
  }

  std::vector<Symbol>& characters(std::string_view part) const {
    static thread_local std::vector<Symbol> symbols;
    symbols.clear();
    std::size_t unknown_size = 0;  // of the unknown piece that is open
    const auto close_unknown = [&] {
      if (unknown_size > 0) {
        add(symbols, *unknown_, unknown_size);
        unknown_size = 0;
      }
    };
    for (std::size_t at = 0; at < part.size();) {
      const std::size_t begin = at;
      next_character(part, at);
      const std::string_view character = part.substr(begin, at - begin);
      const bool last = at == part.size();
      if (const auto id = piece_of(character, begin == 0, last)) {
        close_unknown();
        add(symbols, *id, character.size());
      } else if (!add_bytes(written(character, begin == 0, last), symbols) && unknown_) {
        if (!options_.fuse_unknown) {
          close_unknown();
        }
        unknown_size += character.size();
      }
    }
    close_unknown();
    return symbols;
  }

  void merge(std::string_view part, std::vector<CutPiece>& pieces) const {
    std::vector<Symbol>& symbols = characters(part);
    static thread_local std::vector<Candidate> queue;
    queue.clear();
    const auto push = [&](std::int32_t left, std::int32_t right) {
      const auto& first = symbols[static_cast<std::size_t>(left)];
      const auto& second = symbols[static_cast<std::size_t>(right)];
      if (const auto* found = merges_.find(first.id, second.id)) {
        queue.push_back({found->rank, left, found->made});
        return true;
      }
      return false;
    };
    for (std::size_t i = 1; i < symbols.size(); ++i) {
      push(static_cast<std::int32_t>(i) - 1, static_cast<std::int32_t>(i));
    }
    std::make_heap(queue.begin(), queue.end(), Later{});
    while (!queue.empty()) {
      std::pop_heap(queue.begin(), queue.end(), Later{});
      const Candidate top = queue.back();
      queue.pop_back();
      Symbol& left = symbols[static_cast<std::size_t>(top.at)];
      if (left.size == 0 || left.next < 0) {
        continue;
      }
      Symbol& right = symbols[static_cast<std::size_t>(left.next)];
      const auto* const now = merges_.find(left.id, right.id);
      if (now == nullptr || now->made != top.made) {
        continue;
      }
      left.id = top.made;
      left.size += right.size;
      left.next = right.next;
      right.size = 0;
      if (left.next >= 0) {
        symbols[static_cast<std::size_t>(left.next)].previous = top.at;
      }
      if (left.previous >= 0 && push(left.previous, top.at)) {
        std::push_heap(queue.begin(), queue.end(), Later{});
      }
      if (left.next >= 0 && push(top.at, left.next)) {
        std::push_heap(queue.begin(), queue.end(), Later{});
      }
    }
    std::size_t at = 0;
    for (const Symbol& symbol : symbols) {
      if (symbol.size > 0) {
        pieces.push_back({symbol.id, at, at + symbol.size});
        at += symbol.size;
      }
    }
  }

  BytePairOptions options_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  MergeTable merges_;
  std::optional<std::int64_t> unknown_;
  std::vector<std::int64_t> bytes_;
  std::array<std::int32_t, 128> alone_ = {};
  std::vector<bool> whole_;  // pieces that merging their own text gives back
};

}  // namespace

std::vector<std::int64_t> byte_pieces(const Vocabulary& vocabulary) {
  std::vector<std::int64_t> ids;
  for (unsigned byte = 0; byte < 256; ++byte) {
    ids.push_back(vocabulary.find(fmt::format("<0x{:02X}>", byte)).value_or(-1));
  }
  return ids;
}

std::unique_ptr<const PieceModel> make_byte_pair_model(
    const BytePairOptions& options, const std::vector<std::pair<std::string, std::string>>& merges,
    std::shared_ptr<const Vocabulary> vocabulary, const std::string& where) {
  return std::make_unique<BytePairModel>(options, merges, std::move(vocabulary), where);
}

}  // namespace mog::model
