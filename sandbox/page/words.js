// The sandbox's facts, in words for people.

/** The meaning of an identifier. */
export const words = (name) => name.replaceAll('_', ' ');

const VERDICTS = { absent: 'not sent', other_client: 'of another client' };
const GOOD = new Set(['verified', 'valid']);
const WEAK = new Set(['absent', 'not_checked']);

/** The verdict on a credential. */
export const verdict = (name) => VERDICTS[name] ?? words(name);

/** The class of a verdict. */
export const kindOf = (name) => (GOOD.has(name) ? 'good' : WEAK.has(name) ? 'weak' : 'bad');

const BEARERS = {
  missing: 'missing: send the header that has the token',
  malformed: 'malformed: the header must have the scheme and one token',
  expired: 'expired: request a new token',
  revoked: 'revoked: request a new token',
  cut: 'cut: the end of the token is missing',
  other_client: 'of another client: it was not issued to the client of this sandbox',
  unknown: 'unknown: this sandbox has not issued it since it started or was reset',
};

/** The verdict on a bearer token, and the remedy. */
export const bearer = (name) => BEARERS[name] ?? verdict(name);

const TIME = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** The time of day, to the millisecond. */
export const timeOfDay = (milliseconds) => TIME.format(milliseconds);

/** The date and the time of day. */
export const dateAndTime = (milliseconds) =>
  `${DATE.format(milliseconds)}, ${timeOfDay(milliseconds)}`;

/** How long ago a time is. */
export function since(milliseconds) {
  const seconds = Math.max(0, Math.floor((Date.now() - milliseconds) / 1000));
  for (const [size, unit] of [
    [86_400, 'days'],
    [3600, 'h'],
    [60, 'min'],
  ]) {
    if (seconds >= 2 * size) {
      return `${Math.floor(seconds / size)} ${unit} ago`;
    }
  }
  return seconds < 2 ? 'now' : `${seconds} s ago`;
}

/** How long something took. */
export const duration = (milliseconds) =>
  milliseconds < 10_000 ? `${milliseconds} ms` : `${Math.round(milliseconds / 1000)} s`;
