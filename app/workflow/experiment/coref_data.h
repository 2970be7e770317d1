// Documents with coreference chains as a model learns from them and reads them: windows of sentences.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/metrics/coreference.h"
#include "analysis/parsing/coreference_windows.h"
#include "analysis/parsing/graph_arc.h"
#include "app/workflow/experiment/train_data.h"
#include "io/text/conll2012.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::app {

struct CorefText {
  std::string name;
  std::vector<std::string> words;
  std::vector<std::int64_t> sentences;  // first word of each
  std::vector<analysis::Chain> chains;
};
CorefText coref_input(const io::CorefDocument& document);

// The files of a part of the data; of a folder those that are named as CoNLL-2012, by name.
std::vector<std::filesystem::path> coref_files(const DataSplit& split, const std::filesystem::path& root);
// Throws FormatError as the reader, and for a folder without a file of that name.
std::vector<CorefText> read_coref(const DataSplit& split, const std::filesystem::path& root);

// The windows of one document, each as the tokenizer sees its words. Tokens are at most `most`, special ones
// counted; neighbours share `overlap` or more.
struct CorefWindows {
  std::vector<analysis::TokenWindow> places;  // of words
  std::vector<Sentence> sentences;
};
// Throws ModelError for a word of more tokens than a window has.
CorefWindows coref_windows(const model::Tokenizer& tokenizer, const CorefText& text, std::int64_t most,
                           std::int64_t overlap);

// What a window's tokens say of its words: a word's token is its first one. Words without a token are left
// out.
std::vector<model::GraphArc> coref_arcs(const Sentence& window, const std::vector<analysis::GraphArc>& arcs);
// What a model of coreference learns from a window.
Example coref_example(const Sentence& window, const std::vector<analysis::Chain>& chains);

}  // namespace mog::app
