check("the nearest lines come first", one("#order").value === "score", one("#order").value);
check("the picture waits below", !one("#spread").open && one("#spread").compareDocumentPosition(one("#source")) & Node.DOCUMENT_POSITION_PRECEDING);
one("#spread").open = true;
choose("#order", "place");
check("all 15 lines match at first", position() === "15 lines", position());
check("each file with hits is listed", all("#files > ul > li").length === 4, all("#files > ul > li").length);
check("files without hits are counted", one("#files").textContent.includes("1 file that the change does not reach"));
check("the picture has the ten functions reached", all(".node").length === 10, all(".node").length);

openPath("report.c");
check("a file opens from the list", fileName() === "report.c", fileName());
row(18).querySelector(".text").click();
check("clicking a line selects it", selected() === "18", selected());
check("clicking a line shows why", one("#why h2").textContent === "report.c:18", one("#why h2").textContent);
check("the chain has a hop a step", all(".chain li").length === 4, all(".chain li").length);
check("a step of the old version is marked", one(".chain li").textContent.includes("old version"));
check("the witness is shown", one("#why").textContent.includes("half an hour"));
all(".chain button")[0].click();
check("a hop leads to its place", fileName() === "garage.c" && selected() === "62", `${fileName()}:${selected()}`);
check("the address names the line", decodeURIComponent(location.hash) === "#garage.c:62", location.hash);

const mark = row(64).querySelector("button.mark");
check("a line can be reached and opened by keyboard", mark.tabIndex === 0 && mark.getAttribute("aria-label") === "line 64: possible, score 0.85. Why?", mark.getAttribute("aria-label"));
mark.focus();
mark.click();
check("its button opens it", selected() === "64", selected());
row(63).querySelector(".text").click();
check("an unaffected line says what cuts it off", one("#why").textContent.includes("nothing that it uses depends on the change"), one("#why").textContent);

press("Escape");
check("Escape closes the explanation", !one(".row.selected") && position() === "15 lines", position());
press("j");
check("j goes to the first line", selected() === "62" && position() === "1 of 15", `${selected()} ${position()}`);
press("j");
check("j goes to the next", selected() === "64", selected());
press("j");
check("j goes on to the next file", fileName() === "tariff.c" && selected() === "10", `${fileName()}:${selected()}`);
press("k");
check("k goes back", fileName() === "garage.c" && selected() === "64", `${fileName()}:${selected()}`);
press("]");
check("] goes to the next file", fileName() === "tariff.c", fileName());

one(".chip.v-possible").click();
check("a verdict can be hidden", position() === "5 lines" || position().endsWith("of 5"), position());
check("a hidden verdict says so", one(".chip.v-possible").getAttribute("aria-pressed") === "false");
check("a line that does not match is no hit", row(32) && !row(32).classList.contains("hit"));
press("3");
check("a key shows it again", position().endsWith("15") || position() === "15 lines", position());
press("4");
check("unaffected lines can be shown", position().includes("73"), position());
press("4");

choose("#hunk", "2");
check("a hunk filters the lines it reaches", /\b11\b/.test(position()), position());
choose("#hunk", "0");
choose("#search", "evening");
check("a function's name filters", /\b3\b/.test(position()) && all("#files > ul > li").length === 1, position());
one("#search").focus();
press("Escape");
check("Escape clears the search", one("#search").value === "" && /\b15\b/.test(position()), position());
press("/");
check("/ goes to the search", document.activeElement === one("#search"));
press("j");
check("keys in the search are text", document.activeElement === one("#search"));
choose("#search", "no such function");
check("no match is said", one("#files").textContent.includes("No line matches"), one("#files").textContent);
press("Escape");
choose("#order", "score");
press("Escape");
press("j"); press("j"); press("j"); press("j");
check("by score, affected lines follow the changed ones", one("#why .verdict").textContent.includes("affected, score 0.95"), one("#why .verdict").textContent);
choose("#order", "place");

openPath("garage.c");
check("the last gap ends with the file", all("button.gap").at(-1).dataset.last === "76", all("button.gap").at(-1).dataset.last);
openPath("report.c");
const gap = one("button.gap");
const before = all(".row").length;
gap.click();
check("a gap opens", all(".row").length > before, all(".row").length);

one('.node[data-function="hourly"]').dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
check("a function in the picture leads to its source", fileName() === "tariff.c" && selected() === "20", `${fileName()}:${selected()}`);
const transform = one("#view").getAttribute("transform");
one('[data-zoom="in"]').click();
check("the picture zooms", one("#view").getAttribute("transform") !== transform);

one(".alert a").click();
check("a link to a table opens it", one("#hunks").open);

check("a place that is not on the page is no link", !one('a[data-file="Makefile"]').hasAttribute("href"));
one('a.place[data-file="tariff.c"]').click();
check("a place in a table leads to the source", fileName() === "tariff.c" && selected() === "10", `${fileName()}:${selected()}`);

press("?");
check("? opens the help", one("#help").open);
one("#help").close();

check("it is light at first", background(document.body)[0] > 200, background(document.body));
checkContrast("light");
press("t");
check("t makes it dark", background(document.body)[0] < 60, background(document.body));
checkContrast("dark by the key");
check("the page does not scroll sideways", document.documentElement.scrollWidth <= innerWidth, `${document.documentElement.scrollWidth} > ${innerWidth}`);
finish();
