"""Tables of experiments: reading and writing CSV, cells with ranges over seeds, Markdown between two comments of a page."""
import csv
import statistics


def write_csv(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def split_run(name):
    """"half-gate-L5-s1" -> ("half-gate-L5", "1")"""
    stem, seed = name.rsplit("-s", 1)
    return stem, seed


def grouped(pairs):
    groups = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def spread(values, factor=1.0, digits=2):
    """Mean over seeds, and the seeds' range."""
    values = [factor * float(value) for value in values]
    if not values:
        return ""
    text = f"{statistics.fmean(values):.{digits}f}"
    return text if len(values) == 1 else f"{text} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def number(text, digits=3):
    return "" if text == "" else f"{float(text):+.{digits}f}"


def trend_cells(row):
    """Of a row of `mog stats --trend`: rank correlation, difference of the ends, the same in standard deviations."""
    rho = f"{number(row['rho'], 2)} [{number(row['rho_low'], 2)}, {number(row['rho_high'], 2)}]"
    if row["effect"] == "":  # there are no two bins with enough sentences
        return [rho, "", ""]
    return [rho, f"{number(row['effect'])} [{number(row['effect_low'])}, {number(row['effect_high'])}]",
            number(row["effect_sd"], 1)]


def range_cells(rows):
    """trend_cells of several controls: from the least to the greatest."""
    def ends(key, digits):
        values = sorted(float(row[key]) for row in rows if row[key])
        if not values:
            return ""
        return f"{values[0]:+.{digits}f} to {values[-1]:+.{digits}f}"
    return [ends("rho", 2), ends("effect", 3), ends("effect_sd", 1)]


def put_table(text, name, made):
    """`text` with the table between its comments, if it has them and the table has rows."""
    begin, end = f"<!-- table {name} -->\n", f"<!-- end {name} -->"
    if begin not in text or end not in text or made.count("\n") < 2:
        return text
    before, rest = text.split(begin, 1)
    return before + begin + "\n" + made + "\n\n" + end + rest.split(end, 1)[1]
