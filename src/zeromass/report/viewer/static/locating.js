// Zeros of functions inside a step, as Python locates them: see integrate/search.py and integrate/stepping/locate.py.

const EPSILON = 2 ** -52;
const [LOCATED_IN_STEP, POLE, NARROW] = [1e-14, 1e3, 1e-8];
const [NEAR_ZERO, DEEPER] = [0.02, 2];

/** The place between a and b where f is zero, on the side of b: inverse quadratic interpolation, or bisection. */
function zeroOf(f, a, b, fa, fb, tolerance) {
  if (fa === 0 || fb === 0) return fa === 0 ? a : b;
  let [x1, f1, x2, f2, x3, f3, t] = [b, fb, a, fa, 0, 0, 0.5];
  for (;;) {
    const x = x1 + t * (x2 - x1);
    const fx = f(x);
    if (fx > 0 === f1 > 0) [x3, f3] = [x1, f1];
    else [x3, f3, x2, f2] = [x2, f2, x1, f1];
    [x1, f1] = [x, fx];
    const limit = Math.max(tolerance, EPSILON * Math.max(Math.abs(x1), Math.abs(x2)));
    if (fx === 0) return x;
    if (Math.abs(x2 - x1) <= 2 * limit) return f1 > 0 === fb > 0 ? x1 : x2;
    const part = limit / Math.abs(x2 - x1);
    t = 0.5;
    if (x3 === x2 || f3 === f2) continue;
    const [xi, phi] = [(x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)];
    if (phi ** 2 < xi && (1 - phi) ** 2 < 1 - xi) {
      t = (f1 / (f2 - f1)) * (f3 / (f2 - f3)) + ((x3 - x1) / (x2 - x1)) * (f1 / (f3 - f1)) * (f2 / (f3 - f2));
    }
    t = Math.min(Math.max(t, part), 1 - part);
  }
}

/** Distance to the next number. */
function ulp(x) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(x));
  view.setBigInt64(0, view.getBigInt64(0) + 1n);
  return view.getFloat64(0) - Math.abs(x);
}

/**
 * What happens in a step, [time, column] in order of its course.
 * values: of all functions at a time; places: between which a function is like a parabola;
 * columns: those looked at, with directions; turns: whether one may turn elsewhere than at such places.
 */
function happenings(columns, directions, values, places, turns) {
  const seen = places.map((t) => values(t));
  const tolerance = LOCATED_IN_STEP * Math.max(Math.abs(places[0]), Math.abs(places[places.length - 1]));
  const found = [];
  columns.forEach((column, i) => {
    const course = seen.map((row, p) => [places[p], row[column]]);
    const may = turns(column);
    if (!may && !course.some(([, g], p) => p > 0 && g * course[p - 1][1] <= 0)) return;
    const value = (t) => values(t)[column];
    const points = may ? refined(value, course) : course;
    for (let p = 1; p < points.length; p++) {
      const [[a, fa], [b, fb]] = [points[p - 1], points[p]];
      const rises = fa < 0 && fb >= 0 && directions[i] >= 0;
      const falls = fa > 0 && fb <= 0 && directions[i] <= 0;
      if (!rises && !falls) continue;
      const place = fb ? zeroOf(value, a, b, fa, fb, tolerance) : firstZero(value, a, b, tolerance);
      if (!(Math.abs(value(place)) > POLE * Math.max(Math.abs(fa), Math.abs(fb)))) found.push([place, column]);
    }
  });
  found.sort((one, two) => one[0] - two[0]);
  return { found, tolerance };
}

/** The first place after a at which a function is zero, as it is at b: it may have come to rest. */
function firstZero(f, a, b, tolerance) {
  const least = Math.max(tolerance, 2 * ulp(Math.max(Math.abs(a), Math.abs(b))));
  const sign = f(a);
  if (f(b - 2 * least) * sign > 0) return b;
  while (Math.abs(b - a) > least) {
    const middle = a + (b - a) / 2;
    if (f(middle) * sign > 0) a = middle;
    else b = middle;
  }
  return b;
}

/** Points of a function, and those between them where it dips to the other sign and back. */
function refined(f, course) {
  const more = [];
  for (let p = 2; p < course.length; p++) {
    if (dips(course[p - 2], course[p - 1], course[p])) more.push(...beyond(f, course[p - 2], course[p - 1], course[p]));
  }
  return more.length ? [...course, ...more].sort((one, two) => one[0] - two[0]) : course;
}

/** Whether a function of one sign at three places may have the other sign between them. */
function dips([x0, g0], [x1, g1], [x2, g2]) {
  const [u, w] = [x1 - x0, x2 - x1];
  if (!(g0 * g1 > 0 && g1 * g2 > 0 && u && w)) return false;
  const [left, right] = [(g1 - g0) / u, (g2 - g1) / w];
  const [c, s] = [(right - left) / (u + w), (left * w + right * u) / (u + w)];
  const longer = Math.max(Math.abs(g1 - g0), Math.abs(g2 - g1));
  const near = 4 * Math.abs(c) * (Math.abs(g1) - NEAR_ZERO * longer) <= DEEPER * s * s;
  return c * g1 > 0 && near && Math.abs(s) <= 2 * Math.abs(c * (u + w));
}

/** A point among three where a function has the other sign, if there is one: in ever narrower brackets. */
function beyond(f, ...bracket) {
  const [start, end] = [bracket[0][0], bracket[2][0]];
  const least = Math.max(NARROW * Math.abs(end - start), 8 * ulp(Math.max(Math.abs(start), Math.abs(end))));
  const [brackets, known] = [[bracket], new Set()]; // where it touches zero all dip, and share what is narrower
  while (brackets.length) {
    const [one, two, three] = brackets.pop();
    const place = `${one[0]} ${two[0]} ${three[0]}`;
    if (Math.abs(three[0] - one[0]) < least || known.has(place)) continue;
    known.add(place);
    const between = [(one[0] + two[0]) / 2, (two[0] + three[0]) / 2].map((x) => [x, f(x)]);
    const other = between.filter(([, g]) => g * two[1] <= 0);
    if (other.length) return other;
    const points = [one, between[0], two, between[1], three];
    for (let p = 2; p < 5; p++) if (dips(points[p - 2], points[p - 1], points[p])) brackets.push(points.slice(p - 2, p + 1));
  }
  return [];
}
