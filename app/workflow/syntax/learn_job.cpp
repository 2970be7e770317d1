// Sentences are drawn by a random number that depends on the seed and their number alone, so ten are among
// the hundred of the same seed. Only the drawn ones are in memory; the sentences that are scored pass by in
// blocks, several at a time.
#include "app/workflow/syntax/learn_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/ensembles/ensemble_weights.h"
#include "app/workflow/syntax/learn_maps.h"
#include "app/workflow/syntax/syntax_blocks.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

constexpr std::uint64_t kDrawStream = 0x6C6561726E;

// Indices of the recording in the order in which they are drawn.
std::vector<std::int64_t> drawing_order(const RecordingSource& source, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> keys;
  for (std::int64_t index = 0; index < source.size(); ++index) {
    const auto number = static_cast<std::uint64_t>(source.number(index));
    keys.emplace_back(analysis::keyed_random(seed, kDrawStream, number, 0), index);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::int64_t> order;
  for (const auto& [key, index] : keys) {
    order.push_back(index);
  }
  return order;
}

std::vector<std::string> labels_of(const TreebankSurvey& survey) {
  std::vector<std::string> labels(survey.relations.size());
  for (const auto& [relation, index] : survey.relations) {
    labels[static_cast<std::size_t>(index)] = universal_relation(relation);
  }
  return labels;
}

class Learning {
 public:
  Learning(const RecordingSource& source, const LearnOptions& options, const std::stop_token& stop)
      : source_(source),
        options_(options),
        control_{.stop = stop},
        maker_(source, options.syntax),
        survey_(survey_treebank(options.syntax.treebank, stop)),
        labels_(labels_of(survey_)) {}

  LearntEnsembles run(const ProgressCallback& progress) {
    draw(progress);
    number_names();
    LearntEnsembles learnt = description();
    learnt.ensembles.table = analysis::RelationTable(static_cast<std::int32_t>(tags_.size()),
                                                     static_cast<std::int32_t>(relations_.size()));
    for (const analysis::AnnotatedSentence& sentence : sentences_) {
      learnt.ensembles.table.add(sentence.tree);
    }
    for (analysis::RelationHeads& heads : analysis::choose_ensembles(
             sentences_, static_cast<std::int32_t>(relations_.size()), {.stop = control_.stop})) {
      learnt.ensembles.relations.push_back({.heads = std::move(heads)});
    }
    learnt.without_maps = learnt.ensembles;
    analysis::fit_weights(learnt.without_maps, sentences_, {.maps = false, .stop = control_.stop});
    if (options_.weights == WeightChoice::fitted) {
      analysis::fit_weights(learnt.ensembles, sentences_, {.stop = control_.stop});
    } else {
      analysis::weigh_by_accuracy(learnt.ensembles, options_.tags == TagChoice::gold ? 1 : 0);
    }
    return learnt;
  }

 private:
  void draw(const ProgressCallback& progress);
  void take(std::int64_t index, Sentence sentence, GoldSentence gold);
  void number_names();
  LearntEnsembles description() const;

  const RecordingSource& source_;
  const LearnOptions& options_;
  analysis::SearchControl control_;
  UnitMapsMaker maker_;
  TreebankSurvey survey_;
  std::vector<std::string> labels_;  // [relation of the survey]
  std::vector<GoldSentence> gold_;
  std::vector<analysis::AnnotatedSentence> sentences_;
  std::vector<std::string> relations_;
  std::vector<std::string> tags_;
  std::int64_t bytes_ = 0;
};

void Learning::take(std::int64_t index, Sentence sentence, GoldSentence gold) {
  const auto words = static_cast<std::int64_t>(gold.heads.size());
  bytes_ += words * words * (4 * std::ssize(maker_.names()) + 12 * std::ssize(survey_.relations));
  if (bytes_ > kMostLearnBytes) {
    throw UsageError(fmt::format(
        "--learn {}: the {} maps of {} sentences need more than {} GB; learn from fewer sentences, or name "
        "fewer "
        "--sources",
        options_.sentences, maker_.names().size(), gold_.size() + 1, kMostLearnBytes / 1'000'000'000));
  }
  SentenceBlock block(source_, index, {std::move(gold)}, {std::move(sentence)});
  sentences_.push_back(
      {{block.gold(0).heads, {}, {}}, maker_.maps(block, 0, block.aligned(0), block.gold(0), control_)});
  gold_.push_back(block.gold(0));
}

void Learning::draw(const ProgressCallback& progress) {
  const std::vector<io::TreebankSentence> trees = io::read_conllu(options_.syntax.treebank);
  for (const std::int64_t index : drawing_order(source_, options_.syntax.bootstrap.seed)) {
    if (std::ssize(sentences_) == options_.sentences) {
      break;
    }
    control_.check();
    Sentence sentence = source_.sentence(index);
    if (sentence.number > std::ssize(trees)) {
      if (options_.syntax.mismatch == MismatchPolicy::error) {
        throw FormatError(
            fmt::format("{}: it has {} sentences, the recording to learn from has a sentence {}; "
                        "--mismatch skip leaves the rest out",
                        options_.syntax.treebank.string(), trees.size(), sentence.number));
      }
      continue;
    }
    GoldSentence gold =
        gold_sentence(trees[static_cast<std::size_t>(sentence.number - 1)], survey_, options_.syntax);
    if (!align_or_refuse(sentence, gold, options_.syntax, survey_).empty()) {
      continue;
    }
    take(index, std::move(sentence), std::move(gold));
    if (progress) {
      progress({.done = std::ssize(sentences_),
                .total = options_.sentences,
                .unit = "sentences",
                .message = "to learn from"});
    }
  }
  if (std::ssize(sentences_) < options_.sentences) {
    throw UsageError(fmt::format("--learn {}: {} has {} that {} with the recording", options_.sentences,
                                 options_.syntax.treebank.string(),
                                 counted(std::ssize(sentences_), "sentence"),
                                 sentences_.size() == 1 ? "agrees" : "agree"));
  }
}

void Learning::number_names() {
  std::set<std::string> relations;
  std::set<std::string> tags;
  for (const GoldSentence& gold : gold_) {
    for (std::size_t word = 0; word < gold.heads.size(); ++word) {
      if (gold.heads[word] > 0) {
        relations.insert(labels_[static_cast<std::size_t>(gold.relations[word])]);
      }
      tags.insert(options_.tags == TagChoice::gold ? gold.tags[word] : "_");
    }
  }
  relations_.assign(relations.begin(), relations.end());
  tags_.assign(tags.begin(), tags.end());
  const NumberedNames numbers(relations_);
  const NumberedNames numbers_of_tags(tags_);
  for (std::size_t i = 0; i < gold_.size(); ++i) {
    for (std::size_t word = 0; word < gold_[i].heads.size(); ++word) {
      sentences_[i].tree.relations.push_back(
          numbers.number(labels_[static_cast<std::size_t>(gold_[i].relations[word])]));
      sentences_[i].tree.tags.push_back(
          numbers_of_tags.number(options_.tags == TagChoice::gold ? gold_[i].tags[word] : "_"));
    }
  }
}

LearntEnsembles Learning::description() const {
  LearntEnsembles learnt;
  learnt.model = source_.header().model.name;
  learnt.weights_sha256 = source_.header().model.weights_sha256;
  learnt.grammar = maker_.grammar();
  learnt.treebank = options_.syntax.treebank.filename().string();
  learnt.sentences = std::ssize(sentences_);
  learnt.seed = options_.syntax.bootstrap.seed;
  learnt.tags = options_.tags;
  learnt.weights = options_.weights;
  learnt.sources = maker_.options().sources;
  learnt.units = maker_.names();
  learnt.relations = relations_;
  learnt.known_tags = tags_;
  for (const GoldSentence& gold : gold_) {
    learnt.drawn.push_back(gold.number);
    learnt.words += std::ssize(gold.heads);
  }
  std::sort(learnt.drawn.begin(), learnt.drawn.end());
  return learnt;
}

}  // namespace

std::string_view name(TagChoice choice) noexcept {
  return choice == TagChoice::gold ? "gold" : "none";
}

std::string_view name(WeightChoice choice) noexcept {
  return choice == WeightChoice::fitted ? "fitted" : "published";
}

TagChoice parse_tag_choice(std::string_view text) {
  if (text == "gold" || text == "none") {
    return text == "gold" ? TagChoice::gold : TagChoice::none;
  }
  throw unknown_choice("--tags", text, {"gold", "none"});
}

WeightChoice parse_weight_choice(std::string_view text) {
  if (text == "fitted" || text == "published") {
    return text == "fitted" ? WeightChoice::fitted : WeightChoice::published;
  }
  throw unknown_choice("--weights", text, {"fitted", "published"});
}

LearntEnsembles learn_ensembles(const RecordingSource& source, const LearnOptions& options,
                                std::stop_token stop, const ProgressCallback& progress) {
  check_syntax_options(source, options.syntax);
  if (options.sentences < 1) {
    throw UsageError(fmt::format("--learn {}: at least 1 sentence is needed", options.sentences));
  }
  return Learning(source, options, stop).run(progress);
}

}  // namespace mog::app
