// On which pieces a motion of a large system goes on from a state that lies on switches: see integrate/hybrid/large.py.

const ROUNDING = 4 * EPSILON;
const [NEAR, LOCATED, SMALL, ORDERS, LEFT] = [8 * ROUNDING, 4e-14, 1e-9, 2, 8e-15];
const [SOON, NEAR_ENOUGH] = [1e-5, 1e-6];

/** Several motions go on from a state, or none. */
class Undecided extends Error {}

/** The nearest whole number, the even one of two. */
function evenly(x) {
  const low = Math.floor(x);
  const rest = x - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low;
}

/** Decisions for the motions of a large system with switches; `standing` gives values at a state {t, y}, for some modes. */
class Deciding {
  constructor(standing, told) {
    this.standing = standing;
    this.told = told;
    this.switches = told.switches;
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
      this.switches.forEach(({ time, kind }, k) => {
        if (time || kind === "turn") return;
        const constant = this.constant(k, state, modes);
        if (constant !== null) modes[k] = constant;
        else if (!tied.includes(k) && g[k] !== 0) modes[k] = kind === "whole" ? Math.floor(g[k]) : Math.sign(g[k]);
      });
      if (alike(modes, before)) return;
    }
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
    const { modes, tied, g, sizes } = this.settled(state, { ...guess, modes: this.free(guess.modes) }, known);
    const open = [];
    for (const k of tied) {
      const [low, high] = this.sides(k, g[k]);
      const { rates } = this.switches[k];
      const constant = rates ? null : this.constant(k, state, modes);
      const sign = rates || constant !== null ? 0 : this.sign(state, modes, k, 1);
      if (constant !== null) modes[k] = constant;
      else if (sign) modes[k] = sign > 0 ? high : low;
      else open.push(k);
    }
    this.nested(state, modes, tied);
    const still = guess.holds.filter((k) => !reached.includes(k));
    const natural = open.map((k) => (still.includes(k) ? 0 : modes[k] >= this.sides(k, g[k])[1] ? 1 : -1));
    const question = new Question(this, state, [...modes], g, open);
    const choice = open.length ? new Sticking(question).sides(natural, fresh) : [];
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
  settled(state, guess, known) {
    const modes = [...guess.modes];
    const slack = LOCATED * Math.max(1, Math.abs(state.t));
    for (;;) {
      const before = [...modes];
      const { g, sizes, bands } = this.looked(state, modes, known, slack);
      const tied = [];
      this.switches.forEach(({ kind, time }, k) => {
        if (kind === "turn" || time) return;
        const off = kind === "whole" ? g[k] - evenly(g[k]) : g[k];
        if (known.has(k) || Math.abs(off) <= bands[k]) tied.push(k);
        else modes[k] = kind === "whole" ? Math.floor(g[k]) : Math.sign(g[k]);
      });
      if (alike(modes, before)) return { modes, tied, g, sizes };
    }
  }

  /** Values of the switching functions, of what size their rounding is, and within what they count as zero. */
  looked(state, modes, known, slack) {
    const { g, sizes, slopes } = this.standing.judged(state, modes);
    const band = (k, a) => NEAR * sizes[k] + slack * Math.abs(sum(this.parts(state, slopes[k], a)));
    const most = NEAR_ENOUGH * Math.max(1, largestOf(state.y));
    const near = this.switches.map(({ kind }, k) => {
      const off = Math.abs(kind === "whole" ? g[k] - evenly(g[k]) : g[k]);
      return off <= most && !(this.flags.has(k) && known.has(k));
    });
    const a = near.includes(true) ? this.standing.acceleration(state, modes) : null;
    return { g, sizes: near.map((is, k) => (is ? sizes[k] : 0)), bands: near.map((is, k) => (is ? band(k, a) : -1)) };
  }

  // derivatives of switching functions -------------------------------------------------------------------------------
  /** The sign of a derivative of a switching function along the motion; 0 where it vanishes. */
  sign(state, modes, k, order, a = null, scale = 0) {
    if (order > (this.switches[k].rates ? 1 : 2)) return 0;
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
    if (order === 1 || !this.switches[k].rates) return sum(this.terms(state, modes, k, order, a));
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
    Object.assign(this, { deciding, state, modes, g, open, known: new Map() });
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
}
