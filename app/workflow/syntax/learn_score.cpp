// Scoring what was learnt. A thread keeps nothing of a sentence but four counts and, where they were asked
// for, its tree.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

#include "analysis/metrics/attachment.h"
#include "app/workflow/common/text_format.h"
#include "app/workflow/syntax/learn_job.h"
#include "app/workflow/syntax/learn_maps.h"
#include "app/workflow/syntax/syntax_blocks.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/text/output_file.h"

namespace mog::app {
namespace {

using analysis::AttachmentScore;

constexpr std::string_view kRoot = "root";

// Rows of the scores.
enum Row : std::size_t { learnt_heads, learnt_labelled, alone_heads, alone_labelled, rows };

struct Tally {
  std::int64_t words = 0;
  std::int64_t predicted = 0;
  std::int64_t heads = 0;
  std::int64_t labelled = 0;
};
using Tallies = std::map<std::string, Tally>;

void require_model(const RecordingSource& source, const LearntEnsembles& learnt, const UnitMapsMaker& maker) {
  const ModelCard& model = source.header().model;
  if (model.name != learnt.model || model.weights_sha256 != learnt.weights_sha256) {
    const bool same_name = model.name == learnt.model;
    throw ModelError(
        fmt::format("the ensembles were learnt from recordings of {}, this one is of {}{}; learn them from a "
                    "recording of this "
                    "model (--learn)",
                    printable(learnt.model), printable(model.name), same_name ? " with other weights" : ""));
  }
  if (maker.names() != learnt.units) {
    const auto missing = std::find_if(learnt.units.begin(), learnt.units.end(), [&](const std::string& unit) {
      return std::find(maker.names().begin(), maker.names().end(), unit) == maker.names().end();
    });
    throw ModelError(
        fmt::format("the ensembles were learnt from {} maps, the recording has {}{}; record the same "
                    "quantities",
                    learnt.units.size(), maker.names().size(),
                    missing == learnt.units.end() ? "" : ", without " + printable(*missing)));
  }
  if (maker.grammar() != learnt.grammar) {
    throw UsageError(
        fmt::format("the ensembles were learnt with the choices \"{}\" of the attention grammar, here "
                    "they are \"{}\"",
                    learnt.grammar, maker.grammar()));
  }
}

SyntaxOptions with_sources(SyntaxOptions options, const LearntEnsembles& learnt) {
  options.sources = learnt.sources;
  return options;
}

class Scoring {
 public:
  Scoring(const RecordingSource& source, const LearntEnsembles& learnt, const SyntaxOptions& options,
          const ScoreChoice& choice, const std::stop_token& stop)
      : source_(source),
        learnt_(learnt),
        choice_(choice),
        control_{.stop = stop},
        maker_(source, with_sources(options, learnt)),
        options_(maker_.options()),
        survey_(survey_treebank(options_.treebank, stop)),
        tags_(learnt.known_tags),
        scores_(Row::rows, static_cast<std::size_t>(source.size())) {
    require_model(source, learnt, maker_);
    options_.bootstrap.stop = stop;
    labels_.resize(survey_.relations.size());
    for (const auto& [relation, index] : survey_.relations) {
      labels_[static_cast<std::size_t>(index)] = universal_relation(relation);
    }
  }

  LearnResult run(const ProgressCallback& progress) {
    LearnResult result;
    result.skipped =
        walk_aligned(source_, options_, survey_, maker_.quantities(), control_, "labelled trees", progress,
                     [this](SentenceBlock& block, std::span<const std::int64_t> aligned) {
                       Tallies tallies;
                       std::vector<PredictedTree> trees;
                       for (const std::int64_t index : aligned) {
                         if (!left_out(block.gold(index).number)) {
                           add(block, index, tallies, trees);
                         }
                       }
                       merge(tallies, trees);
                     });
    finish(result);
    return result;
  }

 private:
  bool left_out(std::int64_t number) const {
    return choice_.leave_out_drawn && std::binary_search(learnt_.drawn.begin(), learnt_.drawn.end(), number);
  }
  std::string_view label(std::int32_t relation) const {
    return relation < 0 ? kRoot : std::string_view(learnt_.relations[static_cast<std::size_t>(relation)]);
  }
  void add(SentenceBlock& block, std::int64_t index, Tallies& tallies, std::vector<PredictedTree>& trees);
  void count(const analysis::LabelledTree& tree, const GoldSentence& gold, std::size_t place, Row first);
  void tally(const analysis::LabelledTree& tree, const GoldSentence& gold, Tallies& tallies) const;
  void merge(const Tallies& tallies, std::vector<PredictedTree>& trees);
  void finish(LearnResult& result);
  LearntScore score(std::size_t first, std::span<const analysis::Interval> intervals) const;
  void add_relations(LearnResult& result) const;

  const RecordingSource& source_;
  const LearntEnsembles& learnt_;
  ScoreChoice choice_;
  analysis::SearchControl control_;
  UnitMapsMaker maker_;
  SyntaxOptions options_;
  TreebankSurvey survey_;
  NumberedNames tags_;
  std::vector<std::string> labels_;  // [relation of the survey]
  analysis::AttachmentScores scores_;
  std::mutex mutex_;  // of what follows
  Tallies tallies_;
  std::vector<PredictedTree> trees_;
};

void Scoring::add(SentenceBlock& block, std::int64_t index, Tallies& tallies,
                  std::vector<PredictedTree>& trees) {
  const GoldSentence& gold = block.gold(index);
  const analysis::UnitMaps maps = maker_.maps(block, index, block.aligned(index), gold, control_);
  std::vector<std::int32_t> tags;
  std::optional<std::int32_t> root;
  for (std::size_t word = 0; word < gold.heads.size(); ++word) {
    tags.push_back(tags_.number(learnt_.tags == TagChoice::gold ? gold.tags[word] : "_"));
    if (options_.root == RootChoice::gold && gold.heads[word] == 0) {
      root = static_cast<std::int32_t>(word) + 1;
    }
  }
  const auto features = analysis::edge_features(learnt_.ensembles, learnt_.ensembles.table, maps, tags);
  const auto tree_of = [&](const analysis::LabelledEnsembles& ensembles) {
    return analysis::best_labelled_tree(ensembles, features, root, {.projective = options_.projective});
  };
  const auto place = static_cast<std::size_t>(block.first() + index);
  analysis::LabelledTree tree = tree_of(learnt_.ensembles);
  count(tree, gold, place, Row::learnt_heads);
  count(tree_of(learnt_.without_maps), gold, place, Row::alone_heads);
  tally(tree, gold, tallies);
  if (choice_.keep_trees) {
    trees.push_back({gold.number, std::move(tree.heads), std::move(tree.relations)});
  }
}

// UAS and, in the next row, LAS.
void Scoring::count(const analysis::LabelledTree& tree, const GoldSentence& gold, std::size_t place,
                    Row first) {
  analysis::Attachment found = analysis::attachment(gold.heads, tree.heads, gold.counts);
  scores_.set(first, place, found);
  for (std::size_t word = 0; word < gold.heads.size(); ++word) {
    const bool head = gold.counts[word] != 0 && tree.heads[word] == gold.heads[word];
    const std::string& relation = labels_[static_cast<std::size_t>(gold.relations[word])];
    found.heads -= head && label(tree.relations[word]) != relation ? 1 : 0;
  }
  scores_.set(first + 1, place, found);
}

void Scoring::tally(const analysis::LabelledTree& tree, const GoldSentence& gold, Tallies& tallies) const {
  for (std::size_t word = 0; word < gold.heads.size(); ++word) {
    if (gold.counts[word] != 0) {
      const std::string& relation = labels_[static_cast<std::size_t>(gold.relations[word])];
      const std::string predicted(label(tree.relations[word]));
      const bool head = tree.heads[word] == gold.heads[word];
      Tally& of_gold = tallies[relation];
      ++of_gold.words;
      of_gold.heads += head ? 1 : 0;
      of_gold.labelled += head && predicted == relation ? 1 : 0;
      ++tallies[predicted].predicted;
    }
  }
}

void Scoring::merge(const Tallies& tallies, std::vector<PredictedTree>& trees) {
  const std::lock_guard lock(mutex_);
  for (const auto& [relation, tally] : tallies) {
    Tally& sum = tallies_[relation];
    sum.words += tally.words;
    sum.predicted += tally.predicted;
    sum.heads += tally.heads;
    sum.labelled += tally.labelled;
  }
  std::move(trees.begin(), trees.end(), std::back_inserter(trees_));
}

LearntScore Scoring::score(std::size_t first, std::span<const analysis::Interval> intervals) const {
  return {{scores_.value(first, AttachmentScore::directed), intervals[first]},
          {scores_.value(first + 1, AttachmentScore::directed), intervals[first + 1]}};
}

void Scoring::add_relations(LearnResult& result) const {
  const NumberedNames numbers(learnt_.relations);
  for (const auto& [relation, tally] : tallies_) {
    LearntRelation entry{.relation = relation,
                         .words = tally.words,
                         .predicted = tally.predicted,
                         .heads = tally.heads,
                         .labelled = tally.labelled};
    if (const std::int32_t number = numbers.number(relation); number >= 0) {
      const auto& heads = learnt_.ensembles.relations[static_cast<std::size_t>(number)].heads;
      for (std::size_t side = 0; side < heads.size(); ++side) {
        std::vector<std::string> units;
        for (const std::int32_t unit : heads[side].units) {
          units.push_back(learnt_.units[static_cast<std::size_t>(unit)]);
        }
        entry.maps[side] = joined(units, ",");
        entry.accuracy[side] = heads[side].accuracy;
        entry.seen = heads[side].edges;
      }
    }
    result.relations.push_back(std::move(entry));
  }
  std::stable_sort(result.relations.begin(), result.relations.end(),
                   [](const LearntRelation& a, const LearntRelation& b) { return a.words > b.words; });
}

void Scoring::finish(LearnResult& result) {
  result.options = options_;
  result.recording = source_.header().provenance.corpus_name;
  result.model = source_.header().model.name;
  result.notes = maker_.notes();
  const std::vector<std::size_t> counted = scores_.sentences();
  if (counted.empty()) {
    throw UsageError(fmt::format(
        "{}: no sentence is left to score{}", options_.treebank.string(),
        choice_.leave_out_drawn ? "; learn from fewer, or from another recording (--learn-from)" : ""));
  }
  result.sentences = std::ssize(counted);
  result.words = scores_.words();
  const std::vector<analysis::Interval> intervals =
      scores_.intervals(AttachmentScore::directed, options_.bootstrap);
  result.learnt = score(Row::learnt_heads, intervals);
  result.without_maps = score(Row::alone_heads, intervals);
  add_relations(result);
  std::sort(trees_.begin(), trees_.end(),
            [](const PredictedTree& a, const PredictedTree& b) { return a.number < b.number; });
  result.trees = std::move(trees_);
}

}  // namespace

LearnResult score_learnt(const RecordingSource& source, const LearntEnsembles& learnt,
                         const SyntaxOptions& options, const ScoreChoice& choice, std::stop_token stop,
                         const ProgressCallback& progress) {
  SyntaxOptions chosen = with_sources(options, learnt);
  check_syntax_options(source, chosen);
  return Scoring(source, learnt, chosen, choice, stop).run(progress);
}

std::int64_t write_learnt_trees(const LearnResult& result, const LearntEnsembles& learnt,
                                const std::filesystem::path& output, std::stop_token stop) {
  io::ConlluReader treebank(result.options.treebank);
  io::TreebankSentence tree;
  io::OutputFile file(output, io::Links::follow);
  for (const PredictedTree& predicted : result.trees) {
    analysis::SearchControl{.stop = stop}.check();
    while (tree.number < predicted.number && treebank.next(tree)) {
    }
    for (std::size_t word = 0; word < predicted.heads.size(); ++word) {
      const std::int32_t relation = predicted.relations[word];
      io::TreebankWord& row = tree.words.at(word);
      row.head = predicted.heads[word];
      row.deprel = relation < 0 ? kRoot : learnt.relations[static_cast<std::size_t>(relation)];
      row.deps = "_";
    }
    tree.comments.push_back("# model = " + printable(learnt.model));
    tree.comments.push_back(fmt::format("# learnt_from = {} of {}, seed {}, tags {}, weights {}",
                                        counted(learnt.sentences, "sentence"), printable(learnt.treebank),
                                        learnt.seed, name(learnt.tags), name(learnt.weights)));
    tree.comments.push_back(
        fmt::format("# root = {}", result.options.root == RootChoice::gold ? "gold" : "tree"));
    file.write(io::to_conllu(tree));
  }
  file.commit();
  return std::ssize(result.trees);
}

}  // namespace mog::app
