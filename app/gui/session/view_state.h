// How the views show what is selected: named settings. Every change is a step of the window's
// undo stack, every setting stands in the session.
//
// Views read a setting when they draw, set() it when a hand changes it, and follow changed(): they do not
// know who changed it (another view, undo, a session). Lives in the window's thread.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/workflow/common/former_names.h"
#include "app/workflow/session/session.h"

class QUndoStack;

namespace mog::gui {

// Names of settings that several views read, or that tests and sessions name. What they may be, and what they
// are at first, says the view that they belong to (ViewKind::settings).
namespace setting {
inline const QString kAttentionShow = QStringLiteral("attention.show");      // both, matrix, arcs
inline const QString kAttentionPieces = QStringLiteral("attention.pieces");  // pieces are words of their own
inline const QString kAttentionSpecial = QStringLiteral("attention.special");  // matrix, both, none
inline const QString kAttentionColours = QStringLiteral("attention.colours");  // power, root, even, cividis
// Special tokens are in the scale of the colours.
inline const QString kAttentionSpecialScale = QStringLiteral("attention.special_scale");
inline const QString kAttentionThreshold = QStringLiteral("attention.threshold");  // -1: two arcs a word
inline constexpr double kGreatestThreshold = 1000;  // expected joins are sums over layers
inline const QString kAttentionBlock = QStringLiteral("attention.block");  // two numbers, 0: all
inline const QString kHeadsOff = QStringLiteral("attention.heads_off");    // left out of means
inline const QString kGatesShow = QStringLiteral("gates.show");            // layers, dimensions
inline const QString kGraphsShow = QStringLiteral("graphs.show");          // tree, arcs
inline const QString kGraphsWords = QStringLiteral("graphs.words");        // its, all
inline const QString kGraphsFlow = QStringLiteral("graphs.flow");          // opacity behind a tree
inline const QString kGraphsList = QStringLiteral("graphs.list");          // by-leaves, best
inline const QString kWeightsMeasure = QStringLiteral("weights.measure");  // gate, share, entropy, max, order
inline const QString kWeightsShow = QStringLiteral("weights.show");        // length, layer, difference
inline const QString kCompareWhat = QStringLiteral("compare.what");        // attention, gate, corpus
inline const QString kCompareMeasure = QStringLiteral("compare.measure");  // as weights.measure
inline const QString kComparePairs = QStringLiteral("compare.pairs");      // text, partial, number
inline const QString kFiguresKind = QStringLiteral("figures.kind");        // of `mog figure list`
inline const QString kFiguresQuantity = QStringLiteral("figures.quantity");  // name of a recorded quantity
inline const QString kWorkspace =
    QStringLiteral("window.layout");  // read, graphs, attention, corpus, compare
inline const QString kFlowThreshold = QStringLiteral("flow.threshold");  // -1: two edges a word and layer
inline const QString kFlowState = QStringLiteral("flow.state");  // "", "ancestors 4@2", "descendants …"
inline const QString kTypedWords = QStringLiteral("sentences.words");     // auto, spaces, ud-en, characters
inline const QString kDecomposed = QStringLiteral("decomposition.show");  // score, weight, values, state, …
}  // namespace setting

// What a setting is at first, how it is called in "Undo …", and what it may be.
struct Setting {
  QString name;
  app::SessionValue initial;
  const char* text;          // QT_TRANSLATE_NOOP("mog::gui::ViewState", …)
  QStringList choices = {};  // of a text; empty: any short one
  double low = 0;            // of a number, and of the numbers of a list
  double high = 0;
  std::optional<app::NameOf> names = {};  // of a text: names that had others in earlier versions
};

class ViewState : public QObject {
  Q_OBJECT
 public:
  using Value = app::SessionValue;
  // Of all views and of the window; no name twice.
  explicit ViewState(std::vector<Setting> settings, QObject* parent = nullptr);

  // `name` is one of the settings and of that kind.
  bool flag(const QString& name) const;
  double number(const QString& name) const;
  QString choice(const QString& name) const;
  std::vector<std::int64_t> list(const QString& name) const;

  // Does nothing for the value that it has. Changes of one setting that follow each other within a second
  // (a slider) are one step. Ignored for a value that the setting cannot have.
  void set(const QString& name, const Value& value);
  void set(const QString& name, const QString& value) { set(name, Value(value.toStdString())); }
  void set(const QString& name, const char* value) = delete;

  QUndoStack& history() { return *history_; }
  const QUndoStack& history() const { return *history_; }

  // All of them, for a session.
  std::map<std::string, Value> values() const;
  // Takes what it knows, everything else is as at first, and forgets what could be undone. Returns the names
  // that it does not know or whose values cannot be.
  QStringList restore(const std::map<std::string, Value>& values);

 Q_SIGNALS:
  void changed(const QString& name);

 private:
  friend class SettingCommand;
  void apply(const QString& name, const Value& value);
  const Value& value(const QString& name) const;
  const Setting* find(const QString& name) const;
  std::vector<Setting> settings_;
  QUndoStack* history_;
  std::map<QString, Value> values_;
};

// The heads that means are over, of `heads`; empty: all.
std::vector<std::int64_t> heads_of_mean(const ViewState& state, std::int64_t heads);

}  // namespace mog::gui
