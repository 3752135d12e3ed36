// The slider of epsilon and its field are one: what it means is told for each stop, and asked for any other number.
"use strict";
{
  const slider = document.getElementById("slider"), field = document.getElementById("epsilon");
  const stops = JSON.parse(slider.dataset.stops), meaning = document.getElementById("meaning");
  const dot = document.querySelector(".guess circle"), span = document.querySelector(".guess .span");
  const show = stop => {
    meaning.textContent = stop.words;
    dot.setAttribute("cx", stop.place);
    span.setAttribute("x2", stop.place);
  };
  slider.addEventListener("input", () => {
    const stop = stops[Number(slider.value)];
    field.value = stop.epsilon;
    show(stop);
  });
  field.addEventListener("change", async () => {
    const number = Number(field.value.replace(",", ".")), place = stops.findIndex(stop => Number(stop.epsilon) >= number);
    slider.value = place < 0 ? stops.length - 1 : place;
    const answer = await fetch(`/release/meaning?epsilon=${encodeURIComponent(field.value)}`, {headers: {Accept: "application/json"}});
    const content = await answer.json();
    if (answer.ok) show(content); else meaning.textContent = content.error;
  });
  const table = document.getElementById("table");
  table.addEventListener("change", () => { location.search = `?table=${encodeURIComponent(table.value)}`; });
}
