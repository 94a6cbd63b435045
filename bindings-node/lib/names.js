'use strict';

/** An object of the core with our names, and times as `Date`; or one that has them already. */
function ownMembers(given) {
  const members = Object.entries(given).map(([name, value]) => {
    const ours = name.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase());
    const isTime = ours.endsWith('At') && value !== null;
    return [ours, isTime ? new Date(value) : value];
  });
  return Object.fromEntries(members);
}

module.exports = { ownMembers };
