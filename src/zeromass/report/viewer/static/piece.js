// The motion on one piece of a large system with switches, up to what ends it: see integrate/hybrid/piece_loop.py.

const [LEAST, NEARLY, CLOSE, FLAT, SHORTEST, REACH] = [2 ** -1022, 1e-2, 1e-12, 1e-2, 1e-6, 10];
const [INSIDE_STEPS, SEEN, ROUNDED_LOOKS, LESS, LEAST_PART, ALL] = [16, 1e-2, 1e-14, 1e2, 2 ** -46, 2 ** 14];

/** The motion on one piece {modes, margins, holds} from a state {t, y}, until a time of the run. */
class PieceLoop {
  constructor(driver, motion, state, piece, target, before) {
    Object.assign(this, { driver, motion, state, piece, target, before, longest: driver.settings.longest });
    const { watched } = motion.about;
    this.low = watched.flatMap(({ is }, i) => (is === "low" ? [i] : []));
    this.others = watched.flatMap(({ is }, i) => (is === "low" ? [] : [i]));
    this.followed = new Set(this.low.map((i) => i - 1));
    this.happened = [];
  }

  /** The segment: its steps, how it ended, and the columns of what ended it. */
  segment() {
    const { bent } = this.motion.about;
    let [until, found, off] = [this.target, this.stepped(this.target), ROUNDED_LOOKS];
    while (bent.length && found.steps) {
      const place = this.firstBelow(off);
      if (place === null) break;
      const sooner = this.stepped(place);
      if (sooner.ending === "EVENT" && sooner.t < found.t) {
        [until, found] = [place, sooner];
        continue;
      }
      found = this.stepped(until); // a motion has one record
      if (sooner.ending === "EVENT") break;
      off *= LESS;
    }
    return this.ended(found);
  }

  stepped(target) {
    const { motion, state, driver } = this;
    const { rtol, atol } = driver.settings;
    this.happened = [];
    driver.set(motion, this.piece);
    motion.put(state.t, state.y, "first");
    const ready = motion.words[motion.code.resume(state.t, target, rtol, atol, this.longest)];
    let [ending, columns] = [ready, []];
    if (ready === "READY" || ready === "ALREADY") {
      this.leave();
      columns = this.jumped();
      if (columns.length) ending = "EVENT";
      else if (ready === "ALREADY") columns = [motion.whole("counts", "ended")];
      else ({ ending, columns } = this.course());
    }
    return { ending, columns, t: motion.real("t"), steps: motion.whole("ints", "recorded") };
  }

  course() {
    for (;;) {
      const ending = this.motion.steps();
      if (ending !== "EVENT") return { ending, columns: [] };
      const columns = this.locate();
      if (columns.length) return { ending, columns };
    }
  }

  margin(k) {
    return Math.abs(this.piece.margins[k]);
  }

  /** Says on which side of its switches the piece begins: what rises from zero is above it. */
  leave() {
    const { motion } = this;
    const signs = motion.reals("signs", 2 * motion.about.watched.length);
    const h = Math.abs(motion.real("h"));
    for (const i of this.low) {
      const [g, rises] = [signs[2 * (i - 1)], signs[2 * i]];
      if (g === 0 && rises * h > this.driver.settings.atol) signs[2 * (i - 1)] = LEAST;
      if (rises < 0 && g <= 2 * this.margin(motion.about.watched[i].k)) signs[2 * i] = LEAST;
    }
  }

  /** Events whose functions have jumped through zero where the piece begins; those that end it. */
  jumped() {
    const { about } = this.motion;
    const signs = this.motion.reals("signs", 2 * about.watched.length);
    return this.before.flatMap((old, i) => {
      const [now, { direction, terminal }] = [signs[2 * i], about.watched[i]];
      const [rises, falls] = [old < 0 && now > 0 && direction >= 0, old > 0 && now < 0 && direction <= 0];
      if (!rises && !falls) return [];
      this.happened.push([i, this.state.t]);
      return terminal ? [i] : [];
    });
  }

  /** What happened in the last step is noted; the columns of what ends the motion, which ends there. */
  locate() {
    const { motion } = this;
    const { watched } = motion.about;
    const last = motion.whole("ints", "recorded") - 1;
    const [t0, t1] = [last > 0 ? motion.row(last - 1)[0] : this.state.t, motion.row(last)[0]];
    motion.code.open(BigInt(last));
    const known = new Map();
    const values = (t) => known.get(t) ?? known.set(t, motion.look(t)).get(t);
    let places = Array.from({ length: 9 }, (_, k) => (k < 8 ? t0 + ((t1 - t0) * k) / 8 : t1));
    const turns = motion.roots(this.low, this.low.map(() => 0), places, this.low.map(() => 1)).found;
    if (turns.length) places = [...new Set([...places, ...turns.map(([t]) => t)])].sort((a, b) => a - b);
    const directions = this.others.map((i) => watched[i].direction);
    let { found, tolerance } = motion.roots(this.others, directions, places, this.others.map((i) => (this.followed.has(i) ? 0 : 1)));
    const touched = this.touched(values, places, turns, found);
    if (touched) found = [...found, touched].sort((a, b) => a[0] - b[0]);
    const ends = ([, column]) => typeof column !== "number" || watched[column].terminal;
    const end = found.find(ends);
    for (const [t, column] of found) {
      if (end && t - t0 > end[0] - t0 + 2 * tolerance) break;
      this.happened.push([column, t]);
    }
    if (!end) return [];
    this.cut(last, end[0]);
    return found.filter((one) => ends(one) && Math.abs(one[0] - end[0]) <= 2 * tolerance).map(([, column]) => column);
  }

  /** Ends the last step earlier. */
  cut(last, t) {
    const { motion } = this;
    const y = motion.stateIn(t);
    const row = motion.row(last);
    row[1] -= row[0] - t;
    row[0] = t;
    row.set(y, motion.about.head);
    motion.put(t, y);
  }

  /** The first switch in a step that is only touched, where its two sides lead to different motions. */
  touched(values, places, turns, found) {
    const { watched } = this.motion.about;
    const [first, last] = [places[0], places[places.length - 1]];
    const end = found.find(([, column]) => watched[column].terminal);
    const some = end ? turns.filter(([t]) => t - first <= end[0] - first) : turns;
    for (const [t, column] of [...some, ...(end && this.followed.has(end[1]) ? [[end[0], end[1] + 1]] : [])]) {
      const { k, j } = watched[column];
      const [[g0, r0], [g, r], [g1, r1]] = [first, t, last].map((place) => values(place).subarray(column - 1, column + 1));
      const bend = Math.max(Math.abs(r - r0), Math.abs(r1 - r)) / (last - first);
      const near = 2 * bend * (NEARLY * Math.max(Math.abs(g0), Math.abs(g1)) - Math.abs(g)) >= r ** 2;
      if (!near || t === this.driver.until) continue;
      const side = this.driver.told.switches[k].kind === "side" ? this.piece.modes[k] : j === 0 ? 1 : -1;
      if (this.driver.grazes({ t, y: this.motion.stateIn(t) }, this.piece.modes, k, side)) return [t, { graze: k }];
    }
    return null;
  }

  /** The first time inside steps at which a function is seen below zero that should not be; null if none is. */
  firstBelow(off) {
    const { motion } = this;
    const { watched } = motion.about;
    const bent = motion.about.bent.filter((i) => watched[i].is !== "hold" || this.piece.holds.includes(watched[i].k));
    const count = motion.whole("ints", "recorded");
    const ends = Array.from({ length: count }, (_, k) => motion.row(k)[0]);
    const steps = ends.map((b, k) => [k, k > 0 ? ends[k - 1] : this.state.t, b]);
    const [last, shortest] = [ends[count - 1], SHORTEST * Math.abs(this.target - this.state.t)];
    const sizes = bent.map(() => 0);
    let [place, parts] = [Infinity, bent.length ? steps : []];
    for (;;) {
      parts = parts.filter(([, a, b]) => a < place && b - a > LEAST_PART * Math.max(Math.abs(a), Math.abs(b)));
      if (!parts.length) return place < Infinity ? place : null;
      const [unclear, blind] = [[], []];
      for (const [k, a, b] of parts) {
        const times = LOOK_PLACES.map((x, p) => (p < INSIDE_STEPS ? a + (b - a) * x : b));
        motion.code.open(BigInt(k));
        const seen = times.map((t) => motion.look(t));
        const f = bent.map((i) => seen.map((row) => row[i]));
        f.forEach((some, i) => (sizes[i] = Math.max(sizes[i], largestOf(some))));
        times.forEach((t, p) => {
          if (t < Math.min(place, last) && f.some((some, i) => some[p] < -off * sizes[i])) place = t;
        });
        const told = b - a > shortest ? f.map((some, i) => howMuchIsTold(some, sizes[i])) : [];
        if (told.includes("nothing")) blind.push([k, a, b]);
        else if (told.includes("little")) unclear.push(...piecesOf([k, a, b], INSIDE_STEPS / 2));
        else for (const [p, q] of lowPlaces(f, sizes)) unclear.push([k, times[p], times[q]]);
      }
      parts = [...unclear, ...closerLooks(blind, steps)];
    }
  }

  // ends -------------------------------------------------------------------------------------------------------------
  ended({ ending, columns, t, steps }) {
    const { motion, state } = this;
    const record = motion.record();
    const y = steps ? record.slice(record.length - motion.order) : Float64Array.from(state.y);
    const counts = ["rejected", "evaluations"].map((name) => motion.whole("ints", name));
    const parameters = motion.reals("parameters", motion.about.parameters.length).slice();
    let end = { t, y };
    if (ending === "NOT_A_NUMBER" || ending === "STEP_TOO_SMALL") {
      columns = this.justBefore(end);
      if (columns.length) ending = "EVENT";
    } else if (ending === "EVENT" && !this.piece.holds.length && t !== this.target && steps) {
      const before = steps > 1 ? record.subarray(record.length - 2 * motion.about.row, record.length - motion.about.row) : null;
      const from = before ? { t: before[0], y: before.slice(motion.about.head) } : state;
      end = this.toTheLastDigits(end, from, columns);
      record.set([end.t], record.length - motion.about.row);
      record.set(end.y, record.length - motion.order);
      this.happened = this.happened.map(([column, time]) => [column, time === t ? end.t : time]);
    }
    const asked = motion.about.watched.filter(({ is }) => is === "event").length;
    const left = Array.from(motion.watchedAt(end.t, end.y).subarray(0, asked));
    const run = { motion, parameters, t: state.t, first: Float64Array.from(state.y), record };
    return { ending, columns, end, run, steps, counts, left, happened: this.happened };
  }

  /** The end of a segment at one switch by Newton's method: g = 0 to rounding. */
  toTheLastDigits(end, from, columns) {
    const { motion, driver } = this;
    const { watched } = motion.about;
    const [column] = columns;
    if (columns.length !== 1 || typeof column !== "number" || watched[column].is !== "switch") return end;
    const { k, j } = watched[column];
    const { kind } = driver.told.switches[k];
    if (kind === "turn") return end;
    const margin = this.piece.margins[k];
    const border = kind === "side" ? margin : Math.max(j === 0 ? margin : -margin, 0);
    let [t, y] = [end.t, end.y];
    const length = Math.abs(t - from.t);
    const slope = motion.slopeAt(t, y);
    const size = driver.standing.judged({ t, y }, this.piece.modes).sizes[k];
    let near = 4 * Math.abs(margin);
    const falling = () => {
      const values = motion.watchedAt(t, y);
      return [values[column], values[column + 1]];
    };
    let [off, falls] = falling();
    for (const again of [false, false, true]) {
      off -= border;
      if (!(Math.abs(off) <= Math.abs(falls) * CLOSE * Math.max(1, Math.abs(t)) + near)) return end;
      if (Math.abs(off) > (Math.abs(falls) * length) / 2) return end;
      const part = off / falls;
      [t, y] = [t - part, y.map((x, i) => x - part * slope[i])];
      if (!again && Math.abs(falls) * length < FLAT * size) [y, near] = [this.retaken(from, t, y), Infinity];
      [off, falls] = falling();
      if (off === border) break;
    }
    if (off > border) {
      const late = 2 * Math.abs((off - border + ROUNDING * size) / falls);
      [t, y] = [t + late, y.map((x, i) => x + late * slope[i])];
    }
    return { t, y };
  }

  /** The state at a time from an earlier one, in one step as far as its control allows that. */
  retaken(from, t, y) {
    const { motion, driver } = this;
    const { rtol, atol } = driver.settings;
    motion.put(from.t, from.y, "first");
    if (motion.words[motion.code.resume(from.t, t, rtol, atol, Infinity)] !== "READY") return y;
    motion.reals("reals", 2)[motion.about.reals.h] = t - from.t;
    new BigInt64Array(motion.code.memory.buffer, motion.code.ints.value, 1 + motion.about.ints.events)[motion.about.ints.events] = 0n;
    motion.steps();
    return motion.real("t") === t ? motion.reals("y", motion.order).slice() : y;
  }

  /** Switches that a segment stops just before, because its formulas have no values beyond them. */
  justBefore({ t, y }) {
    const { driver, piece, motion } = this;
    const { modes, holds } = piece;
    const { g, slopes } = driver.standing.judged({ t, y }, modes);
    const a = holds.length ? new Float64Array(y.length / 2) : driver.standing.acceleration({ t, y }, modes);
    const late = CLOSE * Math.max(1, Math.abs(t));
    return motion.about.watched.flatMap(({ is, k, j }, i) => {
      if (is !== "switch" || driver.told.switches[k].kind === "turn" || holds.includes(k)) return [];
      const rate = sum(driver.deciding.parts({ t, y }, slopes[k], a));
      const whole = driver.told.switches[k].kind === "whole";
      const [left, falls] = !whole ? [modes[k] * g[k], modes[k] * rate] : j === 0 ? [g[k] - modes[k], rate] : [modes[k] + 1 - g[k], -rate];
      return falls < 0 && left <= -falls * late ? [i] : [];
    });
  }
}

/** Places in a part of a step, none of them in step with a swing. */
const LOOK_PLACES = Array.from({ length: INSIDE_STEPS + 1 }, (_, p) =>
  p % INSIDE_STEPS ? (p + 0.7 * (((p * 0.6180339887498949) % 1) - 0.5)) / INSIDE_STEPS : p / INSIDE_STEPS);

/** Whether values in a part of a step tell nothing, or little: every second one is not what those around it make of it. */
function howMuchIsTold(f, size) {
  let off = 0;
  for (let p = 3; p <= INSIDE_STEPS - 3; p += 2) {
    const nodes = [p - 3, p - 1, p + 1, p + 3];
    const [x, at] = [LOOK_PLACES[p], nodes.map((q) => LOOK_PLACES[q])];
    const told = sum(nodes.map((q, j) => f[q] * at.reduce((all, z, m) => (m === j ? all : (all * (x - z)) / (at[j] - z)), 1)));
    off = Math.max(off, Math.abs(told - f[p]));
  }
  const here = SEEN * largestOf(f);
  const lowest = Math.min(...f.slice(1, -1));
  if (off > here + ROUNDED_LOOKS * size && lowest < off + here) return "nothing";
  return off > ROUNDED_LOOKS * size && lowest < 2 * off ? "little" : "enough";
}

/** Places between which a parabola through three values may end below zero, of some functions. */
function lowPlaces(functions, sizes) {
  const found = new Map();
  const x = LOOK_PLACES;
  functions.forEach((f, i) => {
    const through = (p) => {
      const [u, w] = [x[p] - x[p - 1], x[p + 1] - x[p]];
      const [left, right] = [(f[p] - f[p - 1]) / u, (f[p + 1] - f[p]) / w];
      const c = (right - left) / (u + w);
      const bend = 2 * c * Math.max(u, w) ** 2;
      return { bend, deep: bend > ROUNDED_LOOKS * sizes[i], first: left - c * u, last: right + c * w };
    };
    for (let p = 1; p < INSIDE_STEPS; p++) {
      const { bend, deep } = through(p);
      if (deep && f[p] <= f[p - 1] && f[p] <= f[p + 1] && f[p] < bend / 4) found.set(p, [p - 1, p + 1]);
    }
    const [begin, end, n] = [through(1), through(INSIDE_STEPS - 1), INSIDE_STEPS];
    if (begin.deep && begin.first < 0 && f[0] < begin.bend / 4) found.set(0, [0, 1]);
    if (end.deep && end.last > 0 && f[n] < end.bend / 4) found.set(n, [n - 1, n]);
  });
  return [...found.values()];
}

const piecesOf = ([k, a, b], n) => Array.from({ length: n }, (_, p) => [k, a + ((b - a) * p) / n, a + ((b - a) * (p + 1)) / n]);

/** What is looked at next where parts of steps told nothing: all, as closely, as long as that is not too much. */
function closerLooks(blind, steps) {
  if (!blind.length) return [];
  const longest = Math.max(...blind.map(([, a, b]) => b - a)) / (INSIDE_STEPS / 2);
  const counts = steps.map(([, a, b]) => Math.ceil((b - a) / longest));
  if (sum(counts) > ALL) return blind.flatMap((part) => piecesOf(part, INSIDE_STEPS / 2));
  return steps.flatMap((step, k) => (counts[k] > 1 ? piecesOf(step, counts[k]) : []));
}
