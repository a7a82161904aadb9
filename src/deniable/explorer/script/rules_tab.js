// Exact counts under a rule.

const ROWS_AFTER = 8;
const LONGEST_SHOWN = 100;

/** The rule that is set, with how `deniable rules design` is asked about it; null if mistyped. */
function ruleNow(presets) {
  const name = $("rule").value;
  $("own-rule").hidden = name !== "";
  if (name) return { rule: presets[name], words: `--preset ${name}` };
  const [hide, base] = [wholeIn("hide", 0, 1000), wholeIn("base", 1, 100)];
  if (hide === null || base === null) return null;
  const steps = [...(hide ? [{ hide: [1, hide] }] : []), ...(base > 1 ? [{ round: base }] : [])];
  const zero = $("zero").value;
  const options = [hide ? `--hide 1 ${hide} ` : "", base > 1 || !hide ? `--round ${base} ` : ""];
  return { rule: { steps, zero }, words: `${options.join("")}--zero ${zero}` };
}

const ruled = { key: "", answer: null, line: [] };

/** The answer, kept until something else is set. */
function judgedOnce(rule, members, low, high, limit) {
  const key = JSON.stringify([rule, members, low, high, limit]);
  if (ruled.key === key) return ruled;
  ruled.key = key;
  ruled.answer = judged(rule, members, low, high, limit);
  const read = decimals(low, high);
  ruled.line = [];
  for (let n = 2; read && n <= LONGEST_SHOWN; n += 1) {
    const [part, all] = farthest(listed(rule, n, ...read.parts, read.unit), true).belief;
    ruled.line.push([n, Number((part * 10n ** 9n) / all) / 1e9]);
  }
  return ruled;
}

const outputName = (output) => (output === "*" ? "a hidden count" : `“${output}”`);

function exactShare(share, upwards) {
  const fraction = fractionOf(share);
  return shareOf(share, upwards) + (fraction ? ` (exactly ${fraction})` : "");
}

/** The tab of rules. */
function drawRules(draw, presets, s) {
  const members = wholeIn("members", 2, MOST_MEMBERS);
  const limit = typed("belief-limit");
  const isLimit = limit >= 0 && limit <= 1;
  $("belief-limit").setAttribute("aria-invalid", String(!isLimit));
  const set = ruleNow(presets);
  const ordered = s.a >= 0 && s.a <= s.b && s.b <= 1;
  const { answer, line } =
    set && members && isLimit && ordered
      ? judgedOnce(set.rule, members, s.a, s.b, limit)
      : { answer: null, line: [] };
  $("rules-answer").hidden = !answer;
  if (!answer) {
    tell($("rules-sentence"), [
      "Enter 2 to 1,000 people, a count to hide of at most 1,000, a base of 1 to 100, and beliefs from 0 to 1 with at most 12 decimals, the lower one first.",
    ]);
    return;
  }
  const { worst, lowest } = answer;
  tell($("rules-sentence"), [
    "Someone who is ",
    s.a === s.b ? exactly(s.b) : `${exactly(s.a)} to ${exactly(s.b)}`,
    ` sure that a given one of the ${members} is counted can become at most `,
    shareOf(worst.belief, true),
    ` sure, after ${outputName(worst.output)}.`,
  ]);
  facts($("rules-facts"), [
    ["largest belief", `${exactShare(worst.belief, true)}, after ${outputName(worst.output)}`],
    ["least belief", `${exactShare(lowest.belief, false)}, after ${outputName(lowest.output)}`],
    [
      `a belief above ${exactly(limit)}`,
      `has probability at most ${shareOf(answer.passing, true)} if the person is counted; ${shareOf(answer.stated, true)} if every prior belief is ${exactly(s.b)}`,
    ],
    [
      "as a command",
      `deniable rules design ${set.words} --members ${members} --prior ${s.a} ${s.b} --max-posterior ${limit}`,
    ],
  ]);
  draw({
    xs: [2, LONGEST_SHOWN],
    shares: true,
    line,
    mark: members <= LONGEST_SHOWN && line[members - 2],
    x: "people on the list",
    y: "largest belief after, %",
    label: "Largest belief after, by people on the list",
  });
  const rows = answer.after.sort((x, y) => isMore(y.high, x.high) - isMore(x.high, y.high));
  $("outputs").tBodies[0].replaceChildren(
    ...rows.slice(0, ROWS_AFTER).map(({ output, counts, low, high }) =>
      made(
        "tr",
        {},
        made("th", { scope: "row" }, output === "*" ? "hidden" : String(output)),
        made("td", {}, counts),
        made("td", {}, shareOf(low, false)),
        made("td", {}, shareOf(high, true)),
      ),
    ),
  );
}
