// Pulling a body with the mouse: a force at the point that was grabbed, towards the cursor, integrated as time goes on.

const RESPONSE = 10; // rad/s of the viewer's time: how fast the body follows the cursor, critically damped
const LONGEST_PULL = 0.1; // s of the viewer's time that are integrated in one go

const pulling = living && stage ? new (class Pulling {
  constructor() {
    const { canvas, quality } = stage;
    this.arrow = new Arrow(solid(quality, MARKS.applied, { emissive: MARKS.applied, emissiveIntensity: 0.25 }));
    this.pulls = []; // {from, until, force} of the motion that is shown
    canvas.parentElement.addEventListener("pointerdown", (event) => this.down(event), true); // before the camera
    canvas.addEventListener("pointermove", (event) => this.grabbed && this.aim(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => (this.grabbed = null));
    for (const line of document.querySelectorAll(".pulls")) line.hidden = false;
  }

  down(event) {
    if (event.button || !(event.ctrlKey || event.shiftKey) || event.target !== stage.canvas) return;
    const found = this.hit(event);
    if (!found) return;
    event.stopPropagation();
    const { why, bodies } = data.living.pull;
    const body = stage.runs[0].bodies[found.index];
    if (why || !bodies[found.index]) {
      notice(why ?? `${body.name || "This body"} can not be pulled: constraints and time alone determine where it is`, 6);
      return;
    }
    stage.canvas.setPointerCapture(event.pointerId);
    const own = found.point.clone().sub(body.group.position).applyQuaternion(body.group.quaternion.clone().invert());
    if (!body.turns) own.set(0, 0, 0);
    const depth = found.point.clone().sub(stage.camera.position).dot(this.forward);
    this.grabbed = { body, own, depth, told: bodies[found.index] };
    this.aim(event);
    this.pull();
  }

  /** Where a pointer is in the view, from −1 to 1 each way. */
  aim({ clientX, clientY }) {
    const { left, top, width, height } = stage.canvas.getBoundingClientRect();
    this.pointer = [(2 * (clientX - left)) / width - 1, 1 - (2 * (clientY - top)) / height];
    changed();
  }

  /** The direction from the camera to the pointer; matrices of the camera may be those of the frame before. */
  get direction() {
    const { projectionMatrixInverse, quaternion } = stage.camera;
    return new THREE.Vector3(...this.pointer, 0.5).applyMatrix4(projectionMatrixInverse).normalize().applyQuaternion(quaternion);
  }

  get forward() {
    return new THREE.Vector3(0, 0, -1).applyQuaternion(stage.camera.quaternion);
  }

  /** Velocity of what the camera follows, and the cursor with it, m/s. */
  get drift() {
    const target = followed[state.follow];
    if (!target) return new THREE.Vector3();
    const { step } = target.run.clock;
    const t = Math.max(state.t, span[0] + step);
    return target.at(t, new THREE.Vector3()).sub(target.at(t - step, new THREE.Vector3())).divideScalar(step);
  }

  /** The body below the pointer, and the point of it: of bodies, and of links that belong to one. */
  hit(event) {
    this.aim(event);
    const ray = { origin: stage.camera.position, direction: this.direction };
    const [run, found] = [stage.runs[0], []];
    const meet = (group, index) => group.traverseVisible((object) => {
      const met = [];
      if (object.isMesh) object.raycast({ ray, near: 0, far: Infinity }, met);
      for (const { point, distance } of met) found.push({ index, point: point.clone(), distance });
    });
    run.bodies.forEach((body, index) => body.scenery || meet(body.group, index));
    for (const link of run.links) {
      const index = run.bodies.findIndex((body) => body.name && body.name === link.name);
      if (index >= 0) meet(link.group, index);
    }
    return found.sort((a, b) => a.distance - b.distance)[0];
  }

  /** The point that was grabbed, and the cursor, as far from the camera as the point was. */
  ends() {
    const { body, own, depth } = this.grabbed;
    const point = own.clone().applyQuaternion(body.group.quaternion).add(body.group.position);
    const direction = this.direction;
    return [point, direction.multiplyScalar(depth / direction.dot(this.forward)).add(stage.camera.position)];
  }

  /** Values of the parameters of the force from now on. */
  force() {
    const { own, told: [stiffness, mass] } = this.grabbed;
    const rate = RESPONSE / state.speed;
    const values = { since: state.t, lag: 2 / rate };
    const vectors = { point: own, cursor: this.ends()[1], velocity: this.drift };
    for (const [name, vector] of Object.entries(vectors)) for (const axis of "xyz") values[`${name}_${axis}`] = vector[axis];
    const named = Object.entries(data.living.pull.parameters).map(([name, parameter]) => [parameter, values[name]]);
    return { ...Object.fromEntries(named), [stiffness]: mass * rate * rate };
  }

  /** Integrates as time goes on, until the body is let go; then to the end of the run. */
  async pull() {
    const target = followed[state.follow];
    state.pulled = target ? target.at(state.t, new THREE.Vector3()).sub(aim) : new THREE.Vector3();
    if (!living.last) living.say("Integrating the motion up to the time shown …", false);
    stage.views[0].scene.add(this.arrow.group);
    let before = performance.now();
    let good = true;
    while (good && this.grabbed && state.t < span[1]) {
      const now = performance.now();
      const seconds = Math.min(Math.max((now - before) / 1000, 1e-3), LONGEST_PULL);
      before = now;
      const until = this.sampleAfter(state.t + state.speed * seconds);
      good = await this.integrate(until, this.force());
      await new Promise((done) => requestAnimationFrame(done));
    }
    this.grabbed = null;
    stage.views[0].scene.remove(this.arrow.group);
    if (good && state.t < span[1]) await this.integrate(span[1], {}, state.t);
    state.pulled = null;
    changed();
  }

  /** The last time before a time at which the picture has a sample, and one after now: between two it is not known. */
  sampleAfter(t) {
    const { clock } = stage.runs[0];
    const k = Math.max(Math.floor(clock.place(t)), Math.floor(clock.place(state.t) + 1e-6) + 1);
    return Math.min(clock.first + k * clock.step, span[1]);
  }

  /** The motion from now on until a time under a force; whether it came there. The clock goes along unless it is to stay. */
  async integrate(until, force, stay = null) {
    const from = state.t;
    const answer = await living.ask({ from, until, force });
    if (answer.pull?.from !== from) return true; // a slider was moved meanwhile
    this.pulls = this.pulls.filter((pull) => pull.from < from);
    if (this.pulls.length) this.pulls[this.pulls.length - 1].until = from;
    this.pulls.push({ from, until: answer.t, force });
    seek(stay ?? answer.t);
    return answer.ending === "FINISHED";
  }

  /** The line from the point to the cursor. */
  update() {
    if (!this.grabbed) return;
    const [point, cursor] = this.ends();
    this.arrow.group.position.copy(point);
    this.arrow.set(cursor.clone().sub(point), 0.006 * point.distanceTo(stage.camera.position));
  }
})() : null;
