
// Elements from plain data. Text is only ever set as text.

const report = JSON.parse(document.getElementById("report").textContent);
const VERDICTS = ["changed", "affected", "possible", "unaffected"];
const SIGNS = ["●", "▲", "◆", "·"];
// Columns of a line's row.
const LINE = 0, FUNCTION = 1, VERDICT = 2, SCORE = 3, CUT = 4, STEP = 5, HUNKS = 6, WITNESS = 7;
// Columns of a step.
const BEFORE = 0, STEP_FILE = 1, STEP_LINE = 2, STEP_TEXT = 3, STEP_OLD = 4;
const UNAFFECTED = 3;

const fileNumber = new Map(report.files.map((file, number) => [file.path, number]));

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") made.addEventListener("click", value);
    else if (value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter(child => child !== undefined && child !== null));
  return made;
}

const byId = id => document.getElementById(id);
const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

// Control characters, and marks that change the direction of text, are shown and not obeyed.
const DECEIVING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const shown = text => text.replace(DECEIVING, character =>
  "\\u{" + character.codePointAt(0).toString(16) + "}");
