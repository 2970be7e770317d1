// Attention, gates and hidden states that another program wrote (docs/import-format.md) become a recording:
// the work behind `mog import`. The file is parsed by mog-loader, a process of its own; sentence after
// sentence is checked, reduced and written, so memory holds one sentence and the writer's two shards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "app/workflow/common/progress.h"
#include "app/workflow/import/import_sentence.h"
#include "io/recording/host_tensor.h"

namespace mog::app {

struct ImportOptions {
  std::filesystem::path input;  // HDF5
  std::filesystem::path output;
  std::string name;        // of the recording; empty: none
  std::string model_name;  // empty: the file's attribute `model`, else the file's name
  Pieces pieces = Pieces::none;
  DType store = DType::float16;  // of maps, gates and vectors; statistics are float32
  bool orders = false;           // also order masses and expected orders, as mog record --capture orders
  bool resume = false;
  std::int64_t commit_every = 2000;  // sentences
  std::string command_line;
  std::filesystem::path loader;                       // empty: mog-loader beside this program
  std::function<void(const std::string&)> on_detail;  // for people who ask for more
  std::function<void(const std::string&)> on_note;    // what they should know
};

struct ImportSummary {
  std::filesystem::path output;
  std::string model;
  std::string kind;    // of the encoder, as in model cards
  std::string system;  // for people: "Graph-Transformer"
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t sentences = 0;  // in the recording now
  std::int64_t imported = 0;   // by this run
  std::int64_t tokens = 0;     // of all
  std::int64_t rows = 0;       // attention rows checked by this run
  std::int64_t rows_divided = 0;
  double largest_deviation = 0;  // of a row's sum from 1
  std::int64_t size_bytes = 0;
  double elapsed_s = 0;
  std::string sha256;  // of the file
};

// Throws UsageError (no such file, the output exists, another file's recording to be resumed), FormatError
// (the file is not what docs/import-format.md asks for, or brings HDF5 down; nothing is left of the output
// then), StorageError, Interrupted (what was imported is kept for --resume).
ImportSummary import_recording(const ImportOptions& options, std::stop_token stop = {},
                               const ProgressCallback& progress = {});

std::string to_json(const ImportSummary& summary);
std::string summary_line(const ImportSummary& summary);

}  // namespace mog::app
