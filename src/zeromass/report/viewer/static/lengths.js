// Lengths that pass through zero: a step across has no error that it sees, and Python locates them; see `zeromass.integrate.lengths`.

/**
 * The first length that passes through zero in a motion from a time to another; null where none does.
 * lengths: formulas `said`, and how many values each has among the outputs, from `first` on: its square, and what is reversed
 */
function passage(motion, { first, sizes, said }, begin, { t: end, steps }) {
  // part of its largest square at which the square of a length is zero, places that are looked at, and rounds of looks
  const [through, places, rounds] = [1e-12, 17, 10];
  const row = motion.about.values;
  const at = (t0, t1, count) => Array.from({ length: count }, (_, k) => (k === count - 1 ? t1 : t0 + (k * (t1 - t0)) / (count - 1)));
  const times = at(begin, end, Math.max(4 * steps, 64));
  const values = motion.sample(times);
  let found = null;
  let place = first;
  sizes.forEach((size, which) => {
    const [u, d] = [place, place + 1];
    place += size;
    let most = 0;
    for (let k = 0; k < times.length; k++) most = Math.max(most, values[k * row + u]);
    for (let k = 1; k < times.length && !(found && found.t <= times[k - 1]); k++) {
      let along = 0;
      for (let j = d; j < place; j++) along += values[(k - 1) * row + j] * values[k * row + j];
      if (!(along <= 0)) continue;
      let [low, high, least] = [times[k - 1], times[k], Infinity];
      for (let n = 0; n < rounds; n++) {
        const inside = at(low, high, places);
        const squares = motion.sample(inside).filter((_, j) => j % row === u);
        least = squares.reduce((a, b) => Math.min(a, b), Infinity);
        const lowest = squares.findIndex((x) => x === least);
        [low, high] = [inside[Math.max(lowest - 1, 0)], inside[Math.min(lowest + 1, places - 1)]];
      }
      if (least <= through * most) found = { t: low, said: said[which] };
    }
  });
  return found;
}

if (typeof module !== "undefined") module.exports = { passage };
