// What a file of weights comes to: named plain arrays, and where they go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/checkpoint/weights_file.h"
#include "io/text/input_file.h"

namespace mog::io {

struct PlainTensor {
  std::string name;
  std::string dtype;  // of safetensors
  std::vector<std::int64_t> shape;
  std::uint64_t size_bytes = 0;
  bool always = false;  // it comes also where values are not asked for
  // Where its values lie in the file: `mog` reads them there.
  std::optional<std::uint64_t> place = {};
  std::string blocks = {};  // what they lie there as, the name of a GgufType; empty: as `dtype`
};

struct PlainWeights {
  WeightsFormat format = WeightsFormat::safetensors;
  std::vector<PlainTensor> tensors;
  std::map<std::string, std::string> aliases;  // another name → the name of a tensor
  std::string metadata;                        // JSON, see WeightsFile::metadata
};

// Takes the tensors of one file.
class WeightsSink {
 public:
  WeightsSink() = default;
  WeightsSink(const WeightsSink&) = delete;
  WeightsSink& operator=(const WeightsSink&) = delete;
  virtual ~WeightsSink() = default;
  // Once, before all values.
  virtual void begin(const PlainWeights& weights) = 0;
  // `bytes` of a tensor, from `offset` on; every byte once, but zeros may be left out. Those with a place
  // come, too, and are passed over.
  virtual void write(std::size_t tensor, std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  // So many bytes of the file were read that belong to no tensor.
  virtual void working(std::uint64_t) {}
};

// What the first bytes say; nothing when they say nothing.
std::optional<WeightsFormat> detect_weights_format(const InputFile& file);

// Parses `file`, checks everything, values too, and gives the tensors to `sink`. Together they take at most
// four times the file and 64 MiB (GGUF: eight times). Throws FormatError, ModelError.
void translate_weights(const InputFile& file, std::optional<WeightsFormat> format, WeightsSink& sink);

// One format each; called by translate_weights.
void translate_safetensors(const InputFile& file, WeightsSink& sink);
void translate_torch(const InputFile& file, WeightsSink& sink);
void translate_ctranslate2(const InputFile& file, WeightsSink& sink);
void translate_sentencepiece(const InputFile& file, WeightsSink& sink);
void translate_gguf(const InputFile& file, WeightsSink& sink);

// Four times the file and 64 MiB; of GGUF, whose values may have four bits, eight times.
std::uint64_t values_limit(std::uint64_t file_bytes, WeightsFormat format) noexcept;

// Throws FormatError naming the tensor when `weights` would take more than that.
void check_total(const InputFile& file, const PlainWeights& weights);

// Product of a shape and an element's bytes; nothing when it does not fit 63 bits or a size is negative.
std::optional<std::uint64_t> checked_size(const std::vector<std::int64_t>& shape,
                                          std::uint64_t element_bytes);

}  // namespace mog::io
