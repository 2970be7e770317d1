// The pictures of the parse view: what a step is called, what a place of one is, what is lit in both, and the
// arcs that are set by hand.
#include <QLocale>
#include <QToolButton>
#include <algorithm>

#include "app/gui/views/parse/arc_chips.h"
#include "app/gui/views/parse/parse_view.h"
#include "app/gui/views/parse/step_bar.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/workflow/common/shell_line.h"

namespace mog::gui {
namespace {

QString probability_text(double probability) {
  return QLocale().toString(probability, 'f', probability > 0.9995 && probability < 1 ? 4 : 3);
}

std::int64_t changed_arcs(const analysis::FigureData& figure) {
  const auto& arcs = std::get<analysis::ArcFigure>(figure.body).arcs;
  return std::count_if(arcs.begin(), arcs.end(), [](const analysis::Arc& arc) { return arc.changed; });
}

}  // namespace

QString ParseView::roundText(std::int64_t round) const {
  if (steps_->steps() == 1) {
    return {};
  }
  const QString where = tr("Round %1 of %2").arg(round).arg(steps_->steps());
  const auto& step = shown_->steps[static_cast<std::size_t>(round) - 1];
  const std::int64_t changed = changed_arcs(*step.arcs);
  return round == 1     ? tr("%1: the sentence alone is read").arg(where)
         : changed == 0 ? tr("%1: the tree stays").arg(where)
                        : tr("%1: %2 changed").arg(where).arg(changed);
}

QString ParseView::transitionText(std::int64_t state) const {
  const QString where = tr("State %1 of %2").arg(state).arg(steps_->steps());
  const auto& steps = shown_->parsed.parse.steps;
  const auto at = static_cast<std::size_t>(state) - 1;
  if (at >= steps.size()) {
    return tr("%1: the tree is complete").arg(where);
  }
  const app::ParseStep& step = steps[at];
  const std::string_view name = analysis::name(step.transition.action);
  QString action = QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
  if (step.transition.label >= 0) {
    action += QLatin1Char(' ') + QString::fromStdString(shown_->parsed.label(step.transition.label));
  }
  return tr("%1: next %2, p %3")
      .arg(where, action,
           probability_text(step.probabilities[static_cast<std::size_t>(step.transition.action)]));
}

QString ParseView::stateText() const {
  return state_->text();
}

void ParseView::sayStep() {
  const std::int64_t now = steps_->current();
  if (!shown_->parsed.by_transitions()) {
    steps_->setText(roundText(now),
                    steps_->steps() == 1 ? QString() : QStringLiteral("%1/%2").arg(now).arg(steps_->steps()));
    return;
  }
  steps_->setText(transitionText(now), QStringLiteral("%1/%2").arg(now).arg(steps_->steps()));
  analysis::ParserState state(static_cast<std::int32_t>(shown_->parsed.sentence.words.size()));
  for (std::int64_t step = 1; step < now; ++step) {
    state.apply(shown_->parsed.parse.steps[static_cast<std::size_t>(step) - 1].transition);
  }
  const auto words = [this](std::span<const std::int32_t> vertices) {
    QStringList texts;
    for (const std::int32_t vertex : vertices) {
      texts.push_back(wordOf(vertex));
    }
    return texts.isEmpty() ? tr("nothing") : texts.join(QLatin1Char(' '));
  };
  state_->setText(tr("Stack: %1   Buffer: %2").arg(words(state.stack()), words(state.buffer())));
}

QString ParseView::wordOf(std::int32_t vertex) const {
  return vertex == 0 ? tr("root")
                     : QString::fromStdString(
                           shown_->parsed.sentence.words[static_cast<std::size_t>(vertex) - 1].text);
}

bool ParseView::inTree(const app::TreeArc& arc) const {
  const auto& round = shown_->parsed.parse.looked_at[static_cast<std::size_t>(steps_->current()) - 1];
  return round.decoded.tree.heads[static_cast<std::size_t>(arc.dependent) - 1] == arc.head;
}

std::optional<app::TreeArc> ParseView::arcAt(const FigureCanvas& picture, const figures::Hit& hit) const {
  if (shown_ == nullptr || stale() || shown_->parsed.by_transitions()) {
    return std::nullopt;
  }
  if (&picture == matrix_) {
    const app::TreeArc arc{static_cast<std::int32_t>(hit.column) + 1, static_cast<std::int32_t>(hit.row)};
    const bool any = hit.kind == figures::Hit::Kind::cell && arc.dependent != arc.head;
    return any ? std::optional(arc) : std::nullopt;
  }
  const auto& arcs = std::get<analysis::ArcFigure>(arcs_->figure()->body).arcs;
  if (hit.kind != figures::Hit::Kind::arc || hit.arc >= static_cast<std::int64_t>(arcs.size())) {
    return std::nullopt;
  }
  const analysis::Arc& arc = arcs[static_cast<std::size_t>(hit.arc)];
  return app::TreeArc{static_cast<std::int32_t>(arc.target) + 1, static_cast<std::int32_t>(arc.source) + 1};
}

// "gave → book: 0.984, obj 0.998; forced"
QString ParseView::readoutOf(const app::TreeArc& arc) const {
  const auto& round = shown_->parsed.parse.looked_at[static_cast<std::size_t>(steps_->current()) - 1];
  const std::size_t cell = round.arcs.at(arc.head, arc.dependent);
  QString text = QStringLiteral("%1 → %2").arg(wordOf(arc.head), wordOf(arc.dependent));
  if (round.arcs.labels[cell] < 0) {
    return text;
  }
  text += QStringLiteral(": %1, %2 %3")
              .arg(probability_text(round.arcs.probabilities[cell]),
                   QString::fromStdString(shown_->parsed.label(round.arcs.labels[cell])),
                   probability_text(round.arcs.label_probabilities[cell]));
  switch (setting_of(shown_->parsed.constraints, arc)) {
    case ArcSetting::forced:
      return tr("%1; forced").arg(text);
    case ArcSetting::forbidden:
      return tr("%1; forbidden").arg(text);
    case ArcSetting::none:
      break;
  }
  return text;
}

void ParseView::point(const FigureCanvas& picture, const std::optional<figures::Hit>& hit) {
  pointed_ = hit ? arcAt(picture, *hit) : std::nullopt;
  // The arcs of the round before have no cell of this one.
  Q_EMIT readout(pointed_ ? readoutOf(*pointed_) : hit ? hit->readout : QString());
  light();
}

// The word of the selected token, where the parser reads the same words.
std::optional<std::int64_t> ParseView::pinnedWord() const {
  const auto recording = source();
  if (shown_ == nullptr || recording == nullptr || !selection().token()) {
    return std::nullopt;
  }
  const Sentence sentence = recording->sentence(selection().sentence().index);
  const auto token = static_cast<std::size_t>(*selection().token());
  const bool same = sentence.words.size() == shown_->parsed.sentence.words.size();
  const std::int64_t word = same && token < sentence.tokens.size() ? sentence.tokens[token].word : -1;
  return word < 0 ? std::nullopt : std::optional(word);
}

// What is pointed at in one picture is lit in the other one, too.
void ParseView::light() {
  if (shown_ == nullptr || arcs_->figure() == nullptr) {
    return;
  }
  figures::Highlight tree;
  figures::Highlight cells;
  if (pointed_) {
    cells.row = pointed_->head;
    cells.column = pointed_->dependent - 1;
    const auto& arcs = std::get<analysis::ArcFigure>(arcs_->figure()->body).arcs;
    const auto at = std::find_if(arcs.begin(), arcs.end(), [this](const analysis::Arc& arc) {
      return arc.target + 1 == pointed_->dependent && arc.source + 1 == pointed_->head;
    });
    if (at != arcs.end()) {
      tree.arc = at - arcs.begin();
    } else {
      tree.word = pointed_->dependent - 1;
    }
  } else if (const auto word = pinnedWord()) {
    tree.word = word;
    if (!shown_->parsed.by_transitions()) {
      cells.column = word;
    }
  }
  if (shown_->parsed.by_transitions() && steps_->current() < steps_->steps()) {
    cells.column = steps_->current() - 1;
  }
  arcs_->setHighlight(tree);
  matrix_->setHighlight(cells);
}

void ParseView::choose(const FigureCanvas& picture, const figures::Hit& hit,
                       Qt::KeyboardModifiers modifiers) {
  if (shown_ == nullptr || stale()) {
    return;
  }
  if (shown_->parsed.by_transitions() && &picture == matrix_) {
    if (hit.column >= 0) {
      steps_->setCurrent(hit.column + 1);
    }
    return;
  }
  if (const auto arc = arcAt(picture, hit)) {
    toggle(*arc, modifiers);
    return;
  }
  const std::int64_t word = &picture == arcs_                              ? hit.word
                            : hit.kind == figures::Hit::Kind::column_label ? hit.column
                            : hit.kind == figures::Hit::Kind::row_label    ? hit.row - 1
                                                                           : -1;
  const auto recording = source();
  if (word < 0 || recording == nullptr) {
    return;
  }
  const std::vector<Token> tokens = recording->sentence(selection().sentence().index).tokens;
  const auto token =
      std::find_if(tokens.begin(), tokens.end(), [word](const Token& one) { return one.word == word; });
  if (token != tokens.end()) {
    const std::int64_t place = token - tokens.begin();
    selection().setToken(pinnedWord() == word ? std::nullopt : std::optional(place));
  }
}

void ParseView::toggle(const app::TreeArc& arc, Qt::KeyboardModifiers modifiers) {
  if (setting_of(constraints(), arc) != ArcSetting::none) {
    setArc(arc, ArcSetting::none);
    return;
  }
  const bool forbid = inTree(arc) != modifiers.testFlag(Qt::ShiftModifier);
  setArc(arc, forbid ? ArcSetting::forbidden : ArcSetting::forced);
}

void ParseView::setArc(const app::TreeArc& arc, ArcSetting set) {
  if (stale()) {
    return;
  }
  state().set(kSetArcs, set_arcs_text(with_arc(constraints(), arc, set), text()));
}

FigureCommand ParseView::command(app::ParsePicture picture) const {
  const app::PictureCommand asked{.model = model_path_.toStdString(),
                                  .words = asked_.words,
                                  .choice = asked_.choice,
                                  .picture = picture,
                                  .step = steps_->current() == steps_->steps() ? 0 : steps_->current()};
  FigureCommand command;
  command.arguments = app::picture_arguments(asked);
  command.file_option = "--svg";
  const std::vector<std::string> print = {"printf", "%s\\n", asked_.text};
  command.input = QString::fromStdString(app::shell_line(print));
  command.facts = [shown = shown_, asked] { return app::picture_facts(shown->parsed, asked); };
  return command;
}

std::vector<ExportItem> ParseView::exports() const {
  if (shown_ == nullptr || arcs_->figure() == nullptr) {
    return {};
  }
  const QString name = QStringLiteral("s%1").arg(selection().sentence().index + 1);
  const bool transitions = shown_->parsed.by_transitions();
  return {
      {tr("Parse"), QStringLiteral("parse-") + name, arcs_->figure(), {}, command(app::ParsePicture::arcs)},
      {transitions ? tr("Actions of the parser") : tr("Probabilities of arcs"),
       QStringLiteral("parse-matrix-") + name,
       matrix_->figure(),
       {},
       command(app::ParsePicture::matrix)}};
}

}  // namespace mog::gui
