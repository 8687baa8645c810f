// Films and pictures. A film is drawn frame by frame and encoded here, so that it is smooth however slow the machine is.

const FILM = { rate: 30, bits: 9e6, codecs: [["vp09.00.40.08", "V_VP9"], ["vp8", "V_VP8"]] };

/** Records from now to the end of the run, or until asked to stop. */
async function record() {
  if (state.recording) return (state.recording.stop = true);
  const codec = await filmCodec();
  if (!codec) return recordInRealTime();
  const before = { playing: state.playing, ratio: stage.ratio };
  play(false);
  if (state.t >= span[1]) seek(span[0]);
  const recording = (state.recording = { stop: false, frames: 0, chunks: [], failed: null });
  showRecording(true);
  stage.moves = true;
  stage.ratio = filmRatio();
  stage.resize();
  const { width, height } = $("view");
  const encoder = new VideoEncoder({
    output: (chunk) => recording.chunks.push(kept(chunk)),
    error: (error) => (recording.failed = error),
  });
  encoder.configure({ codec: codec[0], width, height, bitrate: FILM.bits, framerate: FILM.rate });
  state.playing = true; // the camera follows as it does while it plays
  const first = state.t;
  while (!recording.stop && !recording.failed && state.t < span[1]) {
    state.t = Math.min(first + (state.speed * recording.frames) / FILM.rate, span[1]);
    draw(1 / FILM.rate);
    const frame = new VideoFrame($("view"), { timestamp: Math.round((1e6 * recording.frames) / FILM.rate) });
    encoder.encode(frame, { keyFrame: recording.frames % (2 * FILM.rate) === 0 });
    frame.close();
    recording.frames += 1;
    notice(`Recording ${Math.round((100 * (state.t - first)) / (span[1] - first || 1))} %`, 0, true);
    do await new Promise((resolve) => setTimeout(resolve)); while (encoder.encodeQueueSize > 4 && !recording.failed);
  }
  state.playing = false;
  if (!recording.failed) await encoder.flush();
  encoder.close();
  Object.assign(stage, { ratio: before.ratio });
  stage.resize();
  state.recording = null;
  showRecording(false);
  $("notice").hidden = true;
  if (recording.failed) notice(`The film could not be made: ${recording.failed.message}`, 6);
  else save(webm(recording.chunks, { codec: codec[1], width, height, rate: FILM.rate }), "webm");
  play(false);
}

function showRecording(on) {
  $("record").setAttribute("aria-pressed", String(on));
  $("record").lastElementChild.textContent = on ? "Stop" : "Record";
}

/** As sharp as the screen, in an even number of pixels. */
function filmRatio() {
  return Math.max(1, Math.min(devicePixelRatio, 2));
}

async function filmCodec() {
  if (typeof VideoEncoder === "undefined") return null;
  for (const codec of FILM.codecs) {
    const { supported } = await VideoEncoder.isConfigSupported({ codec: codec[0], width: 1280, height: 720, bitrate: FILM.bits }).catch(() => ({}));
    if (supported) return codec;
  }
  return null;
}

function kept(chunk) {
  const bytes = new Uint8Array(chunk.byteLength);
  chunk.copyTo(bytes);
  return { bytes, key: chunk.type === "key", milliseconds: Math.round(chunk.timestamp / 1000) };
}

/** A WebM file of encoded frames: EBML elements, an identifier, a length and contents each. */
function webm(chunks, { codec, width, height, rate }) {
  const bytes = (value) => {
    const digits = value.toString(16);
    return Uint8Array.from((digits.length % 2 ? `0${digits}` : digits).match(/../g), (pair) => parseInt(pair, 16));
  };
  const element = (id, ...parts) => {
    const contents = parts.flat().map((part) => (typeof part === "number" ? bytes(part) : typeof part === "string" ? new TextEncoder().encode(part) : part));
    const length = contents.reduce((sum, part) => sum + (part.size ?? part.length), 0);
    const size = new Uint8Array(8);
    new DataView(size.buffer).setBigUint64(0, (1n << 56n) | BigInt(length));
    return new Blob([bytes(id), size, ...contents]);
  };
  const real = (value) => {
    const eight = new Uint8Array(8);
    new DataView(eight.buffer).setFloat64(0, value);
    return eight;
  };
  const clusters = [];
  for (const chunk of chunks) {
    if (chunk.key || !clusters.length) clusters.push({ start: chunk.milliseconds, blocks: [] });
    const { start, blocks } = clusters.at(-1);
    const head = new Uint8Array(4);
    head[0] = 0x81;
    new DataView(head.buffer).setInt16(1, chunk.milliseconds - start);
    head[3] = chunk.key ? 0x80 : 0;
    blocks.push(element(0xa3, head, chunk.bytes));
  }
  const header = element(0x1a45dfa3, element(0x4286, 1), element(0x42f7, 1), element(0x42f2, 4), element(0x42f3, 8), element(0x4282, "webm"), element(0x4287, 2), element(0x4285, 2));
  const info = element(0x1549a966, element(0x2ad7b1, 1000000), element(0x4489, real((1000 * chunks.length) / rate)), element(0x4d80, "zeromass"), element(0x5741, "zeromass"));
  const video = element(0xe0, element(0xb0, width), element(0xba, height));
  const track = element(0xae, element(0xd7, 1), element(0x73c5, 1), element(0x83, 1), element(0x86, codec), element(0x23e383, Math.round(1e9 / rate)), video);
  const segment = element(0x18538067, info, element(0x1654ae6b, track), ...clusters.map(({ start, blocks }) => element(0x1f43b675, element(0xe7, start), ...blocks)));
  return new Blob([header, segment], { type: "video/webm" });
}

/** Where a browser can not encode frames itself: what the screen shows, as it shows it. */
function recordInRealTime() {
  const kind = ["video/mp4;codecs=avc1", "video/webm;codecs=vp9", "video/webm"].find((k) => window.MediaRecorder?.isTypeSupported(k));
  if (!kind) return notice("This browser cannot record films.", 4);
  const pieces = [];
  const recorder = new MediaRecorder($("view").captureStream(60), { mimeType: kind, videoBitsPerSecond: FILM.bits });
  const recording = (state.recording = {
    set stop(_) {
      recorder.stop();
    },
  });
  recorder.ondataavailable = (event) => event.data.size && pieces.push(event.data);
  recorder.onstop = () => {
    if (state.recording === recording) state.recording = null;
    showRecording(false);
    const film = new Blob(pieces, { type: kind });
    if (film.size) save(film, kind.includes("mp4") ? "mp4" : "webm");
    else notice("Nothing was recorded: too short.", 4);
  };
  recorder.start(500);
  showRecording(true);
  play(true);
}

function savePicture() {
  stage.setMoves(false);
  draw(0);
  $("view").toBlob((blob) => save(blob, "png"));
}

function save(blob, ending) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${data.title.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase() || "motion"}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
