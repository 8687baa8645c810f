// Surfaces: height grids and meshes, their motion and their change of shape.

/** A surface of the data in the scene; `update(t)` moves it. */
class SurfaceView {
  constructor(entry, quality, themeName) {
    this.entry = entry;
    this.quality = quality;
    this.group = new THREE.Group();
    this.clock = new Clock(entry.t);
    this.moments = new Clock(entry.moments);
    this.moment = -1;
    this.shift = entry.motion ? new Vectors(entry.motion.shift) : null;
    this.turns = entry.motion ? new Turns(entry.motion.turn) : null;
    this.geometries = entry.kind === "height" ? [heightGeometry(entry, quality === "low" ? Math.max(1, Math.ceil(Math.max(entry.x[2], entry.y[2]) / 72)) : 1)] : entry.meshes.map(meshGeometry);
    this.box = localBox(this.geometries);
    const side = Math.max(this.box[0][1] - this.box[0][0], this.box[1][1] - this.box[1][0]);
    this.colors = new THREE.DataTexture(heightColors(themeName), 256, 1, THREE.RGBAFormat);
    this.colors.minFilter = this.colors.magFilter = THREE.LinearFilter;
    this.look = {
      uColors: { value: this.colors },
      uHeights: { value: new THREE.Vector2() },
      uSpacing: { value: new THREE.Vector2() },
      uGrid: { value: null },
      uFlow: { value: new THREE.Vector3() },
      uBorder: { value: { x: this.box[0][0], y: this.box[1][0], z: this.box[0][1], w: this.box[1][1] } },
      uFade: { value: entry.kind === "height" ? entry.fade ?? 0.008 * side : 0 },
      uShowGrid: { value: 1 },
      uSky: { value: new THREE.Color() },
    };
    this.measure();
    this.flow = entry.flow ? new THREE.Vector3(...entry.flow) : null;
    this.carried = new THREE.Group(); // what lies on its material and goes along with it, such as tracks
    this.group.add(this.carried);
    this.meshes = surfaceMaterials(quality, this.look).map((material, i) => {
      const mesh = new THREE.Mesh(this.geometries[0], material);
      mesh.receiveShadow = i === 0;
      mesh.renderOrder = i === 0 ? 0 : 2;
      this.group.add(mesh);
      return mesh;
    });
    this.setTheme(themeName);
  }

  setTheme(themeName) {
    const [r, g, b, a] = THEMES[themeName].grid;
    this.look.uGrid.value = { x: r, y: g, z: b, w: a };
    this.look.uSky.value.copy(skyColor(themeName)).convertLinearToSRGB();
    this.themeName = themeName;
    this.colors.image.data.set(this.entry.plain || this.flat ? plainColors(THEMES[themeName].floor) : heightColors(themeName));
    this.colors.needsUpdate = true;
    if (this.quality === "low") for (const geometry of this.geometries) paint(geometry, this);
  }

  /** From where to where its heights go, whether they differ at all, and how far grid and contours are apart, m. */
  measure() {
    const { kind, z, plane } = this.entry;
    if (kind === "height") this.box[2] = finiteRange(numbers(z));
    const [low, high] = this.box[2];
    const side = Math.max(this.box[0][1] - this.box[0][0], this.box[1][1] - this.box[1][0]);
    this.flat = Boolean(plane) || (kind === "height" && high - low < 1e-6 * side);
    this.look.uHeights.value.set(low, high);
    const step = niceStep(side / 14);
    this.space(step, plane ? step : niceStep(Math.max((high - low) / 12, side / 400)));
  }

  /** How far lines of the grid are apart, and contours, m. */
  space(across, up = across) {
    this.spacing = [across, up];
    this.look.uSpacing.value.set(across, up);
  }

  /** The numbers of the surface have changed, in the arrays that they are in; triangles stay as they are. */
  renew() {
    if (this.entry.kind !== "height" || this.entry.plain) return;
    const { flat } = this;
    this.measure();
    if (this.flat !== flat) this.setTheme(this.themeName);
    this.setHeights(Math.max(this.moment, 0));
  }

  setHeights(moment) {
    setHeights(this.geometries[0], this.entry, moment);
    if (this.quality === "low") paint(this.geometries[0], this);
  }

  /** Whether its material moves, so that a track on it is true only in its own axes. */
  get carries() {
    return Boolean((this.shift && this.shift.count > 1) || this.flow);
  }

  /** Where it is at a time, with what it carries. */
  place(t) {
    if (this.shift) {
      this.shift.at(Math.min(this.clock.place(t), this.shift.count - 1), this.group.position);
      this.turns.at(Math.min(this.clock.place(t), this.turns.count - 1), this.group.quaternion);
    }
    if (this.flow) this.carried.position.copy(this.flow).multiplyScalar(t - this.clock.first);
    this.group.updateMatrixWorld(true);
  }

  update(t) {
    this.shown = t;
    this.place(t);
    if (this.flow) this.look.uFlow.value.copy(this.carried.position);
    const moment = this.moments.place(t);
    if (this.moments.count > 1 && moment !== this.moment) {
      if (this.entry.kind === "height") this.setHeights(moment);
      else for (const mesh of this.meshes) mesh.geometry = this.geometries[Math.round(moment)];
    }
    this.moment = moment;
  }

  /** The far side of a height field is drawn only for a camera that is not above all of it. */
  seenFrom(camera) {
    if (this.entry.kind !== "height" || !this.meshes[0].visible) return;
    this.group.updateMatrixWorld();
    const z = this.group.worldToLocal(camera.position.clone()).z;
    this.meshes[1].visible = this.entry.side > 0 ? z < this.box[2][1] : z > this.box[2][0];
  }

  /** Points that show where the surface reaches, at several times, in the inertial axes. */
  outline() {
    const [result, shown] = [[], this.shown];
    const moments = this.shift && this.shift.count > 1 ? 24 : 1;
    const { array } = this.geometries[0].attributes.position;
    const every = 3 * Math.max(1, Math.floor(array.length / 3 / (moments > 1 ? 300 : 3000)));
    for (let k = 0; k < moments; k++) {
      this.update(this.clock.first + ((this.clock.last - this.clock.first) * k) / Math.max(moments - 1, 1));
      this.group.updateMatrixWorld();
      for (let i = 0; i < array.length; i += every) {
        result.push(new THREE.Vector3().fromArray(array, i).applyMatrix4(this.group.matrixWorld));
      }
      for (const i of this.extremes(array)) result.push(new THREE.Vector3().fromArray(array, i).applyMatrix4(this.group.matrixWorld));
    }
    if (shown !== undefined) this.update(shown);
    return result;
  }

  /** Places of the vertices that reach farthest in several directions: the corners of a patch. */
  extremes(array) {
    const directions = [[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0], [0, 0, 1], [0, 0, -1]];
    return directions.map(([a, b, c]) => {
      let [best, place] = [-Infinity, 0];
      for (let i = 0; i < array.length; i += 3) {
        const value = a * array[i] + b * array[i + 1] + c * array[i + 2];
        if (value > best) [best, place] = [value, i];
      }
      return place;
    });
  }
}

/** Colour and light of each corner, for software that would compute them again and again. */
function paint(geometry, { colors, box, themeName }) {
  const { hemisphere: [above, below, strength], sun } = THEMES[themeName];
  const [sky, ground] = [new THREE.Color(above), new THREE.Color(below)];
  const { array: place } = geometry.attributes.position;
  const { array: normal } = geometry.attributes.normal;
  const tone = geometry.attributes.tone?.array ?? new Float32Array(place.length);
  const [low, high] = box[2];
  const bytes = colors.image.data;
  const lamps = [[-0.85, 0.45, 1, sun, [1, 0.96, 0.88]], [0.25, -1, 0.45, 0.8, [0.8, 0.85, 1]]];
  const lengths = lamps.map(([x, y, z]) => Math.hypot(x, y, z));
  for (let k = 0; k < place.length; k += 3) {
    const level = Math.round(255 * Math.min(Math.max((place[k + 2] - low) / Math.max(high - low, 1e-9), 0), 1));
    const shine = lamps.map(([x, y, z, power], i) => (power * Math.max(0, normal[k] * x + normal[k + 1] * y + normal[k + 2] * z)) / lengths[i]);
    const up = 0.5 + 0.5 * normal[k + 2];
    ["r", "g", "b"].forEach((c, i) => {
      const light = strength * (ground[c] + up * (sky[c] - ground[c])) + shine[0] * lamps[0][4][i] + shine[1] * lamps[1][4][i];
      tone[k + i] = ((bytes[4 * level + i] / 255) ** 2.2 * light / Math.PI) ** (1 / 2.2);
    });
  }
  if (!geometry.attributes.tone) geometry.setAttribute("tone", new THREE.BufferAttribute(tone, 3));
  geometry.attributes.tone.needsUpdate = true;
}

/** A plain floor below a system that has no surface. */
function floorEntry(center, z, size, first, last) {
  const plane = data.arrays.push({ type: "f4", shape: [1, 2, 2], data: btoa("\0".repeat(16)) }) - 1;
  data.arrays[plane].offset = z;
  data.arrays[plane].scale = 1;
  const x = [center.x - size, center.x + size, 2];
  const y = [center.y - size, center.y + size, 2];
  const motion = null;
  const entry = { name: "floor", plain: true, side: 1, kind: "height", x, y, z: { array: plane }, fade: 0.75 * size };
  return { ...entry, motion, t: [first, last, 2], moments: [first, first, 1] };
}

function plainColors(color) {
  const { r, g, b } = new THREE.Color(color).convertLinearToSRGB();
  return Uint8Array.from({ length: 1024 }, (_, i) => Math.round(255 * [r, g, b, 1][i % 4]));
}

/** A grid of triangles over every point, or every second one. */
function heightGeometry(entry, stride) {
  const [, , nx] = entry.x;
  const [, , ny] = entry.y;
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * nx * ny), 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(3 * nx * ny), 3));
  const z = numbers(entry.z);
  const corners = [];
  for (let j = 0; j + 1 < ny; j += stride) {
    for (let i = 0; i + 1 < nx; i += stride) {
      const [a, right] = [j * nx + i, Math.min(stride, nx - 1 - i)];
      const up = Math.min(stride, ny - 1 - j) * nx;
      for (const [p, q, r] of [[a, a + right, a + up + right], [a, a + up + right, a + up]]) {
        if (Number.isFinite(z[p] + z[q] + z[r])) corners.push(...(entry.side > 0 ? [p, q, r] : [p, r, q]));
      }
    }
  }
  geometry.setIndex(corners);
  setHeights(geometry, entry, 0);
  return geometry;
}

/** Positions and normals of a height grid at a moment between two of those stored. */
function setHeights(geometry, entry, moment) {
  const [x0, x1, nx] = entry.x;
  const [y0, y1, ny] = entry.y;
  const [dx, dy] = [(x1 - x0) / (nx - 1), (y1 - y0) / (ny - 1)];
  const z = numbers(entry.z);
  const size = nx * ny;
  const first = Math.floor(moment) * size;
  const second = Math.min(Math.ceil(moment) * size, z.length - size);
  const f = moment - Math.floor(moment);
  const height = new Float32Array(size);
  for (let k = 0; k < size; k++) height[k] = z[first + k] + f * (z[second + k] - z[first + k]);
  const { array: position } = geometry.attributes.position;
  const { array: normal } = geometry.attributes.normal;
  const slope = (k, a, b, step) => {
    const [low, high] = [Number.isFinite(height[a]) ? a : k, Number.isFinite(height[b]) ? b : k];
    return high === low ? 0 : (height[high] - height[low]) / (step * ((high === k) + (low === k) === 1 ? 1 : 2));
  };
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) {
      const k = j * nx + i;
      const sx = slope(k, i > 0 ? k - 1 : k, i + 1 < nx ? k + 1 : k, dx);
      const sy = slope(k, j > 0 ? k - nx : k, j + 1 < ny ? k + nx : k, dy);
      const scale = entry.side / Math.hypot(sx, sy, 1);
      position.set([x0 + i * dx, y0 + j * dy, Number.isFinite(height[k]) ? height[k] : 0], 3 * k);
      normal.set([-sx * scale, -sy * scale, scale], 3 * k);
    }
  }
  geometry.attributes.position.needsUpdate = geometry.attributes.normal.needsUpdate = true;
  geometry.computeBoundingSphere();
}

function meshGeometry({ vertices, triangles }) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(numbers(vertices), 3));
  geometry.setIndex(new THREE.BufferAttribute(numbers(triangles), 1));
  geometry.computeVertexNormals();
  return geometry;
}

function localBox(geometries) {
  const box = [[Infinity, -Infinity], [Infinity, -Infinity], [Infinity, -Infinity]];
  for (const geometry of geometries) {
    const { array } = geometry.attributes.position;
    for (let k = 0; k < array.length; k++) {
      const ends = box[k % 3];
      if (array[k] < ends[0]) ends[0] = array[k];
      if (array[k] > ends[1]) ends[1] = array[k];
    }
  }
  return box;
}

function finiteRange(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}
