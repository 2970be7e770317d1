// Everything about a shard is checked when it is opened, in an order in which each step rests on the one
// before: superblock, structure of the file, header, sentence table, offsets, datasets. Counts and extents
// are a stranger's: products are taken with an eye on overflow, and nothing is allocated that the size of
// the file does not allow. Tables may not be compressed, since a compressed one can be a thousand times its
// file.
//
// Offsets begin at 0, never fall, and agree with what counts and axes ask for. That makes reading cheap: any
// interval of rows is an interval of bytes, and read() has nothing left to check. Quantities with the same
// axes share their offsets, so a recording of 180 quantities reads a few tables.
//
// Values are read beside HDF5 where the dataset allows it (decision 18: 17 ms a sentence became 4 to 6, and
// threads no longer wait for each other). Whatever does not fit goes through the library, which then says
// what is wrong.
//
// Trap: where the chunks lie is found without holding chunks_mutex_, because that takes the library's lock.
// Two threads may find it at once; the first stays, and pointers into the map stay good.
#include "io/hdf5/recording/shard_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "io/hdf5/check/structure_check.h"
#include "io/hdf5/file/hdf5_attribute.h"
#include "io/hdf5/file/hdf5_error.h"
#include "io/hdf5/file/hdf5_type.h"
#include "io/hdf5/recording/eight_bit_maps.h"
#include "io/hdf5/recording/manifest.h"
#include "io/hdf5/recording/recording_check.h"
#include "io/hdf5/recording/recording_json.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

using layout::RowColumn;
using layout::SentenceColumn;

constexpr std::uint64_t kLongestHeader = std::uint64_t{16} << 20;
constexpr std::int64_t kMostCount = std::int64_t{1} << 31;

constexpr std::uint64_t kTouched = std::uint64_t{4} << 20;  // elements of a piece

std::size_t index(auto value) {
  return static_cast<std::size_t>(value);
}

// Elements of one sentence; nothing when they do not fit 64 bits. Counts and extents are not trusted.
std::optional<std::uint64_t> block_elements(const QuantitySchema& schema, std::int64_t tokens,
                                            std::int64_t targets) {
  std::int64_t product = 1;
  for (const std::int64_t extent : schema.shape(tokens, targets)) {
    if (__builtin_mul_overflow(product, extent, &product)) {
      return std::nullopt;
    }
  }
  return static_cast<std::uint64_t>(product);
}

}  // namespace

OpenedHdf5 open_hdf5(const std::filesystem::path& path) {
  OpenedHdf5 opened;
  check_superblock(path, opened.bytes);
  const h5::Lock lock;
  const h5::Properties access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.get(), false, true);  // shards never change; read-only disks have no locks
#endif
  opened.file = h5::File(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  if (!opened.file) {
    h5::throw_read_failure(path, "", "HDF5 cannot open it: the file is damaged");
  }
  return opened;
}

RootFacts read_root(const h5::File& file, const std::filesystem::path& path) {
  const h5::Lock lock;
  const auto text = [&](const char* name) { return h5::read_text_attribute(file.get(), name, path, "/"); };
  const auto number = [&](const char* name) {
    const auto values = h5::read_int_attribute(file.get(), name, path, "/");
    if (!values || values->size() != 1 || values->front() < 0) {
      h5::throw_format(path, "/", fmt::format("attribute {}: a whole number is missing", name));
    }
    return values->front();
  };
  const auto format = text("format");
  if (format != layout::kFormat) {
    h5::throw_format(
        path, "",
        fmt::format("an HDF5 file, but no recording: the root's attribute \"format\" must be \"{}\"; `mog "
                    "import` takes attention from other programs",
                    layout::kFormat));
  }
  RootFacts facts;
  facts.version = text("format_version").value_or("");
  require_version(facts.version, path);
  facts.kind = text("kind").value_or("");
  if (facts.kind != layout::kKindShard && facts.kind != layout::kKindRecording) {
    h5::throw_format(path, "/",
                     fmt::format("attribute kind: expected \"shard\" or \"recording\", found \"{}\"",
                                 facts.kind.substr(0, 40)));
  }
  facts.part = number("part");
  facts.parts = number("parts");
  facts.sentences = number("sentences");
  return facts;
}

ShardReader::ShardReader(std::filesystem::path path, Checks checks)
    : ShardReader(path, open_hdf5(path), checks) {}

ShardReader::ShardReader(std::filesystem::path path, OpenedHdf5 file, Checks checks)
    : path_(std::move(path)), file_(std::move(file.file)) {
  const h5::Lock lock;
  root_ = read_root(file_, path_);
  if (root_.kind != layout::kKindShard) {
    refuse("", "not a shard but a recording's table of contents");
  }
  if (checks == Checks::all) {
    check_structure(file_, path_, file.bytes);
  }
  read_header();
  read_table();
  read_value_offsets();
  if (checks == Checks::all) {
    check_quantities();
  }
}

std::shared_ptr<const ShardReader> ShardReader::open_checked(const std::filesystem::path& path) {
  check_apart(path, CheckedFiles::shards, {&path, 1});
  return std::make_shared<const ShardReader>(path, Checks::done);
}

void ShardReader::sample() const {
  const std::int64_t rows = table_.size();
  if (rows == 0) {
    return;
  }
  sentence(0);
  for (const QuantitySchema& schema : header_.quantities) {
    const auto& offsets = table_.values.at(layout::offsets_kind(schema));
    for (const std::int64_t row : {std::int64_t{0}, rows - 1}) {
      // A map of a long text may be larger than the memory of who checks.
      const std::uint64_t begin = offsets[index(row)];
      touch(schema, begin, std::min(offsets[index(row) + 1], begin + kTouched));
    }
  }
}

void ShardReader::touch(std::int64_t first, std::int64_t count, const QuantitySchema& schema) const {
  const auto& offsets = table_.values.at(layout::offsets_kind(schema));
  touch(schema, offsets[index(first)], offsets[index(first + count)]);
}

void ShardReader::touch(const QuantitySchema& schema, std::uint64_t begin, std::uint64_t end) const {
  const h5::FlatDataset facts = layout::quantity_column(schema);
  const std::uint64_t elements = table_.values.at(layout::offsets_kind(schema)).back();
  HostTensor piece(schema.dtype, {static_cast<std::int64_t>(std::min(end - begin, kTouched))});
  for (; begin < end; begin += kTouched) {
    read_stored(facts, elements, begin, std::min(end - begin, kTouched), piece.mutable_bytes().data());
  }
}

void ShardReader::refuse(std::string_view object, const std::string& what) const {
  h5::throw_format(path_, object, what);
}

ShardReader::Opened ShardReader::open(const h5::FlatDataset& facts) const {
  if (H5Lexists(file_.get(), facts.path.substr(0, facts.path.rfind('/')).c_str(), H5P_DEFAULT) <= 0 &&
      facts.path.rfind('/') != 0) {
    refuse(facts.path, "is missing");
  }
  if (H5Lexists(file_.get(), facts.path.c_str(), H5P_DEFAULT) <= 0) {
    refuse(facts.path, "is missing");
  }
  Opened opened{h5::Dataset(H5Dopen2(file_.get(), facts.path.c_str(), H5P_DEFAULT)), 0};
  if (!opened.dataset) {
    refuse(facts.path, "is no dataset");
  }
  const h5::Type type(H5Dget_type(opened.dataset.get()));
  const h5::Space space(H5Dget_space(opened.dataset.get()));
  if (h5::dtype_of(type.get()) != facts.dtype) {
    refuse(facts.path,
           fmt::format("expected {}, found {}", name(facts.dtype), h5::describe_type(type.get())));
  }
  if (H5Sget_simple_extent_ndims(space.get()) != 1) {
    refuse(facts.path,
           fmt::format("expected one dimension, found {}", H5Sget_simple_extent_ndims(space.get())));
  }
  opened.elements = static_cast<std::uint64_t>(H5Sget_simple_extent_npoints(space.get()));
  return opened;
}

// Tables are small and read whole: none of them is compressed, so none is larger than the file.
void ShardReader::require_table(const Opened& opened, const h5::FlatDataset& facts,
                                std::uint64_t expected) const {
  const h5::Properties creation(H5Dget_create_plist(opened.dataset.get()));
  for (int i = 0; i < H5Pget_nfilters(creation.get()); ++i) {
    unsigned flags = 0;
    std::size_t none = 0;
    if (H5Pget_filter2(creation.get(), static_cast<unsigned>(i), &flags, &none, nullptr, 0, nullptr,
                       nullptr) == H5Z_FILTER_DEFLATE) {
      refuse(facts.path, "is compressed; only quantities may be");
    }
  }
  if (opened.elements != expected) {
    refuse(facts.path, fmt::format("expected {} elements, found {}", expected, opened.elements));
  }
}

template <class T>
std::vector<T> ShardReader::read_all(const h5::FlatDataset& facts, std::uint64_t expected) const {
  const Opened opened = open(facts);
  require_table(opened, facts, expected);
  std::vector<T> values(static_cast<std::size_t>(expected));
  h5::read_flat(opened.dataset.get(), facts.dtype, 0, expected, values.data(), path_, facts.path);
  return values;
}

// Offsets of all sentences: from 0, never falling.
std::vector<std::uint64_t> ShardReader::read_offsets(const h5::FlatDataset& facts) const {
  std::vector<std::uint64_t> offsets = read_all<std::uint64_t>(facts, table_.number.size() + 1);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if ((i == 0 && offsets[0] != 0) || (i > 0 && offsets[i] < offsets[i - 1])) {
      refuse(facts.path, fmt::format("offset {} is {}: offsets begin at 0 and never fall", i, offsets[i]));
    }
  }
  return offsets;
}

void ShardReader::read_header() {
  const h5::FlatDataset facts{layout::kHeader, DType::uint8, "", "", ""};
  const std::uint64_t bytes = open(facts).elements;
  if (bytes > kLongestHeader) {
    refuse(facts.path, fmt::format("{} bytes; at most 16 MiB are allowed", bytes));
  }
  const std::vector<char> text = read_all<char>(facts, bytes);
  header_ = header_from_json(parse_json({text.data(), text.size()}, path_, layout::kHeader), path_,
                             layout::kHeader);
}

void ShardReader::read_table() {
  const auto count = static_cast<std::uint64_t>(root_.sentences);
  const auto numbers = [&](SentenceColumn which) {
    const h5::FlatDataset facts = layout::column(which);
    std::vector<std::int64_t> values = read_all<std::int64_t>(facts, count);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] < 0 || (which != SentenceColumn::number && values[i] >= kMostCount)) {
        refuse(facts.path, fmt::format("row {} holds {}", i, values[i]));
      }
    }
    return values;
  };
  table_.number = numbers(SentenceColumn::number);
  for (std::size_t i = 0; i < table_.number.size(); ++i) {
    if (table_.number[i] <= (i == 0 ? 0 : table_.number[i - 1])) {
      refuse("/sentences/number",
             fmt::format("row {} holds {}: sentence numbers begin at 1, ascend, and come once", i,
                         table_.number[i]));
    }
  }
  table_.tokens = numbers(SentenceColumn::tokens);
  table_.words = numbers(SentenceColumn::words);
  table_.target_tokens = numbers(SentenceColumn::target_tokens);
  table_.truncated = read_all<std::uint8_t>(layout::column(SentenceColumn::truncated), count);
  const std::array counts = {&table_.tokens, &table_.words, &table_.target_tokens};
  for (const layout::Table which : layout::kTables) {
    const h5::FlatDataset facts = layout::row_offsets(which);
    auto& offsets = table_.rows[index(which)] = read_offsets(facts);
    for (std::size_t i = 0; i < counts[index(which)]->size(); ++i) {
      if (offsets[i + 1] - offsets[i] != static_cast<std::uint64_t>((*counts[index(which)])[i])) {
        refuse(facts.path, fmt::format("sentence {} has {} rows, /sentences says {}", table_.number[i],
                                       offsets[i + 1] - offsets[i], (*counts[index(which)])[i]));
      }
    }
    for (std::size_t i = 0; i < layout::columns_of(which); ++i) {
      const h5::FlatDataset column = layout::column(which, static_cast<RowColumn>(i));
      require_table(open(column), column, offsets.back());
    }
  }
  for (const layout::Text which : layout::kTexts) {
    table_.texts[index(which)] = read_offsets(layout::text_offsets(which));
    require_table(open(layout::text_column(which)), layout::text_column(which),
                  table_.texts[index(which)].back());
  }
}

// Quantities of one kind (axes and extents) share their offsets.
void ShardReader::read_value_offsets() {
  for (const QuantitySchema& schema : header_.quantities) {
    const std::string kind = layout::offsets_kind(schema);
    if (table_.values.contains(kind)) {
      continue;
    }
    const h5::FlatDataset of = layout::value_offsets(schema);
    const std::vector<std::uint64_t> offsets = read_offsets(of);
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      const auto expected = block_elements(schema, table_.tokens[i], table_.target_tokens[i]);
      if (expected != offsets[i + 1] - offsets[i]) {
        refuse(of.path, fmt::format("sentence {} has {} elements; {} tokens need {}", table_.number[i],
                                    offsets[i + 1] - offsets[i], table_.tokens[i],
                                    expected ? std::to_string(*expected) : "more than fit 64 bits"));
      }
    }
    table_.values[kind] = offsets;
  }
}

ShardReader::Opened ShardReader::open_long(const h5::FlatDataset& facts, std::uint64_t elements) const {
  Opened opened = open(facts);
  if (opened.elements != elements) {
    refuse(facts.path, fmt::format("{} elements, but its offsets end at {}", opened.elements, elements));
  }
  return opened;
}

void ShardReader::check_quantities() const {
  for (const QuantitySchema& schema : header_.quantities) {
    const h5::FlatDataset facts = layout::quantity_column(schema);
    const Opened opened = open_long(facts, table_.values.at(layout::offsets_kind(schema)).back());
    const auto axes = h5::read_text_attribute(opened.dataset.get(), "axes", path_, facts.path);
    const auto extents = h5::read_int_attribute(opened.dataset.get(), "extents", path_, facts.path);
    if (axes != facts.axes || extents != schema.extents) {
      refuse(facts.path, fmt::format("its attributes \"axes\" and \"extents\" are not those of /header ({})",
                                     layout::offsets_kind(schema)));
    }
    if (schema.dtype == DType::uint8 &&
        (!fits_eight_bits(schema) || h5::read_double_attribute(opened.dataset.get(), layout::kRootStep, path_,
                                                               facts.path) != kRootStep)) {
      refuse(facts.path,
             fmt::format("8 bits are for attention weights whose roots have steps of 1/255 (attribute {})",
                         layout::kRootStep));
    }
  }
}

const h5::ChunkMap* ShardReader::chunks(const h5::FlatDataset& facts, std::uint64_t elements) const {
  {
    const std::scoped_lock lock(chunks_mutex_);
    if (const auto found = chunks_.find(facts.path); found != chunks_.end()) {
      return found->second ? &*found->second : nullptr;
    }
  }
  std::optional<h5::ChunkMap> map;
  {
    const h5::Lock lock;
    map = h5::ChunkMap::of(file_, open_long(facts, elements).dataset, size_bytes(facts.dtype));
  }
  const std::scoped_lock lock(chunks_mutex_);
  const auto& kept = chunks_.try_emplace(facts.path, std::move(map)).first->second;
  return kept ? &*kept : nullptr;
}

const ShardTexts& ShardReader::texts() const {
  const h5::Lock lock;
  if (!texts_) {
    ShardColumns columns;
    for (const layout::Table which : layout::kTables) {
      for (std::size_t i = 0; i < layout::columns_of(which); ++i) {
        columns.rows[index(which)][i] = read_all<std::int32_t>(
            layout::column(which, static_cast<RowColumn>(i)), table_.rows[index(which)].back());
      }
    }
    for (const layout::Text which : layout::kTexts) {
      columns.texts[index(which)] =
          read_all<char>(layout::text_column(which), table_.texts[index(which)].back());
    }
    texts_.emplace(path_, table_, std::move(columns));
  }
  return *texts_;
}

Sentence ShardReader::sentence(std::int64_t row) const {
  return texts().sentence(row);
}

HostTensor ShardReader::read(std::int64_t first, std::int64_t count, const QuantitySchema& schema) const {
  const auto& offsets = table_.values.at(layout::offsets_kind(schema));
  const std::uint64_t begin = offsets[index(first)];
  const std::uint64_t end = offsets[index(first + count)];
  HostTensor result(schema.dtype, {static_cast<std::int64_t>(end - begin)});
  read_stored(layout::quantity_column(schema), offsets.back(), begin, end - begin,
              result.mutable_bytes().data());
  if (schema.dtype != DType::uint8) {
    return result;
  }
  const auto of_rows = [&](const std::vector<std::int64_t>& column) {
    return std::span(column).subspan(index(first), index(count));
  };
  return decode_maps(result, schema, of_rows(table_.tokens), of_rows(table_.target_tokens));
}

// Keys of neighbouring queries lie side by side: of each map the rows from the first to the last are read
// some at a time, as they are stored, and the keys in question are taken out of them.
HostTensor ShardReader::read_block(std::int64_t row, const QuantitySchema& schema,
                                   const TensorBlock& block) const {
  const std::vector<std::int64_t> shape =
      schema.shape(table_.tokens[index(row)], table_.target_tokens[index(row)]);
  check_block(shape, block);
  if (shape.size() < 2) {
    return cut(read(row, 1, schema).reshaped(shape), block);
  }
  HostTensor result(type_of_values(schema.dtype), block.extents);
  if (result.empty()) {
    return result;
  }
  const h5::FlatDataset facts = layout::quantity_column(schema);
  const auto& offsets = table_.values.at(layout::offsets_kind(schema));
  const std::size_t outer = shape.size() - 2;
  const std::int64_t queries = shape[outer];
  const std::int64_t keys = shape[outer + 1];
  const std::int64_t rows = block.extents[outer];
  constexpr std::int64_t kAtOnce = std::int64_t{4} << 20;  // bytes
  const std::int64_t step = std::max<std::int64_t>(1, kAtOnce / (keys * size_bytes(schema.dtype)));
  const TensorBlock columns{{0, block.first[outer + 1]}, {0, block.extents[outer + 1]}};
  std::byte* to = result.mutable_bytes().data();
  const std::int64_t planes = result.size() / (rows * block.extents[outer + 1]);
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    // Which of the maps it is, by the places of `plane` along the outer axes.
    std::int64_t map = 0;
    std::int64_t left = planes;
    std::int64_t rest = plane;
    for (std::size_t axis = 0; axis < outer; ++axis) {
      left /= block.extents[axis];
      map = map * shape[axis] + block.first[axis] + rest / left;
      rest %= left;
    }
    for (std::int64_t done = 0; done < rows; done += step) {
      const std::int64_t count = std::min(step, rows - done);
      HostTensor strip(schema.dtype, {count, keys});
      const std::int64_t first = (map * queries + block.first[outer] + done) * keys;
      read_stored(facts, offsets.back(), offsets[index(row)] + static_cast<std::uint64_t>(first),
                  static_cast<std::uint64_t>(count * keys), strip.mutable_bytes().data());
      TensorBlock part = columns;
      part.extents.front() = count;
      const HostTensor piece = cut(schema.dtype == DType::uint8 ? decode_rows(strip, keys) : strip, part);
      std::memcpy(to, piece.bytes().data(), piece.bytes().size());
      to += piece.bytes().size();
    }
  }
  return result;
}

void ShardReader::read_stored(const h5::FlatDataset& facts, std::uint64_t elements, std::uint64_t first,
                              std::uint64_t count, std::byte* to) const {
  const h5::ChunkMap* const map = chunks(facts, elements);
  if (map == nullptr || !map->read(first, count, to)) {
    const h5::Lock lock;
    const Opened opened = open_long(facts, elements);
    h5::read_flat(opened.dataset.get(), facts.dtype, first, count, to, path_, facts.path);
  }
}

}  // namespace mog::io
