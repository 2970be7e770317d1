// Labelled trees from few annotated sentences: the work behind `mog syntax --learn`.
//
// N sentences are drawn from a treebank that was recorded. On them the maps are chosen that find each
// relation (analysis/ensembles), and how much each part of a score counts. Then every other sentence gets a
// labelled tree, which is scored against its gold tree. Relations are those of Universal Dependencies without
// their subtypes ("nsubj" of "nsubj:pass"), as in the official LAS.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/ensembles/labelled_trees.h"
#include "app/workflow/syntax/syntax_job.h"

namespace mog::app {

enum class TagChoice : std::uint8_t { gold, none };            // the treebank's UPOS, or no tags
enum class WeightChoice : std::uint8_t { fitted, published };  // analysis/ensembles/ensemble_weights.h
std::string_view name(TagChoice choice) noexcept;
std::string_view name(WeightChoice choice) noexcept;
TagChoice parse_tag_choice(std::string_view text);        // throws UsageError
WeightChoice parse_weight_choice(std::string_view text);  // throws UsageError

struct LearnOptions {
  // Treebank, sources that have maps, projective, punctuation, root, mismatch, threads, grammar, bootstrap.
  // Its seed draws the sentences too. Directions do not matter: both ends of an edge may attend.
  SyntaxOptions syntax;
  std::int64_t sentences = 0;  // to learn from
  TagChoice tags = TagChoice::gold;
  WeightChoice weights = WeightChoice::fitted;
};

// What was learnt, and what from.
struct LearntEnsembles {
  std::string model;
  std::string weights_sha256;
  std::string grammar;   // choices behind the maps; empty: none
  std::string treebank;  // name of its file
  std::int64_t sentences = 0;
  std::int64_t words = 0;
  std::uint64_t seed = 0;
  TagChoice tags = TagChoice::gold;
  WeightChoice weights = WeightChoice::fitted;
  std::vector<SyntaxSource> sources;
  std::vector<std::string> units;       // names of the maps: "attention:3:high:2", "joins:2"
  std::vector<std::string> relations;   // without the root's
  std::vector<std::string> known_tags;  // one entry "_" for TagChoice::none
  analysis::LabelledEnsembles ensembles;
  analysis::LabelledEnsembles without_maps;  // same table; what it does alone
  std::vector<std::int64_t> drawn;           // numbers of the sentences, ascending
};

// Memory: 4 bytes a map and 12 a relation for each pair of words of the drawn sentences. Throws UsageError
// (no such number of sentences that agree; more than kMostLearnBytes; a source without maps), FormatError,
// Interrupted.
inline constexpr std::int64_t kMostLearnBytes = 4'000'000'000;
LearntEnsembles learn_ensembles(const RecordingSource& source, const LearnOptions& options,
                                std::stop_token stop = {}, const ProgressCallback& progress = {});

struct LearntScore {
  SyntaxScore uas;
  SyntaxScore las;  // head and relation
};
struct LearntRelation {
  std::string relation;
  std::int64_t words = 0;                // with it, that count
  std::int64_t predicted = 0;            // words that count and get it
  std::int64_t heads = 0;                // of `words`, with their gold head
  std::int64_t labelled = 0;             // of these, with the relation
  std::int64_t seen = 0;                 // in the sentences of learning
  std::array<std::string, 2> maps = {};  // [analysis::Attends], with commas
  std::array<double, 2> accuracy = {};   // of the ensembles on the sentences of learning
};
struct PredictedTree {
  std::int64_t number = 0;
  std::vector<std::int32_t> heads;
  std::vector<std::int32_t> relations;  // LearntEnsembles::relations; -1: root
};
struct LearnResult {
  SyntaxOptions options;
  std::string recording;
  std::string model;
  std::int64_t sentences = 0;  // that were scored
  std::int64_t words = 0;
  LearntScore learnt;
  LearntScore without_maps;
  std::vector<LearntRelation> relations;  // most frequent first
  std::vector<SkippedSentence> skipped;
  std::vector<std::string> notes;
  std::vector<PredictedTree> trees;  // by number; where they were asked for
};

struct ScoreChoice {
  bool leave_out_drawn = false;  // the recording is the one that was learnt from
  bool keep_trees = false;       // LearnResult::trees
};
// Throws ModelError (ensembles of another model, or maps that the recording does not have), UsageError (other
// choices of the grammar; no sentence is left), FormatError, Interrupted.
LearnResult score_learnt(const RecordingSource& source, const LearntEnsembles& learnt,
                         const SyntaxOptions& options, const ScoreChoice& choice = {},
                         std::stop_token stop = {}, const ProgressCallback& progress = {});

// source (learnt, without-maps) · sentences · words · uas · uas_low · uas_high · las · las_low · las_high.
// Shares, not percent.
analysis::Table learnt_table(const LearnResult& result);
// deprel · words · head_recall · recall · precision · f1 · learnt_from (edges) · dependent_attends ·
// head_attends (maps) · dependent_accuracy · head_accuracy
analysis::Table learnt_relation_table(const LearnResult& result);
std::string to_text(const LearnResult& result, const LearntEnsembles& learnt);
std::string to_json(const LearnResult& result, const LearntEnsembles& learnt);

// The treebank's sentences with their predicted trees, as CoNLL-U: HEAD and DEPREL replaced, DEPS emptied,
// comments added. Returns how many. Throws FormatError, StorageError, Interrupted.
std::int64_t write_learnt_trees(const LearnResult& result, const LearntEnsembles& learnt,
                                const std::filesystem::path& output, std::stop_token stop = {});

}  // namespace mog::app
