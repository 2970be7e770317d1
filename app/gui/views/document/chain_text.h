// A text with its mentions: those of one chain have one colour and one number, one that stands alone is
// underlined. A click on a word chooses the shortest mention that has it, once more the next longer one.
// With the focus, Left and Right lead from mention to mention.
#pragma once

#include <QRect>
#include <QWidget>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/gui/views/document/document_run.h"

namespace mog::gui {

class ChainText : public QWidget {
  Q_OBJECT
 public:
  explicit ChainText(QWidget* parent = nullptr);
  void setDocument(std::shared_ptr<const ShownDocument> document);
  std::int64_t chosen() const { return chosen_; }  // place in the mentions; -1: none
  void choose(std::int64_t mention);
  // A candidate of the chosen one; -1: none.
  void light(std::int64_t mention);
  // Where a word stands; for tests and for scrolling.
  QRect wordPlace(std::int64_t word) const { return places_[static_cast<std::size_t>(word)]; }

  QSize sizeHint() const override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;

 Q_SIGNALS:
  void chosenChanged();
  void pointed(const QString& text);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  int arrange(int width, std::vector<QRect>& places) const;
  void measure();
  std::int64_t wordAt(QPoint point) const;
  std::vector<std::int64_t> mentionsAt(std::int64_t word) const;  // the shortest first
  void paintMention(QPainter& painter, std::int64_t mention) const;
  QString told(std::int64_t mention) const;

  std::shared_ptr<const ShownDocument> document_;
  std::vector<QRect> places_;
  std::vector<int> depths_;  // [mention] how many longer ones it lies in
  std::int64_t chosen_ = -1;
  std::int64_t lit_ = -1;
};

}  // namespace mog::gui
