// How things look: surfaces with grid and contours, shells in two colours, trails of constant width on the screen.

const LINES = /* glsl */ `
  float gridLine(float x, float width) {
    float w = fwidth(x);
    float d = abs(fract(x - 0.5) - 0.5) / max(w, 1e-6);
    return (1.0 - smoothstep(width - 0.5, width + 0.5, d)) * (1.0 - smoothstep(0.25, 0.6, w));
  }`;

const FINE = /* glsl */ `
    vec3 small = marked * 5.0;
    float fine = max(gridLine(small.x, 0.4) * (1.0 - up.x * up.x), gridLine(small.y, 0.4) * (1.0 - up.y * up.y));
    fine *= 1.0 - smoothstep(0.02, 0.09, max(fwidth(small.x), fwidth(small.y)));`;

/** A lit material whose colour a piece of shader code changes; `vPlace`, `vUp`: position and normal in own axes. */
function paintedMaterial(quality, settings, uniforms, declarations, code) {
  const Kind = quality === "low" ? THREE.MeshLambertMaterial : THREE.MeshStandardMaterial;
  const material = new Kind(settings);
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vPlace;\nvarying vec3 vUp;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvPlace = position;\nvUp = normal;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\nvarying vec3 vPlace;\nvarying vec3 vUp;\n${declarations}`)
      .replace("#include <color_fragment>", `#include <color_fragment>\n${code}`);
  };
  material.customProgramCacheKey = () => declarations + code;
  return material;
}

/** The same where only software draws: light and colour computed once for each corner, lines in plain arithmetic, opaque. */
function plainSurfaceMaterials(look) {
  const make = (extra, alpha) => new THREE.ShaderMaterial({
    ...extra,
    uniforms: look,
    vertexShader: `
      uniform vec3 uFlow; uniform vec2 uSpacing;
      attribute vec3 tone;
      varying vec3 vTone; varying vec3 vMark; varying vec3 vWeight; varying vec2 vPlace;
      void main() {
        vTone = tone;
        vMark = vec3((position.xy - uFlow.xy) / uSpacing.x, position.z / uSpacing.y);
        vWeight = vec3(1.0 - normal.xy * normal.xy, 0.62 * clamp(50.0 * (1.0 - normal.z * normal.z), 0.0, 1.0));
        vPlace = position.xy;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: `
      uniform vec4 uGrid, uBorder; uniform vec3 uSky; uniform float uFade, uShowGrid;
      varying vec3 vTone; varying vec3 vMark; varying vec3 vWeight; varying vec2 vPlace;
      void main() {
        vec3 w = max(fwidth(vMark), vec3(1e-6));
        vec3 d = abs(fract(vMark - 0.5) - 0.5) / w;
        vec3 on = vWeight * clamp(1.1 - d, 0.0, 1.0) * clamp(1.7 - 2.8 * w, 0.0, 1.0);
        vec3 color = mix(vTone, uGrid.rgb, uShowGrid * 0.8 * uGrid.a * max(on.x, max(on.y, on.z)));
        vec2 inner = min(vPlace - uBorder.xy, uBorder.zw - vPlace);
        float fade = uFade > 0.0 ? clamp(min(inner.x, inner.y) / uFade, 0.0, 1.0) : 1.0;
        gl_FragColor = vec4(mix(uSky, color, fade), ${alpha});
      }`,
  });
  const behind = { side: THREE.BackSide, transparent: true, depthWrite: false };
  return [make({ side: THREE.FrontSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }, "1.0"), make(behind, "0.16")];
}

/** Colour by height, grid lines, contours; a height field fades out towards its border. */
function surfaceMaterials(quality, look) {
  if (quality === "low") return plainSurfaceMaterials(look);
  const declarations = `
    uniform sampler2D uColors; uniform vec2 uHeights; uniform vec2 uSpacing; uniform vec4 uGrid; uniform vec3 uFlow;
    uniform vec4 uBorder; uniform float uFade; uniform float uShowGrid; ${LINES}`;
  const code = `
    float level = clamp((vPlace.z - uHeights.x) / max(uHeights.y - uHeights.x, 1e-9), 0.0, 1.0);
    vec3 tone = texture2D(uColors, vec2(0.5 / 256.0 + level * 255.0 / 256.0, 0.5)).rgb;
    tone = pow(tone, vec3(2.2));
    vec3 up = normalize(vUp);
    vec3 marked = (vPlace - uFlow) / uSpacing.x;
    float lines = max(gridLine(marked.x, 0.7) * (1.0 - up.x * up.x), gridLine(marked.y, 0.7) * (1.0 - up.y * up.y));
    float contour = gridLine(vPlace.z / uSpacing.y, 0.55) * smoothstep(0.0, 0.02, 1.0 - up.z * up.z);
    ${FINE}
    float strength = uShowGrid * uGrid.a * max(max(lines, 0.62 * contour), 0.5 * fine);
    diffuseColor.rgb = mix(tone, uGrid.rgb, strength);
    vec2 inner = min(vPlace.xy - uBorder.xy, uBorder.zw - vPlace.xy);
    diffuseColor.a *= mix(1.0, smoothstep(0.0, 1.0, min(inner.x, inner.y) / uFade), step(1e-9, uFade));`;
  const common = { roughness: 0.86, metalness: 0.0, transparent: look.uFade.value > 0 };
  const offset = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
  const front = paintedMaterial(quality, { ...common, ...offset, side: THREE.FrontSide }, look, declarations, code);
  const behind = `${code}\n diffuseColor.a *= 0.16;`;
  const seen = { ...common, side: THREE.BackSide, transparent: true, depthWrite: false };
  return [front, paintedMaterial(quality, seen, look, declarations, behind)];
}

/** Two halves, x > 0 and x < 0, with a seam and thin circles so that the turning is seen. */
function shellMaterial(quality, radius, colors) {
  const uniforms = {
    uFirst: { value: new THREE.Color(colors[0]) }, uSecond: { value: new THREE.Color(colors[1]) }, uRadius: { value: radius },
  };
  const code = `
    vec3 p = vPlace / uRadius;
    float w = fwidth(p.x);
    float half_ = smoothstep(-w, w, p.x);
    vec3 tone = mix(uSecond, uFirst, half_);
    float circles = max(gridLine(asin(clamp(p.x, -1.0, 1.0)) * 3.8197, 0.45), 0.0);
    float angle = atan(p.z, p.y) * 1.2732395;
    float spokes = (abs(fract(angle - 0.5) - 0.5) < 0.25 ? 1.0 : 0.0)
      * (1.0 - smoothstep(0.0, 1.2, abs(fract(angle - 0.5) - 0.5) * 0.785 * length(p.yz) / max(fwidth(p.y) + fwidth(p.z), 1e-6)));
    tone = mix(tone, vec3(0.05, 0.06, 0.08), 0.26 * max(circles, spokes));
    tone = mix(tone, vec3(0.05, 0.06, 0.08), 0.75 * (1.0 - smoothstep(0.012, 0.012 + w, abs(p.x))));
    diffuseColor.rgb = tone;`;
  const declarations = `uniform vec3 uFirst; uniform vec3 uSecond; uniform float uRadius; ${LINES}`;
  const settings = quality === "low" ? {} : { roughness: 0.42, metalness: 0.0 };
  return paintedMaterial(quality, settings, uniforms, declarations, code);
}

/** Quarters of two colours about z, with seams, on whatever form, so that the turning is seen. */
function quarterMaterial(quality, colors) {
  const uniforms = { uFirst: { value: new THREE.Color(colors[0]) }, uSecond: { value: new THREE.Color(colors[1]) } };
  const code = `
    vec2 w = max(fwidth(vPlace.xy), vec2(1e-9));
    vec2 side = smoothstep(-w, w, vPlace.xy);
    vec3 tone = mix(uSecond, uFirst, abs(side.x + side.y - 1.0));
    vec2 off = abs(vPlace.xy) / w;
    diffuseColor.rgb = mix(tone, vec3(0.05, 0.06, 0.08), 0.4 * (1.0 - smoothstep(0.4, 1.4, min(off.x, off.y))));`;
  const settings = { side: THREE.DoubleSide, ...(quality === "low" ? {} : { roughness: 0.5, metalness: 0.0 }) };
  return paintedMaterial(quality, settings, uniforms, "uniform vec3 uFirst; uniform vec3 uSecond;", code);
}

/** A plain lit material. */
function solid(quality, color, extra = {}) {
  if (quality === "low") return new THREE.MeshLambertMaterial({ color, ...extra });
  return new THREE.MeshStandardMaterial({ color, roughness: 0.55, metalness: 0.02, ...extra });
}

/** Segments drawn as ribbons of constant width on the screen, up to a moment and fading with age. */
function trailMaterial(color, width, shared) {
  return new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: {
      uColor: { value: new THREE.Color(color) }, uWidth: { value: width }, uNow: { value: 0 }, uMemory: { value: 1e9 },
      uOpacity: { value: 0.95 }, uSize: shared.size,
    },
    vertexShader: `
      attribute vec3 start; attribute vec3 stop; attribute float order;
      uniform float uWidth, uNow, uMemory; uniform vec2 uSize;
      varying float vSide; varying float vAge;
      void main() {
        float k = order;
        float part = clamp(uNow - k, 0.0, 1.0);
        vec4 a = modelViewMatrix * vec4(start, 1.0);
        vec4 b = modelViewMatrix * vec4(mix(start, stop, part), 1.0);
        float near = -1.0001 * projectionMatrix[3][2] / (projectionMatrix[2][2] - 1.0);
        if (a.z > near && b.z < near) a = mix(a, b, (near - a.z) / (b.z - a.z));
        if (b.z > near && a.z < near) b = mix(b, a, (near - b.z) / (a.z - b.z));
        bool hidden = part <= 0.0 || (a.z >= near && b.z >= near) || uNow - k > uMemory;
        vec4 ca = projectionMatrix * a, cb = projectionMatrix * b;
        vec2 d = (cb.xy / cb.w - ca.xy / ca.w) * uSize;
        d = length(d) > 1e-5 ? normalize(d) : vec2(1.0, 0.0);
        vec2 across = vec2(-d.y, d.x) * position.y + d * (position.x * 2.0 - 1.0) * 0.5;
        vec4 c = position.x < 0.5 ? ca : cb;
        c.xy += across * (uWidth + 1.0) / uSize * c.w;
        gl_Position = hidden ? vec4(2.0, 2.0, 2.0, 1.0) : c;
        vSide = position.y;
        vAge = (uNow - k - position.x * part) / uMemory;
      }`,
    fragmentShader: `
      uniform vec3 uColor; uniform float uOpacity, uWidth;
      varying float vSide; varying float vAge;
      void main() {
        float edge = 1.0 - smoothstep(uWidth / (uWidth + 1.0) - 0.15, 1.0, abs(vSide));
        float fade = pow(clamp(1.0 - vAge, 0.0, 1.0), 0.8);
        gl_FragColor = vec4(uColor, uOpacity * edge * fade);
        #include <colorspace_fragment>
      }`,
  });
}
