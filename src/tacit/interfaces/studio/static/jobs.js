// The page of a job asks how far it is, and loads itself again when the job has ended.
"use strict";
{
  const job = document.getElementById("job");
  const look = async () => {
    try {
      const answer = await fetch(job.dataset.state);
      if (answer.status === 401) { location.reload(); return; }
      const state = await answer.json();
      if (state.state !== "queued" && state.state !== "running") { location.replace(location.href); return; }
      const stage = document.getElementById("stage");
      if (stage.textContent !== state.stage) stage.textContent = state.stage;
      document.getElementById("clock").textContent = state.clock;
    } catch (problem) { /* The studio may be starting again: ask once more. */ }
    setTimeout(look, 400);
  };
  if (job) look();
}
