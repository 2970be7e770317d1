// A sentence and its translation: type a source, read the best translations with their scores, begin one with
// words of your own; a click on a word lights the words that it comes from, by cross-attention, contribution
// or ALTI+. Tiles of all heads stand beside the map of words on words: of cross-attention, or of the
// decoder's attention to its own words. Of a model with a global representation its capsules, their weights
// and the gate are shown in their place.
#pragma once

#include <QPointer>
#include <optional>

#include "app/gui/views/common/view.h"
#include "app/gui/views/translation/translation_maps.h"
#include "app/gui/views/translation/translation_run.h"

class QComboBox;
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
  DecoderMaps maps() const;
  QComboBox& mapsChoice();

 protected:
  void refresh() override;

 private:
  void build();
  void connectParts();
  void connectMaps();
  void translate(const WorkspaceModel& by, TypedSentence sentence);
  void take(ShownTranslation shown);
  void fillList();
  void drawMap();
  void nameMap();  // for a screen reader
  void drawTiles();
  // Layer and head of the attention that is shown: those chosen, where this decoder has them.
  std::int64_t layer() const;
  std::int64_t head() const;
  MapsQuestion question() const;
  // Words of a place of the picture.
  struct Place {
    std::optional<std::int64_t> target;
    std::optional<std::int64_t> source;
  };
  Place placeOf(const figures::Hit& hit) const;
  void point(const std::optional<figures::Hit>& hit);
  figures::Highlight highlight() const;
  void light();
  void sayWhatIsShown();
  void showEmpty(const Empty& empty);
  void setParts(bool shown);
  FigureCommand command() const;

  Combo* maps_choice_;
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
  WordPicture picture_;
  std::int64_t panel_ = 0;  // of capsules: where the last word was chosen
  bool filling_ = false;
};

}  // namespace mog::gui
