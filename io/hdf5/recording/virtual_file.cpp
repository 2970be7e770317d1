// The datasets of all shards look like one: virtual datasets of HDF5 name file and range. Only offsets are
// written anew, since those of a shard begin at 0. O(shards · datasets) blocks and O(sentences) offsets for
// each kind of quantity; no value is read.
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

struct Whole {
  std::vector<h5::SourceBlock> sentences;
  std::array<Joined, 3> rows;
  std::array<Joined, 4> texts;
  std::map<std::string, Joined> values;
  std::int64_t size = 0;
};

Whole join(const std::filesystem::path& directory, const std::vector<std::string>& shards,
           std::size_t found) {
  Whole whole;
  for (std::size_t at = 0; at < shards.size(); ++at) {
    const std::string& name = shards[at];
    const auto shard = at < found ? ShardReader::open_checked(directory / name)
                                  : std::make_shared<const ShardReader>(directory / name);
    const ShardTable& table = shard->table();
    whole.size += table.size();
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

void write_datasets(hid_t file, const Whole& whole, const RecordingHeader& header,
                    const std::filesystem::path& path) {
  const auto offsets = [&](const h5::FlatDataset& facts, const Joined& joined) {
    h5::write_flat(file, facts, {h5::bytes_of(joined.offsets)}, 0, path);
  };
  for (std::size_t i = 0; i < layout::kSentenceColumns; ++i) {
    h5::write_virtual(file, layout::column(static_cast<layout::SentenceColumn>(i)), whole.sentences, path);
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

// Upper bound of the size of recording.h5: offsets, and a name and a place a virtual block.
std::uint64_t file_bytes(const Whole& whole, const RecordingHeader& header) {
  constexpr std::uint64_t kBlockBytes = 200;
  const std::uint64_t offsets = (whole.rows.size() + whole.texts.size() + whole.values.size()) * 8 *
                                (static_cast<std::uint64_t>(whole.size) + 1);
  return 3 * shard_overhead_bytes(header) + offsets +
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
    write_datasets(file.get(), whole, header, path);
    close_hdf5(std::move(file), path);
  }
  std::string sum = unfinished.sha256();
  unfinished.publish();
  return sum;
}

}  // namespace mog::io
