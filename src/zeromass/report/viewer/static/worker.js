// The worker of a page that is alive: makes motions and samples them, one after another.

let motion = null; // the one that is sampled: of the system itself, or of the system whose bodies are pulled
let given = null;
let plain = null;
let pulled = null;
let history = []; // of a motion in which bodies were pulled: its pieces {t, y, force, end}, and the state at the end of each

/** What makes motions by modules. */
function maker({ modules, driver, driven }) {
  const compiled = modules.map((bytes) => new WebAssembly.Module(bytes));
  return driver === "switches" ? new HybridMotion(compiled, driven) : new Motion(compiled[0]);
}

/** Makes the motion from its start, or, where forces act or did, from a state on; what tells how it ended. */
function made({ values, pull }) {
  const settings = { ...given.settings, longest: given.settings.longest ?? Infinity };
  if (!pull) {
    history = [];
    motion = plain;
    return motion.run(values, settings);
  }
  const from = stateAt(pull.from, values, settings);
  motion = pulled;
  const run = motion.run({ ...values, ...pull.force }, { ...settings, until: pull.until }, from);
  history.push({ ...from, force: pull.force, end: { t: run.t, y: Float64Array.from(motion.end()) } });
  return run;
}

/** The state at a time of the motion that was made last; what comes after that time is forgotten. */
function stateAt(t, values, settings) {
  while (history.length && history[history.length - 1].t > t) history.pop();
  const last = history[history.length - 1];
  if (last?.end.t === t) return last.end;
  motion = last ? pulled : plain;
  const begin = last?.t ?? motion.about.t;
  const run = motion.run({ ...values, ...last?.force }, { ...settings, until: t > begin ? t : settings.until }, last);
  return t > begin ? { t: run.t, y: Float64Array.from(motion.end()) } : { t: begin, y: Float64Array.from(motion.start()) };
}

onmessage = ({ data: task }) => {
  if (task.modules) {
    given = task;
    plain = maker(task);
    return;
  }
  if (task.pull) pulled ??= maker(given.pull);
  const before = performance.now();
  const run = made(task);
  const passed = run.steps && given.lengths.said.length ? passage(motion, given.lengths, task.pull?.from ?? motion.about.t, run) : null;
  if (passed) Object.assign(run, { ending: "BEYOND", event: null, t: passed.t, message: `'${passed.said}' passes through zero` });
  const milliseconds = performance.now() - before;
  const from = task.pull?.from ?? -Infinity;
  const samples = run.steps ? given.clocks.map((clock) => sampled(clock, from, run.t)) : [];
  const residual = samples.reduce((most, { values }) => Math.max(most, largest(values)), 0);
  const state = run.steps ? motion.end() : motion.start();
  const grounds = run.steps && !task.pull ? given.grounds.map(grounded) : [];
  const moved = [...samples.map(({ values }) => values), ...grounds.flatMap(Object.values)].map((array) => array.buffer);
  postMessage({ id: task.id, ...run, milliseconds, width: motion.about.values, samples, residual, state, grounds }, moved);
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

/** The motion at those of equidistant times, from number `begin` to before number `kept`, that it has, and at its end. */
function sampled([first, last, count], from, end) {
  const step = count > 1 ? (last - first) / (count - 1) : 0;
  const times = [];
  let begin = 0;
  for (let k = 0; k < count; k++) {
    const t = k === count - 1 ? last : first + k * step;
    if (t > end) break;
    if (t < from) begin += 1;
    else times.push(t);
  }
  const kept = begin + times.length;
  if (kept < count) times.push(end);
  return { begin, kept, values: motion.sample(times) };
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
