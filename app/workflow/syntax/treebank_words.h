// A treebank beside a recording of the same sentences: parts of speech and gold trees of its words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/recording/dependency_tree.h"
#include "io/recording/sentence.h"
#include "io/text/conllu.h"

namespace mog::app {

class TreebankWords {
 public:
  // Reads all of it. Throws FormatError naming file and line, Interrupted.
  explicit TreebankWords(const std::filesystem::path& path, const std::stop_token& stop = {});

  const std::vector<io::TreebankSentence>& sentences() const noexcept { return sentences_; }
  // Sentence `sentence.number` of the treebank; its words become those of `sentence`, as they are or by the
  // characters of the text where no piece covers two words (syntax_gold.h). Null where that cannot be: `why`
  // names sentence, line and the first word that differs.
  const io::TreebankSentence* align(Sentence& sentence, std::string& why) const;
  // The same; where sentence `sentence.number` is another one, the first with the same characters (a sentence
  // that was typed, or a selection from the treebank).
  const io::TreebankSentence* find(Sentence& sentence, std::string& why) const;

 private:
  std::filesystem::path path_;
  std::vector<io::TreebankSentence> sentences_;
  std::unordered_map<std::string, std::size_t> by_characters_;  // without white space
};

// The words of `gold` become those of `sentence`, as TreebankWords::align() does it. Returns why not, or "".
std::string align_words(Sentence& sentence, const io::TreebankSentence& gold,
                        const std::filesystem::path& treebank);

DependencyTree dependency_tree(const io::TreebankSentence& sentence);

}  // namespace mog::app
