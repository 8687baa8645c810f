// One run in the scene: bodies, trails, arrows and links at a time.

const UP = new THREE.Vector3(0, 0, 1);

/** An arrow along z of length 1, its shaft and head scaled apart so that the head keeps its form. */
class Arrow {
  constructor(material, through = null) {
    this.group = new THREE.Group();
    this.shaft = new THREE.Mesh(Arrow.shaft, material);
    this.head = new THREE.Mesh(Arrow.head, material);
    this.group.add(this.shaft, this.head);
    if (through) {
      for (const part of [this.shaft, this.head]) {
        const ghost = new THREE.Mesh(part.geometry, through);
        ghost.renderOrder = 3;
        part.add(ghost);
      }
    }
  }

  /** Along a vector, with a given width of the shaft. */
  set(vector, width) {
    const length = vector.length();
    this.group.visible = Number.isFinite(length) && length > 0.2 * width;
    if (!this.group.visible) return;
    this.group.quaternion.setFromUnitVectors(UP, vector.clone().divideScalar(length));
    const head = Math.min(4.2 * width, 0.6 * length);
    this.shaft.scale.set(width / 2, width / 2, length - head);
    this.head.scale.set((1.35 * width * head) / (4.2 * width), (1.35 * width * head) / (4.2 * width), head);
    this.head.position.z = length - head;
  }
}
Arrow.shaft = new THREE.CylinderGeometry(1, 1, 1, 20).rotateX(Math.PI / 2).translate(0, 0, 0.5);
Arrow.head = new THREE.ConeGeometry(1, 1, 28).rotateX(Math.PI / 2).translate(0, 0, 0.5);

/** The path of a point as a ribbon of constant width on the screen, in pieces: those that are not seen are not drawn. */
class Trail {
  constructor(color, width, shared) {
    this.material = trailMaterial(color, width, shared);
    this.mesh = new THREE.Group();
  }

  /** Through points, `fine` of them for each sample of the run. */
  take(points, fine) {
    for (const piece of this.mesh.children) piece.geometry.dispose();
    this.mesh.clear();
    this.count = points.length / 3;
    this.fine = fine;
    for (let first = 0; first < this.count - 1; first += Trail.piece) this.mesh.add(this.piece(points, first));
  }

  piece(points, first) {
    const geometry = new THREE.InstancedBufferGeometry();
    const count = Math.min(Trail.piece, this.count - 1 - first);
    geometry.setAttribute("position", new THREE.Float32BufferAttribute([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0], 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.setAttribute("start", new THREE.InstancedBufferAttribute(points.slice(3 * first, 3 * (first + count)), 3));
    geometry.setAttribute("stop", new THREE.InstancedBufferAttribute(points.slice(3 * first + 3, 3 * (first + count) + 3), 3));
    geometry.setAttribute("order", new THREE.InstancedBufferAttribute(Float32Array.from({ length: count }, (_, k) => first + k), 1));
    const mesh = new THREE.Mesh(geometry, this.material);
    mesh.frustumCulled = false;
    mesh.renderOrder = 1;
    Object.assign(mesh.userData, { first, count });
    return mesh;
  }

  update(place, mode, recent) {
    const { uNow, uMemory } = this.material.uniforms;
    uNow.value = mode === "whole" ? this.count : place * this.fine;
    uMemory.value = mode === "recent" ? recent * this.fine : 1e9;
    for (const piece of this.mesh.children) {
      const { first, count } = piece.userData;
      piece.visible = first < uNow.value && first + count > uNow.value - uMemory.value;
      piece.geometry.instanceCount = Math.max(0, Math.min(count, Math.floor(uNow.value) + 1 - first));
    }
  }
}
Trail.piece = 200;

class RunView {
  constructor(run, index, { quality, themeName, shared, several, surface, size }) {
    Object.assign(this, { several, surface, index, quality, shared, size, themeName });
    this.theme = THEMES[themeName];
    this.group = new THREE.Group();
    this.color = runColor(index);
    this.kinds = { contact: [], center: [], path: [], normal: [], friction: [], applied: [], constraint: [], axes: [], line: [], joint: [] };
    this.detail = detail(run.bodies.length + run.links.length);
    this.alone = run.bodies.filter((body) => !body.scenery && !body.shape.marker).length === 1;
    this.run = run;
    this.bodies = run.bodies.map((body, i) => this.makeBody(body, i));
    this.trails = run.trails.map((trail, i) => this.makeTrail(trail, i));
    this.arrows = run.arrows.map((arrow) => this.makeArrow(arrow));
    this.links = [...run.links, ...run.lines].map((link) => this.makeLink(link));
    this.joints = run.joints.map((joint) => this.makeJoint(joint));
    this.take(run);
  }

  /** The motion that is shown; another one of the same system may come later. */
  take(run) {
    this.run = run;
    this.clock = new Clock(run.t);
    this.bodies.forEach((body, i) => {
      body.positions = new Vectors(run.bodies[i].position);
      body.turns = run.bodies[i].quaternion ? new Turns(run.bodies[i].quaternion) : null;
    });
    this.trails.forEach((trail, i) => this.takeTrail(trail, run.trails[i]));
    this.arrows.forEach((arrow, i) => {
      arrow.at = new Vectors(run.arrows[i].at);
      arrow.vectors = new Vectors(run.arrows[i].vector);
    });
    [...run.links, ...run.lines].forEach(({ from, to }, i) => {
      this.links[i].from = new Vectors(from);
      this.links[i].to = new Vectors(to);
    });
    this.joints.forEach((joint, i) => (joint.at = new Vectors(run.joints[i].at)));
    this.scaleArrows();
  }

  /** The numbers of the run have changed, in the arrays that they are in. */
  renew() {
    this.take(this.run);
  }

  makeBody(body, i) {
    const { shape, name, tone } = body;
    const own = this.several || (this.alone && shape.kind === "shell") ? this.color : seriesColor(name, tone, this.themeName);
    const color = body.scenery ? LINKS.rod.color : own;
    const group = figure(shape, color, this.theme.ivory, this.quality, body.clear, this.detail);
    this.group.add(group);
    const box = ownBox(group);
    if (this.surface && !body.scenery && this.alone && ROUND.has(shape.kind)) shimmer(group, color);
    const first = !name || this.run.bodies.findIndex((other) => other.name === name) === i; // of several figures of a body
    if (body.quaternion && !body.scenery && first) this.addAxes(group, box, shape.kind === "shell");
    const [marker, scenery, symbol] = [shape.marker, body.scenery, shape.marker !== undefined].map(Boolean);
    return { name, index: i, group, radius: reach(shape), breadth: breadth(box), corners: ROUND.has(shape.kind) ? null : cornersOf(box), color, marker, scenery, symbol };
  }

  makeArrow({ kind }) {
    const color = MARKS[kind];
    // What is behind the body shows through it, faintly.
    const through = new THREE.MeshBasicMaterial({ color, transparent: true, opacity: 0.4, depthTest: false, depthWrite: false });
    const shape = new Arrow(solid(this.quality, color, { emissive: color, emissiveIntensity: 0.25 }), through);
    this.group.add(shape.group);
    this.kinds[kind].push(shape.group);
    return { kind, shape, scale: 1 };
  }

  /** The length of arrows: that of the first kind is typical, and a kind that is much smaller is drawn larger. */
  scaleArrows() {
    const { quiet = 0 } = this.run;
    const typical = (kind) => Math.max(0, ...this.arrows.filter((a) => a.kind === kind).map((a) => typicalLength(a.vectors.values, quiet)));
    this.force = (this.arrows.length && typical(this.arrows[0].kind)) || 1;
    for (const arrow of this.arrows) {
      const part = typical(arrow.kind) / this.force;
      arrow.scale = arrow.kind === "friction" && part ? [1, 2, 5, 10].find((scale) => scale * part > 0.28) ?? 10 : 1;
    }
  }

  makeLink(link) {
    const { quality, size, detail } = this;
    const made = new Link(link, { quality, size, detail, color: this.several ? this.color : link.color });
    this.group.add(made.group);
    this.kinds.line.push(made.group);
    return made;
  }

  makeJoint(joint) {
    const made = new JointMark(joint, this);
    this.group.add(made.group);
    this.kinds.joint.push(made.group);
    return made;
  }

  /** Forces of all runs are drawn to the scale of the first. */
  sameScale(other) {
    this.force = other.force;
    for (const arrow of this.arrows) arrow.scale = other.arrows.find((a) => a.kind === arrow.kind)?.scale ?? arrow.scale;
  }

  /** Axes of a body that stick out of it by as much each. */
  addAxes(group, { half, turned, shifted }, round) {
    const mean = Math.cbrt(half.x * half.y * half.z);
    const back = turned.clone().invert();
    for (const [axis, direction] of Object.entries({ x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] })) {
      const arrow = new Arrow(solid(this.quality, MARKS[axis], { emissive: MARKS[axis], emissiveIntensity: 0.2 }));
      const along = new THREE.Vector3(...direction);
      const own = along.clone().applyQuaternion(back);
      const inside = Math.min(half.x / Math.abs(own.x), half.y / Math.abs(own.y), half.z / Math.abs(own.z));
      const length = inside + Math.abs(along.dot(shifted)) + (round ? 0.75 : 0.5) * mean;
      arrow.set(along.multiplyScalar(length), 0.055 * mean);
      group.add(arrow.group);
      this.kinds.axes.push(arrow.group);
    }
  }

  makeTrail(trail, index) {
    const usual = { contact: this.theme.contact, center: this.color }[trail.kind] ?? seriesColor(trail.name, index, this.themeName);
    const color = this.several ? this.color : this.bodies.find((body) => body.name === trail.name)?.color ?? usual;
    const made = new Trail(color, { contact: 2.2, center: 2.6 }[trail.kind] ?? 2.2, this.shared);
    const carried = trail.kind === "contact" && this.surface?.carries;
    (carried ? this.surface.carried : this.group).add(made.mesh);
    this.kinds[trail.kind].push(made.mesh);
    return { kind: trail.kind, name: trail.name, made, carried };
  }

  takeTrail(trail, { points: packed, fine = 1 }) {
    let points = Float32Array.from(numbers(packed));
    if (trail.kind === "contact") lift(points, this.bodies[0].positions, fine);
    if (trail.carried) points = inOwnAxes(points, this.surface, this.clock, fine);
    trail.points = points;
    trail.made.take(points, fine);
  }

  /** Everything at time t; `unit` is the length that the typical force is drawn with. */
  update(t, unit, mode, recent) {
    const place = this.clock.place(t);
    for (const body of this.bodies) {
      body.positions.at(place, body.group.position);
      if (body.turns) body.turns.at(place, body.group.quaternion);
    }
    for (const trail of this.trails) trail.made.update(place, mode, recent / this.clock.step);
    for (const { shape, at, vectors, scale } of this.arrows) {
      if (shape.group.userData.hidden) continue;
      at.at(place, shape.group.position);
      vectors.at(place, RunView.vector).multiplyScalar((scale * unit) / this.force);
      shape.set(RunView.vector, 0.05 * unit);
    }
    for (const link of this.links) link.update(place);
    for (const joint of this.joints) joint.update(place);
  }

  /** What is drawn in ink has that of the theme. */
  setTheme(themeName) {
    const { ink } = THEMES[themeName];
    const inked = (name, kind) => !this.several && (kind === "contact" || QUANTITIES[name] === "ink");
    for (const { name, kind, made } of this.trails) if (inked(name, kind)) made.material.uniforms.uColor.value.set(ink);
    for (const joint of this.joints) joint.setTheme(themeName);
    for (const { name, group, marker } of this.bodies) if (marker && inked(name)) group.traverse((part) => part.material?.color.set(ink));
  }

  show(kind, visible) {
    for (const object of this.kinds[kind] ?? []) {
      object.visible = visible;
      object.userData.hidden = !visible;
    }
  }
}
RunView.vector = new THREE.Vector3();

const ROUND = new Set(["shell", "dot", "ellipsoid", "disc", "wheel", "ring"]); // they reach as far whichever way they turn

/** The box about a figure in the axes of its shape: half its sides, and how it is turned and shifted in those of the body. */
function ownBox(group) {
  const [inner] = group.children;
  const [turned, shifted] = [inner.quaternion.clone(), inner.position.clone()];
  inner.quaternion.identity();
  inner.position.set(0, 0, 0);
  const half = extentOf(group);
  inner.quaternion.copy(turned);
  inner.position.copy(shifted);
  return { half, turned, shifted };
}

const BEHIND = 6; // three.js's GreaterDepth: drawn only where something stands before it

/** A body that a surface hides shimmers through it, faintly: one never loses sight of what moves. */
function shimmer(group, color) {
  const hidden = { color, transparent: true, opacity: 0.28, depthFunc: BEHIND, depthWrite: false };
  const material = new THREE.MeshBasicMaterial(hidden);
  const meshes = [];
  group.traverse((part) => part.isMesh && meshes.push(part));
  for (const mesh of meshes) {
    const ghost = new THREE.Mesh(mesh.geometry, material);
    ghost.renderOrder = 3;
    mesh.add(ghost);
  }
}

function cornersOf({ half, turned, shifted }) {
  const signs = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => new THREE.Vector3(x, y, z))));
  return signs.map((sign) => sign.multiply(half).applyQuaternion(turned).add(shifted));
}

/** How far a figure reaches along each axis of its body. */
function extentOf(group) {
  const [most, p] = [new THREE.Vector3(1e-9, 1e-9, 1e-9), new THREE.Vector3()];
  group.updateMatrixWorld(true);
  group.traverse((part) => {
    const places = part.geometry?.attributes.position;
    for (let i = 0; i < (places?.count ?? 0); i++) {
      p.fromBufferAttribute(places, i).applyMatrix4(part.matrixWorld);
      most.set(Math.max(most.x, Math.abs(p.x)), Math.max(most.y, Math.abs(p.y)), Math.max(most.z, Math.abs(p.z)));
    }
  });
  return most;
}

/** Raises a track on a surface by a fortieth of the radius towards the centre, so that it is not half buried. */
function lift(points, centers, fine) {
  const center = new THREE.Vector3();
  for (let i = 0; i < points.length / 3; i++) {
    centers.at(i / fine, center);
    for (let k = 0; k < 3; k++) points[3 * i + k] += 0.025 * (center.getComponent(k) - points[3 * i + k]);
  }
}

/** Points over time as seen from a surface that moves: the track it bears. */
function inOwnAxes(points, surface, clock, fine) {
  const p = new THREE.Vector3();
  const result = new Float32Array(points.length);
  for (let i = 0; i < points.length / 3; i++) {
    surface.place(clock.first + (i / fine) * clock.step);
    p.fromArray(points, 3 * i);
    surface.carried.worldToLocal(p).toArray(result, 3 * i);
  }
  return result;
}

/** Median length of vectors over the time in which they are more than nothing; 0 where they never are. */
function typicalLength(values, nothing) {
  const lengths = [];
  for (let k = 0; k + 2 < values.length; k += 3) lengths.push(Math.hypot(values[k], values[k + 1], values[k + 2]));
  const some = lengths.filter((length) => length > nothing).sort((a, b) => a - b);
  return some[some.length >> 1] ?? 0;
}
