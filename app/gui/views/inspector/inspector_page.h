// The column of the inspector: a title as a sentence, facts, and sections that fold. It shows what it is
// given; what a click on it chooses, it tells.
#pragma once

#include <QWidget>
#include <map>
#include <optional>
#include <vector>

#include "app/gui/views/inspector/inspector_facts.h"
#include "app/gui/views/inspector/inspector_text.h"
#include "app/gui/views/inspector/rows.h"
#include "app/gui/views/inspector/section.h"
#include "app/gui/views/inspector/try_it.h"
#include "app/gui/widgets/offer_button.h"

namespace mog::gui {

// What stands above the sections.
struct InspectorHead {
  QString place;  // "Join, layer 3, middle 2"
  QString title;  // HTML
  std::vector<Badge::Content> badges;
  InspectorSentence sentence;
  std::vector<std::pair<QString, QString>> facts;  // name, HTML
};

class WeightBoxes;

class InspectorPage : public QWidget {
  Q_OBJECT
 public:
  // As the setting of folded sections numbers them.
  enum Block : int { changes = 1, weight, kind, heads, parts, keys, terms, gate, joins, tries, next };

  explicit InspectorPage(const ViewContext& context, QWidget* parent = nullptr);
  // Everything of a subject but its graph, which comes later; `head` says what it is.
  void showFacts(const InspectorHead& head, const InspectorQuestion& question, const InspectorFacts& facts);
  // Nothing is selected; `hint` says what to click.
  void showEmpty(const QString& title, const QString& hint);
  void showGraph(const InspectorQuestion& question, const InspectorFacts& facts, const BestGraph& graph);
  void showNoGraph(const QString& why);
  // What can be done where the model of what is shown next is not open.
  void setModelOffer(const Offer& offer);
  void setFolded(const std::vector<int>& sections);

  QString place() const { return place_->text(); }
  QString title() const;
  QString sentence() const { return sentence_->accessibleName(); }
  QString factsText() const { return facts_->accessibleName(); }
  QStringList badges() const;
  Section& section(Block which) { return *sections_.at(which); }
  Rows& rows(Block which) { return *rows_.at(which); }
  QString note(Block which) const;
  GateLine& gateLine() { return *gates_; }
  TryIt& tryIt() { return *try_; }
  QPushButton& termsOffer() { return *terms_offer_; }

 Q_SIGNALS:
  void folded(int section, bool folded);
  void headChosen(int head);
  void partChosen(mog::Part part);
  void keyChosen(int token);
  void layerChosen(int layer);
  void changeChosen(const mog::analysis::RunChange& change);
  void joinChosen(int join);
  void tokenChosen(int token);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  Section* add(Block which, const QString& title);
  void addRows(Block which, Rows::Kind shown, const QString& name);
  void say(Block which, const QString& text);
  void fillHead(const InspectorHead& head);
  void fillFacts();
  void fillJoin(const InspectorQuestion& question, const InspectorFacts& facts);
  void fillMaps(const InspectorQuestion& question, const InspectorFacts& facts);
  void fillTerms(const InspectorFacts& facts);
  void fillNext(const InspectorQuestion& question, const InspectorFacts& facts);
  void fillNextOfWord(const InspectorQuestion& question, const InspectorFacts& facts);
  void fillNextOfSentence(const InspectorFacts& facts);
  void fillChanges(const InspectorQuestion& question, const InspectorFacts& facts);
  void listChanges();
  void setHeads(const std::vector<double>& heads, std::int64_t chosen, Part part);

  RoleLabel* place_;
  RoleLabel* title_;
  QWidget* badge_row_;
  RoleLabel* sentence_;
  RoleLabel* facts_;
  std::map<int, Section*> sections_;
  std::map<int, Rows*> rows_;
  std::map<int, RoleLabel*> notes_;
  WeightBoxes* boxes_;
  GateLine* gates_;
  TryIt* try_;
  QPushButton* all_changes_;
  OfferButton* terms_offer_;
  Offer model_offer_;
  std::vector<std::pair<QString, QString>> facts_of_head_;
  bool list_all_ = false;
  // What the rows are of.
  std::vector<analysis::RunChange> shown_changes_;
  QString held_;  // of two runs without an intervention: what their numbers are called; else empty
  QString shown_;
  std::int64_t count_ = 0;
  Sentence of_;
  RecordingHeader header_;
  std::vector<Part> shown_parts_;
  std::vector<std::int64_t> shown_keys_;  // tokens; -1: the special ones together
  std::vector<std::int64_t> shown_next_;  // tokens of the rows of a sentence; empty: of a word
};

}  // namespace mog::gui
