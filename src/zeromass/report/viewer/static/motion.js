// A motion as a module of WebAssembly: made by zm.export.wasm(…), run by this, in a page, in a worker or in Node.
//
//   const motion = new Motion(await WebAssembly.compile(bytes));
//   const run = motion.run({ vx: 1.2 }, { until: 25, rtol: 1e-9, atol: 1e-12 });
//   run.ending, run.event, run.t, run.steps;  motion.sample([0, 0.1, 0.2])

class Motion {
  constructor(module) {
    const note = WebAssembly.Module.customSections(module, "zeromass")[0];
    this.about = JSON.parse(new TextDecoder().decode(note));
    this.code = new WebAssembly.Instance(module, {}).exports;
    this.words = Object.fromEntries(Object.entries(this.about.status).map(([name, value]) => [value, name]));
    this.room(1 << 20);
  }

  /** Memory behind the motion's own: the record first, and what is asked for behind it. */
  room(bytes) {
    const { memory, free, counts } = this.code;
    const more = free.value + bytes - memory.buffer.byteLength;
    if (more > 0) memory.grow(Math.ceil(more / 65536));
    const numbers = new BigInt64Array(memory.buffer, counts.value, Object.keys(this.about.counts).length);
    numbers[this.about.counts.record] = BigInt(free.value);
    numbers[this.about.counts.capacity] = BigInt(Math.floor(bytes / (8 * this.about.row)));
    this.bytes = bytes;
  }

  reals(name, count) {
    return new Float64Array(this.code.memory.buffer, this.code[name].value, count);
  }

  whole(array, name) {
    return Number(new BigInt64Array(this.code.memory.buffer, this.code[array].value + 8 * this.about[array][name], 1)[0]);
  }

  real(name) {
    return this.reals("reals", Object.keys(this.about.reals).length)[this.about.reals[name]];
  }

  /** The values of all parameters: as given by name, or as they were. */
  set(values) {
    const place = this.reals("parameters", Math.max(this.about.parameters.length, 1));
    this.about.parameters.forEach(({ name, value }, k) => (place[k] = values[name] ?? value));
  }

  /**
   * The motion with some values of parameters, from its start, or from a state {t, y}, until a time.
   * ending: FINISHED, EVENT, or why it can not begin or go on; event: the one that ended it; t: where.
   */
  run(values = {}, { until, rtol = 1e-10, atol = 1e-13, longest = Infinity }, from = null) {
    this.set(values);
    if (from) this.reals("first", from.y.length).set(from.y);
    let status = from ? this.code.resume(from.t, until, rtol, atol, longest) : this.code.begin(until, rtol, atol, longest);
    if (status === this.about.status.READY) {
      status = this.code.advance();
      while (status === this.about.status.RECORD_FULL && this.bytes < 1 << 29) {
        this.room(2 * this.bytes);
        status = this.code.advance();
      }
    }
    const event = this.about.events[this.whole("counts", "ended")] ?? null;
    return {
      ending: this.words[status], event, t: this.real("t"), steps: this.whole("ints", "recorded"),
      rejected: this.whole("ints", "rejected"), evaluations: this.whole("ints", "evaluations"), happened: this.happened(),
    };
  }

  /** What happened on the way: [name, time], in order. */
  happened() {
    const count = this.whole("counts", "noted");
    const noted = this.reals("noted", 2 * count);
    const found = Array.from({ length: count }, (_, k) => [this.about.events[noted[2 * k]].name, noted[2 * k + 1]]);
    return found.filter(([, t]) => Math.abs(t - this.about.t) <= Math.abs(this.real("t") - this.about.t)).sort((a, b) => a[1] - b[1]);
  }

  /** Steps of the last motion, one row a step: t, h, growth of the pivots, and from place `head` on the state. */
  record() {
    const rows = this.whole("ints", "recorded");
    return new Float64Array(this.code.memory.buffer, this.code.free.value, rows * this.about.row).slice();
  }

  /** The state that the last motion began with. */
  start() {
    return this.reals("first", 2 * this.about.coordinates.length).slice();
  }

  /** The state that it ended with. */
  end() {
    return this.record().slice(-2 * this.about.coordinates.length);
  }

  /** The outputs at times of the last motion, in their order, one row a time. */
  sample(times) {
    return this.called("sample", times, times.length, this.about.values);
  }

  /** Functions of place at points (t, X, Y, Z), with the values of parameters of the last motion. */
  field(points) {
    return this.called("field", points, points.length / 4, this.about.field);
  }

  /** Calls a function on numbers behind the record, which gives `width` values for each of `count`. */
  called(name, numbers, count, width) {
    const { memory, free } = this.code;
    const place = free.value + 8 * this.whole("ints", "recorded") * this.about.row;
    const values = place + 8 * numbers.length;
    const more = values + 8 * count * width - memory.buffer.byteLength;
    if (more > 0) memory.grow(Math.ceil(more / 65536));
    new Float64Array(memory.buffer, place, numbers.length).set(numbers);
    this.code[name](place, count, values);
    return new Float64Array(memory.buffer, values, count * width).slice();
  }

  /** (q̇, q̈) at a time and a state, with some values of parameters. */
  slope(t, y, values = {}) {
    this.set(values);
    this.reals("reals", 1 + this.about.reals.t)[this.about.reals.t] = t;
    this.reals("y", y.length).set(y);
    this.code.slope();
    return this.reals("slopes", y.length).slice();
  }
}

/** What a page can not do, and Python can. */
class Beyond extends Error {}

/** Words with values in their places, numbers with as many digits as {name:.3g} says. */
const worded = (words, values) => words.replace(/\{(\w+)(?::\.(\d+)g)?\}/g, (place, name, digits) =>
  !(name in values) ? place : digits ? general(values[name], Number(digits)) : values[name]);

/** A number with some digits, as Python's format "g" writes it. */
function general(x, digits) {
  const [mantissa, power] = x.toExponential(digits - 1).split("e");
  if (power >= -4 && power < digits) return String(Number(x.toPrecision(digits)));
  return `${Number(mantissa)}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

if (typeof module !== "undefined") module.exports = { Motion };
