// Names, types and words of everything inside a recording, in one place (docs/recording-format.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5/file/hdf5_dataset.h"
#include "io/recording/axes.h"

namespace mog::io::layout {

inline constexpr std::string_view kFormat = "mog-recording";
inline constexpr std::int64_t kMajor = 1;
inline constexpr std::string_view kVersion = "1.3";
inline constexpr std::string_view kWithoutSums = "1.0";  // recordings of this version carry none

inline constexpr const char* kManifest = "manifest.json";
inline constexpr const char* kJournal = "journal.jsonl";
inline constexpr const char* kVirtualFile = "recording.h5";

inline constexpr const char* kKindShard = "shard";
inline constexpr const char* kKindRecording = "recording";

inline constexpr const char* kHeader = "/header";
// Of quantities in 8 bits: by which a whole number is multiplied before it is squared.
inline constexpr const char* kRootStep = "root_step";

// Columns of /sentences, in this order; the last two are of recording.h5 alone.
enum class SentenceColumn : std::uint8_t { number, tokens, words, target_tokens, truncated, shard, row };
inline constexpr std::size_t kSentenceColumns = 5;  // of a shard
h5::FlatDataset column(SentenceColumn which);

// Tables with a ragged number of rows a sentence. /words has no id and word.
enum class Table : std::uint8_t { tokens, words, target_tokens };
inline constexpr std::array kTables = {Table::tokens, Table::words, Table::target_tokens};
enum class RowColumn : std::uint8_t { begin, end, text_begin, text_end, id, word };
inline constexpr std::size_t kRowColumns = 6;
std::size_t columns_of(Table table);
h5::FlatDataset column(Table table, RowColumn which);

// Texts with a ragged number of bytes a sentence.
enum class Text : std::uint8_t { tokens, words, target_tokens, sentences };  // the first three as in Table
inline constexpr std::array kTexts = {Text::tokens, Text::words, Text::target_tokens, Text::sentences};
h5::FlatDataset text_column(Text text);

// Offsets: one more than there are sentences.
h5::FlatDataset row_offsets(Table table);
h5::FlatDataset text_offsets(Text text);
h5::FlatDataset value_offsets(const QuantitySchema& schema);

// All quantities of the same axes and extents share their offsets: "head8.query.key".
std::string offsets_kind(const QuantitySchema& schema);
h5::FlatDataset quantity_column(const QuantitySchema& schema);

std::string shard_file_name(std::int64_t index);  // "shard-00001.h5", from 1
bool is_shard_file_name(std::string_view name);
std::int64_t shard_index(std::string_view name);  // of a shard's name
// What a killed writer left of a shard, recording.h5, the manifest or the journal.
bool is_unfinished_file_name(std::string_view name);

}  // namespace mog::io::layout
