// Motions of systems with constraints of one side, as ropes and wheels that slip: see model/one_sided.py.

const [SIDE_CLOSED, BEGUN] = [1e-12, 2]; // see model/grip.py: a slip has begun at twice the speed at which one has died out

/** Motions that go from one set of closed sides to another, in place of those of one contact. */
class SidesMotion extends KindsMotion {
  /** The sibling in which sides that are closed, and stay so, are closed. */
  begins() {
    const { kind } = this.about;
    const { apart } = this.plain.judged(this.state);
    const n = this.state.y.length / 2;
    const size = (from) => SIDE_CLOSED * Math.max(1, largestOf(Array.from(this.state.y.slice(from, from + n))));
    const closed = this.told.sides.map((side, k) => {
      const [a, b] = apart.slice(2 * k, 2 * k + 2);
      if ((side.grips || side.at) && this.told.cases[kind][k]) return true;
      if (side.grips) return a <= b;
      this.possible(side, a, b, size(0), size(n));
      return a <= size(0) && b <= size(n);
    });
    const next = this.lawful(kind, this.state, this.usable(closed));
    if (next !== kind) this.state = this.kinds[next].carried(this.state);
    return next;
  }

  /** That a gap can be there at the start. */
  possible({ name }, gap, _, size) {
    if (gap < -size) throw new Beyond(`'${name}' is stretched by ${-gap} at the start`);
  }

  /** Of what is closed, all but grips on what is open. */
  usable(closed) {
    return closed.map((is, k) => is && (closed[this.told.sides[k].on] ?? true));
  }

  /** The sibling in which some are closed. */
  sibling(closed) {
    const found = Object.keys(this.told.cases).find((kind) => this.kinds[kind] && alike(this.told.cases[kind], closed));
    if (found) return found;
    const names = this.told.sides.filter((_, k) => closed[k]).map(({ name }) => `'${name}'`);
    throw new Beyond(`that ${names.join(", ") || "nothing"} holds is none of the cases that this page was made with`);
  }

  pulls(kind, state, next) {
    return this.kinds[next].judged(next === kind ? state : this.kinds[next].carried(state)).pull;
  }

  /** The sibling in which these are closed, as far as they need not push or hold more than they can. */
  lawful(kind, state, given) {
    let closed = given;
    while (closed.includes(true)) {
      const next = this.sibling(closed);
      const pull = this.pulls(kind, state, next);
      const pushes = this.told.sides.map(({ grips }, k) => closed[k] && !grips && pull[k] < 0);
      if (!pushes.includes(true)) {
        closed = this.without(closed, pull);
        break;
      }
      closed = this.usable(closed.map((is, k) => is && !pushes[k]));
    }
    return this.sibling(closed);
  }

  /** What is closed without what lacks most, of what holds more than it can: where it slides, others may hold. */
  without(closed, pull) {
    const lacking = this.told.sides.map(({ grips }, k) => (grips && closed[k] ? pull[k] : Infinity));
    const least = Math.min(...lacking);
    return least < 0 ? closed.map((is, k) => is && k !== lacking.indexOf(least)) : closed;
  }

  earnest(event) {
    const k = this.told.sides.findIndex(({ closes }) => event === closes);
    const { motion, t, first, record } = this.segments[this.segments.length - 1].run;
    const states = chunks(record, motion.about.row).map((row) => ({ t: row[0], y: row.slice(-motion.order) }));
    return [{ t, y: first }, ...states].some((state) => {
      const { apart } = motion.judged(state);
      return apart[2 * k] > BEGUN ** 2 * apart[2 * k + 1];
    });
  }

  following(kind, event) {
    const closed = this.told.cases[kind];
    for (const [k, { grips, opens, closes, begins }] of this.told.sides.entries()) {
      const changed = closed.map((is, j) => (j === k ? !is : is));
      if (event === opens && closed[k]) return this.sibling(changed);
      if (event === closes && !closed[k]) {
        const after = this.sibling(changed);
        return !grips || this.pulls(kind, this.state, after)[k] >= 0 ? after : kind;
      }
      if (grips && event === begins && !closed[k]) return this.sibling(this.without(closed, this.kinds[kind].judged(this.state).pull));
    }
    return null;
  }

  onward(kind, event) {
    const next = this.following(kind, event);
    if (!next) return null;
    const closes = this.told.cases[next].some((is, k) => is && !this.told.cases[kind][k]);
    return { kind: next, state: closes ? this.kinds[next].carried(this.state) : this.state }; // what opens has all that it needs
  }
}
