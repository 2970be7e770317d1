#include "model/tokenizer/wordpiece.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "io/recording/errors.h"
#include "model/tokenizer/sentence_check.h"

namespace mog::model {
namespace {

// Finds special tokens in a text: the leftmost, of those at one place the longest.
class SpecialFinder {
 public:
  SpecialFinder(const std::vector<std::string>& special, const Vocabulary& vocabulary) {
    for (const std::string& token : special) {
      tokens_.emplace_back(token, vocabulary.find(token).value_or(-1));
      starts_[static_cast<unsigned char>(token.front())] = true;
    }
    std::stable_sort(tokens_.begin(), tokens_.end(), [](const auto& left, const auto& right) {
      return left.first.size() > right.first.size();
    });
  }
  struct Found {
    std::size_t begin = std::string_view::npos;
    std::size_t end = std::string_view::npos;
    std::int64_t id = -1;
  };
  Found find(std::string_view text, std::size_t from) const {
    for (std::size_t at = from; at < text.size(); ++at) {
      if (!starts_[static_cast<unsigned char>(text[at])]) {
        continue;
      }
      for (const auto& [token, id] : tokens_) {
        if (text.substr(at).starts_with(token)) {
          return {at, at + token.size(), id};
        }
      }
    }
    return {};
  }

 private:
  std::vector<std::pair<std::string, std::int64_t>> tokens_;
  std::array<bool, 256> starts_ = {};
};

class WordPieceTokenizer final : public Tokenizer {
 public:
  explicit WordPieceTokenizer(const WordPieceFile& file)
      : pieces_(file.settings, Vocabulary(file.tokens)),
        special_(file.settings.special, pieces_.vocabulary()),
        first_(*vocabulary().find(file.settings.first)),
        last_(*vocabulary().find(file.settings.last)) {}

  Sentence encode(std::string_view text, std::int64_t number) const override {
    check_sentence(text, number);
    Sentence sentence = begin(number);
    sentence.text = text;
    each_part(
        text, 0,
        [&](const BertWord& word) {
          const ByteSpan bytes = word.bytes();
          add_word(sentence, bytes);
          add_pieces(word, sentence);
        },
        [&](std::int64_t id, ByteSpan bytes) {
          add_word(sentence, bytes);
          add_token(id, bytes, sentence);
        });
    finish(sentence);
    return sentence;
  }

  Sentence encode_words(std::span<const std::string> words, std::int64_t number) const override {
    Sentence sentence = begin(number);
    for (const std::string& word : words) {
      check_sentence(word, number);
      sentence.text += sentence.words.empty() ? "" : " ";
      const auto offset = static_cast<std::int64_t>(sentence.text.size());
      sentence.text += word;
      add_word(sentence, {offset, offset + static_cast<std::int64_t>(word.size())});
      each_part(
          word, offset, [&](const BertWord& part) { add_pieces(part, sentence); },
          [&](std::int64_t id, ByteSpan bytes) { add_token(id, bytes, sentence); });
    }
    finish(sentence);
    return sentence;
  }

  const Vocabulary& vocabulary() const override { return pieces_.vocabulary(); }
  std::string_view kind() const override { return "wordpiece"; }

 private:
  // Calls on_word(BertWord) and on_special(id, bytes) in the order of the text.
  template <class OnWord, class OnSpecial>
  void each_part(std::string_view text, std::int64_t offset, OnWord&& on_word, OnSpecial&& on_special) const {
    std::size_t at = 0;
    while (at < text.size()) {
      const auto found = special_.find(text, at);
      const std::size_t end = std::min(found.begin, text.size());
      for (const BertWord& word : bert_words(text.substr(at, end - at), pieces_.settings().normalizer,
                                             offset + static_cast<std::int64_t>(at))) {
        on_word(word);
      }
      if (found.id >= 0) {
        on_special(found.id, ByteSpan{offset + static_cast<std::int64_t>(found.begin),
                                      offset + static_cast<std::int64_t>(found.end)});
      }
      at = std::min(found.end, text.size());
    }
  }

  Sentence begin(std::int64_t number) const {
    Sentence sentence;
    sentence.number = number;
    sentence.tokens.push_back({vocabulary().token(first_), first_, -1, {0, 0}});
    return sentence;
  }
  void finish(Sentence& sentence) const {
    const auto end = static_cast<std::int64_t>(sentence.text.size());
    sentence.tokens.push_back({vocabulary().token(last_), last_, -1, {end, end}});
  }
  static void add_word(Sentence& sentence, ByteSpan bytes) {
    const auto begin = static_cast<std::size_t>(bytes.begin);
    const auto size = static_cast<std::size_t>(bytes.end - bytes.begin);
    sentence.words.push_back({sentence.text.substr(begin, size), bytes});
  }
  void add_token(std::int64_t id, ByteSpan bytes, Sentence& sentence) const {
    const auto word = static_cast<std::int64_t>(sentence.words.size()) - 1;
    sentence.tokens.push_back({vocabulary().token(id), id, word, bytes});
  }
  void add_pieces(const BertWord& word, Sentence& sentence) const {
    for (const WordPiece::Piece& piece : pieces_.segment(word)) {
      add_token(piece.id, {word.spans[piece.first].begin, word.spans[piece.last - 1].end}, sentence);
    }
  }

  WordPiece pieces_;
  SpecialFinder special_;
  std::int64_t first_;
  std::int64_t last_;
};

}  // namespace

WordPiece::WordPiece(WordPieceSettings settings, Vocabulary vocabulary)
    : settings_(std::move(settings)), vocabulary_(std::move(vocabulary)) {
  const auto require = [&](const std::string& token) {
    const auto id = vocabulary_.find(token);
    if (!id) {
      throw ModelError(fmt::format("the WordPiece vocabulary lacks the token \"{}\"", token));
    }
    return *id;
  };
  unknown_ = require(settings_.unknown);
  require(settings_.first);
  require(settings_.last);
  for (const std::string& token : settings_.special) {
    require(token);
  }
  for (std::int64_t id = 0; id < vocabulary_.size(); ++id) {
    longest_ = std::max(longest_, vocabulary_.token(id).size());
  }
}

std::vector<WordPiece::Piece> WordPiece::segment(const BertWord& word) const {
  const std::size_t count = word.characters();
  const std::vector<Piece> unknown = {{unknown_, 0, count}};
  if (static_cast<std::int64_t>(count) > settings_.most_characters) {
    return unknown;
  }
  std::vector<Piece> pieces;
  std::string rest;
  for (std::size_t first = 0; first < count;) {
    const std::size_t marked = first == 0 ? 0 : settings_.prefix.size();
    const std::size_t begin = word.begins[first];
    rest.assign(settings_.prefix, 0, marked);
    rest.append(word.text, begin, std::string::npos);
    Piece piece{-1, first, count};
    for (; piece.last > first; --piece.last) {
      const std::size_t size = marked + word.begins[piece.last] - begin;
      if (size > longest_) {
        continue;
      }
      if (const auto id = vocabulary_.find(std::string_view(rest).substr(0, size))) {
        piece.id = *id;
        break;
      }
    }
    if (piece.id < 0) {
      return unknown;
    }
    first = piece.last;
    pieces.push_back(piece);
  }
  return pieces;
}

std::shared_ptr<const Tokenizer> make_wordpiece_tokenizer(const WordPieceFile& file) {
  return std::make_shared<WordPieceTokenizer>(file);
}

}  // namespace mog::model
