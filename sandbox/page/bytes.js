// Bytes as text, and the differences between two sequences of them.

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

/** Text with signs for what cannot be seen; bytes that are not text as \xNN. */
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
 * The runs of both texts: `[isSame, bytes]` of each, by the places of their
 * differences.
 */
export function compare(first, second, differences) {
  return [
    runs(
      first,
      differences.map(([start, end]) => [start, end]),
    ),
    runs(
      second,
      differences.map(([, , start, end]) => [start, end]),
    ),
  ];
}

function runs(bytes, places) {
  const all = [];
  let from = 0;
  for (const [start, end] of places) {
    all.push([true, bytes.subarray(from, start)], [false, bytes.subarray(start, end)]);
    from = end;
  }
  all.push([true, bytes.subarray(from)]);
  return all.filter(([, run]) => run.length > 0);
}
