// Gold trees beside recorded sentences.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/workflow/syntax/syntax_job.h"
#include "io/recording/sentence.h"
#include "io/text/conllu.h"

namespace mog::app {

struct TreebankSurvey {
  std::int64_t sentences = 0;
  std::map<std::string, std::int32_t> relations;  // -> index, in the order of the text
};
// Reads the whole treebank once, so that what is wrong with it is said before any work. Throws FormatError
// naming file and line: what ConlluReader refuses, a sentence with several roots, no sentence; Interrupted.
TreebankSurvey survey_treebank(const std::filesystem::path& path, const std::stop_token& stop = {});

// One tree, ready to be counted.
struct GoldSentence {
  std::int64_t number = 0;
  std::int64_t line = 0;
  bool missing = false;  // the treebank ends before it
  std::vector<std::string> forms{};
  std::vector<std::int32_t> heads{};      // from 1; 0: the root
  std::vector<std::int32_t> relations{};  // index of the survey's
  std::vector<std::string> tags{};        // UPOS
  std::vector<char> counts{};
};
GoldSentence gold_sentence(const io::TreebankSentence& tree, const TreebankSurvey& survey,
                           const SyntaxOptions& options);

// The characters of a text but for white space.
std::string without_space(std::string_view text);

// Makes the treebank's words the sentence's words: as they are when they agree one by one, otherwise by the
// characters of the text, white space left out, where no piece covers two words. Returns why not, or "".
std::string align(Sentence& sentence, std::span<const std::string> forms);

}  // namespace mog::app
