// `--words`, for every command that reads plain text for a model.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "model/tokenizer/words/words.h"

namespace mog::cli {

struct WordsOption {
  std::string text = "auto";
  // Throws UsageError.
  model::WordCut cut() const { return model::parse_word_cut(text); }
};
// `options` must outlive the parsing.
void add_words_option(CLI::App& command, WordsOption& options);

}  // namespace mog::cli
