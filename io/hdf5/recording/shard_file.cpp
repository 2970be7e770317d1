// Writes the HDF5 file of a shard. All of its sentences are known by then, so every dataset is created with
// its final size and chunks that divide it evenly: no chunk is left half empty, no index grows.
//
// The file is built in memory (file_image.h) from chunks that are stored as they are, checksum included
// (hdf5_dataset.cpp): no byte goes through HDF5's chunk cache, its filters or the page cache.
#include <fmt/format.h>

#include <array>
#include <set>

#include "io/hdf5/file/durable_file.h"
#include "io/hdf5/file/hdf5_attribute.h"
#include "io/hdf5/file/hdf5_error.h"
#include "io/hdf5/recording/eight_bit_maps.h"
#include "io/hdf5/recording/recording_json.h"
#include "io/hdf5/recording/recording_layout.h"
#include "io/hdf5/recording/shard_buffer.h"

namespace mog::io {
namespace {

using h5::FlatDataset;

// The rows of /tokens, /words or /target_tokens and their spellings.
struct RowTable {
  std::array<std::vector<std::int32_t>, layout::kRowColumns> columns;
  std::vector<std::uint64_t> rows{0};  // where each sentence's rows begin
  std::string text;
  std::vector<std::uint64_t> texts{0};  // where each sentence's spellings begin

  void add_row(const ByteSpan& bytes, const std::string& spelling) {
    put(layout::RowColumn::begin, bytes.begin);
    put(layout::RowColumn::end, bytes.end);
    put(layout::RowColumn::text_begin, static_cast<std::int64_t>(text.size() - texts.back()));
    text += spelling;
    put(layout::RowColumn::text_end, static_cast<std::int64_t>(text.size() - texts.back()));
  }
  void end_sentence() {
    rows.push_back(columns[0].size());
    texts.push_back(text.size());
  }
  void add(const std::vector<Token>& tokens) {
    for (const Token& token : tokens) {
      add_row(token.bytes, token.text);
      put(layout::RowColumn::id, token.id);
      put(layout::RowColumn::word, token.word);
    }
    end_sentence();
  }
  void add(const std::vector<Word>& words) {
    for (const Word& word : words) {
      add_row(word.bytes, word.text);
    }
    end_sentence();
  }

 private:
  void put(layout::RowColumn which, std::int64_t value) {
    columns[static_cast<std::size_t>(which)].push_back(static_cast<std::int32_t>(value));
  }
};

// Writes datasets into one file.
class Output {
 public:
  Output(hid_t file_id, int deflate_level, const std::filesystem::path& file)
      : file_id_(file_id), deflate_level_(deflate_level), file_(file) {}

  template <class T>
  void column(const FlatDataset& facts, const std::vector<T>& values) const {
    h5::write_flat(file_id_, facts, {h5::bytes_of(values)}, 0, file_);
  }
  void text(layout::Text which, const std::string& text, const std::vector<std::uint64_t>& offsets) const {
    h5::write_flat(file_id_, layout::text_column(which), {std::as_bytes(std::span(text.data(), text.size()))},
                   0, file_);
    column(layout::text_offsets(which), offsets);
  }
  void table(layout::Table which, const RowTable& table) const {
    for (std::size_t i = 0; i < layout::columns_of(which); ++i) {
      column(layout::column(which, static_cast<layout::RowColumn>(i)), table.columns[i]);
    }
    column(layout::row_offsets(which), table.rows);
    text(static_cast<layout::Text>(which), table.text, table.texts);
  }
  void quantity(const QuantitySchema& schema, const h5::Pieces& pieces) const {
    const h5::Dataset dataset =
        h5::write_flat(file_id_, layout::quantity_column(schema), pieces, deflate_level_, file_);
    write_quantity_attributes(dataset.get(), schema, file_);
  }

 private:
  hid_t file_id_;
  int deflate_level_;
  const std::filesystem::path& file_;
};

}  // namespace

h5::File create_hdf5(const PartFile& part, FileImage* image) {
  const h5::Lock lock;
  const h5::Properties access(H5Pcreate(H5P_FILE_ACCESS));
  const h5::Properties creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5Pset_attr_phase_change(creation.get(), 64, 64);
  H5Pset_link_phase_change(creation.get(), 60000, 60000);
  H5Pset_obj_track_times(creation.get(), false);
  if (image != nullptr) {
    image->use(access);
  }
  // HDF5 would first read a file of that name into the image.
  const std::string name = image == nullptr ? part.open_name() : part.file().path().string() + ".image";
  h5::File file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()));
  if (!file) {
    h5::throw_write_failure(part.path(), "");
  }
  return file;
}

void close_hdf5(h5::File file, const std::filesystem::path& path) {
  const h5::Lock lock;
  if (H5Fflush(file.get(), H5F_SCOPE_GLOBAL) < 0 || H5Fclose(file.release()) < 0) {
    h5::throw_write_failure(path, "");
  }
}

void write_root(hid_t file_id, const RecordingHeader& header, const char* kind, std::int64_t part,
                std::int64_t parts, std::int64_t sentences, const std::filesystem::path& file) {
  const auto text = [&](const char* key, std::string_view value) {
    std::size_t bytes = std::min(value.size(), h5::kLongestAttribute);
    while (bytes > 0 && bytes < value.size() && (static_cast<unsigned char>(value[bytes]) & 0xC0U) == 0x80U) {
      --bytes;  // a very long command line is cut between two characters; /header has the whole
    }
    h5::write_attribute(file_id, key, value.substr(0, bytes), file);
  };
  text("format", layout::kFormat);
  text("format_version", layout::kVersion);
  text("kind", kind);
  h5::write_attribute(file_id, "part", part, file);
  h5::write_attribute(file_id, "parts", parts, file);
  h5::write_attribute(file_id, "sentences", sentences, file);
  if (!header.provenance.name.empty()) {
    text("name", header.provenance.name);
  }
  text("model_name", header.model.name);
  text("model_sha256", header.model.weights_sha256);
  text("tokenizer_sha256", header.model.tokenizer_sha256);
  text("corpus_name", header.provenance.corpus_name);
  text("corpus_sha256", header.provenance.corpus_sha256);
  text("program_version", header.provenance.program_version);
  text("command_line", header.provenance.command_line);
  text("device", header.provenance.device);
  text("precision", header.provenance.precision);
  text("started", header.provenance.started);
  h5::write_attribute(file_id, "seed", header.provenance.seed, file);
  const std::string card = to_text(model_card_to_json(header.model));
  if (card.size() <= h5::kLongestAttribute) {
    text("model_card", card);
  }
}

void write_frame(hid_t file_id, const RecordingHeader& header, const std::filesystem::path& file) {
  h5::create_group(file_id, "/sentences", "one row a sentence; all columns have the same length", file);
  h5::create_group(file_id, "/tokens",
                   "one row a token of the input; /offsets/rows/tokens says which are a sentence's", file);
  h5::create_group(file_id, "/words", "one row a word; /offsets/rows/words says which are a sentence's",
                   file);
  h5::create_group(
      file_id, "/target_tokens",
      "one row a token of the translation; /offsets/rows/target_tokens says which are a sentence's", file);
  h5::create_group(file_id, "/text", "UTF-8 bytes of all sentences, tokens and words", file);
  h5::create_group(file_id, "/offsets", "where each sentence's rows, bytes and values begin and end", file);
  h5::create_group(file_id, "/offsets/rows", "offsets into the columns of the table of that name", file);
  h5::create_group(file_id, "/offsets/text", "offsets into the bytes of that name in /text", file);
  h5::create_group(file_id, "/offsets/values", "offsets into all quantities of these axes and extents", file);
  h5::create_group(
      file_id, "/quantities",
      "one flat dataset a quantity: sentence after sentence, each one's block in the shape of `axes`, "
      "row-major",
      file);
  const std::string text = to_text(header_to_json(header));
  h5::write_flat(
      file_id,
      {layout::kHeader, DType::uint8, "byte", "bytes", "model card, provenance and quantities as JSON"},
      {std::as_bytes(std::span(text.data(), text.size()))}, 0, file);
}

void write_quantity_attributes(hid_t dataset, const QuantitySchema& schema,
                               const std::filesystem::path& file) {
  h5::write_attribute(dataset, "extents", schema.extents, file);
  h5::write_attribute(dataset, "offsets", layout::value_offsets(schema).path, file);
  h5::write_attribute(dataset, "layer", schema.name.layer(), file);
  if (schema.dtype == DType::uint8) {
    h5::write_attribute(dataset, layout::kRootStep, kRootStep, file);
  }
}

void ShardBuffer::write_file(const PartFile& target, const RecordingHeader& header, std::int64_t part,
                             std::int64_t parts, int deflate_level, FileImage* image) const {
  const std::vector<std::size_t> sorted = order();
  std::vector<std::int64_t> number, tokens, words, target_tokens;
  std::vector<std::uint8_t> truncated;
  std::string text;
  std::vector<std::uint64_t> texts{0};
  RowTable token_table, word_table, target_table;
  for (const std::size_t at : sorted) {
    const Sentence& sentence = sentences_[at];
    number.push_back(sentence.number);
    tokens.push_back(static_cast<std::int64_t>(sentence.tokens.size()));
    words.push_back(static_cast<std::int64_t>(sentence.words.size()));
    target_tokens.push_back(static_cast<std::int64_t>(sentence.target_tokens.size()));
    truncated.push_back(sentence.truncated ? 1 : 0);
    text += sentence.text;
    texts.push_back(text.size());
    token_table.add(sentence.tokens);
    word_table.add(sentence.words);
    target_table.add(sentence.target_tokens);
  }

  const h5::WriteScope scope;
  const std::filesystem::path& path = target.path();
  h5::File file = create_hdf5(target, image);
  write_root(file.get(), header, layout::kKindShard, part, parts, sentences(), path);
  write_frame(file.get(), header, path);
  const Output output(file.get(), deflate_level, path);
  output.column(layout::column(layout::SentenceColumn::number), number);
  output.column(layout::column(layout::SentenceColumn::tokens), tokens);
  output.column(layout::column(layout::SentenceColumn::words), words);
  output.column(layout::column(layout::SentenceColumn::target_tokens), target_tokens);
  output.column(layout::column(layout::SentenceColumn::truncated), truncated);
  output.text(layout::Text::sentences, text, texts);
  output.table(layout::Table::tokens, token_table);
  output.table(layout::Table::words, word_table);
  output.table(layout::Table::target_tokens, target_table);

  std::set<std::string> kinds;
  for (std::size_t quantity = 0; quantity < header.quantities.size(); ++quantity) {
    const QuantitySchema& schema = header.quantities[quantity];
    if (kinds.insert(layout::offsets_kind(schema)).second) {
      std::vector<std::uint64_t> offsets{0};
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        offsets.push_back(offsets.back() +
                          static_cast<std::uint64_t>(schema.elements(tokens[i], target_tokens[i])));
      }
      output.column(layout::value_offsets(schema), offsets);
    }
    h5::Pieces pieces;
    pieces.reserve(sorted.size());
    for (const std::size_t at : sorted) {
      pieces.push_back(blocks_[quantity][at]);
    }
    output.quantity(schema, pieces);
  }
  close_hdf5(std::move(file), path);
  if (image != nullptr) {
    image->save(target);
  }
}

}  // namespace mog::io
