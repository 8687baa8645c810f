// What is shown: the legend, whose chips show and hide; the scale of heights; names of runs; notices.

const shown = {
  surface: true, grid: true, contact: true, center: true, path: true, normal: true, friction: true, applied: false,
  constraint: false, axes: true, line: true, joint: true,
};
const FORCES = ["normal", "friction", "applied", "constraint"];

function show(kind, on) {
  for (const one of kind === "force" ? FORCES : [kind]) {
    shown[one] = on;
    for (const run of stage.runs) run.show(one, on);
    for (const chip of document.querySelectorAll(`[data-kind="${one}"]`)) chip.setAttribute("aria-pressed", String(on));
  }
  for (const view of stage.views) {
    for (const surface of view.surfaces) {
      if (kind === "surface") for (const mesh of surface.meshes) mesh.visible = on;
      if (kind === "grid") surface.look.uShowGrid.value = on ? 1 : 0;
    }
  }
  changed();
}

/** Shows and hides again what was shown and hidden, after the scene was made anew. */
function showAsBefore() {
  for (const [kind, on] of Object.entries(shown)) if (!on) show(kind, false);
}

function makeLegend() {
  const theme = THEMES[state.themeName];
  const one = stage.runs.length === 1;
  const lone = one && stage.runs[0].alone;
  const has = (kind) => stage.runs.some((run) => run.kinds[kind].length);
  const ground = stage.views[0].surfaces[0];
  const carried = stage.runs.some((run) => run.trails.some((trail) => trail.carried));
  const chips = [
    ["surface", ground.entry.name, ground.entry.plain || ground.flat ? theme.faint : "#5b9a8b", "patch", true],
    ["grid", "grid", theme.soft, "line", true],
    ["contact", carried ? `contact, on the moving ${ground.entry.name}` : "contact", one ? theme.contact : theme.soft, "line", has("contact")],
    ["center", `${lone || !one ? "centre" : "centres"}${carried ? ", in space" : ""}`, lone ? runColor(0) : theme.soft, "line", has("center")],
    ["path", "trails", theme.soft, "line", has("path")],
    ["line", linkNames(), "#8a94a3", "line", has("line")],
    ["joint", "joints", "#4a525f", "patch", has("joint")],
    ["normal", "normal force", MARKS.normal, "line", has("normal")],
    ["friction", magnified("friction"), MARKS.friction, "line", has("friction")],
    ["applied", "applied forces", MARKS.applied, "line", has("applied")],
    ["constraint", "constraint forces", MARKS.constraint, "line", has("constraint")],
    ["axes", "body axes", MARKS.y, "line", has("axes")],
  ];
  $("legend").replaceChildren(
    ...chips.filter((chip) => chip[4]).map(([kind, name, color, form]) => {
      const button = document.createElement("button");
      button.className = "chip";
      button.textContent = name;
      Object.assign(button.dataset, { kind, form });
      button.style.setProperty("--mark", color);
      button.setAttribute("aria-pressed", String(shown[kind]));
      button.addEventListener("click", () => show(kind, !shown[kind]));
      return button;
    }),
  );
}

/** "rods", "springs and dampers", …: what the links of the runs are. */
function linkNames() {
  const kinds = [...new Set(stage.runs.flatMap((run) => run.links.map((link) => link.kind)))].map((kind) => `${kind}s`);
  return kinds.length > 1 ? `${kinds.slice(0, -1).join(", ")} and ${kinds.at(-1)}` : kinds[0] ?? "lines";
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
  const rounded = (height) => written(Math.abs(height) < 1e-4 * (high - low) ? 0 : height, 3);
  $("heights-low").textContent = rounded(low);
  $("heights-high").textContent = rounded(high);
  $("heights").classList.toggle("flat", surface.flat);
  const contours = surface.flat ? "" : ` · contours ${written(surface.spacing[1], 1)} m`;
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

function notice(text, seconds, low = false) {
  $("notice").textContent = text;
  $("notice").className = low ? "low" : "";
  $("notice").hidden = false;
  if (seconds) setTimeout(() => ($("notice").hidden = true), 1000 * seconds);
}

/** Where a system has nothing that could be drawn: why, and what to write instead, with its own names. */
function makeHint() {
  const { hint } = data;
  $("hint").hidden = !hint;
  if (!hint) return;
  $("hint-words").textContent = hint.words;
  $("hint-code").textContent = hint.code;
}
