// The trees of one row as CoNLL-U.
#include <fmt/format.h>

#include <algorithm>

#include "app/workflow/syntax_blocks.h"
#include "app/workflow/syntax_job.h"
#include "app/workflow/syntax_trees.h"
#include "io/recording/errors.h"
#include "io/text/output_file.h"

namespace mog::app {

std::int64_t write_trees(const RecordingSource& source, const SyntaxOptions& options, const SyntaxRow& row,
                         const std::filesystem::path& output, std::stop_token stop) {
  SyntaxOptions only = options;
  only.sources = {row.source};
  only.direction = row.key_is_head ? DirectionChoice::key : DirectionChoice::query;
  check_syntax_options(source, only);
  const TreebankSurvey survey = survey_treebank(options.treebank);
  const SentenceTreesMaker maker(source.header(), only);
  const auto found = std::find(maker.rows().begin(), maker.rows().end(), row);
  if (found == maker.rows().end()) {
    throw UsageError(fmt::format("syntax: the recording has no trees of {}", row.name()));
  }
  const auto wanted = static_cast<std::size_t>(found - maker.rows().begin());
  io::ConlluReader treebank(options.treebank);
  io::TreebankSentence tree;
  io::OutputFile file(output);
  std::int64_t written = 0;
  for (std::int64_t index = 0; index < source.size(); ++index) {
    if (stop.stop_requested()) {
      throw Interrupted("syntax: interrupted");
    }
    std::vector<Sentence> sentences = {source.sentence(index)};
    while (tree.number < sentences.front().number && treebank.next(tree)) {
    }
    if (tree.number != sentences.front().number) {
      break;
    }
    SentenceBlock block(source, index, {gold_sentence(tree, survey, only)}, std::move(sentences));
    if (!align(block.aligned(0), block.gold(0).forms).empty()) {
      continue;
    }
    maker.find(block, 0, block.aligned(0), block.gold(0),
               [&](std::size_t place, std::span<const std::int32_t> heads) {
                 if (place != wanted) {
                   return;
                 }
                 for (std::size_t word = 0; word < heads.size(); ++word) {
                   tree.words[word].head = heads[word];
                   tree.words[word].deprel = heads[word] == 0 ? "root" : "dep";
                   tree.words[word].deps = "_";
                 }
                 tree.comments.push_back("# tree = " + row.name());
                 file.write(io::to_conllu(tree));
                 ++written;
               });
  }
  file.commit();
  return written;
}

}  // namespace mog::app
