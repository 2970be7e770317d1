// Models of other programs, and our own with a smaller vocabulary or narrower weights, as model directories:
// the work behind `mog convert`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "app/workflow/common/progress.h"
#include "io/checkpoint/weights_type.h"
#include "io/recording/host_tensor.h"
#include "model/foreign/foreign_model.h"

namespace mog::app {

struct ConvertOptions {
  std::filesystem::path source;  // a model of another program (foreign_model.h), or a model directory
  model::ForeignOptions foreign;
  std::filesystem::path output;
  // Texts, treebanks (.conllu) and entities (.iob2) whose pieces stay in the vocabulary; empty: all stay.
  std::vector<std::filesystem::path> keep_vocabulary;
  std::int64_t vocabulary_size =
      0;  // at most so many tokens stay; 0: all that occur. Only with keep_vocabulary
  io::WeightsType store = io::WeightsType::float32;
  bool overwrite = false;
};

// What the command line says of a model that does not say it of itself; 0 and "" where it says nothing.
// Throws UsageError naming the option.
// Throws UsageError.
io::WeightsType parse_weights_type(std::string_view text);

model::ForeignOptions parse_foreign_options(std::int64_t heads, const std::string& norm,
                                            const std::string& activation);

struct ConvertSummary {
  std::string source;   // what the model calls itself
  std::string path;     // of the new directory
  std::string license;  // as the source says; may be empty
  std::int64_t parameters = 0;
  std::int64_t vocabulary = 0;
  std::int64_t vocabulary_before = 0;
  std::int64_t size_bytes = 0;  // model.safetensors
  // With keep_vocabulary: pieces of those texts in the old cutting, and how many of them are kept as they
  // are.
  std::int64_t pieces = 0;
  std::int64_t pieces_kept = 0;
  std::vector<std::string> notes;

  std::string text() const;
  std::string json() const;
};

class ConvertJob {
 public:
  explicit ConvertJob(ConvertOptions options);
  // Throws UsageError (an impossible request, an output that holds a model), and as open_model_directory,
  // io::CorpusReader and write_model_directory; Interrupted. Nothing is written before everything was
  // checked.
  ConvertSummary run(std::stop_token stop = {}, const ProgressCallback& progress = {}) const;

 private:
  ConvertOptions options_;
};

}  // namespace mog::app
