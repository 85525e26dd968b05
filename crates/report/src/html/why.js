
// Why: the chain from the change to a line, each hop a way to its place.

function chainOf(row) {
  const chain = [];
  for (let step = row[STEP]; step >= 0; step = report.steps[step][BEFORE]) chain.unshift(report.steps[step]);
  return chain;
}

// Text with `code` in it.
function prose(text) {
  return shown(text).split("`").map((part, index) => index % 2 ? element("code", {}, part) : part);
}

function sourceAt(path, line) {
  const file = report.files[fileNumber.get(path)];
  const lines = file && linesOf(file).lines;
  return lines ? shown((lines[line - 1] ?? "").trim()) : "";
}

function showWhy(file, row) {
  const why = byId("why");
  const verdict = row[VERDICT], name = VERDICTS[verdict];
  const path = report.files[file].path;
  const score = verdict === 1 || verdict === 2 ? `, score ${row[SCORE].toFixed(2)}` : "";
  const inFunction = report.functions[row[FUNCTION]].name;
  const close = element("button", { type: "button", class: "close", "aria-label": "Close", onclick: closeWhy }, "×");
  const parts = [
    close,
    element("h2", {}, `${shown(path)}:${row[LINE]}`),
    element("p", {}, element("span", { class: "verdict" }, `${SIGNS[verdict]} ${name}${score}`),
      ...(inFunction ? [" in ", element("code", {}, shown(inFunction))] : [])),
  ];
  if (row[WITNESS]) parts.push(element("p", {}, "Seen on ", ...prose(row[WITNESS])));
  if (verdict === UNAFFECTED) {
    parts.push(element("p", {}, row[CUT] >= 0 ? `Unaffected: ${report.cuts[row[CUT]]}.` : "Unaffected."));
  }
  const chain = chainOf(row);
  const marked = new Set();
  if (chain.length) {
    parts.push(element("ol", { class: "chain" }, ...chain.map(step => {
      const place = `${shown(step[STEP_FILE])}:${step[STEP_LINE]}`;
      if (step[STEP_OLD]) {
        return element("li", {}, element("span", { class: "old" }, place), element("span", { class: "tag" }, "old version"),
          element("div", {}, ...prose(step[STEP_TEXT])));
      }
      if (step[STEP_FILE] === path) marked.add(step[STEP_LINE]);
      const source = sourceAt(step[STEP_FILE], step[STEP_LINE]);
      return element("li", {},
        element("button", { type: "button", onclick: () => goTo(step[STEP_FILE], step[STEP_LINE]) }, place),
        element("div", {}, ...prose(step[STEP_TEXT])),
        source ? element("pre", {}, source) : null);
    })));
  } else if (verdict === 2) {
    parts.push(element("p", { class: "hint" }, "No chain was recorded for this line."));
  }
  if (row[HUNKS]?.length) {
    parts.push(element("p", { class: "hint" }, `Reached by hunk${row[HUNKS].length > 1 ? "s" : ""} ${row[HUNKS].join(", ")}`));
  }
  why.className = `why open v-${name}`;
  why.replaceChildren(...parts);
  why.scrollTop = 0;
  document.querySelectorAll(".row.on-chain").forEach(made => made.classList.remove("on-chain"));
  marked.delete(row[LINE]);
  for (const line of marked) view.container.querySelector(`.row[data-line="${line}"]`)?.classList.add("on-chain");
}

function closeWhy() {
  const why = byId("why");
  why.className = "why";
  why.replaceChildren(element("p", { class: "hint" }, "Select a line to see how the change comes to it, or what keeps it away. ",
    element("kbd", {}, "j"), " and ", element("kbd", {}, "k"), " walk through the lines."));
  document.querySelectorAll(".row.selected, .row.on-chain").forEach(made => made.classList.remove("selected", "on-chain"));
  current = null;
  showPosition();
}
