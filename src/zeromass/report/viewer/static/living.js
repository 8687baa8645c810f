// A page that is alive: sliders, and motions that a worker makes anew from a module of WebAssembly.

/** What is said of a formula that switches; `MOST_MARKS` are shown at most. */
const MOST_MARKS = 400;
const switchWords = (said, way) => `${said} ${way ? "switches" : "holds"}`;

const living = data.living ? new (class Living {
  constructor({ modules, driver, driven, pull, worker, sliders, clocks, settings, shown: count, lengths }) {
    this.sliders = sliders.map((slider) => ({ ...slider, first: slider.value }));
    this.series = new Set(data.runs[0].charts.flatMap((chart) => chart.series.map(({ values }) => values.array)));
    this.count = 0;
    this.busy = false;
    this.wanted = null;
    this.waiting = [];
    this.last = null;
    this.show();
    const place = URL.createObjectURL(new Blob([worker], { type: "text/javascript" }));
    this.worker = new Worker(place);
    this.worker.onmessage = ({ data: answer }) => this.answered(answer);
    this.worker.onerror = (event) => {
      this.busy = false;
      this.say(`This browser could not make the motion: ${event.message ?? "no WebAssembly"}`, true);
    };
    const bytes = (some = []) => some.map((module) => Uint8Array.from(atob(module), (letter) => letter.charCodeAt(0)));
    const own = { modules: bytes(modules), driver, driven, pull: { ...pull, modules: bytes(pull.modules) } };
    const told = { ...own, clocks, settings, shown: count, lengths, grounds: this.grounds() };
    this.worker.postMessage(told, [...own.modules, ...own.pull.modules].map(({ buffer }) => buffer));
    for (const slider of this.sliders) {
      if (wishes.has(slider.name)) this.set(slider, Number(wishes.get(slider.name)));
    }
  }

  /** The surfaces that follow the sliders, as the worker is told of them. */
  grounds() {
    return data.living.grounds.map((ground) => {
      const { x, y, moments, t: times } = data.surfaces[ground.surface];
      return { ...ground, x, y, moments, times };
    });
  }

  // motions ----------------------------------------------------------------------------------------------------------
  values() {
    return Object.fromEntries(this.sliders.map((slider) => [slider.parameter, slider.value]));
  }

  /** Asks for the motion with the values of the sliders, or for it from a time on under a force; while one is made, only the last wish is kept. */
  ask(pull = null) {
    this.wanted = { values: this.values(), pull };
    this.next();
    return new Promise((done) => this.waiting.push({ id: this.count + (this.wanted ? 1 : 0), done }));
  }

  next() {
    if (this.busy || !this.wanted) return;
    this.busy = true;
    this.count += 1;
    this.asked = this.wanted;
    this.worker.postMessage({ id: this.count, ...this.wanted });
    this.wanted = null;
  }

  answered(answer) {
    this.busy = false;
    Object.assign(answer, this.asked);
    const { words, good } = this.told(answer);
    answer.words = words;
    if (answer.samples.length) this.renew(answer);
    this.last = answer;
    const cost = `${answer.steps} steps in ${answer.milliseconds.toFixed(1)} ms`;
    const held = answer.residual > 0 ? `, constraints hold to ${answer.residual.toExponential(0).replace("-", "−")}` : "";
    this.say(words || (answer.pull ? "pulled by hand" : "finished"), !good, answer.steps ? cost + held : "The last good motion is shown.");
    for (const { id, done } of this.waiting) if (id <= answer.id) done(answer);
    this.waiting = this.waiting.filter(({ id }) => id > answer.id);
    this.next();
  }

  /** How a motion ended, in the words of Python; whether that is a motion to its end. */
  told({ ending, event, t, residual, message = "" }) {
    const at = `at t = ${Number(t.toPrecision(9))} s`;
    const ended = event ? [`'${event.name}'`, event.message] : [];
    const words = {
      FINISHED: "",
      EVENT: `event ${at}: ${ended.filter(Boolean).join(": ")}`,
      ALREADY: `event ${at}: '${event?.name}' already at the start: ${event?.message}`,
      PIVOTS: `new pivots are needed ${at}, and this page does not choose them anew; Python does, see "copy as Python"`,
      FADING: `a singular position may be near, ${at}: constraints lose independence there; Python looks closer, and leaps`,
      STEP_TOO_SMALL: `step too small ${at}: the error stays above the tolerance however short the step`,
      NOT_A_NUMBER: `not a number ${at}: the motion leaves the region where the model is defined`,
      RECORD_FULL: `out of memory ${at}`,
      NO_START: `no start with these values: ${message || "constraints and what is prescribed are not satisfied together, or only far away"}`,
      OTHER_KIND: "with these values the constraints depend on one another otherwise than in the program; make the run in Python",
      NOT_FINITE: "not a number: a formula has no finite value at the start",
      AMBIGUOUS: `ambiguous ${at}: ${message}`,
      CHATTERING: `chattering ${at}: ${message}`,
      JUMP: `jump ${at}: ${message}`,
      BEYOND: `here, ${at}, the page can not go on: ${message}; run it in Python, see "copy as Python"`,
    }[ending] ?? `${ending} ${at}`;
    if (data.living.violation !== null && residual > data.living.violation) {
      return { words: `inconsistent: constraints are off by ${residual.toExponential(1)}; make the run in Python`, good: false };
    }
    return { words, good: ending === "FINISHED" || ending === "EVENT" };
  }

  /** Puts the numbers of a motion in place of those of the last one: after its end, bodies stay and curves stop. */
  renew({ samples, width: row, grounds, pull, ending, t, words, switches = [], kinds = [] }) {
    data.arrays.forEach(({ live }, place) => {
      if (!live) return;
      const target = numbers({ array: place });
      const { begin, kept, values } = samples[live.clock];
      const [width, curve] = [live.values.length, this.series.has(place)];
      const count = target.length / width;
      for (let k = begin; k < count; k++) {
        const from = (Math.min(k, kept) - begin) * row;
        for (let j = 0; j < width; j++) target[k * width + j] = k < kept || !curve ? values[from + live.values[j]] : NaN;
      }
    });
    grounds.forEach((ground, k) => this.renewGround(data.surfaces[data.living.grounds[k].surface], ground));
    const run = data.runs[0];
    run.outcome = "";
    const changes = kinds.length < 2 && switches.length <= MOST_MARKS ? switches.map(([time, said, way]) => [time, switchWords(said, way)]) : [];
    if (words) changes.push([ending === "FINISHED" ? span[1] : t, words]);
    const shown = kinds.length > 1 && !pull ? kinds : changes.length ? [[span[0], ""]] : [];
    run.kinds = [...shown, ...changes];
    renew();
    if (stage && grounds.length) makeHeightBar();
    clearTimeout(this.measuring);
    if (stage) this.measuring = setTimeout(() => (stage.measure(), changed()), 400); // what an overview shows
    changed();
  }

  /** A surface as it is with these values. */
  renewGround({ z, motion }, { heights, shift, turn: turns }) {
    const put = (packed, values) => values && numbers(packed).set(values.subarray(0, numbers(packed).length));
    put(z, heights);
    if (motion) put(motion.shift, shift), put(motion.turn, turns);
  }

  // controls ---------------------------------------------------------------------------------------------------------
  show() {
    document.body.classList.remove("no-charts");
    const box = document.createElement("section");
    box.id = "living";
    box.setAttribute("aria-label", "Values of the motion");
    box.innerHTML = `<header><h2>Try other values</h2><button id="living-reset" title="The values of the run">Reset</button>
      <button id="living-copy" title="The program that makes this motion">Copy as Python</button></header>
      <div class="sliders"></div><p id="living-words" role="status"></p>`;
    for (const slider of this.sliders) box.querySelector(".sliders").append(this.control(slider));
    const taken = (event) => event.target.closest("input") && event.key !== " ";
    box.addEventListener("keydown", (event) => taken(event) && event.stopPropagation());
    $("charts").prepend(box);
    new MutationObserver(() => box.isConnected || $("charts").prepend(box)).observe($("charts"), { childList: true });
    $("living-reset").addEventListener("click", () => {
      for (const slider of this.sliders) this.put(slider, slider.first);
      this.ask();
    });
    $("living-copy").addEventListener("click", () => this.copy());
    const remarks = data.living.remarks.join(" · ");
    this.say(remarks || "Move a slider, or pull a body with Ctrl and the mouse: the motion is computed in this page, offline.", false);
  }

  control(slider) {
    const label = document.createElement("label");
    label.className = "slider";
    label.innerHTML = `<span></span><input type="number" step="any"><input type="range" step="any">`;
    const [name, number, range] = label.children;
    name.textContent = spoken(slider.name);
    range.style.setProperty("--first", String((slider.first - slider.low) / (slider.high - slider.low)));
    for (const input of [number, range]) Object.assign(input, { min: slider.low, max: slider.high });
    range.setAttribute("aria-label", slider.name);
    number.setAttribute("aria-label", `${slider.name}, as a number`);
    slider.number = number;
    slider.range = range;
    slider.step = niceStep((slider.high - slider.low) / 400);
    range.addEventListener("input", () => {
      this.wholePath();
      this.set(slider, this.rounded(slider, Number(range.value)));
    });
    number.addEventListener("change", () => this.set(slider, Number(number.value)));
    this.put(slider, slider.value);
    return label;
  }

  /** A value as one would write it: whole steps, but for the ends. */
  rounded({ low, high, step }, value) {
    const near = Number((Math.round(value / step) * step).toPrecision(12));
    return near <= low ? low : near >= high ? high : near;
  }

  put(slider, value) {
    slider.value = Math.min(Math.max(value, slider.low), slider.high);
    if (!Number.isFinite(slider.value)) slider.value = slider.first;
    slider.range.value = String(slider.value);
    slider.number.value = String(Number(slider.value.toPrecision(6))); // the value itself keeps its digits
    slider.range.style.setProperty("--part", `${(100 * (slider.value - slider.low)) / (slider.high - slider.low)}%`);
  }

  /** While a slider moves, and a little longer, paths are drawn to their end. */
  wholePath() {
    this.memory ??= state.memory;
    state.memory = "whole";
    clearTimeout(this.calm);
    this.calm = setTimeout(() => {
      state.memory = $("memory").value || this.memory;
      this.memory = null;
      changed();
    }, 2500);
  }

  set(slider, value) {
    this.put(slider, value);
    return this.ask();
  }

  say(words, wrong, small = "") {
    const place = $("living-words");
    place.className = wrong ? "wrong" : "";
    place.textContent = words;
    const note = document.createElement("small");
    note.textContent = small;
    place.append(note);
  }

  /** The program that makes this motion. */
  program() {
    const { source, program } = data.living;
    const values = this.sliders.map(({ name, value }) => `${JSON.stringify(name)}: ${value}`);
    const pulls = this.last?.pull ? "# the bodies that were pulled in the page are not pulled here\n" : "";
    const own = pulls + program.replace("«values»", values.join(", "));
    if (!source) return `import zeromass as zm\n\n${own}`;
    let text = source;
    for (const { parameter, value } of this.sliders) {
      const place = new RegExp(`(parameter\\(\\s*(["'])${parameter}\\2\\s*,\\s*)[^,)]+`);
      if (!place.test(text)) return `${source}\n\n${own}`;
      text = text.replace(place, `$1${value}`);
    }
    return text;
  }

  async copy() {
    const text = this.program();
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    const button = $("living-copy");
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy as Python"), 1500);
  }
})(data.living) : null;

if (living) {
  /** For other scripts: sets sliders by name; becomes the answer of the motion that is then shown. */
  window.viewer.living = {
    set: (values) => {
      for (const slider of living.sliders) if (slider.name in values) living.put(slider, values[slider.name]);
      return living.ask().then(({ samples, grounds, state: end, ...answer }) => ({ ...answer, end: Array.from(end) }));
    },
    program: () => living.program(),
    get pulls() { return living.last?.pull ? pulling.pulls : []; },
    get last() { return living.last; },
    get heights() { return finiteRange(numbers(data.surfaces[data.runs[0].surface].z)); },
    body: (name) => Array.from(numbers(data.runs[0].bodies.find((body) => body.name === name).position)),
  };
}
