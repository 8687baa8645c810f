// Motions over switches by the driver that Python has, compiled into the module: see integrate/hybrid/driver.py.

const [CHUNK_OF_STEPS, MOST_ROWS, PATIENT] = [4096n, 1 << 22, 1n << 62n];

/** A module with the driver in it: motions, their switches, and samples of the last one. */
class HybridMotion extends Motion {
  constructor(modules, told) {
    super(modules[0]);
    Object.assign(this, { modules, told, driver: this.about.driver, sizes: { log: 64, record: 4096 } });
    this.answers = Object.fromEntries(Object.entries(this.driver.drive).map(([name, value]) => [value, name]));
  }

  // memory, in words of 8 bytes ----------------------------------------------------------------------------------------
  room() {} // see `grow`

  /** The address of memory behind all that is in use. */
  allocate(words) {
    const place = this.top;
    this.top += 8 * words;
    const more = this.top - this.code.memory.buffer.byteLength;
    if (more > 0) this.code.memory.grow(Math.ceil(more / 65536));
    return place;
  }

  floats(place, count) {
    return new Float64Array(this.code.memory.buffer, place, count);
  }

  integers(place, count) {
    return new BigInt64Array(this.code.memory.buffer, place, count);
  }

  /** Words of the motion from a field on: a number, or an address and sizes. */
  slot(name, count = 1) {
    return this.integers(this.code.motion.value + 8 * this.driver.motion[name], count);
  }

  count(name) {
    return Number(this.slot(name)[0]);
  }

  /** What a field of the motion points to. */
  array(name, count) {
    return this.floats(this.count(name), count);
  }

  /** Points a field of the motion to an array of a shape, with what it had before. */
  point(name, shape) {
    const size = shape.reduce((a, b) => a * b, 1);
    const [from, ...old] = Array.from(this.slot(name, 1 + shape.length), Number);
    const place = this.allocate(size);
    const kept = from ? Math.min(old.reduce((a, b) => a * b, 1), size) : 0;
    this.integers(place, kept).set(this.integers(from, kept));
    this.slot(name, 1 + shape.length).set([place, ...shape].map(BigInt));
    return place;
  }

  /** Room for as many pieces and steps as `sizes` says. */
  grow(which) {
    const { log, record } = this.sizes;
    if (which === "log") {
      this.point("log", [log, 1 + this.order + this.hidden]);
      this.point("counts", [log * this.driver.counts]);
      this.point("flips", [2 * log]);
    } else {
      const place = this.point("record", [record, this.about.row]);
      this.integers(this.count("arguments"), this.driver.record + 1)[this.driver.record] = BigInt(place);
      this.ints("capacity", record);
    }
  }

  /** One of the numbers of steps; sets it where a value is given. */
  ints(name, value) {
    const all = this.integers(this.count("ints"), Object.keys(this.about.ints).length);
    if (value !== undefined) all[this.about.ints[name]] = BigInt(value);
    return Number(all[this.about.ints[name]]);
  }

  // motions ------------------------------------------------------------------------------------------------------------
  get order() {
    return 2 * this.about.coordinates.length;
  }

  /** How many parameters are modes, margins and flags. */
  get hidden() {
    return Number(this.slot("values", 2)[1]) - this.told.hidden;
  }

  get now() {
    return this.array("reals", 1 + this.about.reals.t)[this.about.reals.t];
  }

  /**
   * As `run` of `Motion`; also the switches, [time, formula, direction], and a message where one ended the motion.
   * left: the time from which on the driver did not make it.
   */
  run(values = {}, { until, rtol = 1e-10, atol = 1e-13, longest = Infinity }) {
    Object.assign(this, { until, settings: { until, rtol, atol, longest }, values, rest: null });
    this.top = this.code.free.value;
    this.set(values);
    let found;
    try {
      found = this.begun(rtol, atol, longest) ?? this.driven();
    } catch (why) {
      if (!(why instanceof Beyond)) throw why;
      found = { ending: "BEYOND", message: why.message };
    }
    const counts = Object.fromEntries(["rejected", "evaluations"].map((name) => [name, this.ints(name)]));
    const own = { event: null, message: "", t: this.now, steps: this.ints("recorded"), ...counts, happened: [], switches: this.switches() };
    if (found.ending !== "LEFT") return { ...own, ...found };
    const rest = this.left();
    for (const name of ["steps", "rejected", "evaluations"]) rest[name] += own[name];
    return { ...rest, left: own.t, switches: [...own.switches, ...rest.switches] };
  }

  /** Solves for the start and decides on which pieces the motion begins; why it can not, else nothing. */
  begun(rtol, atol, longest) {
    for (const name of ["log", "counts", "flips", "record", "times", "timed"]) this.slot(name, 2).fill(0n);
    for (const name of ["pieces", "flipped"]) this.slot(name)[0] = 0n;
    for (const name of ["recorded", "rejected", "evaluations"]) this.ints(name, 0);
    if (this.code.start() !== 0) return { ending: "NO_START" };
    const { t } = this.about;
    this.first = { t, y: this.reals("y", this.order).slice() };
    const table = new Timetable((name, time) => this.judged(name, time), this.told, t, this.until);
    this.point("times", [table.times.length]);
    this.array("times", table.times.length).set(table.times);
    this.point("timed", [table.times.length + 1, table.switches.length]);
    this.array("timed", (table.times.length + 1) * table.switches.length).set(table.modes.flat());
    for (const which of ["log", "record"]) this.grow(which);
    this.ints("patience", PATIENT);
    this.array("y", this.order).set(this.first.y);
    const count = this.told.hidden + this.hidden;
    this.array("values", count).set(this.reals("parameters", count));
    const { motion, switches, inside_steps: inside } = this.code;
    const decided = this.code.begin_motion(motion.value, switches.value, inside.value, t, this.until, rtol, atol, longest);
    if (Number(decided) !== this.driver.decided) return { ending: "LEFT" };
    this.reals("parameters", count).set(this.array("values", count));
    this.reals("first", this.order).set(this.first.y);
    const ready = this.code.resume(t, this.until, rtol, atol, longest);
    if (ready === this.about.status.READY) return null;
    return { ending: this.words[ready], event: this.about.events[this.whole("counts", "ended")] ?? null };
  }

  /** Values of what is judged of switches of time alone, by name. */
  judged(name, t) {
    this.reals("reals", 1 + this.about.reals.t)[this.about.reals.t] = t;
    this.code.judge();
    return this.reals("judged", this.about.count).slice(this.about.judged[name]);
  }

  /** Drives the motion to its end, or to a piece that the driver leaves. */
  driven() {
    const names = ["motion", "switches", "inside_steps", "roots_of_functions", "roots_of_rates", "fractions"];
    const places = names.map((name) => this.code[name].value);
    let [begins, since] = [1n, this.first.t];
    for (;;) {
      this.ints("budget", CHUNK_OF_STEPS);
      const ending = this.answers[this.code.drive(...places, BigInt(this.driver.fractions), begins)];
      begins = 0n;
      if (ending === "RECORD_FULL" || ending === "LOG_FULL") {
        const which = ending === "LOG_FULL" ? "log" : "record";
        if (this.sizes.record > MOST_ROWS) return { ending };
        this.sizes[which] *= 2;
        this.grow(which);
      } else if (ending === "PAUSED") {
        if (Math.abs(this.now - since) < this.told.limits.stalled * (this.until - this.first.t)) return { ending: "STEP_TOO_SMALL" };
        since = this.now;
      } else {
        return { ending };
      }
    }
  }

  // what is asked of the last motion -----------------------------------------------------------------------------------
  /** The pieces of the motion: where each begins, its modes, margins and flags, and its rows of the record. */
  pieces() {
    const [width, size] = [1 + this.order + this.hidden, this.driver.counts];
    const [count, log] = [this.count("pieces"), this.count("log")];
    const rows = Array.from(this.integers(this.count("counts"), size * count), Number).filter((_, i) => i % size === 0);
    rows.push(this.ints("recorded"));
    return Array.from({ length: count }, (_, k) => {
      const row = this.floats(log + 8 * k * width, width).slice();
      return { t: row[0], y: row.subarray(1, 1 + this.order), values: row.subarray(1 + this.order), from: rows[k], to: rows[k + 1] };
    });
  }

  /** Modes of switches, margins, and which of them hold the motion. */
  modes({ values }) {
    const n = this.told.switches.length;
    const [modes, margins] = [0, 1].map((first) => this.told.switches.map((_, k) => values[2 * k + first]));
    const flags = Array.from(values.subarray(2 * n));
    return { modes: [...modes, ...flags], margins, holds: this.told.held.filter(([, place]) => flags[place]).map(([k]) => k) };
  }

  /** Switches of the motion, [time, formula, direction]. */
  switches() {
    const found = [];
    this.pieces().map((piece) => ({ t: piece.t, ...this.modes(piece) })).forEach((next, i, all) => {
      this.told.switches.forEach(({ said }, k) => {
        if (!i) return;
        const [held, was] = [next.holds.includes(k), all[i - 1].holds.includes(k)];
        const way = held ? 0 : was ? (next.modes[k] >= 1 ? 1 : -1) : Math.sign(next.modes[k] - all[i - 1].modes[k]);
        if (held ? !was : was || way) found.push([next.t, said, way]);
      });
    });
    return found;
  }

  start() {
    return this.first.y.slice();
  }

  end() {
    return this.rest ? this.rest.end() : this.array("y", this.order).slice();
  }

  /** The outputs at times of the last motion, in their order, one row a time. */
  sample(times) {
    const [width, end] = [this.about.values, this.rest ? this.now : Infinity];
    const own = times.filter((t) => t <= end);
    const found = new Float64Array(times.length * width);
    if (own.length && this.ints("recorded")) found.set(this.called("sample_motion", own, own.length, width));
    if (own.length < times.length) found.set(this.rest.sample(times.slice(own.length)), own.length * width);
    return found;
  }

  /** Calls a function on numbers behind all that is in use, which gives `width` values for each of `count`. */
  called(name, numbers, count, width) {
    const { code, top } = this;
    const [place, values] = [this.allocate(numbers.length), this.allocate(count * width)];
    this.floats(place, numbers.length).set(numbers);
    if (name === "sample_motion") {
      const fields = { times: [place, count], values: [values, count, width] };
      for (const [field, words] of Object.entries(fields)) {
        this.integers(code.sampling.value + 8 * this.driver.sampling[field], words.length).set(words.map(BigInt));
      }
      code.sample_motion(code.motion.value, code.switches.value, code.inside_steps.value, code.sampling.value);
    } else {
      code[name](place, count, values);
    }
    this.top = top;
    return this.floats(values, count * width).slice();
  }

  // what the driver leaves ---------------------------------------------------------------------------------------------
  /** The rest of the motion, from the piece that the driver has left. */
  left() {
    const last = this.pieces().at(-1);
    const from = last && {
      first: this.first, state: { t: last.t, y: Float64Array.from(last.y) }, piece: this.modes(last), place: this.count("place"),
      times: Array.from(this.array("flips", this.count("flipped"))),
    };
    this.rest = new SwitchedMotion(this.modules.slice(1), this.told);
    return this.rest.run(this.values, this.settings, from ?? null);
  }
}

/** Motions over switches: by the driver, where the module has it. */
function overSwitches(modules, told) {
  const note = WebAssembly.Module.customSections(modules[0], "zeromass")[0];
  const { driver } = JSON.parse(new TextDecoder().decode(note));
  return driver ? new HybridMotion(modules, told) : new SwitchedMotion(modules, told);
}

if (typeof module !== "undefined") module.exports = { Motion, SwitchedMotion, overSwitches };
