// The views of a window, one of each kind: made here, found by class or by name, brought to the front; and
// which of them the reader has in use.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <span>
#include <vector>

#include "app/gui/views/view.h"
#include "app/gui/views/view_kind.h"

namespace mog::gui {

class ViewSet : public QObject {
  Q_OBJECT
 public:
  // Makes them: children of `middle` where a kind stands in the middle, else of `window`. The widgets are
  // their parents', and everything given outlives the set.
  ViewSet(std::span<const ViewKind* const> kinds, const ViewContext& context, QWidget& window,
          QWidget& middle);

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
  // Brings the dock of a view to the front, by its kind or name; does nothing for one in the middle.
  void show(const ViewKind& kind) const { show(QString::fromLatin1(kind.name)); }
  void show(const QString& name) const;

  // The one that had the focus or the pointer last, lists that only lead to others aside; nullptr: none yet.
  View* inUse() const { return in_use_; }
  // All, that one first.
  std::vector<View*> inUseFirst() const;

 Q_SIGNALS:
  // Of any view (View).
  void readout(const QString& text);
  void said(const QString& text);

 private:
  QWidget& widgetOf(const ViewKind& kind) const;
  void followFocus(const QWidget* now);

  std::span<const ViewKind* const> kinds_;
  std::vector<Made> made_;
  std::vector<View*> views_;
  QPointer<View> in_use_;
};

}  // namespace mog::gui
