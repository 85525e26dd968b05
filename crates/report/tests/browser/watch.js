// Runs before everything else of the page: whatever goes wrong is kept.
window.problems = [];
addEventListener("error", event => problems.push(`error: ${event.message}`), true);
addEventListener("unhandledrejection", event => problems.push(`rejected: ${event.reason}`));
document.addEventListener("securitypolicyviolation", event => problems.push(`blocked: ${event.blockedURI}`));
for (const name of ["error", "warn", "assert"]) console[name] = (...words) => problems.push(`${name}: ${words.join(" ")}`);
window.alert = () => problems.push("a name ran as a script");
