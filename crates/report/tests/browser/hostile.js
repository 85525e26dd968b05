press("j");
check("no element came from a name", document.images.length === 0 && document.scripts.length === 5, document.scripts.length);
check("the name is shown as it is", fileName().startsWith("<\/script>\x3cimg src=x"), fileName());
check("the source is shown as it is", row(2).textContent.includes("::error::x|`@octocat`"), row(2).textContent);
check("control characters are shown, not obeyed", row(1).textContent.includes("\\u{1b}[2J"), row(1).textContent);
check("text keeps its direction", !document.body.innerText.includes("\u202e"));
finish();
