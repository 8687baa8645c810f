// The clock and the controls: play, slider, speed, camera, keys, recording.

const $ = (id) => document.getElementById(id);
const wishes = new URLSearchParams(location.hash.slice(1));
const span = [Math.min(...data.runs.map((run) => run.t[0])), Math.max(...data.runs.map((run) => run.t[1]))];
const duration = span[1] - span[0];
const PLAY = "M8 5.2v13.6a.7.7 0 0 0 1.07.6l10.6-6.8a.7.7 0 0 0 0-1.2L9.07 4.6A.7.7 0 0 0 8 5.2z";
const PAUSE = "M7 5h3.4v14H7zM13.6 5H17v14h-3.4z";

const state = {
  t: span[0], playing: false, speed: 1, follow: null, memory: "recent", recorder: null, frames: 0,
  themeName: wishes.get("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"),
};
document.documentElement.dataset.theme = state.themeName;

const found = foundQuality();
const quality = found && (["low", "high"].includes(wishes.get("quality")) ? wishes.get("quality") : found);
document.documentElement.dataset.quality = quality ?? "none";
const stage = found ? new Stage($("view"), { quality, themeName: state.themeName }) : null;
const charts = makeCharts($("charts"), span, (t) => seek(t));
if (!charts.length) document.body.classList.add("no-charts");

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
  if (!on && state.recorder) stopRecording();
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

// camera ----------------------------------------------------------------------------------------------------------
const followed = stage ? stage.runs.flatMap((run) => run.bodies.map((body) => ({ run, body }))) : [];
const aim = stage && new THREE.Vector3();

function follow(index) {
  const target = followed[index];
  state.follow = target ? index : null;
  $("follow").setAttribute("aria-pressed", String(Boolean(target)));
  if (!target) {
    for (const view of stage.views) view.shift.set(0, 0, 0);
    return;
  }
  const direction = stage.camera.position.clone().sub(stage.controls.target);
  target.body.positions.at(target.run.clock.place(state.t), aim);
  const near = Math.max(24 * target.body.radius, 0.3 * stage.radius);
  stage.look(direction, aim, Math.min(direction.length(), near));
  changed();
}

/** Moves camera and target along with the followed body. */
function moveCamera(seconds) {
  const target = followed[state.follow];
  if (!target) return;
  const goal = target.body.positions.at(target.run.clock.place(state.t), new THREE.Vector3());
  const jump = !state.playing || goal.distanceTo(aim) > 0.5 * stage.radius;
  const step = goal.sub(aim).multiplyScalar(jump ? 1 : 1 - Math.exp(-seconds / 0.12));
  aim.add(step);
  stage.camera.position.add(step);
  stage.controls.target.add(step);
  const place = (run) => run.bodies[0]?.group.position;
  const primary = stage.views.find((view) => view.runs.includes(target.run));
  for (const view of stage.views) {
    if (view !== primary && place(view.runs[0])) view.shift.copy(place(view.runs[0])).sub(target.body.group.position);
    else view.shift.set(0, 0, 0);
  }
}

function overview(direction = null) {
  follow(null);
  stage.home(direction);
  changed();
}

// what is shown -----------------------------------------------------------------------------------------------------
const shown = { surface: true, grid: true, contact: true, center: true, path: true, force: true, axes: true, line: true };

function show(kind, on) {
  shown[kind] = on;
  for (const run of stage.runs) run.show(kind, on);
  for (const view of stage.views) {
    for (const surface of view.surfaces) {
      if (kind === "surface") for (const mesh of surface.meshes) mesh.visible = on;
      if (kind === "grid") surface.look.uShowGrid.value = on ? 1 : 0;
    }
  }
  for (const chip of document.querySelectorAll(`[data-kind="${kind}"]`)) chip.setAttribute("aria-pressed", String(on));
  changed();
}

function makeLegend() {
  const theme = THEMES[state.themeName];
  const one = stage.runs.length === 1;
  const has = (kind) => stage.runs.some((run) => run.kinds[kind].length);
  const ground = stage.views[0].surfaces[0].entry;
  const chips = [
    ["surface", ground.plain ? "floor" : ground.name, ground.plain ? theme.faint : "#5b9a8b", "patch", true],
    ["grid", "grid", theme.soft, "line", true],
    ["contact", "contact", one ? theme.contact : theme.soft, "line", has("contact")],
    ["center", "centre", one ? runColor(0) : theme.soft, "line", has("center")],
    ["path", "trails", theme.soft, "line", has("path")],
    ["line", "lines", "#6d7786", "line", has("line")],
    ["normal", "normal force", MARKS.normal, "line", has("force")],
    ["friction", magnified("friction"), MARKS.friction, "line", has("force")],
    ["axes", "body axes", MARKS.y, "line", has("axes")],
  ];
  $("legend").replaceChildren(
    ...chips.filter((chip) => chip[4]).map(([kind, name, color, form]) => {
      const button = document.createElement("button");
      const group = kind === "normal" || kind === "friction" ? "force" : kind;
      button.className = "chip";
      button.textContent = name;
      Object.assign(button.dataset, { kind: group, form });
      button.style.setProperty("--mark", color);
      button.setAttribute("aria-pressed", String(shown[group]));
      button.addEventListener("click", () => show(group, !shown[group]));
      return button;
    }),
  );
}

/** Friction is often small: its arrows are drawn longer by a factor that the legend tells. */
function magnified(kind) {
  const scale = stage.runs[0].arrows.find((arrow) => arrow.kind === kind)?.scale ?? 1;
  return scale > 1 ? `${kind} force, arrow ×${scale}` : `${kind} force`;
}

function makeHeightBar() {
  const surface = stage.views.flatMap((view) => view.surfaces).find((s) => !s.entry.plain);
  $("heights").hidden = !surface;
  if (!surface) return;
  const bar = $("heights-bar");
  bar.width = 256;
  const pen = bar.getContext("2d");
  const image = pen.createImageData(256, 1);
  image.data.set(heightColors(state.themeName));
  for (let y = 0; y < bar.height; y++) pen.putImageData(image, 0, y);
  const [low, high] = surface.box[2];
  $("heights-low").textContent = written(low, 3);
  $("heights-high").textContent = written(high, 3);
  const flat = high - low < 1e-6 * Math.max(...surface.box.slice(0, 2).map(([from, to]) => to - from));
  for (const scale of [bar, $("heights-low").parentElement]) scale.style.display = flat ? "none" : "";
  const contours = flat ? "" : ` · contours ${written(surface.spacing[1], 1)} m`;
  $("heights-note").textContent = `grid ${written(surface.spacing[0], 1)} m${contours}`;
}

function makeLabels() {
  const several = data.runs.length > 1;
  $("labels").className = stage?.views.length > 1 ? (stage.stacked ? "stacked" : "") : "overlay";
  $("labels").replaceChildren(
    ...(several ? data.runs : []).map((run, i) => {
      const label = document.createElement("span");
      label.textContent = run.name;
      label.style.setProperty("--mark", runColor(i));
      return label;
    }),
  );
}

function setTheme(themeName) {
  state.themeName = themeName;
  document.documentElement.dataset.theme = themeName;
  stage?.setTheme(themeName);
  for (const chart of charts) {
    chart.entries.forEach((entry) => entry.item.style.setProperty("--mark", entry.color(themeName)));
    chart.resize(themeName);
  }
  if (stage) makeLegend(), makeHeightBar();
  changed();
}

/** The directions of X, Y and Z on the screen. */
function drawCompass() {
  const canvas = $("compass");
  const ratio = Math.min(devicePixelRatio, 2);
  canvas.width = canvas.height = 76 * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.font = '600 11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const inverse = stage.camera.quaternion.clone().invert();
  const axes = [["X", 1, 0, 0, MARKS.x], ["Y", 0, 1, 0, MARKS.y], ["Z", 0, 0, 1, MARKS.z]]
    .map(([name, x, y, z, color]) => ({ name, color, v: new THREE.Vector3(x, y, z).applyQuaternion(inverse) }))
    .sort((a, b) => a.v.z - b.v.z);
  for (const { name, color, v } of axes) {
    pen.globalAlpha = 0.7 + 0.3 * v.z;
    pen.strokeStyle = pen.fillStyle = color;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(38, 38);
    pen.lineTo(38 + 22 * v.x, 38 - 22 * v.y);
    pen.stroke();
    pen.fillText(name, 38 + 31 * v.x, 38 - 31 * v.y);
  }
}

// recording -----------------------------------------------------------------------------------------------------------
function record() {
  if (state.recorder) return stopRecording();
  const kind = ["video/mp4;codecs=avc1", "video/webm;codecs=vp9", "video/webm"].find((k) => window.MediaRecorder?.isTypeSupported(k));
  if (!kind) return notice("This browser cannot record films.", 4);
  const pieces = [];
  const recorder = new MediaRecorder($("view").captureStream(60), { mimeType: kind, videoBitsPerSecond: 14e6 });
  recorder.ondataavailable = (event) => event.data.size && pieces.push(event.data);
  recorder.onstop = () => {
    const film = new Blob(pieces, { type: kind });
    if (film.size) save(film, kind.includes("mp4") ? "mp4" : "webm");
    else notice("Nothing was recorded: too short.", 4);
  };
  recorder.start(500);
  state.recorder = recorder;
  $("record").setAttribute("aria-pressed", "true");
  $("record").lastElementChild.textContent = "Stop";
  play(true);
}

function stopRecording() {
  state.recorder.stop();
  state.recorder = null;
  $("record").setAttribute("aria-pressed", "false");
  $("record").lastElementChild.textContent = "Record";
}

function savePicture() {
  draw(0);
  $("view").toBlob((blob) => save(blob, "png"));
}

function save(blob, ending) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${data.title.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase() || "motion"}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function notice(text, seconds, low = false) {
  $("notice").textContent = text;
  $("notice").className = low ? "low" : "";
  $("notice").hidden = false;
  if (seconds) setTimeout(() => ($("notice").hidden = true), 1000 * seconds);
}

// frames --------------------------------------------------------------------------------------------------------------
function draw(seconds) {
  const { t } = state;
  if (stage) {
    for (const view of stage.views) for (const surface of view.surfaces) surface.update(t);
    const distance = stage.camera.position.distanceTo(stage.controls.target);
    const unit = Math.max(3.6 * stage.ball, 0.05 * distance);
    const recent = state.speed * 5 > 0.9 * duration ? duration : Math.max(state.speed * 5, duration / 25);
    for (const run of stage.runs) run.update(t, unit, state.memory, recent);
    moveCamera(seconds);
    stage.render();
    drawCompass();
  }
  for (const chart of charts) chart.draw(t, state.themeName);
  const places = Math.max(2, Math.min(6, 3 - Math.floor(Math.log10(duration))));
  $("clock").innerHTML = `<b></b> <small></small>`;
  $("clock").firstChild.textContent = `${state.t.toFixed(places)} s`;
  $("clock").lastChild.textContent = `/ ${written(span[1])} s`;
  if (document.activeElement !== $("time") || state.playing) $("time").value = String((1000 * (t - span[0])) / duration);
  $("time").setAttribute("aria-valuetext", `${written(t)} seconds`);
  $("subtitle").textContent = data.runs.map((run) => told(run, t)).filter(Boolean).join("; ");
  state.frames += 1;
}

/** What is said of a run at a time: how it ended, or which kind of motion it is where that changes on the way. */
function told(run, t) {
  const kind = run.kinds.findLast(([since]) => since <= t)?.[1];
  const words = t > run.t[1] - 1e-9 && run.outcome ? run.outcome : kind;
  return words && data.runs.length > 1 ? `${run.name}: ${words}` : words;
}

let before = performance.now();
let slow = 0;
function frame(now) {
  const seconds = Math.min((now - before) / 1000, 0.25);
  before = now;
  if (state.playing) {
    state.t += state.speed * seconds;
    if (state.t >= span[1]) {
      state.t = span[1];
      play(false);
    }
    stale = true;
    adapt(seconds);
  }
  if (stage) stage.controls.update(seconds);
  if (stale || stage?.dirty) {
    stale = false;
    draw(seconds);
  }
  requestAnimationFrame(frame);
}

/** Fewer pixels where drawing cannot keep up. */
function adapt(seconds) {
  slow = seconds > 0.05 ? slow + 1 : Math.max(0, slow - 1);
  if (slow < 12 || !stage || stage.ratio <= 0.5 || state.recorder) return;
  slow = 0;
  stage.ratio = Math.max(0.5, 0.75 * stage.ratio);
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
$("help-button").addEventListener("click", () => $("help").showModal());

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
  "?": () => $("help").showModal(),
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const inField = event.target.closest("select") || (event.target.closest("button, summary") && key === " ");
  if (inField || !KEYS[key] || (!stage && "fn0123vagrpt".includes(key))) return;
  event.preventDefault();
  KEYS[key](event);
});

// beginning -----------------------------------------------------------------------------------------------------------
new ResizeObserver(() => {
  stage?.resize();
  for (const chart of charts) chart.resize(state.themeName);
  makeLabels();
  changed();
}).observe($("stage"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));

setTheme(state.themeName);
if (stage) {
  stage.resize();
  stage.home();
  if (quality === "low") notice("Software rendering: simpler drawing", 6, true);
} else {
  notice("This browser offers no WebGL, so the motion cannot be drawn; the plots still follow the time.");
}
makeLabels();
if (wishes.has("t")) seek(Number(wishes.get("t")));
if (wishes.has("follow") && stage) follow(Number(wishes.get("follow")) || 0);
if (wishes.has("trail")) $("memory").value = state.memory = wishes.get("trail");
play(!wishes.has("paused") && !wishes.has("t") && !matchMedia("(prefers-reduced-motion: reduce)").matches);
requestAnimationFrame(frame);

/** For other scripts: where things are, and the controls. */
window.viewer = {
  seek, play, follow, overview, show, span, redraw: () => draw(0),
  get t() { return state.t; },
  get playing() { return state.playing; },
  get frames() { return state.frames; },
  get quality() { return quality; },
  body: (run = 0, body = 0) => stage.runs[run].bodies[body].group.position.toArray(),
  turn: (run = 0, body = 0) => stage.runs[run].bodies[body].group.quaternion.toArray(),
  ground: (i = 0) => stage.views[0].surfaces[i].group.position.toArray(),
};
