// What a body looks like, in its own axes: a shell, a ball, a disc, an ellipsoid, a rod, a box, a wheel, any mesh.

const CLEAR = 0.34; // of a body that has others inside it

/** How finely each of many things is drawn, from 1 for a few down to a half. */
function detail(count) {
  return Math.min(1, Math.max(0.5, Math.sqrt(40 / count)));
}

/** The figure of a body; `shape.turn` and `shape.middle` place it in the axes of the body; `part` of the usual detail. */
function figure(shape, color, ivory, quality, clear = false, part = 1) {
  const group = new THREE.Group();
  const inner = new THREE.Group();
  inner.quaternion.copy(turn(shape.turn));
  if (shape.middle) inner.position.set(...shape.middle);
  group.add(inner);
  const fine = part * (quality === "low" ? 1 : 2);
  const add = (geometry, material) => {
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = true;
    if (clear) {
      Object.assign(material, { transparent: true, opacity: CLEAR, depthWrite: false });
      mesh.renderOrder = 2; // after the trails of what is inside
      mesh.receiveShadow = false;
    }
    inner.add(mesh);
    return mesh;
  };
  FIGURES[shape.kind]({ shape, color, ivory, quality, fine, add, inner });
  return group;
}

const FIGURES = {
  shell: ({ shape, color, ivory, quality, fine, add }) => {
    const sphere = new THREE.SphereGeometry(shape.radius, 32 * fine, 24 * fine);
    add(sphere, shellMaterial(quality, shape.radius, [color, ivory])).receiveShadow = false;
  },
  ellipsoid: ({ shape, color, ivory, quality, fine, add }) => {
    const mesh = add(new THREE.SphereGeometry(1, 32 * fine, 24 * fine), shellMaterial(quality, 1, [color, ivory]));
    mesh.scale.set(...shape.axes);
    mesh.receiveShadow = false;
  },
  dot: ({ shape, color, ivory, quality, fine, add }) => {
    if (shape.toned) return FIGURES.shell({ shape, color, ivory, quality, fine, add });
    const material = solid(quality, color, shape.marker ? { transparent: true, opacity: 0.55 } : {});
    add(new THREE.SphereGeometry(shape.radius, 24 * fine, 16 * fine), material);
  },
  box: ({ shape, color, quality, add, inner }) => {
    const geometry = new THREE.BoxGeometry(...shape.sides);
    add(geometry, solid(quality, color));
    inner.add(new THREE.LineSegments(new THREE.EdgesGeometry(geometry, 30), edgeMaterial()));
  },
  rod: ({ shape, color, quality, fine, add }) => {
    const { radius, length } = shape;
    add(new THREE.CylinderGeometry(radius, radius, length, 20 * fine).rotateX(Math.PI / 2), solid(quality, color));
  },
  disc: ({ shape, color, ivory, quality, fine, add, inner }) => {
    const { radius, width } = shape;
    const whole = new THREE.CylinderGeometry(radius, radius, width, 40 * fine, 1, true).rotateX(Math.PI / 2);
    add(whole, solid(quality, color));
    sectors(radius, width, [color, ivory], quality, fine, add);
    inner.add(new THREE.LineSegments(new THREE.EdgesGeometry(whole, 30), edgeMaterial()));
  },
  wheel: ({ shape, color, ivory, quality, fine, add }) => {
    const { radius, width } = shape;
    const tyre = Math.min(0.5 * width, 0.16 * radius);
    const torus = new THREE.TorusGeometry(radius - tyre, tyre, 8 * fine, 36 * fine);
    if (width > 2 * tyre) torus.scale(1, 1, width / (2 * tyre));
    add(torus, solid(quality, "#3a4250"));
    sectors(radius - tyre, 0.5 * width, [color, ivory], quality, fine, add);
    add(new THREE.CylinderGeometry(0.13 * radius, 0.13 * radius, 1.1 * width, 16 * fine).rotateX(Math.PI / 2), solid(quality, "#3a4250"));
  },
  ring: ({ shape, color, quality, fine, add }) => {
    add(new THREE.TorusGeometry(shape.radius, shape.width / 2, 8 * fine, 60 * fine), solid(quality, color));
  },
  mesh: ({ shape, color, ivory, quality, add, inner }) => {
    const geometry = meshGeometry(shape);
    add(geometry, shape.toned ? quarterMaterial(quality, [color, ivory]) : solid(quality, color, { side: THREE.DoubleSide }));
    inner.add(new THREE.LineSegments(new THREE.EdgesGeometry(geometry, 30), edgeMaterial()));
  },
};

function edgeMaterial() {
  return new THREE.LineBasicMaterial({ color: "#20262f", transparent: true, opacity: 0.35 });
}

/** Quarters of two colours about z, so that the turning is seen. */
function sectors(radius, width, [color, ivory], quality, fine, add) {
  for (let k = 0; k < 4; k++) {
    const quarter = new THREE.CylinderGeometry(radius, radius, width, 12 * fine, 1, false, (k * Math.PI) / 2, Math.PI / 2);
    add(quarter.rotateX(Math.PI / 2), solid(quality, k % 2 ? ivory : color, { side: THREE.DoubleSide }));
  }
}

/** Half the width that a figure shows to most sides, from the box around it: of what is long, less than it reaches. */
function breadth({ half }) {
  const [, second, first] = half.toArray().sort((a, b) => a - b);
  return Math.sqrt(first * second);
}

/** How far a figure reaches from the place of its body. */
function reach(shape) {
  const { kind } = shape;
  const middle = Math.hypot(...(shape.middle ?? [0, 0, 0]));
  if (kind === "box") return middle + Math.hypot(...shape.sides) / 2;
  if (kind === "rod") return middle + Math.hypot(shape.length / 2, shape.radius);
  if (kind === "ellipsoid") return middle + Math.max(...shape.axes);
  return middle + shape.radius;
}
