// Motions of a particle that flies, slides and rests: see contact/sliding.py, walls.py and landing.py.

const [GIVEN, SLOWLY, STROKES_AT_ONCE, WALL_TOUCHED] = [1e-9, 1.001, 1000, 1e-12];

/** Motions of a particle before its surfaces, in place of those of a body at one contact. */
class SlidingMotion extends KindsMotion {
  /** In flight, or on a surface that it lies on and is pressed to. */
  begins() {
    const { kind } = this.about;
    const wall = kind === "flying" ? this.lying() : this.wallOf(kind);
    if (wall < 0) return kind;
    const next = this.taken(wall, this.state);
    this.state = next.state;
    return next.kind;
  }

  wallOf(kind) {
    return Number(kind.split(" ")[0]);
  }

  lying() {
    const size = this.size(this.state);
    const speed = Math.hypot(...this.state.y.slice(3));
    return this.near(this.state).findIndex(({ distance, rate, bend, slip }) => {
      const [reach, slow] = [GIVEN * Math.max(size, Math.abs(distance)), GIVEN * (speed + Math.hypot(...slip))];
      return Math.abs(distance) <= reach && Math.abs(rate) <= slow && bend < 0;
    });
  }

  /** The particle beside each of its surfaces, at a state of any kind. */
  near(state) {
    const { near } = this.kinds.flying.judged(state);
    return this.told.walls.map((_, k) => {
      const [gap, rates, bend, steep, ...rest] = near.slice(10 * k, 10 * k + 10);
      const [n, slip, rate] = [rest.slice(0, 3), rest.slice(3), rates / steep];
      return { distance: gap / steep, rate, bend: bend / steep, n, slip: added(slip, n, rate - dot(n, slip)) };
    });
  }

  size({ y }) {
    return largestOf(Array.from(y.slice(0, 3)));
  }

  onward(kind, event) {
    const wall = this.told.walls.indexOf(event);
    if (wall >= 0) return this.landed(kind, wall);
    if (kind === "flying") return null;
    const own = this.wallOf(kind);
    if (event === "contact lost") return { kind: "flying", state: this.raised(this.state, [own]) };
    return ["would slip", "slip dies out"].includes(event) ? this.taken(own, this.state, event === "would slip") : null;
  }

  /** What it does from a state on, on a surface: it slides, or friction holds it. */
  taken(wall, state, slips = false) {
    const [on, held] = [`${wall} sliding`, `${wall} resting`];
    const { n, slip } = this.near(state)[wall];
    const slides = Math.hypot(...added(slip, n, -dot(n, slip)));
    const [, , creep] = this.kinds.flying.judged(state).solid;
    const moves = !this.kinds[held] || slips || slides > SLOWLY * CREEPS_STOPPED * creep;
    const still = moves ? null : this.kinds[held].carried(state);
    if (still && this.kinds[held].judged(still).lack[0] <= 0) return { kind: held, state: still };
    return { kind: on, state: this.kinds[on].carried(state) };
  }

  /** The state after a stroke on a surface, and on those that it touches too; null where two of them hold it. */
  landed(kind, which) {
    const { t } = this.state;
    const here = this.kinds.flying.judged(this.state);
    const [m, e, , leastBounce] = here.solid;
    const [still, mu] = here.limits.length ? here.limits : [0, 0];
    const { distance, rate } = this.near(this.state)[which];
    const since = rate < 0 ? distance / rate : 0;
    let free = this.flown(this.state, -since);
    const own = kind === "flying" ? which : this.wallOf(kind);
    const size = this.size(free);
    const near = this.near(free).flatMap((one, k) => (k === which || k === own || Math.abs(one.distance) <= WALL_TOUCHED * size ? [k] : []));
    const D = [[1 / m, 0, 0], [0, 1 / m, 0], [0, 0, 1 / m]];
    let next = which;
    for (let count = 0; next !== null && count < STROKES_AT_ONCE; count++) {
      const { n, slip } = this.near(free)[next];
      const { impulse } = stroke(D, n, slip, this.law(mu), e, still);
      free = { t: free.t, y: free.y.map((x, i) => (i < 3 ? x : x + impulse[i - 3] / m)) };
      next = this.closing(free, near);
    }
    free = { ...this.flown(free, since), t };
    const after = this.near(free);
    const least = Math.max(leastBounce, BOUNCES_END * this.size(free));
    const stays = near.filter((k) => {
      const [rises, falls] = [after[k].rate, -after[k].bend];
      if (rises > 0 && (falls <= 0 || rises ** 2 / (2 * falls) > least)) return false;
      if (rises > 0 && e < 1) this.happenings.push(["bounces end", t + (2 * rises) / (falls * (1 - e))]);
      return true;
    });
    if (stays.length > 1 || next !== null) return null;
    return stays.length ? this.taken(stays[0], free) : { kind: "flying", state: this.raised(free, near) };
  }

  /** A surface that it touches and comes nearer to, after a stroke. */
  closing(state, near) {
    if (near.length < 2) return null;
    const speed = WALL_TOUCHED * Math.hypot(...state.y.slice(3));
    const all = this.near(state);
    const best = near.reduce((least, k) => (all[k].rate < all[least].rate ? k : least));
    return all[best].rate < -speed ? best : null;
  }

  /** The state after a moment of free flight. */
  flown({ t, y }, dt) {
    const { a } = this.kinds.flying.judged({ t, y });
    return { t: t + dt, y: y.map((x, i) => (i < 3 ? x + dt * (y[i + 3] + (dt / 2) * a[i]) : x + dt * a[i - 3])) };
  }

  /** A state in flight off the surfaces that it touches, by rounding. */
  raised(given, near) {
    let state = { t: given.t, y: Float64Array.from(given.y) };
    const size = this.size(state) || this.kinds.flying.judged(state).solid[3];
    for (const k of near) {
      const { n, distance } = this.near(state)[k];
      for (let [by, least] = [Math.max(-distance, 0), EPSILON * size]; ; least *= 2) {
        state = { t: state.t, y: state.y.map((x, i) => (i < 3 ? x + by * n[i] : x)) };
        const { off } = this.kinds.flying.judged(state);
        const lacks = off[2 * k + 1] - off[2 * k];
        if (lacks < 0) break;
        by = lacks + least;
      }
    }
    return state;
  }
}
