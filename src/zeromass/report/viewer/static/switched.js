// Motions of a large system whose formulas have kinks or jumps, from one switch to the next: see integrate/switched.py.

const [RECENT, SHRINKS, STILL, PILED, CROWDED] = [64, 0.6, 5, 2, 1e-6];
const LATE = 1e-12;
const [STRAYED, LOOKS] = [1e-6, 9];
const PARTS = [6, 5, 4, 3, 2, 1, 0].map((k) => 2 ** -k);
/** Writes modes among the parameters, between margins, and behind these the flags of what holds. */
function putModes(place, { hidden, switches }, modes) {
  const count = switches.length;
  modes.forEach((mode, k) => (place[hidden + (k < count ? 2 * k : count + k)] = mode));
}

/** Slopes by time, positions and rates, from those that are not zero everywhere. */
function slopeRow({ y }, columns, values) {
  const found = new Float64Array(1 + y.length);
  columns.forEach((column, i) => (found[column] = values[i]));
  return found;
}

/** Values of what switches are decided by, at states {t, y} on pieces that modes say; computed once a state. */
class Standing {
  constructor(module, told) {
    this.motion = new Driven(module);
    this.told = told;
    const { about } = this.motion;
    this.inner = about.inner;
    this.constants = new Map(about.constants.map(([k, sides, place]) => [`${k}: ${sides}`, place]));
    this.orders = new Map(about.deeper.map(([k, order, place, columns]) => [`${k} ${order}`, { place, columns }]));
    this.depth = sum(about.deeper.map(([, , , columns]) => columns.length));
    this.known = new WeakMap();
  }

  /** A value at a state on some pieces, made once. */
  once(state, modes, name, made) {
    if (!this.known.has(state)) this.known.set(state, new Map());
    const [known, key] = [this.known.get(state), `${name} ${modes}`];
    if (!known.has(key)) {
      const place = this.motion.reals("parameters", this.motion.about.parameters.length);
      putModes(place, this.told, modes);
      this.motion.put(state.t, state.y);
      known.set(key, made());
    }
    return known.get(key);
  }

  judged(state, modes) {
    return this.once(state, modes, "judged", () => {
      this.motion.code.judge();
      const { judged: places, count, columns } = this.motion.about;
      const all = this.motion.reals("judged", count).slice();
      const names = Object.keys(places);
      const found = Object.fromEntries(names.map((name, i) => [name, all.subarray(places[name], places[names[i + 1]] ?? count)]));
      let at = 0;
      const slopes = columns.map((some) => slopeRow(state, some, found.slopes.subarray(at, (at += some.length))));
      return { ...found, slopes };
    });
  }

  /** Slopes of a derivative of a switching function, one order below; undefined where the module has none. */
  deeper(state, modes, k, order) {
    const known = this.orders.get(`${k} ${order}`);
    if (known === undefined) return undefined;
    const all = this.once(state, modes, "deeper", () => {
      this.motion.code.deepen();
      return this.motion.reals("judged", this.depth).slice();
    });
    return slopeRow(state, known.columns, all.subarray(known.place, known.place + known.columns.length));
  }

  acceleration(state, modes) {
    return this.once(state, modes, "slope", () => {
      this.motion.code.slope();
      return this.motion.reals("slopes", state.y.length).slice(state.y.length / 2);
    });
  }

  /** Of the pivots of a large motion. */
  growth(state, modes) {
    return this.once(state, modes, "growth", () => {
      this.motion.code.slope();
      return this.motion.real("growth");
    });
  }
}

/** Motions over switches, in place of those of one module: runs, and samples of the last one. */
class SwitchedMotion {
  constructor(modules, told) {
    this.told = told;
    this.standing = new Standing(modules[0], told);
    this.deciding = new Deciding(this.standing, told);
    this.plain = new Driven(modules[0]);
    this.about = this.plain.about;
    this.segments = [];
  }

  /** Parameters of a module: those given, and the modes and margins of a piece. */
  set(motion, { modes, margins }) {
    motion.set(this.values);
    const place = motion.reals("parameters", motion.about.parameters.length);
    putModes(place, this.told, modes);
    margins.forEach((margin, k) => (place[this.told.hidden + 2 * k + 1] = margin));
  }

  /** As `run` of `Motion`; also the switches, [time, formula, direction], and a message where one ended the motion. */
  run(values = {}, { until, rtol = 1e-10, atol = 1e-13, longest = Infinity }) {
    Object.assign(this, { values, until, settings: { rtol, atol, longest }, segments: [], switches: [], happenings: [] });
    for (const motion of [this.plain, this.standing.motion]) motion.set(values);
    this.first = this.state = { t: this.about.t, y: this.plain.reals("y", this.plain.order).slice() };
    const found = this.caught();
    const total = (place) => sum(this.segments.map(({ counts }) => counts[place]));
    return {
      event: null, t: this.state.t, message: "", ...found, steps: sum(this.segments.map(({ steps }) => steps)),
      rejected: total(0), evaluations: total(1), happened: this.happenings, switches: this.switches,
    };
  }

  caught() {
    try {
      return this.course();
    } catch (why) {
      if (why instanceof Undecided) return { ending: "AMBIGUOUS", message: why.message };
      if (why instanceof Beyond) return { ending: "BEYOND", message: why.message };
      throw why;
    }
  }

  /** The piece that the motion begins on. */
  begun() {
    if (this.plain.code.start() !== 0) return null;
    this.first = this.state = { t: this.about.t, y: this.plain.reals("y", this.plain.order).slice() };
    this.table = this.timetable();
    return this.deciding.begin(this.state, this.table.at(0));
  }

  timetable() {
    const modes = this.told.switches.map(() => 1);
    const value = (name, t) => this.standing.judged({ t, y: this.first.y }, modes)[name];
    return new Timetable(value, this.told, this.first.t, this.until);
  }

  course() {
    this.place = 0;
    let piece = this.begun();
    if (!piece) return { ending: "NO_START" };
    let [before, last] = [[], []];
    const times = [];
    for (;;) {
      const target = this.place < this.table.times.length ? this.nextTime(piece) : this.until;
      const segment = this.segment(piece, target, before);
      const strayed = segment.ending === "EVENT" ? [] : this.strayed(segment, piece);
      if (strayed.length) return this.notLeft(strayed, times);
      this.state = segment.end;
      before = segment.left;
      const ended = this.ending(segment, target, piece, times, last);
      if (ended.ending) return ended;
      if (ended.flipped.size) {
        times.push(this.state.t);
        last = [...ended.flipped.keys()];
        if (this.chatters(times)) return this.chattering(times, last);
      }
      const after = this.after(piece, ended.flipped);
      if (after.ending) return after;
      piece = after;
    }
  }

  segment(piece, target, before) {
    const motion = this.plain;
    const segment = new PieceLoop(this, motion, this.state, piece, target, before).segment();
    this.segments.push(segment);
    const watched = motion.about.watched;
    for (const [column, t] of segment.happened) if (watched[column]?.is === "event") this.happenings.push([watched[column].name, t]);
    return segment;
  }

  /** Switches beyond which a segment has come, though it was to end there: it began on them, and returned unseen. */
  strayed({ steps, end, run }, { modes, margins, holds }) {
    const watched = this.told.switches.flatMap(({ kind, place }, k) =>
      kind === "side" && place && !holds.includes(k) && modes[k] !== 0 ? [k] : []);
    if (!watched.length || !steps) return [];
    const { g } = this.standing.judged(end, modes);
    const beyond = watched.filter((k) => !(g[k] * modes[k] >= -Math.abs(margins[k])));
    if (!beyond.length) return [];
    const { row, head } = this.about;
    const rows = Array.from({ length: LOOKS }, (_, i) => Math.floor((i * (steps - 1)) / (LOOKS - 1)) * row);
    const states = [{ t: run.t, y: run.first }, ...rows.map((at) => ({ t: run.record[at], y: run.record.slice(at + head, at + row) }))];
    const sizes = states.map((state) => this.standing.judged(state, modes).sizes);
    return beyond.filter((k) => !(g[k] * modes[k] >= -STRAYED * Math.max(...sizes.map((size) => size[k]))));
  }

  /** The outcome of a motion that stays on switches, to rounding, along which it can not slide. */
  notLeft(strayed, times) {
    this.segments.pop();
    this.happenings = this.happenings.filter(([, t]) => t <= this.state.t);
    const near = times.length >= PILED && this.state.t - times[times.length - PILED] < CROWDED * (this.until - this.first.t);
    if (near) return this.chattering(times, strayed);
    return { ending: "AMBIGUOUS", message: this.said("touches", strayed) };
  }

  /** How a segment ends the motion, or which switches were reached, and the side that each goes to. */
  ending({ ending, columns, end, run }, target, piece, times, last) {
    const { watched } = run.motion.about;
    if (ending === "FINISHED" && end.t === target && target !== this.until) {
      this.place += 1;
      return { flipped: new Map() };
    }
    if (ending !== "EVENT") {
      const crowded = times.length >= PILED && Math.abs(end.t - times[times.length - PILED]) < CROWDED * (this.until - this.first.t);
      return ending === "STEP_TOO_SMALL" && crowded ? this.chattering(times, last) : { ending, event: watched[columns[0]] ?? null };
    }
    const event = columns.map((i) => watched[i]).find((one) => one?.is === "event");
    if (event) return { ending, event };
    const grazed = columns.filter((column) => typeof column !== "number").map(({ graze }) => graze);
    if (grazed.length) return { ending: "AMBIGUOUS", message: this.said("touches", grazed) };
    if (end.t === this.until) return { ending: "FINISHED" };
    const flipped = columns.map((i) => watched[i]).map(({ k, j }) => {
      const held = piece.holds.includes(k);
      return [k, this.told.switches[k].kind === "side" && !held ? -piece.modes[k] : j === 0 ? -1 : 1];
    });
    return { flipped: new Map(flipped) };
  }

  /** The next time of the timetable, where the formulas before and after it have values. */
  nextTime(piece) {
    const t = this.table.times[this.place];
    if (this.told.timeless) return t;
    const sides = [this.place, this.place + 1].map((place) => piece.modes.map((mode, k) => this.table.at(place)[k] ?? mode));
    const defined = (time) =>
      sides.every((modes) => this.standing.acceleration({ t: time, y: this.state.y }, modes).every(Number.isFinite));
    const late = PARTS.flatMap((part) => [part, -part]).map((part) => t + part * TOGETHER * Math.max(1, Math.abs(t)));
    return [t, ...late].find(defined) ?? t;
  }

  // what a switch does -------------------------------------------------------------------------------------------------
  /** The piece after a switch, or the outcome where the motion ends there. */
  after(piece, flipped) {
    const next = this.deciding.after(this.state, piece, flipped, this.table.at(this.place));
    const changed = this.told.switches.flatMap((_, k) => (next.modes[k] !== piece.modes[k] ? [k] : []));
    const step = this.energyStep(this.state, piece.modes, next.modes, changed);
    if (step) return { ending: "JUMP", message: this.said("energy", changed, { step: Number(step.toPrecision(6)) }) };
    this.passed(piece, next);
    return next;
  }

  /** Notes the switches between two pieces. */
  passed(piece, next) {
    this.told.switches.forEach(({ said }, k) => {
      const [held, was] = [next.holds.includes(k), piece.holds.includes(k)];
      const way = held ? 0 : was ? (next.modes[k] >= 1 ? 1 : -1) : Math.sign(next.modes[k] - piece.modes[k]);
      if (held ? !was : was || way) this.switches.push([this.state.t, said, way]);
    });
  }

  /** How much higher the energy is on one side of switches that depend on the place, J; 0 where it goes over there. */
  energyStep(state, before, after, changed) {
    const { switches, energies: which } = this.told;
    if (!changed.some((k) => switches[k].energy)) return 0;
    const there = before.map((mode, k) => (changed.includes(k) && switches[k].place ? after[k] : mode));
    const [old, now] = [before, there].map((modes) => this.standing.judged(state, modes));
    const n = state.y.length / 2;
    const force = Array.from(old.Q, (Q, i) => Math.abs(Q) + Math.abs(now.Q[i]));
    const [q, v] = [state.y.subarray(0, n), state.y.subarray(n)];
    const late = LATE * Math.max(1, Math.abs(state.t));
    const slack = late * (sum(force.map((F, i) => F * Math.abs(v[i]))) + Math.max(...force) * largestOf(q));
    const jump = now.energies[which.steps] - old.energies[which.steps];
    return Math.abs(jump) > Math.max(SMALL * (largestOf(old.energies) + largestOf(now.energies)), slack) ? jump : 0;
  }

  /** Words for how the motion ended, from those that Python has. */
  said(name, which, values = {}) {
    return worded(this.told.words[name], { which: this.deciding.words(which), ...values });
  }

  chatters(times) {
    const count = times.length;
    if (count < RECENT) return false;
    const { changes, stalled } = this.told.limits;
    const span = times[count - 1] - times[count - RECENT];
    if (span < stalled * (this.until - this.first.t)) return true;
    if (count < Math.max(changes, 2 * RECENT)) return false;
    const half = Math.floor(count / 2);
    const before = times[half] - times[half - RECENT];
    return span < SHRINKS * before && (this.until - times[count - 1]) * RECENT > STILL * count * span;
  }

  chattering(times, last) {
    const many = Math.min(RECENT, times.length);
    const span = Number((times[times.length - 1] - times[times.length - many]).toPrecision(3));
    const message = this.said("chatters", last, { many, span, all: times.length });
    return { ending: "CHATTERING", message };
  }

  /** Whether a motion that is at a switch, or nearly, and on its piece would turn there, may as well go on beyond. */
  grazes(state, modes, k, own) {
    const { deciding } = this;
    const { kind, rates } = this.told.switches[k];
    if (kind === "turn") return false;
    const { g, sizes } = this.standing.judged(state, modes);
    const border = kind === "whole" ? evenly(g[k]) : 0;
    const question = new Question(deciding, state, [...modes], g, [k]);
    let [here, there] = [null, null];
    try {
      [here, there] = [question.at([own]), question.at([-own])];
    } catch (why) {
      if (why instanceof Undecided) return true;
      throw why;
    }
    const derivative = ({ modes: side, a }, order) => deciding.derivative(state, side, k, order, a);
    const [rate, bend] = [1, 2].map((order) => own * derivative(here, order));
    if (!(bend > 0)) return false;
    const slopes = this.standing.judged(state, here.modes).slopes[k];
    const { rtol, atol } = this.settings;
    const off = REACH * sum(Array.from(state.y, (x, i) => Math.abs(slopes[i + 1]) * (atol + rtol * Math.abs(x))));
    const reach = off + NEAR * sizes[k];
    if (!(Math.abs(own * (g[k] - border) - rate ** 2 / (2 * bend)) <= reach)) return false;
    if (this.energyStep(state, here.modes, there.modes, [k])) return true;
    const first = rates ? 1 : 2;
    let away = 0;
    for (let order = first; order <= ORDERS && !away; order++) away = deciding.sign(state, there.modes, k, order, there.a) * own;
    const apart = Math.abs(derivative(there, first) - derivative(here, first)) * (this.until - state.t) ** first / first;
    return (away || -1) < 0 && apart > reach;
  }

  // what is asked of the last motion -----------------------------------------------------------------------------------
  start() {
    return this.first.y.slice();
  }

  end() {
    return this.state.y.slice();
  }

  sample(times) {
    return sampledBySegments(this.segments, times, this.about.values);
  }

  field(points) {
    this.plain.set(this.values);
    return this.plain.field(points);
  }
}
