// A sentence and its translation: type a source, read the best translations with their scores, begin one with
// words of your own; a click on a word lights the words that it comes from, by cross-attention, contribution
// or ALTI+. Tiles of all cross-attention heads stand beside the map of words on words.
#pragma once

#include <QPointer>
#include <optional>

#include "app/gui/views/common/view.h"
#include "app/gui/views/translation/translation_run.h"

class QLineEdit;
class QListWidget;
class QSplitter;

namespace mog::gui {

struct ViewKind;

class FigureCanvas;
class LayerHeadGrid;
class TranslationWords;

class TranslationView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit TranslationView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;

  TranslationWords& words() { return *words_; }
  FigureCanvas& map() { return *map_; }
  LayerHeadGrid& grid() { return *grid_; }
  QListWidget& translations() { return *list_; }
  QLineEdit& begins() { return *begins_; }
  // What is shown; nullopt: nothing is.
  const std::optional<ShownTranslation>& shown() const { return shown_; }
  TakenBy by() const;

 protected:
  void refresh() override;

 private:
  void build();
  void connectParts();
  void translate(const WorkspaceModel& by, TypedSentence sentence);
  void take(ShownTranslation shown);
  void fillList();
  void drawMap();
  // The layer and head of cross-attention that are shown: those chosen, where this decoder has them.
  std::int64_t layer() const;
  std::int64_t head() const;
  void drawTiles();
  void light();
  void chooseTarget(std::optional<std::int64_t> word);
  void showEmpty(const Empty& empty);
  void setParts(bool shown);
  FigureCommand command() const;

  Choice* by_choice_;
  LineLabel* what_;
  QLineEdit* begins_;
  QListWidget* list_;
  TranslationWords* words_;
  QSplitter* splitter_;
  QWidget* tiles_ = nullptr;  // around the grid
  LayerHeadGrid* grid_;
  FigureCanvas* map_;
  std::optional<ShownTranslation> shown_;
  SentenceRef shown_of_;
  std::string asked_begin_;  // of the sentence that is shown
  std::size_t asked_chosen_ = 0;
  MadeFigure made_;
  bool filling_ = false;
};

}  // namespace mog::gui
