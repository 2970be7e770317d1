// The numbers behind a figure as CSV and as a small HDF5 file: values, axes, words, names of quantities,
// provenance (docs/figure-data.md). The window's export and `mog figure --data` write the same.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "app/workflow/figures/figure.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

// What the numbers come from.
struct FigureFacts {
  std::string command;                  // the `mog figure` line; empty: there is none
  std::string marks;                    // what is lit, as in --mark: "row=3 word=2"
  std::vector<std::string> quantities;  // recorded names that the figure was made from
  struct Source {
    std::string recording;  // its name; empty: typed sentences
    ModelCard model;
    Provenance provenance;
    std::int64_t sentence = 0;  // number in the corpus; 0: of many sentences
    std::string text;           // of the sentence
  };
  std::vector<Source> sources;
};

// Of a figure of open recordings; the second sentence of a difference is its choice `other`.
FigureFacts figure_facts(const FigureRequest& request,
                         std::span<const std::shared_ptr<const RecordingSource>> sources,
                         std::span<const std::string> marks = {});
// The same, of the recordings that `request` names; of tables and diagrams the command alone.
FigureFacts figure_facts(const FigureRequest& request, std::span<const std::string> marks = {});

// The table of the figure as CSV with two columns more, filled in the first row alone, so that every reader
// of tables takes it: `caption`, the full one, and `made_by`, the command and what the numbers come from.
std::string figure_csv(const analysis::FigureData& figure, const FigureFacts& facts);

// Throws StorageError.
void save_figure_data(const analysis::FigureData& figure, const FigureFacts& facts,
                      const std::filesystem::path& path);

}  // namespace mog::app
