// Where one looks from: at first at everything; then, where bodies are small in that, closer, and along with them.

const CLOSE = 0.13; // of a lone body: its width, as a part of the smaller side of the view
const LONG = 0.35; // of a lone body that is long: its length
const LARGE = 0.55; // of several bodies together
const SEEN = 0.1; // from an overview in which the largest body is smaller than this the camera goes closer
const OPENING = [1.5, 1.5]; // s in the overview, and s on the way from there to what is followed

/** What moves, at all times: the middle of all bodies of a run, and how far they reach from it. */
class Action {
  constructor(run) {
    const bodies = run.bodies.filter((body) => !body.scenery);
    const moving = bodies.filter((body) => !body.marker);
    this.run = run;
    this.bodies = moving.length ? moving : bodies;
    this.radius = Math.max(...this.bodies.map((body) => body.radius), 0);
    this.breadth = Math.max(...this.bodies.map((body) => body.breadth), 0);
    this.reach = this.radius;
    const [p, middle] = [new THREE.Vector3(), new THREE.Vector3()];
    const samples = run.clock.count;
    for (let i = 0; i < samples; i += Math.max(1, samples >> 7)) {
      this.middle(i, middle);
      for (const body of this.bodies) this.reach = Math.max(this.reach, body.positions.at(i, p).distanceTo(middle) + body.radius);
      for (const { from, to } of run.links ?? []) {
        for (const end of [from, to]) this.reach = Math.max(this.reach, end.at(Math.min(i, end.count - 1), p).distanceTo(middle));
      }
    }
  }

  middle(place, out) {
    const [low, high, p] = [new THREE.Vector3(1, 1, 1).multiplyScalar(Infinity), new THREE.Vector3(1, 1, 1).multiplyScalar(-Infinity), new THREE.Vector3()];
    for (const body of this.bodies) {
      body.positions.at(place, p);
      low.min(p);
      high.max(p);
    }
    return out.copy(low).add(high).multiplyScalar(0.5);
  }

  at(t, out) {
    return this.middle(this.run.clock.place(t), out);
  }

  /** From where it is seen large enough. */
  distance(camera) {
    const half = Math.tan((camera.fov * Math.PI) / 360) * Math.min(1, camera.aspect);
    if (this.reach > this.radius) return Math.max(this.reach / LARGE, this.breadth / (2 * CLOSE)) / half;
    return Math.max(this.breadth / CLOSE, this.radius / LONG) / half;
  }
}

/** One body of a run as what is followed. */
class Lone extends Action {
  constructor(run, body) {
    super({ bodies: [body], clock: run.clock });
    this.run = run;
  }
}

let followed = [];
const aim = new THREE.Vector3();
const goal = new THREE.Vector3();

/** What can be followed: all bodies of each run together, and each alone. */
function findFollowed() {
  followed = stage.runs.filter((run) => run.bodies.length).map((run) => new Action(run));
  for (const run of stage.runs) if (run.bodies.length > 1) followed.push(...run.bodies.filter((body) => !body.scenery).map((body) => new Lone(run, body)));
}

function follow(index) {
  opening = null;
  const target = followed[index];
  state.follow = target ? index : null;
  $("follow").setAttribute("aria-pressed", String(Boolean(target)));
  if (!target) {
    for (const view of stage.views) view.shift.set(0, 0, 0);
    return;
  }
  const direction = stage.camera.position.clone().sub(stage.controls.target);
  target.at(state.t, aim);
  stage.look(direction, aim, Math.min(target.distance(stage.camera), 2.5 * stage.radius));
  changed();
}

/** Moves camera and target along with what is followed: gently while it plays, at once where one jumps in time. */
function moveCamera(seconds) {
  if (opening && state.playing) open(seconds);
  const target = followed[state.follow];
  if (!target) return;
  target.at(state.t, goal);
  if (state.pulled) goal.sub(state.pulled); // the cursor goes along: the camera stays as far behind as it was
  const far = 0.12 * stage.camera.position.distanceTo(stage.controls.target); // it never leaves the middle of the view
  const gap = goal.distanceTo(aim);
  const part = !state.playing || state.pulled || gap > 8 * far ? 1 : Math.max(1 - Math.exp(-seconds / 0.25), gap > far ? 1 - far / gap : 0);
  const step = goal.sub(aim).multiplyScalar(part);
  aim.add(step);
  stage.camera.position.add(step);
  stage.controls.target.add(step);
  const place = (run) => run.bodies[0]?.group.position;
  const primary = stage.views.find((view) => view.runs.includes(target.run));
  for (const view of stage.views) {
    if (view !== primary && place(view.runs[0])) view.shift.copy(place(view.runs[0])).sub(place(target.run));
    else view.shift.set(0, 0, 0);
  }
}

/** Eighths of a turn about the vertical, in which one looks for the side from which a body is not behind its surface. */
const TURNS = [0, 1, 7, 2, 6, 3, 5, 4];
const HIDDEN = 0.3; // of the time, from which on another side is looked for
const LOOKS = 16; // times at which it is looked

/** The direction nearest to a usual one from which the first body is seen most of the time, and from beside it too. */
function openSide({ views: [{ runs: [run], surfaces }] }, usual) {
  const body = run.bodies.find((one) => !one.scenery);
  const closed = surfaces.filter((surface) => surface.entry.kind === "mesh");
  if (!body || !closed.length || hidden(run, body, closed, usual) < HIDDEN) return usual;
  const up = new THREE.Vector3(0, 0, 1);
  const sides = TURNS.map((_, k) => usual.clone().applyAxisAngle(up, (k * Math.PI) / 4));
  const parts = sides.map((side) => hidden(run, body, closed, side));
  const score = (k) => parts[k] + (parts[(k + 1) % 8] + parts[(k + 7) % 8]) / 2;
  return sides[TURNS.reduce((best, k) => (score(k) < score(best) ? k : best))];
}

/** Part of the time in which surfaces stand between a body and who looks at it from far away in a direction. */
function hidden(run, body, surfaces, direction) {
  const [p, d, turned] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Quaternion()];
  const along = direction.clone().normalize();
  let count = 0;
  for (let k = 0; k < LOOKS; k++) {
    const place = ((run.clock.count - 1) * k) / (LOOKS - 1);
    const t = run.clock.first + place * run.clock.step;
    count += surfaces.some((surface) => {
      surface.place(t);
      surface.group.worldToLocal(body.positions.at(place, p));
      d.copy(along).applyQuaternion(turned.copy(surface.group.quaternion).invert());
      return crossed(surface.geometries[0], p, d, body.radius);
    });
  }
  return count / LOOKS;
}

/** Whether a ray meets the front of a triangle, farther away than a distance. */
function crossed({ attributes: { position: { array } }, index: { array: corners } }, p, d, distance) {
  for (let k = 0; k < corners.length; k += 3) {
    const [a, b, c] = [3 * corners[k], 3 * corners[k + 1], 3 * corners[k + 2]];
    const [ax, ay, az] = [array[a] - p.x, array[a + 1] - p.y, array[a + 2] - p.z];
    const [ux, uy, uz] = [array[b] - array[a], array[b + 1] - array[a + 1], array[b + 2] - array[a + 2]];
    const [vx, vy, vz] = [array[c] - array[a], array[c + 1] - array[a + 1], array[c + 2] - array[a + 2]];
    const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const facing = nx * d.x + ny * d.y + nz * d.z;
    if (facing <= 0) continue; // its back is clear
    if (ax * nx + ay * ny + az * nz <= distance * facing) continue;
    const [qx, qy, qz] = [d.y * az - d.z * ay, d.z * ax - d.x * az, d.x * ay - d.y * ax]; // d × a
    const [r, s] = [-(qx * vx + qy * vy + qz * vz), qx * ux + qy * uy + qz * uz];
    if (r >= 0 && s >= 0 && r + s <= facing) return true;
  }
  return false;
}

function overview(direction = null) {
  follow(null); // and ends the opening
  stage.home(direction);
  changed();
}

/** The way from the overview to what is followed: how long it has taken, s, and where it began; null where there is none. */
let opening = null;

/** The first view: all of it. Where a body is too small in that, the camera goes to it. Dots are as large as one wants anyway. */
function firstView() {
  stage.home();
  const main = followed[0];
  stage.controls.addEventListener("start", () => (opening = null));
  if (!main || main.bodies.every((body) => body.symbol)) return;
  const away = stage.camera.position.distanceTo(stage.controls.target);
  const half = Math.tan((stage.camera.fov * Math.PI) / 360) * Math.min(1, stage.camera.aspect);
  if (main.breadth / (away * half) < SEEN && main.distance(stage.camera) < 0.7 * away) opening = { seconds: 0, from: null };
}

/** Goes on from the overview towards what is followed: a body comes to the middle of the view as it grows. */
function open(seconds) {
  const { camera, controls } = stage;
  const [rest, way] = OPENING;
  opening.seconds += seconds;
  if (opening.seconds < rest) return;
  const main = followed[0].at(state.t, new THREE.Vector3());
  opening.from ??= { aside: controls.target.clone().sub(main), offset: camera.position.clone().sub(controls.target) };
  const { aside, offset } = opening.from;
  const part = Math.min((opening.seconds - rest) / way, 1);
  const eased = part * part * (3 - 2 * part);
  const [far, near] = [offset.length(), Math.min(followed[0].distance(camera), 2.5 * stage.radius)];
  const low = stage.hasSurface ? 0.42 : 0.34; // low enough that hills stand out, high enough that the way ahead shows
  const end = offset.clone().setZ(0).normalize().setZ(low / Math.sqrt(1 - low * low)).normalize();
  const distance = far * (near / far) ** eased;
  const target = aside.clone().multiplyScalar((1 - eased) * (distance / far)).add(main);
  stage.look(offset.clone().normalize().lerp(end, eased), target, distance);
  if (part === 1) follow(0);
}

/** Width of the largest body on the screen, px. */
function seenWidth() {
  const away = stage.camera.position.distanceTo(stage.controls.target);
  const half = Math.tan((stage.camera.fov * Math.PI) / 360);
  return (Math.max(...followed.map((one) => one.radius)) / (away * half)) * stage.height;
}

/** The directions of X, Y and Z on the screen; drawn only where the camera has turned. */
function drawCompass() {
  const canvas = $("compass");
  const turned = `${state.themeName} ${stage.camera.quaternion.toArray().map((u) => u.toFixed(4)).join()}`;
  if (canvas.dataset.turned === turned) return;
  canvas.dataset.turned = turned;
  const ratio = Math.min(devicePixelRatio, 2);
  canvas.width = canvas.height = 76 * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const disc = pen.createRadialGradient(38, 38, 22, 38, 38, 38); // seen before a surface of any colour
  [["cc", 0], ["00", 1]].forEach(([opacity, at]) => disc.addColorStop(at, THEMES[state.themeName].panel + opacity));
  pen.fillStyle = disc;
  pen.fillRect(0, 0, 76, 76);
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
