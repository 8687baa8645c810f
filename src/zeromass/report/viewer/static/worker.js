// The worker of a page that is alive: makes motions and samples them, one after another.

let motion = null;
let given = null;

onmessage = ({ data: task }) => {
  if (task.module) {
    given = task;
    motion = new Motion(new WebAssembly.Module(task.module));
    return;
  }
  const before = performance.now();
  const run = motion.run(task.values, { ...given.settings, longest: given.settings.longest ?? Infinity });
  const milliseconds = performance.now() - before;
  const samples = run.steps ? given.clocks.map((clock) => sampled(clock, run.t)) : [];
  const residual = samples.reduce((most, { values }) => Math.max(most, largest(values)), 0);
  const state = run.steps ? motion.record().slice(-2 * motion.about.coordinates.length) : motion.start();
  postMessage({ id: task.id, ...run, milliseconds, samples, residual, state }, samples.map(({ values }) => values.buffer));
};

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
