#include "io/hdf5/import/import_frame_format.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "io/recording/errors.h"
#include "io/recording/host_tensor.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

constexpr std::uint64_t kLongestText = std::uint64_t{64} << 20U;
constexpr std::uint64_t kLongestMessage = std::uint64_t{64} << 10U;

class Bytes {
 public:
  template <class T>
  Bytes& add(T value) {
    static_assert(std::is_integral_v<T>);
    const auto bytes = std::as_bytes(std::span(&value, 1));
    all_.insert(all_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Bytes& add(std::string_view text) {
    add(static_cast<std::uint32_t>(text.size()));
    const auto bytes = std::as_bytes(std::span(text));
    all_.insert(all_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  std::span<const std::byte> all() const { return all_; }

 private:
  std::vector<std::byte> all_;
};

}  // namespace

std::uint64_t import_frame_limit(ImportFrame kind) noexcept {
  switch (kind) {
    case ImportFrame::hello:
      return 4;
    case ImportFrame::working:
    case ImportFrame::end:
      return 0;
    case ImportFrame::note:
    case ImportFrame::error:
    case ImportFrame::attribute:
      return kLongestMessage;
    case ImportFrame::plan:
      return 64 + 16 * static_cast<std::uint64_t>(kMostImportSentences);
    case ImportFrame::sentence:
      return 8;
    case ImportFrame::text:
      return kLongestText;
    case ImportFrame::integers:
      return 8 + 8 * static_cast<std::uint64_t>(kMostImportTokens);
    case ImportFrame::array:
      return 16;
    case ImportFrame::data:
      return kLargestData;
  }
  return 0;
}

std::uint32_t import_frame_checksum(std::span<const std::byte> head, std::span<const std::byte> payload) {
  // zlib takes a null pointer for a wish to begin anew.
  const auto add = [](uLong sum, std::span<const std::byte> bytes) {
    return bytes.empty()
               ? sum
               : crc32(sum, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  };
  return static_cast<std::uint32_t>(add(add(0, head), payload));
}

ImportWriter::ImportWriter(Write write) : write_(std::move(write)) {}

void ImportWriter::frame(ImportFrame kind, std::span<const std::byte> payload) {
  std::array<std::byte, kFrameHeaderBytes> head{};
  const auto number = static_cast<std::uint32_t>(kind);
  const std::uint64_t size = payload.size();
  std::memcpy(head.data(), &kImportMagic, 4);
  std::memcpy(head.data() + 4, &number, 4);
  std::memcpy(head.data() + 8, &size, 8);
  const std::uint32_t sum = import_frame_checksum(std::span(head).first(16), payload);
  std::memcpy(head.data() + 16, &sum, 4);
  if (size > import_frame_limit(kind)) {
    throw FormatError(fmt::format("{} bytes of texts or numbers in one place; at most {} are allowed", size,
                                  import_frame_limit(kind)));
  }
  write_(head);
  if (!payload.empty()) {
    write_(payload);
  }
}

void ImportWriter::hello() {
  frame(ImportFrame::hello, Bytes().add(kImportVersion).all());
}

void ImportWriter::note(std::string_view text) {
  frame(ImportFrame::note, Bytes().add(text).all());
}

void ImportWriter::working() {
  frame(ImportFrame::working, {});
}

void ImportWriter::attribute(std::string_view name, std::string_view text) {
  frame(ImportFrame::attribute, Bytes().add(name).add(text).all());
}

void ImportWriter::plan(const ImportPlan& plan) {
  const std::uint32_t flags = (plan.padded ? 1U : 0U) | (plan.graph ? 2U : 0U) |
                              (plan.plain_first ? 4U : 0U) | (plan.gate ? 8U : 0U) |
                              (plan.gate_vectors ? 16U : 0U) | (plan.hidden ? 32U : 0U) |
                              (plan.counted_from_0 ? 64U : 0U);
  Bytes bytes;
  bytes.add(flags).add(plan.layers).add(plan.heads).add(plan.d_model);
  bytes.add(static_cast<std::uint64_t>(plan.sentences.size()));
  for (const ImportSentence& sentence : plan.sentences) {
    bytes.add(sentence.number).add(sentence.tokens);
  }
  frame(ImportFrame::plan, bytes.all());
}

void ImportWriter::sentence(std::int64_t index) {
  frame(ImportFrame::sentence, Bytes().add(index).all());
}

void ImportWriter::text(ImportText which, const std::vector<std::string>& strings) {
  Bytes bytes;
  bytes.add(static_cast<std::uint32_t>(which)).add(static_cast<std::uint64_t>(strings.size()));
  for (const std::string& string : strings) {
    bytes.add(std::string_view(string));
  }
  frame(ImportFrame::text, bytes.all());
}

void ImportWriter::integers(std::span<const std::int64_t> values) {
  Bytes bytes;
  bytes.add(static_cast<std::uint64_t>(values.size()));
  for (const std::int64_t value : values) {
    bytes.add(value);
  }
  frame(ImportFrame::integers, bytes.all());
}

void ImportWriter::array(ImportArray array, std::int64_t layer, ImportType type) {
  frame(
      ImportFrame::array,
      Bytes().add(static_cast<std::uint32_t>(array)).add(layer).add(static_cast<std::uint32_t>(type)).all());
}

void ImportWriter::data(std::span<const std::byte> bytes) {
  frame(ImportFrame::data, bytes);
}

void ImportWriter::end() {
  frame(ImportFrame::end, {});
}

void ImportWriter::error(std::string_view text) {
  std::string sound = replace_invalid_utf8(text.substr(0, kLongestMessage / 4));
  frame(ImportFrame::error, Bytes().add(std::string_view(sound)).all());
}

}  // namespace mog::io
