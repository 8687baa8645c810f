// Which of many switches hold a motion, and to which sides of others it goes: see integrate/hybrid/pivoting.py.

const [PATIENCE, GUESSES, LOST] = [3, 4, 1e12];

/** The answer to a question: pivots in blocks, one at a time where these go round in a circle. */
class Sticking {
  constructor(question) {
    this.question = question;
    this.deciding = question.deciding;
    this.places = new Map(this.deciding.told.held.map(([k], i) => [k, 3 * i]));
  }

  /** The side of each switch in question, 0 where it holds; natural: those of before; fresh: there was no motion before. */
  sides(natural, fresh) {
    const { open } = this.question;
    this.holds = open.map((k) => this.canHold(k));
    let choice = natural.map((side, j) => (this.holds[j] && fresh ? 0 : side));
    let [best, patience] = [natural.length + 1, PATIENCE];
    for (let again = 0; again < GUESSES * (natural.length + PATIENCE); again++) {
      const guess = this.looked(choice);
      if (!guess) {
        if (patience < 0) break;
        [choice, patience] = [natural.map((side) => side || 1), -1];
        continue;
      }
      if (!guess.wrong.size) {
        if (fresh) this.checkAlone(guess);
        return guess.choice;
      }
      if (patience >= 0 && guess.wrong.size < best) [best, patience] = [guess.wrong.size, PATIENCE];
      else if (patience > 0) patience -= 1;
      const last = Math.max(...guess.wrong.keys());
      const changes = patience > 0 ? guess.wrong : new Map([[last, guess.wrong.get(last)]]);
      choice = choice.map((side, j) => changes.get(j) ?? side);
    }
    throw new Undecided(`no motion goes on to either side of, or along, ${this.deciding.words(open)}`);
  }

  /** c, β and 1 − β of a switch. */
  held(k, modes) {
    const { held } = this.deciding.standing.judged(this.question.state, modes);
    return held.subarray(this.places.get(k), this.places.get(k) + 3);
  }

  /** Whether a switch can hold the motion: what it does on its two sides pushes towards it. */
  canHold(k) {
    return this.places.has(k) && this.held(k, this.question.at(this.low).modes)[0] < 0;
  }

  /** All on their lower sides. */
  get low() {
    return this.question.open.map(() => -1);
  }

  /** A guess of the sides, looked at; null where rows that hold the motion depend on one another. */
  looked(choice) {
    const { question, deciding, holds } = this;
    const { modes, a } = question.at(choice);
    const wrong = new Map();
    if (choice.includes(0) && !(deciding.standing.growth(question.state, modes) < LOST)) return null;
    choice.forEach((side, j) => {
      if (side !== 0) return;
      const [, above, below] = this.held(question.open[j], modes);
      if (above < -SMALL || below < -SMALL) wrong.set(j, above < below ? -1 : 1);
    });
    const guess = { choice, modes, a, wrong };
    choice.forEach((side, j) => {
      const sign = side ? this.sign(guess, j) : 0;
      if (sign && sign !== side) wrong.set(j, holds[j] ? 0 : -side);
    });
    return guess;
  }

  /** Where a switching function goes by its first derivative that does not vanish; 0 if none is seen. */
  sign({ choice, modes, a }, j) {
    const { question, deciding } = this;
    const { state, open } = question;
    const k = open[j];
    if (!deciding.switches[k].rates) return deciding.sign(state, modes, k, 1, a) || deciding.sign(state, modes, k, 2, a);
    const slopes = deciding.standing.judged(state, question.modes).slopes[k];
    const terms = deciding.parts(state, slopes, a);
    const total = sum(terms);
    if (Math.sign(total) === choice[j]) return choice[j];
    const others = [question.at(choice.map((side, i) => (i === j ? -side : side))), question.at(this.low)];
    const rates = others.map((other) => Math.abs(sum(deciding.parts(state, slopes, other.a))));
    return Math.abs(total) <= SMALL * Math.max(sum(terms.map(Math.abs)), sum(rates)) ? 0 : Math.sign(total);
  }

  /** That no motion goes to the other side of a switch as well, where both sides push away from it. */
  checkAlone(guess) {
    guess.choice.forEach((side, j) => {
      if (!side || this.holds[j] || !this.sign(guess, j)) return;
      const across = this.looked(guess.choice.map((x, i) => (i === j ? -x : x)));
      if (!across || across.wrong.size) return;
      const said = this.deciding.words([this.question.open[j]]);
      throw new Undecided(`several motions go on from a switch, to either side of ${said}; begin on the one that is meant`);
    });
  }
}
