// The trees of one row as CoNLL-U.
#include <fmt/format.h>

#include <algorithm>

#include "app/workflow/common/text_format.h"
#include "app/workflow/syntax/syntax_blocks.h"
#include "app/workflow/syntax/syntax_job.h"
#include "app/workflow/syntax/syntax_trees.h"
#include "io/recording/errors.h"
#include "io/text/output_file.h"

namespace mog::app {
namespace {

// What is behind the trees, of every sentence.
std::vector<std::string> comments_of(const RecordingSource& source, const SyntaxOptions& options,
                                     const SyntaxRow& row) {
  std::vector<std::string> comments = {
      "# model = " + printable(source.header().model.name),
      fmt::format("# guarantee = {}", guarantee_of(row, options)),
      fmt::format("# head_is = {}", row.key_is_head ? "key" : "query"),
      fmt::format("# root = {}", options.root == RootChoice::gold ? "gold" : "tree")};
  if (const std::string grammar = syntax_grammar(source, options); !grammar.empty()) {
    comments.push_back("# choices = " + printable(grammar));
  }
  return comments;
}

}  // namespace

std::int64_t write_trees(const RecordingSource& source, const SyntaxOptions& options, const SyntaxRow& row,
                         const std::filesystem::path& output, std::stop_token stop) {
  SyntaxOptions only = options;
  only.sources = {row.source};
  only.direction = row.key_is_head ? DirectionChoice::key : DirectionChoice::query;
  check_syntax_options(source, only);
  const analysis::SearchControl control{.stop = stop};
  const TreebankSurvey survey = survey_treebank(options.treebank, stop);
  const SentenceTreesMaker maker(source.header(), only);
  const auto found = std::find(maker.rows().begin(), maker.rows().end(), row);
  if (found == maker.rows().end()) {
    throw UsageError(fmt::format("syntax: the recording has no trees of {}", row.name()));
  }
  const auto wanted = static_cast<std::size_t>(found - maker.rows().begin());
  const std::vector<std::string> comments = comments_of(source, only, row);
  io::ConlluReader treebank(options.treebank);
  io::TreebankSentence tree;
  io::OutputFile file(output, io::Links::follow);
  std::int64_t written = 0;
  for (std::int64_t index = 0; index < source.size(); ++index) {
    control.check();
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
    maker.find(block, 0, block.aligned(0), block.gold(0), control,
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
                 tree.comments.insert(tree.comments.end(), comments.begin(), comments.end());
                 file.write(io::to_conllu(tree));
                 ++written;
               });
  }
  file.commit();
  return written;
}

}  // namespace mog::app
