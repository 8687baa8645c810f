// Which of several contacts are open, roll or slip, as Python decides: see contact/complementarity.py and contact/balance.py.

const [MANY_CONTACTS, MOST_CONTACTS, LEADS] = [5, 8, 4];
const [AGREES, NO_FORCE, TURNS, TURNED, TRIALS, NEWTON, TURNED_BY] = [1e-9, 1e-12, 40, 1e-12, 100, 12, 1e-7];

const norm = (x) => Math.hypot(...x);
const unit = (x) => (norm(x) > 0 ? scaled(x, 1 / norm(x)) : x);
const across = (x, n) => added(x, n, -dot(x, n));
const slipping = (s) => s.some((x) => x !== 0);
const placed = (k, j, vector) => Array.from({ length: 3 * k }, (_, i) => (Math.floor(i / 3) === j ? vector[i % 3] : 0));
const moves = (at, F) => chunks(times(at.D, F.flat()));
const sum3 = (a, b) => a.map((x, k) => added(x, b[k]));
const columnsOf = (columns) => transposed(columns);

/** Two unit vectors across a normal. */
function tangentsOf(n) {
  const smallest = n.reduce((best, x, i) => (Math.abs(x) < Math.abs(n[best]) ? i : best), 0);
  const first = unit(cross(n, identity(3)[smallest]));
  return [first, cross(n, first)];
}

/** The metric of contacts, and of some of them {D, n, s, mu}. */
function someOf(at, which) {
  const rows = which.flatMap((k) => [3 * k, 3 * k + 1, 3 * k + 2]);
  const pick = (list) => which.map((k) => list[k]);
  return { D: rows.map((i) => rows.map((j) => at.D[i][j])), n: pick(at.n), s: pick(at.s), mu: pick(at.mu) };
}

/** How large each contact's own metric is: rows of different bodies are compared in these units. */
function unitsOf(at) {
  return at.n.map((_, j) => 1 / Math.sqrt(Math.max(...[0, 1, 2].map((i) => largestOf(at.D[3 * j + i].slice(3 * j, 3 * j + 3)))) || 1));
}

/** Forces of a case, whether they can be or not. */
function balanced(at, a0, modes, s, given) {
  const k = modes.length;
  const known = modes.map((mode, j) => (given[j] === null ? [0, 0, 0] : scaled(mode === "rolling" ? at.n[j] : added(at.n[j], s[j], -at.mu[j]), given[j])));
  const [columns, rows, of] = [[], [], []];
  modes.forEach((mode, j) => {
    const own = mode === "rolling" ? (given[j] === null ? identity(3) : tangentsOf(at.n[j])) : [];
    for (const x of own) columns.push(placed(k, j, x)), rows.push(placed(k, j, x)), of.push(j);
    if (mode === "slipping" && given[j] === null) columns.push(placed(k, j, added(at.n[j], s[j], -at.mu[j]))), rows.push(placed(k, j, at.n[j])), of.push(j);
  });
  if (!columns.length) return known;
  const change = product(rows, at.D);
  const K = product(change, columnsOf(columns));
  const right = rows.map((row, i) => -(dot(row, a0.flat()) + dot(change[i], known.flat())));
  const summed = (x, from) => x.reduce((F, value, c) => added(F, columns[c], value), from);
  if (k === 1) return chunks(summed(solved(K, right), known.flat()));
  const units = unitsOf(at);
  const S = of.map((j) => units[j]);
  const decision = ranked(K.map((row, i) => row.map((x, j) => x * S[i] * S[j])));
  const x = decision.solution(right.map((value, i) => value * S[i])).map((value, i) => value * S[i]);
  let F = summed(x, known.flat());
  if (decision.loose.length) {
    const spare = decision.loose.map((y) => summed(y.map((value, i) => value * S[i]), new Array(3 * k).fill(0)));
    F = leastForces(at, F, spare, modes.flatMap((mode, j) => (mode !== "open" && given[j] === null ? [j] : [])));
  }
  return chunks(F);
}

/** Forces with normal parts of the least sum of squares for their resultant, and then the least friction; spare changes nothing. */
function leastForces(at, F, spare, free) {
  const most = (list) => Math.max(...list.map(largestOf));
  const combined = (list, y) => y.reduce((total, value, c) => added(total, list[c], value), new Array(F.length).fill(0));
  const normal = (forces) => free.map((j) => dot(at.n[j], forces.slice(3 * j, 3 * j + 3)));
  const nowhere = free.length > 1 ? pushingNowhere(at, free) : [];
  if (nowhere.length) {
    const rows = nowhere.map((u) => spare.map((forces) => dot(u, normal(forces))));
    const pushed = ranked(rows, most(spare));
    F = added(F, combined(spare, pushed.solution(nowhere.map((u) => -dot(u, normal(F))))));
    spare = pushed.loose.map((y) => combined(spare, y));
  }
  if (!spare.length) return F;
  const along = (forces) => chunks(forces).flatMap((f, j) => across(f, at.n[j]));
  const held = ranked(columnsOf(spare.map(along)), most(spare));
  F = added(F, combined(spare, held.solution(scaled(along(F), -1))));
  const rest = held.loose.map((y) => combined(spare, y));
  return rest.length ? added(F, combined(rest, ranked(columnsOf(rest)).solution(F)), -1) : F;
}

/** The metric of normal forces alone, of some contacts. */
function normalMetric(at, which) {
  return which.map((i) => which.map((j) => {
    const block = [0, 1, 2].map((a) => at.D[3 * i + a].slice(3 * j, 3 * j + 3));
    return dot(at.n[i], times(block, at.n[j]));
  }));
}

/** Normal forces that push a body nowhere. */
function pushingNowhere(at, which) {
  const G = normalMetric(at, which);
  const S = G.map((row, i) => 1 / Math.sqrt(row[i]));
  return ranked(G.map((row, i) => row.map((x, j) => x * S[i] * S[j]))).loose.map((u) => u.map((x, i) => x * S[i]));
}

/** Forces as a function of directions of slip near some, without accelerations; what stays is made once. */
function balance(at, modes, s, given) {
  const k = modes.length;
  const none = modes.map(() => [0, 0, 0]);
  const held = modes.flatMap((mode, j) => (mode === "rolling" ? (given[j] === null ? identity(3) : tangentsOf(at.n[j])).map((x) => placed(k, j, x)) : []));
  const free = modes.flatMap((mode, j) => (mode === "slipping" && given[j] === null ? [j] : []));
  const rows = [...held, ...free.map((j) => placed(k, j, at.n[j]))];
  const change = rows.length ? product(rows, at.D) : [];
  const pushing = (way) => at.n.map((n, j) => (modes[j] === "slipping" ? added(n, way[j], -at.mu[j]) : n));
  const columns = (direction) => [...held, ...free.map((j) => placed(k, j, direction[j]))];
  if (rows.length && ranked(product(change, columnsOf(columns(pushing(s))))).rank < rows.length) return (way) => balanced(at, none, modes, way, given);
  return (way) => {
    const direction = pushing(way);
    const known = direction.map((x, j) => scaled(x, given[j] ?? 0));
    if (!rows.length) return known;
    const own = columns(direction);
    const x = solved(product(change, columnsOf(own)), scaled(times(change, known.flat()), -1));
    return chunks(x.reduce((F, value, c) => added(F, own[c], value), known.flat()));
  };
}

/** The first case that agrees with itself, those with the most contacts that roll before others; else the nearest to it. */
function decided(at, a0, excluded = [], given = at.n.map(() => null)) {
  let best = null;
  const choices = choicesOf(at, excluded, given);
  if (choices.length > MANY_CONTACTS) {
    best = led(at, a0, choices, given);
    if (best.misses <= AGREES || choices.length > MOST_CONTACTS) return released(at, a0, best, given);
  }
  for (const modes of casesOf(choices)) {
    const found = tried(at, a0, modes, given);
    if (found.misses <= AGREES) return released(at, a0, found, given);
    if (best === null || found.misses < best.misses) best = found;
  }
  return best;
}

/** The same case, or that in which contacts that are pulled, by little, are open, if that agrees too. */
function released(at, a0, found, given) {
  const least = -NO_FORCE * sizesOf(at, a0, found.F).most;
  const pulled = found.modes.map((mode, j) => mode !== "open" && given[j] === null && dot(at.n[j], found.F[j]) < least);
  if (!pulled.includes(true)) return found;
  const other = tried(at, a0, found.modes.map((mode, j) => (pulled[j] ? "open" : mode)), given);
  return other.misses <= AGREES ? other : found;
}

/** The case that others lead to, from that in which all contacts touch and roll; the nearest to one if none agrees. */
function led(at, a0, choices, given) {
  let found = tried(at, a0, choices.map(([first]) => first), given);
  let best = found;
  const seen = new Set([found.modes.join()]);
  for (let again = 0; again < LEADS * choices.length && best.misses > AGREES; again++) {
    const misses = missesOf(at, a0, found, given);
    const worst = misses.flatMap((missed, j) => (missed > AGREES ? [j] : [])).sort((a, b) => misses[b] - misses[a]);
    const other = worst.flatMap((j) => othersOf(at, found, choices, j)).find((modes) => !seen.has(modes.join()));
    if (!other) break;
    seen.add(other.join());
    found = tried(at, a0, other, given);
    if (found.misses < best.misses) best = found;
  }
  return best;
}

/** Cases in which one contact is another: open where it pulls; else rolling where it slips, and the other way round. */
function othersOf(at, { modes, F }, choices, j) {
  const pulls = modes[j] !== "open" && dot(at.n[j], F[j]) < 0;
  const order = pulls ? ["open", "rolling", "slipping"] : ["rolling", "slipping", "open"];
  const wanted = order.filter((mode) => choices[j].includes(mode) && mode !== modes[j]);
  return wanted.map((mode) => modes.map((own, k) => (k === j ? mode : own)));
}

/** What each contact may be, rolling before slipping, and open last; excluded as "number mode". */
function choicesOf(at, excluded, given) {
  return at.n.map((_, k) => {
    const possible = ["rolling", "slipping", "open"].filter((mode) => {
      if (mode === "rolling") return !(slipping(at.s[k]) && at.mu[k] < Infinity);
      return mode === "slipping" ? at.mu[k] < Infinity : given[k] === null;
    });
    const left = possible.filter((mode) => !excluded.includes(`${k} ${mode}`));
    return left.length ? left : possible.slice(-1);
  });
}

/** Cases to try, fewest open contacts first, then fewest that slip. */
function casesOf(choices) {
  const all = choices.reduce((some, own) => some.flatMap((modes) => own.map((mode) => [...modes, mode])), [[]]);
  const count = (modes, one) => modes.filter((mode) => mode === one).length;
  return all.map((modes) => ({ modes, order: [count(modes, "open"), count(modes, "slipping")] })).sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1]).map(({ modes }) => modes);
}

/** Forces and accelerations of a case, and by how much it misses its conditions, as a part of their sizes. */
function tried(at, a0, modes, given) {
  let s = at.s.map((x) => [...x]);
  const begins = modes.flatMap((mode, k) => (mode === "slipping" && !slipping(s[k]) ? [k] : []));
  if (begins.length) {
    const held = balanced(at, a0, modes.map((mode, k) => (begins.includes(k) ? "rolling" : mode)), s, given);
    for (const k of begins) s[k] = scaled(unit(across(held[k], at.n[k])), -1);
  }
  let F = balanced(at, a0, modes, s, given);
  let settled = !begins.length;
  for (let again = 0; again < TURNS && !settled; again++) {
    const a = sum3(a0, moves(at, F));
    const turned = begins.map((k) => unit(across(a[k], at.n[k])));
    settled = Math.max(...begins.map((k, i) => largestOf(added(turned[i], s[k], -1)))) <= TURNED;
    begins.forEach((k, i) => (s[k] = turned[i]));
    F = balanced(at, a0, modes, s, given);
  }
  if (!settled) {
    s = begunAlong(at, a0, modes, s, given, begins);
    F = balanced(at, a0, modes, s, given);
  }
  const a = sum3(a0, moves(at, F));
  const misses = missesOf(at, a0, { modes, F, a, s }, given);
  return { modes, F, a, s, misses: misses.some(Number.isNaN) ? Infinity : Math.max(0, ...misses) };
}

/** By how much each contact misses its conditions, as a part of the sizes of forces and accelerations. */
function missesOf(at, a0, { modes, F, a, s }, given) {
  const { most, fast } = sizesOf(at, a0, F);
  return modes.map((mode, j) => {
    const [n, N, leaves] = [at.n[j], dot(at.n[j], F[j]), dot(at.n[j], a[j])];
    if (mode === "open") return -leaves / fast;
    const along = across(a[j], n);
    const missed = [-N / most];
    if (given[j] === null) missed.push(Math.abs(leaves) / fast);
    if (mode === "rolling") {
      missed.push(norm(along) / fast);
      if (at.mu[j] < Infinity) missed.push((norm(across(F[j], n)) - at.mu[j] * N) / most);
    } else if (!slipping(at.s[j])) missed.push(norm(across(along, s[j])) / fast, -dot(along, s[j]) / fast);
    return Math.max(...missed);
  });
}

/** Sizes of forces and of accelerations, that rounding is a part of. */
function sizesOf(at, a0, F) {
  const [most, metric] = [largestOf(F.flat()) || 1, Math.max(...at.D.map(largestOf))];
  const fast = Math.max(largestOf(a0.flat()), metric * most, 2 ** -1022);
  return { most: Math.max(most, fast / metric), fast };
}

/** Directions in which slips begin where friction turns them far: see contact/beginning_slip.py. */
function begunAlong(at, a0, modes, s, given, begins) {
  const axes = begins.map((k) => tangentsOf(at.n[k]));
  const directed = (angles) => {
    const found = s.map((x) => [...x]);
    begins.forEach((k, i) => (found[k] = added(scaled(axes[i][0], Math.cos(angles[i])), axes[i][1], Math.sin(angles[i]))));
    return found;
  };
  const along = (angles) => {
    const F = balanced(at, a0, modes, directed(angles), given);
    const a = sum3(a0, moves(at, F));
    return begins.map((k, i) => {
      const own = Math.max(...[0, 1, 2].map((r) => largestOf(at.D[3 * k + r].slice(3 * k, 3 * k + 3))));
      return { a: axes[i].map((x) => dot(x, a[k])), held: at.mu[k] * Math.abs(dot(at.n[k], F[k])) * own };
    });
  };
  const missing = (angles) => along(angles).map(({ a }, i) => Math.cos(angles[i]) * a[1] - Math.sin(angles[i]) * a[0]);
  let angles = begins.map((k, i) => Math.atan2(dot(axes[i][1], s[k]), dot(axes[i][0], s[k])));
  for (let again = 0; again < TRIALS; again++) {
    const turns = along(angles).map(({ a, held }, i) => {
      const turn = Math.atan2(a[1] + held * Math.sin(angles[i]), a[0] + held * Math.cos(angles[i])) - angles[i];
      return turn - 2 * Math.PI * Math.floor((turn + Math.PI) / (2 * Math.PI));
    });
    angles = added(angles, turns);
    if (largestOf(turns) <= 1e-3) break;
  }
  for (let again = 0; again < NEWTON; again++) {
    const missed = missing(angles);
    const J = columnsOf(begins.map((_, i) => scaled(added(missing(angles.map((x, j) => (i === j ? x + TURNED_BY : x))), missed, -1), 1 / TURNED_BY)));
    if (J.flat().some((x) => !Number.isFinite(x))) break;
    const turns = ranked(J).solution(scaled(missed, -1));
    angles = added(angles, turns);
    if (largestOf(turns) <= 1e-14) break;
  }
  return directed(angles);
}
