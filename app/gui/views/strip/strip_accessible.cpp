#include "app/gui/views/strip/strip_accessible.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>
#include <vector>

#include "app/gui/views/strip/strip_line.h"

namespace mog::gui {
namespace {

class WordInterface : public QAccessibleInterface, public QAccessibleActionInterface {
 public:
  WordInterface(StripLine* line, int word) : line_(line), word_(word) {}
  bool isValid() const override {
    return line_ != nullptr && word_ < static_cast<int>(line_->sentence().words.size());
  }
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(line_); }
  QAccessibleInterface* child(int /*index*/) const override { return nullptr; }
  QAccessibleInterface* childAt(int /*x*/, int /*y*/) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface* /*child*/) const override { return -1; }
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  void setText(QAccessible::Text /*kind*/, const QString& /*text*/) override {}

  QString text(QAccessible::Text kind) const override {
    if (!isValid()) {
      return {};
    }
    return kind == QAccessible::Name          ? line_->nameOf(word_)
           : kind == QAccessible::Description ? line_->explain(word_)
                                              : QString();
  }

  QRect rect() const override {
    const StripPiece* piece = isValid() ? line_->places().pieceOf(word_) : nullptr;
    return piece == nullptr
               ? QRect()
               : QRect(line_->mapToGlobal(piece->box.topLeft().toPoint()), piece->box.size().toSize());
  }

  QAccessible::State state() const override {
    QAccessible::State state;
    state.invalid = !isValid();
    state.selectable = true;
    state.focusable = true;
    if (isValid()) {
      state.selected = line_->pinned() == word_;
      state.focused = state.selected && line_->hasFocus();
    }
    return state;
  }

  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
  }
  QStringList actionNames() const override { return {pressAction()}; }
  QStringList keyBindingsForAction(const QString& /*name*/) const override { return {}; }
  void doAction(const QString& name) override {
    if (isValid() && name == pressAction()) {
      line_->choose(word_);
    }
  }

 private:
  QPointer<StripLine> line_;
  int word_;
};

class LineInterface : public QAccessibleWidget {
 public:
  explicit LineInterface(StripLine* line) : QAccessibleWidget(line, QAccessible::List) {}
  LineInterface(const LineInterface&) = delete;
  LineInterface& operator=(const LineInterface&) = delete;
  ~LineInterface() override {
    for (const QAccessible::Id id : words_) {
      QAccessible::deleteAccessibleInterface(id);
    }
  }

  int childCount() const override { return static_cast<int>(line().sentence().words.size()); }

  QAccessibleInterface* child(int index) const override {
    if (index < 0 || index >= childCount()) {
      return nullptr;
    }
    while (static_cast<int>(words_.size()) <= index) {
      words_.push_back(QAccessible::registerAccessibleInterface(
          new WordInterface(&line(), static_cast<int>(words_.size()))));
    }
    return QAccessible::accessibleInterface(words_[static_cast<std::size_t>(index)]);
  }

  int indexOfChild(const QAccessibleInterface* child) const override {
    for (int index = 0; index < childCount(); ++index) {
      if (LineInterface::child(index) == child) {
        return index;
      }
    }
    return -1;
  }

  QAccessibleInterface* childAt(int x, int y) const override {
    return child(line().places().wordAt(QPointF(line().mapFromGlobal(QPoint(x, y)))));
  }

  QAccessibleInterface* focusChild() const override {
    return line().hasFocus() ? child(line().pinned()) : nullptr;
  }

 private:
  StripLine& line() const { return *static_cast<StripLine*>(widget()); }
  mutable std::vector<QAccessible::Id> words_;  // made when somebody asks
};

QAccessibleInterface* make_interface(const QString& /*class_name*/, QObject* object) {
  auto* line = qobject_cast<StripLine*>(object);
  return line == nullptr ? nullptr : new LineInterface(line);
}

}  // namespace

void install_strip_accessibility() {
  QAccessible::installFactory(make_interface);  // ignores one that it has
}

}  // namespace mog::gui
