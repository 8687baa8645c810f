// Plots over time, linked to the clock: the curves are drawn once, the cursor at every frame.

const AIR = 6; // px between numbers below an axis
const APART = 5; // px between changes of the kind of motion that are still told one by one
const MANY = 4; // curves of a plot, of more than which those that are zero throughout are left out

class Chart {
  /**
   * entries: [{name, color, values, clock}], one for each curve.
   * compared: the curves are those of several runs, which are named elsewhere.
   * strip: what it is one part of; the parts share the time axis of the last, which alone has `axis`, the numbers.
   */
  constructor(parent, title, entries, { span, onSeek, least = 0, compared = false, strip = "", axis = true }) {
    Object.assign(this, { entries, span, compared, axis });
    this.box = document.createElement("section");
    this.box.className = compared ? "chart compared" : "chart";
    const header = document.createElement("header");
    const heading = document.createElement(strip ? "h3" : "h2");
    heading.textContent = title;
    const list = document.createElement("ul");
    this.values = entries.map((entry) => {
      const item = document.createElement("li");
      const value = document.createElement("b");
      if (compared) item.title = entry.name;
      item.append(compared ? "" : `${entry.own ? entry.name : spoken(entry.name)} `, value);
      list.append(item);
      entry.item = item;
      return value;
    });
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${strip ? `${strip}, ` : ""}${title} over time`);
    const plot = document.createElement("div");
    plot.className = "plot";
    plot.append(this.canvas);
    header.append(heading, list);
    this.box.append(header, plot);
    parent.append(this.box);
    this.curves = document.createElement("canvas");
    const seek = (event) => {
      const x = event.clientX - this.canvas.getBoundingClientRect().left;
      const part = (x - this.left) / (this.width - this.left - this.right);
      onSeek(span[0] + Math.min(Math.max(part, 0), 1) * (span[1] - span[0]));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener("pointermove", (event) => event.buttons && seek(event));
    this.least = least;
    this.measure();
  }

  /** What the axis spans, and what counts as nothing beside the values. */
  measure() {
    this.range = spread(this.entries, this.least);
    this.nothing = roundOff(this.entries, this.least);
    this.shown = this.entries.length > MANY ? this.entries.filter(({ values }) => values.some((value) => Math.abs(value) > this.nothing)) : this.entries;
    if (!this.shown.length) this.shown = this.entries.slice(0, 1);
    for (const entry of this.entries) entry.item.hidden = !this.shown.includes(entry);
  }

  /** The numbers of the curves have changed, in the arrays that they are in. */
  renew(themeName) {
    this.measure();
    if (this.theme) this.drawCurves(themeName);
  }

  setTheme(themeName) {
    this.entries.forEach((entry) => entry.item.style.setProperty("--mark", entry.color(themeName)));
    this.resize(themeName);
  }

  resize(themeName) {
    this.themeName = themeName;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.theme = THEMES[themeName];
    const ratio = Math.min(devicePixelRatio, 3);
    for (const canvas of [this.canvas, this.curves]) {
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    }
    Object.assign(this, { width, height, ratio, left: 44, right: 6, top: 5, bottom: this.axis ? 17 : 4 });
    this.drawCurves(themeName);
  }

  x(t) {
    return this.left + ((t - this.span[0]) / (this.span[1] - this.span[0])) * (this.width - this.left - this.right);
  }

  y(value) {
    const [low, high] = this.range;
    return this.height - this.bottom - ((value - low) / (high - low)) * (this.height - this.top - this.bottom);
  }

  drawCurves(themeName) {
    const pen = this.curves.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = '10.5px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
    pen.fillStyle = this.theme.soft;
    pen.strokeStyle = this.theme.line;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const marks = ticks(...this.range, Math.max(2, this.height / 34));
    const between = stepOf(marks, this.range);
    const texts = (this.texts = marks.map((value) => tickText(value, this.range, between)));
    this.left = Math.max(44, 12 + Math.max(0, ...texts.map((text) => pen.measureText(text).width)));
    marks.forEach((value, i) => {
      const y = Math.round(this.y(value)) + 0.5;
      pen.beginPath();
      pen.moveTo(this.left, y);
      pen.lineTo(this.width - this.right, y);
      pen.stroke();
      pen.fillText(texts[i], this.left - 6, y);
    });
    pen.textBaseline = "alphabetic";
    if (this.axis) this.drawTimes(pen);
    this.drawChanges(pen);
    pen.save();
    pen.beginPath();
    pen.rect(this.left, this.top - 2, this.width - this.left - this.right, this.height - this.top - this.bottom + 4);
    pen.clip();
    for (const entry of [...this.shown].reverse()) this.drawCurve(pen, entry, themeName);
    if (this.compared) this.drawDashes(pen, themeName);
    pen.restore();
  }

  /** Times below the axis, from the last one, which has the unit: one that would touch the next is left out. */
  drawTimes(pen) {
    const times = ticks(...this.span, this.width / 62);
    const words = times.map((t, i) => tickText(t, this.span, stepOf(times, this.span)) + (i === times.length - 1 ? " s" : ""));
    let free = this.width - this.right + AIR;
    pen.textAlign = "left";
    this.times = [];
    for (let i = times.length - 1; i >= 0; i--) {
      const wide = pen.measureText(words[i]).width;
      const x = Math.min(this.x(times[i]) - wide / 2, this.width - this.right - wide);
      if (x + wide > free - AIR + 0.5) continue;
      pen.fillText(words[i], x, this.height - 3);
      this.times.push([x, x + wide]);
      free = x;
    }
  }

  /** Where the kind of motion changes, as from slipping to rolling. */
  drawChanges(pen) {
    const all = [...new Set(data.runs.flatMap((run) => run.kinds.slice(1).map(([since]) => since)))].sort((a, b) => a - b);
    const near = (t, other) => other !== undefined && Math.abs(this.x(t) - this.x(other)) < APART;
    const changes = all.filter((t, i) => !(near(t, all[i - 1]) && near(t, all[i + 1]))); // of many, the first and the last
    pen.strokeStyle = this.theme.soft;
    pen.setLineDash([2, 3]);
    for (const t of changes) {
      const x = Math.round(this.x(t)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, this.top - 2);
      pen.lineTo(x, this.height - this.bottom);
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  /** Each curve again in dashes, in turn: where runs coincide, all their colours show. */
  drawDashes(pen, themeName) {
    const [length, count] = [8, this.entries.length];
    pen.setLineDash([length, length * (count - 1)]);
    this.entries.forEach((entry, i) => {
      pen.lineDashOffset = -i * length;
      this.drawCurve(pen, entry, themeName);
    });
    pen.setLineDash([]);
  }

  /** Smallest and largest value in each column of pixels, so that no peak is lost. */
  drawCurve(pen, { values, clock, color }, themeName) {
    pen.strokeStyle = color(themeName);
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    pen.beginPath();
    const columns = Math.max(this.ratio * (this.width - this.left - this.right), 1);
    const block = Math.max(1, Math.floor(values.length / columns));
    let down = false;
    for (let i = 0; i < values.length; i += block) {
      let [low, high] = [i, i];
      for (let k = i; k < Math.min(i + block, values.length); k++) {
        if (values[k] < values[low]) low = k;
        if (values[k] > values[high]) high = k;
      }
      for (const k of low < high ? [low, high] : low > high ? [high, low] : [low]) {
        if (!Number.isFinite(values[k])) {
          down = false;
          continue;
        }
        const [x, y] = [this.x(clock.first + k * clock.step), this.y(values[k])];
        down ? pen.lineTo(x, y) : pen.moveTo(x, y);
        down = true;
      }
    }
    pen.stroke();
  }

  draw(t) {
    if (!this.width) return;
    const { themeName } = this;
    const pen = this.canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.curves, 0, 0);
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const x = this.x(t);
    pen.strokeStyle = this.theme.soft;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x, this.top - 2);
    pen.lineTo(x, this.height - this.bottom);
    pen.stroke();
    [...this.entries.entries()].reverse().forEach(([i, entry]) => {
      const place = entry.clock.place(t);
      const k = Math.min(Math.floor(place), entry.values.length - 2);
      const value = entry.values[k] + (place - k) * (entry.values[k + 1] - entry.values[k]);
      const text = written(Math.abs(value) <= this.nothing ? 0 : value);
      if (this.values[i].textContent !== text) this.values[i].textContent = text;
      if (!Number.isFinite(value) || entry.item.hidden) return;
      pen.fillStyle = entry.color(themeName);
      pen.strokeStyle = this.theme.panel;
      pen.lineWidth = 1.5;
      pen.beginPath();
      const [low, high] = this.range;
      const radius = this.compared ? 2.8 + 1.3 * Math.min(i, 2) : 3.4; // marks in one place become rings
      pen.arc(Math.min(x, this.x(entry.clock.last)), this.y(Math.min(Math.max(value, low), high)), radius, 0, 7);
      pen.fill();
      if (!this.compared) pen.stroke();
    });
  }
}

/** The charts: of one run all curves of a kind in one plot; of several runs a plot for each curve, in which they meet. */
function makeCharts(parent, span, onSeek) {
  const titles = [...new Set(data.runs.flatMap((run) => run.charts.map((chart) => chart.title)))];
  if (data.runs.length === 1) return titles.map((title) => new Chart(parent, title, ownCurves(title), { span, onSeek, least: least(title) }));
  if (titles.length) parent.append(runNames());
  return titles.flatMap((title) => comparedCharts(parent, title, { span, onSeek, least: least(title), compared: true }));
}

function chartsOf(title) {
  return data.runs.map((run) => run.charts.find((chart) => chart.title === title));
}

/** Changes smaller than this are shown as none. */
function least(title) {
  return Math.max(0, ...chartsOf(title).map((chart) => chart?.least ?? 0));
}

function ownCurves(title) {
  const clock = new Clock(data.runs[0].t);
  const tone = (name) => data.runs[0].bodies.find((body) => body.name === name)?.tone; // that of a body, in all charts
  return chartsOf(title)[0].series.map(({ name, values }, i) => ({
    name, clock, values: numbers(values), color: (themeName) => seriesColor(name, tone(name) ?? i, themeName),
    own: tone(name) !== undefined, // the name of a body is no letter
  }));
}

/** One plot for each curve, with that curve of every run; several stand below one another under a heading. */
function comparedCharts(parent, title, options) {
  const names = [...new Set(chartsOf(title).flatMap((chart) => chart?.series.map((s) => s.name) ?? []))];
  const curves = (name) => chartsOf(title).flatMap((chart, r) => {
    const series = chart?.series.find((s) => s.name === name);
    const run = data.runs[r];
    return series ? [{ name: run.name, clock: new Clock(run.t), values: numbers(series.values), color: () => runColor(r) }] : [];
  });
  if (names.length === 1) return [new Chart(parent, title, curves(names[0]), options)];
  const group = document.createElement("section");
  group.className = "strips";
  group.style.setProperty("--strips", names.length);
  const heading = document.createElement("h2");
  heading.textContent = title;
  group.append(heading);
  parent.append(group);
  return names.map((name, i) => new Chart(group, name, curves(name), { ...options, strip: title, axis: i === names.length - 1 }));
}

/** Which colour is which run, for all plots. */
function runNames() {
  const list = document.createElement("ul");
  list.className = "runs";
  data.runs.forEach((run, r) => {
    const item = document.createElement("li");
    item.textContent = run.name;
    item.style.setProperty("--mark", runColor(r));
    list.append(item);
  });
  return list;
}

/** What the vertical axis spans; a few extreme peaks do not flatten the rest. */
function spread(entries, least = 0) {
  const all = entries.flatMap((entry) => Array.from(entry.values).filter(Number.isFinite)).sort((a, b) => a - b);
  if (!all.length) return [0, 1];
  const at = (part) => all[Math.round(part * (all.length - 1))];
  let [low, high] = [all[0], all[all.length - 1]];
  const core = at(0.99) - at(0.01);
  if (core > 0 && high > at(0.99) + 4 * core) high = at(0.99) + 0.15 * core;
  if (core > 0 && low < at(0.01) - 4 * core) low = at(0.01) < 0 ? at(0.01) - 0.15 * core : 0;
  if (low >= 0 && low < 0.4 * high) low = 0;
  // A constant is shown as one: round-off is not blown up to the height of the plot.
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size < Math.max(1e-12, least)) return [-1, 1];
  const constant = high - low < Math.max(1e-5 * size, least);
  const pad = constant ? 0.1 * size : 0.06 * (high - low);
  return [low === 0 && !constant ? 0 : low - pad, high + pad];
}

/** Values of which no digit is meant: rounding of the largest ones, or all of them where there is nothing else. */
function roundOff(entries, least) {
  let size = 0;
  for (const { values } of entries) for (const value of values) if (Math.abs(value) > size) size = Math.abs(value);
  return size < Math.max(1e-12, least) ? size : 1e-9 * size;
}

function ticks(low, high, count) {
  let step = niceStep((high - low) / Math.max(count, 1));
  while ((high - low) / step > count + 1) step = niceStep(step * 1.9);
  const result = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) result.push(k * step);
  return result;
}

function stepOf(marks, [low, high]) {
  return marks.length > 1 ? marks[1] - marks[0] : high - low;
}

/** Numbers of neighbouring ticks, one step apart, always differ: as many places as the step needs. */
function tickText(value, [low, high], step) {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (Math.abs(value) < 1e-9 * size) return "0";
  const digits = Math.floor(Math.log10(step) + 1e-9);
  if (size >= 1e5 || size < 1e-3) {
    const places = Math.max(0, Math.min(Math.floor(Math.log10(Math.abs(value))) - digits, 12));
    return value.toExponential(places).replaceAll("-", "−").replace("e+", "e");
  }
  const text = value.toFixed(Math.max(0, Math.min(-digits, 12)));
  return text.replace("-", "−");
}
