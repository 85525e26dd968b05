
// Which lines match, and in which order one walks through them.

const filter = { verdicts: new Set([0, 1, 2]), hunk: 0, words: "", order: "score" };
let matches = [];        // {file, row}, in walking order
let matchCounts = [];    // by file
let current = null;      // {file, row}

function matching(file, row) {
  if (!filter.verdicts.has(row[VERDICT])) return false;
  if (filter.hunk && !(row[HUNKS] || []).includes(filter.hunk)) return false;
  return !filter.words || wordsMatch(file, row[FUNCTION]);
}

let matchingFunctions = null;
function wordsMatch(file, number) {
  if (matchingFunctions === null) {
    matchingFunctions = report.functions.map(row => row.name.toLowerCase().includes(filter.words));
  }
  return matchingFunctions[number] || file.path.toLowerCase().includes(filter.words);
}

function applyFilter() {
  matchingFunctions = null;
  matches = [];
  matchCounts = report.files.map(() => 0);
  report.files.forEach((file, number) => {
    for (const row of file.lines || []) {
      if (matching(file, row)) {
        matches.push({ file: number, row });
        matchCounts[number]++;
      }
    }
  });
  if (filter.order === "score") {
    matches.sort((a, b) => a.row[VERDICT] - b.row[VERDICT] || b.row[SCORE] - a.row[SCORE]
      || a.file - b.file || a.row[LINE] - b.row[LINE]);
  }
  for (const chip of document.querySelectorAll(".chip")) {
    chip.setAttribute("aria-pressed", filter.verdicts.has(Number(chip.dataset.verdict)));
  }
  const keep = current && matchCounts[current.file] > 0 ? current.file : matches[0]?.file;
  showFile(keep ?? openFile ?? 0);
  showPosition();
}

function toggleVerdict(number) {
  if (!filter.verdicts.delete(number)) filter.verdicts.add(number);
  applyFilter();
}

function showPosition() {
  const at = current ? matches.findIndex(match => match.row === current.row) : -1;
  const all = matches.length.toLocaleString("en");
  byId("position").textContent = at >= 0 ? `${(at + 1).toLocaleString("en")} of ${all}` : counted(matches.length, "line");
}

// The next match in walking order; from a line that does not match, the next one in its file.
function walk(direction) {
  if (!matches.length) return;
  let at = current ? matches.findIndex(match => match.row === current.row) : -1;
  if (at < 0 && current) {
    at = matches.findIndex(match => match.file === current.file && match.row[LINE] > current.row[LINE]);
    at = at < 0 ? 0 : direction > 0 ? at : at - 1;
  } else if (at < 0) {
    at = direction > 0 ? 0 : matches.length - 1;
  } else {
    at += direction;
  }
  const next = matches[(at + matches.length) % matches.length];
  select(next.file, next.row);
}

for (const chip of document.querySelectorAll(".chip")) {
  chip.addEventListener("click", () => toggleVerdict(Number(chip.dataset.verdict)));
}
byId("hunk").addEventListener("change", event => { filter.hunk = Number(event.target.value); applyFilter(); });
byId("order").addEventListener("change", event => { filter.order = event.target.value; applyFilter(); });
byId("search").addEventListener("input", event => { filter.words = event.target.value.trim().toLowerCase(); applyFilter(); });
byId("next").addEventListener("click", () => walk(1));
byId("previous").addEventListener("click", () => walk(-1));
