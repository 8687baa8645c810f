// One run in the scene: bodies, trails, arrows and lines at a time.

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

/** The figure of a body in its own axes. */
function figure(shape, color, ivory, quality) {
  const group = new THREE.Group();
  const inner = new THREE.Group();
  inner.quaternion.copy(turn(shape.turn));
  group.add(inner);
  const fine = quality === "low" ? 1 : 2;
  const add = (geometry, material) => {
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = true;
    inner.add(mesh);
    return mesh;
  };
  const edges = (geometry) => {
    inner.add(new THREE.LineSegments(new THREE.EdgesGeometry(geometry, 30), new THREE.LineBasicMaterial({ color: "#20262f", transparent: true, opacity: 0.35 })));
  };
  if (shape.kind === "shell") {
    const sphere = new THREE.SphereGeometry(shape.radius, 48 * fine, 32 * fine);
    add(sphere, shellMaterial(quality, shape.radius, [color, ivory])).receiveShadow = false;
  } else if (shape.kind === "dot") {
    const material = solid(quality, color, shape.marker ? { transparent: true, opacity: 0.55 } : {});
    add(new THREE.SphereGeometry(shape.radius, 24 * fine, 16 * fine), material);
  } else if (shape.kind === "box") {
    const geometry = new THREE.BoxGeometry(...shape.sides);
    add(geometry, solid(quality, color));
    edges(geometry);
  } else if (shape.kind === "rod") {
    add(new THREE.CylinderGeometry(shape.radius, shape.radius, shape.length, 20 * fine).rotateX(Math.PI / 2), solid(quality, color));
  } else {
    wheel(shape, color, ivory, quality, add, fine);
  }
  return group;
}

/** A wheel about z: a tyre, a disc in quarters of two colours, a hub. */
function wheel({ radius, width }, color, ivory, quality, add, fine) {
  const tyre = Math.min(0.5 * width, 0.16 * radius);
  const torus = new THREE.TorusGeometry(radius - tyre, tyre, 12 * fine, 48 * fine);
  if (width > 2 * tyre) torus.scale(1, 1, width / (2 * tyre));
  add(torus, solid(quality, "#3a4250"));
  for (let k = 0; k < 4; k++) {
    const quarter = new THREE.CylinderGeometry(radius - tyre, radius - tyre, 0.5 * width, 16 * fine, 1, false, (k * Math.PI) / 2, Math.PI / 2);
    add(quarter.rotateX(Math.PI / 2), solid(quality, k % 2 ? ivory : color, { side: THREE.DoubleSide }));
  }
  add(new THREE.CylinderGeometry(0.13 * radius, 0.13 * radius, 1.1 * width, 20 * fine).rotateX(Math.PI / 2), solid(quality, "#3a4250"));
}

/** How far a figure reaches from its middle. */
function reach(shape) {
  if (shape.kind === "box") return Math.hypot(...shape.sides) / 2;
  if (shape.kind === "rod") return Math.hypot(shape.length / 2, shape.radius);
  return shape.radius;
}

class Trail {
  constructor(points, color, width, shared) {
    this.material = trailMaterial(color, width, shared);
    const count = points.length / 3;
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0], 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.setAttribute("start", new THREE.InstancedBufferAttribute(points.subarray(0, 3 * (count - 1)), 3));
    geometry.setAttribute("stop", new THREE.InstancedBufferAttribute(points.subarray(3), 3));
    geometry.instanceCount = count - 1;
    this.mesh = new THREE.Mesh(geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 1;
    this.count = count;
  }

  update(place, mode, recent) {
    const { uNow, uMemory } = this.material.uniforms;
    uNow.value = mode === "whole" ? this.count : place;
    uMemory.value = mode === "recent" ? recent : 1e9;
    this.mesh.geometry.instanceCount = Math.min(this.count - 1, Math.floor(uNow.value) + 1);
  }
}

class RunView {
  constructor(run, index, { quality, themeName, shared, several, surface, size }) {
    this.run = run;
    this.clock = new Clock(run.t);
    this.group = new THREE.Group();
    this.color = runColor(index);
    this.several = several;
    this.kinds = { contact: [], center: [], path: [], force: [], axes: [], line: [] };
    const theme = THEMES[themeName];
    this.bodies = run.bodies.map((body, i) => {
      const color = several || body.shape.kind === "shell" ? this.color : SERIES[i % SERIES.length];
      const group = figure(body.shape, color, theme.ivory, quality);
      this.group.add(group);
      const radius = reach(body.shape);
      if (body.quaternion) this.addAxes(group, body.shape.kind === "shell" ? radius : 0.45 * radius, quality);
      const turns = body.quaternion ? new Turns(body.quaternion) : null;
      return { name: body.name, group, positions: new Vectors(body.position), turns, radius, color };
    });
    this.trails = run.trails.map((trail, i) => this.addTrail(trail, i, theme, shared, surface));
    this.arrows = run.arrows.map((arrow) => {
      const color = MARKS[arrow.kind];
      // What is behind the body shows through it, faintly.
      const through = new THREE.MeshBasicMaterial({ color, transparent: true, opacity: 0.4, depthTest: false, depthWrite: false });
      const shape = new Arrow(solid(quality, color, { emissive: color, emissiveIntensity: 0.25 }), through);
      this.group.add(shape.group);
      this.kinds.force.push(shape.group);
      return { kind: arrow.kind, shape, at: new Vectors(arrow.at), vectors: new Vectors(arrow.vector), scale: 1 };
    });
    this.force = typicalLength(run.arrows.length ? numbers(run.arrows[0].vector) : []);
    for (const arrow of this.arrows) {
      const part = typicalLength(arrow.vectors.values) / this.force;
      arrow.scale = [1, 2, 5, 10].find((scale) => scale * part > 0.28) ?? 10;
    }
    this.lines = run.lines.map((line) => {
      const mesh = new THREE.Mesh(Arrow.shaft, solid(quality, several ? this.color : "#6d7786"));
      mesh.castShadow = true;
      this.group.add(mesh);
      this.kinds.line.push(mesh);
      return { mesh, from: new Vectors(line.from), to: new Vectors(line.to), width: 0.006 * size };
    });
  }

  /** Forces of all runs are drawn to the scale of the first. */
  sameScale(other) {
    this.force = other.force;
    for (const arrow of this.arrows) arrow.scale = other.arrows.find((a) => a.kind === arrow.kind)?.scale ?? arrow.scale;
  }

  addAxes(group, radius, quality) {
    for (const [axis, direction] of Object.entries({ x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] })) {
      const arrow = new Arrow(solid(quality, MARKS[axis], { emissive: MARKS[axis], emissiveIntensity: 0.2 }));
      arrow.set(new THREE.Vector3(...direction).multiplyScalar(1.75 * radius), 0.055 * radius);
      group.add(arrow.group);
      this.kinds.axes.push(arrow.group);
    }
  }

  addTrail(trail, index, theme, shared, surface) {
    let points = Float32Array.from(numbers(trail.points));
    let parent = this.group;
    if (trail.kind === "contact") {
      lift(points, this.bodies[0].positions.values);
      if (surface?.shift) {
        points = inOwnAxes(points, surface, this.clock);
        parent = surface.group;
      }
    }
    const colors = { contact: this.several ? this.color : theme.contact, center: this.color };
    const color = colors[trail.kind] ?? (this.several ? this.color : this.bodies[index]?.color ?? SERIES[index % SERIES.length]);
    const made = new Trail(points, color, { contact: 2.2, center: 2.6 }[trail.kind] ?? 2.2, shared);
    parent.add(made.mesh);
    this.kinds[trail.kind].push(made.mesh);
    return { ...trail, made };
  }

  /** Everything at time t; `unit` is the length that the typical normal force is drawn with. */
  update(t, unit, mode, recent) {
    const place = this.clock.place(t);
    for (const body of this.bodies) {
      body.positions.at(place, body.group.position);
      if (body.turns) body.turns.at(place, body.group.quaternion);
    }
    for (const trail of this.trails) trail.made.update(place, mode, recent / this.clock.step);
    const vector = new THREE.Vector3();
    for (const { shape, at, vectors, scale } of this.arrows) {
      at.at(place, shape.group.position);
      vectors.at(place, vector).multiplyScalar((scale * unit) / this.force);
      const shown = shape.group.userData.hidden;
      shape.set(vector, 0.05 * unit);
      if (shown) shape.group.visible = false;
    }
    const [a, b] = [new THREE.Vector3(), new THREE.Vector3()];
    for (const line of this.lines) {
      line.from.at(place, a);
      line.to.at(place, b).sub(a);
      const length = b.length();
      line.mesh.visible = length > 0;
      line.mesh.position.copy(a);
      if (length > 0) line.mesh.quaternion.setFromUnitVectors(UP, b.divideScalar(length));
      line.mesh.scale.set(line.width, line.width, Math.max(length, 1e-9));
    }
  }

  show(kind, visible) {
    for (const object of this.kinds[kind] ?? []) {
      object.visible = visible;
      object.userData.hidden = !visible;
    }
  }
}

/** Raises a track on a surface by a fiftieth of the radius towards the centre, so that it is not half buried. */
function lift(points, centers) {
  for (let k = 0; k < points.length; k++) points[k] += 0.025 * (centers[k] - points[k]);
}

/** Points over time as seen from a surface that moves: the track it bears. */
function inOwnAxes(points, surface, clock) {
  const [p, shift, turned] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Quaternion()];
  const result = new Float32Array(points.length);
  for (let i = 0; i < points.length / 3; i++) {
    const place = surface.clock.place(clock.first + i * clock.step);
    surface.shift.at(Math.min(place, surface.shift.count - 1), shift);
    surface.turns.at(Math.min(place, surface.turns.count - 1), turned);
    p.fromArray(points, 3 * i).sub(shift).applyQuaternion(turned.invert()).toArray(result, 3 * i);
  }
  return result;
}

/** Median length of vectors over time; 1 of none. */
function typicalLength(values) {
  const lengths = [];
  for (let k = 0; k + 2 < values.length; k += 3) lengths.push(Math.hypot(values[k], values[k + 1], values[k + 2]));
  lengths.sort((a, b) => a - b);
  return lengths[lengths.length >> 1] || 1;
}
