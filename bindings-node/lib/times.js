'use strict';

/** The members of an object, with times as `Date`, also those that JSON made texts of. */
function withTimes(given) {
  const members = Object.entries(given).map(([name, value]) => {
    const isTime = name.endsWith('At') && value !== null;
    return [name, isTime ? new Date(value) : value];
  });
  return Object.fromEntries(members);
}

module.exports = { withTimes };
