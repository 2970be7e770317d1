#include "app/gui/views/document/document_run.h"

#include <fmt/format.h>

#include <QStringList>
#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "analysis/figure_data/builders.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

app::CorefText coref_text(const model::Tokenizer& tokenizer, const std::string& text) {
  app::CorefText document;
  document.name = "text";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Sentence sentence = tokenizer.encode(line, 0);
    if (!sentence.words.empty()) {
      document.sentences.push_back(static_cast<std::int64_t>(document.words.size()));
    }
    for (const Word& word : sentence.words) {
      document.words.push_back(word.text);
    }
  }
  if (document.words.empty()) {
    throw UsageError("resolving coreference: the text has no words; type at least one");
  }
  return document;
}

// "she (12)": words alike are told apart by their places, from 1.
std::string label_of(const ShownDocument& document, const analysis::Mention& mention) {
  return fmt::format("{} ({})", document.textOf(mention).toStdString(), mention.begin + 1);
}

}  // namespace

QString ShownDocument::textOf(const analysis::Mention& mention) const {
  QStringList texts;
  for (std::int64_t word = mention.begin; word < mention.end; ++word) {
    texts.push_back(words[static_cast<std::size_t>(word)]);
  }
  return texts.join(QLatin1Char(' '));
}

std::int64_t ShownDocument::find(const analysis::Mention& mention) const {
  const auto at = std::find_if(mentions.begin(), mentions.end(),
                               [&](const ShownMention& one) { return one.links.mention == mention; });
  return at == mentions.end() ? -1 : at - mentions.begin();
}

bool resolves_coreference(const OpenedModel& loaded) {
  const auto& graph = loaded.model->config().graph;
  return graph && graph->kind == model::GraphKind::coreference;
}

std::shared_ptr<const ShownDocument> resolve_document(const OpenedModel& loaded, const std::string& text,
                                                      const std::stop_token& stop) {
  const app::CorefText document = coref_text(*loaded.tokenizer, text);
  app::CorefOptions options;
  options.look_at_mentions = true;
  options.stop = stop;
  if (loaded.longest > 0) {
    options.window = std::min(loaded.model->config().graph->window, loaded.longest);
  }
  app::ResolvedText found = app::resolve_text(*loaded.model, *loaded.tokenizer, document, options);
  auto shown = std::make_shared<ShownDocument>();
  shown->model = loaded.model->card().name;
  shown->sentences = document.sentences;
  for (const std::string& word : document.words) {
    shown->words.push_back(QString::fromStdString(word));
  }
  std::map<analysis::Mention, std::int64_t> chains;
  for (const analysis::Chain& chain : found.chains) {
    if (chain.size() > 1) {
      for (const analysis::Mention& mention : chain) {
        chains.emplace(mention, shown->chains);
      }
      ++shown->chains;
    }
  }
  for (app::MentionLinks& links : found.mentions) {
    const auto chain = chains.find(links.mention);
    shown->mentions.push_back({std::move(links), chain == chains.end() ? -1 : chain->second});
  }
  return shown;
}

analysis::FigureData links_figure(const ShownDocument& document) {
  analysis::HeatMap map;
  map.row_title = "mention";
  map.column_title = "goes back to";
  map.scale.quantity = {"probability", "", ""};
  map.scale.colouring = analysis::ColourScale::Colouring::power;
  const std::size_t count = document.mentions.size();
  for (const ShownMention& mention : document.mentions) {
    map.rows.push_back({.text = label_of(document, mention.links.mention)});
  }
  map.columns = map.rows;
  map.columns.push_back({.text = "nothing", .special = true});
  map.values.assign(count * (count + 1), analysis::kAbsent);
  for (std::size_t row = 0; row < count; ++row) {
    const app::MentionLinks& links = document.mentions[row].links;
    const std::size_t first = row * (count + 1);
    map.values[first + count] = links.none;
    auto best = static_cast<std::int64_t>(count);
    double greatest = links.none;
    for (const app::MentionLinks::Candidate& candidate : links.candidates) {
      const std::int64_t column = document.find(candidate.mention);
      if (column < 0) {
        continue;  // of another window
      }
      map.values[first + static_cast<std::size_t>(column)] = candidate.probability;
      if (candidate.probability > greatest) {
        greatest = candidate.probability;
        best = column;
      }
    }
    map.marks.push_back({static_cast<std::int64_t>(row), best, analysis::CellMark::Kind::found});
  }
  analysis::FigureData figure;
  ModelCard card;
  card.name = document.model;
  figure.caption = analysis::caption(
      card, "typed text",
      counted(static_cast<std::int64_t>(count), "mention") + ", " + counted(document.chains, "chain"), "");
  figure.body = std::move(map);
  return figure;
}

}  // namespace mog::gui
