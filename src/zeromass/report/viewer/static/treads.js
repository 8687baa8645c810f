// Motions of vehicles whose wheels lift and land: see contact/lifting.py.

const [TREAD_TOUCHES, TREADS_ALIKE, TREAD_STOPPED, REGULAR, ROUNDED] = [1e-12, 4, 10, 1e-10, 1e-14];
const AWAY = [1, 0, 0]; // of a wheel in its own axes: away from the surface, along and across

/** Motions that go from one set of closed sides to another, where wheels strike the ground. */
class TreadsMotion extends SidesMotion {
  possible(side, gap, rises, size, slow) {
    if (!side.at) return super.possible(side, gap, rises, size);
    if (gap < -size) throw new Beyond(`'${side.touches}' is ${-gap} m inside its surface at the start`);
    if (gap <= size && rises < -slow) throw new Beyond(`the motion of '${side.touches}' begins with a stroke`);
  }

  onward(kind, event) {
    const closed = this.told.cases[kind];
    const k = this.told.sides.findIndex(({ at, opens, closes }, j) => at && event === (closed[j] ? opens : closes));
    if (k < 0) return super.onward(kind, event);
    return closed[k] ? this.opened(kind, k) : this.landed(kind, k);
  }

  /** The motion with a wheel lifted, by a gap above rounding; null where it goes into its surface without endless friction. */
  opened(kind, k) {
    const { touches, at, limited } = this.told.sides[k];
    if (this.told.shared[kind][k]) throw new Beyond(`whether '${touches}' lifts is not told by the motion: wheels share the load in any way`);
    const next = this.sibling(this.usable(this.told.cases[kind].map((is, j) => is && j !== k)));
    const { accelerations: a } = this.kinds[next].judged(this.state);
    return !limited && a[at[0]] < -AGREES * largestOf(a) ? null : this.parted(next, this.state, [k]);
  }

  // vehicles in numbers --------------------------------------------------------------------------------------------------
  /** What is closed where all wheels are lifted. */
  lifted(closed) {
    return this.usable(closed.map((is, j) => is && !this.told.sides[j].at));
  }

  /** What strokes are made from at a state, of a sibling in which all wheels are lifted. */
  here(lifted, state) {
    const found = this.kinds[lifted].judged(state);
    const n = state.y.length / 2;
    const matrix = (name) => {
      const { rows, entries } = this.told.places[lifted][name];
      const whole = Array.from({ length: rows }, () => new Array(n).fill(0));
      entries.forEach(([i, j], k) => (whole[i][j] = found[name][k]));
      return whole;
    };
    return { ...found, M: matrix("M"), A: matrix("A"), slopes: matrix("slopes") };
  }

  /** Numbers of all sides that are wheels. */
  get treads() {
    return this.told.sides.flatMap(({ at }, j) => (at ? [j] : []));
  }

  extent({ y }, { size }) {
    return Math.max(...size) + largestOf(Array.from(y.slice(0, y.length / 2)));
  }

  /** A state of a kind with gaps of some wheels open, by a little more than the rounding of places. */
  parted(kind, given, leaving) {
    if (!leaving.length) return { kind, state: given };
    const lifted = this.sibling(this.lifted(this.told.cases[kind]));
    const gap = (j) => this.told.sides[j].at[0];
    const [gaps, closed] = [leaving.map(gap), this.treads.filter((j) => this.told.cases[kind][j]).map(gap)];
    const here = this.here(lifted, given);
    const zeros = (at) => this.kinds[lifted].judged(at).zeros;
    return { kind, state: withOpenGaps(given, here.slopes, zeros, gaps, closed, this.extent(given, here)) };
  }

  // strokes --------------------------------------------------------------------------------------------------------------
  /** The state after a stroke at a wheel that lands, and at all others that touch. */
  landed(kind, k) {
    const { sides, cases } = this.told;
    const closed = cases[kind];
    const { t, y } = this.state;
    const n = y.length / 2;
    const lifted = this.sibling(this.lifted(closed));
    this.turned(lifted);
    const here = this.here(lifted, this.state);
    const extent = this.extent(this.state, here);
    const speed = largestOf(Array.from(y.slice(n)));
    const { treads } = this;
    const numbers = treads.flatMap((j, i) => (j === k || closed[j] || y[sides[j].at[0]] <= TREAD_TOUCHES * extent ? [i] : []));
    const which = numbers.map((i) => treads[i]);
    const of = which.map((j) => sides[j].at);
    const response = responses(here, of.flat());
    const own = of.flat().map((i) => response.map((column) => column[i]));
    const D = own.map((row, i) => row.map((x, j) => (x + own[j][i]) / 2));
    const pick = (list) => numbers.map((i) => list[i]);
    const [e, creep] = [pick(here.e), pick(here.creep)];
    const mu = numbers.map((i) => (sides[treads[i]].limited ? here.mu[i] : Infinity));
    const wrong = e.find((x) => !(x >= 0 && x <= 1));
    if (wrong !== undefined) throw new Beyond(`restitution is ${wrong} where a wheel strikes; it lies between 0 and 1`);
    const grip = (j) => sides.findIndex(({ on }) => on === j);
    const w = which.map((j) => {
      const [g, ...s] = sides[j].at.map((i) => y[n + i]);
      const slips = sides[j].limited && !closed[grip(j)];
      return closed[j] ? [0, ...s.map((x) => (slips ? x : 0))] : [g, ...s]; // what is left is rounding
    });
    const at = { D, n: which.map(() => AWAY), mu };
    const { impulses, velocities } = strokes(at, w, e);
    const P = impulses.flat();
    const after = { t, y: y.map((x, i) => (i < n ? x : x + sum(response.map((column, c) => column[i - n] * P[c])))) };
    this.turned(lifted, after);
    const { accelerations: a } = this.kinds[lifted].judged(after);
    const drift = of.map((places) => places.map((i) => a[i]));
    const { modes, said } = modesAfter(at, drift, velocities, e, creep, TREAD_TOUCHES * speed, BOUNCES_END * extent);
    this.happenings.push(...said.map(([i, later]) => [sides[which[i]].rested, t + later]));
    const mode = (j) => (which.includes(j) ? modes[which.indexOf(j)] : null);
    const next = this.sibling(cases[lifted].map((is, j) => is || (mode(j) ?? "open") !== "open" || mode(sides[j].on) === "rolling"));
    return this.parted(next, this.onto(next, after, which, modes), which.filter((j) => mode(j) === "open"));
  }

  /** A state on the constraints of a kind; gaps that are closed and slips that are none exactly so. */
  onto(kind, { t, y }, which, modes) {
    const n = y.length / 2;
    const none = which.flatMap((j, i) => {
      const [g, ...s] = this.told.sides[j].at;
      return modes[i] === "open" ? [] : [g, n + g, ...(modes[i] === "rolling" ? s.map((x) => n + x) : [])];
    });
    const exact = (values) => values.map((x, i) => (none.includes(i) ? 0 : x));
    const near = { t, y: exact(Float64Array.from(y)) };
    this.turned(kind, near);
    return { t, y: exact(this.kinds[kind].carried(near).y) };
  }
}

/** What each wheel does after a stroke that leaves the velocities w; of bounces that end, by wheels, how long they last. */
function modesAfter({ D, n, mu }, drift, w, e, creep, slow, least) {
  const speeds = w.map(([, x, y]) => Math.hypot(x, y));
  const s = w.map(([, x, y], j) => (speeds[j] > TREAD_STOPPED * creep[j] && mu[j] < Infinity ? [0, x / speeds[j], y / speeds[j]] : [0, 0, 0]));
  const still = w.flatMap(([x], j) => (x <= slow ? [j] : []));
  const said = [];
  for (;;) {
    const modes = w.map(() => "open");
    const F = w.map(() => [0, 0, 0]);
    if (still.length) {
      const found = decided(someOf({ D, n, s, mu }, still), still.map((j) => drift[j]));
      still.forEach((j, i) => ([modes[j], F[j]] = [found.modes[i], found.F[i]]));
    }
    const a = sum3(drift, moves({ D }, F)).map(([x]) => x);
    const heights = w.flatMap(([x], j) => (!still.includes(j) && a[j] < 0 ? [[j, x ** 2 / (-2 * a[j])]] : []));
    if (!heights.some(([, height]) => height <= least)) return { modes, said };
    for (const [j, height] of heights) {
      if (height > TREADS_ALIKE * least) continue;
      still.push(j);
      if (e[j] < 1) said.push([j, (2 * w[j][0]) / (-a[j] * (1 - e[j]))]);
    }
  }
}

/** Changes of all rates by impulses on some coordinates, a list for each: M x = P + Aᵀλ, A x = 0. */
function responses({ M, A }, columns) {
  const [n, m] = [M.length, A.length];
  const across = transposed(A.length ? A : [new Array(n).fill(0)]);
  const all = [...M.map((row, i) => [...row, ...(m ? scaled(across[i], -1) : [])]), ...A.map((row) => [...row, ...new Array(m).fill(0)])];
  const used = all.flatMap((_, j) => (all.some((row) => row[j] !== 0) ? [j] : []));
  const K = used.map((i) => used.map((j) => all[i][j]));
  let ranks = null;
  return columns.map((c) => {
    const right = used.map((i) => (i === c ? 1 : 0));
    const whole = (some) => all.map((_, i) => (used.includes(i) ? some[used.indexOf(i)] : 0)).slice(0, n);
    const x = whole(solved(K, right));
    const rounding = ROUNDED * largestOf(x);
    const holds = A.every((row) => {
      const [size, sizes] = [dot(row.map(Math.abs), x.map(Math.abs)), sum(row.map(Math.abs))];
      return Math.abs(dot(row, x)) <= REGULAR * (size || 1) + rounding * sizes;
    });
    if (x.every(Number.isFinite) && holds) return x;
    ranks ??= equilibrated(K);
    return whole(ranks(right));
  });
}

/** Solutions of equations, some of which follow from others, each row and column in units of its own. */
function equilibrated(K) {
  const rows = K.map((row) => 1 / (largestOf(row) || 1));
  const turned = transposed(K.map((row, i) => scaled(row, rows[i])));
  const columns = turned.map((column) => 1 / (largestOf(column) || 1));
  const { solution } = ranked(transposed(turned.map((column, j) => scaled(column, columns[j]))));
  return (right) => solution(right.map((x, i) => x * rows[i])).map((x, j) => x * columns[j]);
}
