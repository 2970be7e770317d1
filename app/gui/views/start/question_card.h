// A question of the first page: a button with what it leads to, an answer in numbers, and its key.
#pragma once

#include <QAbstractButton>

#include "app/gui/widgets/icons.h"

namespace mog::gui {

class QuestionCard : public QAbstractButton {
  Q_OBJECT
 public:
  QuestionCard(Icon icon, const QString& key, QWidget* parent = nullptr);
  void setQuestion(const QString& title, const QString& detail);
  QString detail() const { return detail_; }
  // The one that Enter chooses.
  void setFirst(bool first);
  // That of a note which is about the question; 0: none.
  void setNumber(int number);
  int number() const { return number_; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  QFont titleFont() const;
  QFont detailFont() const;
  int textWidth(int width) const;
  Icon icon_;
  QString key_;
  QString detail_;
  bool first_ = false;
  int number_ = 0;
};

}  // namespace mog::gui
