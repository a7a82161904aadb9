// The theme's buttons that fold a part of the menu have no name that a screen reader could say.
document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll("nav summary")) {
    button.setAttribute("aria-label", `Pages of ${button.closest("li").querySelector("a").textContent}`);
  }
});
