// `mog coref`: chains of mentions for documents, by a model or a baseline.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/parsing/coreference_baseline.h"
#include "app/workflow/common/progress.h"
#include "app/workflow/graphs/coref_chains.h"
#include "io/text/conll2012.h"

namespace mog::app {

struct CorefJobOptions {
  // CoNLL-2012 (a file, or a folder of them); for a model also text, one sentence a line ("-": standard
  // input), which is one document.
  std::filesystem::path input;
  std::optional<analysis::CoreferenceBaseline> baseline;  // for the mentions that the documents have
  std::filesystem::path model;                            // else: finds mentions too
  model::WordCut words = model::WordCut::automatic;       // of text
  model::DeviceOptions device;
  CorefOptions chains;
  bool singletons = true;  // chains of one mention are written
  ProgressCallback progress;
};

struct CorefJobResult {
  std::vector<io::CorefDocument> documents;
  std::int64_t apart = 0;    // mentions that cross another of their chain and were given one of their own
  std::int64_t windows = 0;  // that the model read, and rounds over all of them
  std::int64_t rounds = 0;
};
// The documents with chains numbered from 0. Throws UsageError where there is neither a baseline nor a model
// of coreference, and for text with a baseline; what reading and running throw.
CorefJobResult run_coref_job(const CorefJobOptions& options);

// One file of CoNLL-2012.
std::string coref_text(const std::vector<io::CorefDocument>& documents);
// A document a line: {"document": …, "part": …, "words": …, "chains": [[{"begin": 3, "end": 4, "text":
// "Mr. Lockwood"}, …], …]}; tokens from 1, the last one included.
std::string coref_json(const std::vector<io::CorefDocument>& documents);

}  // namespace mog::app
