// The texts of a shard are some MB at most, so they are kept whole. Where a row says that its text lies is
// checked when that row is asked for: opening a shard need not walk through all of them.
#include "io/hdf5/recording/shard_texts.h"

#include <fmt/format.h>

#include <utility>

#include "io/hdf5/file/hdf5_error.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

using layout::RowColumn;

std::size_t index(auto value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

ShardTexts::ShardTexts(const std::filesystem::path& path, const ShardTable& table, ShardColumns columns)
    : path_(path), table_(table), columns_(std::move(columns)) {}

void ShardTexts::refuse(std::string_view object, const std::string& what) const {
  h5::throw_format(path_, object, what);
}

std::string ShardTexts::text(layout::Text which, std::int64_t row) const {
  const auto& offsets = table_.texts[index(which)];
  const std::uint64_t begin = offsets[index(row)];
  const std::string text(columns_.texts[index(which)].data() + begin, index(offsets[index(row + 1)] - begin));
  if (const std::size_t bad = first_invalid_utf8(text); bad != std::string::npos) {
    refuse(layout::text_column(which).path,
           fmt::format("sentence {}: byte {} is not UTF-8", table_.number[index(row)], bad));
  }
  return text;
}

// Row `at` of a table: its place in the sentence's text, and its spelling.
std::pair<ByteSpan, std::string> ShardTexts::spelling(layout::Table table, std::size_t at, std::int64_t row,
                                                      const std::string& sentence_text,
                                                      const std::string& spellings) const {
  const auto& columns = columns_.rows[index(table)];
  const auto value = [&](RowColumn which) { return std::int64_t{columns[index(which)][at]}; };
  const auto check = [&](RowColumn first, RowColumn last, std::size_t size) {
    if (value(first) < 0 || value(first) > value(last) || value(last) > static_cast<std::int64_t>(size)) {
      refuse(layout::column(table, last).path,
             fmt::format("sentence {}: bytes [{}, {}) of a text of {}", table_.number[index(row)],
                         value(first), value(last), size));
    }
  };
  check(RowColumn::begin, RowColumn::end, sentence_text.size());
  check(RowColumn::text_begin, RowColumn::text_end, spellings.size());
  return {{value(RowColumn::begin), value(RowColumn::end)},
          spellings.substr(index(value(RowColumn::text_begin)),
                           index(value(RowColumn::text_end) - value(RowColumn::text_begin)))};
}

std::vector<Token> ShardTexts::tokens(layout::Table table, std::int64_t row, const Sentence& sentence) const {
  const std::string spellings = text(static_cast<layout::Text>(table), row);
  const auto& offsets = table_.rows[index(table)];
  const auto& columns = columns_.rows[index(table)];
  std::vector<Token> result;
  for (std::size_t at = offsets[index(row)]; at < offsets[index(row + 1)]; ++at) {
    auto [bytes, spelt] = spelling(table, at, row, sentence.text, spellings);
    const std::int64_t word = columns[index(RowColumn::word)][at];
    if (word < -1 ||
        (table == layout::Table::tokens && word >= static_cast<std::int64_t>(sentence.words.size()))) {
      refuse(layout::column(table, RowColumn::word).path,
             fmt::format("sentence {}: word {} of {}", sentence.number, word, sentence.words.size()));
    }
    result.push_back({std::move(spelt), columns[index(RowColumn::id)][at], word, bytes});
  }
  return result;
}

Sentence ShardTexts::sentence(std::int64_t row) const {
  Sentence sentence;
  sentence.number = table_.number[index(row)];
  sentence.text = text(layout::Text::sentences, row);
  sentence.truncated = table_.truncated[index(row)] != 0;
  const std::string spellings = text(layout::Text::words, row);
  const auto& offsets = table_.rows[index(layout::Table::words)];
  for (std::size_t at = offsets[index(row)]; at < offsets[index(row + 1)]; ++at) {
    auto [bytes, spelt] = spelling(layout::Table::words, at, row, sentence.text, spellings);
    sentence.words.push_back({std::move(spelt), bytes});
  }
  sentence.tokens = tokens(layout::Table::tokens, row, sentence);
  sentence.target_tokens = tokens(layout::Table::target_tokens, row, sentence);
  return sentence;
}

}  // namespace mog::io
