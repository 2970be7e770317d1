// The sentences of a shard as texts, words and tokens, from its tables.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/hdf5/recording/recording_layout.h"
#include "io/recording/sentence.h"

namespace mog::io {

// What a shard says of its sentences, row by row; numbers ascend.
struct ShardTable {
  std::vector<std::int64_t> number, tokens, words, target_tokens;
  std::vector<std::uint8_t> truncated;
  std::array<std::vector<std::uint64_t>, 3> rows;   // [Table], one more than there are sentences
  std::array<std::vector<std::uint64_t>, 4> texts;  // [Text], one more than there are sentences
  // By offsets_kind: where each sentence's values begin; one more than there are sentences.
  std::map<std::string, std::vector<std::uint64_t>> values;
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(number.size()); }
};

// As they lie in the file, as long as the table says.
struct ShardColumns {
  std::array<std::array<std::vector<std::int32_t>, layout::kRowColumns>, 3> rows;  // [Table][RowColumn]
  std::array<std::vector<char>, 4> texts;                                          // [Text]
};

// Borrows path and table. Immutable; safe to read from several threads.
class ShardTexts {
 public:
  ShardTexts(const std::filesystem::path& path, const ShardTable& table, ShardColumns columns);

  // Throws FormatError, naming the file's column and the sentence, for texts that are not UTF-8 and places
  // that do not lie inside them.
  Sentence sentence(std::int64_t row) const;

 private:
  std::string text(layout::Text which, std::int64_t row) const;
  std::pair<ByteSpan, std::string> spelling(layout::Table table, std::size_t at, std::int64_t row,
                                            const std::string& sentence_text,
                                            const std::string& spellings) const;
  std::vector<Token> tokens(layout::Table table, std::int64_t row, const Sentence& sentence) const;
  [[noreturn]] void refuse(std::string_view object, const std::string& what) const;

  const std::filesystem::path& path_;
  const ShardTable& table_;
  ShardColumns columns_;
};

}  // namespace mog::io
