// Files of weights as bytes, made in memory, and a taker of what is read from them.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/checkpoint/plain_weights.h"
#include "io/text/input_file.h"

namespace mog::test {

// Little-endian.
inline void put(std::string& bytes, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) {
    bytes += i < sizeof(value) ? static_cast<char>(value >> 8 * i & 0xFFU) : char{0};
  }
}
inline std::string little_endian(std::uint64_t value, std::size_t width) {
  std::string bytes;
  put(bytes, value, width);
  return bytes;
}

inline std::uint64_t crc_of(const std::string& data) {
  return ::crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size()));
}

// As zip archives keep it.
inline std::string deflated(const std::string& data) {
  std::string packed(data.size() + 100, '\0');
  z_stream stream = {};
  ::deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

// A sound archive of these entries.
inline std::string zip_of(const std::map<std::string, std::string>& entries, bool deflate = false) {
  std::string bytes;
  std::string directory;
  for (const auto& [name, data] : entries) {
    const std::uint64_t at = bytes.size();
    const std::string packed = deflate ? deflated(data) : data;
    const auto common = [&](std::string& to) {
      put(to, 0, 2);  // flags
      put(to, deflate ? 8 : 0, 2);
      put(to, 0, 4);  // time
      put(to, crc_of(data), 4);
      put(to, packed.size(), 4);
      put(to, data.size(), 4);
      put(to, name.size(), 2);
      put(to, 0, 2);
    };
    put(bytes, 0x04034B50, 4);
    put(bytes, 20, 2);
    common(bytes);
    bytes += name + packed;
    put(directory, 0x02014B50, 4);
    put(directory, 20, 2);
    put(directory, 20, 2);
    common(directory);
    put(directory, 0, 10);
    put(directory, at, 4);
    directory += name;
  }
  const std::uint64_t begin = bytes.size();
  bytes += directory;
  put(bytes, 0x06054B50, 4);
  put(bytes, 0, 4);
  put(bytes, entries.size(), 2);
  put(bytes, entries.size(), 2);
  put(bytes, directory.size(), 4);
  put(bytes, begin, 4);
  put(bytes, 0, 2);
  return bytes;
}

// A file in memory.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("mutant", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  io::InputFile holding(const std::string& bytes) {
    EXPECT_EQ(::ftruncate(descriptor_, 0), 0);
    EXPECT_EQ(::pwrite(descriptor_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    return io::InputFile::of_descriptor(descriptor_, "mutant");
  }

 private:
  int descriptor_;
};

// Keeps what it is given; a tensor must get no more than it announced.
class KeepingSink : public io::WeightsSink {
 public:
  void begin(const io::PlainWeights& weights) override {
    plain = weights;
    values.resize(plain.tensors.size());
  }
  void write(std::size_t tensor, std::uint64_t offset, std::span<const std::byte> bytes) override {
    ASSERT_LT(tensor, plain.tensors.size());
    ASSERT_LE(offset + bytes.size(), plain.tensors[tensor].size_bytes);
    values[tensor].resize(plain.tensors[tensor].size_bytes);
    values[tensor].replace(offset, bytes.size(), reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  // The bytes of a tensor; "" where there is none.
  std::string of(std::string_view name) const {
    for (std::size_t i = 0; i < plain.tensors.size(); ++i) {
      if (plain.tensors[i].name == name) {
        return values[i];
      }
    }
    return "";
  }

  io::PlainWeights plain;
  std::vector<std::string> values;
};

}  // namespace mog::test
