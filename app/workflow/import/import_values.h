// The values of one imported sentence: checked row by row as they come, reduced, and kept in the types of the
// recording.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/import/import_frame.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

// A row of attention must sum to 1 within this: what rounding its weights to float16 or bfloat16 does.
inline constexpr double kImportRowTolerance = 3e-3;
// Rows kept in float32 that are off by more are divided by their sum: later steps take no others.
inline constexpr double kImportRowKept = 5e-4;

// What happened to the rows of all sentences.
struct ImportRows {
  std::int64_t rows = 0;
  std::int64_t divided = 0;      // by their sum
  double largest_deviation = 0;  // of a sum from 1
};

class SentenceValues {
 public:
  // Computes the quantities of `wanted` (all of them can be had from the plan's arrays). The references must
  // outlive the object.
  SentenceValues(const io::ImportPlan& plan, StackDescription stack, std::span<const QuantitySchema> wanted,
                 const std::filesystem::path& file, ImportRows& rows);

  // Reads all arrays of the sentence that `stream` is at, into a batch of this one sentence with the wanted
  // quantities. Throws FormatError naming sentence, array, layer, head, row and what was found: values that
  // are not finite, negative weights, sums off 1, gates outside [0, 1], values too large for float16.
  RecordingBatch read(io::ImportStream& stream, Sentence sentence);

 private:
  void begin(const io::ImportedArray& array);
  void take(std::span<const double> values);
  void attention_row();
  void gate_row();
  void vector_row();
  [[noreturn]] void refuse(const std::string& what) const;
  std::string place() const;  // "attention of layer 3, head 2, row 7"
  HostTensor* tensor(const QuantityName& name);
  void put(HostTensor* to, std::int64_t at, std::span<const double> values);

  const io::ImportPlan& plan_;
  StackDescription stack_;
  std::span<const QuantitySchema> wanted_;
  const std::filesystem::path& file_;
  ImportRows& rows_;
  std::int64_t number_ = 0;
  std::int64_t tokens_ = 0;
  std::map<QuantityName, HostTensor> tensors_;

  // The array that is being read.
  io::ImportedArray array_;
  std::int64_t row_ = 0;         // finished rows
  std::vector<double> pending_;  // of the row that comes
  std::size_t row_size_ = 0;
  HostTensor* whole_ = nullptr;
  HostTensor* again_ = nullptr;  // a second name of the same values
  HostTensor* entropy_ = nullptr;
  HostTensor* maximum_ = nullptr;
  HostTensor* mean_ = nullptr;     // over heads, or of a gate over its dimensions
  std::vector<double> heads_sum_;  // [query, key]
};

}  // namespace mog::app
