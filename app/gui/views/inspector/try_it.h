// What would be if: one change of a run at a time, made at once and shown as the largest changes that it
// leads to. It becomes a sentence of the workspace only when it is kept.
#pragma once

#include <QWidget>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/effects/run_changes.h"
#include "app/gui/session/tried_change.h"
#include "app/gui/views/common/view.h"
#include "app/gui/views/inspector/rows.h"
#include "app/gui/widgets/offer_button.h"
#include "app/workflow/record/next_tokens.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace mog::gui {

class TryIt : public QWidget {
  Q_OBJECT
 public:
  enum class Choice : std::uint8_t { mask, stand_in, replace, head, scale, gate };
  // What a change would be of.
  struct Target {
    std::optional<std::int64_t> token;  // of the sentence
    std::int64_t layer = 0;
    std::vector<Part> parts;  // whose head is cut
    std::int64_t head = 0;    // 0: none is chosen
    friend bool operator==(const Target&, const Target&) = default;
  };

  explicit TryIt(const ViewContext& context, QWidget* parent = nullptr);
  // `sentence`: the selected one.
  void setTarget(const Target& target, const Sentence& sentence);
  // What can be done where its model is not open.
  void setModelOffer(Offer offer);
  // Forgets what was tried.
  void clear();

  QPushButton& button(Choice choice) { return *buttons_.at(static_cast<std::size_t>(choice)); }
  QLineEdit& word() { return *word_; }
  QComboBox& scaled() { return *scaled_; }
  QDoubleSpinBox& value() { return *value_; }
  QPushButton& apply() { return *apply_; }
  QPushButton& keepButton() { return *keep_; }
  QPushButton& compareButton() { return *compare_; }
  QPushButton& allButton() { return *all_; }
  QPushButton& offerButton() { return *offer_; }
  Rows& changes() { return *rows_; }
  // What is said in the place of changes, or above them.
  QString message() const;
  // From the first line of an answer to its last row, in this widget.
  QRect answer() const;
  const std::optional<TriedChange>& tried() const { return tried_; }

 Q_SIGNALS:
  // What was tried stands there.
  void answered();
  // Another view is wanted: "compare".
  void asked(const QString& view);

 private:
  void build();
  void fill();
  void pressed(Choice choice);
  void openField(Choice choice);
  void applyField();
  void run(std::string text, std::vector<model::Intervention> interventions, const QString& condition);
  void runMore(const std::vector<model::Intervention>& more, const QString& condition);
  void replaceWord();
  // A change of what was recorded, or of the probability of an output token.
  struct Effect {
    std::size_t at = 0;  // in found_.largest or in outputs_
    bool output = false;
    double size = 0;
  };
  void showTried(TriedChange tried, analysis::RunChanges changes, std::vector<app::NextToken> outputs,
                 const QString& condition);
  void listChanges();
  void keep(bool compare);
  void choose(int row);
  void say(const QString& text);
  std::vector<std::int64_t> tokens() const;  // of the word
  QString targetWord() const;
  const WorkspaceModel* itsModel() const;
  bool ready() const;
  TypedSentence typedNow() const;

  ViewContext context_;
  Target target_;
  SentenceRef of_;
  Sentence sentence_;
  std::vector<QPushButton*> buttons_;
  QWidget* field_;
  QLineEdit* word_;
  QComboBox* scaled_;
  QDoubleSpinBox* value_;
  QPushButton* apply_;
  QLabel* message_;
  OfferButton* offer_;
  QLabel* condition_;
  Rows* rows_;
  QLabel* note_;
  QPushButton* all_;
  QPushButton* keep_;
  QPushButton* compare_;
  std::optional<Choice> open_;
  std::optional<TriedChange> tried_;
  analysis::RunChanges found_;
  std::vector<app::NextToken> outputs_;  // of a model with a decoder
  std::vector<Effect> effects_;          // by size
  bool list_all_ = false;
};

}  // namespace mog::gui
