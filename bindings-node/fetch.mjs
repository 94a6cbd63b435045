import fetch from './fetch.js';

export const { send } = fetch;
