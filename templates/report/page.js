"use strict";
// Source lines, events and steps point at each other; pictures have switches, schedules a player.

const lines = new Map([...document.querySelectorAll(".code li")].map((li) => [li.dataset.line, li]));
const pointing = new Map();
for (const item of document.querySelectorAll(".drawing .box, .steps tr[data-step]")) {
  if (!item.dataset.line) continue; // of another file
  if (!pointing.has(item.dataset.line)) pointing.set(item.dataset.line, []);
  pointing.get(item.dataset.line).push(item);
}

function inView(element, box) {
  const a = element.getBoundingClientRect(), b = box.getBoundingClientRect();
  if (a.top < b.top || a.bottom > b.bottom) box.scrollTop += a.top - b.top - b.height / 3;
  if (a.left < b.left || a.right > b.right) box.scrollLeft += a.left - b.left - 20;
}

function clear() {
  for (const item of document.querySelectorAll(".selected")) item.classList.remove("selected");
}

// What is chosen stands in the address, so that it can be sent on.
const remember = (element) => history.replaceState(null, "", element ? `#${element.id}` : location.pathname);

function selectLine(number) {
  const line = lines.get(String(number));
  if (!line) return;
  for (const li of document.querySelectorAll(".code .selected")) li.classList.remove("selected");
  line.classList.add("selected");
  inView(line, line.closest(".source"));
}

function selectBox(box) {
  clear();
  box.classList.add("selected");
  selectLine(box.dataset.line);
  remember(box);
}

for (const [number, items] of pointing) {
  const label = lines.get(number)?.querySelector(".line");
  if (!label) continue;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "line";
  button.textContent = number;
  button.setAttribute("aria-label", `Line ${number}: show its ${items.length === 1 ? "event" : `${items.length} events`}`);
  button.addEventListener("click", () => {
    clear();
    selectLine(number);
    for (const item of items) item.classList.add("selected");
    inView(items[0], items[0].closest(".drawing, .steps"));
    const step = items.find((item) => item.dataset.step);
    if (step) step.click();
  });
  label.replaceWith(button);
}

for (const section of document.querySelectorAll(".check")) {
  for (const number of section.dataset.culprits.split(" ")) lines.get(number)?.classList.add("culprit");
}

for (const figure of document.querySelectorAll("figure.execution")) {
  const drawing = figure.querySelector(".drawing");
  for (const box of figure.querySelectorAll(".box")) {
    box.addEventListener("click", () => selectBox(box));
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      selectBox(box);
    });
  }
  const svg = drawing.querySelector("svg"), width = svg.viewBox.baseVal.width, room = drawing.clientWidth - 2;
  let zoom = Math.max(0.7, Math.min(1, room / width)); // text can still be read
  const draw = (factor) => {
    zoom = Math.max(0.1, Math.min(4, factor));
    svg.style.width = `${Math.floor(width * zoom)}px`;
    svg.style.height = "auto";
  };
  for (const button of figure.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => {
    const to = button.dataset.zoom;
    draw(to === "fit" ? (drawing.clientWidth - 2) / width : to === "full" ? 1 : zoom * 1.25 ** Number(to));
  });
  draw(zoom);
  for (const input of figure.querySelectorAll("input")) {
    const show = () => drawing.classList.toggle(`without-${input.value}`, !input.checked);
    input.addEventListener("change", show);
    show(); // a browser may remember the boxes of an earlier visit
  }
}

// The change as text, without the marks of the page; where there is no clipboard, there is no button.
for (const button of document.querySelectorAll(".copy")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", () => {
    const said = (word) => { button.textContent = word; };
    navigator.clipboard.writeText(button.nextElementSibling.textContent).then(() => said("Copied"), () => said("Not allowed"));
  });
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  clear();
  remember();
});

function row(cells, changed) {
  const tr = document.createElement("tr");
  for (const [index, text] of cells.entries()) {
    const td = document.createElement(index === 0 ? "th" : "td");
    td.textContent = text;
    if (changed[index]) td.className = "changed";
    tr.append(td);
  }
  return tr;
}

for (const player of document.querySelectorAll(".player")) {
  const data = JSON.parse(player.querySelector("script").textContent);
  const states = [data.start];
  for (const change of data.changes) {
    const last = states[states.length - 1], next = { ...last };
    for (const part of Object.keys(change)) next[part] = { ...last[part], ...change[part] };
    states.push(next);
  }
  const rows = [...player.querySelectorAll("tr[data-step]")], output = player.querySelector("output");
  const range = player.querySelector("input"), buttons = {};
  for (const button of player.querySelectorAll("button")) buttons[button.dataset.go] = button;
  const threads = player.querySelector(".threads tbody"), memory = player.querySelector(".memory tbody");
  let current = 0;

  function show(step, chosen = true) {
    rows[current - 1]?.classList.remove("current");
    rows[current - 1]?.removeAttribute("aria-current");
    current = Math.max(0, Math.min(rows.length, step));
    const state = states[current], changed = current ? data.changes[current - 1] : {};
    const differs = (part, name) => Boolean(changed[part] && name in changed[part]);
    threads.replaceChildren(...Object.entries(state.where).map(([name, where]) =>
      row([name, where, state.registers[name] ?? ""], [false, differs("where", name), differs("registers", name)])));
    memory.replaceChildren(...Object.entries(state.memory).map(([name, value]) =>
      row([name, value], [false, differs("memory", name)])));
    range.value = current;
    buttons.first.disabled = buttons.back.disabled = current === 0;
    buttons.last.disabled = current === rows.length;
    buttons.forward.disabled = current === rows.length && data.loop === null;
    const repeats = data.loop !== null && current > data.loop ? " (repeats for ever)" : "";
    output.textContent = current
      ? `Step ${current} of ${rows.length}${repeats}: ${data.said[current - 1]}`
      : `Before the first of ${rows.length} steps`;
    const tr = rows[current - 1];
    if (tr) {
      tr.classList.add("current");
      tr.setAttribute("aria-current", "step");
    }
    if (!chosen) return;
    clear();
    remember(tr);
    if (tr) {
      inView(tr, tr.closest(".steps"));
      tr.scrollIntoView({ block: "nearest" });
      selectLine(data.lines[current - 1]);
    } else tr ?? (player.querySelector(".steps").scrollTop = 0);
  }

  // One step after the last one of a lasso is the first of its loop.
  const forward = () => show(current === rows.length && data.loop !== null ? data.loop + 1 : current + 1);
  buttons.first.addEventListener("click", () => show(0));
  buttons.back.addEventListener("click", () => show(current - 1));
  buttons.forward.addEventListener("click", forward);
  buttons.last.addEventListener("click", () => show(rows.length));
  range.addEventListener("input", () => show(Number(range.value)));
  for (const [index, tr] of rows.entries()) tr.addEventListener("click", () => show(index + 1));
  player.addEventListener("keydown", (event) => {
    if (event.target === range || event.altKey || event.ctrlKey || event.metaKey) return;
    const go = { ArrowRight: forward, ArrowLeft: () => show(current - 1), Home: () => show(0), End: () => show(rows.length) }[event.key];
    if (!go) return;
    event.preventDefault();
    go();
  });
  show(rows.length, false); // the end is what a hang is about
  const steps = player.querySelector(".steps");
  steps.scrollTop = steps.scrollHeight;
}

// The address may name an event, a step or a line.
function follow() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named?.matches(".drawing .box")) {
    selectBox(named);
    inView(named, named.closest(".drawing"));
  } else if (named?.matches("tr[data-step]")) named.click();
  else if (named?.matches(".code li")) selectLine(named.dataset.line);
}
window.addEventListener("hashchange", follow);
follow();
