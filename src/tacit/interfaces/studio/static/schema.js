// The schema editor: a column is opened in place, its form filled from its rule, and what is saved goes to the studio.
"use strict";
{
  const editor = document.getElementById("editor"), list = document.getElementById("columns");
  const base = `/schema/${encodeURIComponent(editor.dataset.table)}`;
  const left = document.getElementById("left"), ready = document.getElementById("ready");
  const said = document.getElementById("said"), undo = document.getElementById("undo");
  const rows = new Map([...list.querySelectorAll("li")].map(row => [row.dataset.name, row]));

  async function send(path, fields) {
    const answer = await fetch(`${base}/${path}`, {
      method: "POST", body: new URLSearchParams(fields), headers: {Accept: "application/json"},
    });
    if (answer.status === 401) { location.reload(); return {}; }
    const content = await answer.json();
    if (!answer.ok) throw new Error(content.error);
    show(content);
    return content;
  }

  function show(content) {
    for (const column of content.columns) {
      const row = rows.get(column.name);
      row.dataset.rule = JSON.stringify(column.rule);
      row.classList.toggle("guessed", column.guessed);
      row.querySelector(".kind").textContent = column.kind;
      row.querySelector(".facts").textContent = column.facts;
      row.querySelector(".confirm").hidden = !column.guessed;
      const form = row.querySelector("form");
      if (form) fill(form, row);
    }
    document.getElementById("blanks").value = content.blanks;
    left.hidden = content.left === 0;
    left.textContent = left.parentNode.dataset.open.replace("{count}", content.left);
    ready.hidden = content.left > 0;
    undo.disabled = !content.undo;
    said.textContent = editor.dataset.saved;
  }

  function fill(form, row) {
    const rule = JSON.parse(row.dataset.rule), field = name => form.elements.namedItem(name);
    const bounds = rule.bounds || ["", ""], values = rule.categories || rule.classes || [];
    field("kind").value = rule.kind;
    field("low").value = bounds[0];
    field("high").value = bounds[1];
    field("integer").checked = Boolean(rule.integer);
    field("step").value = rule.step || "day";
    field("pattern").value = rule.pattern || "";
    field("values").value = values.join("\n");
    const word = rule.missing === undefined ? "error" : rule.missing;
    const known = [...field("missing").options].some(option => option.value === word);
    field("missing").value = known ? word : "value";
    field("missing_value").value = known ? "" : word;
    field("rows").value = rule.rows || "";
    form.querySelector(".range").textContent = row.dataset.range || "";
    choose(form);
  }

  // Fields that the chosen kind does not have are hidden, and so are rules for missing cells that it does not know.
  function choose(form) {
    const kind = form.elements.namedItem("kind").value;
    for (const part of form.querySelectorAll("[data-kinds]")) part.hidden = !part.dataset.kinds.split(" ").includes(kind);
    const gaps = form.elements.namedItem("missing"), words = kind === "categorical"
      ? ["error", "category", "value"] : kind === "numeric" ? ["error", "middle", "flag", "value"] : ["error", "middle", "flag"];
    for (const option of gaps.options) option.hidden = option.disabled = !words.includes(option.value);
    if (!words.includes(gaps.value)) gaps.value = "error";
    const value = form.elements.namedItem("missing_value").closest("[data-kinds]");
    value.hidden = value.hidden || gaps.value !== "value";
  }

  function open(row) {
    const line = row.querySelector(".line"), form = row.querySelector("form");
    if (form) { form.remove(); line.setAttribute("aria-expanded", "false"); return; }
    const copy = document.getElementById("rule-form").content.firstElementChild.cloneNode(true);
    for (const box of copy.querySelectorAll("[id]")) box.id = `${row.id}-${box.id}`;
    for (const label of copy.querySelectorAll("label[for]")) label.htmlFor = `${row.id}-${label.htmlFor}`;
    for (const box of copy.querySelectorAll("[aria-describedby]")) box.setAttribute("aria-describedby", `${row.id}-${box.getAttribute("aria-describedby")}`);
    fill(copy, row);
    row.append(copy);
    line.setAttribute("aria-expanded", "true");
  }

  list.addEventListener("click", async event => {
    const row = event.target.closest("li");
    if (event.target.closest(".line")) open(row);
    if (event.target.closest(".confirm")) {
      row.classList.remove("guessed");
      event.target.hidden = true;
      row.querySelector(".line").focus();
      try { await send("confirm", [["name", row.dataset.name]]); } catch (problem) { said.textContent = problem.message; }
    }
  });
  list.addEventListener("change", event => {
    if (event.target.name === "kind" || event.target.name === "missing") choose(event.target.form);
  });
  list.addEventListener("submit", async event => {
    event.preventDefault();
    const form = event.target, row = form.closest("li"), problem = form.querySelector("[role=alert]");
    try {
      await send("save", [["name", row.dataset.name], ...new FormData(form)]);
      open(row);
      row.querySelector(".line").focus();
    } catch (trouble) {
      problem.textContent = trouble.message;
      problem.hidden = false;
    }
  });
  document.getElementById("blanks-form").addEventListener("submit", async event => {
    event.preventDefault();
    try { await send("blanks", new FormData(event.target)); } catch (problem) { said.textContent = problem.message; }
  });
  undo.addEventListener("click", async () => {
    try { await send("undo", []); } catch (problem) { said.textContent = problem.message; }
  });
  document.getElementById("every").addEventListener("click", async () => {
    const shown = [...rows.values()].filter(row => !row.hidden && row.classList.contains("guessed"));
    if (!shown.length || !confirm(document.getElementById("every").dataset.ask)) return;
    try { await send("confirm", shown.map(row => ["name", row.dataset.name])); } catch (problem) { said.textContent = problem.message; }
  });

  const find = document.getElementById("find"), only = document.querySelector("[name=only]");
  function filter() {
    const wanted = find.value.trim().toLowerCase();
    for (const [name, row] of rows) {
      row.hidden = !name.toLowerCase().includes(wanted) || (only.checked && !row.classList.contains("guessed"));
    }
    // A group out of view is as high as its lines would be, and an empty one takes no room.
    for (const group of list.children) {
      const shown = [...group.children].filter(row => !row.hidden).length;
      group.hidden = shown === 0;
      group.style.containIntrinsicSize = `auto none auto ${3 * shown}rem`;
    }
  }
  find.addEventListener("input", filter);
  only.addEventListener("change", filter);
}
