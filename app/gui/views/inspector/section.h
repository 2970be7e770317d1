// What the inspector is built of: sections that fold, badges, and texts in the roles of the surface.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QWidget>

#include "io/recording/part.h"

class QVBoxLayout;

namespace mog::gui {

// Text that follows the theme.
class RoleLabel : public QLabel {
  Q_OBJECT
 public:
  enum class Role : std::uint8_t { title, section, plain, quiet };
  explicit RoleLabel(Role role, QWidget* parent = nullptr);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void dress();
  Role role_;
  bool dressing_ = false;
};

// A short text on a tint: what kind of thing is shown, and what may be claimed of it.
class Badge : public QLabel {
  Q_OBJECT
 public:
  enum class Colour : std::uint8_t { plain, part, kind, level };
  struct Content {
    QString text;
    Colour colour = Colour::plain;
    Part part = Part::none;
    QString tip = {};
  };
  explicit Badge(const Content& content, QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Content content_;
};

// A line that names a section and folds it.
class FoldButton : public QPushButton {
  Q_OBJECT
 public:
  explicit FoldButton(QWidget* parent = nullptr);
  void setNote(const QString& note);  // at the right
  void setBadge(const QString& badge);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString note_;
  QString badge_;
};

class Section : public QWidget {
  Q_OBJECT
 public:
  // `number`: in the setting that keeps which are folded.
  Section(int number, const QString& title, QWidget* parent = nullptr);
  int number() const { return number_; }
  void setTitle(const QString& title, const QString& note = {});
  QString title() const { return title_->text(); }
  FoldButton& head() { return *title_; }
  QVBoxLayout& body() { return *body_; }
  void setFolded(bool folded);
  bool folded() const { return content_->isHidden(); }

 Q_SIGNALS:
  void foldedByHand(int number, bool folded);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int number_;
  FoldButton* title_;
  QWidget* content_;
  QVBoxLayout* body_;
};

}  // namespace mog::gui
