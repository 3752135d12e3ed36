// What every page does: files dropped or chosen are uploaded, fragments are loaded when asked for, "back" goes back.
"use strict";

function upload(form, file, shown) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", `/upload?name=${encodeURIComponent(file.name)}`);
    request.upload.onprogress = event => { if (event.lengthComputable) shown(event.loaded / event.total); };
    request.onerror = () => reject(new Error("the studio does not answer."));
    request.onload = () => {
      if (request.status === 401) { location.reload(); return; }
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch (problem) { answer = {error: request.statusText}; }
      if (request.status < 300) resolve(answer.name); else reject(new Error(answer.error));
    };
    request.send(file);
  });
}

async function uploadAll(form, files) {
  const bar = form.querySelector("progress"), said = form.querySelector("[role=status]");
  bar.hidden = false;
  said.className = "small";
  try {
    for (const file of files) {
      if (file.size > Number(form.dataset.largest)) throw new Error(form.dataset.tooLarge);
      said.textContent = file.name;
      const name = await upload(form, file, share => { bar.value = share; });
      const field = document.createElement("input");
      field.type = "hidden"; field.name = "name"; field.value = name;
      form.append(field);
    }
    form.submit();
  } catch (problem) {
    bar.hidden = true;
    said.textContent = problem.message;
    said.className = "warning";
  }
}

for (const form of document.querySelectorAll("[data-upload]")) {
  const chooser = form.querySelector("input[type=file]");
  chooser.addEventListener("change", () => { if (chooser.files.length) uploadAll(form, [...chooser.files]); });
  form.addEventListener("dragover", event => { event.preventDefault(); form.classList.add("over"); });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", event => {
    event.preventDefault();
    form.classList.remove("over");
    const files = [...event.dataTransfer.files];
    if (files.length) uploadAll(form, chooser.multiple ? files : files.slice(0, 1));
  });
}

document.addEventListener("click", async event => {
  const asked = event.target.closest("[data-load]");
  if (asked) {
    const answer = await fetch(asked.dataset.load);
    if (answer.status === 401 || answer.redirected) { location.reload(); return; }
    document.getElementById(asked.dataset.into).innerHTML = await answer.text();
  }
  const back = event.target.closest("[data-back]");
  if (back && history.length > 1) { event.preventDefault(); history.back(); }
  if (event.target.closest("[data-print]")) print();
});

// A report in a frame is as tall as its content, so that there is one scroll bar.
for (const frame of document.querySelectorAll("iframe[data-fit]")) {
  const fit = () => {
    const inside = frame.contentDocument;
    if (inside && inside.documentElement) frame.style.height = `${inside.documentElement.scrollHeight + 4}px`;
  };
  frame.addEventListener("load", fit);
  addEventListener("resize", fit);
  fit();
}
