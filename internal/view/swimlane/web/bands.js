// The overview of many lanes: each lane is a band of a few pixels. Bands are written into a pixel buffer
// of their own, which takes a tenth of the time of as many rectangles.

const bands = { canvas: document.createElement("canvas"), image: null, pixels: null, width: 0, height: 0, ratio: 1 };

// pixelOf is a colour as the buffer holds it: opaque, bytes red, green, blue, alpha.
const pixelColours = new Map();
function pixelOf(colour) {
  let pixel = pixelColours.get(colour);
  if (pixel === undefined) {
    const part = (at) => parseInt(colour.slice(at, at + 2), 16);
    pixel = new Uint32Array(new Uint8Array([part(1), part(3), part(5), 255]).buffer)[0];
    pixelColours.set(colour, pixel);
  }
  return pixel;
}

function openBands() {
  bands.ratio = devicePixelRatio || 1;
  bands.width = Math.max(Math.round((place.right - place.left) * bands.ratio), 1);
  bands.height = Math.max(Math.round((place.lanesBottom - place.lanesTop) * bands.ratio), 1);
  if (bands.canvas.width !== bands.width || bands.canvas.height !== bands.height || !bands.image) {
    bands.canvas.width = bands.width;
    bands.canvas.height = bands.height;
    bands.image = bands.canvas.getContext("2d").createImageData(bands.width, bands.height);
    bands.pixels = new Uint32Array(bands.image.data.buffer);
  }
  bands.pixels.fill(0);
}

function closeBands(ctx) {
  bands.canvas.getContext("2d").putImageData(bands.image, 0, 0);
  ctx.drawImage(bands.canvas, place.left, place.lanesTop, place.right - place.left, place.lanesBottom - place.lanesTop);
}

// drawOverview draws a lane as a band: full where a root's request is in flight (upper part) or a
// subagent's (lower part, where there is room for two parts); between them its tree's pale ground shows.
function drawOverview(lane) {
  const top = toY(lane.top) - place.lanesTop, height = Math.max((lane.bottom - lane.top) * unitPx(), 1);
  const split = height >= 4, part = split ? height * 0.45 : height;
  for (let row = lane.firstRow; row < lane.firstRow + lane.rows; row++) {
    for (const stream of rowStreams[row]) {
      if (stream.to < view.from) continue;
      if (stream.from > view.to) break;
      bandRequests(stream, split && stream.depth > 0 ? top + height * 0.55 : top, part, split ? "band" : "thin");
    }
  }
}

function bandRequests(stream, top, height, shade) {
  const { pixels, width, ratio } = bands, { start, status: statuses } = requests;
  const y0 = Math.max(Math.round(top * ratio), 0), y1 = Math.min(Math.max(Math.round((top + height) * ratio), y0 + 1), bands.height);
  const scale = width / spanX(), last = stream.first + stream.count;
  let covered = -1;
  for (let r = firstAtOrAfter(stream.first, last, view.from, endOf); r < last && start[r] <= view.to; r++) {
    if (statuses[r] >= FAILED) continue; // its sign is drawn
    const x0 = Math.max(Math.floor((start[r] - view.from) * scale), 0);
    const x1 = Math.min(Math.max(Math.floor((endOf(r) - view.from) * scale), x0 + 1), width);
    if (x1 <= covered) continue;
    covered = x1;
    const pixel = pixelOf(barColours(r, stream)[shade]);
    for (let y = y0; y < y1; y++) pixels.fill(pixel, y * width + x0, y * width + x1);
  }
}
