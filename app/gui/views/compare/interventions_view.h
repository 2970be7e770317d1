// Interventions: mask or replace a word, cut a head, a part or a layer, set a gate. What is
// changed is what the shared selection points at; each one runs the sentence once more and makes a new
// sentence whose parent it is. The trail of interventions is listed, and can be written into a file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "app/gui/views/common/view.h"
#include "app/gui/widgets/offer_button.h"
#include "app/workflow/effects/ablate_job.h"
#include "model/intervention.h"

class QBoxLayout;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;

namespace mog::gui {

struct ViewKind;

class TrailModel;

class InterventionsView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit InterventionsView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override { return {}; }

  enum class Choice : std::uint8_t { mask, replace, head, part, layer, feed_forward, gate, graph };
  void setChoice(Choice choice);
  // What would be done now; empty: it cannot be (whatIsMissing() says why).
  std::vector<model::Intervention> interventions() const;
  QString whatIsMissing() const;
  void run();
  // The trail as text: a line a sentence with its parent and its change. Throws StorageError.
  void writeTrail(const QString& path) const;
  QLineEdit& word() { return *word_; }
  QDoubleSpinBox& value() { return *value_; }
  // Terms of attention that reads a graph, by their names on the command line.
  QComboBox& terms() { return *terms_; }
  TrailModel& trail() { return *trail_; }
  QTableView& trailView() { return *table_; }

 protected:
  void refresh() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void build();
  void fillChoices();
  void fillTerms(const WorkspaceItem& item);
  void update();
  Choice choice() const;
  const TypedSentence* typed() const;  // of the selected sentence
  const Sentence& sentence() const;    // only while typed() is there
  QString target() const;
  std::vector<Part> partsToCut() const;
  void exportTrail();

  std::map<QWidget*, QLabel*> labels_;  // of the fields
  QComboBox* what_;
  QComboBox* part_;
  QComboBox* terms_;
  std::vector<app::GraphTermSet> term_sets_;  // of its items
  QLabel* target_;
  QDoubleSpinBox* value_;
  QLineEdit* word_;
  QPushButton* run_;
  OfferButton* offer_;
  QPushButton* export_;
  QTableView* table_;
  TrailModel* trail_;
  QBoxLayout* halves_;  // what is asked for, the trail
  // The selected one, read again when another one is selected: signals of the selection come before
  // refresh().
  mutable Sentence sentence_;
  mutable std::weak_ptr<const RecordingSource> sentence_source_;
  mutable std::int64_t sentence_index_ = -1;
  bool following_ = false;
};

}  // namespace mog::gui
