// A sentence parsed, with a picture of every step. Functions for workers; no widget here.
#pragma once

#include <QString>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/gui/session/typed_run.h"
#include "app/gui/views/common/figure_data_tasks.h"
#include "app/workflow/parse/parse_picture.h"

namespace mog::gui {

struct ParseQuestion {
  OpenedModel loaded;
  std::string text;
  model::WordCut words = model::WordCut::automatic;
  app::ParseChoice choice;
};

// Of a round, or of a state of a transition parser.
struct ParseStepPictures {
  FigurePointer arcs;
  FigurePointer matrix;
};

struct ShownParse {
  app::ParsedSentence parsed;
  std::vector<ParseStepPictures> steps;
};

struct ParseAnswer {
  std::shared_ptr<const ShownParse> shown;
  QString refused = {};  // why no tree obeys the arcs that are set; nothing is shown then
};

// Whether a model builds dependency trees.
bool is_parser(const OpenedModel& loaded);
// Throws as app::parse_text, but no ConstraintError.
ParseAnswer parse_shown(const ParseQuestion& question, const std::stop_token& stop);

}  // namespace mog::gui
