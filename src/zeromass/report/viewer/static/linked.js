// A page inside another, as a notebook's widget holds it: it tells what is chosen, and takes what is asked for.

const TOLD_EVERY = 100; // ms, while something changes

/** What is chosen: time, whether it plays, the values of the sliders, and how their motion ends. */
function chosen() {
  const values = living ? Object.fromEntries(living.sliders.map(({ name, value }) => [name, value])) : {};
  return { time: state.t, playing: state.playing, values, outcome: living?.last?.words ?? data.runs[0].outcome };
}

function takeWish({ time, playing, values }) {
  if (values && living) window.viewer.living.set(values);
  if (typeof playing === "boolean" && playing !== state.playing) play(playing);
  if (typeof time === "number") seek(time);
}

addEventListener("message", ({ data: word, source, ports: [port] }) => {
  if (word !== "zeromass" || source !== parent || !port) return;
  let before = "";
  port.onmessage = ({ data: wish }) => takeWish(wish);
  const tell = () => {
    const now = chosen();
    const text = JSON.stringify(now);
    if (text !== before) port.postMessage(now);
    before = text;
  };
  tell();
  setInterval(tell, TOLD_EVERY);
});
