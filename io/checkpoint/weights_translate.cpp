// Which format a file has is told by its content; names lie. The order of the tests is from the surest to
// the least: signatures first, CTranslate2, which has none, last, by a plausible version and length of a
// name.
//
// All formats leave as the same thing, a list of tensors and then their bytes in blocks, and all are held to
// one limit: at most four times the file and 64 MiB (a compressed archive may be that much larger; of GGUF,
// whose values of four bits become float32, eight times), so that a small file cannot ask for the memory of
// the machine. Blocks are looked at for NaN on their way.
//
// Trap: holes of a sparse file are passed over without being read. What is not written is zero on the other
// side, too.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "io/checkpoint/plain_weights.h"
#include "io/checkpoint/printable.h"
#include "io/checkpoint/safetensors_header.h"
#include "io/checkpoint/sentencepiece.h"
#include "io/checkpoint/value_check.h"
#include "io/recording/errors.h"
#include "io/text/file_kind.h"

namespace mog::io {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{1} << 20U;

std::uint64_t little_endian(std::string_view bytes, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

// Where the next bytes of [at, end) lie that are no hole of a sparse file, on the boundary of an element.
std::uint64_t next_data(const InputFile& file, std::uint64_t begin, std::uint64_t at, std::uint64_t end) {
  const off_t data = ::lseek(file.descriptor(), static_cast<off_t>(at), SEEK_DATA);
  if (data < 0 && errno == ENXIO) {
    return end;
  }
  const auto place = static_cast<std::uint64_t>(std::max<off_t>(data, 0));
  return place <= at ? at : std::min(end, std::max(at, begin + (place - begin) / 16 * 16));
}

}  // namespace

std::optional<std::uint64_t> checked_size(const std::vector<std::int64_t>& shape,
                                          std::uint64_t element_bytes) {
  auto total = static_cast<std::int64_t>(element_bytes);
  for (const std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(total, extent, &total)) {
      return std::nullopt;
    }
  }
  return static_cast<std::uint64_t>(total);
}

std::uint64_t values_limit(std::uint64_t file_bytes, WeightsFormat format) noexcept {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 59U;
  return (format == WeightsFormat::gguf ? 8 : 4) * std::min(file_bytes, kMost) + (std::uint64_t{64} << 20U);
}

void check_total(const InputFile& file, const PlainWeights& weights) {
  const std::uint64_t limit = values_limit(file.size_bytes(), weights.format);
  std::uint64_t total = 0;
  for (const PlainTensor& tensor : weights.tensors) {
    if (tensor.size_bytes > limit || (total += tensor.size_bytes) > limit) {
      throw FormatError(
          fmt::format("{}: tensor \"{}\": the tensors need {} bytes or more; a file of {} may hold {}",
                      file.path().string(), printable(tensor.name), total, file.size_bytes(), limit));
    }
  }
}

std::optional<WeightsFormat> detect_weights_format(const InputFile& file) {
  std::array<char, 512> bytes = {};
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), file.size_bytes()));
  file.read_at(0, std::as_writable_bytes(std::span(bytes)).first(size));
  const std::string_view head(bytes.data(), size);
  if (head.starts_with("GGUF")) {
    return WeightsFormat::gguf;
  }
  // First: a header of 0x280 to 0x580 bytes begins as a pickle does.
  if (head.size() > 8 && head[8] == '{' && little_endian(head, 8) <= file.size_bytes() - 8) {
    return WeightsFormat::safetensors;
  }
  if (head.starts_with("PK") || (head.size() > 1 && head[0] == '\x80' && head[1] >= 1 && head[1] <= 5) ||
      (head.size() > 262 && head.substr(257, 5) == "ustar")) {
    return WeightsFormat::torch;
  }
  if (head.size() > 8 && head[8] == '{') {
    return WeightsFormat::safetensors;
  }
  if (looks_like_sentencepiece(head)) {
    return WeightsFormat::sentencepiece;
  }
  if (head.size() >= 8) {
    const std::uint64_t version = little_endian(head, 4);
    const std::uint64_t length = little_endian(head.substr(4), 2);
    if (version >= 1 && version < 256 && length >= 2 && length < 256) {
      return WeightsFormat::ctranslate2;
    }
  }
  return std::nullopt;
}

void translate_safetensors(const InputFile& file, WeightsSink& sink) {
  const TensorList list = read_safetensors_header(file);
  PlainWeights weights;
  weights.format = WeightsFormat::safetensors;
  for (const TensorInfo& info : list.tensors) {
    weights.tensors.push_back({info.name, info.dtype, info.shape, info.size_bytes});
    if (info.host_dtype()) {
      weights.tensors.back().place = info.offset;
    }
  }
  weights.metadata = nlohmann::json{{"format", "safetensors"}, {"data", list.metadata}}.dump();
  sink.begin(weights);
  const std::string name = file.path().string();
  std::vector<std::byte> block;
  for (std::size_t i = 0; i < list.tensors.size(); ++i) {
    const TensorInfo& info = list.tensors[i];
    const std::uint64_t end = info.offset + info.size_bytes;
    for (std::uint64_t at = next_data(file, info.offset, info.offset, end); at < end;
         at = next_data(file, info.offset, at, end)) {
      block.resize(static_cast<std::size_t>(std::min(kBlock, end - at)));
      file.read_at(at, block);
      refuse_bad_values(name, info.name, info.dtype, block, at - info.offset);
      sink.write(i, at - info.offset, block);
      at += block.size();
      if (at == end) {
        break;
      }
    }
  }
}

void translate_weights(const InputFile& file, std::optional<WeightsFormat> format, WeightsSink& sink) {
  if (!format) {
    format = detect_weights_format(file);
  }
  if (!format) {
    std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(512, file.size_bytes())), '\0');
    file.read_at(0, std::as_writable_bytes(std::span(head)));
    const std::string hint = looks_like(head);
    throw FormatError(
        fmt::format("{}: {}, expected weights: safetensors, a PyTorch file, a CTranslate2 model or GGUF{}{}",
                    file.path().string(), head.empty() ? "the file is empty" : "an unknown file",
                    hint.empty() ? "" : "; ", hint));
  }
  switch (*format) {
    case WeightsFormat::safetensors:
      return translate_safetensors(file, sink);
    case WeightsFormat::torch:
      return translate_torch(file, sink);
    case WeightsFormat::ctranslate2:
      return translate_ctranslate2(file, sink);
    case WeightsFormat::sentencepiece:
      return translate_sentencepiece(file, sink);
    case WeightsFormat::gguf:
      return translate_gguf(file, sink);
  }
}

}  // namespace mog::io
