// Modules whose steps a driver in JavaScript looks into, and what such drivers compute with.

const EPSILON = 2 ** -52;

const sum = (values) => values.reduce((total, x) => total + x, 0);
const largestOf = (values) => values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
const alike = (a, b) => a.every((x, k) => x === b[k]);

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

/** A module whose driver locates what happens, with the memory that it works in. */
class Driven extends Motion {
  constructor(module) {
    super(module);
    new BigInt64Array(this.code.memory.buffer, this.code.counts.value, this.about.counts.asks + 1)[this.about.counts.asks] = 1n;
    this.order = 2 * this.about.coordinates.length;
  }

  put(t, y, name = "y") {
    this.reals("reals", 1 + this.about.reals.t)[this.about.reals.t] = t;
    this.reals(name, y.length).set(y);
  }

  /** dy/dt at a state. */
  slopeAt(t, y) {
    this.put(t, y);
    this.code.slope();
    return this.reals("slopes", y.length).slice();
  }

  /** What is watched at a state. */
  watchedAt(t, y) {
    this.put(t, y);
    this.code.watch();
    return this.reals("looked", this.about.watched.length).slice();
  }

  /** What is watched inside the step that is open. */
  look(t) {
    this.code.look(t);
    return this.reals("looked", this.about.watched.length).slice();
  }

  /**
   * Roots of functions inside the step that is open, [time, column] in its order, and the tolerance of the times.
   * columns: those searched, with directions; places: between which a function is like a parabola; turning: whether one
   * may turn elsewhere. Memory for the search lies behind the record; see RootSearch in kernel/roots.py.
   */
  roots(columns, directions, places, turning) {
    const { words, sizes } = this.about.search;
    const [n, k, functions] = [places.length, columns.length, Math.max(this.about.watched.length, 1)];
    const arrays = {
      places: [n], columns: [k], directions: [k], turning: [k], seen: [n, functions], points: [3 * n, 2],
      times: [3 * n * k], which: [3 * n * k],
    };
    const first = this.code.free.value + 8 * this.whole("ints", "recorded") * this.about.row;
    let end = first + 8 * sizes;
    const at = {};
    for (const [name, shape] of Object.entries(arrays)) {
      at[name] = end;
      end += 8 * shape.reduce((a, b) => a * b, 1);
    }
    const more = end - this.code.memory.buffer.byteLength;
    if (more > 0) this.code.memory.grow(Math.ceil(more / 65536));
    const { buffer } = this.code.memory;
    const search = new BigInt64Array(buffer, first, sizes);
    for (const [name, shape] of Object.entries(arrays)) [at[name], ...shape].forEach((x, i) => (search[words[name] + i] = BigInt(x)));
    new Float64Array(buffer, at.places, n).set(places);
    new Float64Array(buffer, at.directions, k).set(directions);
    new BigInt64Array(buffer, at.columns, k).set(columns.map(BigInt));
    new BigInt64Array(buffer, at.turning, k).set(turning.map(BigInt));
    const count = this.code.roots(first);
    const [times, which] = [new Float64Array(buffer, at.times, count), new BigInt64Array(buffer, at.which, count)];
    const found = Array.from(times, (t, i) => [t, columns[Number(which[i])]]);
    return { found, tolerance: new Float64Array(buffer, first, sizes)[words.tolerance] };
  }

  stateIn(t) {
    this.code.inside(t);
    return this.reals("row", 1 + this.order).slice(1);
  }

  row(k) {
    return new Float64Array(this.code.memory.buffer, this.code.free.value + 8 * k * this.about.row, this.about.row);
  }

  /** Steps until there is something to be done; the record grows as it must. */
  steps() {
    let status = this.code.advance();
    while (status === this.about.status.RECORD_FULL && this.bytes < 1 << 29) {
      this.room(2 * this.bytes);
      status = this.code.advance();
    }
    return this.words[status];
  }

  /** Steps and values of a motion that was made here before, to be sampled again. */
  restore({ parameters, t, first, record }) {
    while (this.bytes < 8 * record.length + (1 << 12)) this.room(2 * this.bytes);
    this.reals("parameters", parameters.length).set(parameters);
    this.reals("first", first.length).set(first);
    this.reals("numbers", 1)[0] = t;
    this.reals("reals", 3)[this.about.reals.until] = Infinity;
    new Float64Array(this.code.memory.buffer, this.code.free.value, record.length).set(record);
    const ints = new BigInt64Array(this.code.memory.buffer, this.code.ints.value, 1 + this.about.ints.recorded);
    ints[this.about.ints.recorded] = BigInt(record.length / this.about.row);
  }
}

/** The outputs at times of a motion of several segments, in their order, one row a time; where one ends as before it. */
function sampledBySegments(segments, times, width) {
  const found = new Float64Array(times.length * width);
  const moved = segments.filter(({ steps }) => steps);
  let k = 0;
  moved.forEach(({ run, end }, i) => {
    const some = [];
    while (k + some.length < times.length && (times[k + some.length] <= end.t || i === moved.length - 1)) some.push(times[k + some.length]);
    if (!some.length) return;
    run.motion.restore(run);
    found.set(run.motion.sample(some), k * width);
    k += some.length;
  });
  return found;
}
