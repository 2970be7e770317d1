// As a parser refines its trees (parse_sentences.cpp), window by window: the first round reads no graph,
// every further one that of the round before, until it stays. A pair has one relation in the graph that is
// read: a mention's start before its antecedent. Chains of windows are one where they share a mention.
#include "app/workflow/graphs/coref_chains.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/parsing/coreference_graph.h"
#include "app/workflow/graphs/score_observer.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

class LinkDecoder {
 public:
  LinkDecoder(const Sentence& window, std::span<const float> mentions, std::span<const float> antecedents)
      : size_(window.tokens.size()),
        tokens_(model::vertex_tokens(window)),
        mentions_(mentions),
        antecedents_(antecedents) {
    if (mentions.size() != size_ * size_ || antecedents.size() != mentions.size()) {
      throw ShapeError("Decoding coreference: " + std::to_string(mentions.size()) + " and " +
                       std::to_string(antecedents.size()) + " scores of pairs for " + std::to_string(size_) +
                       " tokens.");
    }
  }

  std::vector<analysis::GraphArc> decode() const {
    const auto words = static_cast<std::int32_t>(tokens_.size()) - 1;
    std::vector<analysis::GraphArc> arcs;
    std::vector<std::int32_t> ends;  // of mentions so far
    for (std::int32_t word = 0; word < words; ++word) {
      if (token(word) < 0) {
        continue;
      }
      const std::int32_t start = best(
          mentions_, word, [&](std::int32_t key) { return token(key) >= 0; }, word);
      if (start < 0) {
        continue;
      }
      std::int32_t antecedent = -1;
      float greatest = 0.0F;  // of none
      for (const std::int32_t end : ends) {
        if (end != start && score(antecedents_, word, end) > greatest) {
          greatest = score(antecedents_, word, end);
          antecedent = end;
        }
      }
      if (antecedent >= 0) {
        arcs.push_back({word, antecedent, analysis::kCoreferenceRelation});
      }
      arcs.push_back({word, start, analysis::kMentionRelation});
      std::sort(arcs.end() - (antecedent >= 0 ? 2 : 1), arcs.end());
      ends.push_back(word);
    }
    return arcs;
  }

  std::vector<MentionLinks> links(const std::vector<analysis::GraphArc>& graph) const {
    std::vector<MentionLinks> all;
    for (const analysis::GraphArc& arc : graph) {
      if (arc.relation != analysis::kMentionRelation) {
        continue;
      }
      MentionLinks links{.mention = {arc.key, arc.query + 1}};
      double starts = 1.0;
      for (std::int32_t key = 0; key <= arc.query; ++key) {
        starts += token(key) >= 0 ? share(mentions_, arc.query, key) : 0.0;
      }
      links.probability = share(mentions_, arc.query, arc.key) / starts;
      double sum = 1.0;
      for (const MentionLinks& before : all) {
        const auto end = static_cast<std::int32_t>(before.mention.end) - 1;
        if (end != arc.key) {  // a pair has one relation
          links.candidates.push_back({before.mention, share(antecedents_, arc.query, end)});
          sum += links.candidates.back().probability;
        }
      }
      for (MentionLinks::Candidate& candidate : links.candidates) {
        candidate.probability /= sum;
      }
      links.none = 1.0 / sum;
      std::stable_sort(
          links.candidates.begin(), links.candidates.end(),
          [](const auto& left, const auto& right) { return left.probability > right.probability; });
      all.push_back(std::move(links));
    }
    return all;
  }

 private:
  std::int64_t token(std::int32_t word) const { return tokens_[static_cast<std::size_t>(word) + 1]; }
  float score(std::span<const float> scores, std::int32_t query, std::int32_t key) const {
    return scores[static_cast<std::size_t>(token(query)) * size_ + static_cast<std::size_t>(token(key))];
  }
  double share(std::span<const float> scores, std::int32_t query, std::int32_t key) const {
    return std::exp(static_cast<double>(score(scores, query, key)));
  }
  // The key up to `last` with the greatest score above that of none; -1: none.
  template <class Allowed>
  std::int32_t best(std::span<const float> scores, std::int32_t query, const Allowed& allowed,
                    std::int32_t last) const {
    std::int32_t found = -1;
    float greatest = 0.0F;
    for (std::int32_t key = 0; key <= last; ++key) {
      if (allowed(key) && score(scores, query, key) > greatest) {
        greatest = score(scores, query, key);
        found = key;
      }
    }
    return found;
  }

  std::size_t size_;
  std::vector<std::int64_t> tokens_;
  std::span<const float> mentions_;
  std::span<const float> antecedents_;
};

// Of what a model finds, mentions that lie in one sentence: CoNLL-2012 has no others.
class Sentences {
 public:
  // The first words.
  explicit Sentences(const std::vector<std::int64_t>& begins) : begins_(begins) {}

  std::vector<analysis::Chain> inside(std::vector<analysis::Chain> chains) const {
    for (analysis::Chain& chain : chains) {
      std::erase_if(chain, [&](const analysis::Mention& mention) { return crosses(mention); });
    }
    std::erase_if(chains, [](const analysis::Chain& chain) { return chain.empty(); });
    return chains;
  }
  std::vector<MentionLinks> inside(std::vector<MentionLinks> links) const {
    std::erase_if(links, [&](const MentionLinks& link) { return crosses(link.mention); });
    for (MentionLinks& link : links) {
      std::erase_if(link.candidates,
                    [&](const MentionLinks::Candidate& candidate) { return crosses(candidate.mention); });
    }
    return links;
  }

 private:
  std::int64_t sentence(std::int64_t word) const {
    return std::upper_bound(begins_.begin(), begins_.end(), word) - begins_.begin();
  }
  bool crosses(const analysis::Mention& mention) const {
    return sentence(mention.begin) != sentence(mention.end - 1);
  }

  const std::vector<std::int64_t>& begins_;
};

// The rounds over some windows.
class Rounds {
 public:
  Rounds(const model::Model& model, std::span<const Sentence> windows, const CorefOptions& options)
      : model_(model),
        windows_(windows),
        options_(options),
        refinements_(options.refinements.value_or(model.config().graph->refinements)),
        graphs_(windows.size()),
        read_(windows.size()),
        links_(windows.size()) {}

  void run() {
    std::vector<std::int64_t> lengths;
    for (const Sentence& window : windows_) {
      lengths.push_back(static_cast<std::int64_t>(window.tokens.size()));
    }
    for (std::vector<std::int64_t> left : model::pack_by_length(lengths, options_.batch_tokens)) {
      for (std::int64_t round = 0; round <= refinements_ && !left.empty(); ++round) {
        if (options_.stop.stop_requested()) {
          throw Interrupted("Resolving coreference was stopped.");
        }
        left = run_round(left);
      }
    }
  }
  // [window] what the last round gave, and what it read.
  const std::vector<std::vector<analysis::GraphArc>>& graphs() const { return graphs_; }
  std::vector<std::vector<model::GraphArc>> take_read() { return std::move(read_); }
  std::int64_t count() const noexcept { return count_; }
  // [window] of the last round.
  const std::vector<std::vector<MentionLinks>>& links() const { return links_; }

 private:
  // Those whose graph has changed.
  std::vector<std::int64_t> run_round(const std::vector<std::int64_t>& chosen) {
    model::PackedBatch batch;
    for (const std::int64_t index : chosen) {
      const auto at = static_cast<std::size_t>(index);
      std::vector<std::int64_t> ids;
      for (const Token& token : windows_[at].tokens) {
        ids.push_back(token.id);
      }
      if (model_.config().encoder.graph_input) {
        read_[at] = coref_arcs(windows_[at], graphs_[at]);
      }
      batch.append(ids, read_[at]);
    }
    ScoreObserver scores;
    model::Observer* const observers[] = {&scores};
    model_.run(batch, {}, observers);
    std::vector<std::int64_t> changed;
    for (std::size_t at = 0; at < chosen.size(); ++at) {
      const auto index = static_cast<std::size_t>(chosen[at]);
      const std::span<const float> mentions = scores.pairs("mentions", at);
      const std::span<const float> antecedents = scores.pairs("antecedents", at);
      std::vector<analysis::GraphArc> graph = decode_links(windows_[index], mentions, antecedents);
      if (options_.look_at_mentions) {
        links_[index] = mention_links(windows_[index], graph, mentions, antecedents);
      }
      ++count_;
      if (graph != graphs_[index]) {
        graphs_[index] = std::move(graph);
        changed.push_back(chosen[at]);
      }
    }
    return changed;
  }

  const model::Model& model_;
  std::span<const Sentence> windows_;
  const CorefOptions& options_;
  std::int64_t refinements_;
  std::vector<std::vector<analysis::GraphArc>> graphs_;
  std::vector<std::vector<model::GraphArc>> read_;
  std::vector<std::vector<MentionLinks>> links_;
  std::int64_t count_ = 0;
};

// Words of the document.
std::vector<MentionLinks> merged_links(const std::vector<analysis::TokenWindow>& places,
                                       const std::vector<std::vector<MentionLinks>>& windows) {
  std::map<analysis::Mention, MentionLinks> merged;
  for (std::size_t at = 0; at < windows.size(); ++at) {
    const auto moved = [first = places[at].begin](analysis::Mention mention) {
      return analysis::Mention{mention.begin + first, mention.end + first};
    };
    for (MentionLinks links : windows[at]) {
      links.mention = moved(links.mention);
      for (MentionLinks::Candidate& candidate : links.candidates) {
        candidate.mention = moved(candidate.mention);
      }
      const auto [known, fresh] = merged.try_emplace(links.mention, links);
      if (!fresh && known->second.candidates.size() < links.candidates.size()) {
        known->second = std::move(links);
      }
    }
  }
  std::vector<MentionLinks> all;
  all.reserve(merged.size());
  for (auto& [mention, links] : merged) {
    all.push_back(std::move(links));
  }
  return all;
}

}  // namespace

std::vector<MentionLinks> mention_links(const Sentence& window, const std::vector<analysis::GraphArc>& graph,
                                        std::span<const float> mentions, std::span<const float> antecedents) {
  return LinkDecoder(window, mentions, antecedents).links(graph);
}

std::vector<analysis::GraphArc> decode_links(const Sentence& window, std::span<const float> mentions,
                                             std::span<const float> antecedents) {
  return LinkDecoder(window, mentions, antecedents).decode();
}

std::vector<model::GraphArc> predicted_links(const std::vector<const Sentence*>& windows,
                                             const model::PairScores& scores) {
  const std::span<const float> mentions = scores.values.at("mentions");
  const std::span<const float> antecedents = scores.values.at("antecedents");
  std::vector<model::GraphArc> all;
  std::int64_t first = 0;
  for (std::size_t at = 0; at < windows.size(); ++at) {
    const auto begin = static_cast<std::size_t>(scores.area[at]);
    const std::size_t size = static_cast<std::size_t>(scores.area[at + 1]) - begin;
    const std::vector<analysis::GraphArc> links =
        decode_links(*windows[at], mentions.subspan(begin, size), antecedents.subspan(begin, size));
    for (const model::GraphArc& arc : coref_arcs(*windows[at], links)) {
      all.push_back({first + arc.query, first + arc.key, arc.relation});
    }
    first += static_cast<std::int64_t>(windows[at]->tokens.size());
  }
  return all;
}

void require_coreference(const model::ModelConfig& config, const std::string& name) {
  if (!config.graph || config.graph->kind != model::GraphKind::coreference) {
    throw UsageError(
        "Resolving coreference with model " + name +
        ": it predicts none (key graph of config.json); choose a model of coreference (mog train "
        "makes one from a section [graph] with kind = \"coreference\").");
  }
}

ResolvedText resolve_text(const model::Model& model, const model::Tokenizer& tokenizer, const CorefText& text,
                          const CorefOptions& options) {
  require_coreference(model.config(), model.card().name);
  if (options.refinements.value_or(0) > 0 && !model.config().encoder.graph_input) {
    throw UsageError("Resolving coreference with model " + model.card().name +
                     ": it reads no graph (key encoder.graph_input of config.json), so it cannot refine its "
                     "chains; leave out --refinements.");
  }
  const model::GraphConfig& graph = *model.config().graph;
  const std::int64_t window = options.window.value_or(graph.window);
  const std::int64_t overlap = window < graph.window ? std::min(graph.overlap, window / 3) : graph.overlap;
  const CorefWindows windows = coref_windows(tokenizer, text, window, options.overlap.value_or(overlap));
  Rounds rounds(model, windows.sentences, options);
  rounds.run();
  std::vector<std::vector<analysis::Chain>> chains;
  for (const std::vector<analysis::GraphArc>& links : rounds.graphs()) {
    chains.push_back(analysis::coreference_chains(links));
  }
  const Sentences sentences(text.sentences);
  return {sentences.inside(analysis::merged_chains(windows.places, chains)),
          static_cast<std::int64_t>(windows.sentences.size()), rounds.count(),
          sentences.inside(merged_links(windows.places, rounds.links()))};
}

std::vector<std::vector<model::GraphArc>> read_links(const model::Model& model,
                                                     std::span<const Sentence> sentences,
                                                     std::stop_token stop,
                                                     std::optional<std::int64_t> round) {
  require_coreference(model.config(), model.card().name);
  const CorefOptions options{.refinements = round, .stop = std::move(stop)};
  Rounds rounds(model, sentences, options);
  rounds.run();
  return rounds.take_read();
}

}  // namespace mog::app
