// The error of each query of the plan against the limit.

/** Queries' rows, made once; cells are filled at every move. */
function planRows(plan, body, choice) {
  const rows = [];
  plan.queries.forEach((query) => {
    query.errors.forEach((error) => {
      const cells = [0, 1].map(() => made("td", { class: "number" }));
      const unit = made("bdi", {}, error.unit);
      const row = made(
        "tr",
        {},
        made("th", { scope: "row" }, made("bdi", {}, query.name)),
        made("td", {}, error.of),
        ...cells,
        made("td", {}, unit),
      );
      cells[0].textContent = tidy(String(query.cells));
      if (!error.unscaled) // no limit alone decides the others, so that they have no curve
        choice.append(made("option", { value: rows.length }, `${query.name}: ${error.of}`));
      rows.push({ query, error, cell: cells[1], unit });
      body.append(row);
    });
  });
  return rows;
}

/** An error in words: its size, or percentiles, or that it says nothing. */
function errorWords(row, size, rows) {
  if (!Number.isFinite(size)) return ["—", row.error.unit];
  if (row.error.of === "mean" && size >= row.error.most) return ["± any", row.error.unit];
  if (row.error.quantile === undefined) return [width(size), row.error.unit];
  const found = percentiles(row.error.quantile, size, rows);
  const told = found
    ? `rows: between percentiles ${found[0]} and ${found[1]}`
    : "rows: any percentile";
  return [width(size), told];
}

/** Fill the table for a budget, or with dashes. */
function drawPlan(plan, rows, budget, among) {
  for (const row of rows) {
    const size = budget ? errorOf(row.query, row.error, budget, plan.ledger, among) : NaN;
    const [told, unit] = errorWords(row, size, among);
    say(row.cell, told);
    say(row.unit, unit);
  }
}

/** The error over all values of the limit, the others as they are. */
function errorCurve(plan, row, setting, curves, among) {
  const { low, high, offset = 0 } = TARGETS[setting.kind];
  return spreadOver(low - offset, high - offset, 60).map((shifted) => {
    const value = shifted + offset;
    const budget = budgetOf({ ...setting, value }, curves);
    return [
      value,
      budget.refused ? NaN : errorOf(row.query, row.error, budget, plan.ledger, among),
    ];
  });
}

/** Ends of an axis that hold all finite numbers. */
function endsOf(values) {
  const known = values.filter((each) => Number.isFinite(each) && each > 0);
  if (!known.length) return [1, 10];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return high > 1.5 * low ? [low, high] : [low / 2, Math.min(high * 2, Number.MAX_VALUE)];
}

/** Draw one query's error against the limit. */
function drawError(draw, plan, row, setting, budget, curves, among) {
  const line = errorCurve(plan, row, setting, curves, among);
  const known = line.filter(([, size]) => Number.isFinite(size));
  const now = budget ? errorOf(row.query, row.error, budget, plan.ledger, among) : NaN;
  const words = TARGETS[setting.kind].word;
  draw({
    xs: [line[0][0], line[line.length - 1][0]],
    ys: endsOf([...known.map(([, size]) => size), now]),
    line,
    mark: [setting.value, now],
    x: words,
    y: `± 95 %, in ${row.error.unit}`,
    label: `Error of ${row.query.name}, ${row.error.of}, against the limit: ${words}`,
  });
  return now;
}
