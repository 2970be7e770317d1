// The pieces that given texts use, most frequent first, up to a limit; special tokens and single characters
// always stay, so that most other words can still be cut. O(tokens · log tokens).
//
// Without a limit the words that were counted are cut as before: greedy cutting takes the longest piece that
// there is, and all that it took were counted. Traps: with a limit, words are cut into other pieces than
// were counted, so the counts are no longer those of the new vocabulary. And a word that was unknown may now
// be cut, if the longest piece that led it astray is gone.
#include "model/tokenizer/wordpiece/wordpiece_pruning.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "io/recording/errors.h"
#include "io/recording/utf8.h"
#include "io/text/utf8.h"
#include "model/tokenizer/json/tokenizer_json.h"

namespace mog::model {
namespace {

bool single_character(std::string_view token, std::string_view prefix) {
  if (token.size() > prefix.size() && token.starts_with(prefix)) {
    token.remove_prefix(prefix.size());
  }
  return utf8_length_at(token, 0) == token.size();
}

// Tokens that every vocabulary of this tokenizer needs.
std::vector<bool> always_kept(const WordPieceFile& file) {
  const WordPieceSettings& settings = file.settings;
  std::set<std::string_view> named(settings.special.begin(), settings.special.end());
  named.insert({settings.unknown, settings.first, settings.last});
  std::vector<bool> keep(file.tokens.size());
  for (std::size_t id = 0; id < file.tokens.size(); ++id) {
    keep[id] = named.contains(file.tokens[id]) || single_character(file.tokens[id], settings.prefix);
  }
  return keep;
}

}  // namespace

PieceCounter::PieceCounter(const WordPieceFile& file)
    : tokenizer_(parse_tokenizer_json(to_tokenizer_json(file), "the vocabulary to be pruned").tokenizer),
      counts_(file.tokens.size(), 0) {}

void PieceCounter::add(std::string_view text) {
  add(tokenizer_->encode(text));
}

void PieceCounter::add_words(std::span<const std::string> words) {
  add(tokenizer_->encode_words(words));
}

void PieceCounter::add(const Sentence& sentence) {
  for (const Token& token : sentence.tokens) {
    ++counts_[static_cast<std::size_t>(token.id)];
  }
}

PrunedWordPiece prune_wordpiece(const WordPieceFile& file, std::span<const std::int64_t> counts,
                                std::int64_t limit) {
  if (counts.size() != file.tokens.size()) {
    throw UsageError(
        fmt::format("pruning the vocabulary: {} counts for {} tokens", counts.size(), file.tokens.size()));
  }
  std::vector<bool> keep = always_kept(file);
  auto kept = static_cast<std::int64_t>(std::count(keep.begin(), keep.end(), true));
  if (limit > 0 && limit < kept) {
    throw UsageError(
        fmt::format("pruning the vocabulary to {} tokens: special tokens and single characters "
                    "alone are {}",
                    limit, kept));
  }
  std::vector<std::size_t> others;
  for (std::size_t id = 0; id < keep.size(); ++id) {
    if (!keep[id] && counts[id] > 0) {
      others.push_back(id);
    }
  }
  std::stable_sort(others.begin(), others.end(),
                   [&](std::size_t left, std::size_t right) { return counts[left] > counts[right]; });
  for (const std::size_t id : others) {
    if (limit > 0 && kept == limit) {
      break;
    }
    keep[id] = true;
    ++kept;
  }
  return prune_wordpiece(file, keep);
}

PrunedWordPiece prune_wordpiece(const WordPieceFile& file, const std::vector<bool>& keep) {
  PrunedWordPiece pruned;
  pruned.file.settings = file.settings;
  pruned.file.notes = file.notes;
  for (std::size_t id = 0; id < file.tokens.size(); ++id) {
    if (id < keep.size() && keep[id]) {
      pruned.file.tokens.push_back(file.tokens[id]);
      pruned.old_ids.push_back(static_cast<std::int64_t>(id));
    }
  }
  return pruned;
}

}  // namespace mog::model
