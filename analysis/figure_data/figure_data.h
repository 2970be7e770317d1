// What a figure shows, as plain values: words, numbers, units and the meaning of colours. No pixel and no
// vendor: app/figures draws a FigureData on the screen and into files, and to_csv() writes the numbers
// behind it (docs: figures come from data, never from a picture).
//
// Layers, heads, words and sentences that a person reads count from 1 and stand in labels; members named
// `index`, `row`, `column`, `word`, `source`, `target` are array indices from 0.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/statistics/table.h"
#include "io/recording/quantity_name.h"

namespace mog::analysis {

// A value that was not recorded; drawn hatched, an empty field in CSV.
inline constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
// The weight of a key that the query does not see, by the mask of its layer: no cell is drawn there, so that
// what reads from left to right is a triangle. In files it is 0, as it was recorded.
inline constexpr double kUnseen = -std::numeric_limits<double>::infinity();
constexpr double number_of_value(double value) noexcept {
  return value == kUnseen ? 0.0 : value;
}

// What the colour of a mark says. Colour never says it alone: dash, label or position repeats it.
struct ColourKey {
  enum class Kind : std::uint8_t {
    neutral,
    part,      // `part` (high, middle1, middle2, low, full)
    layer,     // step `index` (from 0) of `count` on the sequential layer ramp
    ramp,      // the same ramp for another ordered series, e.g. length bins
    model,     // model `index` (0: solid, 1: dashed)
    category,  // `index` of things without an order (parts of speech): hues; more than kHues of them take
               // dashes too (dash_of_category)
    palette,   // the colour `index` (a PartColour) of the palette of parts
    entry,     // an entry of a decomposition, colour `index` of a palette of names (entry_colour)
  };
  static constexpr std::int64_t kHues = 7;
  Kind kind = Kind::neutral;
  Part part = Part::none;
  std::int64_t index = 0;
  std::int64_t count = 1;

  static ColourKey of_part(Part part) { return {Kind::part, part, 0, 1}; }
  static ColourKey of_palette(PartColour colour) {
    return {Kind::palette, Part::none, static_cast<std::int64_t>(colour), 1};
  }
  static ColourKey of_layer(std::int64_t index, std::int64_t count) {
    return {Kind::layer, Part::none, index, count};
  }
  static ColourKey of_ramp(std::int64_t index, std::int64_t count) {
    return {Kind::ramp, Part::none, index, count};
  }
  static ColourKey of_category(std::int64_t index, std::int64_t count) {
    return {Kind::category, Part::none, index, count};
  }
  static ColourKey of_entry(std::int64_t index) { return {Kind::entry, Part::none, index, 1}; }
  static ColourKey of_model(std::int64_t index) { return {Kind::model, Part::none, index, 2}; }
  friend bool operator==(const ColourKey&, const ColourKey&) = default;
};

enum class Dash : std::uint8_t { solid, dashed, dotted };
// Of the first kHues categories solid, of the next dashed, then dotted, and again.
constexpr Dash dash_of_category(std::int64_t index) {
  return static_cast<Dash>(index / ColourKey::kHues % 3);
}
// Parts of like colours differ in their dash, too.
inline Dash dash_of_part(Part part) {
  return part.description().dashed ? Dash::dashed : Dash::solid;
}

// "gate weight" · "1" · "mean over words". Printed as `quantity (averaged, units)`; units "1" and "" are not
// printed.
struct AxisText {
  std::string quantity;
  std::string units;
  std::string averaged;
  std::string text() const;
};

// One token or word on a baseline, on a matrix side, or under a tree.
struct WordLabel {
  // A line around a word of a sentence: of a parser's state, on its stack or still in its buffer.
  enum class Box : std::uint8_t { none, filled, framed };
  std::string text;        // UTF-8, as shown
  bool special = false;    // </s> and its like: grey and small
  std::int64_t word = -1;  // pieces with the same word >= 0 are joined by an under-bar
  std::string tag = {};    // of a word of a sentence, small below it: its part of speech
  Box box = Box::none;
  friend bool operator==(const WordLabel&, const WordLabel&) = default;
};

// ---- line plots -------------------------------------------------------------------------------------

struct LinePoint {
  double x = 0;  // in the unit of the x axis, or an index into LinePlot::x_categories
  double y = kAbsent;
  double low = kAbsent;  // 95 % bootstrap interval over sentences
  double high = kAbsent;
  std::int64_t sentences = 0;
  std::int64_t tokens = 0;
  double p = kAbsent;   // adjusted p value of a test, where there is one (LinePlot::significant)
  bool change = false;  // the line goes another way from here (change_points.h): ringed
};

// low <= length < high, in words; the first place beyond a bin of places in a sentence alike.
struct LengthSpan {
  std::int64_t low = 0;
  std::int64_t high = -1;  // -1: without an end
};

struct LineSeries {
  std::string label;
  ColourKey colour;
  Dash dash = Dash::solid;
  std::vector<LinePoint> points;           // ascending x
  std::optional<LengthSpan> lengths = {};  // where the line is of a bin of them
};

// Ends of an axis that somebody chose: kept as they are, not moved to round numbers; what lies beyond is cut.
struct AxisLimits {
  double low = 0;
  double high = 1;
};

struct LinePlot {
  AxisText x;
  AxisText y;
  std::vector<std::string> x_categories;  // tick labels 0, 1, 2 …; empty: a numeric axis
  std::vector<LengthSpan> x_lengths;      // where the categories are bins of them: as many
  std::vector<std::int64_t> counts;       // a number under each category, as long as x_categories, or empty
  std::string counts_label;               // "sentences"
  std::vector<LineSeries> series;
  std::string legend_title;         // what distinguishes the series: "layer", "source words"
  std::optional<double> zero_line;  // drawn as a thin line, e.g. 0 in difference plots
  std::optional<double> y_low;      // fixed ends, e.g. shared by the panels of one figure
  std::optional<double> y_high;
  std::optional<AxisLimits> x_limits = {};  // of a numeric axis
  std::optional<AxisLimits> y_limits = {};
  // Bars over the categories in the place of lines: values above 0 are stacked upwards from 0, those below
  // downwards, so that none hides another; where a category has both, a mark stands at their sum.
  bool stacked = false;
  // False: the categories have no order; marks with bars stand side by side, and no line joins them.
  bool joined = true;
  // Marks are filled where p is below this, and hollow elsewhere; the legend says so. Every point has a p.
  std::optional<double> significant;
};

// ---- bars -------------------------------------------------------------------------------------------

struct BarRow {
  std::string label;
  double value = kAbsent;
  double low = kAbsent;  // 95 % bootstrap interval over sentences
  double high = kAbsent;
  std::int64_t sentences = 0;
  ColourKey colour;
};

// Bars from 0, one below the other, with intervals.
struct BarPlot {
  AxisText x;
  std::vector<BarRow> rows;     // from the top
  bool labels = true;           // false: the panel at the left has the same ones
  std::optional<double> x_low;  // fixed ends of the axis
  std::optional<double> x_high;
};

// ---- matrices ---------------------------------------------------------------------------------------

struct ColourScale {
  enum class Kind : std::uint8_t {
    sequential,  // from `low` (paper) to `high` (the darkest of one hue)
    diverging,   // differences: less, none, more; the ends are equal in size around 0
    gate,        // carries more, `middle`, takes in more
  };
  // How a sequential scale from 0 gives out its colours. Attention rows sum to 1: one large weight leaves the
  // rest of an even scale pale. Powers below 1 tell small weights apart, and colours of two maps still
  // compare.
  enum class Colouring : std::uint8_t {
    even,
    root,     // by the square root
    power,    // by the power 0.6
    cividis,  // the same in the colours of cividis
  };
  Kind kind = Kind::sequential;
  double low = 0;
  double high = 1;
  AxisText quantity;
  Colouring colouring = Colouring::even;
  double middle = 0;  // of a gate scale
  bool more = false;  // values above `high` occur; they have its colour
  // Place between the ends, 0 to 1 for values of the scale; of a scale without width 0.5.
  double place(double value) const;
  // The value at a place.
  double at(double place) const;
};
std::string_view name(ColourScale::Colouring colouring) noexcept;
// "power", "root", "even", "cividis"; throws UsageError naming what is allowed.
ColourScale::Colouring parse_colouring(std::string_view text);

// What is said of a single cell: a gold link (sure or possible), one that was found, or one that was set by
// hand to be there (forced) or not (forbidden).
struct CellMark {
  enum class Kind : std::uint8_t { sure, possible, found, forced, forbidden };
  std::int64_t row = 0;
  std::int64_t column = 0;
  Kind kind = Kind::sure;
  friend bool operator==(const CellMark&, const CellMark&) = default;
};
std::string_view name(CellMark::Kind kind) noexcept;

// Attention maps (rows: queries, columns: keys) and gate heat maps (token × layer, token × dimension).
struct HeatMap {
  std::string row_title;  // "query", "layer", "dimension"
  std::string column_title;
  std::vector<WordLabel> rows;
  std::vector<WordLabel> columns;
  std::vector<double> values;             // [row, column]; kAbsent where nothing was recorded, kUnseen
  std::vector<std::string> texts = {};    // [row, column], written in the cells in the place of numbers
  std::string text_title = {};            // what they are: "best token"
  std::vector<std::string> details = {};  // [row, column], what a read-out says in the place of the number
  ColourScale scale;
  bool square_cells = true;
  bool thumbnail = false;  // no labels, no scale: a small multiple among others
  // False: the scale is that of the other cells, and those of special tokens are dimmed.
  bool special_in_scale = true;
  // So many of the strongest keys of each row hang as arcs below the columns, whose words then stand below,
  // too. Of maps with the same words at both sides.
  std::int64_t arcs = 0;
  // sure, forced: framed; possible: framed by dashes; found: a disc; forbidden: crossed out
  std::vector<CellMark> marks = {};
  // Columns with which another block begins: a line stands before each, from the labels on.
  std::vector<std::int64_t> blocks = {};

  bool is_special(std::size_t row, std::size_t column) const {
    return rows[row].special || columns[column].special;
  }
  double value(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row) * columns.size() + static_cast<std::size_t>(column)];
  }
};

// ---- sentences --------------------------------------------------------------------------------------

// One node of a derivation: an atom (a word) or the subgraph that a join makes.
struct TreeNode {
  double x = 0;             // place on the baseline in words; an atom's is its word index
  std::int64_t layer = 0;   // height: 0 the words, ℓ the layer that made it
  std::int64_t word = -1;   // owner: index of its word
  Part part = Part::none;   // attention that joined it; none for an atom
  double weight = kAbsent;  // of the join rule
  std::int64_t kind = 0;    // 1 simple, 2 overlap, 3 overlap and loop, 4 loop only; 0 atom
  std::int64_t order = 1;   // number of different words
  std::string tuple;        // the edge's 6-tuple as text; empty for an atom
  std::int64_t left = -1;   // operand nodes; -1 for an atom
  std::int64_t right = -1;
};

// What a word takes from another one in a layer, whether the tree has it or not.
struct TreeFlow {
  std::int64_t layer = 1;  // that takes it in
  std::int64_t word = 0;
  std::int64_t key = 0;
  double weight = 0;  // of the whole state: gate × share × attention
};

struct TreeFigure {
  std::vector<WordLabel> words;
  std::vector<TreeNode> nodes;      // operands before what they make
  std::vector<std::int64_t> roots;  // one for a tree, several for a forest
  std::int64_t layers = 0;          // layer lines 1..layers are drawn
  std::string row = "layer";        // what a line is: "layer", "step"
  Part carried = {};                // what is carried on is drawn in its colour; none: green
  // Of one root: the product of the rules that carry it on from its own layer to `layers`; absent where its
  // word's state at `layers` is not known to be it.
  double carried_weight = kAbsent;
  bool all_words = false;           // each has a column, those without a place in the tree too
  std::vector<TreeFlow> flow = {};  // drawn behind the tree
  double flow_opacity = 0.15;
};

struct Arc {
  std::int64_t source = 0;  // index of a word; the query, the owner of the new subgraph; -1: a root's arc
  std::int64_t target = 0;  // the key; has the arrowhead; equal to source for a self-loop
  double weight = 1;        // in [0, …]: width and opacity
  Part part = Part::none;
  std::int64_t layer = 0;  // 0: not of one layer
  std::string label;       // small text at the top of the arc; usually empty
  std::string tuple;       // the edge's 6-tuple or what the read-out says
  bool changed = false;    // since the picture before
  bool forced = false;     // by hand
};

// An edge of a gold dependency tree.
struct GoldArc {
  std::int64_t head = -1;  // index of a word; -1: the dependent is the root
  std::int64_t dependent = 0;
  std::string relation;
};

// Words with arcs above; arcs of the same ends are drawn beside each other.
struct ArcFigure {
  std::vector<WordLabel> words;
  std::vector<Arc> arcs;
  std::vector<GoldArc> gold;        // below the words, dashed; their places go on where those of `arcs` end
  std::string gold_name = {};       // what `gold` is, where it is no gold tree: "round 1"
  std::string gold_text;            // how close the arcs, or what they are of, come to it
  double weight_of_full_width = 1;  // this weight has the greatest width
  AxisText weight;                  // what the width says
  std::string margin;               // text whose room is kept free at the left, to line up with a tree
};

// ---- graphs -----------------------------------------------------------------------------------------

struct GraphNode {
  std::string text;
  double x = 0;  // place in the unit circle, y upwards
  double y = 0;
};

struct GraphEdge {
  std::int64_t source = 0;  // indices of nodes; equal: a loop
  std::int64_t target = 0;
  std::string label;       // small text on the edge
  bool strong = false;     // what the figure is about: drawn thick
  Part part = Part::none;  // none: drawn in ink
  std::int64_t order = 0;  // words of the subgraph that it makes
  std::string tuple;       // the edge's 6-tuple, for read-outs
};

// A line around some nodes.
struct GraphOutline {
  std::string name;  // "left operand"
  std::vector<std::int64_t> nodes;
  Dash dash = Dash::dashed;
};

// Nodes and directed edges, parallel edges and loops beside each other.
struct GraphFigure {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
  std::vector<GraphOutline> outlines;  // the first innermost
};

// ---- information flow -------------------------------------------------------------------------------

// States of the words, row by row: the input at the bottom, above it what the layers make of it.
struct FlowRow {
  std::string label;       // "input", "layer 3", "layer 3 forward"
  std::int64_t layer = 0;  // 0: the input
  Part part = Part::none;  // forward, backward: states of one direction
};

// What a state takes from another one. Edges with the same ends are parallel: each part has its own.
struct FlowEdge {
  std::int64_t from_row = 0;  // indices into FlowFigure::rows and words
  std::int64_t from_word = 0;
  std::int64_t to_row = 0;
  std::int64_t to_word = 0;
  Part part = Part::none;
  bool carried = false;  // the state itself goes on: no attention, no new value
  double weight = 0;     // over all edges into a state, drawn or not, the sum is 1
};

struct FlowFigure {
  std::vector<WordLabel> words;
  std::vector<FlowRow> rows;
  std::vector<FlowEdge> edges;
  AxisText weight;  // what the weights are
  double weight_of_full_width = 1;
  std::optional<std::int64_t> state;  // the one whose relatives are kept, as a node

  // States count row by row.
  std::int64_t node(std::int64_t row, std::int64_t word) const {
    return row * static_cast<std::int64_t>(words.size()) + word;
  }
};

// ---- several figures in one -------------------------------------------------------------------------

struct FigureData;

struct PanelFigure {
  std::int64_t columns = 1;
  std::vector<FigureData> panels;  // row by row; each title stands above its panel
  bool label_panels = true;        // "(a)", "(b)" … before the titles
  bool share_legend = true;        // one legend or scale for all, taken from the first panel
};

struct FigureData {
  std::string title;    // may be empty
  std::string caption;  // model, corpus, n, level of the claim
  std::variant<LinePlot, HeatMap, TreeFigure, ArcFigure, PanelFigure, GraphFigure, BarPlot, FlowFigure> body;

  // The numbers behind the figure in tidy form; places count from 1. A panel figure has the leading columns
  // `panel` and `panel_title`; what a panel's kind does not have is empty.
  Table table() const;
  std::string to_csv() const;  // table() as mog::analysis::to_csv writes it
  // "line", "heat_map", "tree", "arcs", "panels", "graph", "bars", "flow"
  std::string kind() const;
};

// Of every sequential scale from 0 that the figure has, panels too; the scale's title says it. False where
// there is none.
bool set_colouring(FigureData& figure, ColourScale::Colouring colouring);

}  // namespace mog::analysis
