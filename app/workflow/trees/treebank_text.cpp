#include "app/workflow/trees/treebank_text.h"

#include <fmt/format.h>

#include "io/recording/errors.h"

namespace mog::app {

io::TreebankSentence bare_sentence(std::span<const std::string> words, const std::string& where) {
  constexpr std::string_view kEndsColumns("\t\n\r\0", 4);
  io::TreebankSentence sentence;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].empty() || words[i].find_first_of(kEndsColumns) != std::string::npos) {
      throw UsageError(
          fmt::format("{}: word {} is empty or holds a tab, a line end or NUL, which no column can; JSON can",
                      where, i + 1));
    }
    sentence.words.push_back({.form = words[i],
                              .lemma = "_",
                              .upos = "_",
                              .xpos = "_",
                              .feats = "_",
                              .head = 0,
                              .deprel = "_",
                              .misc = "_"});
  }
  return sentence;
}

}  // namespace mog::app
