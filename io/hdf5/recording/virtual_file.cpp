// The datasets of all shards look like one: virtual datasets of HDF5 name file and range. Only offsets are
// written anew, since those of a shard begin at 0. O(shards · datasets) blocks and O(sentences) offsets for
// each kind of quantity; no value is read.
//
// Of more than kMostSources shards nothing is virtual. HDF5 opens every source of a dataset that is read
// whole, and parses all their names when one value is wanted: with a thousand shards that is seconds, and
// more files than a process may have open. Then the file holds the table of the sentences, and where each
// lies; what reads it opens that shard.
//
// Shards that were found on the disk, of an earlier run, are strangers' files and are opened through
// mog-loader; those of this run are not.
//
// Trap: the estimate of the size (file_bytes) is reserved before HDF5 writes, because HDF5 fails badly on a
// full disk. It must stay an upper bound when datasets are added.
#include "io/hdf5/recording/virtual_file.h"

#include <map>
#include <set>

#include "io/hdf5/file/durable_file.h"
#include "io/hdf5/recording/recording_layout.h"
#include "io/hdf5/recording/shard_buffer.h"
#include "io/hdf5/recording/shard_reader.h"

namespace mog::io {
namespace {

using layout::SentenceColumn;

// Offsets of one dataset over all shards, and how much each shard has of it.
struct Joined {
  std::vector<std::uint64_t> offsets{0};
  std::vector<h5::SourceBlock> blocks;

  void add(const std::string& shard, const std::vector<std::uint64_t>& more) {
    const std::uint64_t base = offsets.back();
    for (std::size_t i = 1; i < more.size(); ++i) {
      offsets.push_back(base + more[i]);
    }
    blocks.push_back({shard, more.back()});
  }
};

// The table of the sentences, as far as it is stored here.
struct Sentences {
  std::array<std::vector<std::int64_t>, 4> counts;  // number, tokens, words, target_tokens
  std::vector<std::uint8_t> truncated;
  std::vector<std::int64_t> shard;
  std::vector<std::int64_t> row;

  void add_places(const std::string& name, std::int64_t rows) {
    for (std::int64_t at = 0; at < rows; ++at) {
      shard.push_back(layout::shard_index(name));
      row.push_back(at);
    }
  }
  void add_columns(const ShardTable& table) {
    const std::array columns = {&table.number, &table.tokens, &table.words, &table.target_tokens};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      counts[i].insert(counts[i].end(), columns[i]->begin(), columns[i]->end());
    }
    truncated.insert(truncated.end(), table.truncated.begin(), table.truncated.end());
  }
};

struct Whole {
  bool is_virtual = true;
  Sentences stored;
  std::vector<h5::SourceBlock> sentences;
  std::array<Joined, 3> rows;
  std::array<Joined, 4> texts;
  std::map<std::string, Joined> values;
  std::int64_t size = 0;
};

Whole join(const std::filesystem::path& directory, const std::vector<std::string>& shards,
           std::size_t found) {
  Whole whole;
  whole.is_virtual = shards.size() <= kMostSources;
  for (std::size_t at = 0; at < shards.size(); ++at) {
    const std::string& name = shards[at];
    const auto shard = at < found ? ShardReader::open_checked(directory / name)
                                  : std::make_shared<const ShardReader>(directory / name);
    const ShardTable& table = shard->table();
    whole.size += table.size();
    whole.stored.add_places(name, table.size());
    if (!whole.is_virtual) {
      whole.stored.add_columns(table);
      continue;
    }
    whole.sentences.push_back({name, table.number.size()});
    for (std::size_t i = 0; i < whole.rows.size(); ++i) {
      whole.rows[i].add(name, table.rows[i]);
    }
    for (std::size_t i = 0; i < whole.texts.size(); ++i) {
      whole.texts[i].add(name, table.texts[i]);
    }
    for (const auto& [kind, offsets] : table.values) {
      whole.values[kind].add(name, offsets);
    }
  }
  return whole;
}

// Stored, not virtual.
void write_sentences(hid_t file, const Whole& whole, const std::filesystem::path& path) {
  const auto write = [&](SentenceColumn which, const auto& values) {
    h5::write_flat(file, layout::column(which), {h5::bytes_of(values)}, 0, path);
  };
  if (!whole.is_virtual) {
    for (std::size_t i = 0; i < whole.stored.counts.size(); ++i) {
      write(static_cast<SentenceColumn>(i), whole.stored.counts[i]);
    }
    write(SentenceColumn::truncated, whole.stored.truncated);
  }
  write(SentenceColumn::shard, whole.stored.shard);
  write(SentenceColumn::row, whole.stored.row);
}

void write_virtual_datasets(hid_t file, const Whole& whole, const RecordingHeader& header,
                            const std::filesystem::path& path) {
  const auto offsets = [&](const h5::FlatDataset& facts, const Joined& joined) {
    h5::write_flat(file, facts, {h5::bytes_of(joined.offsets)}, 0, path);
  };
  for (std::size_t i = 0; i < layout::kSentenceColumns; ++i) {
    h5::write_virtual(file, layout::column(static_cast<SentenceColumn>(i)), whole.sentences, path);
  }
  for (const layout::Table table : layout::kTables) {
    const Joined& rows = whole.rows[static_cast<std::size_t>(table)];
    for (std::size_t i = 0; i < layout::columns_of(table); ++i) {
      h5::write_virtual(file, layout::column(table, static_cast<layout::RowColumn>(i)), rows.blocks, path);
    }
    offsets(layout::row_offsets(table), rows);
  }
  for (const layout::Text text : layout::kTexts) {
    const Joined& bytes = whole.texts[static_cast<std::size_t>(text)];
    h5::write_virtual(file, layout::text_column(text), bytes.blocks, path);
    offsets(layout::text_offsets(text), bytes);
  }
  std::set<std::string> kinds;
  for (const QuantitySchema& schema : header.quantities) {
    const std::string kind = layout::offsets_kind(schema);
    const auto found = whole.values.find(kind);
    static const Joined kNone;
    const Joined& values = found == whole.values.end() ? kNone : found->second;
    if (kinds.insert(kind).second) {
      offsets(layout::value_offsets(schema), values);
    }
    const h5::Dataset dataset = h5::write_virtual(file, layout::quantity_column(schema), values.blocks, path);
    write_quantity_attributes(dataset.get(), schema, path);
  }
}

// Upper bound of the size of recording.h5: places, offsets, and a name and a place a virtual block; or the
// table of the sentences.
std::uint64_t file_bytes(const Whole& whole, const RecordingHeader& header) {
  constexpr std::uint64_t kBlockBytes = 200;
  constexpr std::uint64_t kPlaceBytes = 16;
  constexpr std::uint64_t kRowBytes = 33 + kPlaceBytes;
  const auto sentences = static_cast<std::uint64_t>(whole.size);
  if (!whole.is_virtual) {
    return 3 * shard_overhead_bytes(header) + (kRowBytes + 1) * sentences;  // checksums
  }
  const std::uint64_t offsets =
      (whole.rows.size() + whole.texts.size() + whole.values.size()) * 8 * (sentences + 1);
  return 3 * shard_overhead_bytes(header) + offsets + (kPlaceBytes + 1) * sentences +
         kBlockBytes * whole.sentences.size() * (25 + header.quantities.size());
}

}  // namespace

std::string write_virtual_file(const std::filesystem::path& directory, const std::vector<std::string>& shards,
                               std::size_t found, const RecordingHeader& header, std::int64_t part,
                               std::int64_t parts) {
  const Whole whole = join(directory, shards, found);
  const std::filesystem::path path = directory / layout::kVirtualFile;
  PartFile unfinished(path);
  unfinished.reserve(file_bytes(whole, header));
  {
    const h5::WriteScope scope;
    h5::File file = create_hdf5(unfinished);
    write_root(file.get(), header, layout::kKindRecording, part, parts, whole.size, path);
    write_frame(file.get(), header, path);
    write_sentences(file.get(), whole, path);
    if (whole.is_virtual) {
      write_virtual_datasets(file.get(), whole, header, path);
    }
    close_hdf5(std::move(file), path);
  }
  std::string sum = unfinished.sha256();
  unfinished.publish();
  return sum;
}

}  // namespace mog::io
