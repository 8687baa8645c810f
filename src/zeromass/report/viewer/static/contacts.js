// Motions of bodies at several contacts, each of which is open, rolls or slips: see contact/following.py.

const [TOUCHES, BOUNCES_ALIKE, SHAKEN, NO_SLIP, SHARED_DIGITS] = [1e-12, 4, 10, 10 * (1 + 1e-6), 1e12];

/** Motions that go from one case of several contacts to the next, in place of those of one contact. */
class ContactsMotion extends KindsMotion {
  /** The case that the motion begins as: of what touches and does not leave, what is decided. */
  begins() {
    const { pairs } = this.told;
    const { extent, speed } = this.scales(this.state);
    const here = this.here(this.state);
    const rest = (j) => Math.abs(here.leaving[j]) <= TOUCHES * Math.max(speed, 2 ** -1022);
    const which = pairs.flatMap(({ gap }, j) => (this.state.y[gap] <= TOUCHES * extent && rest(j) ? [j] : []));
    if (!which.length) return this.about.kind;
    const kind = this.caseOf(this.state, this.caseAt(this.state, which).modes);
    this.state = this.onto(this.state, kind);
    return kind;
  }

  shown(kind) {
    return this.told.cases[kind].kind;
  }

  // contacts in numbers --------------------------------------------------------------------------------------------------
  /** The contacts at a state of any of the cases. */
  here(state) {
    const found = this.plain.judged(state);
    const [n, w, point, center, drift] = [found.n, found.w, found.point, found.center, found.drift].map((x) => chunks(x));
    const inverse = chunks(found.J, 9).map((J) => inverse3(chunks(J)));
    const mu = this.told.pairs.map(({ limited }, j) => (limited ? found.mu[j] : Infinity));
    const leaving = n.map((x, j) => dot(x, w[j]));
    return { ...found, n, w, point, center, drift, inverse, mu, leaving, creep: found.creep[0], G: chunks(found.G, 12) };
  }

  /** ρ, from the mass centre of a body to a contact. */
  arm(here, j, body) {
    return here.point[j].map((x, c) => x - here.center[body][c]);
  }

  /** The metric D = Σ ± (1/m − [ρ] I⁻¹ [ρ′]) over bodies that contacts share, with their normals and friction. */
  meeting(here, which, s = here.w) {
    const skew = ([x, y, z]) => [[0, -z, y], [z, 0, -x], [-y, x, 0]];
    const D = Array.from({ length: 3 * which.length }, () => new Array(3 * which.length).fill(0));
    const { pairs } = this.told;
    which.forEach((i, a) => which.forEach((j, b) => pairs[i].sides.forEach(([body, sign]) => {
      const shared = pairs[j].sides.find(([other]) => other === body);
      if (!shared) return;
      const [one, two] = [i, j].map((k) => skew(this.arm(here, k, body)));
      const block = product(product(one, here.inverse[body]), two);
      const both = sign * shared[1];
      for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) D[3 * a + r][3 * b + c] += both * ((r === c ? 1 / here.m[body] : 0) - block[r][c]);
    })));
    const pick = (list) => which.map((j) => list[j]);
    return { D, n: pick(here.n), s: pick(s), mu: pick(here.mu) };
  }

  /** Sizes of places and speeds that rounding is a part of. */
  scales({ y }) {
    const size = Math.max(...this.plain.judged(this.state).sizes);
    const n = y.length / 2;
    const most = (name, from) => largestOf(this.told.bodies.flatMap((body) => body[name].map((i) => y[from + i])));
    return { extent: size + most("place", 0), speed: most("place", n) + size * most("turn", n) };
  }

  /** What each contact is, from those that touch, and the normal accelerations of all; excluded as "number mode". */
  caseAt(state, which, excluded = [], still = []) {
    const here = this.here(state);
    const modes = here.n.map(() => "open");
    const F = here.n.map(() => [0, 0, 0]);
    if (which.length) {
      const s = here.w.map((w, j) => {
        const along = across(w, here.n[j]);
        const slips = norm(along) > NO_SLIP * here.creep && !still.includes(j) && here.mu[j] < Infinity;
        return slips ? unit(along) : [0, 0, 0];
      });
      const known = which.flatMap((j, i) => ["open", "rolling", "slipping"].flatMap((mode) => (excluded.includes(`${j} ${mode}`) ? [`${i} ${mode}`] : [])));
      const found = decided(this.meeting(here, which, s), which.map((j) => here.drift[j]), known);
      which.forEach((j, i) => ([modes[j], F[j]] = [found.modes[i], found.F[i]]));
    }
    const a = sum3(here.drift, moves(this.meeting(here, here.n.map((_, j) => j)), F));
    return { modes, a: a.map((x, j) => dot(here.n[j], x)) };
  }

  /** The kind with some modes, and with the shares of normal forces that there are at a state. */
  caseOf(state, modes) {
    const here = this.here(state);
    const closed = modes.flatMap((mode, j) => (mode === "open" ? [] : [j]));
    const shares = closed.length > 1 ? this.shares(here, closed) : [];
    const found = Object.entries(this.told.cases).find(([name, known]) => this.kinds[name] && alike(known.modes, modes) && sharedAlike(known.shares, shares));
    if (found) return found[0];
    const words = this.told.pairs.map(({ name }, j) => `${name} ${modes[j]}`).join(", ");
    throw new Beyond(`'${words}'${shares.length ? ", with normal forces that are shared," : ""} is none of the cases that this page was made with`);
  }

  /** Contacts whose normal forces follow from those of others, with what parts: see contact/redundant.py. */
  shares(here, closed) {
    const G = normalMetric(this.meeting(here, closed), closed.map((_, i) => i));
    const [kept, found] = [[], []];
    closed.forEach((_, r) => {
      const own = kept.map((i) => G[r][i]);
      const c = kept.length ? solved(kept.map((i) => kept.map((j) => G[i][j])), own) : [];
      if (G[r][r] - dot(own, c) > RANK_TOLERANCE * G[r][r]) return kept.push(r);
      const parts = c.map((x) => (Math.abs(x) <= 1e-9 * largestOf(c) ? 0 : Math.round(x * SHARED_DIGITS) / SHARED_DIGITS));
      return found.push([closed[r], kept.flatMap((i, k) => (parts[k] ? [[closed[i], parts[k]]] : []))]);
    });
    return found;
  }

  // what follows ---------------------------------------------------------------------------------------------------------
  onward(kind, event) {
    const k = this.told.pairs.findIndex(({ name }) => event.startsWith(`${name}: `));
    if (k < 0) return null;
    const what = event.slice(this.told.pairs[k].name.length + 2);
    if (what === "lands") return this.landed(kind, k);
    if (what === "does not follow from others") return this.parted(kind);
    const changes = ["contact lost", "would slip", "slip dies out"].includes(what) || what.startsWith("slip begins");
    return changes ? this.changed(kind, k, what) : null;
  }

  closed(kind) {
    return this.told.cases[kind].modes.flatMap((mode, j) => (mode === "open" ? [] : [j]));
  }

  /** The next case where no rate jumps; contacts that are as far as this one to rounding go with it. */
  changed(kind, k, what) {
    const { modes } = this.told.cases[kind];
    const which = this.closed(kind);
    const excluded = [];
    if (what === "contact lost" || what === "would slip") {
      const here = this.here(this.state);
      const { D } = this.meeting(here, which);
      const size = (AGREES * largestOf(which.flatMap((j) => here.drift[j]))) / Math.max(...D.map(largestOf));
      const { N, lack } = this.kinds[kind].judged(this.state);
      for (const j of which) {
        if (what === "contact lost" && (j === k || N[j] <= size)) excluded.push(`${j} rolling`, `${j} slipping`);
        const limited = what === "would slip" && modes[j] === "rolling" && this.told.pairs[j].limited;
        if (limited && (j === k || lack[j] >= -size)) excluded.push(`${j} rolling`);
      }
    }
    return this.settled(this.state, which, this.caseAt(this.state, which, excluded).modes, excluded);
  }

  /** The next case where contacts that shared their forces are not all closed any more: those with a gap are open. */
  parted(kind) {
    const sharing = this.told.cases[kind].shares.flatMap(([r, parts]) => [r, ...parts.map(([i]) => i)]);
    const which = this.closed(kind).filter((j) => !sharing.includes(j) || this.state.y[this.told.pairs[j].gap] <= 0);
    return this.settled(this.state, which, this.caseAt(this.state, which).modes, []);
  }

  /** The case and the state after a stroke at a contact that lands, and at all others that touch. */
  landed(kind, k) {
    const { pairs } = this.told;
    const { modes: before } = this.told.cases[kind];
    const { t, y } = this.state;
    const { extent, speed } = this.scales(this.state);
    const here = this.here(this.state);
    const touching = pairs.flatMap(({ gap }, j) => (before[j] !== "open" || j === k || y[gap] <= TOUCHES * extent ? [j] : []));
    const w = here.w.map((x, j) => (before[j] === "open" ? x : across(x, here.n[j]))); // rounding
    const reached = this.reached(touching, [k, ...touching.filter((j) => here.leaving[j] < 0)]);
    const which = [k, ...reached.filter((j) => j !== k)];
    const found = strokes(this.meeting(here, which), which.map((j) => w[j]), which.map((j) => here.e[j]), this.told.atOnce);
    const after = this.onto({ t, y: this.struck(y, here, which, found.impulses) }, this.about.kind);
    const leaves = found.velocities.map((v, i) => dot(here.n[which[i]], v));
    const still = which.filter((_, i) => leaves[i] <= TOUCHES * speed);
    still.push(...before.flatMap((mode, j) => (mode !== "open" && !which.includes(j) ? [j] : [])));
    const shaken = this.shaken(before, after, Math.max(0, ...which.map((j) => -here.leaving[j])));
    const ordered = (list) => [...new Set(list)].sort((a, b) => a - b);
    let [said, modes, a] = [[], null, null];
    for (;;) {
      ({ modes, a } = this.caseAt(after, ordered(still), [], said.length ? shaken : []));
      const heights = which.flatMap((j, i) => (!still.includes(j) && a[j] < 0 ? [[j, leaves[i], leaves[i] ** 2 / (-2 * a[j])]] : []));
      if (!heights.some(([, , height]) => height <= BOUNCES_END * extent)) break;
      for (const [j, v, height] of heights) {
        if (height > BOUNCES_ALIKE * BOUNCES_END * extent) continue;
        still.push(j);
        if (here.e[j] < 1) said.push([`${pairs[j].name}: bounces end`, t + (2 * v) / (-a[j] * (1 - here.e[j]))]);
      }
    }
    this.happenings.push(...said);
    const away = which.filter((j) => !still.includes(j)).flatMap((j) => [`${j} rolling`, `${j} slipping`]);
    return this.settled(after, ordered([...which, ...still]), modes, away, said.length ? shaken : []);
  }

  /** Of contacts those that strokes at some of them reach, through bodies that touch. */
  reached(touching, struck) {
    const bodiesOf = (list) => new Set(list.flatMap((j) => this.told.pairs[j].sides.map(([body]) => body)));
    let found = [...new Set(struck)];
    for (;;) {
      const bodies = bodiesOf(found);
      const more = touching.filter((j) => this.told.pairs[j].sides.some(([body]) => bodies.has(body)));
      if (more.length === found.length) return more;
      found = more;
    }
  }

  /** Contacts that rolled, and slip after a stroke no faster than ten times the speed of the stroke. */
  shaken(modes, after, speed) {
    const here = this.here(after);
    return modes.flatMap((mode, j) => (mode === "rolling" && norm(across(here.w[j], here.n[j])) <= SHAKEN * speed ? [j] : []));
  }

  /** A state with the rates that impulses at contacts leave. */
  struck(y, here, which, impulses) {
    const after = Float64Array.from(y);
    const n = y.length / 2;
    which.forEach((j, i) => {
      for (const [body, sign] of this.told.pairs[j].sides) {
        const p = impulses[i].map((x) => sign * x);
        const turned = times(here.inverse[body], cross(this.arm(here, j, body), p));
        const { place, turn } = this.told.bodies[body];
        const G = chunks(here.G[body], 4);
        place.forEach((x, c) => (after[n + x] += p[c] / here.m[body]));
        turn.forEach((x, c) => (after[n + x] += dot(G.map((row) => row[c]), turned) / 2));
      }
    });
    return after;
  }

  /** The state of the case that was decided; decided again where rows that are added take the slip of another contact. */
  settled(state, which, modes, excluded, still = []) {
    let taken = null;
    for (let again = 0; again < Math.max(which.length, 1); again++) {
      taken = this.carriedTo(state, modes, which.filter((j) => modes[j] === "open"));
      const other = this.caseAt(taken.state, which, excluded, still).modes;
      if (alike(other, modes) || !modes.includes("slipping")) break;
      [state, modes] = [taken.state, other];
    }
    return taken;
  }

  /** The state of the case with some modes; contacts that open do so by a gap above rounding, so that they can land. */
  carriedTo(given, modes, leaving) {
    const kind = this.caseOf(given, modes);
    const state = this.onto(given, kind);
    if (!leaving.length) return { kind, state };
    const [gaps, closed] = [leaving, this.closed(kind)].map((list) => list.map((j) => this.told.pairs[j].gap));
    const slopes = chunks(this.plain.judged(state).slopes, state.y.length / 2);
    const zeros = (at) => this.plain.judged(at).zeros;
    return { kind, state: withOpenGaps(state, slopes, zeros, gaps, closed, this.scales(given).extent) };
  }

  /** A state of another case, on its constraints by the least change; gaps that are closed and slips that are none exactly so. */
  onto({ t, y }, kind) {
    const n = y.length / 2;
    const none = this.told.cases[kind].modes.flatMap((mode, j) => {
      const { gap, slip } = this.told.pairs[j];
      return mode === "open" ? [] : [gap, n + gap, ...(mode === "rolling" ? slip.map((i) => n + i) : [])];
    });
    const exact = (values) => values.map((x, i) => (none.includes(i) ? 0 : x));
    const near = { t, y: exact(Float64Array.from(y)) };
    this.turned(kind, near);
    return { t, y: exact(this.kinds[kind].carried(near).y) };
  }
}

/** Whether normal forces are shared alike. */
function sharedAlike(known, found) {
  const near = ([i, c], [j, d]) => i === j && Math.abs(c - d) <= 1e-9 * Math.max(1, Math.abs(c));
  return known.length === found.length && known.every(([r, parts], k) => {
    const [other, others] = found[k];
    return r === other && parts.length === others.length && parts.every((part, i) => near(part, others[i]));
  });
}
