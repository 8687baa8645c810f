// Modules of motions of several segments, and what their drivers compute with.

const EPSILON = 2 ** -52;

const sum = (values) => values.reduce((total, x) => total + x, 0);
const largestOf = (values) => values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
const alike = (a, b) => a.every((x, k) => x === b[k]);
const dot = (a, b) => {
  let total = 0;
  for (let i = 0; i < a.length; i++) total += a[i] * b[i];
  return total;
};
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const times = (A, x) => A.map((row) => dot(row, x));
const transposed = (A) => A[0].map((_, j) => A.map((row) => row[j]));
const product = (A, B) => {
  const columns = transposed(B);
  return A.map((row) => columns.map((column) => dot(row, column)));
};
const inverse3 = (A) => transposed([0, 1, 2].map((j) => solved(A, [0, 1, 2].map((i) => (i === j ? 1 : 0)))));
const added = (a, b, by = 1) => a.map((x, i) => x + by * b[i]);

/** x with A x = b, by elimination with the largest pivots. */
function solved(A, b) {
  const rows = A.map((row, i) => [...row, b[i]]);
  const n = rows.length;
  for (let j = 0; j < n; j++) {
    let best = j;
    for (let i = j + 1; i < n; i++) if (Math.abs(rows[i][j]) > Math.abs(rows[best][j])) best = i;
    [rows[j], rows[best]] = [rows[best], rows[j]];
    for (let i = j + 1; i < n; i++) {
      const part = rows[i][j] / rows[j][j];
      for (let k = j; k <= n; k++) rows[i][k] -= part * rows[j][k];
    }
  }
  const x = new Array(n).fill(0);
  for (let i = n - 1; i >= 0; i--) {
    x[i] = (rows[i][n] - sum(x.map((value, k) => (k > i ? rows[i][k] * value : 0)))) / rows[i][i];
  }
  return x;
}

/** A module of one segment, with the memory that it works in. */
class Driven extends Motion {
  constructor(module) {
    super(module);
    this.order = 2 * this.about.coordinates.length;
  }

  put(t, y, name = "y") {
    this.reals("reals", 1 + this.about.reals.t)[this.about.reals.t] = t;
    this.reals(name, y.length).set(y);
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
