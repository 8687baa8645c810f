// The clock and the controls: play, slider, speed, keys.

const $ = (id) => document.getElementById(id);
const wishes = new URLSearchParams(location.hash.slice(1));
let span, duration;
const PLAY = "M8 5.2v13.6a.7.7 0 0 0 1.07.6l10.6-6.8a.7.7 0 0 0 0-1.2L9.07 4.6A.7.7 0 0 0 8 5.2z";
const PAUSE = "M7 5h3.4v14H7zM13.6 5H17v14h-3.4z";

const state = {
  t: 0, playing: false, speed: 1, pulled: null, follow: null, memory: "recent", whole: false, recording: null, frames: 0,
  themeName: wishes.get("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"),
};
document.documentElement.dataset.theme = state.themeName;

const found = foundQuality();
const quality = found && (["low", "high"].includes(wishes.get("quality")) ? wishes.get("quality") : found);
document.documentElement.dataset.quality = quality ?? "none";
takeSpan();
state.t = span[0];
const stage = found ? new Stage($("view"), { quality, themeName: state.themeName }) : null;
let charts = [];
buildCharts();

function takeSpan() {
  span = [Math.min(...data.runs.map((run) => run.t[0])), Math.max(...data.runs.map((run) => run.t[1]))];
  duration = span[1] - span[0];
}

function buildCharts() {
  $("charts").replaceChildren();
  charts = makeCharts($("charts"), span, (t) => seek(t));
  if (!charts.length) document.body.classList.add("no-charts");
}

/** Other data of the same form: everything is made anew, and camera, time and what is shown stay. */
function replace(next) {
  receive(next);
  takeSpan();
  buildCharts();
  for (const chart of charts) chart.resize(state.themeName);
  if (stage) {
    stage.build(state.themeName);
    findFollowed();
    showAsBefore();
  }
  setTheme(state.themeName);
  makeLabels();
  makeHint();
  seek(state.t);
}

/** The numbers of the data have changed, in the arrays that they are in: another motion of the same run. */
function renew() {
  for (const view of stage?.views ?? []) for (const surface of view.surfaces) surface.renew();
  for (const run of stage?.runs ?? []) run.renew();
  for (const chart of charts) chart.renew(state.themeName);
  changed();
}

/** Another motion of a run: what of it has changed, nothing where only the numbers have, in the arrays that they are in. */
function retake(index, run) {
  Object.assign(data.runs[index], run);
  renew();
}

// time ------------------------------------------------------------------------------------------------------------
function seek(t) {
  state.t = Math.min(Math.max(t, span[0]), span[1]);
  changed();
}

function play(on) {
  if (on && state.t >= span[1]) state.t = span[0];
  state.playing = on;
  $("play-icon").setAttribute("d", on ? PAUSE : PLAY);
  $("play").setAttribute("aria-label", on ? "Pause" : "Play");
  if (!on && state.recording && !state.recording.frames) state.recording.stop = true;
  changed();
}

let stale = true;
function changed() {
  stale = true;
}

const SPEEDS = speeds();

/** Speeds to choose from; a run too short or too long for the eye is not played in real time at first. */
function speeds() {
  const usual = duration > 120 || duration < 2 ? niceStep(duration / 20) : 1;
  state.speed = usual;
  return [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8].map((factor) => factor * usual);
}

function setSpeed(index) {
  const i = Math.min(Math.max(index, 0), SPEEDS.length - 1);
  state.speed = SPEEDS[i];
  $("speed").selectedIndex = i;
}

SPEEDS.forEach((speed) => {
  const word = speed >= 1e4 || speed < 1e-2 ? speed.toExponential(0) : String(Number(speed.toPrecision(3)));
  $("speed").add(new Option(`${word}×`, String(speed)));
});
setSpeed(4);

function setTheme(themeName) {
  state.themeName = themeName;
  document.documentElement.dataset.theme = themeName;
  stage?.setTheme(themeName);
  for (const chart of charts) chart.setTheme(themeName);
  if (stage) makeLegend(), makeHeightBar();
  changed();
}

// frames --------------------------------------------------------------------------------------------------------------
function draw(seconds) {
  const { t } = state;
  if (stage) {
    for (const view of stage.views) for (const surface of view.surfaces) surface.update(t);
    const distance = stage.camera.position.distanceTo(stage.controls.target);
    const unit = Math.max(3.6 * stage.girth, (stage.runs[0].kinds.applied.length ? 0.1 : 0.05) * distance);
    const recent = state.speed * 5 > 0.9 * duration ? duration : Math.max(state.speed * 5, duration / 25);
    for (const run of stage.runs) run.update(t, unit, state.whole ? "whole" : state.memory, recent); // whole while sliders move
    moveCamera(seconds);
    pulling?.update();
    stage.render();
    drawCompass();
  }
  if (stage?.quality === "low" && state.playing && !state.recording && performance.now() - told.last < 110) return void (state.frames += 1);
  told.last = performance.now(); // where only software draws, numbers and curves need not change as often as the picture
  for (const chart of charts) chart.draw(t);
  const places = Math.max(2, Math.min(6, 3 - Math.floor(Math.log10(duration))));
  tell($("now"), `${state.t.toFixed(places)} s`);
  tell($("whole"), `/ ${written(span[1])} s`);
  if (document.activeElement !== $("time") || state.playing) $("time").value = String((1000 * (t - span[0])) / duration);
  $("time").setAttribute("aria-valuetext", `${written(t)} seconds`);
  tell($("subtitle"), data.runs.map((run) => told(run, t)).filter(Boolean).join("; "));
  state.frames += 1;
}

/** Words into an element, where they are others than before. */
function tell(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/** What is said of a run at a time: how it ended, or which kind of motion it is where that changes on the way. */
function told(run, t) {
  const kind = run.kinds.findLast(([since]) => since <= t)?.[1];
  const words = t > (run.ended ?? run.t[1]) - 1e-9 && run.outcome ? run.outcome : closed(kind); // a motion of sliders may end before
  return words && data.runs.length > 1 ? `${run.name}: ${words}` : words;
}

/** Of several contacts those that are closed: "cue on cloth rolling". */
function closed(kind) {
  const contacts = kind?.split(", ") ?? [];
  const touching = contacts.filter((one) => !one.endsWith(" open"));
  return contacts.length > 1 && !touching.length ? "all contacts open" : touching.join(", ") || kind;
}

told.last = 0;

let before = performance.now();
let touched = before;
function frame(now) {
  const seconds = Math.min((now - before) / 1000, 0.25);
  before = now;
  if (!state.recording?.frames) {
    if (state.playing && !state.pulled) advance(seconds);
    if (stage) stage.controls.update(seconds);
    if (state.playing || stage?.dirty) touched = now;
    if (stage && now - touched > 300) stage.setMoves(false);
    if (stale || stage?.dirty) {
      if (now - touched < 300) stage?.setMoves(true);
      stale = false;
      draw(seconds);
    }
  }
  requestAnimationFrame(frame);
}

function advance(seconds) {
  state.t += state.speed * seconds;
  if (state.t >= span[1]) {
    state.t = span[1];
    play(false);
  }
  stale = true;
  if (stage) adapt(seconds);
}

const PACE = { slowest: 1 / 22, fastest: 1 / 34, least: 0.25 };
let pace = 1 / 28;
let rested = 0;

/** As many pixels as can be drawn often enough: fewer where frames come late, more again where there is time to spare. */
function adapt(seconds) {
  pace += 0.15 * (seconds - pace);
  rested += 1;
  if (rested < 12 || state.recording) return;
  const { ratio, still } = stage;
  if (pace > PACE.slowest) stage.ratio = Math.max(PACE.least, 0.82 * ratio);
  else if (pace < PACE.fastest) stage.ratio = Math.min(still, 1.12 * ratio);
  if (stage.ratio === ratio) return;
  rested = 0;
  stage.resize();
}

// controls ------------------------------------------------------------------------------------------------------------
$("play").addEventListener("click", () => play(!state.playing));
$("time").addEventListener("input", (event) => {
  play(false);
  seek(span[0] + (Number(event.target.value) / 1000) * duration);
});
$("speed").addEventListener("change", (event) => setSpeed(event.target.selectedIndex));
$("memory").addEventListener("change", (event) => {
  state.memory = event.target.value;
  changed();
});
$("follow").addEventListener("click", () => stage && follow(state.follow === null ? 0 : null));
$("home").addEventListener("click", () => stage && overview());
$("panel").addEventListener("click", () => togglePanel());
$("record").addEventListener("click", () => stage && record());
$("help-button").addEventListener("click", () => help());

function help() {
  $("help").showModal();
  $("help").querySelector("form button").focus(); // not by itself: a frame of a notebook may not take the focus
}

function togglePanel() {
  const hidden = document.body.classList.toggle("no-charts");
  $("panel").setAttribute("aria-pressed", String(!hidden));
}

function cycleMemory() {
  const select = $("memory");
  select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
  state.memory = select.value;
  changed();
}

const jump = (event, sign) => {
  play(false);
  seek(state.t + sign * (event.shiftKey ? duration / 20 : state.speed / 60));
};
const KEYS = {
  " ": () => play(!state.playing),
  ArrowLeft: (event) => jump(event, -1),
  ArrowRight: (event) => jump(event, 1),
  Home: () => seek(span[0]),
  End: () => seek(span[1]),
  ArrowUp: () => setSpeed($("speed").selectedIndex + 1),
  ArrowDown: () => setSpeed($("speed").selectedIndex - 1),
  f: () => follow(state.follow === null ? 0 : null),
  n: () => follow(((state.follow ?? -1) + 1) % followed.length),
  0: () => overview(),
  1: () => overview(new THREE.Vector3(0, -0.001, 1)),
  2: () => overview(new THREE.Vector3(0, -1, 0.04)),
  3: () => overview(new THREE.Vector3(1, 0, 0.04)),
  t: cycleMemory,
  v: () => show("force", !shown.force),
  a: () => show("axes", !shown.axes),
  g: () => show("grid", !shown.grid),
  c: togglePanel,
  l: () => setTheme(state.themeName === "dark" ? "light" : "dark"),
  r: () => record(),
  p: () => savePicture(),
  "?": () => help(),
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const inField = event.target.closest("select") && key !== " ";
  if (inField || !KEYS[key] || (!stage && "fn0123vagrpt".includes(key))) return;
  event.preventDefault();
  KEYS[key](event);
});

// The space bar plays and pauses whatever has the focus, and the Enter key presses a button: one presses at keydown, one at keyup.
addEventListener("keyup", (event) => event.key === " " && !$("help").open && event.preventDefault());

// A list that was used with the mouse gives up the focus, so that keys move the time; one that was reached with Tab keeps it.
let byPointer = false;
addEventListener("pointerdown", () => (byPointer = true), true);
addEventListener("keydown", (event) => (byPointer &&= event.key !== "Tab"), true);
addEventListener("change", (event) => byPointer && event.target.closest?.("select")?.blur());

// beginning -----------------------------------------------------------------------------------------------------------
new ResizeObserver(() => {
  stage?.resize();
  for (const chart of charts) chart.resize(state.themeName);
  makeLabels();
  changed();
}).observe($("stage"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));

setTheme(state.themeName);
makeHint();
if (stage) {
  stage.resize();
  findFollowed();
  showAsBefore();
  firstView();
  if (quality === "low") notice("Software rendering: simpler drawing", 6, true);
} else {
  notice("This browser offers no WebGL, so the motion cannot be drawn; the plots still follow the time.");
}
makeLabels();
if (wishes.has("t")) {
  seek(Number(wishes.get("t")));
  if (opening) open(Infinity); // who asks for a moment wants to see it
}
if (wishes.has("follow") && stage) follow(Number(wishes.get("follow")) || 0);
if (wishes.has("overview") && stage) overview();
if (wishes.has("trail")) $("memory").value = state.memory = wishes.get("trail");
play(!wishes.has("paused") && !wishes.has("t") && !matchMedia("(prefers-reduced-motion: reduce)").matches);
requestAnimationFrame(frame);

/** For other scripts: where things are, and the controls. */
window.viewer = {
  seek, play, follow, overview, show, replace, retake, renew, record, redraw: () => draw(0),
  get span() { return span; },
  get ratio() { return stage?.ratio; },
  get width() { return seenWidth(); },
  get following() { return state.follow; },
  get t() { return state.t; },
  get playing() { return state.playing; },
  get pulled() { return Boolean(state.pulled); },
  get frames() { return state.frames; },
  get quality() { return quality; },
  numbers: (place) => numbers({ array: place }),
  ticks: () => charts.map((chart) => chart.texts),
  /** Where numbers of times stand below the charts, px from left to right of each. */
  times: () => charts.map((chart) => chart.times),
  /** Where the first body is in the view, from −1 to 1 each way. */
  seen: () => stage.runs[0].bodies[0].group.position.clone().project(stage.camera).toArray().slice(0, 2),
  /** Draws the frame of a time as it would be in a film, `seconds` after the frame before. */
  film: (t, seconds) => {
    Object.assign(state, { t, playing: true });
    draw(seconds);
    state.playing = false;
  },
  body: (run = 0, body = 0) => stage.runs[run].bodies[body].group.position.toArray(),
  turn: (run = 0, body = 0) => stage.runs[run].bodies[body].group.quaternion.toArray(),
  stage,
  ground: (i = 0) => stage.views[0].surfaces[i].group.position.toArray(),
};
