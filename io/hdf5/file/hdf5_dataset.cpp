// All elements are known when a dataset is made, so chunks are equally full (chunk_elements) and none is
// half empty. Without compression they are written as HDF5 would store them, checksum included, by
// H5Dwrite_chunk: three copies less of every byte (decision 8). With compression they go through the
// filters.
//
// The library's lock is taken chunk by chunk: one writer and several readers share the library, and
// compressing a large dataset in one piece would hold them up.
//
// Readers refuse what unpacks to more than a thousand times its bytes, as an attack. Constant values come
// near that, so a dataset that shrank by more than 500 is written again without compression.
//
// Trap: a virtual dataset fills with NaN what a missing shard leaves behind. Zeros would look like
// measurements.
#include "io/hdf5/file/hdf5_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "io/hdf5/file/fletcher32.h"
#include "io/hdf5/file/hdf5_attribute.h"
#include "io/hdf5/file/hdf5_error.h"
#include "io/hdf5/file/hdf5_type.h"

namespace mog::io::h5 {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{512} << 10;
constexpr unsigned kCompactAttributes = 64;  // attributes and links stay in the object header
constexpr unsigned kCompactLinks = 60000;

// Properties of any dataset of ours: no times, attributes in the header.
Properties dataset_properties() {
  Properties properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(properties.get(), false);
  H5Pset_attr_phase_change(properties.get(), kCompactAttributes, kCompactAttributes);
  return properties;
}

void write_facts(const Dataset& dataset, const FlatDataset& facts, const std::filesystem::path& file) {
  write_attribute(dataset.get(), "axes", facts.axes, file);
  write_attribute(dataset.get(), "units", facts.units, file);
  write_attribute(dataset.get(), "description", facts.description, file);
}

class PieceReader final : public ByteSource {
 public:
  explicit PieceReader(const Pieces& pieces) : pieces_(pieces) {}
  std::uint64_t size_bytes() const override {
    std::uint64_t bytes = 0;
    for (const auto& piece : pieces_) {
      bytes += piece.size();
    }
    return bytes;
  }
  void rewind() override { at_ = used_ = 0; }
  void read(std::byte* to, std::size_t bytes) override {
    while (bytes > 0) {
      const auto piece = pieces_[at_].subspan(used_);
      const std::size_t count = std::min(bytes, piece.size());
      if (count > 0) {
        std::memcpy(to, piece.data(), count);
      }
      to += count;
      bytes -= count;
      used_ += count;
      if (used_ == pieces_[at_].size()) {
        ++at_;
        used_ = 0;
      }
    }
  }

 private:
  const Pieces& pieces_;
  std::size_t at_ = 0;
  std::size_t used_ = 0;
};

Dataset create(hid_t file_id, const FlatDataset& facts, const Type& type, std::uint64_t elements,
               const Properties& properties, const std::filesystem::path& file) {
  const hsize_t dims = elements;
  const Space space(H5Screate_simple(1, &dims, nullptr));
  Dataset dataset(H5Dcreate2(file_id, facts.path.c_str(), type.get(), space.get(), H5P_DEFAULT,
                             properties.get(), H5P_DEFAULT));
  if (!dataset) {
    throw_write_failure(file, facts.path);
  }
  return dataset;
}

// Copies whole chunks through HDF5's filters.
void write_filtered(const Dataset& dataset, const FlatDataset& facts, const Type& type, ByteSource& source,
                    std::uint64_t elements, std::uint64_t chunk, const std::filesystem::path& file) {
  const auto size = static_cast<std::uint64_t>(size_bytes(facts.dtype));
  std::vector<std::byte> buffer(static_cast<std::size_t>(chunk * size));
  for (std::uint64_t first = 0; first < elements; first += chunk) {
    const hsize_t start = first;
    const hsize_t count = std::min(chunk, elements - first);
    source.read(buffer.data(), static_cast<std::size_t>(count * size));
    const Lock lock;  // taken a chunk at a time, so that readers get their turn
    const Space in_memory(H5Screate_simple(1, &count, nullptr));
    const Space in_file(H5Dget_space(dataset.get()));
    if (H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr) < 0 ||
        H5Dwrite(dataset.get(), type.get(), in_memory.get(), in_file.get(), H5P_DEFAULT, buffer.data()) < 0) {
      throw_write_failure(file, facts.path);
    }
  }
}

// Whole chunks with their checksums, as HDF5 stores them: saves three copies of every byte.
void write_raw(const Dataset& dataset, const FlatDataset& facts, ByteSource& source, std::uint64_t elements,
               std::uint64_t chunk, const std::filesystem::path& file) {
  const auto size = static_cast<std::uint64_t>(size_bytes(facts.dtype));
  const auto bytes = static_cast<std::size_t>(chunk * size);
  std::vector<std::byte> buffer(bytes + sizeof(std::uint32_t));
  for (std::uint64_t first = 0; first < elements; first += chunk) {
    const hsize_t start = first;
    const auto filled = static_cast<std::size_t>(std::min(chunk, elements - first) * size);
    source.read(buffer.data(), filled);
    std::memset(buffer.data() + filled, 0, bytes - filled);
    const std::uint32_t checksum = fletcher32(std::span(buffer).first(bytes));
    std::memcpy(buffer.data() + bytes, &checksum, sizeof(checksum));
    const Lock lock;
    if (H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, &start, buffer.size(), buffer.data()) < 0) {
      throw_write_failure(file, facts.path);
    }
  }
}

// Readers take more than 1000:1 for an attack. Constant values come near it.
bool shrinks_too_well(const Dataset& dataset, std::uint64_t bytes) {
  const Lock lock;
  return H5Dflush(dataset.get()) < 0 || bytes / 500 > H5Dget_storage_size(dataset.get());
}

}  // namespace

std::uint64_t chunk_elements(std::uint64_t elements, std::int64_t element_bytes) {
  const std::uint64_t most = kChunkBytes / static_cast<std::uint64_t>(element_bytes);
  const std::uint64_t chunks = std::max<std::uint64_t>(1, (elements + most - 1) / most);
  return std::max<std::uint64_t>(1, (elements + chunks - 1) / chunks);
}

Group create_group(hid_t parent, const char* path, std::string_view description,
                   const std::filesystem::path& file) {
  const Lock lock;
  const Properties properties(H5Pcreate(H5P_GROUP_CREATE));
  H5Pset_link_phase_change(properties.get(), kCompactLinks, kCompactLinks);
  H5Pset_obj_track_times(properties.get(), false);
  Group group(H5Gcreate2(parent, path, H5P_DEFAULT, properties.get(), H5P_DEFAULT));
  if (!group) {
    throw_write_failure(file, path);
  }
  write_attribute(group.get(), "description", description, file);
  return group;
}

Dataset write_flat(hid_t file_id, const FlatDataset& facts, const Pieces& pieces, int deflate_level,
                   const std::filesystem::path& file) {
  PieceReader source(pieces);
  return write_flat(file_id, facts, source, deflate_level, file);
}

Dataset write_flat(hid_t file_id, const FlatDataset& facts, ByteSource& source, int deflate_level,
                   const std::filesystem::path& file) {
  const std::uint64_t bytes = source.size_bytes();
  const std::uint64_t elements = bytes / static_cast<std::uint64_t>(size_bytes(facts.dtype));
  const std::uint64_t chunk = chunk_elements(elements, size_bytes(facts.dtype));
  Dataset dataset;
  Type type;
  {
    const Lock lock;
    type = type_of(facts.dtype);
    const Properties properties = dataset_properties();
    if (elements > 0) {
      const hsize_t chunk_dims = chunk;
      H5Pset_chunk(properties.get(), 1, &chunk_dims);
      H5Pset_fill_time(properties.get(), H5D_FILL_TIME_NEVER);
      if (deflate_level > 0) {
        H5Pset_shuffle(properties.get());
        H5Pset_deflate(properties.get(), static_cast<unsigned>(deflate_level));
      }
      H5Pset_fletcher32(properties.get());
    }
    dataset = create(file_id, facts, type, elements, properties, file);
    write_facts(dataset, facts, file);
  }
  if (deflate_level > 0) {
    write_filtered(dataset, facts, type, source, elements, chunk, file);
  } else {
    write_raw(dataset, facts, source, elements, chunk, file);
  }
  if (deflate_level > 0 && elements > 0 && shrinks_too_well(dataset, bytes)) {
    const Lock lock;
    dataset = Dataset();
    if (H5Ldelete(file_id, facts.path.c_str(), H5P_DEFAULT) < 0) {
      throw_write_failure(file, facts.path);
    }
    source.rewind();
    return write_flat(file_id, facts, source, 0, file);
  }
  return dataset;
}

Dataset write_virtual(hid_t file_id, const FlatDataset& facts, const std::vector<SourceBlock>& blocks,
                      const std::filesystem::path& file) {
  const Lock lock;
  std::uint64_t elements = 0;
  for (const SourceBlock& block : blocks) {
    elements += block.elements;
  }
  const Type type = type_of(facts.dtype);
  const Properties properties = dataset_properties();
  const hsize_t dims = elements;
  const Space all(H5Screate_simple(1, &dims, nullptr));
  if (facts.dtype == DType::float16 || facts.dtype == DType::float32) {
    // What a lost shard leaves behind reads as NaN, not as zeros.
    const std::uint32_t nan = facts.dtype == DType::float16 ? 0x7E00U : 0x7FC00000U;
    H5Pset_fill_value(properties.get(), type.get(), &nan);
  }
  std::uint64_t at = 0;
  for (const SourceBlock& block : blocks) {
    if (block.elements == 0) {
      continue;
    }
    const hsize_t start = at;
    const hsize_t count = block.elements;
    const Space source(H5Screate_simple(1, &count, nullptr));
    if (H5Sselect_hyperslab(all.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr) < 0 ||
        H5Pset_virtual(properties.get(), all.get(), block.file.c_str(), facts.path.c_str(), source.get()) <
            0) {
      throw_write_failure(file, facts.path);
    }
    at += block.elements;
  }
  Dataset dataset = create(file_id, facts, type, elements, properties, file);
  write_facts(dataset, facts, file);
  return dataset;
}

void read_flat(hid_t dataset, DType dtype, std::uint64_t first, std::uint64_t count, void* to,
               const std::filesystem::path& file, std::string_view path) {
  if (count == 0) {
    return;
  }
  const Lock lock;
  const Type type = type_of(dtype);
  const hsize_t start = first;
  const hsize_t size = count;
  const Space in_memory(H5Screate_simple(1, &size, nullptr));
  const Space in_file(H5Dget_space(dataset));
  if (!in_memory || !in_file ||
      H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, &start, nullptr, &size, nullptr) < 0 ||
      H5Dread(dataset, type.get(), in_memory.get(), in_file.get(), H5P_DEFAULT, to) < 0) {
    throw_read_failure(file, path, "the values cannot be read: the file is damaged there");
  }
}

}  // namespace mog::io::h5
