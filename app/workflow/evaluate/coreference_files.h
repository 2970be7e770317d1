// Documents with coreference chains, from one file of CoNLL-2012 or a folder of them.
#pragma once

#include <filesystem>
#include <vector>

#include "analysis/metrics/coreference.h"
#include "io/text/conll2012.h"

namespace mog::app {

struct CoreferenceFile {
  std::filesystem::path path;
  std::vector<io::CorefDocument> documents;
};

// The file, or all files of the folder that are named as such (is_conll2012), by name. Throws FormatError for
// a folder without one and for a part of a document that two files have.
std::vector<CoreferenceFile> read_coreference_files(const std::filesystem::path& path);

// Chains in the order of their first mentions.
std::vector<analysis::Chain> chains_of(const io::CorefDocument& document);

}  // namespace mog::app
