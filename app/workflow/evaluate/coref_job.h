// `mog coref`: chains for the mentions of documents in CoNLL-2012.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/parsing/coreference_baseline.h"
#include "io/text/conll2012.h"

namespace mog::app {

struct CorefOptions {
  std::filesystem::path input;  // a file or a folder of them
  analysis::CoreferenceBaseline baseline = analysis::CoreferenceBaseline::same_head;
};

struct CorefResult {
  std::vector<io::CorefDocument> documents;
  std::int64_t apart = 0;  // mentions that cross another of their chain and were given one of their own
};
// The documents with the same mentions in chains of the baseline, numbered from 0. Throws as
// read_coreference_files.
CorefResult run_coref_job(const CorefOptions& options);

// One file of CoNLL-2012.
std::string coref_text(const std::vector<io::CorefDocument>& documents);
// A document a line: {"document": …, "part": …, "words": …, "chains": [[{"begin": 3, "end": 4, "text":
// "Mr. Lockwood"}, …], …]}; tokens from 1, the last one included.
std::string coref_json(const std::vector<io::CorefDocument>& documents);

}  // namespace mog::app
