// Small linear algebra with decisions about ranks: see equation/rank.py.

const RANK_TOLERANCE = 1e-11;

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
const scaled = (a, by) => a.map((x) => by * x);
const chunks = (x, width = 3) => Array.from({ length: x.length / width }, (_, k) => x.slice(width * k, width * k + width));
const identity = (n) => Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => (i === j ? 1 : 0)));

/** Singular values of A, the largest first, with A = U diag(values) Vᵀ: rotations of its columns. U and V are lists of columns. */
function decomposed(A) {
  if (A.length < A[0].length) {
    const { U, V, values } = decomposed(transposed(A));
    return { U: V, V: U, values };
  }
  const columns = transposed(A);
  const V = identity(columns.length);
  const none = 1e-30 * Math.max(...columns.map((column) => dot(column, column)));
  for (let [sweep, turns] = [0, true]; turns && sweep < 60; sweep++) {
    turns = false;
    for (let i = 0; i < columns.length; i++) {
      for (let j = i + 1; j < columns.length; j++) turns = turned(columns, V, i, j, none) || turns;
    }
  }
  const sizes = columns.map((column) => Math.hypot(...column));
  const order = sizes.map((_, k) => k).sort((a, b) => sizes[b] - sizes[a]);
  const unit = (k) => (sizes[k] > 0 ? scaled(columns[k], 1 / sizes[k]) : columns[k]);
  return { U: order.map(unit), V: order.map((k) => V[k]), values: order.map((k) => sizes[k]) };
}

/** Turns two columns until they are across one another, if they are not and neither is rounding; others turn with them. */
function turned(columns, others, i, j, none) {
  let [a, b, c] = [0, 0, 0];
  const [one, two] = [columns[i], columns[j]];
  for (let k = 0; k < one.length; k++) {
    a += one[k] * one[k];
    b += two[k] * two[k];
    c += one[k] * two[k];
  }
  if (a <= none || b <= none || Math.abs(c) <= 1e-15 * Math.sqrt(a * b)) return false;
  const zeta = (b - a) / (2 * c);
  const tangent = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
  const cosine = 1 / Math.hypot(1, tangent);
  for (const [x, y] of [[one, two], [others[i], others[j]]]) {
    for (let k = 0; k < x.length; k++) [x[k], y[k]] = [cosine * (x[k] - tangent * y[k]), cosine * (tangent * x[k] + y[k])];
  }
  return true;
}

/** The rank of A, x of least length with A x nearest to b, and what of x changes nothing, as a list of vectors. */
function ranked(A, largest = null) {
  const { U, V, values } = decomposed(A);
  const rank = values.filter((x) => x > RANK_TOLERANCE * (largest ?? values[0])).length;
  const n = A[0].length;
  const kept = V.slice(0, rank);
  const solution = (b) => kept.reduce((x, v, k) => added(x, v, dot(U[k], b) / values[k]), new Array(n).fill(0));
  return { rank, solution, get loose() { return complement(kept, V.slice(rank), n); } };
}

/** Unit vectors across some that are orthonormal, as many as there are; others that are across already come first. */
function complement(kept, first, n) {
  const found = [];
  for (const begun of [...first, ...identity(n)]) {
    if (kept.length + found.length === n) break;
    let x = begun;
    for (let again = 0; again < 2; again++) for (const v of [...kept, ...found]) x = added(x, v, -dot(v, x));
    const size = Math.hypot(...x);
    if (size > 1e-3) found.push(scaled(x, 1 / size));
  }
  return found;
}

/**
 * A state with some gaps open, by a little more than the rounding of places, so that they can close; others stay closed.
 * slopes: of constraints whose values at a state are `zeros`; gaps, closed: places of coordinates.
 */
function withOpenGaps(given, slopes, zeros, gaps, closed, extent) {
  const n = given.y.length / 2;
  const rounding = 4 * EPSILON * extent;
  const units = [...closed, ...gaps].map((i) => Array.from({ length: n }, (_, j) => (i === j ? 1 : 0)));
  const { solution } = ranked([...slopes, ...units]);
  let state = given;
  for (const aim of [rounding, 2 * rounding, 8 * rounding, 64 * rounding]) {
    for (let again = 0; again < 2; again++) {
      const change = solution([...scaled(zeros(state), -1), ...closed.map((i) => -state.y[i]), ...gaps.map((i) => Math.max(aim - state.y[i], 0))]);
      state = { t: state.t, y: state.y.map((x, i) => (i < n ? x + change[i] : x)) };
    }
    if (gaps.every((i) => state.y[i] > 0)) break;
  }
  return state;
}
