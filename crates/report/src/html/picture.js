
// Moving about in the picture of how the change spreads.

const frame = byId("picture-frame");
if (frame) {
  const picture = byId("picture"), content = byId("view");
  const width = picture.width.baseVal.value, height = picture.height.baseVal.value;
  const place = { x: 0, y: 0, scale: 1 };
  const move = () => content.setAttribute("transform", `translate(${place.x} ${place.y}) scale(${place.scale})`);
  // All of it, but never so small that names can not be read, beginning at the change.
  const fit = smallest => {
    const { clientWidth, clientHeight } = frame;
    place.scale = Math.min(1, Math.max(smallest, Math.min(clientWidth / width, clientHeight / height)));
    place.x = Math.max(0, (clientWidth - width * place.scale) / 2);
    place.y = (clientHeight - height * place.scale) / 2;
    move();
  };
  const zoom = (factor, x = frame.clientWidth / 2, y = frame.clientHeight / 2) => {
    const scale = Math.min(3, Math.max(0.08, place.scale * factor));
    place.x = x - (x - place.x) * scale / place.scale;
    place.y = y - (y - place.y) * scale / place.scale;
    place.scale = scale;
    move();
  };
  const readable = () => frame.clientWidth < 600 ? 0.85 : 0.62;
  picture.removeAttribute("viewBox");
  frame.classList.add("live");
  // It has no size before it is opened.
  byId("spread").addEventListener("toggle", () => {
    if (height < 260 && width <= frame.clientWidth) frame.style.height = `${Math.max(120, height + 12)}px`;
    fit(readable());
  });
  document.querySelectorAll("[data-zoom]").forEach(button => button.addEventListener("click", () => {
    if (button.dataset.zoom === "fit") fit(0.05);
    else zoom(button.dataset.zoom === "in" ? 1.25 : 0.8);
  }));
  frame.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = frame.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  let held = null;
  frame.addEventListener("pointerdown", event => {
    // The corner that changes the height is the browser's own.
    const box = frame.getBoundingClientRect();
    if (event.button || box.bottom - event.clientY < 16 && box.right - event.clientX < 16) return;
    held = { x: event.clientX - place.x, y: event.clientY - place.y, from: [event.clientX, event.clientY], moved: false };
  });
  addEventListener("pointermove", event => {
    if (!held) return;
    if (!held.moved && Math.hypot(event.clientX - held.from[0], event.clientY - held.from[1]) < 4) return;
    held.moved = true;
    frame.classList.add("dragging");
    place.x = event.clientX - held.x;
    place.y = event.clientY - held.y;
    move();
  });
  addEventListener("pointerup", () => {
    frame.classList.remove("dragging");
    setTimeout(() => { held = null; });
  });
  const links = [...picture.querySelectorAll(".link")];
  const nodes = [...picture.querySelectorAll(".node")];
  const highlight = node => {
    const number = node?.dataset.node;
    const near = new Set([number]);
    for (const link of links) {
      const touches = link.dataset.from === number || link.dataset.to === number;
      link.classList.toggle("near", touches);
      if (touches) near.add(link.dataset.from).add(link.dataset.to);
    }
    nodes.forEach(other => other.classList.toggle("near", near.has(other.dataset.node)));
    content.classList.toggle("focused", Boolean(node));
  };
  for (const node of nodes) {
    const go = () => goToFunction(node.dataset.file, node.dataset.function);
    node.addEventListener("click", () => { if (!held?.moved) go(); });
    node.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(); }
    });
    node.addEventListener("pointerenter", () => highlight(node));
    node.addEventListener("pointerleave", () => highlight(null));
    node.addEventListener("focus", () => {
      highlight(node);
      // A box reached by keyboard comes into view.
      const box = node.getBoundingClientRect(), around = frame.getBoundingClientRect();
      if (box.left < around.left) place.x += around.left - box.left + 20;
      if (box.right > around.right) place.x -= box.right - around.right + 20;
      if (box.top < around.top) place.y += around.top - box.top + 20;
      if (box.bottom > around.bottom) place.y -= box.bottom - around.bottom + 20;
      move();
    });
    node.addEventListener("blur", () => highlight(null));
  }
}
