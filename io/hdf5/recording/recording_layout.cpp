#include "io/hdf5/recording/recording_layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace mog::io::layout {
namespace {

constexpr std::array kTextNames = {"tokens", "words", "target_tokens", "sentences"};
constexpr std::array kTextWords = {"tokens, as the vocabulary spells them", "words, as in the corpus",
                                   "tokens of the translation, as the vocabulary spells them",
                                   "sentences, as in the corpus"};

const char* name_of(Table table) {
  return kTextNames[static_cast<std::size_t>(table)];
}
const char* name_of(Text text) {
  return kTextNames[static_cast<std::size_t>(text)];
}

h5::FlatDataset offsets(std::string path, const std::string& of) {
  return {std::move(path), DType::uint64, "boundary", "1",
          fmt::format("sentence s has {} [offsets[s], offsets[s + 1])", of)};
}

}  // namespace

h5::FlatDataset column(SentenceColumn which) {
  switch (which) {
    case SentenceColumn::number:
      return {"/sentences/number", DType::int64, "sentence", "1", "place in the corpus, from 1"};
    case SentenceColumn::tokens:
      return {"/sentences/tokens", DType::int64, "sentence", "1", "number of tokens, special ones included"};
    case SentenceColumn::words:
      return {"/sentences/words", DType::int64, "sentence", "1", "number of words"};
    case SentenceColumn::target_tokens:
      return {"/sentences/target_tokens", DType::int64, "sentence", "1",
              "number of tokens of the translation; 0: there is none"};
    case SentenceColumn::shard:
      return {"/sentences/shard", DType::int64, "sentence", "1", "number in the name of its shard"};
    case SentenceColumn::row:
      return {"/sentences/row", DType::int64, "sentence", "1", "its row in that shard"};
    case SentenceColumn::truncated:
      break;
  }
  return {"/sentences/truncated", DType::uint8, "sentence", "1", "1: the tokens end before the text does"};
}

std::size_t columns_of(Table table) {
  return table == Table::words ? 4 : kRowColumns;
}

h5::FlatDataset column(Table table, RowColumn which) {
  const std::string of = name_of(table);
  const std::string axis = table == Table::words ? "word" : "token";
  const auto facts = [&](const char* name, const char* units, const std::string& description) {
    return h5::FlatDataset{fmt::format("/{}/{}", of, name), DType::int32, axis, units, description};
  };
  switch (which) {
    case RowColumn::begin:
      return facts("begin", "bytes", "first byte in the sentence's text");
    case RowColumn::end:
      return facts("end", "bytes", "byte after the last one in the sentence's text");
    case RowColumn::text_begin:
      return facts("text_begin", "bytes", "first byte of its spelling in the sentence's part of /text/" + of);
    case RowColumn::text_end:
      return facts("text_end", "bytes",
                   "byte after the last one of its spelling in the sentence's part of /text/" + of);
    case RowColumn::id:
      return facts("id", "1", "row of the embedding table");
    case RowColumn::word:
      break;
  }
  return facts("word", "1", "index of its word in the sentence, from 0; -1: a special token");
}

h5::FlatDataset text_column(Text text) {
  return {fmt::format("/text/{}", name_of(text)), DType::uint8, "byte", "bytes",
          fmt::format("UTF-8, one after another without separators: {}",
                      kTextWords[static_cast<std::size_t>(text)])};
}

h5::FlatDataset row_offsets(Table table) {
  return offsets(fmt::format("/offsets/rows/{}", name_of(table)),
                 fmt::format("the rows of /{}", name_of(table)));
}

h5::FlatDataset text_offsets(Text text) {
  return offsets(fmt::format("/offsets/text/{}", name_of(text)),
                 fmt::format("the bytes of /text/{}", name_of(text)));
}

h5::FlatDataset value_offsets(const QuantitySchema& schema) {
  const std::string kind = offsets_kind(schema);
  return offsets("/offsets/values/" + kind, fmt::format("the elements of each quantity of {}", kind));
}

std::string offsets_kind(const QuantitySchema& schema) {
  std::string kind;
  for (std::size_t i = 0; i < schema.axes.size(); ++i) {
    kind += fmt::format("{}{}", i == 0 ? "" : ".", name(schema.axes[i]));
    if (schema.extents[i] != 0) {
      kind += std::to_string(schema.extents[i]);
    }
  }
  return kind.empty() ? "scalar" : kind;
}

h5::FlatDataset quantity_column(const QuantitySchema& schema) {
  std::string axes;
  for (const Axis axis : schema.axes) {
    axes += fmt::format("{}{}", axes.empty() ? "" : ",", name(axis));
  }
  return {"/quantities/" + schema.name.text(), schema.dtype, axes, schema.units, schema.description};
}

std::string shard_file_name(std::int64_t index) {
  return fmt::format("shard-{:05}.h5", index);
}

bool is_shard_file_name(std::string_view name) {
  constexpr std::string_view kHead = "shard-";
  constexpr std::string_view kTail = ".h5";
  if (!name.starts_with(kHead) || !name.ends_with(kTail) || name.size() < kHead.size() + 5 + kTail.size() ||
      name.size() > kHead.size() + 12 + kTail.size()) {
    return false;
  }
  name.remove_prefix(kHead.size());
  name.remove_suffix(kTail.size());
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::int64_t shard_index(std::string_view name) {
  constexpr std::size_t kHead = std::string_view("shard-").size();
  return std::stoll(std::string(name.substr(kHead)));
}

bool is_unfinished_file_name(std::string_view name) {
  return name.find(".part") != std::string_view::npos &&
         (name.starts_with("shard-") || name.starts_with(kVirtualFile) || name.starts_with(kManifest) ||
          name.starts_with(kJournal));
}

}  // namespace mog::io::layout
