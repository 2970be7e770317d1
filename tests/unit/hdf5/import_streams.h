// Frames between mog-loader and mog, made in memory, sound and damaged.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "io/hdf5/import/import_frame.h"
#include "io/recording/errors.h"

namespace mog::io {

using Bytes = std::vector<std::byte>;

inline ImportPlan small_plan() {
  ImportPlan plan;
  plan.layers = 2;
  plan.heads = 1;
  plan.sentences = {{3, 2, "/3"}, {8, 1, "/8"}};
  return plan;
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

inline void write_sentence(ImportWriter& out, const ImportPlan& plan, std::int64_t index) {
  const std::int64_t tokens = plan.sentences.at(static_cast<std::size_t>(index)).tokens;
  out.sentence(index);
  out.text(ImportText::tokens, std::vector<std::string>(static_cast<std::size_t>(tokens), "wört"));
  out.working();
  for (std::int64_t layer = 1; layer <= plan.layers; ++layer) {
    out.array(ImportArray::attention, layer, ImportType::float32);
    const std::vector<float> row(static_cast<std::size_t>(tokens), 1.0F / static_cast<float>(tokens));
    for (std::int64_t query = 0; query < tokens; ++query) {
      out.data(bytes_of(row));  // any number of frames
    }
  }
}

// What `write` sends.
template <class Write>
Bytes stream_of(Write write) {
  Bytes all;
  ImportWriter out(
      [&](std::span<const std::byte> bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); });
  write(out);
  return all;
}

inline Bytes sound_stream() {
  return stream_of([](ImportWriter& out) {
    const ImportPlan plan = small_plan();
    out.hello();
    out.note("a note");
    out.attribute("model", "toy");
    out.plan(plan);
    write_sentence(out, plan, 0);
    write_sentence(out, plan, 1);
    out.end();
  });
}

// Gives these bytes, at most so many at once. They outlive it.
inline auto reading(const Bytes& bytes, std::size_t at_once = Bytes().max_size()) {
  return [&bytes, at_once, at = std::size_t{0}](std::span<std::byte> into) mutable {
    const std::size_t count = std::min({into.size(), bytes.size() - at, at_once});
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, into.begin());
    at += count;
    return count;
  };
}

// Sentences that came whole; throws what the stream throws.
inline std::vector<std::int64_t> read_all(const Bytes& bytes, std::size_t at_once = 7) {
  ImportStream stream(reading(bytes, at_once), "maps.h5");
  stream.begin();
  std::vector<std::int64_t> numbers;
  while (const auto sentence = stream.next_sentence()) {
    while (stream.next_array()) {
      while (!stream.next_values().empty()) {
      }
    }
    numbers.push_back(stream.plan().sentences.at(static_cast<std::size_t>(sentence->index)).number);
  }
  return numbers;
}

inline std::string refusal(const Bytes& bytes) {
  try {
    read_all(bytes);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

// Puts the checksum of the frame at `at` right.
inline void sign(Bytes& bytes, std::size_t at) {
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data() + at + 8, 8);
  const auto* const data = reinterpret_cast<const Bytef*>(bytes.data());
  uLong sum = crc32(0, data + at, 16);
  sum = crc32(sum, data + at + kFrameHeaderBytes, static_cast<uInt>(size));
  const auto value = static_cast<std::uint32_t>(sum);
  std::memcpy(bytes.data() + at + 16, &value, 4);
}

}  // namespace mog::io
