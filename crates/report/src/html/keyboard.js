
// Keys, light and dark, and what happens when the page opens.

const root = document.documentElement;
function toggleTheme() {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

function walkFiles(direction) {
  const files = report.files.map((_, number) => number).filter(number => matchCounts[number] > 0);
  if (!files.length) return;
  const at = files.indexOf(openFile);
  const next = files[(at + direction + files.length) % files.length];
  const first = matches.find(match => match.file === next);
  select(first.file, first.row);
}

const KEYS = {
  j: () => walk(1), n: () => walk(1), k: () => walk(-1), p: () => walk(-1),
  "]": () => walkFiles(1), "[": () => walkFiles(-1),
  1: () => toggleVerdict(0), 2: () => toggleVerdict(1), 3: () => toggleVerdict(2), 4: () => toggleVerdict(3),
  "/": () => byId("search").focus(), t: toggleTheme, "?": () => byId("help").showModal(),
};

addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  const search = byId("search");
  const writing = event.target.closest?.("input, select, textarea");
  if (event.key === "Escape") {
    if (document.activeElement === search || search.value) {
      search.value = "";
      search.blur();
      filter.words = "";
      applyFilter();
    } else closeWhy();
  } else if (event.target === search && event.key === "Enter") {
    search.blur();
    current = null;
    walk(1);
  } else if (!writing && Object.hasOwn(KEYS, event.key)) {
    event.preventDefault();
    KEYS[event.key]();
  }
});

byId("theme").addEventListener("click", toggleTheme);
byId("help-button").addEventListener("click", () => byId("help").showModal());

// What sticks below the filters stands as high as they are.
new ResizeObserver(() => root.style.setProperty("--tools", `${byId("tools").offsetHeight}px`)).observe(byId("tools"));

applyFilter();
closeWhy();
// A link to a line opens it.
{
  let target = "";
  try { target = decodeURIComponent(location.hash.slice(1)); } catch { /* not a link of ours */ }
  const colon = target.lastIndexOf(":");
  if (colon > 0) goTo(target.slice(0, colon), Number(target.slice(colon + 1)));
}
