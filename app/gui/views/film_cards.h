// What the cards of a filmstrip say of the graphs of a list.
#pragma once

#include <vector>

#include "app/gui/views/figure_data_tasks.h"
#include "app/gui/views/item_models/k_best_model.h"
#include "app/gui/widgets/film_strip.h"

namespace mog::gui {

// One for each row of the list, which holds the derivations of the answer.
std::vector<FilmCard> film_cards(const KBestModel& list, const SentenceGraphs& graphs,
                                 const SentenceGraphs::Answer& answer);
// "Best graphs of <b>telescope</b> at layer 6, one for each number of leaves; bar: weight, logarithmic".
QString film_title(const SentenceGraphs& graphs, const SentenceGraphs::Answer& answer);
// The card to begin with. By leaves the largest graph of at most eight leaves whose weight is not lost in
// rounding, 10⁻⁶; by weight the best that joins something: a word alone is no picture.
int card_to_show(const KBestModel& list);

}  // namespace mog::gui
