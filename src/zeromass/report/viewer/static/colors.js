// Two themes, and the colours of what has one of its own.

const THEMES = {
  light: {
    sky: ["#fbfaf8", "#e6e4df"], soft: "#667085", panel: "#fdfcfa", line: "#e2dfd8", faint: "#d9d5cc",
    grid: [0.03, 0.05, 0.09, 0.42], ivory: "#f7f2e6", floor: "#e3e6ea",
    hemisphere: ["#ffffff", "#9a938a", 1.35], sun: 2.3,
  },
  dark: {
    sky: ["#1a212c", "#0c0f15"], soft: "#97a1b2", panel: "#151a22", line: "#29303c", faint: "#39424f",
    grid: [0.9, 0.95, 1, 0.13], ivory: "#f3ead9", floor: "#1a2230",
    hemisphere: ["#c9d6ea", "#2a2f3a", 1.1], sun: 2.3,
  },
};

// The palette comes with the data, from report/palette.py: plots and films have the same.
const { series: SERIES, quantities: QUANTITIES, heights: HEIGHTS, stone: STONE } = data.palette;
const MARKS = QUANTITIES;
for (const [name, ink] of Object.entries(data.palette.ink)) Object.assign(THEMES[name], { ink, contact: ink });

/** 256 colours, RGBA bytes, for heights from low to high. */
function heightColors(theme) {
  const [stone, part] = [STONE[theme], 0.3];
  const bytes = new Uint8Array(4 * 256);
  for (let i = 0; i < 256; i++) {
    const x = (i / 255) * (HEIGHTS.length - 1);
    const k = Math.min(Math.floor(x), HEIGHTS.length - 2);
    stone.forEach((grey, c) => {
      const pure = HEIGHTS[k][c] + (x - k) * (HEIGHTS[k + 1][c] - HEIGHTS[k][c]);
      bytes[4 * i + c] = Math.round(pure + part * (grey - pure));
    });
    bytes[4 * i + 3] = 255;
  }
  return bytes;
}

/** The sky in one colour, where no gradient is drawn. */
function skyColor(themeName) {
  const [above, below] = THEMES[themeName].sky.map((color) => new THREE.Color(color));
  return above.lerp(below, 0.4);
}

function runColor(index) {
  return SERIES[index % SERIES.length];
}

/** The colour of a quantity by its name, else that of its place among others; of one in a crowd, which has none, grey. */
function seriesColor(name, index, theme) {
  if (index === null) return data.palette.crowd;
  const color = QUANTITIES[name.toLowerCase().replace(/ (force|energy)$/, "")] ?? SERIES[index % SERIES.length];
  return color === "ink" ? THEMES[theme].ink : color;
}
