// A widget of a notebook: the page in a frame, and a line to it. What is chosen there is in the model, and the other way.

const NAMES = ["playing", "time", "values"]; // a time is asked for once nothing moves it
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.srcdoc = model.get("page");
  frame.sandbox = "allow-scripts allow-downloads";
  frame.allow = "fullscreen";
  frame.title = "a run, to be played";
  frame.style.cssText = `width:100%;height:${model.get("height")}px;border:0;border-radius:8px`;

  const { port1: port, port2: its } = new MessageChannel();
  let known = null; // what the page said last: it is not told that again
  port.onmessage = ({ data }) => {
    const first = known === null;
    known = data;
    if (first) NAMES.forEach((name) => ask(name)); // chosen in Python before the page was shown
    else for (const [name, value] of Object.entries(data)) same(model.get(name), value) || model.set(name, value);
    model.save_changes();
  };
  const ask = (name) => {
    const wish = model.get(name);
    if (known !== null && wish !== null && wish !== undefined && !same(wish, known[name])) port.postMessage({ [name]: wish });
  };
  const asks = NAMES.map((name) => [`change:${name}`, () => ask(name)]);
  for (const [event, heard] of asks) model.on(event, heard);
  frame.addEventListener("load", () => frame.contentWindow.postMessage("zeromass", "*", [its]), { once: true });
  el.append(frame);
  return () => {
    for (const [event, heard] of asks) model.off(event, heard);
    port.close();
  };
}

export default { render };
