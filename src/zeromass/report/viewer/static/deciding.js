// On which pieces a motion goes on from a state that lies on switches, as Python decides: see integrate/deciding.py.

const EPSILON = 2 ** -52;
const ROUNDING = 4 * EPSILON;
const [NEAR, LOCATED, SMALL, ORDERS, MOST, LEFT] = [8 * ROUNDING, 4e-14, 1e-9, 4, 5, 8e-15];
const [SOON, NEAR_ENOUGH] = [1e-5, 1e-6];

/** Several motions go on from a state, or none. */
class Undecided extends Error {}

/** What this page can not do, and Python can. */
class Beyond extends Error {}

const sum = (values) => values.reduce((total, x) => total + x, 0);
const largestOf = (values) => values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
const alike = (a, b) => a.every((x, k) => x === b[k]);

/** The nearest whole number, the even one of two. */
function evenly(x) {
  const low = Math.floor(x);
  const rest = x - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low;
}

/** All choices of some values for `count` places, the last place first. */
function choices(values, count) {
  return count === 0 ? [[]] : choices(values, count - 1).flatMap((some) => values.map((x) => [...some, x]));
}

/** x with A x = b, and the determinant of A: by elimination with the largest pivots. */
function solved(A, b) {
  const rows = A.map((row, i) => [...row, b[i]]);
  const n = rows.length;
  let determinant = 1;
  for (let j = 0; j < n; j++) {
    let best = j;
    for (let i = j + 1; i < n; i++) if (Math.abs(rows[i][j]) > Math.abs(rows[best][j])) best = i;
    if (best !== j) [rows[j], rows[best], determinant] = [rows[best], rows[j], -determinant];
    determinant *= rows[j][j];
    for (let i = j + 1; i < n; i++) {
      const part = rows[i][j] / rows[j][j];
      for (let k = j; k <= n; k++) rows[i][k] -= part * rows[j][k];
    }
  }
  const x = new Array(n).fill(0);
  for (let i = n - 1; i >= 0; i--) {
    x[i] = (rows[i][n] - sum(x.map((value, k) => (k > i ? rows[i][k] * value : 0)))) / rows[i][i];
  }
  return { x, determinant };
}

/** Decisions for the motions of a system with switches; `standing` gives values at a state {t, y}, for some modes. */
class Deciding {
  constructor(standing, told) {
    this.standing = standing;
    this.told = told;
    this.switches = told.switches;
    this.forced = this.switches.flatMap((s, k) => (s.force ? [k] : []));
    this.large = told.large;
    this.flags = new Map(told.held.map(([k, place]) => [k, this.switches.length + place]));
  }

  /** Modes of switches, and after them flags that are 1 where one holds the motion: none. */
  free(modes) {
    return modes.map((mode, k) => (k < this.switches.length ? mode : 0));
  }

  /** Modes with a switch on a side, 0 where it holds. */
  takes(modes, k, side, g) {
    modes[k] = this.sides(k, g)[side > 0 ? 1 : 0];
    if (this.flags.has(k)) modes[this.flags.get(k)] = side === 0 ? 1 : 0;
  }

  words(which) {
    return [...new Set(which.map((k) => this.switches[k].said))].join(", ");
  }

  /** The decision at a start; timed: modes of switches that depend on time alone, by number. */
  begin(state, timed) {
    const modes = this.switches.map((s, k) => timed[k] ?? (s.kind === "turn" ? (s.turn ?? 0) : 1));
    for (const _ of this.flags) modes.push(0);
    this.switches.forEach((s, k) => {
      if (s.kind !== "turn" || s.turn !== null) return;
      const { g, across } = this.standing.judged(state, modes);
      modes[k] = (evenly(Math.atan2(across[k], g[k]) / (Math.PI / 2)) * Math.PI) / 2;
    });
    return this.decided(state, { modes, holds: [] }, new Set(), [], true);
  }

  /** The decision where switches have been reached, {number: side or whole numbers up or down}. */
  after(state, before, flipped, timed) {
    const modes = before.modes.map((mode, k) => timed[k] ?? mode);
    for (const [k, side] of flipped) {
      const { kind } = this.switches[k];
      if (kind === "turn") {
        const across = this.standing.judged(state, modes).across[k];
        modes[k] += across < 0 || Object.is(across, -0) ? -Math.PI / 2 : Math.PI / 2;
      } else if (kind === "side") modes[k] = side;
      else modes[k] += side;
    }
    for (const k of before.holds) modes[k] = (flipped.get(k) ?? 1) > 0 ? 1 : -1;
    const known = new Set([...flipped.keys(), ...before.holds]);
    return this.decided(state, { modes, holds: before.holds }, known, [...flipped.keys()], false);
  }

  /** Sets the modes of switches whose functions depend on modes that were decided now. */
  nested(state, modes, tied) {
    while (this.told.nested) {
      const before = [...modes];
      const { g } = this.standing.judged(state, modes);
      this.switches.forEach(({ time, kind, force }, k) => {
        if (time || kind === "turn" || force) return;
        const constant = this.constant(k, state, modes);
        if (constant !== null) modes[k] = constant;
        else if (!tied.includes(k) && g[k] !== 0) modes[k] = kind === "whole" ? Math.floor(g[k]) : Math.sign(g[k]);
      });
      if (alike(modes, before)) this.force(state, modes, tied, true);
      if (alike(modes, before)) return;
    }
  }

  /** Sets the modes of switches of unknown forces, but for fixed ones; natural: those that are right stay. */
  force(state, modes, fixed, natural) {
    const open = this.forced.filter((k) => !fixed.includes(k));
    if (!open.length) return;
    const found = this.signs(state, modes, open);
    const same = found.filter((chosen) => open.every((k, j) => modes[k] === chosen[j]));
    if (found.length !== 1 && !(natural && same.length)) {
      const many = found.length ? `${found.length} signs are right` : "no sign is right";
      throw new Undecided(
        `${many} of the unknown force in ${this.words(open)}: what it does through friction is more than what it does ` +
          "itself, as in Painlevé's rod; the model decides on no motion, give the contact some compliance",
      );
    }
    (same[0] ?? found[0]).forEach((side, j) => (modes[open[j]] = side));
  }

  signs(state, modes, open) {
    const [found, kinds] = [[], new Set()];
    for (const sides of choices([1, -1], open.length)) {
      const tried = [...modes];
      sides.forEach((side, j) => (tried[open[j]] = side));
      const { g, sizes } = this.standing.judged(state, tried);
      const none = open.map((k) => Math.abs(g[k]) <= 8 * ROUNDING * sizes[k]);
      if (!open.every((k, j) => none[j] || g[k] * sides[j] > 0)) continue;
      const kind = sides.map((side, j) => (none[j] ? 0 : side)).join();
      if (!kinds.has(kind)) found.push(sides);
      kinds.add(kind);
    }
    return found;
  }

  /** The mode of a switch whose function is a number on a piece; null of others. */
  constant(k, state, modes) {
    const inner = this.standing.inner[k];
    if (!inner.length) return null;
    const key = `${k}: ${inner.map((m) => modes[m])}`;
    if (!this.standing.constants.has(key)) throw new Beyond(`${this.switches[k].said} is zero all over a piece`);
    const place = this.standing.constants.get(key);
    return place === null ? null : Math.sign(this.standing.judged(state, modes).constants[place]);
  }

  sides(k, g) {
    return this.switches[k].kind === "side" ? [-1, 1] : [evenly(g) - 1, evenly(g)];
  }

  /** The decision from a guess; known: switches that are reached, or held, so that rounding does not decide of them. */
  decided(state, guess, known, reached, fresh) {
    const { modes, tied, g, sizes } = this.settled(state, { ...guess, modes: this.free(guess.modes) }, known, fresh);
    const open = [];
    for (const k of tied) {
      const [low, high] = this.sides(k, g[k]);
      const { rates, force } = this.switches[k];
      const constant = force || rates ? null : this.constant(k, state, modes);
      const sign = force || rates || constant !== null ? 0 : this.sign(state, modes, k, 1);
      if (constant !== null) modes[k] = constant;
      else if (sign) modes[k] = sign > 0 ? high : low;
      else open.push(k);
    }
    this.nested(state, modes, tied);
    const still = guess.holds.filter((k) => !reached.includes(k));
    const natural = open.map((k) => (still.includes(k) ? 0 : modes[k] >= this.sides(k, g[k])[1] ? 1 : -1));
    const question = new Question(this, state, [...modes], g, open);
    const choice = open.length ? this.chosen(question, natural, fresh) : [];
    const holds = open.filter((_, j) => choice[j] === 0);
    open.forEach((k, j) => this.takes(modes, k, choice[j], g[k]));
    this.nested(state, modes, tied);
    const margins = this.switches.map(() => 0);
    for (const k of tied) {
      const high = this.sides(k, g[k])[1];
      const whole = this.switches[k].kind === "whole";
      const side = modes[k] === high ? 1 : -1;
      const margin = Math.max(-side * (g[k] - (whole ? high : 0)), 0) + ROUNDING * sizes[k];
      margins[k] = whole ? side * margin : margin;
    }
    for (const k of holds) margins[k] = LEFT;
    return { modes, margins, holds };
  }

  /** Modes of all switches that the state decides, and those that it does not. */
  settled(state, guess, known, fresh) {
    const modes = [...guess.modes];
    const slack = LOCATED * Math.max(1, Math.abs(state.t));
    for (;;) {
      const before = [...modes];
      const { g, sizes, bands } = this.looked(state, modes, known, slack);
      const tied = [];
      this.switches.forEach(({ kind, time, force }, k) => {
        if (kind === "turn" || time) return;
        const off = kind === "whole" ? g[k] - evenly(g[k]) : g[k];
        if (known.has(k) || Math.abs(off) <= bands[k]) tied.push(k);
        else if (!force) modes[k] = kind === "whole" ? Math.floor(g[k]) : Math.sign(g[k]);
      });
      if (alike(modes, before)) this.force(state, modes, [...known], !fresh);
      if (alike(modes, before)) return { modes, tied, g, sizes };
    }
  }

  /** Values of the switching functions, of what size their rounding is, and within what they count as zero. */
  looked(state, modes, known, slack) {
    const { g, sizes, slopes } = this.standing.judged(state, modes);
    const n = state.y.length / 2;
    const band = (k, a) => NEAR * sizes[k] + slack * Math.abs(sum(this.parts(state, slopes[k], a)));
    if (!this.large) {
      const felt = known.size && slopes.some((row) => row.subarray(1 + n).some((x) => x !== 0));
      const a = felt ? this.standing.acceleration(state, modes) : new Float64Array(n);
      return { g, sizes, bands: this.switches.map((_, k) => band(k, a)) };
    }
    const most = NEAR_ENOUGH * Math.max(1, largestOf(state.y));
    const near = this.switches.map(({ kind }, k) => {
      const off = Math.abs(kind === "whole" ? g[k] - evenly(g[k]) : g[k]);
      return off <= most && !(this.flags.has(k) && known.has(k));
    });
    const a = near.includes(true) ? this.standing.acceleration(state, modes) : null;
    return { g, sizes: near.map((is, k) => (is ? sizes[k] : 0)), bands: near.map((is, k) => (is ? band(k, a) : -1)) };
  }

  chosen(question, natural, fresh) {
    if (this.large) return new Sticking(question).sides(natural, fresh);
    const { open } = question;
    if (!fresh && (natural.includes(0) ? question.slides(natural) : question.consistent(natural) !== false)) return natural;
    const said = this.words(open);
    if (open.length > MOST) return new Sticking(question).sides(natural, fresh);
    const pure = choices([1, -1], open.length);
    const sure = pure.filter((choice) => question.consistent(choice));
    if (sure.length === 1) return sure[0];
    if (sure.length > 1) {
      throw new Undecided(`several motions go on from a switch, to either side of ${said}; begin on the one that is meant`);
    }
    const slides = choices([1, -1, 0], open.length).filter((choice) => choice.includes(0) && question.slides(choice));
    if (slides.length === 1) return slides[0];
    const weak = pure.filter((choice) => question.consistent(choice) === null);
    if (slides.length || !weak.length) {
      const several = slides.length ? "several motions slide along" : "no motion goes on to either side of, or along,";
      throw new Undecided(`${several} ${said}`);
    }
    return weak.find((choice) => alike(choice, natural)) ?? weak[0];
  }

  // derivatives of switching functions -------------------------------------------------------------------------------
  /** The sign of a derivative of a switching function along the motion; 0 where it vanishes. */
  sign(state, modes, k, order, a = null, scale = 0) {
    if (order > 1 && this.switches[k].force) return 0;
    if (this.large && order > (this.switches[k].rates ? 1 : 2)) return 0;
    const { slopes, along } = this.factors(state, modes, k, order, a);
    const terms = this.parts(state, slopes, along);
    const n = along.length;
    const sizes = [1, largestOf(state.y.slice(n)), largestOf(along)];
    const rounding = NEAR * sum(Array.from(slopes, (slope, i) => Math.abs(slope) * sizes[i === 0 ? 0 : i <= n ? 1 : 2]));
    const total = sum(terms);
    return Math.abs(total) <= Math.max(SMALL * Math.max(sum(terms.map(Math.abs)), scale), rounding) ? 0 : Math.sign(total);
  }

  terms(state, modes, k, order, a) {
    const { slopes, along } = this.factors(state, modes, k, order, a);
    return this.parts(state, slopes, along);
  }

  /** Slopes of a derivative by time, positions and rates, and the acceleration, 0 where it is not felt. */
  factors(state, modes, k, order, a) {
    const slopes = order === 1 ? this.standing.judged(state, modes).slopes[k] : this.standing.deeper(state, modes, k, order);
    if (!slopes) throw new Beyond(`a decision at ${this.switches[k].said} needs derivatives that this page does not have`);
    const felt = order > 1 || this.switches[k].rates;
    const n = state.y.length / 2;
    const along = !felt ? new Float64Array(n) : (a ?? this.standing.acceleration(state, modes));
    return { slopes, along };
  }

  /** A derivative of a switching function by time along the motion. */
  derivative(state, modes, k, order, a) {
    if (!this.large || order === 1 || !this.switches[k].rates) return sum(this.terms(state, modes, k, order, a));
    const [here, late] = [this.standing.acceleration(state, modes), SOON * Math.max(1, Math.abs(state.t))];
    const n = here.length;
    const there = (tau) => {
      const moved = state.y.map((x, i) => x + (i < n ? tau * state.y[n + i] + (tau ** 2 / 2) * here[i] : tau * here[i - n]));
      return sum(this.terms({ t: state.t + tau, y: moved }, modes, k, 1, null));
    };
    return (there(late) - there(-late)) / (2 * late);
  }

  /** Slopes by time, positions and rates, times their rates. */
  parts(state, slopes, a) {
    const n = a.length;
    return Array.from(slopes, (slope, i) => slope * (i === 0 ? 1 : i <= n ? state.y[n + i - 1] : a[i - 1 - n]));
  }
}

/** Which of the possible choices at a state are motions: 1 for g > 0, −1 for the other side, 0 for sliding. */
class Question {
  constructor(deciding, state, modes, g, open) {
    Object.assign(this, { deciding, state, modes, g, open, known: new Map(), judged: new Map() });
  }

  /** The modes on chosen sides, and the acceleration there. */
  at(choice) {
    const key = choice.join();
    if (!this.known.has(key)) {
      const modes = [...this.modes];
      this.open.forEach((k, j) => this.deciding.takes(modes, k, choice[j], this.g[k]));
      this.deciding.nested(this.state, modes, this.open);
      this.known.set(key, { modes, a: this.deciding.standing.acceleration(this.state, modes) });
    }
    return this.known.get(key);
  }

  /** ġ of all switches on some pieces, with an acceleration. */
  rates(modes, a) {
    return this.deciding.standing.judged(this.state, modes).slopes.map((row) => sum(this.deciding.parts(this.state, row, a)));
  }

  /** Whether the motion on chosen sides goes to these sides; null if it stays on a switch as far as one can see. */
  consistent(choice) {
    const key = choice.join();
    if (!this.judged.has(key)) this.judged.set(key, this.judge(choice));
    return this.judged.get(key);
  }

  judge(choice) {
    let sure = true;
    const { modes, a } = this.at(choice);
    for (let j = 0; j < choice.length; j++) {
      const [k, side] = [this.open[j], choice[j]];
      const constant = this.deciding.constant(k, this.state, modes);
      if (constant !== null) {
        if (side > 0 !== constant >= this.deciding.sides(k, this.g[k])[1]) return false;
        continue;
      }
      let sign = 0;
      for (let order = 1; order <= ORDERS && !sign; order++) {
        let scale = 0;
        if (order === 1 && this.deciding.switches[k].rates) {
          const other = this.at(choice.map((x, i) => (i === j ? -x : x)));
          scale = Math.abs(this.rates(other.modes, other.a)[k]) + Math.abs(this.rates(modes, a)[k]);
        }
        sign = this.deciding.sign(this.state, modes, k, order, a, scale);
      }
      if (!sign) sure = null;
      else if (sign !== side) return false;
    }
    return sure;
  }

  /** Whether the motion can slide along the switches that are 0 in a choice, and goes to the chosen sides of others. */
  slides(choice) {
    const { switches, forced } = this.deciding;
    const places = choice.flatMap((side, j) => (side === 0 ? [j] : []));
    const which = places.map((j) => this.open[j]);
    if (!which.every((k) => switches[k].rates && !switches[k].force && switches[k].slides)) return false;
    if (which.some((k) => switches[k].modes.some((mode) => which.includes(mode)))) return false;
    const high = (some) => choice.map((side, j) => side || (some.includes(j) ? 1 : -1));
    const low = this.at(high([]));
    const ends = places.map((j) => this.at(high([j])));
    if (ends.some(({ modes }) => forced.some((k) => modes[k] !== low.modes[k]))) {
      throw new Undecided(`the constraint would pull on one side of ${this.deciding.words(which)} and push on the other`);
    }
    const r = this.rates(low.modes, low.a);
    const G = ends.map(({ a }) => this.rates(low.modes, a).map((rate, k) => rate - r[k]));
    const inner = which.map((k) => G.map((column) => column[k]));
    const scale = Math.max(...inner.map(largestOf));
    const { x: beta, determinant } = solved(inner, which.map((k) => -r[k]));
    if (!(inner.every((row, i) => row[i] < 0) && Math.abs(determinant) > SMALL * scale ** which.length)) return false;
    if (!beta.every((b) => b >= -SMALL && b <= 1 + SMALL)) return false;
    const together = low.a.map((x, i) => x + sum(ends.map(({ a }, j) => beta[j] * (a[i] - x))));
    if (which.length > 1) {
      const all = this.at(high(places)).a;
      const off = largestOf(all.map((x, i) => x - low.a[i] - sum(ends.map(({ a }) => a[i] - low.a[i]))));
      const size = largestOf(all) + largestOf(low.a) + Math.max(...ends.map(({ a }) => largestOf(a)));
      if (off > SMALL * size) throw new Undecided(`what holds the motion on ${this.deciding.words(which)} is not the sum of its parts`);
    }
    return choice.every((side, j) => {
      const sign = side ? this.deciding.sign(this.state, low.modes, this.open[j], 1, together) : 0;
      return !sign || sign === side;
    });
  }
}
