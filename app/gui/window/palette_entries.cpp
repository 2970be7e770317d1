#include "app/gui/window/palette_entries.h"

#include <QAction>
#include <QLocale>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <algorithm>
#include <utility>

#include "app/gui/session/job_runner.h"
#include "app/gui/widgets/guide_page.h"
#include "app/gui/window/palette.h"
#include "app/workflow/figures/figure.h"

namespace mog::gui {
namespace {

QString as_text(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// Without the marks of its keys.
QString plain(QString text) {
  text.replace(QStringLiteral("&&"), QChar(0x1));
  text.remove(QLatin1Char('&'));
  return text.replace(QChar(0x1), QLatin1Char('&'));
}

void add_actions(const QList<QAction*>& actions, const QString& from, std::vector<PaletteEntry>& entries) {
  for (QAction* const action : actions) {
    const QString title = plain(action->text());
    if (QMenu* const menu = action->menu()) {
      Q_EMIT menu->aboutToShow();  // those that are filled when they open
      add_actions(menu->actions(), from.isEmpty() ? title : from + QStringLiteral(" › ") + title, entries);
      continue;
    }
    if (action->isSeparator() || !action->isVisible() || title.isEmpty()) {
      continue;
    }
    const QString tip = plain(action->toolTip());
    entries.push_back({.group = CommandPalette::tr("Actions"),
                       .title = action->isChecked() ? QStringLiteral("✓ ") + title : title,
                       .key = action->shortcut().toString(QKeySequence::NativeText),
                       .detail = from,
                       .run =
                           [kept = QPointer<QAction>(action)] {
                             if (kept != nullptr) {
                               kept->trigger();
                             }
                           },
                       .enabled = action->isEnabled(),
                       .why = tip == title ? QString() : tip});
  }
}

}  // namespace

std::vector<PaletteEntry> action_entries(const QMenuBar& menus) {
  std::vector<PaletteEntry> entries;
  add_actions(menus.actions(), {}, entries);
  return entries;
}

std::vector<PaletteEntry> view_entries(std::span<const ViewKind* const> kinds,
                                       const std::function<void(const QString& name)>& show) {
  std::vector<PaletteEntry> entries;
  for (const ViewKind* const kind : kinds) {
    const QString name = QString::fromLatin1(kind->name);
    entries.push_back({.group = CommandPalette::tr("Views"),
                       .title = kind->title(),
                       .key = {},
                       .detail = {},
                       .run = [show, name] { show(name); }});
  }
  return entries;
}

std::vector<PaletteEntry> quantity_entries(const std::function<void(const QString& name)>& open) {
  std::vector<PaletteEntry> entries;
  for (const app::GuideEntry* const entry : app::guide()) {
    if (app::is_of_program(*entry)) {
      continue;
    }
    const QString name = as_text(entry->name);
    const QString symbols = as_text(entry->symbols);
    entries.push_back({.group = CommandPalette::tr("Quantities"),
                       .title = guide_text(entry->title),
                       .key = {},
                       .detail = symbols.isEmpty() ? name : name + QStringLiteral(", ") + symbols,
                       .run = [open, name] { open(name); }});
  }
  return entries;
}

std::vector<PaletteEntry> figure_entries(const std::function<void(const QString& kind)>& open) {
  std::vector<PaletteEntry> entries;
  for (const app::FigureKind* const kind : app::figure_kinds()) {
    if (kind->title.empty()) {
      continue;
    }
    const QString name = as_text(kind->name);
    entries.push_back({.group = CommandPalette::tr("Figures"),
                       .title = guide_text(kind->title),
                       .key = {},
                       .detail = name,
                       .run = [open, name] { open(name); }});
  }
  return entries;
}

std::vector<PaletteEntry> item_entries(Workspace& workspace) {
  std::vector<PaletteEntry> entries;
  const QString group = CommandPalette::tr("Models and recordings");
  const auto add = [&](const QString& title, const QString& detail, std::function<void()> run) {
    entries.push_back({.group = group, .title = title, .key = {}, .detail = detail, .run = std::move(run)});
  };
  for (const WorkspaceModel& model : workspace.models()) {
    add(model.name, CommandPalette::tr("model"), [&workspace, id = model.id] {
      if (const WorkspaceItem* typed = workspace.typedFor(id); typed != nullptr && !typed->tokens.empty()) {
        workspace.select({typed->id, 0});
      } else if (workspace.model(id) != nullptr) {
        workspace.chooseModel(id);
      }
    });
  }
  for (const WorkspaceItem& item : workspace.items()) {
    if (item.kind == WorkspaceItem::Kind::recording && !item.tokens.empty()) {
      const auto size = std::ssize(item.tokens);
      add(item.name,
          size == 1 ? CommandPalette::tr("1 sentence")
                    : CommandPalette::tr("%1 sentences").arg(QLocale().toString(qlonglong(size))),
          [&workspace, id = item.id] {
            if (workspace.item(id) != nullptr) {
              workspace.select({id, 0});
            }
          });
    }
  }
  return entries;
}

SentenceEntries::SentenceEntries(Workspace& workspace, JobRunner& jobs, CommandPalette& palette)
    : workspace_(workspace), jobs_(jobs), palette_(palette) {
  connect(&palette, &CommandPalette::opened, this, &SentenceEntries::read);
}

void SentenceEntries::read() {
  struct Source {
    int item;
    QString name;
    std::shared_ptr<const RecordingSource> source;
  };
  std::vector<Source> sources;
  const WorkspaceItem* const selected = workspace_.selectedItem();
  for (const WorkspaceItem& item : workspace_.items()) {
    if (&item == selected || item.kind == WorkspaceItem::Kind::typed) {
      sources.push_back({item.id, item.name, item.source});
    }
  }
  jobs_.start(
      {.title = [] { return CommandPalette::tr("Reading sentences to find"); },
       .slot = QStringLiteral("palette.sentences"),
       .quiet = true},
      this,
      [sources = std::move(sources), workspace = QPointer(&workspace_)](const JobContext& job) {
        std::vector<PaletteRow> rows;
        for (const auto& [item, name, source] : sources) {
          for (std::int64_t index = 0; index < source->size() && std::ssize(rows) < kMost; ++index) {
            job.check();
            const auto select = [workspace, sentence = SentenceRef{item, index}] {
              if (workspace != nullptr && workspace->item(sentence.item) != nullptr) {
                workspace->select(sentence);
              }
            };
            rows.push_back(palette_row({.group = CommandPalette::tr("Sentences"),
                                        .title = QString::fromStdString(source->sentence(index).text),
                                        .key = {},
                                        .detail = QString::number(index + 1) + QStringLiteral(", ") + name,
                                        .run = select}));
          }
        }
        return rows;
      },
      [this](std::vector<PaletteRow> rows) { palette_.append(std::move(rows)); },
      [this](const QString& message) { workspace_.report(message); });
}

}  // namespace mog::gui
