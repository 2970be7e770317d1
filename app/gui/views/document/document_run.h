// A text in which a model finds mentions and what they go back to. Functions for workers; no widget here.
#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "app/gui/session/typed_run.h"
#include "app/workflow/graphs/coref_chains.h"

namespace mog::gui {

// One that was found. Words of the document, from 0.
struct ShownMention {
  app::MentionLinks links;
  std::int64_t chain = -1;  // from 0, of chains of several mentions; -1: it stands alone
};

struct ShownDocument {
  std::vector<QString> words;
  std::vector<std::int64_t> sentences;  // first word of each
  std::vector<ShownMention> mentions;   // by begin and end
  std::int64_t chains = 0;              // of several mentions
  std::string model;

  QString textOf(const analysis::Mention& mention) const;
  // Place in `mentions`; -1: it is none of them.
  std::int64_t find(const analysis::Mention& mention) const;
};

bool resolves_coreference(const OpenedModel& loaded);
// A line of the text is a sentence. Throws UsageError for a text without words, and as app::resolve_text.
std::shared_ptr<const ShownDocument> resolve_document(const OpenedModel& loaded, const std::string& text,
                                                      const std::stop_token& stop);
// Mentions by what they may go back to; the last column is nothing.
analysis::FigureData links_figure(const ShownDocument& document);

}  // namespace mog::gui
