// The stage: one canvas, one camera, and one scene for each view.

/** "low" where only software draws, else "high"; null where nothing can. */
function foundQuality() {
  const probe = document.createElement("canvas");
  const gl = probe.getContext("webgl2");
  if (!gl) return null;
  const extension = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(extension ? extension.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name) ? "low" : "high";
}

class Stage {
  constructor(canvas, { quality, themeName }) {
    this.canvas = canvas;
    this.quality = quality;
    const asked = { alpha: false, antialias: quality === "high", powerPreference: "high-performance" };
    const context = canvas.getContext("webgl2", asked); // opaque: the page need not be drawn below it
    this.renderer = new THREE.WebGLRenderer({ canvas, context, ...asked });
    this.renderer.shadowMap.enabled = quality === "high";
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.still = Math.min(devicePixelRatio, 2); // pixels of the canvas for one of the page, while nothing moves
    this.ratio = quality === "high" ? this.still : 0.5; // and while something does
    this.moves = true;
    this.shared = { size: { value: new THREE.Vector2(1, 1) } };
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.dirty = true;
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.build(themeName);
  }

  /** The scenes of the data, anew where there were others. */
  build(themeName) {
    this.themeName = themeName;
    for (const view of this.views ?? []) view.scene.traverse((object) => object.geometry?.dispose());
    const sideBySide = data.layout === "side by side" && data.runs.length > 1;
    const groups = sideBySide ? data.runs.map((_, i) => [i]) : [data.runs.map((_, i) => i)];
    const size = typicalSize();
    this.views = groups.map((members) => this.makeView(members, size));
    this.runs = this.views.flatMap((view) => view.runs);
    for (const run of this.runs) run.sameScale(this.runs[0]);
    this.measure();
    for (const view of this.views) {
      if (view.surfaces.length) continue;
      const { floor: stated, t } = this.runs[0].run;
      const floor = floorEntry(this.middle, stated?.height ?? this.low.z - 0.006 * Math.min(this.radius, size), 3 * this.radius, ...t);
      if (stated) floor.name = stated.name;
      this.addSurface(view, new SurfaceView(floor, this.quality, themeName));
    }
    this.setTheme(themeName);
  }

  makeView(members, size) {
    const view = { scene: new THREE.Scene(), surfaces: [], runs: [], shift: new THREE.Vector3() };
    view.sky = new THREE.HemisphereLight();
    view.sky.position.set(0, 0, 1);
    view.sun = new THREE.DirectionalLight("#fff6e8", 1);
    view.sun.castShadow = this.quality === "high";
    view.sun.shadow.mapSize.set(2048, 2048);
    view.sun.shadow.radius = 5;
    view.fill = new THREE.DirectionalLight("#e8eeff", 0.8);
    view.scene.add(view.sky, view.sun, view.sun.target, view.fill, view.fill.target);
    const made = new Map();
    for (const index of members) {
      const run = data.runs[index];
      let surface = null;
      if (run.surface !== null && run.surface !== undefined) {
        surface = made.get(run.surface) ?? new SurfaceView(data.surfaces[run.surface], this.quality, this.themeName);
        if (!made.has(run.surface)) this.addSurface(view, surface);
        made.set(run.surface, surface);
      }
      for (const other of (run.beside ?? []).filter((one) => !made.has(one))) {
        made.set(other, new SurfaceView(data.surfaces[other], this.quality, this.themeName));
        this.addSurface(view, made.get(other));
      }
      const { quality, themeName, shared } = this;
      const several = data.runs.length > 1;
      const shown = new RunView(run, index, { quality, themeName, shared, several, surface, size });
      view.scene.add(shown.group);
      view.runs.push(shown);
    }
    return view;
  }

  addSurface(view, surface) {
    if (surface.entry.plane && view.surfaces.length) surface.space(view.surfaces[0].spacing[0]); // one grid, round the corner
    view.surfaces.push(surface);
    view.scene.add(surface.group);
  }

  /** Middle and radius of all that is shown. */
  measure() {
    const [low, high] = [new THREE.Vector3(Infinity, Infinity, Infinity), new THREE.Vector3(-Infinity, -Infinity, -Infinity)];
    this.points = [];
    const include = (p, r = 0) => {
      if (!Number.isFinite(p.x + p.y + p.z)) return;
      const steps = r ? [[r, 0, 0], [-r, 0, 0], [0, r, 0], [0, -r, 0], [0, 0, r], [0, 0, -r]] : [[0, 0, 0]];
      for (const [x, y, z] of steps) this.points.push(p.clone().add({ x, y, z }));
      low.min(p.clone().addScalar(-r));
      high.max(p.clone().addScalar(r));
    };
    const p = new THREE.Vector3();
    const grounds = this.views.flatMap((view) => view.surfaces).filter((surface) => !surface.entry.plain);
    for (const surface of grounds) surface.outline().forEach((point) => include(point));
    for (const run of this.runs) {
      const long = run.bodies.filter((body) => body.turns && body.corners); // all of them is seen, and little beside them
      for (const { positions, turns, corners } of long) {
        for (let i = 0; i < positions.count; i += Math.max(1, positions.count >> 7)) {
          const [at, turned] = [positions.at(i, new THREE.Vector3()), turns.at(i, new THREE.Quaternion())];
          for (const corner of corners) include(p.copy(corner).applyQuaternion(turned).add(at));
        }
      }
      const round = run.bodies.filter((body) => !long.includes(body));
      const tracks = [...round.map((b) => [b.positions, b.radius]), ...run.links.flatMap((l) => [[l.from, 0], [l.to, 0]])];
      for (const trail of run.trails) if (!trail.carried) tracks.push([new Vectors(trail.points), 0]);
      for (const [positions, r] of tracks) {
        for (let i = 0; i < positions.count; i += Math.max(1, positions.count >> 8)) include(p.fromArray(positions.values, 3 * i), r);
      }
    }
    if (!this.points.length) include(new THREE.Vector3(), 1); // nothing to see: a camera that stands somewhere
    Object.assign(this, { low, high, middle: low.clone().add(high).multiplyScalar(0.5), spread: high.clone().sub(low) });
    this.radius = Math.max(this.spread.length() / 2, 1e-6);
    this.camera.near = this.radius / 2000;
    this.camera.far = this.radius * 60;
    this.controls.maxDistance = this.radius * 25;
    this.controls.minDistance = this.radius / 400;
    const bodies = this.runs.flatMap((run) => run.bodies.filter((body) => !body.scenery));
    this.ball = Math.max(...bodies.map((body) => body.radius), 0) || 0.03 * this.radius;
    this.girth = Math.max(...bodies.map((body) => body.breadth), 0) || this.ball; // arrows are no longer beside what is slim
  }

  setTheme(themeName) {
    this.themeName = themeName;
    const theme = THEMES[themeName];
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [2, 256];
    const pen = picture.getContext("2d");
    const fading = pen.createLinearGradient(0, 0, 0, 256);
    theme.sky.forEach((color, i) => fading.addColorStop(i, color));
    pen.fillStyle = fading;
    pen.fillRect(0, 0, 2, 256);
    const backdrop = this.quality === "low" ? skyColor(themeName) : new THREE.CanvasTexture(picture);
    if (backdrop.isTexture) backdrop.colorSpace = THREE.SRGBColorSpace;
    for (const view of this.views) {
      view.scene.background = backdrop;
      view.sky.color.set(theme.hemisphere[0]);
      view.sky.groundColor.set(theme.hemisphere[1]);
      view.sky.intensity = theme.hemisphere[2];
      view.sun.intensity = theme.sun;
      for (const surface of view.surfaces) surface.setTheme(themeName);
      for (const run of view.runs) run.setTheme(themeName);
    }
    this.dirty = true;
  }

  /** The camera looks from a direction, at everything or along with a body. */
  look(direction, target, distance) {
    this.controls.target.copy(target);
    this.camera.position.copy(direction).normalize().multiplyScalar(distance).add(target);
    this.controls.update();
    this.dirty = true;
  }

  /** Whether there is more to see below what moves than a plain floor. */
  get hasSurface() {
    return this.views.some((view) => view.surfaces.some((surface) => !surface.entry.plain));
  }

  home(direction = null) {
    const d = this.spread;
    const flat = 0.02 * Math.max(d.x, d.y, d.z) + 2.2 * this.ball;
    const hasFloor = this.views[0].surfaces.some((surface) => surface.entry.plain);
    let usual = new THREE.Vector3(-0.5, -1, 0.74);
    if (hasFloor && d.y < flat) usual = new THREE.Vector3(-0.28, -1, 0.3);
    else if (hasFloor && d.x < flat) usual = new THREE.Vector3(1, -0.28, 0.3);
    else if (hasFloor && d.z < flat) usual = new THREE.Vector3(-0.3, -0.6, 1);
    this.fit((direction ?? openSide(this, usual)).clone().normalize());
  }

  /** Moves the camera as close as the points of the scene allow, looking against a direction. */
  fit(direction) {
    const right = new THREE.Vector3().crossVectors(this.camera.up, direction).normalize();
    const up = new THREE.Vector3().crossVectors(direction, right);
    const tall = Math.tan((this.camera.fov * Math.PI) / 360) * 0.84;
    const wide = tall * this.camera.aspect * 1.06;
    const [xs, ys] = [[Infinity, -Infinity], [Infinity, -Infinity]];
    const points = this.points.map((p) => p.clone().sub(this.middle)).map((p) => [p.dot(right), p.dot(up), p.dot(direction)]);
    // Come as close as possible, centre what is then seen, and again.
    let [x0, y0, distance] = [0, 0, 3 * this.radius];
    for (let round = 0; round < 3; round++) {
      distance = points.reduce((most, [x, y, z]) => Math.max(most, z + Math.max(Math.abs(x - x0) / wide, Math.abs(y - y0) / tall)), 0);
      xs.splice(0, 2, Infinity, -Infinity);
      ys.splice(0, 2, Infinity, -Infinity);
      for (const [x, y, z] of points) {
        const scale = distance / (distance - z);
        xs[0] = Math.min(xs[0], (x - x0) * scale);
        xs[1] = Math.max(xs[1], (x - x0) * scale);
        ys[0] = Math.min(ys[0], (y - y0) * scale);
        ys[1] = Math.max(ys[1], (y - y0) * scale);
      }
      x0 += (xs[0] + xs[1]) / 2;
      y0 += (ys[0] + ys[1]) / 2;
    }
    const target = this.middle.clone().addScaledVector(right, x0).addScaledVector(up, y0);
    this.look(direction, target, Math.max(distance, 1.2 * this.ball));
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    this.renderer.setPixelRatio(this.moves ? this.ratio : this.still);
    this.renderer.setSize(width, height, false);
    Object.assign(this, { width, height, stacked: width < height });
    const n = this.views.length;
    this.shared.size.value.set(this.stacked ? width : width / n, this.stacked ? height / n : height);
    this.camera.aspect = this.shared.size.value.x / this.shared.size.value.y;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  /** Fewer pixels while something moves, where drawing is slow; all of them for what stays. */
  setMoves(on) {
    if (this.moves === on) return;
    this.moves = on;
    if (this.ratio !== this.still) this.resize();
  }

  /** Draws the views; in each the camera is shifted as far as its body is from that of the first. */
  render() {
    const n = this.views.length;
    const { x: w, y: h } = this.shared.size.value;
    this.renderer.setScissorTest(n > 1);
    this.views.forEach((view, i) => {
      const [left, bottom] = this.stacked ? [0, h * (n - 1 - i)] : [w * i, 0];
      this.renderer.setViewport(left, bottom, w, h);
      this.renderer.setScissor(left, bottom, w, h);
      this.light(view);
      this.camera.position.add(view.shift);
      for (const surface of view.surfaces) surface.seenFrom(this.camera);
      this.renderer.render(view.scene, this.camera);
      this.camera.position.sub(view.shift);
    });
    this.dirty = false;
  }

  /** The sun stands over the left shoulder; its shadows are as fine as what is followed allows. */
  light(view) {
    const body = view.runs[0].bodies[0];
    const close = view.runs.length === 1 && view.runs[0].bodies.length === 1 && body.radius < 0.1 * this.radius;
    const target = close ? body.group.position : this.middle;
    const half = close ? 7 * body.radius : 1.3 * this.radius;
    view.sun.target.position.copy(target);
    view.sun.position.copy(target).add(new THREE.Vector3(-0.85, 0.45, 1).multiplyScalar(3.4 * half));
    view.fill.position.set(0.25, -1, 0.45);
    const { camera } = view.sun.shadow;
    if (camera.right !== half) {
      Object.assign(camera, { left: -half, right: half, bottom: -half, top: half, near: half, far: 9 * half });
      camera.updateProjectionMatrix();
      view.sun.shadow.bias = -0.0006;
      view.sun.shadow.normalBias = half / 300;
    }
  }
}

/** Longest side of the box of all bodies and lines, for the width of lines. */
function typicalSize() {
  return Math.max(...data.runs.map((run) => run.size));
}
