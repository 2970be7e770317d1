// The maps of the translation view: tiles of all heads, the picture beside them, what a place of it is.
#include <QLocale>
#include <QSplitter>
#include <algorithm>
#include <utility>

#include "app/gui/views/translation/translation_settings.h"
#include "app/gui/views/translation/translation_view.h"
#include "app/gui/views/translation/translation_words.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/workflow/common/shell_line.h"

namespace mog::gui {
namespace {

using Side = TranslationWords::Side;

std::optional<std::int64_t> word_at(const std::vector<std::int64_t>& words, std::int64_t place) {
  const bool any = place >= 0 && place < static_cast<std::int64_t>(words.size());
  const std::int64_t word = any ? words[static_cast<std::size_t>(place)] : -1;
  return word < 0 ? std::nullopt : std::optional(word);
}

std::optional<std::int64_t> place_of_word(const std::vector<std::int64_t>& words,
                                          std::optional<std::int64_t> word) {
  const auto at = word ? std::find(words.begin(), words.end(), *word) : words.end();
  return at == words.end() ? std::nullopt : std::optional<std::int64_t>(at - words.begin());
}

// Panels of a figure; one that has none is its own.
std::int64_t panels_of(const analysis::FigureData& figure) {
  const auto* const panels = std::get_if<analysis::PanelFigure>(&figure.body);
  return panels == nullptr ? 1 : static_cast<std::int64_t>(panels->panels.size());
}

const analysis::HeatMap& map_of(const analysis::FigureData& figure, std::int64_t panel) {
  const auto* const panels = std::get_if<analysis::PanelFigure>(&figure.body);
  return std::get<analysis::HeatMap>(
      panels == nullptr ? figure.body : panels->panels[static_cast<std::size_t>(panel)].body);
}

}  // namespace

QComboBox& TranslationView::mapsChoice() {
  return *maps_choice_;
}

void TranslationView::connectMaps() {
  using namespace of_translation;
  connect(grid_, &LayerHeadGrid::chosen, this, [this](std::int64_t layer, std::int64_t head) {
    state().set(kLayer, static_cast<double>(layer > grid_->grid()->layers ? 0 : layer));
    state().set(kHead, static_cast<double>(head));
    if (maps() == DecoderMaps::source) {
      state().set(kBy, name_of(TakenBy::cross_attention));
    }
  });
  connect(grid_, &LayerHeadGrid::hoveredMap, this, [this](std::int64_t layer, std::int64_t head) {
    const QString where = layer > grid_->grid()->layers ? tr("mean over layers") : tr("layer %1").arg(layer);
    Q_EMIT readout(layer == 0  ? QString()
                   : head == 0 ? tr("%1, mean over heads").arg(where)
                               : tr("%1, head %2").arg(where).arg(head));
  });
  connect(map_, &FigureCanvas::hovered, this, &TranslationView::point);
  connect(map_, &FigureCanvas::clicked, this, [this](const figures::Hit& hit) {
    panel_ = std::max<std::int64_t>(hit.panel, 0);
    const Place place = placeOf(hit);
    if (place.target) {
      words_->choose(Side::target, place.target);
    } else if (place.source) {
      words_->choose(Side::source, place.source);
    }
  });
}

DecoderMaps TranslationView::maps() const {
  const QString name = state().choice(of_translation::kMaps);
  const std::vector<DecoderMaps> all =
      shown_ ? maps_of(shown_->source->header()) : std::vector<DecoderMaps>();
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](DecoderMaps one) { return of_translation::name_of(one) == name; });
  return at != all.end() ? *at : all.empty() ? DecoderMaps::source : all.front();
}

TakenBy TranslationView::by() const {
  const QString name = state().choice(of_translation::kBy);
  const std::vector<TakenBy> ways = shown_ ? ways_of(shown_->source->header()) : std::vector<TakenBy>();
  const auto at = std::find_if(ways.begin(), ways.end(),
                               [&](TakenBy one) { return of_translation::name_of(one) == name; });
  return at != ways.end() ? *at : ways.empty() ? TakenBy::cross_attention : ways.front();
}

std::int64_t TranslationView::layer() const {
  const auto chosen = static_cast<std::int64_t>(state().number(of_translation::kLayer));
  return shown_ && chosen <= heads_of(shown_->source->header(), maps()).layers ? chosen : 0;
}

std::int64_t TranslationView::head() const {
  const auto chosen = static_cast<std::int64_t>(state().number(of_translation::kHead));
  return shown_ && chosen <= heads_of(shown_->source->header(), maps()).heads ? chosen : 0;
}

MapsQuestion TranslationView::question() const {
  return {shown_->source, shown_->index, maps(), by(), layer(), head()};
}

void TranslationView::drawTiles() {
  const bool any =
      shown_ && heads_of(shown_->source->header(), maps()).layers > 0 && !shown_->target_words.empty();
  tiles_->setVisible(any);
  if (!any) {
    jobs().cancelSlot(of_translation::kTilesSlot);
    return;
  }
  jobs().start(
      {.title = [] { return tr("Reading thumbnails"); }, .slot = of_translation::kTilesSlot, .quiet = true},
      this,
      [asked = question()](const JobContext& context) { return decoder_overview(asked, context.stop()); },
      [this](std::shared_ptr<const analysis::AttentionOverview> overview) {
        grid_->setGrid(std::move(overview));
        light();
      },
      [this](const QString& message) {
        grid_->clear();
        workspace().report(message);
      });
}

void TranslationView::nameMap() {
  map_->setAccessibleName(
      maps() == DecoderMaps::source ? tr("Words of the translation on words of the source")
      : maps() == DecoderMaps::own  ? tr("Words of the translation on those before them")
                                    : tr("Capsules of the global representation on words"));
}

void TranslationView::drawMap() {
  if (!shown_) {
    return;
  }
  maps_choice_->setCurrentIndex(maps_choice_->findData(static_cast<int>(maps())));
  by_choice_->setCurrent(static_cast<int>(by()));
  by_choice_->setVisible(maps() == DecoderMaps::source && ways_of(shown_->source->header()).size() > 1);
  nameMap();
  picture_ = {};  // the canvas shows that of the question before until the job ends
  map_->setBusy(true);
  jobs().start(
      {.title = [] { return tr("Reading a map"); }, .slot = of_translation::kMapSlot, .quiet = true}, this,
      [asked = question()](const JobContext& context) { return word_picture(asked, context.stop()); },
      [this](WordPicture picture) {
        picture_ = std::move(picture);
        words_->setWeights(picture_.weights, maps() == DecoderMaps::own ? Side::target : Side::source);
        map_->setFigure(picture_.made.figure);
        light();
      },
      [this](const QString& message) {
        picture_ = {};
        words_->setWeights({});
        map_->setEmpty(tr("No such map"), message);
      });
}

TranslationView::Place TranslationView::placeOf(const figures::Hit& hit) const {
  if (picture_.made.figure == nullptr) {
    return {};
  }
  if (maps() == DecoderMaps::capsules) {
    const std::int64_t panel = std::max<std::int64_t>(hit.panel, 0);
    const bool gate = panel + 1 == panels_of(*picture_.made.figure);
    return {gate ? word_at(picture_.target_columns, hit.column) : std::nullopt,
            panel < picture_.layers ? word_at(picture_.source_columns, hit.column) : std::nullopt};
  }
  Place place{word_at(picture_.target_rows, hit.row), word_at(picture_.source_columns, hit.column)};
  if (!place.target) {
    place.target = word_at(picture_.target_columns, hit.column);
  }
  return place;
}

// A row of capsules lights the words that the capsule collects, as long as the pointer is there.
void TranslationView::point(const std::optional<figures::Hit>& hit) {
  Q_EMIT readout(hit ? hit->readout : QString());
  if (maps() != DecoderMaps::capsules || picture_.made.figure == nullptr) {
    return;
  }
  std::vector<double> values;
  if (hit && hit->row >= 0 && hit->panel < picture_.layers) {
    const analysis::HeatMap& map = map_of(*picture_.made.figure, hit->panel);
    values.assign(shown_->source_words.size(), 0);
    for (std::size_t column = 0; column < picture_.source_columns.size(); ++column) {
      if (picture_.source_columns[column] >= 0) {
        values[static_cast<std::size_t>(picture_.source_columns[column])] +=
            map.value(hit->row, static_cast<std::int64_t>(column));
      }
    }
  }
  words_->shadeSource(std::move(values));
}

figures::Highlight TranslationView::highlight() const {
  const auto target = words_->chosen(Side::target);
  const auto source = words_->chosen(Side::source);
  figures::Highlight highlight;
  switch (maps()) {
    case DecoderMaps::source:
      highlight.row = target;
      highlight.column = source;
      break;
    case DecoderMaps::own:
      highlight.row = place_of_word(picture_.target_rows, target);
      break;
    case DecoderMaps::capsules:
      highlight.column = place_of_word(picture_.source_columns, source);
      highlight.panel = std::clamp<std::int64_t>(panel_, 0, std::max<std::int64_t>(picture_.layers - 1, 0));
      if (!highlight.column) {
        highlight.column = place_of_word(picture_.target_columns, target);
        highlight.panel = panels_of(*picture_.made.figure) - 1;
      }
      if (!highlight.column || panels_of(*picture_.made.figure) == 1) {
        highlight.panel.reset();
      }
      break;
  }
  return highlight;
}

void TranslationView::light() {
  const auto source = words_->chosen(Side::source);
  map_->setHighlight(picture_.made.figure ? highlight() : figures::Highlight{});
  if (picture_.made.figure && maps() != DecoderMaps::capsules) {
    map_->see(map_->highlight().row, map_->highlight().column);
  }
  const bool attention = maps() != DecoderMaps::source || by() == TakenBy::cross_attention;
  const std::int64_t layers = grid_->grid()->layers;
  grid_->setCurrent(layer() > 0 ? layer() : layers + (layers > 1 ? 1 : 0), attention ? head() : 0);
  sayWhatIsShown();
  if (source && shown_ && shown_->source_tokens[static_cast<std::size_t>(*source)] >= 0) {
    selection().setToken(shown_->source_tokens[static_cast<std::size_t>(*source)]);
  }
}

void TranslationView::sayWhatIsShown() {
  if (maps() == DecoderMaps::capsules) {
    what_->setText(tr("the pointer on a row lights the words that the capsule collects"));
    return;
  }
  const bool own = maps() == DecoderMaps::own;
  const QString lights = own ? tr("a click on a word lights those before it that it reads")
                             : tr("a click on a word lights the words that it comes from");
  if (!own && by() != TakenBy::cross_attention) {
    what_->setText(lights);
    return;
  }
  const QString of_layer = layer() == 0 ? tr("mean over layers") : tr("layer %1").arg(layer());
  const QString of_head = head() == 0 ? tr("mean over heads") : tr("head %1").arg(head());
  what_->setText(tr("%1, %2; %3").arg(of_layer, of_head, lights));
}

// Records the sentence with the translation that is shown; a recording is there already.
FigureCommand TranslationView::command() const {
  const WorkspaceItem* item = workspace().selectedItem();
  FigureCommand command = commandOf(picture_.made.made_by);
  if (item == nullptr || shown_->found.empty()) {
    return command;
  }
  const WorkspaceModel* model = workspace().modelOf(*item);
  const QString source = QString::fromStdString(shown_->source->sentence(shown_->index).text);
  if (model == nullptr ||
      (item->kind == WorkspaceItem::Kind::typed &&
       !item->typed.at(static_cast<std::size_t>(selection().sentence().index)).interventions.empty())) {
    command.arguments.clear();
    command.why_not =
        tr("A sentence that was changed inside the model has no command: mog record runs "
           "sentences as they are.");
    return command;
  }
  const auto line = [](const std::vector<std::string>& words) {
    return QString::fromStdString(app::shell_line(words));
  };
  std::vector<std::string> record = {
      "mog",      "record",          "--model",  model->path.toStdString(), "--input",   "-",
      "--target", "translation.txt", "--output", "translation.rec",         "--capture", "summary,attention",
      "--store",  "float32"};
  if (const std::string quantity = picture_.made.made_by.text_of("quantity"); !quantity.empty()) {
    record.insert(record.end(), {"--quantity", quantity});
  }
  command.prepare = line({"printf", "%s\\n", shown_->target_line.toStdString()}) +
                    QStringLiteral(" > translation.txt && ") +
                    line({"printf", "%s\\n", source.toStdString()}) + QStringLiteral(" | ") + line(record);
  app::FigureRequest request = picture_.made.made_by;
  request.inputs = {"translation.rec"};
  command.arguments = app::figure_arguments(request);
  command.why_not.clear();
  return command;
}

std::vector<ExportItem> TranslationView::exports() const {
  if (!shown_ || map_->figure() == nullptr || !picture_.made.figure) {
    return {};
  }
  const bool capsules = maps() == DecoderMaps::capsules;
  const QString title = capsules                     ? tr("What capsules collect")
                        : maps() == DecoderMaps::own ? tr("Attention to own words")
                                                     : tr("Word alignment");
  const QString name = capsules                     ? QStringLiteral("routing")
                       : maps() == DecoderMaps::own ? QStringLiteral("self-attention")
                                                    : QStringLiteral("alignment");
  return {{title, QStringLiteral("%1-s%2").arg(name).arg(selection().sentence().index + 1), map_->figure(),
           map_->highlight(), command()}};
}

}  // namespace mog::gui
