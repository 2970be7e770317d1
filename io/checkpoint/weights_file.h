// A file of weights that another program wrote: its tensors, and what else it says as plain data.
//
// The file is parsed by mog-loader, a process with limits on memory, processor time and system calls, which
// writes what it found as plain arrays into memory that this process only reads, and of arrays that lie in
// the file as they are their places. A file that brings a parser down is therefore one message
// (docs/hostile-files.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "io/checkpoint/safetensors.h"
#include "io/recording/host_tensor.h"

namespace mog::io {

enum class WeightsFormat : std::uint8_t { safetensors, torch, ctranslate2, sentencepiece, gguf };

std::string_view name(WeightsFormat format) noexcept;  // "safetensors", "torch", …

struct WeightsOptions {
  std::optional<WeightsFormat> format = {};  // nothing: what the first bytes say
  // false: everything is checked, values too, but only names, types and shapes come back; memory stays small.
  bool values = true;
  std::filesystem::path loader = {};  // empty: mog-loader beside this program
  std::stop_token stop = {};
};

class WeightsFile {
 public:
  WeightsFile(WeightsFile&&) noexcept;
  WeightsFile& operator=(WeightsFile&&) noexcept;
  ~WeightsFile();

  const std::filesystem::path& path() const noexcept;
  WeightsFormat format() const noexcept;

  // Every tensor with its type as stored ("F32", "F16", "BF16", "F64", "I64", …) and shape; sorted by name.
  // torch: nested dictionaries and lists give dotted names ("model.encoder.embed_tokens.weight",
  //   "states.0.weight"); a plain state dict keeps its names. Tensors of optimizers (below a key of the
  //   outermost dictionary that contains "optim") are not among them: metadata() counts them.
  // ctranslate2: names as stored ("encoder/layer_0/self_attention/linear_0/weight"). A weight of type int8 or
  //   int16 that has a scale (NAME + "_scale") is given as F32 with the scale applied, and the scale is not
  //   listed; flags and numbers of the specification are tensors of rank 0. Aliases are listed too.
  // sentencepiece: no weights but a tokenizer's table: pieces, ends, scores, kinds, charsmap
  //   (sentencepiece.h).
  // gguf: names as stored; quantised values are given as F32, unpacked where they are read. Lists of its keys
  // are tensors too: "key:NAME",
  //   of texts their bytes (U8) and "ends:NAME" (I64), where in them each text ends.
  // Only offset and size_bytes of a TensorInfo mean nothing here.
  const std::vector<TensorInfo>& tensors() const noexcept;
  const TensorInfo* find(std::string_view name) const noexcept;  // nullptr where there is none

  // [as the shape says]. I8 and I16 come as int32, U16 and U32 as int64, BOOL as uint8; no value is NaN or
  // infinite. The memory is shared with this file and stays valid after it (no copy is made where the type is
  // one of HostTensor's), or is its own and is read now (read_in_place). Throws ModelError for a name that is
  // not there or a type that the host does not have, UsageError when the file was opened without values,
  // FormatError as read_floats.
  HostTensor read(std::string_view name) const;

  // Whether the values are read in the file itself when they are asked for: those of types that the host has,
  // but for quantised ones of CTranslate2, and for views with strides and compressed ones of PyTorch. The
  // file stays open for it.
  bool read_in_place(std::string_view name) const;
  // Elements of a floating tensor as `type`, from `first` on, as many as `to` holds; where read_in_place
  // straight into `to` (TensorFile::read_floats). Throws as read(), and FormatError where the file was cut
  // short or changed since it was opened.
  void read_floats(std::string_view name, std::uint64_t first, DType type, std::span<std::byte> to) const;

  // What else the file holds, a JSON object, at most 1 MiB:
  //   {"format": "torch", "form": "zip" | "legacy", "data": {…}, "optimizer_tensors": 12}
  //     data: the file's own dictionary without tensors. An object of a class that is not known is an object
  //     with its class: {"__class__": "argparse.Namespace", "arch": "transformer_iwslt_de_en", …}, so
  //     fairseq's options are data.args (old) or data.cfg (new).
  //   {"format": "ctranslate2", "binary_version": 6, "specification": "TransformerSpec", "revision": 7,
  //    "aliases": {"name": "of"}, "quantized": {"name": "I8"}}
  //   {"format": "sentencepiece", "algorithm": "unigram" | "bpe" | "word" | "char", "byte_fallback": false,
  //    "add_dummy_prefix": true, "remove_extra_whitespaces": true, "escape_whitespaces": true,
  //    "whitespace_as_suffix": false, "normalization": "nmt_nfkc"}; unk_id … as it says
  //   {"format": "gguf", "version": 3, "values": {"general.architecture": "llama", …}, "quantized": {"name":
  //    "Q4_K"}}; lists and texts above 64 KiB are not among the values
  //   {"format": "safetensors", "data": {"key": "text"}}: its __metadata__
  const std::string& metadata() const noexcept;

  // Whether it was opened with them. Without, lists of GGUF can be read all the same.
  bool has_values() const noexcept;

 private:
  friend WeightsFile open_weights(const std::filesystem::path& path, const WeightsOptions& options);
  struct Contents;
  const TensorInfo& readable(std::string_view name) const;
  explicit WeightsFile(std::shared_ptr<const Contents> contents);
  std::shared_ptr<const Contents> contents_;
};

// Throws FormatError naming the file, the place or tensor and the defect; UsageError when there is no such
// file; StorageError when mog-loader or memory is missing; Interrupted.
// Cost: one pass over the file, and memory (outside the heap) for the values that are not read in place.
WeightsFile open_weights(const std::filesystem::path& path, const WeightsOptions& options = {});

}  // namespace mog::io
