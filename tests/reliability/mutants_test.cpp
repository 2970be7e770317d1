// A sound shard with some bytes changed is refused or read; it never brings the program down, never hangs,
// never takes memory that the file only claims. Half of the mutants have their checksums put right, so that
// HDF5 goes on to believe them.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "io/hdf5/recording/recording_reader.h"
#include "io/hdf5/recording/recording_writer.h"
#include "tests/unit/hdf5/child.h"
#include "tests/unit/hdf5/samples.h"

namespace mog::io {
namespace {

using Bytes = std::vector<unsigned char>;

// The checksum of HDF5's metadata: Bob Jenkins' lookup3 (public domain), hashlittle with 0.
std::uint32_t lookup3(const unsigned char* key, std::size_t length) {
  const auto rotate = [](std::uint32_t x, int k) { return (x << k) | (x >> (32 - k)); };
  std::uint32_t a = 0xdeadbeefU + static_cast<std::uint32_t>(length);
  std::uint32_t b = a;
  std::uint32_t c = a;
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4 && at + i < length; ++i) {
      value |= std::uint32_t{key[at + i]} << (8 * i);
    }
    return value;
  };
  std::size_t at = 0;
  for (; length - at > 12; at += 12) {
    a += word(at), b += word(at + 4), c += word(at + 8);
    a -= c, a ^= rotate(c, 4), c += b;
    b -= a, b ^= rotate(a, 6), a += c;
    c -= b, c ^= rotate(b, 8), b += a;
    a -= c, a ^= rotate(c, 16), c += b;
    b -= a, b ^= rotate(a, 19), a += c;
    c -= b, c ^= rotate(b, 4), b += a;
  }
  if (length == at) {
    return c;
  }
  a += word(at), b += word(at + 4), c += word(at + 8);
  c ^= b, c -= rotate(b, 14);
  a ^= c, a -= rotate(c, 11);
  b ^= a, b -= rotate(a, 25);
  c ^= b, c -= rotate(b, 16);
  a ^= c, a -= rotate(c, 4);
  b ^= a, b -= rotate(a, 14);
  c ^= b, c -= rotate(b, 24);
  return c;
}

void put_checksum(Bytes& file, std::size_t begin, std::size_t size) {
  if (begin + size + 4 <= file.size()) {
    const std::uint32_t sum = lookup3(file.data() + begin, size);
    std::memcpy(file.data() + begin + size, &sum, 4);
  }
}

// Blocks of metadata with a checksum behind them, as the sound file has them: [begin, size).
std::vector<std::pair<std::size_t, std::size_t>> metadata_blocks(const Bytes& file) {
  std::vector<std::pair<std::size_t, std::size_t>> blocks = {{0, 44}};
  for (std::size_t at = 48; at + 16 < file.size(); ++at) {
    if (std::memcmp(file.data() + at, "OHDR\x02", 5) != 0) {
      continue;
    }
    const unsigned flags = file[at + 5];
    const std::size_t head = 6 + ((flags & 0x20U) != 0 ? 16U : 0U) + ((flags & 0x10U) != 0 ? 4U : 0U);
    const std::size_t width = std::size_t{1} << (flags & 3U);
    std::size_t size = 0;
    std::memcpy(&size, file.data() + at + head, width);
    blocks.emplace_back(at, head + width + size);
  }
  return blocks;
}

Bytes mutate(const Bytes& sound, const std::vector<std::pair<std::size_t, std::size_t>>& blocks,
             unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  Bytes file = sound;
  const bool repair = seed % 2 == 0;
  const auto [begin, size] = blocks[below(blocks.size())];
  const std::size_t changes = 1 + below(3);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t at = repair ? begin + below(size) : below(file.size());
    switch (below(4)) {
      case 0:
        file[at] = static_cast<unsigned char>(file[at] ^ (1U << below(8)));
        break;
      case 1:
        file[at] = static_cast<unsigned char>(below(256));
        break;
      case 2:
        std::memset(file.data() + at, 0xFF, std::min<std::size_t>(below(8) + 1, file.size() - at));
        break;
      default:
        std::memset(file.data() + at, 0, std::min<std::size_t>(below(8) + 1, file.size() - at));
    }
  }
  if (repair) {
    put_checksum(file, begin, size);
  } else if (seed % 16 == 1) {
    file.resize(below(file.size()));
  }
  return file;
}

Bytes bytes_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write_bytes(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void record_small(const std::filesystem::path& path, int deflate_level) {
  RecordingHeader header = test::sample_header();
  std::erase_if(header.quantities, [](const QuantitySchema& entry) { return entry.name.layer() == 2; });
  RecordingWriter writer(path, {.deflate_level = deflate_level});
  writer.begin(header);
  writer.write(test::sample_batch(header, {1, 2, 3, 4, 5, 6, 7, 8}));
  writer.finish();
}

// Opens mutant after mutant in children; a child that ends badly names its mutant through shared memory.
void run_mutants(const std::filesystem::path& file, const std::filesystem::path& opened, unsigned count) {
  const Bytes sound = bytes_of(file);
  const auto blocks = metadata_blocks(sound);
  ASSERT_GT(blocks.size(), 30U);
  for (const auto& [begin, size] : blocks) {
    Bytes same = sound;
    put_checksum(same, begin, size);
    ASSERT_EQ(same, sound) << "the checksum of the block at " << begin << " is not what HDF5 wrote";
  }
  void* const shared =
      ::mmap(nullptr, sizeof(unsigned) * 2, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* const state = static_cast<volatile unsigned*>(shared);
  state[0] = 0;
  state[1] = 0;
  count = test::kSanitized ? count / 8 : count;  // forking is slow there
  unsigned bad = 0;
  while (state[0] < count && bad < 10) {
    const unsigned start = state[0];
    const unsigned end = std::min(count, start + 100);
    const test::Ending ending = test::run_in_child(
        [&] {
          for (unsigned seed = start; seed < end; ++seed) {
            state[0] = seed + 1;
            write_bytes(file, mutate(sound, blocks, seed));
            try {
              const RecordingReader reader(opened);
              reader.validate();
            } catch (const Error&) {
              state[1] = state[1] + 1;
            }
          }
        },
        60);
    if (ending.exit_code != 0) {
      ++bad;
      ADD_FAILURE() << "mutant " << state[0] - 1 << ": signal " << ending.signal << ", exit "
                    << ending.exit_code << ' ' << ending.message;
    }
  }
  write_bytes(file, sound);
  EXPECT_GT(state[1], count / 2) << "most mutants are refused";
  ::munmap(shared, sizeof(unsigned) * 2);
}

TEST(Mutants, OfAShardNeverBringTheReaderDown) {
  const test::TemporaryDirectory directory;
  record_small(directory / "rec", 0);
  run_mutants(directory / "rec/shard-00001.h5", directory / "rec/shard-00001.h5", 800);
}

TEST(Mutants, OfACompressedShardNeverBringTheReaderDown) {
  const test::TemporaryDirectory directory;
  record_small(directory / "rec", 6);
  run_mutants(directory / "rec/shard-00001.h5", directory / "rec", 300);
}

TEST(Mutants, OfTheVirtualFileNeverBringTheReaderDown) {
  const test::TemporaryDirectory directory;
  record_small(directory / "rec", 0);
  run_mutants(directory / "rec/recording.h5", directory / "rec/recording.h5", 300);
}

}  // namespace
}  // namespace mog::io
