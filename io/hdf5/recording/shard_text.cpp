// The texts of a shard: read whole at the first sentence asked for (a shard has at most some MB of text),
// then kept.
#include <fmt/format.h>

#include "io/hdf5/file/hdf5_error.h"
#include "io/hdf5/recording/shard_reader.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

using layout::RowColumn;

std::size_t index(auto value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

void ShardReader::load_texts() const {
  if (texts_loaded_) {
    return;
  }
  for (const layout::Table which : layout::kTables) {
    for (std::size_t i = 0; i < layout::columns_of(which); ++i) {
      const h5::FlatDataset facts = layout::column(which, static_cast<RowColumn>(i));
      rows_[index(which)][i] = read_all<std::int32_t>(facts, table_.rows[index(which)].back());
    }
  }
  for (const layout::Text which : layout::kTexts) {
    texts_[index(which)] = read_all<char>(layout::text_column(which), table_.texts[index(which)].back());
  }
  texts_loaded_ = true;
}

std::string ShardReader::text(layout::Text which, std::int64_t row) const {
  const auto& offsets = table_.texts[index(which)];
  const std::uint64_t begin = offsets[index(row)];
  const std::string text(texts_[index(which)].data() + begin, index(offsets[index(row + 1)] - begin));
  if (const std::size_t bad = first_invalid_utf8(text); bad != std::string::npos) {
    refuse(layout::text_column(which).path,
           fmt::format("sentence {}: byte {} is not UTF-8", table_.number[index(row)], bad));
  }
  return text;
}

// Row `at` of a table: its place in the sentence's text, and its spelling.
std::pair<ByteSpan, std::string> ShardReader::spelling(layout::Table table, std::size_t at, std::int64_t row,
                                                       const std::string& sentence_text,
                                                       const std::string& spellings) const {
  const auto& columns = rows_[index(table)];
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

std::vector<Token> ShardReader::tokens(layout::Table table, std::int64_t row,
                                       const Sentence& sentence) const {
  const std::string spellings = text(static_cast<layout::Text>(table), row);
  const auto& offsets = table_.rows[index(table)];
  const auto& columns = rows_[index(table)];
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

Sentence ShardReader::sentence(std::int64_t row) const {
  const h5::Lock lock;
  load_texts();
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
