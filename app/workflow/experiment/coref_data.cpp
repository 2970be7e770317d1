#include "app/workflow/experiment/coref_data.h"

#include <algorithm>
#include <map>
#include <span>

#include "analysis/parsing/coreference_graph.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

std::vector<std::int64_t> pieces_of(const model::Tokenizer& tokenizer, const CorefText& text) {
  std::vector<std::int64_t> pieces(text.words.size(), 0);
  for (std::size_t at = 0; at < text.sentences.size(); ++at) {
    const auto begin = static_cast<std::size_t>(text.sentences[at]);
    const std::size_t end =
        at + 1 < text.sentences.size() ? static_cast<std::size_t>(text.sentences[at + 1]) : text.words.size();
    const Sentence encoded = tokenizer.encode_words(std::span(text.words).subspan(begin, end - begin));
    for (const Token& token : encoded.tokens) {
      if (token.word >= 0) {
        ++pieces[begin + static_cast<std::size_t>(token.word)];
      }
    }
  }
  return pieces;
}

std::int64_t special_tokens(const model::Tokenizer& tokenizer) {
  const std::vector<std::string> word = {"a"};
  const Sentence encoded = tokenizer.encode_words(word);
  return std::count_if(encoded.tokens.begin(), encoded.tokens.end(),
                       [](const Token& token) { return token.word < 0; });
}

}  // namespace

CorefText coref_input(const io::CorefDocument& document) {
  CorefText text{document.name + ", part " + std::to_string(document.part), {}, document.sentences, {}};
  for (const io::CorefToken& token : document.tokens) {
    text.words.push_back(token.form);
  }
  std::map<std::int64_t, analysis::Chain> chains;
  for (const io::CorefMention& mention : document.mentions) {
    chains[mention.chain].push_back({mention.begin, mention.end});
  }
  for (auto& [number, chain] : chains) {
    text.chains.push_back(std::move(chain));
  }
  return text;
}

std::vector<std::filesystem::path> coref_files(const DataSplit& split, const std::filesystem::path& root) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& path : split.coref) {
    const std::filesystem::path place = path.is_absolute() || root.empty() ? path : root / path;
    if (!std::filesystem::is_directory(place)) {
      files.push_back(place);
      continue;
    }
    std::vector<std::filesystem::path> inside;
    for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(place)) {
      if (io::is_conll2012(entry.path())) {
        inside.push_back(entry.path());
      }
    }
    if (inside.empty()) {
      throw FormatError("Reading coreference: the folder " + place.string() +
                        " has no file of CoNLL-2012 (*.conll, *_conll).");
    }
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

std::vector<CorefText> read_coref(const DataSplit& split, const std::filesystem::path& root) {
  std::vector<CorefText> texts;
  for (const std::filesystem::path& file : coref_files(split, root)) {
    for (const io::CorefDocument& document : io::read_conll2012(file)) {
      texts.push_back(coref_input(document));
    }
  }
  return texts;
}

CorefWindows coref_windows(const model::Tokenizer& tokenizer, const CorefText& text, std::int64_t most,
                           std::int64_t overlap) {
  const std::int64_t room = most - special_tokens(tokenizer);
  std::vector<std::int64_t> positions = pieces_of(tokenizer, text);
  for (std::size_t word = 0; word < positions.size(); ++word) {
    if (positions[word] > room) {
      throw ModelError("Reading " + text.name + ": word " + std::to_string(word + 1) + " has " +
                       std::to_string(positions[word]) + " tokens, and a window at most " +
                       std::to_string(room) + ".");
    }
    positions[word] = std::max<std::int64_t>(positions[word], 1);
  }
  CorefWindows windows;
  windows.places = analysis::coreference_windows(positions, text.sentences, room, overlap);
  for (const analysis::TokenWindow& place : windows.places) {
    windows.sentences.push_back(
        tokenizer.encode_words(std::span(text.words)
                                   .subspan(static_cast<std::size_t>(place.begin),
                                            static_cast<std::size_t>(place.end - place.begin))));
  }
  return windows;
}

std::vector<model::GraphArc> coref_arcs(const Sentence& window, const std::vector<analysis::GraphArc>& arcs) {
  const std::vector<std::int64_t> tokens = model::vertex_tokens(window);
  std::vector<model::GraphArc> result;
  for (const analysis::GraphArc& arc : arcs) {
    const std::int64_t query = tokens[static_cast<std::size_t>(arc.query) + 1];
    const std::int64_t key = tokens[static_cast<std::size_t>(arc.key) + 1];
    if (query >= 0 && key >= 0) {
      result.push_back({query, key, arc.relation});
    }
  }
  return result;
}

Example coref_example(const Sentence& window, const std::vector<analysis::Chain>& chains) {
  using model::GraphLabels;
  Example example;
  for (const Token& token : window.tokens) {
    example.ids.push_back(token.id);
  }
  const std::vector<std::int64_t> tokens = model::vertex_tokens(window);
  example.nodes.assign(example.ids.size(), 0);
  std::vector<std::int64_t>& mentions = example.keys["mentions"];
  std::vector<std::int64_t>& antecedents = example.keys["antecedents"];
  mentions.assign(example.ids.size(), GraphLabels::kUnlabelled);
  antecedents = mentions;
  for (std::size_t word = 1; word < tokens.size(); ++word) {
    if (tokens[word] >= 0) {
      const auto token = static_cast<std::size_t>(tokens[word]);
      example.nodes[token] = 1;
      mentions[token] = antecedents[token] = GraphLabels::kNone;
    }
  }
  for (const model::GraphArc& arc : coref_arcs(window, analysis::coreference_graph(chains).arcs)) {
    (arc.relation == analysis::kMentionRelation ? mentions
                                                : antecedents)[static_cast<std::size_t>(arc.query)] = arc.key;
  }
  return example;
}

}  // namespace mog::app
