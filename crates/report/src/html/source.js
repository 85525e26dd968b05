
// The file list, and one file's annotated source: matching lines with some lines
// around them, the rest behind gaps that open. Rows are made as far as one scrolls.

const AROUND = 2, ROWS_AT_ONCE = 250, FILES_LISTED = 300, GAP_OPENS = 40;
let openFile = null;
let view = null;         // {file, rowOf, items, made, container}

const lineCache = new Map();
function linesOf(file) {
  if (!lineCache.has(file)) {
    const lines = file.text === undefined ? null : file.text.replace(/\r?\n$/, "").split(/\r?\n/);
    lineCache.set(file, { lines, inComment: lines && commentStarts(lines) });
  }
  return lineCache.get(file);
}

// For each line, whether it begins inside a block comment.
function commentStarts(lines) {
  const starts = new Uint8Array(lines.length);
  let inside = false;
  lines.forEach((line, number) => {
    starts[number] = inside ? 1 : 0;
    if (!inside && !line.includes("/*")) return;
    for (const [token] of line.matchAll(/\/\*|\*\/|\/\/|"(?:\\.|[^"\\])*"/g)) {
      if (inside) inside = token !== "*/";
      else if (token === "/*") inside = true;
      else if (token === "//") break;
    }
  });
  return starts;
}

const TOKENS = /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(\b(?:auto|break|case|char|const|continue|default|do|double|else|enum|extern|float|for|goto|if|inline|int|long|register|restrict|return|short|signed|sizeof|static|struct|switch|typedef|union|unsigned|void|volatile|while|bool|class|namespace|template|public|private|fn|let|mut|impl|match|use)\b|^\s*#\s*\w+)/g;

function codeText(line, insideComment) {
  const made = element("span", { class: "text" });
  const put = (text, kind) => { if (text) made.append(kind ? element("span", { class: kind }, shown(text)) : shown(text)); };
  let at = 0;
  if (insideComment) {
    const end = line.indexOf("*/");
    at = end < 0 ? line.length : end + 2;
    put(line.slice(0, at), "comment");
  }
  TOKENS.lastIndex = at;
  for (let token; line.length < 2000 && (token = TOKENS.exec(line));) {
    put(line.slice(at, token.index));
    put(token[0], token[1] ? "comment" : token[2] ? "string" : "keyword");
    at = TOKENS.lastIndex;
  }
  put(line.slice(at));
  return made;
}

function showFileList() {
  const list = byId("files");
  const entries = report.files.map((file, number) => number).filter(number => matchCounts[number] > 0);
  const others = report.files.filter(file => !file.lines).length;
  const items = entries.slice(0, FILES_LISTED).map(number => element("li", {},
    element("button", {
      type: "button", title: shown(report.files[number].path),
      "aria-current": number === openFile ? "true" : undefined,
      onclick: () => { showFile(number); byId("source").scrollIntoView(); },
    },
    element("span", { class: "path" }, "\u2068" + shown(report.files[number].path) + "\u2069"),
    element("span", { class: "amount" }, matchCounts[number].toLocaleString("en"))),
    number === openFile ? functionList(number) : null));
  list.replaceChildren(element("ul", {}, ...items));
  const quiet = text => list.append(element("p", { class: "quiet" }, text));
  if (entries.length > FILES_LISTED) quiet(`${counted(entries.length - FILES_LISTED, "more file")}: search to find them`);
  if (!entries.length) quiet("No line matches the filters.");
  if (others) quiet(`${counted(others, "file")} that the change does not reach`);
}

function functionList(number) {
  const counts = new Map();
  for (const row of report.files[number].lines) {
    if (matching(report.files[number], row)) {
      const known = counts.get(row[FUNCTION]);
      if (known) known.count++; else counts.set(row[FUNCTION], { row, count: 1 });
    }
  }
  const items = [...counts].slice(0, FILES_LISTED).map(([name, { row, count }]) => element("li", {},
    element("button", { type: "button", onclick: () => select(number, row) },
      element("span", { class: "path" }, shown(report.functions[name].name) || "outside functions"),
      element("span", { class: "amount" }, count.toLocaleString("en")))));
  return element("ul", { class: "functions" }, ...items);
}

function showFile(number) {
  const file = report.files[number];
  openFile = number;
  showFileList();
  const main = byId("source");
  if (!file || !file.lines) {
    main.replaceChildren(element("p", { class: "empty" }, "The change reaches no line."));
    return;
  }
  const container = element("div", { class: "rows" });
  view = { number, file, container, made: 0, items: [], rowOf: new Map(file.lines.map(row => [row[LINE], row])) };
  view.items = spacedItems(file);
  const [changed, affected, possible, unaffected] = file.counts;
  const counts = [[changed, "changed"], [affected, "affected"], [possible, "possible"], [unaffected, "unaffected"]]
    .filter(([count]) => count).map(([count, name]) => `${count.toLocaleString("en")} ${name}`).join(", ");
  main.replaceChildren(
    element("div", { class: "file-name" }, element("code", {}, shown(file.path)), element("span", { class: "count" }, counts)),
    element("div", { class: "code" }, container));
  if (!view.items.length) container.append(element("p", { class: "empty" }, "No line of this file matches the filters."));
  makeRows(ROWS_AT_ONCE);
}

// Matching lines with AROUND lines on both sides; what is between is a gap.
function spacedItems(file) {
  const { lines } = linesOf(file);
  const wanted = file.lines.filter(row => matching(file, row));
  const items = [];
  let next = 1, inFunction = null;
  wanted.forEach((row, index) => {
    const line = row[LINE];
    const first = lines ? Math.max(next, line - AROUND) : line;
    if (lines && first > next) items.push({ gap: [next, first - 1] });
    if (row[FUNCTION] !== inFunction) items.push({ name: inFunction = row[FUNCTION] });
    for (let number = first; number <= line; number++) items.push({ line: number });
    const following = wanted[index + 1]?.[LINE] ?? Infinity;
    const last = lines ? Math.min(line + AROUND, following - 1, lines.length) : line;
    for (let number = line + 1; number <= last; number++) items.push({ line: number });
    next = last + 1;
  });
  if (lines && items.length && next < lines.length) items.push({ gap: [next, lines.length] });
  return items;
}

function makeRows(count) {
  const { container, items } = view;
  const until = Math.min(items.length, view.made + count);
  for (; view.made < until; view.made++) container.append(itemElement(items[view.made]));
  view.sentinel?.remove();
  if (view.made < items.length) {
    view.sentinel = element("div", { class: "gap" }, "…");
    container.append(view.sentinel);
    const seen = new IntersectionObserver(entries => {
      if (entries.some(entry => entry.isIntersecting)) { seen.disconnect(); makeRows(ROWS_AT_ONCE); }
    }, { rootMargin: "600px" });
    seen.observe(view.sentinel);
  }
}

function itemElement(item) {
  if (item.gap) return gapElement(item);
  if (item.name !== undefined) {
    const { name, status } = report.functions[item.name];
    return element("div", { class: "function-name" }, element("b", {}, shown(name) || "outside functions"), status === "same" ? "" : ` ${status}`);
  }
  return rowElement(item.line);
}

function gapElement(item) {
  const [first, last] = item.gap;
  const button = element("button", {
    type: "button", class: "gap", "data-first": first, "data-last": last,
    onclick: () => openGap(button, first, Math.min(last, first + GAP_OPENS - 1)),
  }, `⋯ ${counted(last - first + 1, "line")}`);
  return button;
}

// Replaces lines first … last of the gap by rows; what is left of it stays a gap.
function openGap(button, first, last) {
  const from = Number(button.dataset.first), to = Number(button.dataset.last);
  const made = [];
  if (first > from) made.push(gapElement({ gap: [from, first - 1] }));
  for (let line = first; line <= last; line++) made.push(rowElement(line));
  if (last < to) made.push(gapElement({ gap: [last + 1, to] }));
  button.replaceWith(...made);
}

function rowElement(line) {
  const { lines, inComment } = linesOf(view.file);
  const row = view.rowOf.get(line);
  const file = view.number;
  const code = lines ? codeText(lines[line - 1] ?? "", inComment[line - 1]) : element("span", { class: "text" });
  const number = element("span", { class: "number" }, String(line));
  if (!row) return element("div", { class: "row plain", "data-line": line }, number, element("span"), code);
  const verdict = row[VERDICT], name = VERDICTS[verdict];
  const score = verdict === 1 || verdict === 2 ? row[SCORE].toFixed(2) : "";
  const hit = matching(view.file, row);
  const mark = element("button", {
    type: "button", class: "mark", tabindex: hit ? "0" : "-1",
    "aria-label": `line ${line}: ${name}${score ? ", score " + score : ""}. Why?`,
  }, element("span", { class: "sign" }, SIGNS[verdict]), score);
  const made = element("div", {
    class: `row v-${name} ${hit ? "hit" : "executable plain"}`, "data-line": line,
    onclick: () => { if (!String(getSelection())) select(file, row); },
  }, number, mark, code);
  return made;
}

// The element of a line of the open file, made if it is not there yet.
function rowAt(line) {
  const find = () => view.container.querySelector(`.row[data-line="${line}"]`);
  const index = view.items.findIndex(item => item.line === line || item.gap && item.gap[0] <= line && line <= item.gap[1]);
  if (index >= view.made) makeRows(index - view.made + ROWS_AT_ONCE);
  if (!find()) {
    const gap = [...view.container.querySelectorAll("button.gap")]
      .find(button => Number(button.dataset.first) <= line && line <= Number(button.dataset.last));
    if (gap) openGap(gap, Math.max(Number(gap.dataset.first), line - AROUND), Math.min(Number(gap.dataset.last), line + AROUND));
  }
  return find();
}

function select(file, row, { focus = true } = {}) {
  current = { file, row };
  if (openFile !== file || !view) showFile(file);
  document.querySelectorAll(".row.selected").forEach(made => { made.classList.remove("selected"); made.removeAttribute("aria-current"); });
  const made = rowAt(row[LINE]);
  if (made) {
    made.classList.add("selected");
    made.setAttribute("aria-current", "true");
    made.scrollIntoView({ block: "nearest" });
    if (focus) made.querySelector(".mark").focus({ preventScroll: true });
  }
  showWhy(file, row);
  showPosition();
  history.replaceState(null, "", "#" + encodeURIComponent(`${report.files[file].path}:${row[LINE]}`));
}

// To any place: a line with a verdict is selected, another one is only shown.
function goTo(path, line) {
  const file = fileNumber.get(path);
  if (file === undefined || !report.files[file].lines) return false;
  const row = report.files[file].lines.find(row => row[LINE] === line);
  if (row) select(file, row);
  else {
    if (openFile !== file) showFile(file);
    rowAt(line)?.scrollIntoView({ block: "center" });
  }
  return true;
}

function goToFunction(path, name) {
  const file = fileNumber.get(path);
  const row = file === undefined ? undefined
    : (report.files[file].lines || []).filter(row => report.functions[row[FUNCTION]].name === name)
      .sort((a, b) => a[VERDICT] - b[VERDICT] || b[SCORE] - a[SCORE])[0];
  if (row) { select(file, row); byId("tools").scrollIntoView(); }
}

for (const place of document.querySelectorAll("a.place")) {
  // What is not on the page is named, not linked.
  if (!report.files[fileNumber.get(place.dataset.file)]?.lines) {
    place.removeAttribute("href");
    continue;
  }
  place.addEventListener("click", event => {
    event.preventDefault();
    const { file, line, function: name } = place.dataset;
    if (line ? goTo(file, Number(line)) : (goToFunction(file, name), true)) byId("tools").scrollIntoView();
  });
}

// A link to a table opens it.
for (const link of document.querySelectorAll(".alert a")) {
  link.addEventListener("click", () => { document.querySelector(link.getAttribute("href")).open = true; });
}

// On paper there is no scrolling: all files with matches, as far as it makes sense.
const PRINTED_ROWS = 3000;
addEventListener("beforeprint", () => {
  const main = byId("source");
  const before = openFile;
  const printed = document.createDocumentFragment();
  let room = PRINTED_ROWS;
  for (let number = 0; number < report.files.length && room > 0; number++) {
    if (!matchCounts[number]) continue;
    showFile(number);
    makeRows(room);
    room -= view.items.length;
    printed.append(...main.childNodes);
  }
  main.replaceChildren(printed);
  if (room <= 0) main.append(element("p", { class: "empty" }, "More lines than fit on paper."));
  addEventListener("afterprint", () => showFile(before), { once: true });
});
