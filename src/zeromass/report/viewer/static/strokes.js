// The stroke of a body at several points: see contact/strokes.py, contact/together.py and contact/in_turn.py.

const [STROKE_STOPPED, STROKE_NEAR, STROKE_HELD, LONGEST, ROUNDS, PIECES, IN_TURN, AS_FAST] = [1e-12, 1e-12, 1e-6, 200, 60, 400, 200, 1e-9];
const [GIVES, APPROACHES, BEYOND_FRICTION, EVALUATIONS] = [1e-12, 1e-10, 1e-9, 50000];

/** Impulses that grow together do not end the stroke, or only with energy or friction that there is not. */
class Unlawful extends Error {}

/** Impulses at contacts {D, n, mu, e} that meet with velocities w, and velocities after them; at once or one after the other. */
function strokes(at, w, e, atOnce = true) {
  const found = { impulses: w.map(() => [0, 0, 0]), velocities: w.map((x) => [...x]) };
  for (const which of joined(at.D, w.length)) {
    const own = someOf({ ...at, s: w }, which);
    const law = atOnce || which.length === 1 ? joint : inTurn;
    const { impulses, velocities } = law(own, which.map((k) => w[k]), which.map((k) => e[k]));
    which.forEach((k, i) => ([found.impulses[k], found.velocities[k]] = [impulses[i], velocities[i]]));
  }
  return found;
}

/** Contacts that reach one another: those of one body, or of bodies that touch. */
function joined(D, k) {
  const reach = Array.from({ length: k }, (_, i) => Array.from({ length: k }, (_, j) => [0, 1, 2].some((a) => [0, 1, 2].some((b) => D[3 * i + a][3 * j + b] !== 0))));
  for (let m = 0; m < k; m++) for (const row of reach) if (row[m]) reach[m].forEach((there, i) => (row[i] ||= there));
  const found = [];
  reach.forEach((row, j) => {
    const some = row.flatMap((there, i) => (there ? [i] : []));
    if (some[0] === j) found.push(some);
  });
  return found;
}

/** The stroke of contacts that reach one another. */
function joint(at, w, e) {
  const still = (k) => (at.mu[k] === Infinity ? null : at.mu[k]);
  if (w.length === 1) {
    const { impulse, velocity } = stroke(at.D, at.n[0], w[0], still(0), e[0], still(0));
    return { impulses: [impulse], velocities: [velocity] };
  }
  try {
    const found = together(at, w, e);
    if (lawful(at, w, found)) return found;
  } catch (why) {
    if (!(why instanceof Unlawful)) throw why;
  }
  return inTurn(at, w, e);
}

/** Whether a stroke gives no energy, leaves nothing that approaches, and takes impulses that contacts can give. */
function lawful(at, w, { impulses, velocities }) {
  const speed = largestOf(w.flat());
  const impulse = speed / Math.max(...at.D.map(largestOf));
  const N = impulses.map((P, k) => dot(at.n[k], P));
  const T = impulses.map((P, k) => norm(across(P, at.n[k])));
  const sizes = impulses.flat().map(Math.abs);
  const rounding = EPSILON * Math.max(...at.D.map((row) => dot(row.map(Math.abs), sizes)));
  return rounding <= APPROACHES * speed
    && dot(impulses.flat(), sum3(w, velocities).flat()) / 2 <= GIVES * speed * impulse
    && velocities.every((v, k) => dot(at.n[k], v) >= -APPROACHES * speed)
    && N.every((x) => x >= -BEYOND_FRICTION * impulse)
    && T.every((x, k) => at.mu[k] === Infinity || x <= at.mu[k] * N[k] + BEYOND_FRICTION * impulse);
}

/** The stroke of several points at once, in axes of each contact with its normal as the third. */
function together(at, w, e) {
  const axes = at.n.map((n) => [...tangentsOf(n), n]);
  const k = axes.length;
  const turned = Array.from({ length: 3 * k }, () => new Array(3 * k));
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < k; j++) {
      const block = product(product(axes[i], [0, 1, 2].map((a) => at.D[3 * i + a].slice(3 * j, 3 * j + 3))), transposed(axes[j]));
      for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) turned[3 * i + a][3 * j + b] = block[a][b];
    }
  }
  const own = { D: turned, n: axes.map(() => [0, 0, 1]), s: w, mu: at.mu };
  const { impulses, velocities } = new Together(own, w.map((x, j) => times(axes[j], x))).after(e);
  const back = (list) => list.map((x, j) => times(transposed(axes[j]), x));
  if (![...impulses.flat(), ...velocities.flat()].every(Number.isFinite)) throw new Unlawful();
  return { impulses: back(impulses), velocities: back(velocities) };
}

/** A stroke on its way: velocities w and impulses P so far. */
class Together {
  constructor(at, w) {
    Object.assign(this, { at, w, before: w, P: w.map(() => [0, 0, 0]), speed: largestOf(w.flat()) });
  }

  after(e) {
    for (let round = 0; round < ROUNDS; round++) {
      if (!this.w.some((w) => w[2] < -STROKE_NEAR * this.speed)) break;
      const begun = this.P;
      this.grow(e.map(() => 0));
      const p = e.map((x, k) => x * (this.P[k][2] - begun[k][2]));
      if (round < ROUNDS - 10 && p.some((x) => x > 0)) this.grow(p);
    }
    return { impulses: this.P, velocities: sum3(this.before, moves(this.at, this.P)) }; // slips that are held count
  }

  /** Directions of slip, zero where it has died out. */
  slips(w) {
    return w.map(([x, y]) => {
      const size = Math.hypot(x, y);
      return size > STROKE_STOPPED * this.speed ? [x / size, y / size, 0] : [0, 0, 0];
    });
  }

  /** Energy since the beginning. */
  get gained() {
    return dot(this.P.flat(), sum3(this.before, this.w).flat()) / 2;
  }

  /** Compression, or restitution by impulses `back`. */
  grow(back) {
    let left = 1;
    const restores = back.some((x) => x > 0);
    for (let piece = 0; piece < PIECES; piece++) {
      const strikes = this.w.map((w, k) => (restores ? back[k] > 0 : w[2] < -STROKE_NEAR * this.speed));
      if (!strikes.includes(true) || left <= 0) return;
      const which = this.w.flatMap((w, k) => (strikes[k] || Math.abs(w[2]) <= STROKE_NEAR * this.speed ? [k] : []));
      const given = which.map((k) => (strikes[k] ? (restores ? back[k] : 1) : null));
      const at = someOf({ ...this.at, s: this.slips(this.w) }, which);
      const found = decided(at, which.map(() => [0, 0, 0]), [], given);
      if (found.misses > AGREES) throw new Unlawful("the contacts of a stroke can neither slip nor roll nor leave");
      if (this.seized(which.filter((_, j) => found.modes[j] === "rolling"))) continue;
      const { by, ended } = this.advance(which, given, found, at, restores ? left : Infinity, restores);
      if (!restores && this.gained > (STROKE_NEAR * this.speed ** 2) / Math.max(...this.at.D.map(largestOf))) throw new Unlawful("a stroke would give energy");
      if (restores) left -= by;
      if (ended) return;
    }
  }

  /** Takes the slip at once of contacts that are pressed where there is always friction enough, if there is any. */
  seized(pressed) {
    const which = pressed.filter((k) => this.at.mu[k] === Infinity);
    const s = this.slips(this.w);
    if (!which.some((k) => slipping(s[k]))) return false;
    const rows = which.flatMap((k) => [3 * k, 3 * k + 1]);
    const w = this.w.flat();
    const x = ranked(rows.map((i) => rows.map((j) => this.at.D[i][j]))).solution(rows.map((i) => -w[i]));
    const F = new Array(w.length).fill(0);
    rows.forEach((i, c) => (F[i] = x[c]));
    this.to(sum3(this.w, chunks(times(this.at.D, F))), sum3(this.P, chunks(F)), which);
    return true;
  }

  /** Goes on until something changes; by how much, and whether that was the end. */
  advance(which, given, found, at, left, restores) {
    const F = this.w.map((_, k) => (which.includes(k) ? found.F[which.indexOf(k)] : [0, 0, 0]));
    const dw = moves(this.at, F);
    const s = this.slips(this.w);
    const pushed = which.filter((_, j) => found.modes[j] === "slipping" && slipping(at.s[j]));
    const turns = (k) => Math.abs(s[k][0] * dw[k][1] - s[k][1] * dw[k][0]) > STROKE_STOPPED * norm(dw[k]);
    if (pushed.some((k) => this.at.mu[k] > 0 && turns(k))) return this.turned(which, given, found, left, restores);
    const brakes = (k) => s[k][0] * dw[k][0] + s[k][1] * dw[k][1];
    const stops = new Map(pushed.filter((k) => brakes(k) < 0).map((k) => [k, -dot(s[k], this.w[k]) / brakes(k)]));
    const steps = [left, ...stops.values()];
    this.w.forEach((w, k) => {
      const strikes = which.includes(k) && given[which.indexOf(k)] !== null;
      if (!restores && strikes && dw[k][2] > 0) steps.push(-w[2] / dw[k][2]);
      if (!strikes && w[2] > STROKE_NEAR * this.speed && dw[k][2] < 0) steps.push(-w[2] / dw[k][2]);
    });
    let [by, full] = [Math.min(...steps), false];
    if (!Number.isFinite(by)) throw new Unlawful("a stroke does not end: its contacts approach whatever their impulses are");
    if (restores) ({ by, full } = this.within(F, dw, by));
    const after = (list, change) => list.map((x, k) => added(x, change[k], by));
    this.to(after(this.w, dw), after(this.P, F), [...stops].filter(([, step]) => step <= by).map(([k]) => k));
    return { by, ended: full || (restores && by >= left) };
  }

  /** As far as the energy does not come back to what it was, and whether that is the end. */
  within(F, dw, by) {
    const [f, v] = [F.flat(), dw.flat()];
    const [a, b, gained] = [dot(f, v) / 2, (dot(f, sum3(this.before, this.w).flat()) + dot(this.P.flat(), v)) / 2, this.gained];
    const lost = (x) => gained + x * b + x ** 2 * a <= 0;
    if (lost(by)) return { by, full: false };
    let [low, high] = [0, by];
    for (let again = 0; again < 100; again++) {
      const middle = (low + high) / 2;
      if (lost(middle)) low = middle;
      else high = middle;
    }
    return { by: low, full: true };
  }

  /** Velocities and impulses, those velocities that are rounding made zero; stopped: contacts whose slip has died out. */
  to(w, P, stopped = []) {
    this.P = P;
    this.w = w.map(([x, y, z], k) => {
      const none = stopped.includes(k) || Math.hypot(x, y) <= STROKE_STOPPED * this.speed;
      return [none ? 0 : x, none ? 0 : y, Math.abs(z) <= STROKE_NEAR * this.speed ? 0 : z];
    });
  }

  /** The same where slips turn: integrated, with steps in proportion to the smallest slip, which is regular there. */
  turned(which, given, found, left, restores) {
    const k = this.w.length;
    const first = this.slips(this.w);
    const moving = which.filter((i, j) => found.modes[j] === "slipping" && slipping(first[i]));
    const struck = which.filter((_, j) => given[j] !== null);
    const at = someOf({ ...this.at, s: first }, which);
    at.s = found.s.map((x) => [...x]);
    const forces = balance(at, found.modes, at.s, given);
    const slip = (y, i) => Math.hypot(y[3 * i], y[3 * i + 1]);
    const slope = (y) => {
      const sizes = moving.map((i) => Math.max(slip(y, i), 2 ** -1022));
      moving.forEach((i, c) => {
        const j = which.indexOf(i);
        at.s[j] = [y[3 * i] / sizes[c], y[3 * i + 1] / sizes[c], at.s[j][2]];
      });
      const F = forces(at.s);
      const all = this.w.map((_, i) => (which.includes(i) ? F[which.indexOf(i)] : [0, 0, 0]));
      const least = Math.min(...sizes);
      return [...moves(this.at, all).flat(), ...all.flat(), 1].map((x) => least * x);
    };
    const [small, size, pace] = [STROKE_STOPPED * this.speed, Math.max(...this.at.D.map(largestOf)), Math.max(...given.filter((N) => N !== null))];
    const energy = (y) => dot(y.slice(3 * k, 6 * k), added(this.before.flat(), y)) / 2;
    const watched = moving.map((i) => [(y) => slip(y, i) - small, -1]);
    if (restores) watched.push([(y) => y[6 * k] - left, 1], [energy, 1]);
    else for (const i of struck) watched.push([(y) => y[3 * i + 2], 1]);
    this.w.forEach((w, i) => {
      if (!struck.includes(i) && w[2] > STROKE_NEAR * this.speed) watched.push([(y) => y[3 * i + 2], -1]);
    });
    const scale = [...new Array(3 * k).fill(this.speed), ...new Array(3 * k).fill(this.speed / size), this.speed / size / pace];
    const start = [...this.w.flat(), ...this.P.flat(), 0];
    const options = { directions: watched.map(([, way]) => way), longest: LONGEST / size / pace, most: EVALUATIONS };
    let done;
    try {
      done = integrated(slope, start, scale.map((x) => STROKE_EXACT * x), 1 / size / pace, watched.map(([f]) => f), options);
    } catch (why) {
      if (!(why instanceof Beyond)) throw why;
      throw new Unlawful("the friction of a stroke grows without bounds");
    }
    const { y, which: ended } = done;
    const stopped = ended >= 0 ? moving.slice(ended, ended + 1) : moving.filter((i) => slip(y, i) <= STROKE_HELD * this.speed);
    this.to(chunks(y.slice(0, 3 * k)), chunks(y.slice(3 * k, 6 * k)), stopped);
    return { by: y[6 * k], ended: restores && (ended === moving.length || ended === moving.length + 1) };
  }
}

/** The stroke of several points, one after the other. */
function inTurn(at, w, e) {
  const block = (i, j) => [0, 1, 2].map((a) => at.D[3 * i + a].slice(3 * j, 3 * j + 3));
  const own = at.n.map((n, k) => Math.sqrt(dot(n, times(block(k, k), n))));
  const rounding = STROKE_NEAR * largestOf(w.flat());
  let P = w.map(() => [0, 0, 0]);
  let after = w;
  const normal = () => after.map((v, k) => dot(at.n[k], v));
  for (let count = 0; count < IN_TURN; count++) {
    const speeds = normal().map((v, k) => (v < -rounding ? -v / own[k] : 0));
    const most = Math.max(...speeds);
    let j = most > 0 ? speeds.findIndex((v) => v >= (1 - AS_FAST) * most) : -1;
    if (j >= 0) {
      const mu = at.mu[j] === Infinity ? null : at.mu[j];
      P = P.map((p, k) => (k === j ? added(p, stroke(block(j, j), at.n[j], after[j], mu, e[j], mu).impulse) : p));
    } else {
      const along = after.map((v, k) => (at.mu[k] === Infinity && Math.abs(normal()[k]) <= rounding ? norm(across(v, at.n[k])) : 0));
      if (!(Math.max(...along) > rounding)) return { impulses: P, velocities: after };
      j = along.indexOf(Math.max(...along));
      const T = tangentsOf(at.n[j]);
      const x = solved(product(product(T, block(j, j)), transposed(T)), scaled(times(T, after[j]), -1));
      P = P.map((p, k) => (k === j ? added(p, times(transposed(T), x)) : p));
    }
    after = sum3(w, moves(at, P));
  }
  const p = leastNormal(normalMetric(at, w.map((_, k) => k)), normal());
  P = P.map((x, k) => added(x, at.n[k], p[k]));
  return { impulses: P, velocities: sum3(w, moves(at, P)) };
}

/** p ≥ 0 with v + G p ≥ 0 and p·(v + G p) = 0, of the fewest contacts. */
function leastNormal(G, v) {
  const sets = v.reduce((all, _, k) => [...all, ...all.map((some) => [...some, k])], [[]]).filter((some) => some.length);
  sets.sort((a, b) => a.length - b.length);
  let [best, missed] = [v.map(() => 0), Infinity];
  for (const which of sets) {
    const x = ranked(which.map((i) => which.map((j) => G[i][j]))).solution(which.map((i) => -v[i]));
    const p = v.map((_, k) => (which.includes(k) ? x[which.indexOf(k)] : 0));
    const after = added(v, times(G, p));
    const misses = Math.max(-Math.min(...after), -Math.min(...p) * Math.max(...G.map(largestOf)), largestOf(which.map((k) => after[k]))) / largestOf(v);
    if (misses < missed) [best, missed] = [p.map((y) => Math.max(y, 0)), misses];
    if (missed <= 1e-12) break;
  }
  return best;
}
