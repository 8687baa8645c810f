// When switches of time alone happen, and their modes in between: see integrate/timetable.py.

const [TOGETHER, RESTING] = [1e-14, 1e-9];
const INSIDE = [0.2236, 0.4142, 0.5772, 0.6931, 0.8862];

/** value(name, t): what is judged of all switches of time alone, by name: "timed", and "phases" that are zero or whole. */
class Timetable {
  constructor(value, { timetable, switches }, start, until) {
    this.switches = timetable.switches;
    this.times = timetable.times ?? [];
    this.modes = timetable.modes ?? [];
    if (timetable.linear) this.list(value, timetable, switches, start, until);
  }

  list(value, { linear, known, of_time: places }, switches, start, until) {
    [this.times, this.modes] = [[], []];
    const times = Object.values(known).flat();
    for (const [k, whole] of linear) times.push(...zerosOfLine((t) => value("phases", t)[places.indexOf(k)], start, until, whole));
    let last = start;
    for (const t of times.sort((a, b) => a - b)) {
      const apart = TOGETHER * Math.max(1, Math.abs(t));
      if (t - last > apart && until - t > apart) this.times.push((last = t));
    }
    const ends = [start, ...this.times, until];
    for (let i = 1; i < ends.length; i++) {
      const inside = INSIDE.map((part) => value("timed", ends[i - 1] + (ends[i] - ends[i - 1]) * part));
      this.modes.push(this.switches.map((k) => {
        const g = inside.map((values) => values[places.indexOf(k)]);
        if (g.every((x) => Math.abs(x) <= RESTING)) throw new Beyond(`${switches[k].said} is zero for a while`);
        const sides = g.map((x) => (switches[k].kind === "whole" ? Math.floor(x) : x > 0 ? 1 : -1));
        return sides.sort((a, b) => a - b)[2];
      }));
    }
  }

  at(place) {
    return Object.fromEntries(this.switches.map((k, i) => [k, this.modes[place][i]]));
  }
}

/** Times between two at which a + b t is zero, or a whole number. */
function zerosOfLine(g, t0, t1, whole) {
  const [first, last] = [g(t0), g(t1)];
  const slope = (last - first) / (t1 - t0);
  if (!slope) return [];
  const [low, high] = [Math.min(first, last), Math.max(first, last)];
  const aims = !whole ? (low <= 0 && high >= 0 ? [0] : []) : [];
  if (whole) {
    if (high - low > 1e5) throw new Beyond("there are more than 100000 switches");
    for (let n = Math.ceil(low); n <= high; n++) aims.push(n);
  }
  return aims.map((aim) => {
    let t = t0 + (aim - first) / slope;
    for (let again = 0; again < 3; again++) t -= (g(t) - aim) / slope;
    return t;
  });
}
