// What joins points: rods, ropes, springs that stretch, dampers; and the symbols of joints.

const LINKS = {
  rod: { width: 0.0052, color: "#8a94a3" }, rope: { width: 0.0016, color: "#9b8a6e" }, line: { width: 0.0055, color: "#8a94a3" },
  spring: { width: 0.026, color: "#9aa3b0" }, damper: { width: 0.022, color: "#7f8896" }, rail: { width: 0.0045, color: "#9aa3b0" },
};

/** One link in the scene; `size` is that of the scene, m. */
class Link {
  constructor(link, { quality, color, size, detail }) {
    this.kind = LINKS[link.kind] ? link.kind : "line";
    this.name = link.name ?? "";
    this.from = new Vectors(link.from);
    this.to = new Vectors(link.to);
    this.width = LINKS[this.kind].width * size;
    this.group = new THREE.Group();
    this.rest = meanLength(this.from, this.to) || size;
    const material = solid(quality, color ?? LINKS[this.kind].color);
    const add = (geometry) => {
      const mesh = new THREE.Mesh(geometry, material);
      mesh.castShadow = true;
      this.group.add(mesh);
      return mesh;
    };
    if (this.kind === "spring") {
      this.width = Math.min(this.width, 0.12 * this.rest);
      this.parts = [add(coilGeometry(this.rest / this.width, Math.round((quality === "low" ? 8 : 14) * (0.3 + 0.7 * detail)), detail))];
    } else if (this.kind === "damper") {
      this.width = Math.min(this.width, 0.1 * this.rest);
      this.parts = [add(Arrow.shaft), add(Arrow.shaft)];
    } else {
      this.width = Math.min(this.width, 0.2 * this.rest); // the links of a chain are longer than wide
      this.parts = [add(Arrow.shaft)];
    }
  }

  /** From one end to the other at a place in time. */
  update(place) {
    const { group, width, rest, parts } = this;
    this.from.at(place, group.position);
    this.to.at(place, Link.along).sub(group.position);
    const length = Link.along.length();
    group.visible = length > 1e-9 * rest && !group.userData.hidden;
    if (!group.visible) return;
    group.quaternion.setFromUnitVectors(UP, Link.along.divideScalar(length));
    if (this.kind === "spring") {
      parts[0].scale.set(width, width, (width * length) / rest);
    } else if (this.kind === "damper") {
      const pot = Math.min(0.5 * rest, 0.8 * length);
      parts[0].scale.set(width, width, pot);
      parts[1].scale.set(0.35 * width, 0.35 * width, length);
    } else {
      parts[0].scale.set(width, width, length);
    }
  }
}
Link.along = new THREE.Vector3();

/** Mean distance of two points over time. */
function meanLength(from, to) {
  const count = Math.max(from.count, to.count);
  let total = 0;
  for (let i = 0; i < count; i++) {
    const [a, b] = [3 * Math.min(i, from.count - 1), 3 * Math.min(i, to.count - 1)];
    total += Math.hypot(...[0, 1, 2].map((k) => to.values[b + k] - from.values[a + k]));
  }
  return total / count;
}

/** A coil about z of radius 1 and given length, with straight ends; stretched along z it stays a coil. */
function coilGeometry(length, turns, detail) {
  const [steps, sides, wire] = [turns * Math.round(14 * detail), detail < 0.7 ? 3 : 6, 0.12];
  const [positions, normals, corners] = [[], [], []];
  const center = (s) => {
    const inside = Math.min(Math.max((s - 0.12) / 0.76, 0), 1);
    const radius = s < 0.06 || s > 0.94 ? 0 : Math.min(1, (s - 0.06) / 0.06, (0.94 - s) / 0.06);
    const angle = 2 * Math.PI * turns * inside;
    return new THREE.Vector3(radius * Math.cos(angle), radius * Math.sin(angle), s * length);
  };
  for (let i = 0; i <= steps; i++) {
    const s = i / steps;
    const p = center(s);
    const along = center(Math.min(s + 1e-3, 1)).sub(center(Math.max(s - 1e-3, 0))).normalize();
    const side = new THREE.Vector3(-along.y, along.x, 0.3).cross(along).normalize();
    const other = new THREE.Vector3().crossVectors(along, side);
    for (let k = 0; k < sides; k++) {
      const angle = (2 * Math.PI * k) / sides;
      const n = side.clone().multiplyScalar(Math.cos(angle)).addScaledVector(other, Math.sin(angle));
      normals.push(n.x, n.y, n.z);
      positions.push(p.x + wire * n.x, p.y + wire * n.y, p.z + wire * n.z);
    }
  }
  for (let i = 0; i < steps; i++) {
    for (let k = 0; k < sides; k++) {
      const [a, b] = [i * sides + k, i * sides + ((k + 1) % sides)];
      corners.push(a, b, b + sides, a, b + sides, a + sides);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new THREE.Float32BufferAttribute(normals, 3));
  geometry.setIndex(corners);
  return geometry;
}

/** The symbol of a joint: a ball, a hinge along its axis, a slider, or a support that stands on the ground. */
class JointMark {
  constructor(joint, { quality, size }) {
    this.kind = joint.kind;
    this.at = new Vectors(joint.at);
    this.axis = joint.axis ? new Vectors(joint.axis) : null;
    this.group = new THREE.Group();
    const r = 0.0115 * size;
    const [dark, light] = [(this.dark = solid(quality, "#4a525f")), solid(quality, "#d7dbe1")];
    const add = (geometry, material) => this.group.add(new THREE.Mesh(geometry, material));
    if (this.kind === "hinge") {
      add(new THREE.CylinderGeometry(r, r, 2.6 * r, 20).rotateX(Math.PI / 2), dark);
      add(new THREE.CylinderGeometry(0.5 * r, 0.5 * r, 2.9 * r, 16).rotateX(Math.PI / 2), light);
    } else if (this.kind === "slider") {
      add(new THREE.BoxGeometry(2.2 * r, 2.2 * r, 4.4 * r), dark);
    } else {
      add(new THREE.SphereGeometry(r, 18, 12), dark);
      if (this.kind === "support") add(new THREE.ConeGeometry(2.1 * r, 3.2 * r, 4).rotateX(Math.PI / 2).translate(0, 0, -1.9 * r), light);
    }
  }

  setTheme(themeName) {
    this.dark.color.set(themeName === "dark" ? "#8f99a8" : "#4a525f");
  }

  update(place) {
    this.at.at(Math.min(place, this.at.count - 1), this.group.position);
    if (!this.axis) return;
    this.axis.at(Math.min(place, this.axis.count - 1), Link.along);
    if (Link.along.length() > 0) this.group.quaternion.setFromUnitVectors(UP, Link.along.normalize());
  }
}
