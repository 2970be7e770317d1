// Two recordings of the same sentences against each other: the figure corpus-difference, counted in a job. It
// is of the recordings, not of the sentences: another sentence of the same two asks nothing anew.
#pragma once

#include <QObject>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "app/gui/views/common/view.h"
#include "app/gui/views/compare/sentence_difference.h"

namespace mog::gui {

class CorpusComparison : public QObject {
  Q_OBJECT
 public:
  // Its controls are children of `view`, hidden at first.
  CorpusComparison(const ViewContext& context, QWidget& view);

  // Controls for the line of tools: quantity, and which sentences belong together.
  Combo& measure() { return *measure_; }
  Combo& pairs() { return *pairs_; }
  void hideChoices();

  // The figure and what is said beside it, or what stands in its place.
  struct Answer {
    FigurePointer figure;
    QString text;  // with a note; or the title in the place of the figure
    QString note;  // or a hint
    bool counting = false;
  };
  // Of the recordings of two sentences, which are open; starts to count where that was not asked last, and
  // shows the controls that have a choice.
  Answer answer(const ComparedSide& first, const ComparedSide& second);
  // Asked once more it counts again, though it was cancelled or failed.
  void forgetFailure() { asked_.why_not.clear(); }

  // Of the last answer; nullptr: there is none yet.
  const FigurePointer& figure() const { return asked_.figure; }
  // The layer that is meant by a place of the figure.
  std::optional<std::int64_t> layerAt(const figures::Hit& hit) const;
  // For export: what makes the figure, of which items, and its name.
  app::FigureRequest request() const;
  std::vector<int> items() const { return {asked_.first.item, asked_.second.item}; }
  QString fileName() const;

 Q_SIGNALS:
  // There is another answer.
  void changed();

 private:
  // What was asked last, and its answer.
  struct Asked {
    SentenceRef first;  // any of the recording
    SentenceRef second;
    std::weak_ptr<const RecordingSource> first_source;
    std::weak_ptr<const RecordingSource> second_source;
    analysis::Measure measure{};
    QString pairs = {};  // setting::kComparePairs
    FigurePointer figure = {};
    QStringList notes = {};
    QString why_not = {};  // with neither it is being counted
    QString hint = {};
  };
  void buildChoices();
  Answer none(const QString& title, const QString& hint);
  // None: they have none in common.
  std::optional<analysis::Measure> chooseMeasure(const RecordingHeader& first, const RecordingHeader& second);
  void count(const ComparedSide& first, const ComparedSide& second, analysis::Measure measure);
  void fail(const QString& why_not, const QString& hint);
  Answer known() const;

  ViewContext context_;
  Combo* measure_;
  Combo* pairs_;
  std::vector<analysis::Measure> measures_;
  Asked asked_;
  int job_ = 0;
};

// What figures call the recordings of two sentences, as on the command line; nothing where one is no
// recording.
std::vector<RecordingLabel> labels_of(const Workspace& workspace, const ComparedSide& first,
                                      const ComparedSide& second);

}  // namespace mog::gui
