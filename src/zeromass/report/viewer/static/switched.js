// Motions of a system whose formulas have kinks or jumps, from one switch to the next: see integrate/switched.py.

const [RECENT, SHRINKS, STILL, PILED, CROWDED] = [64, 0.6, 5, 2, 1e-6];
const LATE = 1e-12;
const [AT_ONCE, TRIES, STRAYED, LOOKS] = [8, 5, 1e-6, 9];
const PARTS = [6, 5, 4, 3, 2, 1, 0].map((k) => 2 ** -k);
const TOUCHED =
  ", as far as its tolerances tell, and may turn back there or go on beyond: both are motions, and rounding would choose. " +
  "Start it a little to one side of this, make rtol and atol smaller if it should miss the place or pass it, or let the " +
  "formula go over continuously";

/** Of some modules the one whose pivots were chosen where masses and constraints have such modes; else the first. */
function pickedFor(motions, { structural }, modes) {
  const own = structural.map((k) => modes[k]);
  return motions.find(({ about }) => about.pieces.some((piece) => alike(piece, own))) ?? motions[0];
}

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
  constructor(modules, told) {
    this.all = modules.map((module) => new Driven(module));
    [this.motion] = this.all;
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
      this.motion = pickedFor(this.all, this.told, modes);
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
    this.standing = new Standing(modules, told);
    this.deciding = new Deciding(this.standing, told);
    this.motions = modules.map((module) => new Driven(module));
    [this.plain] = this.motions;
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

  /**
   * As `run` of `Motion`; also the switches, [time, formula, direction], and a message where one ended the motion.
   * from: where a motion has come to: its `first` state, the last, the piece, the place in the timetable, times of switches.
   */
  run(values = {}, { until, rtol = 1e-10, atol = 1e-13, longest = Infinity }, from = null) {
    Object.assign(this, { values, until, settings: { rtol, atol, longest }, segments: [], switches: [], happenings: [] });
    for (const motion of [this.plain, ...this.standing.all]) motion.set(values);
    this.first = this.state = from?.first ?? { t: this.about.t, y: this.plain.reals("y", this.plain.order).slice() };
    const found = this.caught(from);
    const total = (place) => sum(this.segments.map(({ counts }) => counts[place]));
    return {
      event: null, t: this.state.t, message: "", ...found, steps: sum(this.segments.map(({ steps }) => steps)),
      rejected: total(0), evaluations: total(1), happened: this.happenings, switches: this.switches,
    };
  }

  caught(from) {
    try {
      return this.course(from);
    } catch (why) {
      if (why instanceof Undecided) return { ending: "AMBIGUOUS", message: why.message };
      if (why instanceof Beyond) return { ending: "BEYOND", message: why.message };
      throw why;
    }
  }

  /** The piece that the motion begins on: constraints that switch are those of the pieces that its start lies on. */
  begun() {
    const { structural, begins, switches } = this.told;
    let modes = begins;
    for (let again = 0; again < TRIES; again++) {
      const place = this.plain.reals("parameters", this.plain.about.parameters.length);
      putModes(place, this.told, modes);
      if (this.plain.code.start() !== 0) return null;
      this.first = this.state = { t: this.about.t, y: this.plain.reals("y", this.plain.order).slice() };
      this.table = this.timetable();
      const piece = this.deciding.begin(this.state, this.table.at(0));
      if (structural.every((k) => switches[k].kind === "turn" || piece.modes[k] === modes[k])) return piece;
      ({ modes } = piece);
    }
    throw new Beyond(`no start is found on one side of ${this.deciding.words(structural)}`);
  }

  timetable() {
    const modes = this.told.switches.map(() => 1);
    const value = (name, t) => this.standing.judged({ t, y: this.first.y }, modes)[name];
    return new Timetable(value, this.told, this.first.t, this.until);
  }

  course(from) {
    if (from) Object.assign(this, from, { table: this.timetable() });
    else this.place = 0;
    let piece = from ? from.piece : this.begun();
    if (!piece) return { ending: "NO_START" };
    let [before, last] = [[], []];
    const times = from ? from.times : [];
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
    const motion = pickedFor(this.motions, this.told, piece.modes);
    const segment = new PieceLoop(this, motion, this.state, piece, target, before).segment();
    this.segments.push(segment);
    const watched = motion.about.watched;
    for (const [column, t] of segment.happened) if (watched[column]?.is === "event") this.happenings.push([watched[column].name, t]);
    return segment;
  }

  /** Switches beyond which a segment has come, though it was to end there: it began on them, and returned unseen. */
  strayed({ steps, end, run }, { modes, margins, holds }) {
    const watched = this.told.switches.flatMap(({ kind, place, force }, k) =>
      kind === "side" && place && !force && !holds.includes(k) && modes[k] !== 0 ? [k] : []);
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
    return { ending: "AMBIGUOUS", message: `the motion touches ${this.deciding.words(strayed)}${TOUCHED}` };
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
    if (grazed.length) return { ending: "AMBIGUOUS", message: `the motion touches ${this.deciding.words(grazed)}${TOUCHED}` };
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
    const { switches } = this.told;
    let [last, changed, now] = [piece, [], flipped];
    for (let again = 0; again < AT_ONCE; again++) {
      const next = this.deciding.after(this.state, last, now, this.table.at(this.place));
      changed = switches.flatMap((_, k) => (next.modes[k] !== last.modes[k] ? [k] : []));
      const done = changed.length ? this.shock(this.state, last.modes, next.modes, changed) : null;
      if (done?.ending) return done;
      [last, now] = [next, new Map()];
      if (!done) {
        this.passed(piece, next);
        return next;
      }
      this.state = done;
    }
    const words = `${this.deciding.words(changed)} switches to and fro at one moment: each time it leads back over the switch`;
    return { ending: "CHATTERING", message: words };
  }

  /** Notes the switches between two pieces. */
  passed(piece, next) {
    this.told.switches.forEach(({ said }, k) => {
      const [held, was] = [next.holds.includes(k), piece.holds.includes(k)];
      const way = held ? 0 : was ? (next.modes[k] >= 1 ? 1 : -1) : Math.sign(next.modes[k] - piece.modes[k]);
      if (held ? !was : was || way) this.switches.push([this.state.t, said, way]);
    });
  }

  /** What a switch does to a state: the outcome where that is no motion, another state after an impulse, or null. */
  shock(state, before, after, changed) {
    const { switches } = this.told;
    const said = `where ${this.deciding.words(changed)} switches`;
    const impulse = changed.some((k) => switches[k].constraint) ? this.constraintShock(state, before, after, said) : null;
    if (impulse?.ending) return impulse;
    if (changed.some((k) => switches[k].mass) && this.massJumps(state, before, after)) {
      const words = "the mass jumps: the equations do not tell what becomes of the momentum; end the run there and begin another";
      return { ending: "JUMP", message: `${said}, ${words}` };
    }
    const step = this.energyStep(state, before, after, changed);
    if (step) {
      const words = `the potential energy jumps by ${Number(step.toPrecision(6))} J: a force without a limit`;
      return { ending: "JUMP", message: `${said}, ${words}; let it go over continuously, or end the run before` };
    }
    return impulse;
  }

  /** The same of constraints: places that jump, and rates that an impulse brings to what they ask for. */
  constraintShock(state, before, after, said) {
    const { names, rates, contact } = this.told.rows;
    const [old, now] = [before, after].map((modes) => this.standing.judged(state, modes));
    const late = LATE * Math.max(1, Math.abs(state.t));
    const n = state.y.length / 2;
    const size = SMALL * Math.max(1, largestOf(state.y.subarray(0, n)));
    const change = Array.from(now.rates, (rate, i) => rate - old.rates[i]);
    const jumps = names.flatMap((name, i) => {
      const jump = now.places[i] - old.places[i];
      return Math.abs(jump) > size + Math.abs(change[rates[i]]) * late ? [`'${name}' by ${Number(jump.toPrecision(6))}`] : [];
    });
    if (jumps.length && contact) throw new Beyond(`${said}, the constraint ${jumps[0]} jumps at a contact`);
    if (jumps.length) {
      const words = `the constraint ${jumps.slice(0, 4).join(", ")} jumps: no finite force brings the system there`;
      return { ending: "JUMP", message: `${said}, ${words}; let it go over continuously, or end the run before` };
    }
    if (change.every((jump, i) => Math.abs(jump) <= SMALL * Math.max(1e-3, now.terms[i]))) return null;
    if (contact) throw new Beyond(`${said}, a contact takes an impulse`);
    return this.struck(state, after, said);
  }

  /** The state after the impulse that brings its rates to the constraints of other pieces, by the least change. */
  struck(state, modes, said) {
    const motion = pickedFor(this.motions, this.told, modes);
    this.set(motion, { modes, margins: modes.map(() => 0) });
    motion.put(state.t, state.y, "first");
    motion.code.resume(state.t, state.t + 1, 1e-9, 1e-12, Infinity);
    if (!motion.whole("ints", "project_velocities")) throw new Beyond(`${said}, it takes an impulse, and project=False gives none`);
    for (let again = 0; again < 2; again++) motion.code.carry();
    const y = Float64Array.from(state.y);
    y.set(motion.reals("first", motion.order).subarray(motion.order / 2), motion.order / 2);
    return { t: state.t, y };
  }

  /** Whether the momentum of the same rates is another one. */
  massJumps(state, before, after) {
    const [old, now] = [before, after].map((modes) => this.standing.judged(state, modes).momentum);
    return largestOf(Array.from(now, (p, i) => p - old[i])) > SMALL * largestOf(old);
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
    const message =
      `${this.deciding.words(last)} switches faster and faster, ${many} times in the last ${span} s, ${times.length} times ` +
      "in all; limits=zm.Limits(changes=…) lets it go on for longer";
    return { ending: "CHATTERING", message };
  }

  /** Whether a motion that is at a switch, or nearly, and on its piece would turn there, may as well go on beyond. */
  grazes(state, modes, k, own) {
    const { deciding } = this;
    const { kind, force, rates } = this.told.switches[k];
    if (force || kind === "turn") return false;
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
