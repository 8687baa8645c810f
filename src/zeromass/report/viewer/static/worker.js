// The worker of a page that is alive: makes motions and samples them, one after another.

let motion = null;
let given = null;

onmessage = ({ data: task }) => {
  if (task.modules) {
    given = task;
    const modules = task.modules.map((bytes) => new WebAssembly.Module(bytes));
    const drivers = {
      "": () => new Motion(modules[0]),
      switches: () => new HybridMotion(modules, task.driven),
    };
    motion = drivers[task.driver]();
    return;
  }
  const before = performance.now();
  const run = motion.run(task.values, { ...given.settings, longest: given.settings.longest ?? Infinity });
  const passed = run.steps && given.lengths.said.length ? passage(motion, given.lengths, motion.about.t, run) : null;
  if (passed) Object.assign(run, { ending: "BEYOND", event: null, t: passed.t, message: `'${passed.said}' passes through zero` });
  const milliseconds = performance.now() - before;
  const samples = run.steps ? given.clocks.map((clock) => sampled(clock, run.t)) : [];
  const residual = samples.reduce((most, { values }) => Math.max(most, largest(values)), 0);
  const state = run.steps ? motion.end() : motion.start();
  const grounds = run.steps ? given.grounds.map(grounded) : [];
  const moved = [...samples.map(({ values }) => values), ...grounds.flatMap(Object.values)].map((array) => array.buffer);
  postMessage({ id: task.id, ...run, milliseconds, samples, residual, state, grounds }, moved);
};

/** A surface with these values: heights at its moments, shift and turn of its axes at its times. */
function grounded({ x, y, moments, times, fields, heights, shift, turn }) {
  const found = {};
  const even = ([first, last, count], k) => (count > 1 ? first + (k * (last - first)) / (count - 1) : first);
  if (heights !== undefined) {
    const points = new Float64Array(4 * moments[2] * y[2] * x[2]);
    let k = 0;
    for (let m = 0; m < moments[2]; m++) {
      for (let j = 0; j < y[2]; j++) {
        for (let i = 0; i < x[2]; i++, k += 4) points.set([even(moments, m), even(x, i), even(y, j)], k);
      }
    }
    found.heights = picked(motion.field(points), fields, heights, 1);
  }
  const along = new Float64Array(4 * times[2]);
  for (let k = 0; k < times[2]; k++) along[4 * k] = even(times, k);
  const moving = shift !== undefined || turn !== undefined ? motion.field(along) : null;
  if (shift !== undefined) found.shift = picked(moving, fields, shift, 3);
  if (turn !== undefined) found.turn = quaternions(picked(moving, fields, turn, 9));
  return found;
}

/** Some columns of a table. */
function picked(values, width, first, count) {
  const found = new Float32Array((values.length / width) * count);
  for (let k = 0; k < found.length; k++) found[k] = values[Math.floor(k / count) * width + first + (k % count)];
  return found;
}

/** Unit quaternions (u0, u1, u2, u3) of rotation matrices, row by row, without jumps of sign. */
function quaternions(R) {
  const found = new Float32Array((R.length / 9) * 4);
  let last = [1, 0, 0, 0];
  for (let k = 0; k < R.length / 9; k++) {
    const [a, b, c, d, e, f, g, h, i] = R.subarray(9 * k, 9 * k + 9);
    const choices = [
      [1 + a + e + i, h - f, c - g, d - b], [h - f, 1 + a - e - i, b + d, c + g],
      [c - g, b + d, 1 - a + e - i, f + h], [d - b, c + g, f + h, 1 - a - e + i],
    ];
    const u = choices.reduce((best, v) => (Math.hypot(...v) > Math.hypot(...best) ? v : best));
    const size = Math.hypot(...u) * (u.reduce((sum, x, j) => sum + x * last[j], 0) < 0 ? -1 : 1);
    last = u.map((x) => x / size);
    found.set(last, 4 * k);
  }
  return found;
}

/** The motion at equidistant times as far as it goes, and at its end. */
function sampled([first, last, count], end) {
  const step = count > 1 ? (last - first) / (count - 1) : 0;
  const times = [];
  for (let k = 0; k < count; k++) {
    const t = k === count - 1 ? last : first + k * step;
    if (t > end) break;
    times.push(t);
  }
  const kept = times.length;
  if (kept < count) times.push(end);
  return { kept, values: motion.sample(times) };
}

/** What is left of the constraints at most. */
function largest(values) {
  const { values: row } = motion.about;
  let most = 0;
  for (let k = 0; k < values.length; k += row) {
    for (let j = given.shown; j < row; j++) most = Math.max(most, Math.abs(values[k + j]));
  }
  return most;
}
