// The line in which a sentence is typed for the model that is chosen, and how it is cut into words.
#pragma once

#include <QWidget>

#include "app/gui/views/common/view.h"

class QComboBox;
class QLineEdit;
class QToolButton;

namespace mog::gui {

class TypingField : public QWidget {
  Q_OBJECT
 public:
  explicit TypingField(const ViewContext& context, QWidget* parent = nullptr);
  QLineEdit& typing() { return *typing_; }
  QComboBox& words() { return *words_; }
  void focusTyping();
  // Runs the model on what stands there; with nothing there the line takes the keyboard.
  void run();
  // The same with a text from elsewhere, cut in the same way.
  void run(const QString& text);

 Q_SIGNALS:
  // The model runs on what stood there.
  void ran();

 private:
  void update();

  ViewContext context_;
  QLineEdit* typing_;
  QComboBox* words_;
  QToolButton* run_;
};

}  // namespace mog::gui
