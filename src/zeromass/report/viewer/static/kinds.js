// Motions that change their kind at a contact, rolling, slipping, held or in flight: see contact/kinds.py, and the kinds there.

const [BOUNCES_END, CREEPS_STOPPED, FINE, ROLLS] = [1e-11, 10, 1e-10, 1e-9];
const PULLED = "slipping while it is pulled";
const ADRIFT = "flying with a face along the surface";
const LOST_DIGITS = 1e6; // growth of pivots at which a program is given up
const GLANCES = 50; // at a motion whose steps have become too short
const NO_LOWEST = 1e-3; // sine between a face and the surface, below which a body that comes down on it has no lowest point

const [ON_SIDE, RETURNS, LIES, LEAPS] = [1e-14, 1e-9, 1e-6, 20]; // sines between a side and a surface, steps of a leap

/** A module of one kind of motion, with what decides there; ends: which of each body are nearest to its surfaces. */
class Kind extends Driven {
  constructor(module, ends) {
    super(module);
    this.ends = ends;
  }

  set(values) {
    super.set(values);
    const place = this.reals("parameters", Math.max(this.about.parameters.length, 1));
    this.about.modes?.forEach((at, k) => (place[at] = this.ends.modes[k]));
    this.about.margins?.forEach((at, k) => (place[at] = this.ends.margins[k]));
  }

  /** Which switch of the formulas an event is; −1 of others. */
  endOf(event) {
    return event ? (this.about.ends ?? []).indexOf(event.name) : -1;
  }

  /** What is judged at a state, by name. */
  judged({ t, y }) {
    this.put(t, y);
    this.code.judge();
    const { judged: places, count } = this.about;
    const all = Array.from(this.reals("judged", count));
    const names = Object.keys(places);
    return Object.fromEntries(names.map((name, i) => [name, all.slice(places[name], places[names[i + 1]] ?? count)]));
  }

  /** A state of another kind on the constraints of this one, by the least change. */
  carried({ t, y }, times = 3) {
    this.put(t, y, "first");
    this.code.resume(t, t + 1, 1e-9, 1e-12, Infinity);
    for (let again = 0; again < times; again++) this.code.carry();
    return { t, y: this.reals("first", this.order).slice() };
  }
}

/** Motions that change their kind, in place of those of one module: runs, and samples of the last one. */
class KindsMotion {
  constructor(modules, told) {
    this.told = told;
    this.ends = { modes: [], margins: [] };
    this.all = modules.map((module) => new Kind(module, this.ends));
    [this.plain] = this.all;
    this.choose();
    this.about = this.plain.about;
    this.segments = [];
  }

  /** Of each kind the program with the pivots of the start. */
  choose() {
    this.kinds = Object.fromEntries([...this.all].reverse().map((motion) => [motion.about.kind, motion]));
  }

  run(values = {}, { until, rtol = 1e-10, atol = 1e-13, longest = Infinity }) {
    Object.assign(this, { values, until, settings: { rtol, atol, longest }, segments: [], happenings: [], passed: [], again: false });
    this.choose();
    let found = { ending: "NO_START" };
    try {
      if (this.begun()) found = this.course();
    } catch (why) {
      if (!(why instanceof Beyond)) throw why;
      found = { ending: "BEYOND", message: why.message };
    }
    const total = (name) => sum(this.segments.map((segment) => segment[name]));
    return {
      event: null, message: "", ...found, t: this.state.t, steps: total("steps"), rejected: total("rejected"),
      evaluations: total("evaluations"), happened: this.happenings, kinds: this.passed,
    };
  }

  /** Solves for the start, with those ends of bodies nearest to their surfaces that are; whether there is one. */
  begun() {
    const ends = this.all.find(({ about }) => about.ends)?.about.ends ?? [];
    Object.assign(this.ends, { modes: ends.map(() => 1), margins: ends.map(() => 0) });
    for (let again = 0; ; again++) {
      this.set();
      const solvable = this.plain.code.start() === 0;
      this.first = this.state = { t: this.about.t, y: this.plain.reals("y", this.plain.order).slice() };
      const modes = solvable && ends.length ? this.nearest() : this.ends.modes;
      if (alike(modes, this.ends.modes)) return solvable;
      if (again > 2) throw new Beyond("no start is found with one end of a body nearest to its surface");
      this.ends.modes = modes;
    }
  }

  /** The ends of bodies that are nearest at the state; of those that are alike the ones that come down. */
  nearest() {
    const asked = this.plain.about.ends ? this.plain : this.all.find(({ about }) => about.ends);
    const { sides, turning } = asked.judged(this.state);
    return sides.map((g, k) => Math.sign(Math.abs(g) > ON_SIDE ? g : turning[k]) || 1);
  }

  /** Values of parameters in all modules, and the ends of bodies. */
  set() {
    for (const motion of this.all) motion.set(this.values);
  }

  /** Goes on with another end of a body: what has no mass leaps, nothing else moves; whether it does not lead back. */
  leap(kind, k) {
    const [motion, before] = [this.kinds[kind], this.state];
    const beyond = () => -this.ends.modes[k] * motion.judged(this.state).sides[k];
    this.ends.modes[k] *= -1;
    this.set();
    this.state = motion.carried(this.state, LEAPS);
    this.ends.margins[k] = Math.max(beyond(), 0) + ON_SIDE;
    this.set();
    if (this.ends.margins[k] >= RETURNS) this.state = before;
    this.turned(kind);
    return this.state !== before;
  }

  course() {
    let kind = this.begins();
    for (let changes = 1; ; changes++) {
      if (!this.again) this.passed.push([this.state.t, this.shown(kind)]);
      const stiff = this.stiff(kind);
      this.turned(kind);
      let { ending, event } = this.segment(kind, stiff);
      const vain = new Set(); // programs that do not go on from here
      for (;;) {
        const { t } = this.state;
        const end = ending === "EVENT" ? this.kinds[kind].endOf(event) : -1;
        if (end >= 0 && !this.kinds[kind].about.leaps[end]) return { ending: "JUMP", message: event.message };
        if (end >= 0 && !this.leap(kind, end)) return { ending: "CHATTERING", message: event.message };
        if (end >= 0) vain.clear();
        else if (!["PIVOTS", "FADING"].includes(ending) || !this.turned(kind, this.state, vain.add(this.kinds[kind]))) break;
        ({ ending, event } = this.segment(kind, stiff));
        if (this.state.t !== t) vain.clear();
      }
      if (!["EVENT", "ALREADY"].includes(ending) || this.state.t === this.until) return { ending, event };
      const next = this.onward(kind, event.name);
      if (!next) return { ending, event: event.name === "lands" && this.told.side ? { ...event, message: this.told.side } : event };
      if (changes >= this.told.changes) {
        const message = `the motion has changed its kind ${changes} times, the last at '${event.name}', and is given up`;
        return { ending: "CHATTERING", message };
      }
      const begins = stiff && !this.kinds[kind].about.ends; // Python steps over that with a method for what is stiff
      this.again = begins && next.kind === kind && event.name.endsWith("slip dies out"); // it had not begun
      ({ kind } = next);
      this.state = next.state;
    }
  }

  /** The kind that the motion begins as: what holds, as far as friction and resistance allow it. */
  begins() {
    const { kind } = this.about;
    if (!["rolling", "slipping"].includes(kind)) return kind;
    const next = kind === "rolling" ? this.kindAt(kind, this.state, false) : this.slip(kind, this.state);
    if (next !== kind) this.state = this.kinds[next].carried(this.state);
    return next;
  }

  /** What a kind is called where it is shown. */
  shown(kind) {
    return this.told.shown?.[kind] ?? kind;
  }

  /** Whether a slip or a roll begins, which is stiff at first. */
  stiff(kind) {
    return "stiff" in this.kinds[kind].about.judged && this.kinds[kind].judged(this.state).stiff[0] < 0;
  }

  /** Takes the program of a kind whose pivots are best at a state; whether that is another one. */
  turned(kind, { t, y } = this.state, without = new Set()) {
    const some = this.all.filter((motion) => motion.about.kind === kind && !without.has(motion));
    const growth = some.map((motion) => {
      motion.put(t, y);
      motion.code.slope();
      const found = motion.real("growth");
      return found >= 0 && (!without.size || found <= this.told.growth) ? found : Infinity;
    });
    const before = this.kinds[kind];
    const least = Math.min(...growth);
    if (least < Infinity) this.kinds[kind] = some[growth.indexOf(least)];
    return this.kinds[kind] !== before;
  }

  /** The motion of one kind from the state, until it ends or an event does. */
  segment(kind, stiff) {
    const motion = this.kinds[kind];
    const { rtol: asked, atol: least, longest } = this.settings;
    const rtol = stiff ? Math.min(asked, FINE) : asked; // a slip that begins is a small difference of large numbers
    const atol = (least * rtol) / asked;
    motion.set(this.values);
    motion.put(this.state.t, this.state.y, "first");
    let ending = motion.words[motion.code.resume(this.state.t, this.until, rtol, atol, longest)];
    if (ending === "READY") ending = motion.steps();
    while (ending === "PIVOTS" && this.bears(kind, motion)) ending = motion.steps();
    const record = motion.record();
    const steps = record.length / motion.about.row;
    const run = { motion, parameters: motion.reals("parameters", motion.about.parameters.length).slice(), t: this.state.t, first: Float64Array.from(this.state.y), record };
    this.happenings.push(...motion.happened().filter(([name]) => motion.endOf({ name }) < 0));
    let event = motion.about.events[motion.whole("counts", "ended")] ?? null;
    if (ending === "STEP_TOO_SMALL" && steps) {
      event = this.nearly(motion, record);
      if (event) ending = "EVENT";
      if (event) this.happenings.push([event.name, motion.real("t")]);
    }
    if (ending === "ALREADY") this.happenings.push([event.name, this.state.t]);
    if (steps) this.state = { t: motion.real("t"), y: record.slice(record.length - motion.order) };
    this.segments.push({ run, steps, end: this.state, rejected: motion.whole("ints", "rejected"), evaluations: motion.whole("ints", "evaluations") });
    return { ending, event };
  }

  /** Whether a program goes on with pivots that are poor, as no other of its kind has better ones: it may lose more then. */
  bears(kind, motion) {
    const [t, y, growth] = [motion.real("t"), motion.reals("y", motion.order).slice(), motion.real("growth")];
    const better = this.all.some((other) => {
      if (other === motion || other.about.kind !== kind) return false;
      other.put(t, y);
      other.code.slope();
      return other.real("growth") <= this.told.growth;
    });
    if (better || !(growth < LOST_DIGITS)) return false;
    const { growth_limit: place } = motion.about.reals;
    motion.reals("reals", 1 + place)[place] = 10 * growth;
    return true;
  }

  /** What must not happen and nearly does, of a motion whose steps have become too short; null if nothing does. */
  nearly(motion, record) {
    const { events, row, head } = motion.about;
    const last = record.length / row - 1;
    const places = Array.from({ length: GLANCES }, (_, k) => Math.floor((last * k) / (GLANCES - 1)) * row);
    const values = places.map((at) => {
      motion.put(record[at], record.subarray(at + head, at + row));
      motion.code.watch();
      return motion.reals("looked", events.length).slice();
    });
    const near = (k) => Math.abs(values[GLANCES - 1][k]) < this.told.close * largestOf(values.map((some) => some[k]));
    const found = events.find(({ guard }, k) => guard && near(k));
    return found ? { ...found, message: `nearly: no step is short enough to come closer: ${found.message}` } : null;
  }

  // what follows ---------------------------------------------------------------------------------------------------------
  /** The kind and the state after an event; null where the motion ends. */
  onward(kind, event) {
    const { rolling, flying } = this.kinds;
    if (event === "lands" && kind === "flying" && rolling) return this.landed();
    if (event === "contact lost" && flying && kind !== "flying") return { kind: "flying", state: this.lifted(this.state) };
    if (this.kinds[ADRIFT] && (kind === ADRIFT || (kind === "flying" && event === "lies flat"))) return this.drifting(kind, event);
    const next = rolling ? this.following(kind, event) : null;
    return this.kinds[next] ? { kind: next, state: next === kind ? this.state : this.kinds[next].carried(this.state) } : null;
  }

  /** Flight with a lowest point, or without one, far from the surface: see contact/adrift.py. */
  drifting(kind, event) {
    const here = this.kinds[kind].judged(this.state);
    let next = here.far?.[0] > 0 ? ADRIFT : "flying";
    if (kind === ADRIFT && event !== "tilted" && !(event === "comes down on a face" && here.upright[0] > NO_LOWEST)) next = null;
    if (next === null) return null;
    return { kind: next, state: next === kind ? this.state : this.kinds[next].carried(this.state) };
  }

  /** The kind that follows on a surface; null where none does. */
  following(kind, event) {
    const { state } = this;
    if (kind === "rolling") {
      if (event === "rolling dies out") return this.kindAt(kind, state, false, false);
      return event === "would slip" ? this.slip(kind, state) : null;
    }
    if (kind === "resting" || kind === "sliding") {
      if (!["would roll", "slip dies out", "would slip"].includes(event)) return null;
      const slips = (kind === "sliding" && event !== "slip dies out") || event === "would slip";
      return this.kindAt(kind, state, slips, event === "would roll");
    }
    if (event === "contact resumed") return kind === PULLED ? "slipping" : null;
    if (event === "contact lost") return this.kinds[PULLED] ? PULLED : null;
    if (event === "rolling dies out") return this.kindAt(kind, state, true, false);
    if (event !== "slip dies out") return null;
    if (this.kinds.resting) return this.kindAt(kind, state, false);
    return this.grips(this.kinds.rolling.carried(state)) ? "rolling" : kind;
  }

  /** What a motion goes on as from a state of some kind on; whether the body turns, from its angular velocity if not said. */
  kindAt(kind, state, slips, turns = null) {
    const { rolling, slipping, resting, sliding } = this.kinds;
    const holds = resting && !(turns ?? this.turns(state));
    if (!slips && holds && this.rests(resting.carried(state))) return "resting";
    const grips = () => this.grips(kind === "rolling" ? state : rolling.carried(state));
    if (!slipping || (!slips && grips())) return "rolling";
    if (holds && sliding.judged(sliding.carried(state)).unheld[0] <= 0) return "sliding";
    return resting ? "slipping" : this.slip("slipping", slipping.carried(state));
  }

  /** The kind of slip at a state of some kind. */
  slip(kind, state) {
    if (this.kinds.resting) return this.kindAt(kind, state, true);
    if (!this.kinds[PULLED]) return "slipping";
    return this.kinds[kind].judged(state).N[0] < 0 ? PULLED : "slipping";
  }

  grips(state) {
    const { rolling } = this.kinds;
    return !("lack" in rolling.about.judged) || rolling.judged(state).lack[0] <= 0;
  }

  /** Whether resistance and friction hold the body, at a state in which it rests. */
  rests(state) {
    const { lack = [0], unheld } = this.kinds.resting.judged(state);
    return lack[0] <= 0 && unheld[0] <= 0;
  }

  /** Whether the body rolls at a state, beyond rounding of its angular velocity. */
  turns(state) {
    const { omega, least } = this.kinds.rolling.judged(state);
    const n = state.y.length / 2;
    return Math.hypot(...omega) > Math.max(least[0], ROLLS * 2 * Math.hypot(...this.told.turned.map((i) => state.y[n + i])));
  }

  /** The friction of a stroke: a number, or a function of the speed of slip. */
  law(mu) {
    if (mu === null) return null;
    const asked = this.all.find(({ about }) => about.kind !== this.about.kind && about.field && this.told.varies);
    return asked ? (speed) => asked.field([this.state.t, speed, 0, 0])[0] : mu;
  }

  extent({ place, solid }) {
    return largestOf(place) + solid[1];
  }

  /** A state of the same body in flight, above its surface so that it can land. */
  lifted(given, since = 0) {
    const { flying } = this.kinds;
    const state = flying.carried(given);
    const here = flying.judged(state);
    const { moved } = this.told;
    const up = [...here.up, ...here.up];
    let by = Math.max(since * here.rising[0] - here.gap[0], 0);
    let least = EPSILON * (largestOf(moved.map((i, k) => up[k] * state.y[i])) || this.extent(here));
    for (;;) {
      moved.forEach((i, k) => (state.y[i] += by * up[k]));
      const { gap, rounding } = flying.judged(state);
      const lacks = rounding[0] - gap[0];
      if (lacks < 0) return state;
      [by, least] = [lacks + least, 2 * least];
    }
  }

  /** The state after a stroke; null where a side lands. */
  landed() {
    const { flying } = this.kinds;
    const { t, y } = this.state;
    const here = flying.judged(this.state);
    if (Math.abs(here.tilted[0]) <= LIES) return null; // a side lands, and no single point
    const [m, , e] = here.solid;
    const square = (x) => [x.slice(0, 3), x.slice(3, 6), x.slice(6, 9)];
    const [S, rho] = [square(here.S), here.rho];
    const inverse = product(product(S, inverse3(square(here.J))), transposed(S));
    const across = [[0, -rho[2], rho[1]], [rho[2], 0, -rho[0]], [-rho[1], rho[0], 0]];
    const D = product(product(across, inverse), across).map((row, i) => row.map((x, j) => (i === j ? 1 / m : 0) - x));
    const [still, mu, creep] = here.limits.length ? here.limits : [null, null, null];
    const { impulse, velocity } = stroke(D, here.n, here.w, this.law(mu), e, still);
    const turned = times(inverse, cross(rho, impulse));
    const G = [here.G.slice(0, 4), here.G.slice(4, 8), here.G.slice(8, 12)];
    const n = y.length / 2;
    const after = { t, y: Float64Array.from(y) };
    this.told.moved.slice(0, 3).forEach((i, k) => (after.y[n + i] += impulse[k] / m));
    this.told.turned.forEach((i, k) => (after.y[n + i] += dot(G.map((row) => row[k]), turned) / 2));
    const late = here.rising[0] < 0 ? here.gap[0] / here.rising[0] : 0;
    const flight = this.lifted(after, late);
    const seen = flying.judged(flight);
    const [rises, falls] = [seen.rising[0], -seen.falling[0]];
    if (rises > 0 && (falls <= 0 || rises ** 2 / (2 * falls) > BOUNCES_END * this.extent(here))) return { kind: "flying", state: flight };
    if (rises > 0 && e < 1) this.happenings.push(["bounces end", t + (2 * rises) / (falls * (1 - e))]);
    const normal = dot(here.n, velocity);
    const slip = Math.hypot(...velocity.map((x, i) => x - normal * here.n[i]));
    const next = this.kindAt("flying", after, mu !== null && slip > CREEPS_STOPPED * creep);
    return { kind: next, state: this.kinds[next].carried(after) };
  }

  // what is asked of the last motion -----------------------------------------------------------------------------------
  start() {
    return this.first.y.slice();
  }

  end() {
    return this.state.y.slice();
  }

  sample(times_) {
    return sampledBySegments(this.segments, times_, this.about.values);
  }

  field(points) {
    this.plain.set(this.values);
    return this.plain.field(points);
  }
}
