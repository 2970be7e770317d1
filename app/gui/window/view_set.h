// The views of a window, one of each kind: made here, found by class or by name, brought to the front; and
// which of them the reader has in use.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <span>
#include <vector>

#include "app/gui/views/common/view.h"
#include "app/gui/views/common/view_kind.h"

namespace mog::gui {

class ViewSet : public QObject {
  Q_OBJECT
 public:
  // Makes them, hidden children of `window`, whose they are. Everything given outlives the set.
  ViewSet(std::span<const ViewKind* const> kinds, const ViewContext& context, QWidget& window);

  std::span<const ViewKind* const> kinds() const { return kinds_; }
  struct Made {
    const ViewKind* kind;
    QWidget* widget;
  };
  // In the order of the kinds.
  const std::vector<Made>& made() const { return made_; }
  // The one of a class, whose kind is in the set.
  template <class V>
  V& get() const {
    return static_cast<V&>(widgetOf(V::kind()));
  }
  // Asks for a view to come to the front, by its kind or name.
  void show(const ViewKind& kind) const { show(QString::fromLatin1(kind.name)); }
  void show(const QString& name) const { Q_EMIT const_cast<ViewSet*>(this)->wanted(name); }
  // nullptr: there is none of this name.
  QWidget* find(const QString& name) const;
  // The view that a widget is, or is in; empty: in none.
  QString nameOf(const QWidget* widget) const;

  // The one that had the focus or the pointer last, lists that only lead to others aside; nullptr: none yet.
  View* inUse() const { return in_use_; }
  // From a line, a table or a page that ended: the picture of a view in sight takes the keyboard.
  void focusPicture() const;
  // All, that one first.
  std::vector<View*> inUseFirst() const;

 Q_SIGNALS:
  // Of any view (View).
  void readout(const QString& text);
  void said(const QString& text);
  void openAsked();
  void typingAsked();
  void recordAsked();
  // show(): whoever places them brings it there.
  void wanted(const QString& name);

 private:
  QWidget& widgetOf(const ViewKind& kind) const;
  void followFocus(const QWidget* now);

  std::span<const ViewKind* const> kinds_;
  std::vector<Made> made_;
  std::vector<View*> views_;
  QPointer<View> in_use_;
};

}  // namespace mog::gui
