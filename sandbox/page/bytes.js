// Bytes as text, and the difference between two sequences of them.

/** More edits than this are shown as one. */
const MOST_EDITS = 800;

export function fromBase64(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The text, or `null` if the bytes are not UTF-8. */
export function asText(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Text with signs for what cannot be seen; bytes that are no text as \xNN. */
export function visible(bytes) {
  const text = asText(bytes) ?? Array.from(bytes, escapedByte).join('');
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f\ufeff]|\n/g, sign);
}

function escapedByte(byte) {
  return byte >= 0x20 && byte < 0x7f
    ? String.fromCharCode(byte)
    : `\\x${byte.toString(16).padStart(2, '0')}`;
}

function sign(character) {
  switch (character) {
    case '\n':
      return '↵\n';
    case '\r':
      return '␍';
    case '\t':
      return '⇥';
    case '\ufeff':
      return '[BOM]';
    default:
      return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  }
}

/**
 * The runs of two byte sequences: `[isSame, bytes]` of each, for the first and the
 * second. By Myers' algorithm, between the common start and the common end.
 */
export function compare(first, second) {
  const shorter = Math.min(first.length, second.length);
  let start = 0;
  while (start < shorter && first[start] === second[start]) {
    start += 1;
  }
  let end = 0;
  while (
    end < shorter - start &&
    first[first.length - 1 - end] === second[second.length - 1 - end]
  ) {
    end += 1;
  }
  const middles = [
    first.subarray(start, first.length - end),
    second.subarray(start, second.length - end),
  ];
  const kept = [new Uint8Array(middles[0].length), new Uint8Array(middles[1].length)];
  markCommon(middles[0], middles[1], kept);
  return [first, second].map((bytes, index) => {
    const flags = new Uint8Array(bytes.length).fill(1);
    flags.set(kept[index], start);
    return runs(bytes, flags);
  });
}

function runs(bytes, flags) {
  const all = [];
  let from = 0;
  for (let at = 1; at <= bytes.length; at += 1) {
    if (at === bytes.length || flags[at] !== flags[from]) {
      all.push([flags[from] === 1, bytes.subarray(from, at)]);
      from = at;
    }
  }
  return all;
}

/** Sets the flags of the bytes that both have; none if there are too many edits. */
function markCommon(a, b, [keptA, keptB]) {
  const most = Math.min(MOST_EDITS, a.length + b.length);
  const trace = [];
  const reach = new Int32Array(2 * most + 3);
  for (let edits = 0; edits <= most; edits += 1) {
    trace.push(reach.slice());
    for (let k = -edits; k <= edits; k += 2) {
      const isDown = k === -edits || (k !== edits && reach[most + k] < reach[most + k + 2]);
      let x = isDown ? reach[most + k + 2] : reach[most + k] + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) {
        x += 1;
      }
      reach[most + k + 1] = x;
      if (x >= a.length && x - k >= b.length) {
        goBack(trace, edits, most, a.length, b.length, keptA, keptB);
        return;
      }
    }
  }
}

function goBack(trace, edits, most, endA, endB, keptA, keptB) {
  let [x, y] = [endA, endB];
  for (let left = edits; left >= 0; left -= 1) {
    const reach = trace[left];
    const k = x - y;
    const isDown = k === -left || (k !== left && reach[most + k] < reach[most + k + 2]);
    const before = isDown ? k + 1 : k - 1;
    const fromX = left === 0 ? 0 : reach[most + before + 1];
    const fromY = left === 0 ? 0 : fromX - before;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      keptA[x] = 1;
      keptB[y] = 1;
    }
    [x, y] = [fromX, fromY];
  }
}
