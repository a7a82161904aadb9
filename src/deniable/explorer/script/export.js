// What is set, as a plan to take away.

/** A float of TOML. @param {number} x */
const asFloat = (x) => (/^-?\d+$/.test(String(x)) ? `${x}.0` : String(x));

/** The plan's two tables that this page fills in. @param {Setting} s */
function tablesOf(s, delta) {
  const value =
    s.kind === "identifiability"
      ? `{ rho = ${asFloat(s.value)}, worlds = ${s.worlds} }`
      : asFloat(s.value);
  return [
    "[adversary]",
    `prior = [${asFloat(s.a)}, ${asFloat(s.b)}]`,
    "",
    "[target]",
    `${s.kind} = ${value}`,
    ...(s.tail ? [`delta = ${asFloat(delta)}`] : []),
    "",
  ].join("\n");
}

/** The whole plan where the page has it, else the two tables. */
function planText(s, plan, delta) {
  const tables = tablesOf(s, delta);
  if (!plan || !plan.toml)
    return `# Your choices, for [adversary] and [target] of a plan.\n\n${tables}`;
  return `# Put the source of the data back in before use.\n${plan.toml.trimEnd()}\n\n${tables}`;
}

/** Show the text, or nothing where no noise keeps to the limit. */
function exportPlan(s, { refused }) {
  const text = refused ? "" : planText(s, PLAN, CURVES.delta);
  if ($("toml").value !== text) $("toml").value = text;
  for (const id of ["download", "copy"]) $(id).disabled = Boolean(refused);
  const whole =
    PLAN && PLAN.toml
      ? "The plan with your choices. This page does not know where its data are."
      : "Your choices, as two tables of a plan.";
  say($("export-told"), refused ? "There is no plan to export: no noise meets this limit." : whole);
}

function listenToExport() {
  $("download").addEventListener("click", () => {
    const link = made("a", {
      download: "plan.toml",
      href: URL.createObjectURL(new Blob([$("toml").value], { type: "application/toml" })),
    });
    link.click();
    URL.revokeObjectURL(link.href);
    say($("done"), "Saved as plan.toml.");
  });
  $("copy").addEventListener("click", async () => {
    $("toml").select();
    try {
      await navigator.clipboard.writeText($("toml").value);
      say($("done"), "Copied.");
    } catch {
      say(
        $("done"),
        document.execCommand("copy")
          ? "Copied."
          : "The text is selected: copy it with your keyboard.",
      );
    }
  });
  $("print").addEventListener("click", () => window.print());
}
