// The stroke of a body on its surface, by Routh's method: see contact/striking.py.

const [STROKE_ENDED, STROKE_EXACT, DIRECTIONS] = [1e-14, 1e-13, 720];

/**
 * The stroke of a point that meets the surface of normal n with a velocity w.
 * mu: a number, a function of the speed of slip, or null where there is always enough; still: that of a slip which died out.
 */
function stroke(D, n, w, mu, e, still) {
  const smallest = n.reduce((best, x, i) => (Math.abs(x) < Math.abs(n[best]) ? i : best), 0);
  const t1 = cross(n, [0, 1, 2].map((i) => (i === smallest ? 1 : 0)));
  const size = Math.hypot(...t1);
  const first = t1.map((x) => x / size);
  const basis = [first, cross(n, first), n];
  const own = product(product(basis, D), transposed(basis));
  const before = times(basis, w);
  const after = struckBy(own, before, mu, e, still);
  const impulse = solved(own, after.map((x, i) => x - before[i]));
  return { impulse: times(transposed(basis), impulse), velocity: times(transposed(basis), after) };
}

/** The velocity after a stroke, in axes with the normal as the third. */
function struckBy(D, before, mu, e, still) {
  let w = [...before];
  const speed = Math.hypot(...w);
  if (w[2] >= 0 || speed === 0) return w;
  let [p, end] = [0, Infinity];
  const small = STROKE_ENDED * speed;
  const along = [D[0].slice(0, 2), D[1].slice(0, 2)];
  if (mu === null) {
    const taken = solved(along, [-w[0], -w[1]]);
    w = [0, 0, w[2] + D[2][0] * taken[0] + D[2][1] * taken[1]];
    if (w[2] >= 0) return w;
  }
  for (;;) {
    if (Math.hypot(w[0], w[1]) <= small) {
      w = [0, 0, w[2]];
      const hold = solved(along, [-D[0][2], -D[1][2]]);
      if (mu === null || Math.hypot(...hold) <= still) {
        const rate = D[2][2] + D[2][0] * hold[0] + D[2][1] * hold[1];
        if (end === Infinity) {
          p -= w[2] / rate;
          w = [0, 0, 0];
          end = (1 + e) * p;
        }
        return [0, 0, w[2] + rate * (end - p)];
      }
      const way = slipDirection(D, frictionAt(mu, 0));
      [w[0], w[1]] = [10 * small * way[0], 10 * small * way[1]];
    }
    [p, w] = slippedBy(D, w, mu, p, end, small);
    if (end === Infinity && w[2] >= 0) {
      w[2] = 0;
      end = (1 + e) * p;
    }
    if (p >= end) return w;
  }
}

const frictionAt = (mu, speed) => (typeof mu === "function" ? mu(speed) : mu);

/** D (n − μ s), of a slip in the direction s. */
function slipRate(D, mu, s) {
  return D.map((row) => row[2] - mu * (row[0] * s[0] + row[1] * s[1]));
}

/** The direction in which slip begins where friction can not hold it: that in which it grows. */
function slipDirection(D, mu) {
  const at = (angle) => {
    const s = [Math.cos(angle), Math.sin(angle)];
    const a = slipRate(D, mu, s);
    return { turn: -s[1] * a[0] + s[0] * a[1], grow: s[0] * a[0] + s[1] * a[1] };
  };
  const angles = Array.from({ length: DIRECTIONS + 1 }, (_, k) => (2 * Math.PI * k) / DIRECTIONS);
  const seen = angles.map(at);
  for (let k = 0; k < DIRECTIONS; k++) {
    if (seen[k].turn * seen[k + 1].turn > 0 || seen[k].grow <= 0) continue;
    let [low, high] = [angles[k], angles[k + 1]];
    for (let again = 0; again < 60; again++) {
      const middle = (low + high) / 2;
      if (at(middle).turn * seen[k].turn > 0) low = middle;
      else high = middle;
    }
    if (at(low).grow > 0) return [Math.cos(low), Math.sin(low)];
  }
  const best = seen.reduce((most, { grow }, k) => (grow > seen[most].grow ? k : most), 0);
  return [Math.cos(angles[best]), Math.sin(angles[best])];
}

/** Normal impulse and velocity where slip dies out, compression ends, of a stroke whose end is not known, or it ends. */
function slippedBy(D, w, mu, p, end, small) {
  const r0 = Math.hypot(w[0], w[1]);
  const s = [w[0] / r0, w[1] / r0];
  const a = slipRate(D, frictionAt(mu, r0), s);
  if (typeof mu !== "function" && Math.abs(s[0] * a[1] - s[1] * a[0]) <= STROKE_ENDED * Math.hypot(...a)) {
    const falls = a[0] * s[0] + a[1] * s[1];
    const stops = falls < 0 ? -(w[0] * s[0] + w[1] * s[1]) / falls : Infinity;
    const ends = end < Infinity ? end - p : a[2] > 0 ? -w[2] / a[2] : Infinity;
    const by = Math.min(stops, ends);
    const after = w.map((x, i) => x + by * a[i]);
    if (by === stops) after[0] = after[1] = 0;
    if (by === ends) return end < Infinity ? [end, after] : [p + by, [after[0], after[1], 0]];
    return [p + by, after];
  }
  const slope = ([logarithm, angle]) => { // that of a slip which dies out falls for ever
    const r = Math.exp(logarithm);
    const way = [Math.cos(angle), Math.sin(angle)];
    const b = slipRate(D, frictionAt(mu, r), way);
    return [way[0] * b[0] + way[1] * b[1], way[0] * b[1] - way[1] * b[0], r, r * b[2]];
  };
  const limit = (y) => (end === Infinity ? y[3] : y[2] - (end - p));
  const size = Math.hypot(...D.flat());
  const speed = small / STROKE_ENDED;
  const start = [Math.log(r0), Math.atan2(w[1], w[0]), 0, w[2]];
  const { y, which } = integrated(slope, start, [1, 1, speed / size, speed].map((x) => STROKE_EXACT * x), 1 / size, [(x) => x[0] - Math.log(small), limit]);
  if (which === 0) return [p + y[2], [0, 0, y[3]]];
  const r = Math.exp(y[0]);
  const after = [r * Math.cos(y[1]), r * Math.sin(y[1]), end === Infinity ? 0 : y[3]];
  return [end === Infinity ? p + y[2] : end, after];
}

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

/**
 * Steps of Dormand and Prince, order 5, until the first of some functions changes its sign, in its direction if it has one.
 * longest: up to where at most, which is `which` −1; most: evaluations.
 */
function integrated(slope, start, atol, first, functions, { directions = null, longest = Infinity, most = 7e6 } = {}) {
  const C = [[1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9], [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729]];
  C.push([9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656], [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]);
  const E = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];
  const step = (y, h) => {
    const k = [slope(y)];
    let after = y;
    for (const row of C) {
      after = y.map((x, i) => x + h * row.reduce((total, c, j) => total + c * k[j][i], 0));
      k.push(slope(after));
    }
    const errors = y.map((x, i) => (h * E.reduce((total, c, j) => total + c * k[j][i], 0)) / (atol[i] + STROKE_EXACT * Math.max(Math.abs(x), Math.abs(after[i]))));
    return { after, error: Math.sqrt(sum(errors.map((x) => x * x)) / y.length) };
  };
  let [x, y, h] = [0, start, 1e-3 * first];
  const signs = functions.map((f) => Math.sign(f(y)));
  const passed = (f, i) => {
    if (directions === null) return signs[i] * f < 0 || f === 0;
    return directions[i] > 0 ? signs[i] <= 0 && f >= 0 : signs[i] >= 0 && f <= 0;
  };
  for (let count = 0; 7 * count < most; count++) {
    h = Math.min(h, longest - x);
    const { after, error } = step(y, h);
    const change = Math.min(5, Math.max(0.2, 0.9 * error ** -0.2));
    if (!(error <= 1)) {
      h *= Math.min(change, 0.9);
      continue;
    }
    const seen = functions.map((f) => f(after));
    const crossed = seen.flatMap((f, i) => (passed(f, i) ? [i] : []));
    if (crossed.length) {
      const places = crossed.map((i) => zeroOf((part) => functions[i](step(y, part).after), 0, h, functions[i](y), functions[i](after), 0));
      const best = places.reduce((least, x, i) => (x < places[least] ? i : least), 0);
      return { y: step(y, places[best]).after, which: crossed[best] };
    }
    x += h;
    [y, h] = [after, h * change];
    if (x >= longest) return { y, which: -1 };
    if (directions !== null) seen.forEach((f, i) => (signs[i] = Math.sign(f)));
  }
  throw new Beyond("a stroke does not end");
}
