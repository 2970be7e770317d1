// Trees of a sentence as CoNLL-U.
#include <fmt/format.h>

#include "analysis/mog/expressions/escape.h"
#include "app/workflow/common/text_format.h"
#include "app/workflow/trees/treebank_text.h"
#include "app/workflow/trees/trees_print.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

[[noreturn]] void refuse_conllu(const SentenceTrees& trees, const std::string& why) {
  throw UsageError(
      fmt::format("CoNLL-U of sentence {}: {}; a tree over all words comes from --mode exact (up to 12 "
                  "words), projective "
                  "or beam",
                  trees.number, why));
}

// "3"; further trees of a sentence have ids of their own: "3-R[6,2]", "3-rank2".
std::string sentence_id(const SentenceTrees& trees, std::int32_t rank) {
  return fmt::format("{}{}{}", trees.number, trees.goal == "TOP" ? "" : "-" + trees.goal,
                     rank > 1 ? fmt::format("-rank{}", rank) : "");
}

std::string conllu_of(const SentenceTrees& trees, const analysis::Derivation& derivation) {
  const std::vector<std::string>& words = trees.grammar->words();
  const analysis::KBestEntry& entry = derivation.entry;
  if (!entry.simple || entry.order != trees.grammar->word_count()) {
    refuse_conllu(trees, fmt::format("graph {} of {} is no tree over the words: it has {} of {} words{}",
                                     entry.rank, trees.goal, entry.order, words.size(),
                                     entry.simple ? "" : ", some of them more than once"));
  }
  io::TreebankSentence sentence = bare_sentence(words, fmt::format("CoNLL-U of sentence {}", trees.number));
  sentence.comments = {"# sent_id = " + sentence_id(trees, entry.rank), "# text = " + printable(trees.text)};
  for (const auto& [key, value] : facts_of(trees)) {
    sentence.comments.push_back(fmt::format("# {} = {}", key, printable(value)));
  }
  sentence.comments.insert(sentence.comments.end(), {fmt::format("# rank = {}", entry.rank),
                                                     "# weight = " + analysis::json_number(entry.weight),
                                                     "# mog = " + derivation.annotated});
  for (io::TreebankWord& word : sentence.words) {
    word.deprel = "root";
  }
  for (const analysis::DerivationNode& node : derivation.nodes) {
    if (!node.is_leaf()) {
      io::TreebankWord& word = sentence.words.at(static_cast<std::size_t>(node.target));
      word.head = node.word + 1;
      word.deprel = "dep";
      word.misc =
          fmt::format("Layer={}|Part={}|Weight={:.6g}", node.layer, mog::name(node.part), node.weight);
    }
  }
  return io::to_conllu(sentence);
}

}  // namespace

std::string trees_as_conllu(std::span<const SentenceTrees> all) {
  std::string text;
  for (const SentenceTrees& trees : all) {
    if (trees.derivations.empty()) {
      refuse_conllu(trees, trees.notes.empty() ? "there is no tree" : trees.notes.back());
    }
    for (const analysis::Derivation& derivation : trees.derivations) {
      text += conllu_of(trees, derivation);
    }
  }
  return text;
}

}  // namespace mog::app
