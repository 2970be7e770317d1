// What can be chosen of attention maps, as settings of the window: matrix or arcs, words or pieces, special
// tokens, heads of the means, blocks of a pair, colours. Who shows them follows ViewState.
#pragma once

#include <QObject>
#include <cstdint>
#include <vector>

#include "analysis/figure_data/builders.h"
#include "app/gui/session/selection_model.h"
#include "app/gui/session/view_state.h"

namespace mog::gui {

class AttentionChoices : public QObject {
  Q_OBJECT
 public:
  // Both outlive it.
  AttentionChoices(ViewState& state, const SelectionModel& selection, QObject* parent = nullptr);

  enum class Show : std::uint8_t { both, matrix, arcs };
  Show show() const;
  void setShow(Show show);

  // Those that the means are over; empty: all.
  std::vector<std::int64_t> headsOfMean() const;
  // A head in or out of the means; the last one stays. head 0: all are in again.
  void toggleHead(std::int64_t head);
  // Only this head in the means; once more: all.
  void isolateHead(std::int64_t head);

  bool pieces() const;
  void togglePieces();
  // "matrix", "both", "none".
  static const QStringList& specialTokens();
  QString special() const;
  void setSpecial(const QString& where);
  void nextSpecialTokens();
  // Whether the colours are made for special tokens, too; else these are dimmed.
  bool specialInScale() const;
  void setSpecialInScale(bool in_scale);
  // Of a pair of texts in one input.
  analysis::PairBlock block() const;
  void setBlock(const analysis::PairBlock& block);
  // Of a text of more than kLongText tokens: those of the rows, or of the columns, that are shown. Else all.
  analysis::Stretch stretch(bool keys) const;
  void stepStretch(bool keys, std::int64_t by);
  // Brings the selected word and its key into what is shown; where queries and keys are of one stretch, both.
  void followSelection();
  // Heads, words, block and stretches as a map is asked for.
  analysis::TokenOptions tokenOptions() const;

  analysis::ColourScale::Colouring colours() const;
  void setColours(analysis::ColourScale::Colouring colours);

 Q_SIGNALS:
  void stretchChanged();
  // Why nothing happened.
  void said(const QString& text);

 private:
  void showFrom(std::int64_t query, std::int64_t key);

  // The first query and key of a long text that are shown, from 1. Like a place to which one scrolled: no
  // setting, and nothing to undo.
  std::int64_t first_query_ = 1;
  std::int64_t first_key_ = 1;
  ViewState& state_;
  const SelectionModel& selection_;
};

}  // namespace mog::gui
