// The places of a dataset's chunks are asked for once. HDF5 1.10 goes through all chunks for each question,
// so that is quadratic in them: .1 s for 2,048, those of a joined shard, and not done beyond. From then on a
// read is one preadv() a chunk for values and checksum together, straight into the result where the whole
// chunk is wanted, else through a buffer that each thread keeps. The checksum is verified on every read.
//
// It never says what is wrong. Whatever is not as it should be (other filters, a chunk that was never
// written, a file that ends early, a sum that does not hold) makes it decline, and the caller goes through
// HDF5, whose message it then is.
//
// Trap: the descriptor is HDF5's own. The map must not outlive the file, and nothing here may move the
// descriptor's position.
#include "io/hdf5/file/hdf5_chunk_map.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "io/hdf5/file/fletcher32.h"

namespace mog::io::h5 {
namespace {

constexpr std::uint64_t kLargestChunk = std::uint64_t{8} << 20;  // of which each thread keeps one in memory
constexpr std::uint64_t kMostChunks = 2048;  // HDF5 1.10 goes through all of them for each it is asked for
constexpr std::size_t kChecksumBytes = sizeof(std::uint32_t);

// The descriptor under a file that is read as it is, else -1.
int descriptor_of(const File& file) {
  const Properties creation(H5Fget_create_plist(file.get()));
  const Properties access(H5Fget_access_plist(file.get()));
  hsize_t user_block = 0;
  void* handle = nullptr;
  if (H5Pget_driver(access.get()) != H5FD_SEC2 || H5Pget_userblock(creation.get(), &user_block) < 0 ||
      user_block != 0 || H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &handle) < 0 || handle == nullptr) {
    return -1;
  }
  return *static_cast<const int*>(handle);
}

bool checksum_only(const Properties& creation) {
  unsigned flags = 0;
  std::size_t none = 0;
  return H5Pget_nfilters(creation.get()) == 1 && H5Pget_filter2(creation.get(), 0, &flags, &none, nullptr, 0,
                                                                nullptr, nullptr) == H5Z_FILTER_FLETCHER32;
}

}  // namespace

std::optional<ChunkMap> ChunkMap::of(const File& file, const Dataset& dataset, std::int64_t element_bytes) {
  const Lock lock;
  const Properties creation(H5Dget_create_plist(dataset.get()));
  const Space space(H5Dget_space(dataset.get()));
  hsize_t chunk = 0;
  if (H5Pget_layout(creation.get()) != H5D_CHUNKED || H5Pget_chunk(creation.get(), 1, &chunk) != 1 ||
      chunk == 0 || !checksum_only(creation)) {
    return std::nullopt;
  }
  ChunkMap map;
  map.descriptor_ = descriptor_of(file);
  map.element_bytes_ = static_cast<std::uint64_t>(element_bytes);
  map.chunk_elements_ = chunk;
  map.elements_ =
      static_cast<std::uint64_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.get())));
  const std::uint64_t chunks = map.elements_ / chunk + (map.elements_ % chunk == 0 ? 0 : 1);
  if (map.descriptor_ < 0 || chunk > kLargestChunk / map.element_bytes_ || chunks > kMostChunks) {
    return std::nullopt;
  }
  for (std::uint64_t i = 0; i < chunks; ++i) {
    const hsize_t first = i * chunk;
    unsigned skipped_filters = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    if (H5Dget_chunk_info_by_coord(dataset.get(), &first, &skipped_filters, &address, &bytes) < 0 ||
        address == HADDR_UNDEF || skipped_filters != 0 ||
        bytes != chunk * map.element_bytes_ + kChecksumBytes) {
      return std::nullopt;
    }
    map.addresses_.push_back(address);
  }
  return map;
}

bool ChunkMap::read(std::uint64_t first, std::uint64_t count, std::byte* to) const {
  if (first > elements_ || count > elements_ - first) {
    return false;
  }
  thread_local std::vector<std::byte> buffer;
  const std::uint64_t end = first + count;
  while (first < end) {
    const std::uint64_t chunk = first / chunk_elements_;
    const std::uint64_t from = first % chunk_elements_;
    const std::uint64_t taken = std::min(chunk_elements_ - from, end - first);
    const bool whole = taken == chunk_elements_;
    if (!whole) {
      buffer.resize(static_cast<std::size_t>(chunk_elements_ * element_bytes_));
    }
    if (!read_chunk(static_cast<std::size_t>(chunk), whole ? to : buffer.data())) {
      return false;
    }
    const auto bytes = static_cast<std::size_t>(taken * element_bytes_);
    if (!whole) {
      std::memcpy(to, buffer.data() + from * element_bytes_, bytes);
    }
    to += bytes;
    first += taken;
  }
  return true;
}

bool ChunkMap::read_chunk(std::size_t chunk, std::byte* bytes) const {
  const auto size = static_cast<std::size_t>(chunk_elements_ * element_bytes_);
  std::uint32_t stored = 0;
  std::array<iovec, 2> places = {iovec{bytes, size}, iovec{&stored, kChecksumBytes}};
  ssize_t got = 0;
  do {
    got = preadv(descriptor_, places.data(), places.size(), static_cast<off_t>(addresses_[chunk]));
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(size + kChecksumBytes) && fletcher32({bytes, size}) == stored;
}

}  // namespace mog::io::h5
