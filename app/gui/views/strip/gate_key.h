// What the bars of the strip mean: which layers, the colours, the median; or how little words were foreseen.
#pragma once

#include <QWidget>
#include <optional>

#include "analysis/figure_data/gate_median.h"
#include "app/gui/views/strip/strip_words.h"

namespace mog::gui {

class GateKey : public QWidget {
  Q_OBJECT
 public:
  explicit GateKey(QWidget* parent = nullptr);
  // Layer 0: no gates, and nothing is drawn.
  void setLayers(std::int64_t first, std::int64_t last);
  // Where the bars are surprisals: what a full one is, in nats. 0: they are not.
  void setSurprisal(double full);
  void setMiddle(const std::optional<analysis::GateMiddle>& middle);
  // In the place of the key, while something goes on; empty: the key.
  void setNote(const QString& note);
  const QString& note() const { return note_; }
  // The line above, and the one beside the bar.
  QString title() const;
  QString median() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void explain();
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  double surprisal_ = 0;
  std::optional<analysis::GateMiddle> middle_;
  QString note_;
};

}  // namespace mog::gui
