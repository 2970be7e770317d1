#include "app/workflow/parse/parse_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/workflow/evaluate/word_files.h"
#include "app/workflow/record/live_run.h"
#include "app/workflow/record/rounding_error.h"
#include "app/workflow/tasks/corpus_part.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "model/stored_model.h"
#include "model/tokenizer/words/words.h"

namespace mog::app {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kBlockSentences = 1000;

const std::string& label_of(const model::GraphConfig& graph, std::int32_t label) {
  return graph.labels[static_cast<std::size_t>(label)];
}

ordered_json labels_json(const model::GraphConfig& graph, const model::DependencyTree& tree) {
  ordered_json labels = ordered_json::array();
  for (const std::int32_t label : tree.labels) {
    labels.push_back(label_of(graph, label));
  }
  return labels;
}

ordered_json rounded(const std::vector<double>& values) {
  ordered_json list = ordered_json::array();
  for (const double value : values) {
    list.push_back(std::round(value * 1e4) / 1e4);
  }
  return list;
}

ordered_json words_json(const Sentence& sentence) {
  ordered_json words = ordered_json::array();
  for (const Word& word : sentence.words) {
    words.push_back(word.text);
  }
  return words;
}

void add_misc(std::string& misc, const std::string& pair) {
  misc = misc.empty() || misc == "_" ? pair : misc + "|" + pair;
}

// Those of an earlier parse.
void drop_probabilities(std::string& misc) {
  std::string kept;
  for (std::size_t begin = 0; begin < misc.size();) {
    const std::size_t end = std::min(misc.find('|', begin), misc.size());
    const std::string pair = misc.substr(begin, end - begin);
    if (!pair.starts_with("HeadProb=") && !pair.starts_with("DeprelProb=")) {
      kept += (kept.empty() ? "" : "|") + pair;
    }
    begin = end + 1;
  }
  misc = kept;
}

bool space_follows(const Sentence& sentence, std::size_t word) {
  return word + 1 == sentence.words.size() ||
         sentence.words[word].bytes.end != sentence.words[word + 1].bytes.begin;
}

// A sentence of plain text as a treebank would have it.
io::TreebankSentence new_tree(const Sentence& sentence) {
  io::TreebankSentence tree;
  tree.comments = {"# sent_id = " + std::to_string(sentence.number), "# text = " + sentence.text};
  for (std::size_t word = 0; word < sentence.words.size(); ++word) {
    io::TreebankWord row;
    row.form = sentence.words[word].text;
    row.lemma = row.upos = row.xpos = row.feats = row.deprel = row.misc = "_";
    if (!space_follows(sentence, word)) {
      row.misc = "SpaceAfter=No";
    }
    tree.words.push_back(std::move(row));
  }
  return tree;
}

std::string conllu_text(const model::GraphConfig& graph, const Parse& parse, io::TreebankSentence tree) {
  for (std::size_t word = 0; word < tree.words.size(); ++word) {
    io::TreebankWord& row = tree.words[word];
    row.head = parse.best.tree.heads[word];
    row.deprel = label_of(graph, parse.best.tree.labels[word]);
    for (const auto& [task, tags] : parse.tags) {
      if (tags[word].empty()) {
        continue;  // a word without a token
      }
      if (task == "upos") {
        row.upos = tags[word];
      } else if (task == "xpos") {
        row.xpos = tags[word];
      }
    }
    drop_probabilities(row.misc);
    add_misc(row.misc, fmt::format("HeadProb={:.4f}|DeprelProb={:.4f}", parse.best.head_probabilities[word],
                                   parse.best.label_probabilities[word]));
  }
  return io::to_conllu(tree);
}

std::string json_text(const model::GraphConfig& graph, const Sentence& sentence, const Parse& parse) {
  ordered_json document = {{"sentence", sentence.number},
                           {"text", sentence.text},
                           {"words", words_json(sentence)},
                           {"heads", parse.best.tree.heads},
                           {"labels", labels_json(graph, parse.best.tree)},
                           {"head_probabilities", rounded(parse.best.head_probabilities)},
                           {"label_probabilities", rounded(parse.best.label_probabilities)}};
  document["tags"] = ordered_json::object();
  for (const auto& [task, tags] : parse.tags) {
    document["tags"][task] = tags;
  }
  if (graph.by_transitions()) {
    document["transitions"] = parse.steps.size();
  } else {
    document["rounds"] = parse.rounds.size();
    document["settled"] = parse.settled;
  }
  return document.dump() + "\n";
}

ordered_json rounds_json(const model::GraphConfig& graph, const Parse& parse) {
  ordered_json rounds = ordered_json::array();
  for (std::size_t round = 0; round < parse.rounds.size(); ++round) {
    const model::DependencyTree& tree = parse.rounds[round];
    ordered_json changed = ordered_json::array();
    for (std::size_t word = 0; round > 0 && word < tree.heads.size(); ++word) {
      const model::DependencyTree& before = parse.rounds[round - 1];
      if (tree.heads[word] != before.heads[word] || tree.labels[word] != before.labels[word]) {
        changed.push_back(word + 1);
      }
    }
    rounds.push_back({{"heads", tree.heads}, {"labels", labels_json(graph, tree)}, {"changed", changed}});
  }
  return rounds;
}

// Each with the state in which it was chosen.
ordered_json transitions_json(const model::GraphConfig& graph, const Parse& parse) {
  analysis::ParserState state(static_cast<std::int32_t>(parse.best.tree.heads.size()));
  ordered_json transitions = ordered_json::array();
  ordered_json arcs = ordered_json::array();
  for (const ParseStep& step : parse.steps) {
    ordered_json probabilities = ordered_json::object();
    for (std::size_t action = 0; action < step.probabilities.size(); ++action) {
      probabilities[analysis::name(static_cast<analysis::ParserAction>(action))] =
          std::round(step.probabilities[action] * 1e4) / 1e4;
    }
    ordered_json line = {{"action", analysis::name(step.transition.action)},
                         {"stack", std::vector<std::int32_t>(state.stack().begin(), state.stack().end())},
                         {"buffer", std::vector<std::int32_t>(state.buffer().begin(), state.buffer().end())},
                         {"arcs", arcs},
                         {"probabilities", std::move(probabilities)}};
    const std::size_t before = state.removed().size();
    state.apply(step.transition);
    if (state.removed().size() > before) {
      const std::int32_t word = state.removed().back();
      line["label"] = label_of(graph, step.transition.label);
      line["label_probability"] = std::round(step.label_probability * 1e4) / 1e4;
      arcs.push_back({state.heads()[static_cast<std::size_t>(word) - 1], word, line["label"]});
    }
    transitions.push_back(std::move(line));
  }
  return transitions;
}

class Job {
 public:
  explicit Job(const ParseJobOptions& options)
      : options_(options),
        directory_(model::open_stored_model(options.model)),
        longest_(longest_sentence(directory_)) {
    require_parser(directory_.config, options.model.string(), options.refinements);
    const auto to_stream = [](const std::filesystem::path& file) { return file.empty() || file == "-"; };
    if (!options.trace.empty() &&
        (to_stream(options.trace) ? to_stream(options.output)
                                  : std::filesystem::weakly_canonical(options.trace) ==
                                        std::filesystem::weakly_canonical(options.output))) {
      throw UsageError("Parsing: --trace and --output go to the same place; give them two.");
    }
  }

  ParseResult run() {
    const auto tokenizer =
        model::with_words(directory_.tokenizer, words_of(directory_.config, options_.words));
    const CorpusPart part = part_of_corpus(options_.shard, options_.input, {}, options_.stop);
    WordInput input(options_.input, *tokenizer, io::TreebankHeads::ignored, part.source);
    const std::shared_ptr<const model::Model> model = load_measured(directory_, options_.device);
    directory_.stored.reset();  // they are the engine's now
    TextOutput output(options_.output, options_.print);
    std::optional<TextOutput> trace;
    std::optional<ParsedSentence> looked_at;
    if (!options_.trace.empty()) {
      trace.emplace(options_.trace, options_.print);
    }
    while (read_block(input)) {
      check_only();
      std::vector<Parse> parses = parse_sentences(*model, sentences_,
                                                  {.refinements = options_.refinements,
                                                   .projective = options_.projective,
                                                   .constraints = {options_.constraints},
                                                   .look_at_rounds = options_.look != nullptr,
                                                   .batch_tokens = options_.batch_tokens,
                                                   .stop = options_.stop});
      for (std::size_t at = 0; at < sentences_.size(); ++at) {
        const model::GraphConfig& graph = *directory_.config.graph;
        output.write(parsed_text(options_.format, graph, sentences_[at], parses[at],
                                 input.has_trees() ? &trees_[at] : nullptr));
        if (trace) {
          trace->write(trace_text(graph, sentences_[at], parses[at]));
        }
        count(sentences_[at], parses[at]);
      }
      if (options_.look) {
        looked_at = ParsedSentence{.model = directory_.card,
                                   .graph = *directory_.config.graph,
                                   .sentence = sentences_.front(),
                                   .constraints = options_.constraints,
                                   .parse = std::move(parses.front())};
        if (options_.input != "-") {
          looked_at->corpus = options_.input.filename().string();
        }
      }
      if (options_.progress) {
        options_.progress({.done = result_.sentences, .total = 0, .unit = "sentences", .message = "parsing"});
      }
    }
    if (result_.sentences == 0 && options_.shard.whole()) {
      throw UsageError("Parsing " + options_.input.string() + ": the file has no sentence.");
    }
    if (trace) {
      trace->commit();
    }
    output.commit();
    // A picture that cannot be drawn takes nothing with it.
    if (looked_at) {
      options_.look(*looked_at);
    }
    return result_;
  }

 private:
  bool read_block(WordInput& input) {
    sentences_.clear();
    trees_.clear();
    while (sentences_.size() < kBlockSentences) {
      const bool enough =
          options_.max_sentences > 0 &&
          result_.sentences + static_cast<std::int64_t>(sentences_.size()) >= options_.max_sentences;
      Sentence sentence;
      io::TreebankSentence tree;
      if (enough || !input.next(sentence, tree)) {
        break;
      }
      if (sentence.words.empty()) {
        continue;  // a blank line
      }
      require_room(directory_.config, sentence, longest_, place_of(sentence, tree));
      sentences_.push_back(std::move(sentence));
      trees_.push_back(std::move(tree));
    }
    return !sentences_.empty();
  }
  std::string place_of(const Sentence& sentence, const io::TreebankSentence& tree) const {
    return fmt::format("Parsing {}, line {}", options_.input.string(),
                       tree.words.empty() ? sentence.number : tree.line);
  }
  void check_only() const {
    const bool only = options_.look != nullptr || !options_.constraints.empty();
    if (only && (sentences_.size() > 1 || result_.sentences > 0)) {
      throw UsageError("Parsing " + options_.input.string() +
                       ": arcs are set and pictures drawn of one sentence, and it has more; give one, or "
                       "--max-sentences 1.");
    }
  }
  void count(const Sentence& sentence, const Parse& parse) {
    ++result_.sentences;
    result_.words += static_cast<std::int64_t>(sentence.words.size());
    result_.rounds += static_cast<std::int64_t>(parse.rounds.size());
    result_.settled += parse.settled ? 1 : 0;
    result_.transitions += static_cast<std::int64_t>(parse.steps.size());
  }

  const ParseJobOptions& options_;
  model::StoredModel directory_;
  std::int64_t longest_;  // tokens of a text that it reads; 0: no limit
  std::vector<Sentence> sentences_;
  std::vector<io::TreebankSentence> trees_;
  ParseResult result_;
};

}  // namespace

ParseFormat parse_parse_format(std::string_view text) {
  if (text == "conllu") {
    return ParseFormat::conllu;
  }
  if (text == "jsonl") {
    return ParseFormat::jsonl;
  }
  throw unknown_choice("--format", text, {"conllu", "jsonl"});
}

std::string parsed_text(ParseFormat format, const model::GraphConfig& graph, const Sentence& sentence,
                        const Parse& parse, const io::TreebankSentence* tree) {
  return format == ParseFormat::jsonl
             ? json_text(graph, sentence, parse)
             : conllu_text(graph, parse, tree != nullptr ? *tree : new_tree(sentence));
}

std::string trace_text(const model::GraphConfig& graph, const Sentence& sentence, const Parse& parse) {
  ordered_json document = {{"sentence", sentence.number}, {"words", words_json(sentence)}};
  if (graph.by_transitions()) {
    document["transitions"] = transitions_json(graph, parse);
    return document.dump() + "\n";
  }
  document["rounds"] = rounds_json(graph, parse);
  document["settled"] = parse.settled;
  return document.dump() + "\n";
}

ParseResult run_parse_job(const ParseJobOptions& options) {
  return Job(options).run();
}

}  // namespace mog::app
