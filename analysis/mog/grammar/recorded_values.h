// Checked values of one recorded sentence: shapes, probabilities, names of what is missing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog::analysis {

class RecordedValues {
 public:
  RecordedValues(const RecordingSource& source, std::int64_t index)
      : source_(source), index_(index), sentence_(source.sentence(index)) {}

  const ModelCard& model() const { return source_.header().model; }
  const RecordingHeader& header() const { return source_.header(); }
  const StackDescription& stack() const { return header().stack(); }
  const Sentence& sentence() const noexcept { return sentence_; }
  std::int64_t pieces() const noexcept { return static_cast<std::int64_t>(sentence_.tokens.size()); }
  bool has(const QuantityName& name) const { return source_.header().find(name) != nullptr; }

  // A tensor of doubles. extent: its first extent.
  struct Tensor {
    std::vector<double> values;
    DType dtype = DType::float32;
    std::int64_t extent = 1;
  };
  // Throws ShapeError when its shape is not `shape` (0: any extent).
  Tensor read(const QuantityName& name, std::span<const std::int64_t> shape) const;
  // Attention of all heads, or else their mean (heads = 1). [head, query=queries, key=pieces], rows checked
  // and renormalised. Throws UsageError naming what to record, FormatError for rows that are no
  // probabilities.
  struct Maps {
    std::vector<double> values;
    std::int64_t heads = 1;
    bool mean_only = false;  // the recording holds the mean over heads only
  };
  Maps attention(const QuantityName& name, std::int64_t queries, std::string_view capture) const;
  // The same, of the sentence's own tokens, some rows after another: a long text's maps are never whole.
  // Calls `visit` with [head, some queries, key].
  void attention_rows(const QuantityName& name, std::string_view capture,
                      const std::function<void(const Maps& rows)>& visit) const;
  // [piece] of numbers in [0, 1], put back by no more than rounding. Throws FormatError for others.
  std::vector<double> unit(const QuantityName& name) const;
  // Throws UsageError: `name` is missing, which `what` needs; record with `capture`.
  [[noreturn]] void refuse_missing(const QuantityName& name, std::string_view what,
                                   std::string_view capture) const;
  // Values outside [0, 1] by no more than rounding are put back; throws FormatError for others.
  void check_unit(const QuantityName& name, std::vector<double>& values) const;

 private:
  // The name under which the maps are there: their own, or their mean's.
  QuantityName recorded_maps(const QuantityName& whole, std::string_view capture) const;
  Tensor widen(const HostTensor& tensor, const QuantityName& name, std::span<const std::int64_t> shape) const;
  // first: query that the rows of each head begin with.
  void check_rows(const QuantityName& name, Tensor& map, std::int64_t queries, std::int64_t first = 0) const;

  const RecordingSource& source_;
  std::int64_t index_;
  Sentence sentence_;
};

}  // namespace mog::analysis
