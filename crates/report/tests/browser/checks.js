// What the page's own claims are checked with. Results go into the page, which is then dumped.
const results = [];
const check = (claim, holds, found = "") => results.push({ claim, holds: Boolean(holds), found: String(found) });
const one = selector => document.querySelector(selector);
const all = selector => [...document.querySelectorAll(selector)];
const press = key => (document.activeElement || document.body)
  .dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const choose = (selector, value) => {
  const field = one(selector);
  field.value = value;
  field.dispatchEvent(new Event(field.matches("select") ? "change" : "input", { bubbles: true }));
};
const position = () => one("#position").textContent;
const selected = () => one(".row.selected")?.dataset.line;
const fileName = () => one(".file-name code").textContent;
const openPath = path => all("#files button").find(button => button.textContent.includes(path)).click();
const row = line => one(`.row[data-line="${line}"]`);

// Colours as the browser paints them, over whatever lies behind.
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
function painted(colour) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
}
function background(element) {
  for (let at = element; at; at = at.parentElement) {
    const colour = painted(getComputedStyle(at).backgroundColor);
    if (colour[3] > 250) return colour;
  }
  return [255, 255, 255, 255];
}
const luminance = colour => [0.2126, 0.7152, 0.0722].reduce((sum, weight, index) => {
  const part = colour[index] / 255;
  return sum + weight * (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
}, 0);
function contrast(element) {
  const [a, b] = [luminance(painted(getComputedStyle(element).color)), luminance(background(element))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}
function checkContrast(what) {
  const tokens = "h1, .facts dt, .chip, .row .text, .row .number, .row .mark, .row .text span, .why *, .files .amount, .quiet, .gap, .legend, .count, .alert";
  const weak = all(tokens).filter(element => element.textContent.trim() && element.checkVisibility() && contrast(element) < 4.5);
  check(`${what}: every text has a contrast of at least 4.5`, weak.length === 0,
    weak.slice(0, 5).map(element => `${element.className || element.tagName} ${contrast(element).toFixed(2)}`).join("; "));
}

function finish() {
  check("nothing goes wrong", problems.length === 0, problems.join("; "));
  const requests = performance.getEntriesByType("resource").filter(entry => !entry.name.startsWith("data:"));
  check("nothing is requested", requests.length === 0, requests.map(entry => entry.name).join(" "));
  const made = document.createElement("pre");
  made.id = "results";
  made.textContent = encodeURIComponent(JSON.stringify(results));
  document.body.append(made);
}
