#include <algorithm>
#include <utility>

#include "model/tokenizer/pieces/piece_model.h"

namespace mog::model {
namespace {

std::int64_t characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

class WordPieceModel final : public PieceModel {
 public:
  WordPieceModel(WordPieceOptions options, std::shared_ptr<const Vocabulary> vocabulary)
      : options_(std::move(options)),
        vocabulary_(std::move(vocabulary)),
        unknown_(*vocabulary_->find(options_.unknown)) {
    for (std::int64_t id = 0; id < vocabulary_->size(); ++id) {
      longest_ = std::max(longest_, vocabulary_->token(id).size());
    }
  }

  // Longest pieces first; the whole as one unknown piece when it cannot be cut or is too long.
  void cut(std::string_view part, std::vector<CutPiece>& pieces) const override {
    const std::size_t first = pieces.size();
    const auto give_up = [&] {
      pieces.resize(first);
      pieces.push_back({unknown_, 0, part.size()});
    };
    if (characters(part) > options_.most_characters) {
      give_up();
      return;
    }
    std::string marked;
    for (std::size_t begin = 0; begin < part.size();) {
      const std::size_t mark = begin == 0 ? 0 : options_.prefix.size();
      std::string_view rest = part.substr(begin);
      if (mark > 0) {
        marked = options_.prefix;
        marked += rest;
        rest = marked;
      }
      std::size_t size = std::min(rest.size(), longest_);
      std::optional<std::int64_t> id;
      for (; size > mark && !id; --size) {
        const bool whole = size == rest.size() || (static_cast<unsigned char>(rest[size]) & 0xC0U) != 0x80U;
        id = whole ? vocabulary_->find(rest.substr(0, size)) : std::nullopt;
        if (id) {
          break;
        }
      }
      if (!id) {
        give_up();
        return;
      }
      const std::size_t end = begin + size - mark;
      pieces.push_back({*id, begin, end});
      begin = end;
    }
  }
  std::optional<std::int64_t> unknown() const override { return unknown_; }

 private:
  WordPieceOptions options_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  std::int64_t unknown_;
  std::size_t longest_ = 0;
};

}  // namespace

std::unique_ptr<const PieceModel> make_word_piece_model(const WordPieceOptions& options,
                                                        std::shared_ptr<const Vocabulary> vocabulary) {
  return std::make_unique<WordPieceModel>(options, std::move(vocabulary));
}

}  // namespace mog::model
