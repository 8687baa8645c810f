// Packed arrays and their values at any time.

let data = JSON.parse(document.getElementById("data").textContent);

const unpacked = new Map();

/** Takes other data, of the same form, in place of those that the page came with. */
function receive(next) {
  data = { palette: data.palette, layout: data.layout, title: data.title, surfaces: [], arrays: [], ...next };
  unpacked.clear();
}

/** The numbers of a packed array: Float32Array, or whole numbers where it has no scale. Those of no pack stay as they are. */
function numbers(packed) {
  if (ArrayBuffer.isView(packed)) return packed;
  const place = packed.array;
  if (!unpacked.has(place)) unpacked.set(place, decoded(data.arrays[place]));
  return unpacked.get(place);
}

function decoded({ type, data: text, scale, offset = 0, none = -1 }) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  const Kind = { f4: Float32Array, i2: Int16Array, u2: Uint16Array, u4: Uint32Array }[type];
  const raw = new Kind(bytes.buffer);
  if (scale === undefined) return raw;
  return Float32Array.from(raw, (code) => (code === none ? NaN : offset + scale * code));
}

function shapeOf(packed) {
  return data.arrays[packed.array].shape;
}

/** Equidistant samples [first, last, count] and where a time lies among them. */
class Clock {
  constructor([first, last, count]) {
    Object.assign(this, { first, last, count });
    this.step = count > 1 ? (last - first) / (count - 1) : 1;
  }

  /** Sample number, with a fraction, held at the ends. */
  place(t) {
    return Math.min(Math.max((t - this.first) / this.step, 0), this.count - 1);
  }
}

/** Vectors over time. */
class Vectors {
  constructor(packed) {
    this.values = numbers(packed);
    this.count = this.values.length / 3;
  }

  at(place, out) {
    const i = Math.min(Math.floor(place), Math.max(this.count - 2, 0));
    const f = this.count > 1 ? place - i : 0;
    const v = this.values;
    const a = 3 * i;
    const b = this.count > 1 ? a + 3 : a;
    return out.set(v[a] + f * (v[b] - v[a]), v[a + 1] + f * (v[b + 1] - v[a + 1]), v[a + 2] + f * (v[b + 2] - v[a + 2]));
  }
}

/** Unit quaternions (u0, u1, u2, u3) over time. */
class Turns {
  constructor(packed) {
    this.values = numbers(packed);
    this.count = this.values.length / 4;
    this.next = new THREE.Quaternion();
  }

  at(place, out) {
    const i = Math.min(Math.floor(place), this.count - 1);
    const v = this.values;
    out.set(v[4 * i + 1], v[4 * i + 2], v[4 * i + 3], v[4 * i]).normalize();
    if (i + 1 >= this.count) return out;
    const j = 4 * (i + 1);
    this.next.set(v[j + 1], v[j + 2], v[j + 3], v[j]).normalize();
    return out.slerp(this.next, place - i);
  }
}

/** A quaternion given as (u0, u1, u2, u3). */
function turn(u) {
  return u ? new THREE.Quaternion(u[1], u[2], u[3], u[0]) : new THREE.Quaternion();
}

const GREEK = Object.fromEntries([..."αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ"].map((letter, k) => [(
  "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega " +
  "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega").split(" ")[k], letter]));

/** A name as one says it: Greek letters, with their numbers below the line, where it tells them. */
function spoken(name) {
  const [, word, number] = name.match(/^([A-Za-z]+)_?(\d*)$/) ?? [];
  const low = (number ?? "").replace(/\d/g, (digit) => String.fromCharCode(0x2080 + Number(digit)));
  return Object.hasOwn(GREEK, word ?? "") ? GREEK[word] + low : name;
}

/** 1, 2 or 5 times a power of ten, near a length. */
function niceStep(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  const part = length / power;
  return (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10) * power;
}

/** A number as a person would write it, with about four digits. */
function written(x, digits = 4) {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(2).replaceAll("-", "−").replace("e+", "e");
  const places = Math.max(0, Math.min(digits - 1 - Math.floor(Math.log10(size)), 4));
  return x.toFixed(places).replace("-", "−");
}
