// Motions over switches by the driver that Python has, compiled into modules: see integrate/hybrid/driver.py and export.py.

const [CHUNK_OF_STEPS, MOST_ROWS, PATIENT, TRIES] = [4096n, 1 << 22, 1n << 62n, 5];

/** A module with the driver in it, and the pieces of a motion that were made by it. */
class DriverModule extends Motion {
  constructor(module, told) {
    super(module);
    Object.assign(this, { told, driver: this.about.driver, order: 2 * this.about.coordinates.length });
    this.sizes = { log: 64, record: 4096 };
    this.hidden = Number(this.slot("values", 2)[1]) - told.hidden; // parameters that are modes, margins and flags
    this.width = 1 + this.order + this.hidden + 3 * told.contacts.length; // of a piece in the log
  }

  // memory, in words of 8 bytes ----------------------------------------------------------------------------------------
  room() {} // see `grow`

  /** The address of memory behind all that is in use. */
  allocate(words) {
    const place = this.top;
    this.top += 8 * words;
    const more = this.top - this.code.memory.buffer.byteLength;
    if (more > 0) this.code.memory.grow(Math.ceil(more / 65536));
    return place;
  }

  floats(place, count) {
    return new Float64Array(this.code.memory.buffer, place, count);
  }

  integers(place, count) {
    return new BigInt64Array(this.code.memory.buffer, place, count);
  }

  /** Words of a struct from a field on: a number, or an address and sizes. */
  slot(name, count = 1, struct = "motion", at = this.code[struct].value) {
    return this.integers(at + 8 * this.driver[struct][name], count);
  }

  count(name, struct) {
    return Number(this.slot(name, 1, struct)[0]);
  }

  /** Numbers that a field points to. */
  array(name, count) {
    return this.floats(this.count(name), count);
  }

  /** Whole numbers of a field that is an array of them. */
  wholes(name, struct) {
    const [place, count] = Array.from(this.slot(name, 2, struct), Number);
    return Array.from(this.integers(place, count), Number);
  }

  /** Points a field to an array of a shape, with what it had before. */
  point(name, shape, ...where) {
    const size = shape.reduce((a, b) => a * b, 1);
    const [from, ...old] = Array.from(this.slot(name, 1 + shape.length, ...where), Number);
    const place = this.allocate(size);
    const kept = from ? Math.min(old.reduce((a, b) => a * b, 1), size) : 0;
    this.integers(place, kept).set(this.integers(from, kept));
    this.slot(name, 1 + shape.length, ...where).set([place, ...shape].map(BigInt));
    return place;
  }

  /** Room for as many pieces or steps as `sizes` says. */
  grow(which) {
    const { log, record } = this.sizes;
    if (which === "log") {
      this.point("log", [log, this.width]);
      this.point("counts", [log * this.driver.counts]);
      this.point("flips", [2 * log]);
      this.point("occurred", [log + this.driver.roots, 2 + this.order]);
      return;
    }
    const place = this.point("record", [record, this.about.row]);
    const list = this.integers(this.count("arguments"), Object.keys(this.driver.arguments).length);
    list[this.driver.arguments.record] = BigInt(place);
    this.ints("capacity", record);
    if (this.driver.slots) this.growIncrements(Number(list[this.driver.arguments.stages]), record);
  }

  /** Room for the increments of steps of Radau's methods, to which their list of addresses points too. */
  growIncrements(list, rows) {
    const [kept, capacity] = [["increments", this.count("increments")], rows * this.driver.longest];
    const values = { increments: this.point("values", [capacity], ...kept), offsets: this.point("offsets", [rows], ...kept), capacity };
    for (const [name, value] of Object.entries(values)) this.integers(list + 8 * this.driver.slots[name], 1)[0] = BigInt(value);
  }

  /** One of the numbers of steps; sets it where a value is given. */
  ints(name, value) {
    const all = this.integers(this.count("ints"), Object.keys(this.about.ints).length);
    if (value !== undefined) all[this.about.ints[name]] = BigInt(value);
    return Number(all[this.about.ints[name]]);
  }

  get t() {
    return this.array("reals", 1 + this.about.reals.t)[this.about.reals.t];
  }

  get y() {
    return this.array("y", this.order);
  }

  /** Values of all parameters of the system. */
  get values() {
    return this.array("values", this.told.hidden + this.hidden);
  }

  /** Impulses of contacts, three each, that the next piece begins with. */
  get impulse() {
    return this.floats(this.count("impulse", "contacts"), 3 * this.told.contacts.length);
  }

  /** Growth of the pivots of this module where another one is. */
  growthAt({ t, y, values }) {
    this.reals("reals", 1 + this.about.reals.t)[this.about.reals.t] = t;
    this.reals("y", this.order).set(y);
    this.reals("parameters", values.length).set(values);
    this.code.slope();
    const growth = this.real("growth");
    return growth >= 0 ? growth : Infinity;
  }

  /** The growth of pivots at which steps end. */
  set growthLimit(growth) {
    const place = this.about.reals.growth_limit;
    this.array("reals", 1 + place)[place] = growth;
  }

  // motions --------------------------------------------------------------------------------------------------------------
  /** Forgets the last motion. */
  clear() {
    this.top = this.code.free.value;
    for (const name of ["log", "counts", "flips", "occurred", "record", "times", "timed"]) this.slot(name, 2).fill(0n);
    if (this.driver.slots) for (const name of ["values", "offsets"]) this.slot(name, 2, "increments", this.count("increments")).fill(0n);
    for (const name of ["pieces", "flipped", "occurrences"]) this.slot(name)[0] = 0n;
    for (const name of ["recorded", "rejected", "evaluations"]) this.ints(name, 0);
    this.ints("patience", PATIENT);
  }

  /** Makes room for a motion, and writes when switches of time alone happen. */
  prepare({ times, modes }) {
    const timed = modes.flat();
    this.point("times", [times.length]);
    this.array("times", times.length).set(times);
    this.point("timed", [times.length + 1, timed.length / (times.length + 1)]);
    this.array("timed", timed.length).set(timed);
    for (const which of ["log", "record"]) this.grow(which);
    this.slot("others")[0] = 1n;
    this.growthLimit = this.driver.growth;
  }

  /** Decides on which pieces a motion begins, at a state {t, y}; a number that says why that is not decided. */
  begin({ t, y }, { until, rtol, atol, longest }) {
    this.y.set(y);
    this.values.set(this.reals("parameters", this.values.length));
    const places = ["motion", "switches", "inside_steps", "turns"].map((name) => this.code[name].value);
    return Number(this.code.begin_motion(...places, BigInt(this.told.switches.length), t, until, rtol, atol, longest));
  }

  /** Whether a motion may begin with the modes that were decided: READY, or why not. */
  ready({ t, y }, { until, rtol, atol, longest }) {
    this.reals("parameters", this.values.length).set(this.values);
    this.reals("first", this.order).set(y);
    return this.words[this.code.resume(t, until, rtol, atol, longest)];
  }

  /** Goes on with a motion that another module has brought to a state. */
  resume(other, start, until) {
    const flips = other.array("flips", other.count("flipped"));
    while (2 * this.sizes.log <= flips.length) this.sizes.log *= 2;
    this.grow("log");
    this.array("flips", flips.length).set(flips);
    const events = Number(this.slot("ends", 2)[1]);
    this.array("ends", events).set(other.array("ends", events));
    this.y.set(other.y);
    this.values.set(other.values);
    this.impulse.set(other.impulse);
    other.impulse.fill(0);
    this.code.resume_motion(this.code.motion.value, other.t, start, until, BigInt(other.count("place")), BigInt(flips.length));
  }

  /** Steps and pieces until something is to be done that the driver does not do. */
  drive(stalled) {
    const names = ["motion", "switches", "inside_steps", "roots_of_functions", "roots_of_rates", "fractions"];
    const places = names.map((name) => this.code[name].value);
    let [begins, since] = [1n, this.t];
    for (;;) {
      this.ints("budget", CHUNK_OF_STEPS);
      const ending = this.driver.drive[Number(this.code.drive(...places, BigInt(this.driver.fractions), begins))];
      begins = 0n;
      if (ending === "RECORD_FULL" || ending === "LOG_FULL") {
        const which = ending === "LOG_FULL" ? "log" : "record";
        if (this.sizes[which] > MOST_ROWS) return "RECORD_FULL";
        this.sizes[which] *= 2;
        this.grow(which);
      } else if (ending === "PAUSED") {
        if (Math.abs(this.t - since) < stalled) return "STEP_TOO_SMALL";
        since = this.t;
      } else {
        return ending;
      }
    }
  }

  /** Takes the motion over the switches that ended its last piece: what it meets there. */
  cross() {
    if (this.rows(this.count("pieces") - 1)) this.rewind(); // impacts there have not been yet
    const places = ["motion", "switches", "inside_steps", "jumps"].map((name) => this.code[name].value);
    return this.driver.crossing[Number(this.code.cross_switch(...places))];
  }

  /** Forgets the last piece: the motion is where that began. */
  takeBack() {
    this.code.take_back(this.code.motion.value);
    this.slot("pieces")[0] -= 1n;
  }

  /** Goes back to where the last piece has ended, before what the switch there has changed. */
  rewind() {
    const rows = this.ints("recorded");
    if (rows) this.y.set(this.floats(this.count("record") + 8 * rows * this.about.row - 8 * this.order, this.order));
  }

  /** How many steps a piece has. */
  rows(k) {
    const [size, count] = [this.driver.counts, this.count("pieces")];
    const begins = Array.from(this.integers(this.count("counts"), size * count), Number);
    return (k + 1 < count ? begins[(k + 1) * size] : this.ints("recorded")) - begins[k * size];
  }

  /** Switches, and behind them contacts, that ended the last piece. */
  reached() {
    const { switches } = this.told;
    return [...this.marked("reached", "switches"), ...this.marked("reached", "contacts").map((k) => switches.length + k)];
  }

  /** Switches that ended the last piece, beyond which it has come, or that have changed. */
  marked(name, struct) {
    return this.wholes(name, struct).flatMap((x, k) => (x ? [k] : []));
  }

  /** What is judged of switches of time alone, and how deep contacts are inside, by name. */
  judged(name, t) {
    this.reals("reals", 1 + this.about.reals.t)[this.about.reals.t] = t;
    this.code.judge();
    return this.reals("judged", this.about.count).slice(this.about.judged[name]);
  }

  // what was made --------------------------------------------------------------------------------------------------------
  /** The pieces of the motion from one on: where they begin, modes, margins and flags, impulses, and when they end. */
  pieces(first) {
    const { width, driver: { counts: size } } = this;
    const [count, log, record] = ["pieces", "log", "record"].map((name) => this.count(name));
    const counts = Array.from(this.integers(this.count("counts"), size * count), Number);
    const found = [];
    for (let k = first; k < count; k++) {
      const row = this.floats(log + 8 * k * width, width).slice();
      const rows = [counts[k * size], k + 1 < count ? counts[(k + 1) * size] : this.ints("recorded")];
      const end = rows[1] > rows[0] ? this.floats(record + 8 * (rows[1] - 1) * this.about.row, 1)[0] : row[0];
      const values = row.subarray(1 + this.order, 1 + this.order + this.hidden);
      found.push({ module: this, t: row[0], values, impulse: row.subarray(1 + this.order + this.hidden), end, moved: rows[1] > rows[0] });
    }
    return found;
  }

  /** Events that have happened, [event, time]. */
  occurred() {
    const [width, count, place] = [2 + this.order, this.count("occurrences"), this.count("occurred")];
    return Array.from({ length: count }, (_, k) => this.floats(place + 8 * k * width, 2)).map(([which, t]) => [this.about.events[which], t]);
  }

  sample(times) {
    return this.called("sample_motion", times, times.length, this.about.values);
  }

  called(name, numbers, count, width) {
    const { code, top } = this;
    const [place, values] = [this.allocate(numbers.length), this.allocate(count * width)];
    this.floats(place, numbers.length).set(numbers);
    if (name === "sample_motion") {
      this.slot("times", 2, "sampling").set([place, count].map(BigInt));
      this.slot("values", 3, "sampling").set([values, count, width].map(BigInt));
      code.sample_motion(...["motion", "switches", "inside_steps", "sampling"].map((struct) => code[struct].value));
    } else {
      code[name](place, count, values);
    }
    this.top = top;
    return this.floats(values, count * width).slice();
  }
}

/** Motions over switches, of modules with different pivots where masses or constraints switch; samples of the last one. */
class HybridMotion {
  constructor(modules, told) {
    this.told = told;
    this.modules = modules.map((module) => new DriverModule(module, told));
    [this.plain] = this.modules;
    this.about = this.plain.about;
  }

  /** As `run` of `Motion`; also the switches, [time, formula, direction], and a message where one ended the motion. */
  run(values = {}, { until, rtol = 1e-10, atol = 1e-13, longest = Infinity }, from = null) {
    Object.assign(this, { values, settings: { until, rtol, atol, longest }, runs: [], module: this.plain, turnedAt: null });
    for (const module of this.modules) module.clear(), module.set(values);
    this.first = from ?? { t: this.about.t, y: this.plain.reals("y", this.plain.order).slice() };
    this.ahead = Math.sign(until - this.first.t);
    let found;
    try {
      found = this.begun(from) ?? this.course();
    } catch (why) {
      if (!(why instanceof Beyond)) throw why;
      found = { ending: "BEYOND", message: why.message };
    }
    this.pieces = this.runs.flatMap(({ module, first }, i) => module.pieces(first).slice(0, this.runs[i].count));
    const total = (name) => this.modules.reduce((sum, module) => sum + module.ints(name), 0);
    return {
      event: null, message: "", ...found, t: this.runs.length ? this.module.t : this.first.t, steps: total("recorded"),
      rejected: total("rejected"), evaluations: total("evaluations"), happened: this.happened(), switches: this.switches(),
      kinds: this.kinds(), impulses: this.impulses(),
    };
  }

  /** Solves for the start, if no state is given, and decides on which pieces it lies; why a motion can not begin there, else nothing. */
  begun(from) {
    const { plain, told, settings } = this;
    const { structural, switches } = told;
    for (let again = 0; again < TRIES; again++) {
      if (!from && plain.code.start() !== 0) return { ending: "NO_START" };
      this.first = from ? { ...from } : { t: this.about.t, y: plain.reals("y", plain.order).slice() };
      const broken = told.conditions.length ? plain.judged("conditions", this.first.t).findIndex((x) => !(x >= 0)) : -1;
      if (broken >= 0) return { ending: "NO_START", message: told.conditions[broken] };
      const table = new Timetable((name, t) => plain.judged(name, t), told, this.first.t, settings.until);
      for (const module of this.modules) module.clear(), module.prepare(table);
      const used = this.modesOf(plain.reals("parameters", plain.values.length));
      const why = plain.begin(this.first, settings);
      if (why === this.about.driver.contact && this.contactEnd() === "INSIDE") return { ending: "NO_START", message: this.inside() };
      if (why !== this.about.driver.decided) return this.undecided(why);
      this.first.y = plain.y.slice(); // behind impacts
      for (const module of this.modules.slice(1)) module.begin(this.first, settings);
      const modes = this.modesOf(plain.values);
      const ready = plain.ready(this.first, settings);
      if (!structural.every((k) => switches[k].kind === "turn" || modes[k] === used[k])) continue; // constraints of other pieces
      return ready === "READY" ? null : { ending: ready, event: this.about.events[plain.whole("counts", "ended")] ?? null };
    }
    throw new Beyond(`no start is found on one side of ${this.formulas(structural)}`);
  }

  modesOf(values) {
    return this.told.switches.map((_, k) => values[this.told.hidden + 2 * k]);
  }

  /** The motion to its end, from one module to another. */
  course() {
    const { until } = this.settings;
    for (;;) {
      this.take();
      const { module } = this;
      const ending = module.drive(this.told.limits.stalled * Math.abs(until - this.first.t));
      const reached = module.reached();
      if (ending === "EVENT") return this.event();
      if (ending === "TOUCHED") return { ending: "AMBIGUOUS", message: this.said("touches", reached) };
      if (ending === "STRAYED") return this.strayed(reached);
      if (ending === "LEFT") return this.left();
      if (ending === "PIVOTS" && this.turned()) continue;
      const found = ending === "DECIDE" ? this.crossed(reached) : { ending };
      if (found) return found;
    }
  }

  /** Goes on with the module whose pivots were chosen where masses and constraints have the modes of the motion. */
  take() {
    const { module, told } = this;
    const modes = this.modesOf(module.values);
    const own = told.structural.map((k) => modes[k]);
    const some = this.modules.filter(({ about }) => about.pieces.some((piece) => piece.every((mode, i) => mode === own[i])));
    const next = this.best(some.length ? some : [this.plain]);
    if (next !== module) next.resume(module, this.first.t, this.settings.until);
    const last = this.runs[this.runs.length - 1];
    if (last) last.count = last.module.count("pieces") - last.first;
    this.runs.push({ module: next, first: next.count("pieces") });
    this.module = next;
  }

  /** Of modules that differ in their pivots, that whose pivots lose least at the state. */
  best(some) {
    if (some.length === 1) return some[0];
    const growth = some.map((module) => module.growthAt(this.module));
    return some[growth.indexOf(Math.min(...growth))];
  }

  /** Whether a motion whose pivots have become poor goes on, with others, or with these where no others are better. */
  turned() {
    const { module } = this;
    const others = this.modules.filter((other) => other !== module).map((other) => other.growthAt(module));
    const own = module.growthAt(module);
    const stuck = module.t === this.turnedAt;
    this.turnedAt = module.t;
    if (Math.min(...others) < own) return !stuck;
    module.growthLimit = 10 * own;
    return own < module.driver.hopeless;
  }

  event() {
    const ends = this.module.occurred().filter(([event]) => event.terminal);
    return { ending: "EVENT", event: ends[ends.length - 1][0] };
  }

  /** The ending of a motion whose last piece the driver does not make. */
  left() {
    const status = this.module.words[this.module.count("status")];
    this.module.takeBack();
    if (this.crowded()) {
      const found = this.chattering(this.module.marked("changed", "jumps"));
      this.module.rewind();
      return found;
    }
    if (!["EVENT", "FINISHED"].includes(status)) return { ending: status };
    throw new Beyond("where its last piece ends is not certain");
  }

  /** The ending of a motion that stays on switches, to rounding, along which it can not slide: its last piece is none. */
  strayed(which) {
    this.module.takeBack();
    const found = this.crowded() ? this.chattering(which) : { ending: "AMBIGUOUS", message: this.said("touches", which) };
    this.module.rewind();
    return found;
  }

  /** Whether the last switches were just before. */
  crowded() {
    const { module, settings } = this;
    const [piled, part] = module.driver.crowded;
    const times = this.flips();
    return times.length >= piled && Math.abs(module.t - times[times.length - piled]) < part * Math.abs(settings.until - this.first.t);
  }

  flips() {
    return Array.from(this.module.array("flips", this.module.count("flipped")));
  }

  chattering(which) {
    const [times, many] = [this.flips(), Math.min(this.module.driver.recent, this.module.count("flipped"))];
    const span = Number((times[times.length - 1] - times[times.length - many]).toPrecision(3));
    return { ending: "CHATTERING", message: this.said("chatters", which, { many, span, all: times.length }) };
  }

  /** Takes the motion over switches; how it ends there, or nothing. */
  crossed(reached) {
    const { module } = this;
    const found = module.cross();
    const changed = module.marked("changed", "jumps");
    const size = Number(module.floats(module.code.jumps.value + 8 * module.driver.jumps.size, 1)[0].toPrecision(6));
    const jump = (name, values) => ({ ending: "JUMP", message: this.said(name, changed, values) });
    const endings = {
      NOTHING: () => null,
      UNDECIDED: () => this.undecided(module.count("why", "jumps")),
      CONSTRAINT: () => this.lies(` (the constraint ${this.jumps().join(", ")} jumps there)`, "JUMP") ?? jump("constraint", { rows: this.jumps().join(", ") }),
      MASS: () => jump("mass"),
      ENERGY: () => jump("energy", { step: size }),
      RETURNS: () => this.lies("", "CHATTERING") ?? { ending: "CHATTERING", message: this.said("returns", changed) },
      CHATTERS: () => this.chattering(reached),
      UNDEFINED: () => ({ ending: "NOT_A_NUMBER" }),
      CONTACT: () => this.undecided(module.about.driver.contact),
    };
    if (endings[found]) return endings[found]();
    throw new Beyond(`where ${this.formulas(changed)} switches, it takes an impulse that the page does not know`);
  }

  /** That a body comes to lie on a side or a face, if that is what jumps. */
  lies(more, ending) {
    const { module } = this;
    const words = module.marked("jumped", "jumps").map((row) => module.driver.lying[row]);
    return words[0] ? { ending, message: `${words[0]}${more}` } : null;
  }

  /** Constraints that jump, the first few, and by how much. */
  jumps() {
    const { module } = this;
    const [before, after] = ["before", "after"].map((name) => module.floats(module.count(name, "jumps"), module.driver.constraints.length));
    const which = module.marked("jumped", "jumps").slice(0, 4);
    return which.map((row) => `'${module.driver.constraints[row]}' by ${Number((after[row] - before[row]).toPrecision(6))}`);
  }

  /** Why contacts do not tell what follows. */
  contactEnd() {
    return this.module.driver.contact_ends[this.module.count("why", "contacts")];
  }

  /** That the motion would begin inside a contact. */
  inside() {
    const which = this.module.count("which", "contacts");
    return worded(this.told.contacts[which].inside, { depth: this.module.judged("depths", this.first.t)[which] });
  }

  /** The ending of a motion at a state where no modes are selected. */
  undecided(why) {
    const { module } = this;
    if (why === module.driver.contact) {
      const which = this.formulas([this.told.switches.length + module.count("which", "contacts")]);
      return { ending: "AMBIGUOUS", message: worded(module.driver.contact_words[this.contactEnd()], { which }) };
    }
    if (module.wholes("failed", "switches")[0]) throw new Beyond("derivatives decide that are too long for it");
    const which = module.wholes("open", "switches").slice(0, module.count("count", "switches"));
    const values = { which: this.formulas(which), count: which.length, number: module.count("number", "switches") };
    return { ending: "AMBIGUOUS", message: worded(module.driver.undecided[why], values) };
  }

  /** Words for how the motion ended, from those that Python has. */
  said(name, which, values = {}) {
    return worded(this.told.words[name], { which: this.formulas(which), ...values });
  }

  formulas(which) {
    const all = [...this.told.switches, ...this.told.contacts];
    return [...new Set(which.map((k) => all[k].said))].join(", ");
  }

  // what is asked of the last motion -------------------------------------------------------------------------------------
  /** Switches of the motion, [time, formula, direction]; where it is held to one, the direction is 0. */
  switches() {
    const { switches, held: flags } = this.told;
    const found = [];
    this.pieces.forEach(({ t, values }, i) => {
      if (!i) return;
      const before = this.pieces[i - 1].values;
      const flag = new Map(flags.map(([k, place]) => [k, 2 * switches.length + place]));
      switches.forEach(({ said }, k) => {
        const [held, was] = [values, before].map((some) => flag.has(k) && some[flag.get(k)] !== 0);
        const way = held ? 0 : was ? (values[2 * k] >= 1 ? 1 : -1) : Math.sign(values[2 * k] - before[2 * k]);
        if (held ? !was : was || way) found.push([t, said, way]);
      });
    });
    return found;
  }

  happened() {
    const all = this.modules.flatMap((module) => module.occurred().map(([event, t]) => [event.name, t]));
    return [...all, ...this.contactEvents()].sort((a, b) => (a[1] - b[1]) * this.ahead);
  }

  /** What a contact does on a piece: "open", "closed", "sticks" or "slips". */
  mode({ flags }, { values }) {
    const [closed, sticks, slips] = flags.map((place) => values[place] !== 0);
    return !closed ? "open" : sticks ? "sticks" : slips ? "slips" : "closed";
  }

  /** What happens at contacts where one piece goes over to the next. */
  contactEvents() {
    const found = [];
    for (let i = 1; i < this.pieces.length; i++) {
      const [before, after] = [this.pieces[i - 1], this.pieces[i]];
      this.told.contacts.forEach((contact, k) => {
        const [was, mode, struck] = [this.mode(contact, before), this.mode(contact, after), this.struck(after, k)];
        if (was !== mode || struck) found.push([contact.happens[was][mode][Number(struck)], after.t]);
        else if (mode === "slips" && this.reverses(contact, before, after)) found.push([contact.happens.slips.sticks[0], after.t]);
      });
    }
    return found.filter(([said]) => said);
  }

  /** Whether a slip dies out and begins again in a direction against the one before. */
  reverses({ flags }, before, after) {
    return flags.slice(3, 5).reduce((sum, place) => sum + before.values[place] * after.values[place], 0) < 0;
  }

  /** Whether a contact is struck where a piece begins. */
  struck({ impulse }, k) {
    return impulse.subarray(3 * k, 3 * k + 3).some((p) => p !== 0);
  }

  /** Modes of motion, [time, mode], as `System.mode_in` has them, where they change or contacts are struck; none without contacts. */
  kinds() {
    const found = [];
    for (const piece of this.told.contacts.length ? this.pieces : []) {
      const modes = this.told.contacts.map((contact) => this.mode(contact, piece));
      const word = this.told.kinds.find(([wanted]) => wanted.every(([k, mode]) => (k < 0 ? modes.includes(mode) : modes[k] === mode)));
      const kind = word ? word[1] : this.told.contacts.map(({ called }, k) => called[modes[k]]).join(", ");
      const struck = this.told.contacts.some((_, k) => this.struck(piece, k));
      if (struck || !found.length || found[found.length - 1][1] !== kind) found.push([piece.t, kind]);
    }
    return found;
  }

  /** Impulses of contacts, [time, names, sizes]. */
  impulses() {
    const found = [];
    for (const piece of this.pieces) {
      const parts = this.told.contacts.flatMap(({ impulses: names }, k) => {
        if (!this.struck(piece, k)) return [];
        const [normal, ...friction] = piece.impulse.subarray(3 * k, 3 * k + 3);
        return names.map((name, i) => [name, i ? Math.sqrt(friction[0] * friction[0] + friction[1] * friction[1]) : normal]);
      });
      if (parts.length) found.push([piece.t, parts.map(([name]) => name), parts.map(([, size]) => size)]);
    }
    return found;
  }

  start() {
    return this.first.y.slice();
  }

  end() {
    return this.runs.length ? this.module.y.slice() : this.first.y.slice();
  }

  /** The outputs at times of the last motion, in their order, one row a time; where a piece ends as before. */
  sample(times) {
    const width = this.about.values;
    const found = new Float64Array(times.length * width);
    const moved = this.pieces.filter((piece) => piece.moved);
    let k = 0;
    moved.forEach(({ module, end }, i) => {
      const goesOn = i + 1 < moved.length && moved[i + 1].module === module;
      let count = 0;
      while (!goesOn && k + count < times.length && (times[k + count] <= end || i === moved.length - 1)) count += 1;
      if (count) found.set(module.sample(times.slice(k, k + count)), k * width);
      k += count;
    });
    return found;
  }

  field(points) {
    return this.plain.field(points);
  }
}
