// What panels are called that show one recording each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/recording/model_card.h"
#include "io/recording/recording_label.h"

namespace mog::analysis {

struct PanelSource {
  const ModelCard& model;
  const std::string& corpus;
  const RecordingLabel& recording;
};

// The names that a person gave, where any was given; else what tells the recordings apart: the depth, the
// model, the corpus, or the label.
std::vector<std::string> panel_titles(std::span<const PanelSource> sources);

// Of LengthStatistics or WordStatistics.
template <class Statistics>
std::vector<std::string> panel_titles_of(std::span<const Statistics> statistics) {
  std::vector<PanelSource> sources;
  for (const Statistics& one : statistics) {
    sources.push_back({one.model, one.corpus_name, one.recording});
  }
  return panel_titles(sources);
}

}  // namespace mog::analysis
