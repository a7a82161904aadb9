"use strict";
// Without this script everything works by forms alone: sliders are read when they are sent, and work
// that is under way is seen when the page is loaded again.

// A refusal, or a question, is read first.
document.querySelector("[role=alert]")?.focus();

// Sliders: what they mean is computed where it is computed for a release.
const form = document.querySelector("form[data-live]");
let last = null;
form?.addEventListener("input", async ({ target }) => {
  const words = `${target.value} %`;
  target.setAttribute("aria-valuetext", words);
  form.querySelector(`output[for="${target.id}"]`).textContent = words;
  const asked = (last = new URLSearchParams(new FormData(form)).toString());
  const answer = await fetch(`${form.dataset.live}?${asked}`);
  const content = await answer.text();
  if (asked === last) document.getElementById(form.dataset.live).innerHTML = content;
});

// Work that is under way: how far it is, and the page anew when something else is to be seen.
const work = document.querySelector("progress[data-state]");
const look = work && setInterval(async () => {
  try {
    const answer = await (await fetch("progress")).json();
    work.value = answer.fraction;
    if (answer.state === work.dataset.state) return;
    clearInterval(look);
    location.replace(answer.state === "done" ? work.dataset.then ?? location.href : location.href);
  } catch {
    clearInterval(look);
    work.parentElement.textContent = "The studio was closed.";
  }
}, 400);
